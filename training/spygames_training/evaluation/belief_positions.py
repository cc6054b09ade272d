"""Positions of recorded games at which players are asked what they believe about hidden things.

Letters: m worlds, q questions of a position.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from spygames.core.game.belief_targets import UNASKED
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.players.history import Noted
from spygames.core.players.inquiry import belief_turn_of, unknowns
from spygames.core.players.turns import Turn, Unknown
from spygames.core.playing.batch import true_answers
from spygames.core.records.record import GameRecord, replay


@dataclass(frozen=True)
class Position:
    """A decision at which players are asked. `states` and `turn` hold nothing that the seat to move cannot know."""

    game: Game
    number: int
    """Number of the game, from 0."""
    move: int
    """Number of decisions before this one."""
    states: np.ndarray
    """STATE [1], with everything that the seat cannot know redrawn."""
    past: Noted
    """The true decisions before. Like `DecisionBatch.notes` they hold hidden information: a search may read them, and
    only through `Game.rewind`."""
    seed: int
    """0..2^64-1, of all random draws for this position; it has nothing to do with the deal."""

    @property
    def seat(self) -> int:
        """The seat to move."""
        return int(self.states["to_move"][0])

    @cached_property
    def unknowns(self) -> tuple[Unknown, ...]:
        """The questions, [q]."""
        return unknowns(self.game, self.states)

    @cached_property
    def turn(self) -> Turn:
        """The decision as texts, with all that the seat has seen since the game began, and the questions."""
        moves = zip(range(len(self.past.actions)), self.past.actions.tolist(), strict=True)
        seen = [
            self.game.happened(s, action, int(s.to_move), self.seat)
            for s, action in ((as_record(self.past.states, k), action) for k, action in moves)
        ]
        return belief_turn_of(self.game, self.states, seen)


@dataclass(frozen=True)
class Asked:
    """Positions of one game, and the true answers to their questions."""

    positions: tuple[Position, ...]
    truths: tuple[tuple[int, ...], ...]
    """For each position the number of the true answer to each question."""


def positions_of(game: Game, record: GameRecord, number: int, seed: int, count: int) -> Asked:
    """Choose decisions of a recorded game at which something is asked.

    Args:
        game: the game; it must have questions.
        record: the recorded game.
        number: its number, from 0.
        seed: 0..2^64-1; the choice and all draws depend on it and on `number`.
        count: maximum number of decisions, drawn at random among those with a question.

    Raises:
        ValueError: which questions are asked depends on what a seat cannot know.
        RecordError: the record does not fit the game.
    """
    states = replay(record, game)
    moves = zip(range(len(record.actions)), record.actions, strict=True)
    actions = np.array(
        [game.string_to_action(as_record(states, k), text, int(states["to_move"][k])) for k, text in moves], np.int64
    )
    states = states[states["to_move"] != NOBODY]
    answers = true_answers(game, states)
    rng = np.random.default_rng((seed, number))
    seeds = rng.integers(0, 1 << 64, len(states), np.uint64)
    open_ones = np.flatnonzero((answers != UNASKED).any(axis=1))
    chosen = np.sort(rng.choice(open_ones, min(count, len(open_ones)), replace=False)).tolist()
    positions, truths = [], []
    for move in chosen:
        redrawn = states[move : move + 1].copy()
        luck, more = np.random.default_rng(seeds[move]).integers(0, 1 << 64, 2, np.uint64)
        game.determinize(as_record(redrawn), int(redrawn["to_move"][0]), luck)
        position = Position(game, number, move, redrawn, Noted(states[:move], actions[:move]), int(more))
        targets = np.flatnonzero(answers[move] != UNASKED).tolist()
        if [each.target for each in position.unknowns] != targets:
            raise ValueError(f"which questions {game.id} asks depends on what a seat cannot know (Game.questions)")
        positions.append(position)
        truths.append(tuple(answers[move, targets].tolist()))
    return Asked(tuple(positions), tuple(truths))


def by_worlds(game: Game, worlds: np.ndarray, weights: np.ndarray, asked: Sequence[Unknown]) -> tuple[np.ndarray, ...]:
    """Return the probabilities of the answers to each question, float64 [answers] each, from weighted worlds.

    Args:
        game: the game.
        worlds: STATE [m], all with the same seat to move.
        weights: float64 [m], of sum 1.
        asked: the questions, [q].
    """
    answers = true_answers(game, worlds)
    return tuple(np.bincount(answers[:, each.target], weights, len(each.answers)).astype(np.float64) for each in asked)
