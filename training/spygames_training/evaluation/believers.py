"""Who can say what is hidden: the rules alone, searches, belief heads, language models, and Python classes.

Letters: m worlds, q questions of a position.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spygames.core.basics.text import one_line
from spygames.core.chat.player import LanguageModel
from spygames.core.game.game import Game, as_record, flat
from spygames.core.players.history import Noted
from spygames.core.players.inquiry import Beliefs, read_beliefs
from spygames.core.players.player import Player, PlayerFailed, Scripted
from spygames.core.players.python_function import PythonPlayer
from spygames.core.players.search import SearchPlayer
from spygames_training.agents.policy import Policy, PolicyPlayer
from spygames_training.evaluation.belief_positions import Position, by_worlds
from spygames_training.evaluation.digests import player_digest
from spygames_training.search.belief import in_reach, log_likelihood
from spygames_training.search.draws import Sampled
from spygames_training.search.models import Rival, UniformModel
from spygames_training.search.network_model import NetworkModel
from spygames_training.search.player import SearchingPolicy

RULES, KNOWN = "rules alone", "knows the players"
"""The names of the two rows beside the players: what the rules alone say, and what could be known."""
EFFECTIVE, PARTS, BATCHES = 200, 4, 16
"""Worlds of what could be known are drawn in batches, each a fraction 1/PARTS of the worlds of the rules alone, until
their effective number is EFFECTIVE, or to BATCHES."""
SEEDS = 1 << 32
"""Seeds of Python classes are smaller than this, as in a game."""


@dataclass(frozen=True)
class Answers:
    """What was answered at one position."""

    probabilities: tuple[np.ndarray | None, ...]
    """For each question the probability of each answer, float64 [answers], of sum 1; None: no valid answer, [q]."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """Further facts as plain JSON values, such as the prompts and answers of a language model."""


class Believer(ABC):
    """Someone who answers questions about what is hidden.

    Args:
        name: its name in the results; different believers have different names.
        digest: of its code or weights, see `player_digest`.
    """

    resumes = False
    """Whether it keeps earlier answers itself, and is asked again when the command resumes."""

    def __init__(self, name: str, digest: str | None = None):
        self.name, self.digest = name, digest

    @abstractmethod
    def believe(self, positions: Sequence[Position]) -> list[Answers]:
        """Answer the questions of each position. The answers depend only on what the seat to move may know."""


class RulesAlone(Believer):
    """The rules alone: worlds drawn by `Game.determinize`, all with the same weight.

    These are equally likely deals that agree with what the seat's view allows. What the rivals' decisions tell about
    their cards is left out. In games with strata each stratum has the same number of worlds, so that it has no error.
    """

    def __init__(self, game: Game, worlds: int):
        super().__init__(RULES)
        self.game, self.worlds = game, worlds

    def believe(self, positions: Sequence[Position]) -> list[Answers]:
        """See `Believer.believe`."""
        found = []
        for each in positions:
            worlds = Sampled(self.game, np.uint64(each.seed)).worlds(each.states, each.seat, self.worlds)
            weights = np.full(len(worlds), 1 / len(worlds))
            found.append(Answers(by_worlds(self.game, worlds, weights, each.unknowns)))
        return found


class KnowsPlayers(Believer):
    """What could be known: the posterior of someone who knows how the players of the games decide.

    Worlds are drawn as for the rules alone, and weighted by the probability of all decisions of the other seats that
    `Game.rewind` reaches. The earlier ones tell nothing about what is hidden now.

    Args:
        game: the game.
        models: of the players by seat, see `models_of`.
        worlds: number of worlds of the rules alone, see `EFFECTIVE`.
    """

    def __init__(self, game: Game, models: Sequence[Rival], worlds: int):
        super().__init__(KNOWN)
        self.game, self.models, self.worlds = game, models, worlds

    def believe(self, positions: Sequence[Position]) -> list[Answers]:
        """See `Believer.believe`. `about` has the effective number of worlds, (sum w)^2 / (sum w^2)."""
        return [self._believe(each) for each in positions]

    def _believe(self, position: Position) -> Answers:
        game, seat, root = self.game, position.seat, position.states
        draws, (present, _) = Sampled(game, np.uint64(position.seed)), in_reach(game, root, position.past)
        worlds, likelihood = game.new_states(0), np.zeros(0)
        for _ in range(BATCHES):
            more = draws.worlds(root, seat, -(-self.worlds // PARTS))
            worlds = np.concatenate([worlds, more])
            likelihood = np.append(likelihood, self._log_likelihood(more, root, seat, present, draws))
            if _effective(likelihood) >= EFFECTIVE:
                break
        weights = np.exp(likelihood - likelihood.max())
        found = by_worlds(game, worlds, weights / weights.sum(), position.unknowns)
        return Answers(found, {"effective": round(_effective(likelihood), 1)})

    def _log_likelihood(
        self, worlds: np.ndarray, root: np.ndarray, seat: int, present: Noted, draws: Sampled
    ) -> np.ndarray:
        """Return the log-probability of the decisions of all other seats in each world, float64 [m]."""
        found = np.zeros(len(worlds))
        for other, model in enumerate(self.models):
            mine = np.flatnonzero(present.states["to_move"] == other)[::-1]
            if other != seat and len(mine):
                past = Noted(present.states.take(mine), present.actions[mine])
                found += log_likelihood(self.game, worlds, root, seat, past, other, [model], draws, len(mine))[0]
        return found


def _effective(likelihood: np.ndarray) -> float:
    """Return the effective number of worlds with these log-likelihoods, (sum w)^2 / (sum w^2)."""
    weights = np.exp(likelihood - likelihood.max())
    return float(weights.sum() ** 2 / (weights**2).sum())


def models_of(game: Game, players: Sequence[Player]) -> list[Rival] | None:
    """Return the exact models of players by seat, for `KnowsPlayers`.

    None if the game cannot be rewound, or a player has no exact probabilities: it is neither `random` nor a network
    without memory that samples its actions.
    """
    models = [_model_of(game, player) for player in players]
    known = [model for model in models if model is not None]
    return known if game.rewind is not None and len(known) == len(models) else None


def _model_of(game: Game, player: Player) -> Rival | None:
    if isinstance(player, Scripted) and player.name == "random":
        return Rival(player.name, UniformModel(), 0.0)
    if isinstance(player, PolicyPlayer) and not player.memory_size and player.policy.temperature > 0:
        network, temperature = player.policy.network, player.policy.temperature
        return Rival(player.name, NetworkModel(game, network, temperature, player.policy.value_unit), 0.0)
    return None


class SearchBelief(Believer):
    """The belief of a search on top of a policy (`SearchingPolicy.believe`), with the decisions that it reads."""

    def __init__(self, player: SearchingPolicy):
        super().__init__(player.name, player_digest(player.game, player))
        self.player = player

    def believe(self, positions: Sequence[Position]) -> list[Answers]:
        """See `Believer.believe`."""
        found, game = [], self.player.game
        for each in positions:
            first = max(0, len(each.past.actions) - self.player.notes_size)
            noted = Noted(each.past.states[first:], each.past.actions[first:])
            belief = self.player.believe(each.states, each.seed, noted)
            found.append(Answers(by_worlds(game, belief.worlds, belief.weights.sum(axis=0), each.unknowns)))
        return found


class HeadBelief(Believer):
    """The belief head of a network (`Policy.belief`)."""

    def __init__(self, player: PolicyPlayer):
        super().__init__(player.name, player_digest(player.policy.game, player))
        self.policy = player.policy

    def believe(self, positions: Sequence[Position]) -> list[Answers]:
        """See `Believer.believe`."""
        found = []
        for each in positions:
            game, seat = self.policy.game, each.seat
            by_group = self.policy.belief(_observed(game, each.states, seat), self._memory(each))
            answers = [row for group in by_group.values() for row in group]
            found.append(Answers(tuple(answers[asked.target] for asked in each.unknowns)))
        return found

    def _memory(self, position: Position) -> np.ndarray | None:
        """Return what a network with memory remembers of the earlier decisions of its seat; None without memory."""
        if not self.policy.network.memory_size:
            return None
        game, seat, memory = self.policy.game, position.seat, np.zeros(self.policy.network.memory_size, np.float32)
        for move in np.flatnonzero(position.past.states["to_move"] == seat).tolist():
            states = position.past.states[move : move + 1]
            mask = np.zeros(game.num_actions, np.int8)
            game.legal(as_record(states), mask)
            self.policy.act(_observed(game, states, seat), mask, memory=memory)
        return memory


def _observed(game: Game, states: np.ndarray, seat: int) -> np.ndarray:
    views = game.new_views()
    game.observe(as_record(states), seat, as_record(views))
    return flat(views)[0]


class ModelBelief(Believer):
    """A language model, asked in a new conversation for each position."""

    resumes = True  # from its transcripts, so that its account is complete

    def __init__(self, model: LanguageModel):
        super().__init__(model.name, model.digest)
        self.model = model

    def believe(self, positions: Sequence[Position]) -> list[Answers]:
        """See `Believer.believe`. `about` has the prompts and answers."""
        found = self.model.believe([each.turn for each in positions], [each.seed for each in positions])
        return [Answers(_arrays(beliefs), {"told": told}) for beliefs, told in found]


class PythonBelief(Believer):
    """A Python class with a method `beliefs(turn)`."""

    def __init__(self, player: PythonPlayer):
        super().__init__(player.name, player.digest)
        self.player = player

    def believe(self, positions: Sequence[Position]) -> list[Answers]:
        """See `Believer.believe`. `about` says what is wrong with an answer."""
        found = []
        for each in positions:
            try:
                beliefs = read_beliefs(self.player.believe(each.turn, each.seed % SEEDS), each.turn.unknowns)
            except PlayerFailed as error:
                found.append(Answers((None,) * len(each.unknowns), {"wrong": [one_line(error, 300)]}))
                continue
            found.append(Answers(_arrays(beliefs), {"wrong": [*beliefs.wrong[:5]]} if beliefs.wrong else {}))
        return found


def _arrays(beliefs: Beliefs) -> tuple[np.ndarray | None, ...]:
    return tuple(None if each is None else np.array(each) for each in beliefs.probabilities)


def believer_of(player: Player) -> Believer:
    """Return the believer of a player; ValueError if it has no belief of its own."""
    if isinstance(player, SearchingPolicy):
        if not player.notes_size:
            raise ValueError(f"{player.name} has no belief of its own: its game cannot be rewound")
        return SearchBelief(player)
    if isinstance(player, LanguageModel):
        return ModelBelief(player)
    if isinstance(player, PolicyPlayer) and player.policy.network.belief is not None:
        return HeadBelief(player)
    if isinstance(player, PythonPlayer) and player.has_beliefs:
        return PythonBelief(player)
    why = "it cannot be asked"
    if isinstance(player, SearchPlayer):
        why = f"it draws its worlds by the {RULES}, which are measured anyway"
    elif isinstance(getattr(player, "policy", None), Policy):
        why = 'it was saved without a belief head (network.belief = "keep"); with a search, +search:64, it has one'
    elif isinstance(player, PythonPlayer):
        why = "it is not a class with a method beliefs(turn)"
    raise ValueError(f"{one_line(player.name)} has no belief: {why}")
