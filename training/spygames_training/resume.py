"""All that a training run needs to go on exactly where it was, in one safetensors file: data, nothing that runs.

A digest over all of it vouches for what was saved. A state without one, as version 0.1.0 saved it, is read, too; its
games are then looked at one by one.
"""

import copy
import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load as tensors_from_bytes
from safetensors.torch import save as tensors_to_bytes
from torch import Tensor

from spygames.core.shown import one_line
from spygames_training.checkpoint import tensor_difference
from spygames_training.atomic import LARGEST, is_count, is_number, read_file, write_whole
from spygames_training.network import ActorCritic
from spygames_training.league import Pool
from spygames_training.learner import Learner
from spygames_training.rollout import Rollout

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
"""What a state holds beside its tensors."""
ADAM = ("step", "exp_avg", "exp_avg_sq")
"""What the optimiser keeps for each parameter."""
MAX_BYTES = 1 << 36


@dataclass(frozen=True)
class State:
    """What `read_state` found."""

    path: Path
    facts: dict[str, Any]
    tensors: dict[str, Tensor]
    vouched: bool
    """Whether it has a digest, which is then right."""


class StateError(ValueError):
    """A saved state that cannot be gone on from; the message is one line."""


def save_state(
    path: Path,
    learner: Learner,
    rollouts: Sequence[Rollout],
    pool: Pool,
    progress: dict[str, Any],
    more: Mapping[str, Any],
) -> None:
    """Writes the state so that a kill at any moment leaves the old or the new one.

    With several processes the first one writes what all of them have, so that the file is that of one process with as
    many workers. `more` is kept among the facts.
    """
    own = [(_arrays(rollout), rollout.rng.bit_generator.state) for rollout in rollouts]
    workers = [worker for part in learner.processes.gather(own) for worker in part]
    if not learner.processes.first:
        return
    tensors = {name: t.clone() for name, t in _tensors(learner, pool, [arrays for arrays, _ in workers]).items()}
    facts = {
        "progress": progress,
        "updates": learner.updates,
        "steps": learner.steps,
        "snapshots": list(pool.snapshots),
        "next_number": pool.next_number,
        "record": [[number, *entry] for number, entry in pool.record.items()],
        "luck": [learner.rng.bit_generator.state, *(luck for _, luck in workers)],
        "digest": rollouts[0].game.digest,
        **more,
    }
    facts["sha256"] = _checksum(facts, tensors)
    write_whole(path, tensors_to_bytes(tensors, {"facts": json.dumps(facts)}))


