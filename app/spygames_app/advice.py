"""Hints and analysis: what a player would do in a seat, based only on what that seat may know."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from spygames.core.chat.player import language_models
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.game.rng import mix
from spygames.core.players.history import Notes, notes_size
from spygames.core.players.player import DecisionBatch, Player, new_memory
from spygames.core.playing.rows import Rows
from spygames.core.playing.session import ROW, answers
from spygames.core.records.film import Adviser, Said
from spygames.core.svg.annotations import Advice

__all__ = ["SILENT", "EachOwn", "Silent", "Thoughts", "advise", "believed", "in_words", "ranked", "said_in_words"]

BARS, LEAST = 6, 0.005
"""Maximum number of actions that are named, and their minimum probability. The other actions are summed up."""


class Thoughts:
    """Any player as an `Adviser` of films. A player that only acts advises its action.

    Args:
        player: the player.
        forgiving: if the player raises an error, return advice that reports it.
    """

    def __init__(self, player: Player, forgiving: bool = False):
        self.player, self.name, self.forgiving = player, player.name, forgiving
        self.memory_size = getattr(player, "memory_size", 0)
        self.notes_size = notes_size([player])

    def advise(self, decisions: DecisionBatch) -> Sequence[Advice]:
        """Return the player's advice for each of `decisions.rows`; for a player that only acts, its action."""
        try:
            return self._advise(decisions)
        except Exception as error:  # a player may raise anything
            if not self.forgiving:
                raise
            return [Advice(title=f"{self.name} fails here ({type(error).__name__})")] * len(decisions.rows)

    def _advise(self, d: DecisionBatch) -> Sequence[Advice]:
        if isinstance(self.player, Adviser):
            return self.player.advise(d)
        found = []
        for row, action in zip(d.rows.tolist(), answers(self.player, d, secret=True).tolist(), strict=True):
            s = as_record(d.states, row)
            text = d.game.action_to_string(s, action, int(s.to_move))
            found.append(Advice([(text, 1.0)], title=f"What {self.name} would do"))
        return found


SILENT = Advice(title="")
"""The advice of a player that is not asked again."""


class Silent:
    """A language model of a finished game. What it said is known, and asking it again would cost time and money."""

    def __init__(self, player: Player):
        self.name = player.name

    def advise(self, decisions: DecisionBatch) -> Sequence[Advice]:
        """Return `SILENT` for each of `decisions.rows`."""
        return [SILENT] * len(decisions.rows)

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """Is never called."""
        raise NotImplementedError


class EachOwn:
    """The players of a game as one adviser. The player of the seat that decides gives the advice."""

    name = "each player"

    def __init__(self, players: Mapping[int, Player], forgiving: bool = False):
        asked = {seat: Silent(each) if language_models([each]) else each for seat, each in players.items()}
        self.thoughts = {seat: Thoughts(player, forgiving) for seat, player in asked.items()}
        self.memory_size = max(each.memory_size for each in self.thoughts.values())
        self.notes_size = max(each.notes_size for each in self.thoughts.values())

    def advise(self, decisions: DecisionBatch) -> Sequence[Advice]:
        """Return for each of `decisions.rows` the advice of the player that decides."""
        seats = decisions.states["to_move"]
        return [
            self.thoughts[int(seats[row])].advise(replace(decisions, rows=decisions.rows[i : i + 1]))[0]
            for i, row in enumerate(decisions.rows.tolist())
        ]


def advise(
    game: Game, course: Sequence[tuple[np.ndarray, int]], states: np.ndarray, player: Player, luck: int
) -> Advice:
    """Return what a player would do in place of the seat to move.

    The player gets the view and the memory of that seat, and states in which everything hidden from the seat is
    redrawn. Of the other seats' decisions it gets what `DecisionBatch.notes` allow. Nothing is kept, so the game does
    not change.

    Args:
        game: the game.
        course: the decisions so far: STATE [1] before each, and the action.
        states: the current STATE [1].
        player: the player that advises. It must not be a player of this game, which might remember the question.
        luck: seed of all random draws, 0..2^64-1.

    Raises:
        ValueError: the game is over.
        PlayerFailed: the player gave no legal action.
    """
    seat = int(states["to_move"][0])
    if seat == NOBODY:
        raise ValueError("the game is over, so there is no decision to advise on")
    thoughts, notes = Thoughts(player), None
    memory = new_memory(game, [player])
    if thoughts.notes_size:
        notes = Notes(game, 1, thoughts.notes_size)
        for before, action in course:
            notes.add(before, np.array([action]))
    if thoughts.memory_size:
        for before, _ in course:
            if before["to_move"][0] == seat:
                thoughts.advise(_asked(game, before, luck, memory, None))
    return thoughts.advise(_asked(game, states, luck, memory, notes))[0]


def _asked(game: Game, states: np.ndarray, luck: int, memory: np.ndarray, notes: Notes | None) -> DecisionBatch:
    """Return a decision with only what its seat may know."""
    seat, redrawn = int(states["to_move"][0]), states.copy()
    game.determinize(as_record(redrawn), seat, np.uint64(luck))
    rows = Rows(game, 1, 0)
    rows.begin(ROW, states=redrawn)
    return rows.decisions(np.array([[mix(~np.uint64(luck))]], np.uint64), ROW, memory, notes)


def ranked(advice: Advice) -> list[tuple[str, float]]:
    """Return the most likely actions with their probabilities, and the sum of the others as the last entry."""
    found = sorted(advice.actions, key=lambda each: -each[1])
    named = [each for each in found[:BARS] if each[1] >= LEAST]
    rest = found[len(named) :]
    if len(rest) == 1:
        return found
    return [*named, *([(f"{len(rest)} others", sum(share for _, share in rest))] if rest else [])]


def in_words(advice: Advice) -> str:
    """Return advice as lines of text."""
    lines = [f"{advice.title}:", *(f"  {share:4.0%}  {text}" for text, share in ranked(advice))]
    if advice.share is not None:
        lines.append(f"{advice.share_title}: {advice.share:.0%}")
    elif advice.value is not None:
        lines.append(f"Expected result: {advice.value:+.2f}")
    if advice.belief:
        lines += ["What it believes:", *(f"  {what}: {things}" for what, things in believed(advice))]
    return "\n".join(lines)


def said_in_words(said: Said) -> str:
    """Return what a language model said as lines of text."""
    lines = [f"{said.title}:"]
    for head, text in said.paragraphs:
        lines += [*([f"  {head}"] if head else []), *(f"  {line}" for line in text.splitlines())]
    return "\n".join(lines)


def believed(advice: Advice) -> list[tuple[str, str]]:
    """Return the hidden facts, each with its most likely values and their probabilities."""
    return [
        (what, ", ".join(f"{thing.replace('_', ' ')} {share:.0%}" for thing, share in things[:BARS]))
        for what, things in advice.belief
    ]
