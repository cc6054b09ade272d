"""Everything that a training run needs to continue exactly where it was, in one safetensors file: data, nothing that
runs.

The parts of a run give and take it as state dicts; here they are merged, checked, written and read. A digest over all
of it vouches for what was saved. The games are looked at one by one all the same: whoever can write a state can write
its digest, and kernels trust their states.
"""

import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.torch import load as tensors_from_bytes
from safetensors.torch import save as tensors_to_bytes
from torch import Tensor

from spygames.core.basics.text import one_line
from spygames_training.files.atomic import LARGEST, is_count, is_number, parse_json, read_file, write_whole
from spygames_training.files.state_dicts import check_numbers, set_rng, tensor_difference, tensors_of
from spygames_training.networks.device import usual_torch
from spygames_training.parallel.processes import ALONE, Processes, ProcessLost
from spygames_training.ppo.league import League
from spygames_training.ppo.learner import NETWORKS, Learner
from spygames_training.ppo.rollout import Rollout

FACTS = {
    "progress": dict,
    "updates": int,
    "steps": int,
    "snapshots": list,
    "next_number": int,
    "record": list,
    "luck": list,
    "digest": str,
}
"""What a state holds beside its tensors; `luck` is the state of each random generator, the learner's first."""
MAX_BYTES = 1 << 36
LEARNER = (*NETWORKS, "adam")
PREFIXES = (*LEARNER, "snapshot", "rollout")
"""First words of the names of tensors, by the part of the run that they belong to."""


@dataclass(frozen=True)
class State:
    """A state as `read_state` found it."""

    path: Path
    facts: dict[str, Any]
    tensors: dict[str, Tensor]


class StateError(ValueError):
    """A saved state that cannot be resumed; the message is one line."""


def save_state(
    path: Path,
    learner: Learner,
    rollouts: Sequence[Rollout],
    league: League,
    progress: dict[str, Any],
    more: Mapping[str, Any],
) -> None:
    """Writes the state so that a kill at any moment leaves the old or the new one.

    With several processes the first one writes what all of them have, so that the file is that of one process with as
    many workers. `more` is kept among the facts.
    """
    parts = learner.processes.gather_rows(_packed([rollout.state_dict() for rollout in rollouts]))
    if not learner.processes.first:
        return
    workers = [worker for part in parts for worker in _unpacked(part)]
    states = [learner.state_dict(), league.state_dict()]
    luck = [states[0].pop("rng"), *(worker.pop("rng") for worker in workers)]
    states += [{f"rollout.{k}.{name}": value for name, value in worker.items()} for k, worker in enumerate(workers)]
    merged = {name: value for state in states for name, value in state.items()}
    tensors = {name: tensor.clone() for name, tensor in tensors_of(merged).items()}
    facts = {
        "progress": progress,
        **{name: value for name, value in merged.items() if name not in tensors},
        "luck": luck,
        "digest": rollouts[0].game.digest,
        **more,
    }
    facts["sha256"] = checksum(facts, tensors)
    write_whole(path, tensors_to_bytes(tensors, {"facts": json.dumps(facts)}))


def saved_decisions(path: Path) -> int:
    """How many decisions the run had made whose state is here; -1: there is none; 0, too, where it cannot be read."""
    if not path.is_file():
        return -1
    try:
        with safe_open(path, "pt") as file:
            decisions = parse_json(file.metadata()["facts"])["progress"]["decisions"]
        return decisions if is_count(decisions) else 0
    except (SafetensorError, KeyError, OSError, TypeError, ValueError):
        return 0  # what is wrong with it, `read_state` says


def read_state(path: Path, processes: Processes = ALONE) -> State:
    """The saved state, which the first process reads and sends to the others; StateError if it cannot be read, or is
    not what was saved."""
    found: list[State] = []

    def read() -> bytes:
        data = read_file(path, MAX_BYTES)
        found.append(_state(path, data))
        return data

    try:
        data = processes.from_first(read)
    except ProcessLost:
        raise
    except FileNotFoundError as error:
        raise StateError(f"{path}: there is no saved state to resume") from error
    except OSError as error:
        raise StateError(f"{path} cannot be read: {error.strerror}") from error
    return found[0] if found else _state(path, data)


@usual_torch()
def _state(path: Path, data: bytes) -> State:
    """The state that the bytes are; StateError if they are not what was saved."""
    try:
        tensors = tensors_from_bytes(data)
        facts = parse_json(_metadata(data)["facts"])
        if not isinstance(facts, dict):
            raise ValueError("its facts are no mapping")
        if facts.get("sha256") != checksum(facts, tensors):
            raise StateError(f"{path} is damaged: its content is not what was saved")
    except StateError:
        raise
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise StateError(f"{path} is cut or no saved state ({one_line(error)})") from error
    return State(path, facts, tensors)


