"""Trained networks as policies: `Policy.load("agent_avenue/simple-2").act(observation, mask)`."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import Any, overload

import numpy as np
import torch
from numpy.typing import NDArray

from spygames.core.basics.text import shown
from spygames.core.game.game import Game
from spygames.core.players.checkpoint import layout_hash, name_of_agent, weights_digest
from spygames.core.players.checkpoint_files import CheckpointError, find_checkpoint
from spygames.core.players.names import DecisionBatch, PlayerName, check_play
from spygames.core.players.released import play_of
from spygames.core.players.sampling import advice, draw_actions, probabilities, temperature_of
from spygames.core.svg.annotations import Advice
from spygames_training.agents.checkpoint import load_checkpoint
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.networks.custom import Source
from spygames_training.networks.custom_code import find_own
from spygames_training.networks.device import fetch, in_float32, to_numpy

__all__ = ["Policy", "load_player"]


class Policy:
    """A trained network that chooses legal actions.

    Example:
        >>> from spygames import make_batch
        >>> from spygames_training import Policy
        >>> policy = Policy.load("agent_avenue/simple-2")
        >>> policy
        Policy(agent_avenue_v0, agent_avenue/simple-2@argmax)
        >>> batch = make_batch("agent_avenue_v0", 64, seed=1)
        >>> policy.act(batch.observation, batch.mask).shape
        (64,)

    Args:
        game: the game to play.
        network: on the CPU or a GPU. It is not copied: weights that change later change the policy.
        how: "sample" (or ""), "argmax", or a temperature such as "0.5", which raises probabilities to the power of
            1/0.5.
        name: the policy's name; `how` is appended.
        value_unit: the network's value for a return of 1: the `reward_scale` that it was trained with.
    """

    def __init__(self, game: Game, network: ActorCritic, how: str = "", name: str = "policy", value_unit: float = 1.0):
        self.game, self.network, self.value_unit = game, network, value_unit
        self.temperature = temperature_of(how)
        self.called = PlayerName(name, how or "sample")
        """The name, split into its parts."""
        self.name = str(self.called)
        self.training_opponents: tuple[str, ...] = ()
        """Names of the players that the agent trained against, as recorded in its checkpoint."""
        self._rng = np.random.default_rng()

    def __repr__(self) -> str:
        return f"Policy({self.game.id}, {self.name})"

    @classmethod
    def load(
        cls, path: str | Path | PlayerName, how: str = "", game: Game | None = None, network: Source | None = None
    ) -> "Policy":
        """Load the policy of a checkpoint.

        Args:
            path: the checkpoint's folder, a run's folder, a zip of one of these (`spygames pack`), or the name of an
                agent that comes with the package, such as `agent_avenue/simple-2`. `best` is the agent of `game` that
                wins most, `safest` the one that is hardest to exploit. A name may end in `@HOW`, such as `@sample`, in
                place of `how`.
            how: "sample", "argmax", or a temperature from 0.01 to 100. "": a released agent as it is meant to play
                (`ReleasedAgent.play`), any other one sampled.
            game: the game to play, as in `load_checkpoint`; None: the one that the checkpoint names.
            network: as in `load_checkpoint`.

        Raises:
            CheckpointError: the checkpoint is missing, damaged, or of another game or layout.
            ValueError: `how` is invalid, or no released agent is `best` or `safest` in the variant of `game`.
        """
        source = path if isinstance(path, Path) else ""
        if not isinstance(path, Path):
            named = PlayerName.parse(path)
            if named.search is not None:
                raise CheckpointError(
                    f"a policy has no search: make_player(game, {shown(str(path))}) makes a player with one"
                )
            check_play(named, how, "how")
            named = named.resolved(game)
            source, how = named.source, how or named.play
        temperature_of(how)
        checkpoint = load_checkpoint(source, game, network)
        name = name_of_agent(source, find_checkpoint(source, game))
        policy = cls(checkpoint.game, checkpoint.network, how or play_of(name), name, checkpoint.value_unit)
        policy.training_opponents = checkpoint.training_opponents
        return policy

    @property
    def digest(self) -> str:
        """Digest of the weights that the policy decides with, as they are now."""
        return weights_digest({name: to_numpy(tensor) for name, tensor in self.network.actor().items()})

    def as_player(self, game: Game) -> "PolicyPlayer":
        """Return a `Player` that plays many games at once; `evaluate` and environments call this automatically.

        Raises:
            ValueError: the policy plays another game, or the same game with another layout.
        """
        if game.id != self.game.id or layout_hash(game) != layout_hash(self.game):
            raise ValueError(f"{self.name} plays {self.game.title}, not {game.title}")
        return PolicyPlayer(self)

    @overload
    def act(
        self,
        observation: np.ndarray[tuple[int], Any],
        mask: np.ndarray[tuple[int], Any],
        rng: np.random.Generator | None = None,
        memory: np.ndarray | None = None,
    ) -> int: ...
    @overload
    def act(
        self,
        observation: np.ndarray[tuple[int, int], Any],
        mask: np.ndarray[tuple[int, int], Any],
        rng: np.random.Generator | None = None,
        memory: np.ndarray | None = None,
    ) -> NDArray[np.int64]: ...
    def act(
        self,
        observation: np.ndarray,
        mask: np.ndarray,
        rng: np.random.Generator | None = None,
        memory: np.ndarray | None = None,
    ) -> int | NDArray[np.int64]:
        """Choose a legal action for each observation.

        Args:
            observation: float32 [F], or [k, F] for a batch.
            mask: int8 [A] or [k, A], 1 for legal actions.
            rng: draws the actions; None: the policy's own generator.
            memory: only for a network with a `memory_size` M: float32 [M] or [k, M], the seat's memory of this game,
                zeros when the game begins. Updated in place.

        Returns:
            int for one observation, int64 [k] for a batch.

        Raises:
            ValueError: wrong shapes, a mask with other values than 0 and 1 or a row without a legal action, an
                observation or memory that is not finite, or no memory for a network that needs it.
            TypeError: the arguments are not numeric, or `memory` is not a float32 array.
        """
        values, masks = self._logits(observation, mask, memory)
        streams = (rng or self._rng).integers(0, 1 << 64, (len(masks), 1), np.uint64)
        actions = draw_actions(values, masks, streams, np.arange(len(masks)), self.temperature)
        return int(actions[0]) if np.ndim(mask) == 1 else actions

    def probabilities(self, observation: np.ndarray, mask: np.ndarray, memory: np.ndarray | None = None) -> np.ndarray:
        """Return the probability with which `act` takes each action: float64 [A] or [k, A], 0 for illegal actions.

        `how` is applied. `memory` and errors as in `act`, but the memory is not updated.
        """
        values, masks = self._logits(observation, mask, copy(memory))
        return probabilities(values, masks, self.temperature).reshape(np.shape(mask))

    def value(self, observation: np.ndarray, memory: np.ndarray | None = None) -> float | np.ndarray:
        """Estimate the seat's return, in the game's units: a float for one observation, float64 [k] for a batch.

        Args:
            observation: float32 [F], or [k, F] for a batch.
            memory: as in `act`, but not updated.

        Raises:
            ValueError, TypeError: as in `act`; ValueError also if the checkpoint has no critic of the seat's own view.
        """
        if not self.network.has_value:
            raise ValueError(f"{self.name} has no value: its checkpoint was saved without one")
        # The value does not depend on the mask.
        mask = np.ones((*np.shape(observation)[:-1], self.game.num_actions), np.int8)
        observations, _, remembered = self._checked(observation, mask, memory)
        values = logits_and_values(self.network, observations, remembered)[1].astype(np.float64) / self.value_unit
        return float(values[0]) if np.ndim(observation) == 1 else values

    def belief(self, observation: np.ndarray, memory: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """Estimate what is hidden from the seat: the probability of each answer to the game's belief questions.

        Args:
            observation: float32 [F], or [k, F] for a batch.
            memory: as in `act`, but not updated.

        Returns:
            By group of questions: float64 [questions, answers], or [k, questions, answers] for a batch.

        Raises:
            ValueError, TypeError: as in `act`; ValueError also if the policy was saved without a belief.
        """
        if self.network.belief is None:
            raise ValueError(f'{self.name} has no belief: train it with network.belief = "keep"')
        mask = np.ones((*np.shape(observation)[:-1], self.game.num_actions), np.int8)
        observations, _, remembered = self._checked(observation, mask, memory)
        with _float32_inference(self.network):
            features, _ = _features(self.network, observations, remembered)
            (answers,) = fetch([self.network.belief(features)])
        found, first = {}, 0
        for name, count, size in self.network.beliefs:
            likely = answers[:, first : first + count * size].reshape(len(answers), count, size).astype(np.float64)
            with np.errstate(under="ignore"):
                likely = np.exp(likely - likely.max(axis=2, keepdims=True))
                likely /= likely.sum(axis=2, keepdims=True)
            found[name] = likely[0] if np.ndim(observation) == 1 else likely
            first += count * size
        return found

    def _logits(
        self, observation: np.ndarray, mask: np.ndarray, memory: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Logits and masks, [k, A] each, for one observation or a batch; updates the memory."""
        observations, masks, remembered = self._checked(observation, mask, memory)
        values = logits(self.network, observations, remembered)
        if memory is not None and remembered is not None:
            memory[...] = remembered.reshape(memory.shape)
        return values, masks

    def _checked(
        self, observation: np.ndarray, mask: np.ndarray, memory: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Observations [k, F], masks [k, A] and a copy of the memory [k, M] (or None), for one observation or a
        batch."""
        features, actions = self.game.num_features, self.game.num_actions
        if isinstance(observation, Mapping):
            raise TypeError(
                "observation must be an array, not a mapping: pass its parts, act(seen['observation'], "
                "seen['action_mask'])"
            )
        try:
            observations = np.atleast_2d(np.asarray(observation, np.float32))
            given = np.atleast_2d(np.asarray(mask, np.float32))
        except (TypeError, ValueError):
            what = f"not {shown(observation)} and {shown(mask)}"
            raise TypeError(f"observation and mask must be numbers, [{features}] and [{actions}], {what}") from None
        if np.ndim(observation) != np.ndim(mask) or observations.shape[1:] != (features,):
            got = f"not {list(np.shape(observation))} and {list(np.shape(mask))}"
            raise ValueError(f"observation and mask must be [{features}] and [{actions}], or [k, ...] both, {got}")
        if given.shape != (len(observations), actions):
            raise ValueError(f"mask must be of shape {(len(observations), actions)}, not {given.shape}")
        masks = (given == 1).astype(np.int8)
        if wrong := given[(given != 0) & (given != 1)].tolist():
            raise ValueError(f"mask must be 1 for legal actions and 0 for others, not {wrong[0]}")
        if not masks.any(axis=1).all():
            raise ValueError("no action is legal: the mask is all zeros")
        if not np.isfinite(observations).all():
            raise ValueError("observation must be finite, without NaN and infinity")
        size = self.network.memory_size
        if not size:
            return observations, masks, None
        if memory is None or np.shape(memory) != (*np.shape(mask)[:-1], size):
            raise ValueError(f"this network has memory: pass memory, [{size}] or [k, {size}], zeros when a game begins")
        if getattr(memory, "dtype", None) != np.float32:
            raise TypeError(f"memory must be a float32 array, not {getattr(memory, 'dtype', type(memory).__name__)}")
        if not np.isfinite(memory).all():
            raise ValueError("memory must be finite, without NaN and infinity")
        return observations, masks, memory.reshape(-1, size).copy()


class PolicyPlayer:
    """A policy as a `Player`, which draws actions from each game's own random stream.

    Actions for a game do not depend on the other games of a call. The exception is the last bit of rounding in the
    network's sums, which changes about one draw in a million.
    """

    def __init__(self, policy: Policy):
        self.policy, self.name = policy, policy.name
        self.memory_size = policy.network.memory_size
        """Number of floats that the player keeps in `DecisionBatch.memory`."""

    @property
    def digest(self) -> str:
        """See `Policy.digest`."""
        return self.policy.digest

    def __repr__(self) -> str:
        return f"PolicyPlayer({self.policy.game.id}, {self.name})"

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """Return a legal action for each of `decisions.rows`, int64 [k]."""
        d = decisions
        with self._remembering(d) as memory:
            values = logits(self.policy.network, d.observation[d.rows], memory)
        return draw_actions(values, d.mask, d.rng, d.rows, self.policy.temperature)

    def advise(self, decisions: DecisionBatch) -> list[Advice]:
        """Explain each of `decisions.rows`: the probability of each legal action, and the expected result unless the
        agent was saved without a value (`Policy.value`)."""
        d = decisions
        with self._remembering(d) as memory:
            values, results = logits_and_values(self.policy.network, d.observation[d.rows], memory)
        results = results.astype(np.float64) / self.policy.value_unit
        return advice(d, self.name, values, results, self.policy.temperature)

    @contextmanager
    def _remembering(self, d: DecisionBatch) -> Iterator[np.ndarray | None]:
        """The memory of the seats to move, float32 [k, M], written back on exit; None without memory."""
        if not self.memory_size:
            yield None
            return
        if d.memory is None or d.memory.shape[2] < self.memory_size:
            raise ValueError(f"{self.name} has memory: make the `DecisionBatch` with `new_memory`")
        own = (d.rows, d.states["to_move"][d.rows], slice(self.memory_size))
        memory = d.memory[own]
        yield memory
        d.memory[own] = memory


def load_player(
    game: Game, path: str | Path | PlayerName, how: str = "", network: Source | None = None
) -> PolicyPlayer:
    """Make a player from a checkpoint; `make_player` calls this for the kind `checkpoint`.

    Args:
        game: the game to play.
        path, how, network: as in `Policy.load`.

    Raises:
        CheckpointError: the checkpoint is damaged, or of another game or layout.
        ValueError: `how` is invalid.
    """
    return PolicyPlayer(Policy.load(path, how, game, network))


def load_own_network(game: Game, argument: str) -> PolicyPlayer:
    """Make a player from an agent with a custom network; `make_player` calls this for the kind `network`.

    Args:
        game: the game to play.
        argument: `MODULE.NAME:FOLDER[@PLAY]`. MODULE.NAME is the network, in a module that is installed or in the
            current folder. FOLDER[@PLAY] is the `path` of `load_player`.

    Raises:
        CheckpointError, ValueError: as in `load_player`; or there is no such network.
    """
    name, colon, folder = argument.partition(":")
    if not colon or not folder:
        raise ValueError(
            f"{shown(f'network:{argument}')} must name a network and the folder of its agent, as in "
            "network:my_networks.Residual:runs/own"
        )
    return load_player(game, folder, network=find_own(f"python:{name}"))


def from_network(game: Game, network: ActorCritic, how: str = "", name: str = "policy") -> PolicyPlayer:
    """Make a player from a network in memory. The network is not copied: pass a copy for a snapshot."""
    return PolicyPlayer(Policy(game, network, how, name))


@contextmanager
def _float32_inference(network: ActorCritic) -> Iterator[None]:
    """Compute without gradients and in float32, even under a caller's autocast."""
    with torch.inference_mode(), in_float32(next(network.parameters()).device.type):
        yield


def logits(network: ActorCritic, observation: np.ndarray, memory: np.ndarray | None = None) -> np.ndarray:
    """Compute the policy head alone: float32 [k, F] -> float32 [k, A]. Updates `memory`, float32 [k, M], in place."""
    with _float32_inference(network):
        features, after = _features(network, observation, memory)
        return _fetch(memory, after, [network.policy(features)])[0]


def logits_and_values(
    network: ActorCritic, observation: np.ndarray, memory: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """As `logits`, and the values of the seat's own view, float32 [k]; NaN if the network has no such values."""
    with _float32_inference(network):
        features, after = _features(network, observation, memory)
        values = [network.own_value(features)] if network.has_value else []
        logits, *found = _fetch(memory, after, [network.policy(features), *values])
    return logits, found[0] if values else np.full(len(observation), np.nan, np.float32)


def _features(
    network: ActorCritic, observation: np.ndarray, memory: np.ndarray | None
) -> tuple[torch.Tensor, torch.Tensor]:
    """The input of the heads, [k, W], and the memory after it, [k, M]."""
    observation = np.ascontiguousarray(observation, np.float32)
    if not observation.flags.writeable:
        observation = observation.copy()  # torch has no read-only tensors and warns
    device = next(network.parameters()).device
    before = torch.from_numpy(np.empty((len(observation), 0), np.float32) if memory is None else memory)
    return network.step(torch.from_numpy(observation).to(device), before.to(device))


def _fetch(memory: np.ndarray | None, after: torch.Tensor, outputs: list[torch.Tensor]) -> list[np.ndarray]:
    """The outputs as float32 arrays; updates the memory in place, if any."""
    if memory is None:
        return fetch(outputs)
    *found, memory[...] = fetch([*outputs, after])
    return found
