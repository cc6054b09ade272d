"""All that a training run needs to go on exactly where it was, in one safetensors file: data, nothing that runs."""

import copy
import json
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from spygames_training.files import beside
from spygames_training.network import ActorCritic
from spygames_training.opponents import Pool
from spygames_training.ppo import Learner
from spygames_training.rollout import Rollout


class StateError(ValueError):
    """A saved state that cannot be gone on from; the message is one line."""


def save_state(path: Path, learner: Learner, rollouts: Sequence[Rollout], pool: Pool, progress: dict[str, Any]) -> None:
    """Writes the state beside `path` and renames it, so that a kill at any moment leaves the old or the new one.

    With several processes the first one writes what all of them have, so that the file is that of one process with as
    many workers.
    """
    own = [(_arrays(rollout), rollout.rng.bit_generator.state) for rollout in rollouts]
    workers = [worker for part in learner.processes.gather(own) for worker in part]
    if not learner.processes.first:
        return
    tensors: dict[str, Tensor] = {}
    for name, network in _networks(learner, pool).items():
        tensors |= {f"{name}.{k}": v.detach().clone() for k, v in network.state_dict().items()}
    for k, state in learner.optimizer.state_dict()["state"].items():
        tensors |= {f"adam.{k}.{name}": value.detach().clone() for name, value in state.items()}
    for k, (arrays, _) in enumerate(workers):
        tensors |= {f"rollout.{k}.{name}": torch.from_numpy(a.copy()) for name, a in arrays.items()}
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
    new = beside(path)
    try:
        save_file(tensors, new, {"facts": json.dumps(facts)})
    except SafetensorError as error:  # a full disk, say
        raise OSError(f"{path} could not be written: {error}") from error
    with open(new, "rb") as file:
        os.fsync(file.fileno())
    os.replace(new, path)


def load_state(path: Path, learner: Learner, rollouts: Sequence[Rollout], pool: Pool) -> dict[str, Any]:
    """Puts everything back and returns the progress that was saved; StateError says what does not fit."""
    try:
        with safe_open(path, "pt") as file:
            facts = json.loads((file.metadata() or {})["facts"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError as error:
        raise StateError(f"{path}: there is no saved state to go on from") from error
    except (SafetensorError, KeyError, ValueError) as error:
        raise StateError(f"{path} is cut or no saved state ({str(error)[:80]})") from error
    same_rules = facts["digest"] == rollouts[0].game.digest
    try:
        for number in facts["snapshots"]:
            pool.put_snapshot(number, copy.deepcopy(learner.ema))
        pool.record = {number: [wins, games] for number, wins, games in facts["record"]}
        for name, network in _networks(learner, pool).items():
            network.load_state_dict({k: tensors[f"{name}.{k}"] for k in network.state_dict()})
        adam = learner.optimizer.state_dict()
        names = ("step", "exp_avg", "exp_avg_sq")
        parameters = range(len(list(learner.network.parameters())))
        if f"adam.0.{names[0]}" in tensors:
            adam["state"] = {k: {name: tensors[f"adam.{k}.{name}"] for name in names} for k in parameters}
        learner.optimizer.load_state_dict(adam)
        first = learner.processes.rank * len(rollouts)
        for k, rollout in enumerate(rollouts, first):
            saved = {name: tensors[f"rollout.{k}.{name}"].numpy() for name in _arrays(rollout)}
            if same_rules:
                rollout.luck[...], rollout.controller[...] = saved["luck"].view(np.uint64), saved["controller"]
                rollout.memory[...] = saved["memory"]
                rollout.batch.resume(saved["states"].view(rollout.game.state_dtype), saved["seeds"].view(np.uint64))
                if facts["updates"]:  # else the first games draw their opponents as in a new run
                    rollout.seat_again(pool)
    except (KeyError, RuntimeError, ValueError) as error:
        raise StateError(f"{path} is of a run with other settings ({str(error).splitlines()[0][:100]})") from error
    lucks = [facts["luck"][0], *facts["luck"][1 + first : 1 + first + len(rollouts)]]
    for generator, luck in zip((learner.rng, *(r.rng for r in rollouts)), lucks, strict=True):
        generator.bit_generator.state = luck
    learner.updates, learner.steps, pool.next_number = facts["updates"], facts["steps"], facts["next_number"]
    if not same_rules:
        warnings.warn(f"the code of the game has changed since {path} was saved: its games begin anew", stacklevel=2)
    return facts["progress"]


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