def load_state(state: State, learner: Learner, rollouts: Sequence[Rollout], league: League) -> dict[str, Any]:
    """Puts everything back into the parts of a new run and returns the progress that was saved; StateError says what
    does not fit."""
    facts, path = state.facts, state.path
    workers = learner.processes.count * len(rollouts)
    if wrong := _wrong_fact(facts, workers, len(league.bots)):
        raise StateError(f"{path} is damaged or of a run with other settings: its {wrong} is missing or not as saved")
    same_rules = facts["digest"] == rollouts[0].game.digest
    try:
        check_numbers(state.tensors)
        learner.load_state_dict(facts | _named(state.tensors, *LEARNER) | {"rng": facts["luck"][0]})
        league.load_state_dict(facts | _named(state.tensors, "snapshot"), learner.ema)
        others = {k: v for k, v in state.tensors.items() if k.partition(".")[0] not in PREFIXES}
        wanted: dict[str, Tensor] = {}
        if same_rules:  # else the games start over, and their states may have another shape by now
            each = tensors_of(rollouts[0].state_dict())
            wanted = {f"rollout.{k}.{name}": value for k in range(workers) for name, value in each.items()}
            others |= _named(state.tensors, "rollout")
        if difference := tensor_difference(wanted, others):
            raise ValueError(difference)
        first = learner.processes.rank * len(rollouts)
        for k, rollout in enumerate(rollouts, first):
            rng = facts["luck"][1 + k]
            if not same_rules:
                set_rng(rollout.opponents.rng, rng)
                continue
            own = {name: state.tensors[f"rollout.{k}.{name}"] for name in tensors_of(rollout.state_dict())}
            rollout.load_state_dict(own | {"rng": rng}, league.players)
            if facts["updates"]:  # else the first games draw their opponents as in a new run
                rollout.opponents.rejoin(league)
    except ValueError as error:
        raise StateError(f"{path} is damaged or of a run with other settings: {error}") from error
    if not same_rules:
        warnings.warn(f"the code of the game has changed since {path} was saved: its games start over", stacklevel=2)
    return facts["progress"]


def _packed(workers: Sequence[Mapping[str, Any]]) -> np.ndarray:
    """The states of a process's workers as bytes, uint8 [n], to be sent to another process."""
    tensors = {f"{k}.{name}": v.clone() for k, w in enumerate(workers) for name, v in tensors_of(w).items()}
    data = tensors_to_bytes(tensors, {"rng": json.dumps([worker["rng"] for worker in workers])})
    return np.frombuffer(data, np.uint8)


@usual_torch()
def _unpacked(data: np.ndarray) -> list[dict[str, Any]]:
    """What `_packed` was given."""
    content = data.tobytes()
    workers = [{"rng": rng} for rng in json.loads(_metadata(content)["rng"])]
    for name, tensor in tensors_from_bytes(content).items():
        k, _, rest = name.partition(".")
        workers[int(k)][rest] = tensor
    return workers


def _metadata(data: bytes) -> dict[str, str]:
    """The texts beside the tensors of a safetensors file."""
    return parse_json(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]


def _named(tensors: Mapping[str, Tensor], *prefixes: str) -> dict[str, Any]:
    """The tensors whose names begin with one of these words."""
    return {name: tensor for name, tensor in tensors.items() if name.partition(".")[0] in prefixes}


def checksum(facts: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> str:
    """SHA-256 over all facts but itself, and over the name, type, shape and bytes of each tensor."""
    found = hashlib.sha256(json.dumps({k: v for k, v in facts.items() if k != "sha256"}).encode())
    for name in sorted(tensors):
        array = tensors[name].cpu().contiguous().numpy()
        found.update(f"{name} {array.dtype} {array.shape}".encode())
        found.update(array.tobytes())
    return found.hexdigest()


def _wrong_fact(facts: Mapping[str, Any], workers: int, bots: int) -> str:
    """The name of a fact that is missing or of another form than `save_state` gives it; "" where all are right."""
    for name, kind in FACTS.items():
        value = facts.get(name)
        if type(value) is not kind or (kind is int and not is_count(value)):
            return name
    progress, results = facts["progress"], facts["progress"].get("results", {})
    if not is_count(progress.get("decisions")) or not is_number(seconds := progress.get("seconds")) or seconds < 0:
        return "progress"
    if not isinstance(results, dict) or not all(is_number(v) or isinstance(v, str) for v in results.values()):
        return "progress"
    if not all(type(number) is int and bots < number < facts["next_number"] for number in facts["snapshots"]):
        return "snapshots"
    for entry in facts["record"]:
        if type(entry) is not list or len(entry) != 3 or not is_count(entry[0]) or not all(map(is_number, entry)):
            return "record"
        if not 0 <= entry[1] <= entry[2] < LARGEST:
            return "record"
    return "" if len(facts["luck"]) == 1 + workers else "luck"
