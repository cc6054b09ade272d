"""Decisions as texts: what a text player is told, and how its answer becomes an action."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from spygames.core.basics.whole_numbers import whole
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.game.rulebook import Reason, rules_text
from spygames.core.game.seen import Event
from spygames.core.game.validation import one_position
from spygames.core.players.replies import GRAMMAR, Verdict, match, parse

__all__ = ["Turn", "Unknown", "briefing", "prompt", "question", "rules", "turn_of"]


class Unknown(NamedTuple):
    """A question about something that is hidden from a seat (`Game.questions`), as texts.

    Example:
        >>> from spygames import make_game
        >>> from spygames.text import unknowns
        >>> game = make_game("agent_avenue_v0")
        >>> unknowns(game, game.start(seed=1))[0][:2]
        ("copies of double agent in player_1's hand", ('0', '1', '2', '3', '4'))
    """

    about: str
    """What is asked, such as "player_1's agent"."""
    answers: tuple[str, ...]
    """The possible answers."""
    group: str = ""
    """The name of its group in `Questions.groups`."""
    target: int = 0
    """The number of its target in `Game.questions`, from 0."""


@dataclass(frozen=True)
class Turn:
    """A decision of one seat as texts and plain values. It holds nothing that the seat cannot know.

    Example:
        >>> from spygames import make_game
        >>> from spygames.text import turn_of
        >>> game = make_game("agent_avenue_v0")
        >>> turn = turn_of(game, game.start(seed=1))
        >>> turn.seat, turn.legal[0]
        (0, 'discard codebreaker')
    """

    game: Game
    """The game, with its options."""
    seat: int
    """The seat that decides."""
    position: str
    """The position as the seat knows it, in sentences (`Game.describe`)."""
    seen: Mapping[str, Any]
    """The same as a mapping of plain JSON values (`Game.seen_to_dict`)."""
    events: tuple[str, ...]
    """What the seat has seen since its last decision, its own decision included, oldest first (`Game.happened`)."""
    legal: tuple[str, ...]
    """The texts of the legal actions, at least one (`Game.action_to_string`)."""
    actions: tuple[str, ...] = ()
    """The texts of all actions of the game, legal or not, for `why_not`."""
    unknowns: tuple[Unknown, ...] = ()
    """The questions about what is hidden, where they are asked (`belief_turn_of`)."""

    def why_not(self, text: str) -> Reason | None:
        """Return why an action is not legal now, and the rule that says so.

        None if the text is a legal action or not an action of the game, and for a game without reasons.
        """
        action = match(text, self.actions)
        if action is None or action in self.legal or self.game.texts.why_not is None:
            return None
        return self.game.texts.why_not(self.game, self.seen, action, self.seat)


def turn_of(game: Game, states: np.ndarray, events: Sequence[str | Event] = ()) -> Turn:
    """Return the decision that is due in a position.

    Example:
        >>> from spygames import agent_avenue_v0
        >>> from spygames.text import prompt, turn_of
        >>> env = agent_avenue_v0.env()
        >>> env.reset(seed=1)
        >>> events = env.history(env.agent_selection, since_own=True)
        >>> print(prompt(turn_of(env.game, env.state(), events)).splitlines()[0])
        You are player_0 in a game of agent_avenue_v0.

    Args:
        game: the game.
        states: STATE [1], the true position, or its bytes, uint8 (`GameEnv.state`).
        events: what the seat to move has seen since its last decision: texts, or records from `GameEnv.history`.

    Raises:
        ValueError: the game is over, so no decision is due; or `states` is not one position of this variant.
    """
    s = as_record(one_position(game, states))
    seat = int(s.to_move)
    if seat == NOBODY:
        raise ValueError("states must hold a position in which a seat is to move, not the end of a game")
    mask = np.zeros(game.num_actions, np.int8)
    game.legal(s, mask)
    texts = tuple(event if isinstance(event, str) else event["text"] for event in events)
    actions = tuple(game.action_to_string(s, action, seat) for action in range(game.num_actions))
    legal = tuple(actions[action] for action in np.flatnonzero(mask))
    return Turn(game, seat, game.describe(s, seat), game.seen_to_dict(s, seat), texts, legal, actions)


def rules(game: Game) -> str:
    """Return the short rules of a variant as text: at most 60 lines of at most 120 characters for the package's games.

    The lines end with the IDs of the rules that they restate; the README of the game has these rules in full.

    Example:
        >>> from spygames import make_game
        >>> from spygames.text import rules
        >>> print(rules(make_game("agent_avenue_v0")).splitlines()[1])
        In short:
    """
    return rules_text(f"Rules of {game.title}", game.short_rules())


def briefing(game: Game, seat: int) -> str:
    """Return what a seat is told once, before its first decision: who it is, the rules, and the grammar of an answer.

    It depends only on the variant and the seat.

    Raises:
        ValueError: there is no such seat.
    """
    return "\n".join([*introduction(game, seat), "How to answer:", GRAMMAR])


def introduction(game: Game, seat: int) -> list[str]:
    """Return the lines that tell a seat who it is, and the rules."""
    seat = whole("seat", seat, 0, game.num_players - 1)
    others = [f"player_{each}" for each in range(game.num_players) if game.side_of[each] != game.side_of[seat]]
    mates = [f"player_{each}" for each in range(game.num_players) if game.side_of[each] == game.side_of[seat]]
    mates.remove(f"player_{seat}")
    team = f" You win and lose together with {' and '.join(mates)}." if mates else ""
    against = f"You play against {' and '.join(others)}. " if others else ""
    return [
        f"You are player_{seat} in a game of {game.id}.{team}",
        f"{against}Some things are hidden from you.",
        "",
        rules(game),
        "",
    ]


def question(turn: Turn, listed: bool = True) -> str:
    """Return what a seat is told at a decision: what has happened, the position, and its legal actions.

    Args:
        turn: the decision.
        listed: whether the legal actions are listed.
    """
    legal = ["Your legal actions:", *(f"- {text}" for text in turn.legal)] if listed else []
    return "\n".join([
        "What has happened since your last decision:",
        *reported(turn),
        "",
        *legal,
        'Your action? End with {"action": "TEXT"}.',
    ])  # fmt: skip


def reported(turn: Turn) -> list[str]:
    """Return the lines of the events and the position."""
    events = [f"- {event}" for event in turn.events] or ["- nothing yet"]
    return [*events, "", "The position as you know it:", turn.position]


def prompt(turn: Turn, listed: bool = True) -> str:
    """Return `briefing` and `question` as one text, for a player without a memory of the briefing.

    Args:
        turn: the decision.
        listed: whether the legal actions are listed.
    """
    return f"{briefing(turn.game, turn.seat)}\n\n{question(turn, listed)}"


def chosen(answer: str, legal: Sequence[str]) -> str | None:
    """Return the legal action that a text player has answered: its bare text, or an answer for `parse`; else None."""
    bare = match(answer, legal)
    if bare is not None:
        return bare
    reply = parse(answer, legal)
    return reply.action if reply.verdict is Verdict.OK else None
