"""What a player would do in a seat, from what that seat may know: hints for people, and thoughts afterwards."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.game.rng import mix
from spygames.core.players.history import Notes, notes_size
from spygames.core.players.player import DecisionBatch, Player, new_memory
from spygames.core.playing.rows import Rows
from spygames.core.playing.session import ROW, answers
from spygames.core.records.film import Adviser
from spygames.core.svg.annotations import Advice

__all__ = ["EachOwn", "Thoughts", "advise", "believed", "in_words", "ranked"]

BARS, LEAST = 6, 0.005
"""Actions that are named, and how likely they are at least; the others are summed up."""


class Thoughts:
    """A player as an `Adviser` of films, also one that only says what it does.

    Args:
        player: who is asked.
        forgiving: where it breaks down its advice says that, instead of an error.
    """

    def __init__(self, player: Player, forgiving: bool = False):
        self.player, self.name, self.forgiving = player, player.name, forgiving
        self.memory_size = getattr(player, "memory_size", 0)
        self.notes_size = notes_size([player])

    def advise(self, decisions: DecisionBatch) -> Sequence[Advice]:
        """What it thinks of each of `decisions.rows`; of a player that only acts, what it would do."""
        try:
            return self._advise(decisions)
        except Exception as error:  # a player may do anything
            if not self.forgiving:
                raise
            return [Advice(title=f"{self.name} breaks down here ({type(error).__name__})")] * len(decisions.rows)

    def _advise(self, d: DecisionBatch) -> Sequence[Advice]:
        if isinstance(self.player, Adviser):
            return self.player.advise(d)
        found = []
        for row, action in zip(d.rows.tolist(), answers(self.player, d, secret=True).tolist(), strict=True):
            s = as_record(d.states, row)
            text = d.game.action_to_string(s, action, int(s.to_move))
            found.append(Advice([(text, 1.0)], title=f"What {self.name} would do"))
        return found


class EachOwn:
    """The players of a game as one adviser: each decision is told by the player of the seat that makes it."""

    name = "each player"

    def __init__(self, players: Mapping[int, Player], forgiving: bool = False):
        self.thoughts = {seat: Thoughts(player, forgiving) for seat, player in players.items()}
        self.memory_size = max(each.memory_size for each in self.thoughts.values())
        self.notes_size = max(each.notes_size for each in self.thoughts.values())

    def advise(self, decisions: DecisionBatch) -> Sequence[Advice]:
        """What whoever decides thinks of each of `decisions.rows`."""
        seats = decisions.states["to_move"]
        return [
            self.thoughts[int(seats[row])].advise(replace(decisions, rows=decisions.rows[i : i + 1]))[0]
            for i, row in enumerate(decisions.rows.tolist())
        ]


def advise(
    game: Game, course: Sequence[tuple[np.ndarray, int]], states: np.ndarray, player: Player, luck: int
) -> Advice:
    """What a player would do in place of the seat to move.

    It is asked with the view and the memory of that seat, and with states in which all that the seat cannot know is
    drawn anew. Of what the others did it hears what `DecisionBatch.notes` allow. Nothing of it is kept, so asking
    changes no game.

    Args:
        game: what is played.
        course: the decisions so far: STATE [1] before each, and the action.
        states: STATE [1], as things are.
        player: who is asked: nobody who plays in this game, since it might remember that it was asked.
        luck: 0..2^64-1, of all that is drawn.

    Raises:
        ValueError: nobody is to move. PlayerFailed: the player gave no legal answer.
    """
    seat = int(states["to_move"][0])
    if seat == NOBODY:
        raise ValueError("the game is over: there is nothing to decide")
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
    """A decision as its seat knows it."""
    seat, redrawn = int(states["to_move"][0]), states.copy()
    game.determinize(as_record(redrawn), seat, np.uint64(luck))
    rows = Rows(game, 1, 0)
    rows.begin(ROW, states=redrawn)
    return rows.decisions(np.array([[mix(~np.uint64(luck))]], np.uint64), ROW, memory, notes)


def ranked(advice: Advice) -> list[tuple[str, float]]:
    """The likeliest actions with their probabilities; the others in one line."""
    found = sorted(advice.actions, key=lambda each: -each[1])
    named = [each for each in found[:BARS] if each[1] >= LEAST]
    rest = found[len(named) :]
    if len(rest) == 1:
        return found
    return [*named, *([(f"{len(rest)} others", sum(share for _, share in rest))] if rest else [])]


def in_words(advice: Advice) -> str:
    """Advice as lines of text."""
    lines = [f"{advice.title}:", *(f"  {share:4.0%}  {text}" for text, share in ranked(advice))]
    if advice.share is not None:
        lines.append(f"{advice.share_title}: {advice.share:.0%}")
    elif advice.value is not None:
        lines.append(f"Expected result: {advice.value:+.2f}")
    if advice.belief:
        lines += ["What it believes:", *(f"  {what}: {things}" for what, things in believed(advice))]
    return "\n".join(lines)


def believed(advice: Advice) -> list[tuple[str, str]]:
    """What is hidden, and what it may be: the likeliest things with their probabilities."""
    return [
        (what, ", ".join(f"{thing.replace('_', ' ')} {share:.0%}" for thing, share in things[:BARS]))
        for what, things in advice.belief
    ]
