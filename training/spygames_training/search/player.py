"""The player `SOURCE+search:K`: a policy with a search on top."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from hashlib import sha256
from typing import Any

import numpy as np

from spygames.core.basics.text import shown
from spygames.core.compiling.digest import code_digest
from spygames.core.game.game import as_record
from spygames.core.game.rng import GAMMA, given_seed, mix
from spygames.core.game.validation import check_variant
from spygames.core.players.beliefs import in_things, win_share
from spygames.core.players.history import Noted
from spygames.core.players.names import PlayerName
from spygames.core.players.player import DecisionBatch, Player, name_of
from spygames.core.players.sampling import ARGMAX
from spygames.core.svg.annotations import Advice
from spygames_training.agents.policy import Policy
from spygames_training.search.belief import Belief, redrawn
from spygames_training.search.draws import Sampled
from spygames_training.search.models import BotModel, Model, Rival, UniformModel
from spygames_training.search.network_model import NetworkModel
from spygames_training.search.policy_search import Findings, PolicySearch, Question
from spygames_training.search.settings import NAMED, POLICY, VERSION, SearchSettings, is_checkpoint, read_settings

BLOCK = 8
"""Decisions searched at once, which is faster than one by one; the actions do not depend on it."""
BELIEF_FACTOR = 32
"""Worlds of a belief that is shown, as a multiple of the worlds that are played out."""
NOTES, ALL_NOTES = 64, 1024
"""Number of recorded decisions per game. NOTES leaves room for `SearchSettings.memory` decisions of the rival in a
two-player game. ALL_NOTES is for games with strata, in which all decisions are evidence; most games have fewer."""


class SearchingPolicy:
    """A policy that searches each decision with more than one legal action: the player `SOURCE+search:K`.

    Its actions depend only on what its seat may know, the public part of past actions, and its random stream.

    Args:
        policy: sampled, or with a temperature. The search assumes that it plays as the policy does.
        settings: of the search.
        rival: the policy of a known opponent, which the name "policy" in `settings.rivals` then means, or several
            policies, of which the opponent has one (a policy that is listed twice is twice as likely). None: the name
            means `policy` itself.
        named: the policies of the checkpoints in `settings.rivals`, by name. None: loaded by their names or from their
            folders; in `settings` a released agent's name then says how it plays.

    Raises:
        ValueError: the policy has no value, has memory, or plays argmax, which leaves no probabilities to search on. Or
            a rival has memory, or is a checkpoint that cannot be loaded.
    """

    def __init__(
        self,
        policy: Policy,
        settings: SearchSettings,
        rival: Policy | Sequence[Policy] | None = None,
        named: Mapping[str, Policy] | None = None,
    ):
        self.policy, self.game = policy, policy.game
        self.known = () if rival is None else (rival,) if isinstance(rival, Policy) else tuple(rival)
        """The policies of known opponents."""
        if named is None:
            settings = replace(settings, rivals=tuple(self._in_full(name) for name in settings.rivals))
            named = {name: Policy.load(name, game=self.game) for name in settings.rivals if is_checkpoint(name)}
        self.settings = settings
        self.named = dict(named)
        """The policies of the checkpoints in `settings.rivals`, by name."""
        known = f" against {'|'.join(each.name for each in self.known)}" if self.known else ""
        self.name = f"{replace(policy.called, search=settings.name)}{known}"
        own = _model(policy, settings)
        rivals = [rival for name in settings.rivals for rival in self._rivals(name, own)]
        self.search = PolicySearch(self.game, own, rivals, settings)
        self.notes_size = 0
        """Number of past decisions of each game that the player needs to know."""
        if self.game.rewind is not None:
            self.notes_size = NOTES if self.game.determinize_stratum is None else ALL_NOTES
        else:
            warnings.warn(
                f"{self.game.title} cannot be rewound: {self.name} treats all worlds as equally likely", stacklevel=3
            )

    def __reduce__(self) -> tuple[Any, ...]:
        return SearchingPolicy, (self.policy, self.settings, self.known or None, self.named)

    def __repr__(self) -> str:
        return f"SearchingPolicy({self.game.id}, {self.name})"

    def digest_with(self, worlds: int) -> str:
        """Return a digest of what the search decides with.

        Counted are the weights of the policy, the weights or code of its rivals, its precision, the versions of the
        search (`search.settings.VERSION`) and of the worlds that it draws, and the settings that its name leaves out.

        Args:
            worlds: the `Game.worlds_version`. An earlier one gives the digest that the search had then.
        """
        bots = self.game.bots
        named = {name: policy.digest for name, policy in self.named.items()}
        named |= {name: code_digest(bots[name], libraries=False) for name in self.settings.rivals if name in bots}
        rivals = [*(each.digest for each in self.known)]
        rivals += [named[name] for name in self.settings.rivals if name in named]
        counted = {"search": VERSION, "worlds": worlds}
        # Version 1 is left out, since results from before versions were counted have none. bfloat16 is left out, since
        # older names do not state the precision; it was then used wherever the processor had instructions for it.
        version = [f"{name} {number}" for name, number in counted.items() if number > 1]
        precision = [] if self.settings.precision == "bfloat16" else [self.settings.precision]
        unnamed = [each for each in fields(SearchSettings) if each.name not in NAMED]
        given = [(each.name, getattr(self.settings, each.name), each.default) for each in unnamed]
        others = [f"{name} {float(value)}" for name, value, default in given if value != default]
        parts = [self.policy.digest, *rivals, *version, *precision, *others]
        return sha256("\n".join(parts).encode()).hexdigest()[:16]

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """Return a legal action for each of `decisions.rows`, int64 [k]. Decisions with one legal action are not
        searched."""
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
        """Return the search's findings at each of `decisions.rows`.

        They are the probabilities after the search's step, the expected result of its action, and the belief about
        hidden information. In safe mode the action may be one that was not played out; its result is unknown.
        """
        advice = []
        for row in decisions.rows.tolist():
            state, seat = decisions.states[row : row + 1], int(decisions.states["to_move"][row])
            noted = None if decisions.notes is None else decisions.notes.of(row)
            seed = int(mix(decisions.rng[row, 0]))
            found, believed = self.find(state, seed, noted), self.believe(state, seed, noted)
            s, legal = as_record(state), np.flatnonzero(decisions.mask[row])
            actions = [(self.game.action_to_string(s, int(a), seat), float(found.policy[a])) for a in legal]
            value = None if np.isnan(found.values[found.action]) else float(found.values[found.action])
            belief = in_things(self.game, s, seat, believed.worlds, believed.weights.sum(axis=0))
            title = f"What {self.name} would do"
            advice.append(Advice(actions, win_share(self.game, value), value, title, belief=belief))
        return advice

    def find(self, state: np.ndarray, seed: int, noted: Noted | None = None) -> Findings:
        """Search a decision.

        Args:
            state: STATE [1], not changed; the result does not depend on what the seat to move may not know.
            seed: 0 to 2^64 - 1, of the search's random choices.
            noted: the decisions of the game so far (`Notes.of`); None: unknown.

        Raises:
            ValueError: there is nothing to decide, or `state` is not a STATE [1] of this variant.
        """
        self._check(state)
        return self.search.find([self._question(state, noted, given_seed(seed))])[0]

    def believe(self, state: np.ndarray, seed: int, noted: Noted | None = None) -> Belief:
        """Return the belief of the seat to move about hidden information, without a search; arguments as in `find`.

        It uses more worlds than `find`, with an effective number of at least K. The few worlds of a search would make
        the belief look certain. A game may have strata (`Game.determinize_stratum`), such as the ways to deal passports
        in Heimlich & Co. All strata are then among the worlds, each in proportion to its probability. If nothing else
        is hidden, the weights are exact.
        """
        self._check(state)
        k, question = self.settings.worlds, self._question(state, noted, given_seed(seed))
        if self.game.determinize_stratum is None:
            return self.search.believe(question, BELIEF_FACTOR * k, k)
        return redrawn(self.game, self.search.believe(question, k), state, question.draws, BELIEF_FACTOR * k)

    def _rivals(self, name: str, own: Model) -> list[Rival]:
        """Make the rivals of one name in `settings.rivals`."""
        settings = self.settings
        if name == POLICY:
            models = [_model(policy, settings, argmax=True) for policy in self.known] or [own]
            names = [name] if len(models) == 1 else [f"{each.name} ({k})" for k, each in enumerate(self.known, 1)]
            return [Rival(*each, settings.slip) for each in zip(names, models, strict=True)]
        if name in self.named:
            return [Rival(name, _model(self.named[name], settings, argmax=True), settings.slip)]
        if name == "random":
            return [Rival(name, UniformModel(), 0.0)]
        return [Rival(name, BotModel(self.game, name), settings.bot_slip)]

    def _in_full(self, rival: str) -> str:
        """Return a name in `settings.rivals`; that of a released agent says how it plays."""
        return str(PlayerName.parse(rival).resolved(self.game)) if is_checkpoint(rival) else rival

    def _check(self, state: np.ndarray) -> None:
        """Raise ValueError if `state` is not a position of this variant, or there is nothing to decide in it."""
        if not isinstance(state, np.ndarray) or state.shape != (1,) or state.dtype != self.game.state_dtype:
            raise ValueError(f"state must be an array [1] of the states of {self.game.id}")
        check_variant(self.game, state)
        mask = np.zeros(self.game.num_actions, np.int8)
        self.game.legal(as_record(state), mask)
        if not mask.any():
            raise ValueError("state has no decision to search: no action is legal")

    def _question(self, state: np.ndarray, noted: Noted | None, seed: np.uint64) -> Question:
        return Question(state, noted, Sampled(self.game, seed))


def _model(policy: Policy, settings: SearchSettings, argmax: bool = False) -> Model:
    """Return the network model of a policy. Raise ValueError if the search cannot use it. `argmax`: whether it may play
    argmax."""
    network, temperature = policy.network, policy.temperature
    if network.memory_size:
        raise ValueError(f"{policy.name} has memory, and a search cannot use recurrent networks")
    if temperature == ARGMAX and not argmax:
        raise ValueError(f"{policy.name} has no probabilities to search on: use @sample")
    if not network.has_value and not argmax:
        raise ValueError(f"{policy.name} has no value, which a search needs: its checkpoint was saved without one")
    return NetworkModel(policy.game, network, temperature, policy.value_unit, settings.precision)


def on_top(player: Player, settings: str) -> SearchingPolicy:
    """Put a search on top of a policy's player; `make_player` calls this for `+search:SETTINGS`.

    Raises:
        ValueError: `player` is not a policy with a value, or the settings are invalid.
    """
    policy = getattr(player, "policy", None)
    if not isinstance(policy, Policy):
        name = name_of(player)
        raise ValueError(
            f"{shown(f'{name}+search:{settings}')}: a search needs a policy with a value, not {shown(name)}"
        )
    return SearchingPolicy(policy, read_settings(policy.game, settings))
