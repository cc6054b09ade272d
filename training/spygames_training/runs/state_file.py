"""The state of a run, from which it continues exactly: one safetensors file with data only, no code.

The parts of a run save and load state dicts; this module merges, checks, writes and reads them. A digest over the whole
file detects damage. It is not a signature: a program that can write a state can also write its digest. The states of
games are therefore validated one by one, since kernels trust their states.
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

from spygames.core.basics.files import read_file
from spygames.core.basics.json_values import LARGEST, is_count, is_number, parse_json
from spygames.core.basics.text import one_line
from spygames_training.files.atomic import write_whole
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
"""The plain values of a state, beside its tensors. `luck` has the state of each random generator, the learner's
first."""
MAX_BYTES = 1 << 36
"""Size limit of a state file."""
LEARNER = (*NETWORKS, "adam")
"""Prefixes of the names of the learner's tensors."""
PREFIXES = (*LEARNER, "snapshot", "rollout")
"""First words of the names of tensors; each names the part of the run that the tensor belongs to."""


@dataclass(frozen=True)
class State:
    """A state as `read_state` reads it."""

    path: Path
    facts: dict[str, Any]
    tensors: dict[str, Tensor]


class StateError(ValueError):
    """A saved state cannot be resumed; the message is one line."""


def save_state(
    path: Path,
    learner: Learner,
    rollouts: Sequence[Rollout],
    league: League,
    progress: dict[str, Any],
    more: Mapping[str, Any],
) -> None:
    """Write the state so that a kill at any moment leaves either the old or the new file.

    With several processes, the first one writes the state of all. The file is the same as that of one process with all
    workers.

    Args:
        path: the file.
        learner: the learner.
        rollouts: of this process's workers.
        league: the opponents.
        progress: of the run.
        more: further facts to store.
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
    """Return the number of decisions of the saved state: -1 without a file, 0 for a file that cannot be read."""
    if not path.is_file():
        return -1
    try:
        with safe_open(path, "pt") as file:
            decisions = parse_json(file.metadata()["facts"])["progress"]["decisions"]
        return decisions if is_count(decisions) else 0
    except (SafetensorError, KeyError, OSError, TypeError, ValueError):
        return 0  # `read_state` reports the error


def read_state(path: Path, processes: Processes = ALONE) -> State:
    """Read the saved state; the first process reads it and sends it to the others. Raise StateError if it cannot be
    read or is damaged."""
    states: list[State] = []

    def read() -> bytes:
        data = read_file(path, MAX_BYTES)
        states.append(_state(path, data))
        return data

    try:
        data = processes.from_first(read)
    except ProcessLost:
        raise
    except FileNotFoundError as error:
        raise StateError(f"{path}: there is no saved state to resume") from error
    except OSError as error:
        raise StateError(f"{path} cannot be read: {error.strerror}") from error
    return states[0] if states else _state(path, data)


@usual_torch()
def _state(path: Path, data: bytes) -> State:
    """Parse a state. Raise StateError if it is damaged."""
    try:
        tensors = tensors_from_bytes(data)
        facts = parse_json(_metadata(data)["facts"])
        if not isinstance(facts, dict):
            raise ValueError("its facts must be a JSON object")
        if facts.get("sha256") != checksum(facts, tensors):
            raise StateError(f"{path} is damaged: its content differs from what was saved")
    except StateError:
        raise
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise StateError(f"{path} is cut off or not a saved state ({one_line(error)})") from error
    return State(path, facts, tensors)


def load_state(state: State, learner: Learner, rollouts: Sequence[Rollout], league: League) -> dict[str, Any]:
    """Restore a state into the parts of a new run and return the saved progress. Raise StateError if something does not
    fit."""
    facts, path = state.facts, state.path
    workers = learner.processes.count * len(rollouts)
    if wrong := _wrong_fact(facts, workers, len(league.bots)):
        raise StateError(f"{path} is damaged or belongs to a run with other settings: {wrong} is missing or wrong")
    same_rules = facts["digest"] == rollouts[0].game.digest
    try:
        check_numbers(state.tensors)
        learner.load_state_dict(facts | _named(state.tensors, *LEARNER) | {"rng": facts["luck"][0]})
        league.load_state_dict(facts | _named(state.tensors, "snapshot"), learner.ema)
        others = {k: v for k, v in state.tensors.items() if k.partition(".")[0] not in PREFIXES}
        wanted: dict[str, Tensor] = {}
        if same_rules:  # otherwise the games start over; their states may have another shape
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
            if facts["updates"]:  # otherwise the first games draw their opponents as in a new run
                rollout.opponents.rejoin(league)
    except ValueError as error:
        raise StateError(f"{path} is damaged or belongs to a run with other settings: {error}") from error
    if not same_rules:
        warnings.warn(f"the code of the game has changed since {path} was saved: its games start over", stacklevel=2)
    return facts["progress"]


def _packed(workers: Sequence[Mapping[str, Any]]) -> np.ndarray:
    """Serialize the states of a process's workers to bytes, uint8 [n], to send them to another process."""
    tensors = {f"{k}.{name}": v.clone() for k, w in enumerate(workers) for name, v in tensors_of(w).items()}
    data = tensors_to_bytes(tensors, {"rng": json.dumps([worker["rng"] for worker in workers])})
    return np.frombuffer(data, np.uint8)


@usual_torch()
def _unpacked(data: np.ndarray) -> list[dict[str, Any]]:
    """Invert `_packed`."""
    content = data.tobytes()
    workers = [{"rng": rng} for rng in json.loads(_metadata(content)["rng"])]
    for name, tensor in tensors_from_bytes(content).items():
        k, _, rest = name.partition(".")
        workers[int(k)][rest] = tensor
    return workers


def _metadata(data: bytes) -> dict[str, str]:
    """Return the metadata strings of a safetensors file."""
    return parse_json(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]


def _named(tensors: Mapping[str, Tensor], *prefixes: str) -> dict[str, Any]:
    """Return the tensors whose names start with one of the prefixes."""
    return {name: tensor for name, tensor in tensors.items() if name.partition(".")[0] in prefixes}


def checksum(facts: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> str:
    """Return the SHA-256 over all other facts and over the name, dtype, shape and bytes of each tensor."""
    digest = hashlib.sha256(json.dumps({k: v for k, v in facts.items() if k != "sha256"}).encode())
    for name in sorted(tensors):
        array = tensors[name].cpu().contiguous().numpy()
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _wrong_fact(facts: Mapping[str, Any], workers: int, bots: int) -> str:
    """Return the name of the first fact that is missing or malformed, or an empty string."""
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
