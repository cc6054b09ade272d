"""A policy with a search on top of it, as a player."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from spygames.core.basics.text import shown
from spygames.core.game.game import Game, as_record
from spygames.core.game.rng import GAMMA, as_seed, mix
from spygames.core.players.beliefs import in_things, win_share
from spygames.core.players.history import Noted
from spygames.core.players.player import DecisionBatch, Player, name_of
from spygames.core.svg.annotations import Advice
from spygames_training.agents.policy import ARGMAX, Policy
from spygames_training.search.belief import Belief, redrawn
from spygames_training.search.draws import Sampled
from spygames_training.search.models import BotModel, Model, Rival, UniformModel
from spygames_training.search.network_model import NetworkModel
from spygames_training.search.policy_search import Findings, PolicySearch, Question
from spygames_training.search.settings import POLICY, SearchSettings, read_settings

BLOCK = 8
"""Decisions that are searched at once, which is faster than one by one; actions do not depend on it."""
TOLD = 32
"""Worlds of a belief that is told, in units of those that are played out."""
NOTES, ALL_NOTES = 64, 1024
"""Decisions of a game that are kept: more than the rivals' `SearchSettings.memory` in a game for two; where a game has
strata, which all of its decisions tell of, more than most games have."""


class SearchingPolicy:
    """A policy that searches each decision with a choice: the player `SOURCE+search:K`.

    What it does depends on what its seat may know, the public part of what was done, and its luck.

    Args:
        policy: sampled or with a temperature: as it plays is how the search takes it to play.
        settings: of the search.
        rival: the policy that `policy` stands for among the rivals, where it is another one: for a search against
            somebody who is known.

    Raises:
        ValueError: the policy has no value or has memory, or it plays argmax, which leaves nothing to search.
    """

    def __init__(self, policy: Policy, settings: SearchSettings, rival: Policy | None = None):
        self.policy, self.settings, self.rival, self.game = policy, settings, rival, policy.game
        known = "" if rival is None else f" against {rival.name}"
        self.name = f"{replace(policy.called, search=settings.name)}{known}"
        own = _model(policy, settings)
        other = own if rival is None else _model(rival, settings, argmax=True)
        rivals = [_rival(self.game, name, other, settings) for name in settings.rivals]
        self.search = PolicySearch(self.game, own, rivals, settings)
        self.notes_size = 0
        """Decisions of each game that it wants to be told of."""
        if self.game.rewind is not None:
            self.notes_size = NOTES if self.game.determinize_stratum is None else ALL_NOTES
        else:
            warnings.warn(
                f"{self.game.title} cannot be rewound: {self.name} takes all worlds for equally likely", stacklevel=3
            )

    def __reduce__(self) -> tuple[Any, ...]:
        return SearchingPolicy, (self.policy, self.settings, self.rival)

    def __repr__(self) -> str:
        return f"SearchingPolicy({self.game.id}, {self.name})"

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """One legal action for each of `decisions.rows`, int64 [k]; where only one is legal, nothing is searched."""
        d = decisions
        actions = d.mask[d.rows].argmax(axis=1)
        several = np.flatnonzero(d.mask[d.rows].sum(axis=1) > 1)
        for lo in range(0, len(several), BLOCK):
            asked = several[lo : lo + BLOCK]
            questions = []
            for row in d.rows[asked].tolist():
                with np.errstate(over="ignore"):
                    d.rng[row] += GAMMA
                noted = None if d.notes is None else d.notes.of(row)
                questions.append(self._question(d.states[row : row + 1], noted, mix(d.rng[row, 0])))
            actions[asked] = [found.action for found in self.search.find(questions)]
        return actions

    def advise(self, decisions: DecisionBatch) -> list[Advice]:
        """What it finds at each of `decisions.rows`: the probabilities after its step, the result that it expects of
        what it does, and how likely it takes what is hidden to be this or that."""
        advice = []
        for row in decisions.rows.tolist():
            state, seat = decisions.states[row : row + 1], int(decisions.states["to_move"][row])
            noted = None if decisions.notes is None else decisions.notes.of(row)
            seed = int(mix(decisions.rng[row, 0]))
            found, believed = self.find(state, seed, noted), self.believe(state, seed, noted)
            s, legal = as_record(state), np.flatnonzero(decisions.mask[row])
            actions = [(self.game.action_to_string(s, int(a), seat), float(found.policy[a])) for a in legal]
            value = float(found.values[found.action])
            belief = in_things(self.game, s, seat, believed.worlds, believed.weights.sum(axis=0))
            title = f"What {self.name} would do"
            advice.append(Advice(actions, win_share(self.game, value), value, title, belief=belief))
        return advice

    def find(self, state: np.ndarray, seed: int, noted: Noted | None = None) -> Findings:
        """What the search finds out about a decision.

        Args:
            state: STATE [1], not changed; what the seat to move may not know of it makes no difference.
            seed: 0..2^64-1, the luck of the search.
            noted: the decisions of the game so far (`Notes.of`); None: they are not known.

        Raises:
            ValueError: there is nothing to decide, or `state` is no such array.
        """
        self._check(state)
        return self.search.find([self._question(state, noted, as_seed(seed))])[0]

    def believe(self, state: np.ndarray, seed: int, noted: Noted | None = None) -> Belief:
        """What the seat to move may believe about what is hidden from it, without asking what to do: as `find`.

        It takes more worlds than `find`, of which K count at least: the few that a search needs to compare actions
        would be told as certain. Where a game has strata (`Game.determinize_stratum`), as Heimlich & Co. has the ways
        to deal passports, all of them are among the worlds, each as often as it is likely, and if nothing else is
        hidden, weights are exact.
        """
        self._check(state)
        k, question = self.settings.worlds, self._question(state, noted, as_seed(seed))
        if self.game.determinize_stratum is None:
            return self.search.believe(question, TOLD * k, k)
        return redrawn(self.game, self.search.believe(question, k), state, question.draws, TOLD * k)

    def _check(self, state: np.ndarray) -> None:
        """ValueError where there is nothing to decide in `state`."""
        if not isinstance(state, np.ndarray) or state.shape != (1,) or state.dtype != self.game.state_dtype:
            raise ValueError(f"state must be an array [1] of the states of {self.game.id}")
        mask = np.zeros(self.game.num_actions, np.int8)
        self.game.legal(as_record(state), mask)
        if not mask.any():
            raise ValueError("nobody has anything to decide in this position")

    def _question(self, state: np.ndarray, noted: Noted | None, seed: np.uint64) -> Question:
        return Question(state, noted, Sampled(self.game, seed))


def _model(policy: Policy, settings: SearchSettings, argmax: bool = False) -> Model:
    """The network of a policy; ValueError where a search has no use for it. argmax: it may play argmax."""
    network, temperature = policy.network, policy.temperature
    if network.memory_size:
        raise ValueError(f"{policy.name} has memory, and a search knows no recurrent network")
    if temperature == ARGMAX and not argmax:
        raise ValueError(f"{policy.name} has no probabilities to search on: leave @argmax out")
    if not network.has_value and not argmax:
        raise ValueError(f"{policy.name} has no value, which a search needs: its checkpoint was kept without one")
    return NetworkModel(policy.game, network, temperature, policy.value_unit, settings.precision)


def _rival(game: Game, name: str, policy: Model, settings: SearchSettings) -> Rival:
    """The rival of that name."""
    if name == POLICY:
        return Rival(name, policy, settings.slip)
    if name == "random":
        return Rival(name, UniformModel(), 0.0)
    return Rival(name, BotModel(game, name), settings.bot_slip)


def on_top(player: Player, settings: str) -> SearchingPolicy:
    """A policy's player with a search on top: what `make_player` calls for `+search:SETTINGS`.

    Raises:
        ValueError: `player` is not a policy with a value, or the settings make no sense.
    """
    policy = getattr(player, "policy", None)
    if not isinstance(policy, Policy):
        name = name_of(player)
        raise ValueError(
            f"{shown(f'{name}+search:{settings}')}: a search needs a policy with a value, and {shown(name)} is none"
        )
    return SearchingPolicy(policy, read_settings(policy.game, settings))
