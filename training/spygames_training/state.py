"""All that a training run needs to go on exactly where it was, in one safetensors file: data, nothing that runs."""

import copy
import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from spygames_training.checkpoint import tensor_difference
from spygames_training.files import replacing
from spygames_training.network import ActorCritic
from spygames_training.opponents import Pool
from spygames_training.ppo import Learner
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


class StateError(ValueError):
    """A saved state that cannot be gone on from; the message is one line."""


def save_state(path: Path, learner: Learner, rollouts: Sequence[Rollout], pool: Pool, progress: dict[str, Any]) -> None:
    """Writes the state so that a kill at any moment leaves the old or the new one.

    With several processes the first one writes what all of them have, so that the file is that of one process with as
    many workers.
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
    }
    with replacing(path) as new:
        try:
            save_file(tensors, new, {"facts": json.dumps(facts)})
        except SafetensorError as error:  # a full disk, say
            raise OSError(f"{path} could not be written: {error}") from error


def load_state(path: Path, learner: Learner, rollouts: Sequence[Rollout], pool: Pool) -> dict[str, Any]:
    """Puts everything back and returns the progress that was saved; StateError says what does not fit."""
    facts, tensors = _read(path)
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
        raise StateError(f"{path} is damaged: its luck is that of no generator ({str(error)[:80]})") from error
    if not same_rules:
        warnings.warn(f"the code of the game has changed since {path} was saved: its games begin anew", stacklevel=2)
        return facts["progress"]
    for k, rollout in enumerate(rollouts, first):
        saved = {name: tensors[f"rollout.{k}.{name}"].numpy() for name in _arrays(rollout)}
        if unknown := set(saved["controller"].flat) - {0, *pool.players}:
            raise StateError(f"{path} is damaged: there is no opponent {min(unknown)} who could sit at a table")
        rollout.luck[...], rollout.controller[...] = saved["luck"].view(np.uint64), saved["controller"]
        rollout.memory[...] = saved["memory"]
        rollout.batch.resume(saved["states"].view(rollout.game.state_dtype), saved["seeds"].view(np.uint64))
        if facts["updates"]:  # else the first games draw their opponents as in a new run
            rollout.seat_again(pool)
    return facts["progress"]


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """What is no tensor, and the tensors."""
    try:
        with safe_open(path, "pt") as file:
            facts = json.loads((file.metadata() or {})["facts"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError as error:
        raise StateError(f"{path}: there is no saved state to go on from") from error
    except OSError as error:
        raise StateError(f"{path} cannot be read: {error}") from error
    except (SafetensorError, KeyError, ValueError, RecursionError) as error:
        raise StateError(f"{path} is cut or no saved state ({str(error)[:80]})") from error
    return facts if isinstance(facts, dict) else {}, tensors


def _wrong_fact(facts: Mapping[str, Any], workers: int, bots: int) -> str:
    """The name of one that is missing or of another form than `save_state` gives it; "" where all are right."""
    for name, kind in FACTS.items():
        value = facts.get(name)
        if type(value) is not kind or (isinstance(value, int) and value < 0):
            return name
    progress, numbers = facts["progress"], (int, float)
    if type(progress.get("decisions")) is not int or type(progress.get("seconds")) not in numbers:
        return "progress"
    if not isinstance(progress.get("results", {}), dict):
        return "progress"
    if not all(type(number) is int and bots < number < facts["next_number"] for number in facts["snapshots"]):
        return "snapshots"
    for entry in facts["record"]:
        if type(entry) is not list or len(entry) != 3 or not all(type(value) in numbers for value in entry):
            return "record"
    return "" if len(facts["luck"]) == 1 + workers else "luck"


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