def read_state(path: Path) -> State:
    """What was saved; StateError if it cannot be read, or is not what was saved."""
    try:
        data = read_file(path, MAX_BYTES)
        tensors = tensors_from_bytes(data)
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        facts = json.loads(header["__metadata__"]["facts"])
        if not isinstance(facts, dict):
            raise ValueError("its facts are no mapping")
        vouched = "sha256" in facts
        if vouched and facts["sha256"] != _checksum(facts, tensors):
            raise StateError(f"{path} is damaged: its content is not what was saved")
    except StateError:
        raise
    except FileNotFoundError as error:
        raise StateError(f"{path}: there is no saved state to go on from") from error
    except OSError as error:
        raise StateError(f"{path} cannot be read: {error.strerror}") from error
    except (SafetensorError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise StateError(f"{path} is cut or no saved state ({one_line(error)})") from error
    return State(path, facts, tensors, vouched)


def load_state(state: State, learner: Learner, rollouts: Sequence[Rollout], pool: Pool) -> dict[str, Any]:
    """Puts everything back and returns the progress that was saved; StateError says what does not fit."""
    path, facts, tensors = state.path, state.facts, state.tensors
    workers = learner.processes.count * len(rollouts)
    if wrong := _wrong_fact(facts, workers, len(pool.bots)):
        raise StateError(f"{path} is damaged or of a run with other settings: its {wrong} is missing or not as saved")
    for number in facts["snapshots"]:
        pool.put_snapshot(number, copy.deepcopy(learner.ema))
    same_rules = facts["digest"] == rollouts[0].game.digest
    wanted = _tensors(learner, pool, [_arrays(rollouts[0])] * workers)
    parameters = dict(enumerate(learner.network.parameters()))
    if facts["steps"]:
        for k, parameter in parameters.items():
            moments = (torch.zeros(()), parameter, parameter)
            wanted |= {f"adam.{k}.{name}": value for name, value in zip(ADAM, moments, strict=True)}
    if not same_rules:  # the games begin anew, and their states may have another shape by now
        wanted, tensors = (
            {k: v for k, v in each.items() if not k.startswith("rollout.")} for each in (wanted, tensors)
        )
    if difference := tensor_difference(wanted, tensors):
        raise StateError(f"{path} is damaged or of a run with other settings: {difference}")
    if wrong := _wrong_numbers(tensors):
        raise StateError(f"{path} is damaged: {wrong}")

    for name, network in _networks(learner, pool).items():
        network.load_state_dict({k: tensors[f"{name}.{k}"] for k in network.state_dict()})
    if facts["steps"]:
        adam = learner.optimizer.state_dict()
        adam["state"] = {k: {name: tensors[f"adam.{k}.{name}"] for name in ADAM} for k in parameters}
        learner.optimizer.load_state_dict(adam)
    learner.updates, learner.steps, pool.next_number = facts["updates"], facts["steps"], facts["next_number"]
    pool.record = {number: [wins, games] for number, wins, games in facts["record"]}
    first = learner.processes.rank * len(rollouts)
    lucks = [facts["luck"][0], *facts["luck"][1 + first : 1 + first + len(rollouts)]]
    try:
        for generator, luck in zip((learner.rng, *(r.rng for r in rollouts)), lucks, strict=True):
            generator.bit_generator.state = luck
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise StateError(f"{path} is damaged: its luck is that of no generator ({one_line(error)})") from error
    if not same_rules:
        warnings.warn(f"the code of the game has changed since {path} was saved: its games begin anew", stacklevel=2)
        return facts["progress"]
    for k, rollout in enumerate(rollouts, first):
        saved = {name: tensors[f"rollout.{k}.{name}"].numpy() for name in _arrays(rollout)}
        if unknown := set(saved["controller"].flat) - {0, *pool.players}:
            raise StateError(f"{path} is damaged: there is no opponent {min(unknown)} who could sit at a table")
        if not (saved["controller"] == 0).any(axis=1).all():
            raise StateError(f"{path} is damaged: nobody learns at one of its tables")
        rollout.luck[...], rollout.controller[...] = saved["luck"].view(np.uint64), saved["controller"]
        rollout.memory[...] = saved["memory"]
        states = saved["states"].view(rollout.game.state_dtype)
        try:
            rollout.batch.resume(states, saved["seeds"].view(np.uint64), checked=state.vouched)
        except ValueError as error:
            raise StateError(f"{path} is damaged: {one_line(error)}") from error
        if facts["updates"]:  # else the first games draw their opponents as in a new run
            rollout.seat_again(pool)
    return facts["progress"]


def _checksum(facts: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> str:
    """SHA-256 over all facts but itself, and over the name, type, shape and bytes of each tensor."""
    found = hashlib.sha256(json.dumps({k: v for k, v in facts.items() if k != "sha256"}).encode())
    for name in sorted(tensors):
        array = tensors[name].cpu().contiguous().numpy()
        found.update(f"{name} {array.dtype} {array.shape}".encode())
        found.update(array.tobytes())
    return found.hexdigest()


def _wrong_fact(facts: Mapping[str, Any], workers: int, bots: int) -> str:
    """The name of one that is missing or of another form than `save_state` gives it; "" where all are right."""
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


def _wrong_numbers(tensors: Mapping[str, Tensor]) -> str:
    """What is wrong with the numbers of networks, optimiser and memories, in words; "" where they can be gone on with.
    What Adam divides by the root of, and its steps, are not negative."""
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
            return f"{name} are not all finite numbers"
        if name.startswith("adam.") and name.endswith((".exp_avg_sq", ".step")) and bool((tensor < 0).any()):
            return f"{name} are not all from 0 up"
    return ""


def _tensors(learner: Learner, pool: Pool, workers: Sequence[Mapping[str, np.ndarray]]) -> dict[str, Tensor]:
    """All tensors of a state by their names, `workers` as of `_arrays`."""
    tensors: dict[str, Tensor] = {}
    for name, network in _networks(learner, pool).items():
        tensors |= {f"{name}.{k}": v.detach() for k, v in network.state_dict().items()}
    for k, state in learner.optimizer.state_dict()["state"].items():
        tensors |= {f"adam.{k}.{name}": value.detach() for name, value in state.items()}
    for k, arrays in enumerate(workers):
        tensors |= {f"rollout.{k}.{name}": torch.from_numpy(array) for name, array in arrays.items()}
    return tensors


def _networks(learner: Learner, pool: Pool) -> dict[str, ActorCritic]:
    own = {"network": learner.network, "ema": learner.ema, "reference": learner.reference}
    return own | {f"snapshot.{number}": network for number, network in pool.snapshots.items()}


def _arrays(rollout: Rollout) -> dict[str, np.ndarray]:
    """What a rollout carries over from one update to the next, in types that the file knows."""
    return {
        "states": rollout.batch.states.view(np.uint8),
        "seeds": rollout.batch.seeds.view(np.int64),
        "luck": rollout.luck.view(np.int64),
        "controller": rollout.controller,
        "memory": rollout.memory,
    }
