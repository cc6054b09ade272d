"""What a seat has seen of a game: its events as records, and a digest of everything that it can distinguish."""

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Literal, TypedDict, get_args

__all__ = ["DIGEST_BYTES", "PARTS", "Event", "Part", "first_digest", "next_digest"]

Part = Literal["public", "private", "mixed"]
"""Who knows the value of a field of VIEW: every seat (public), or not (private).

A mixed field has public and private elements, or public facts in an order that only the seat knows."""
PARTS: tuple[Part, ...] = get_args(Part)

DIGEST_BYTES = 16
"""Size of the digest of an information state. Two different ones are equal by accident once in 2^128."""


class Event(TypedDict):
    """One decision as a seat has seen it, with plain JSON values only. It holds nothing that the seat cannot know.

    Example:
        >>> from spygames import agent_avenue_v0
        >>> env = agent_avenue_v0.env()
        >>> env.reset(seed=1)
        >>> env.step(env.string_to_action("discard saboteur"))
        >>> [(event["seen"], event["action"]) for event in env.history("player_0")]
        [('player_0 discards saboteur', 3)]
        >>> [(event["seen"], event["action"]) for event in env.history("player_1")]
        [('player_0 discards a card', None)]
    """

    agent: str
    """The agent that decided, such as `player_1`."""
    kind: str
    """The kind of decision: the `phase` of the position as the seat saw it. "decision" for a game without phases."""
    seen: str
    """What the seat saw of the action (`Game.seen_action`)."""
    effects: str
    """What changed for the seat up to the next decision (`Texts.effects`); "" for nothing."""
    text: str
    """Both, with the effects in parentheses (`Game.happened`)."""
    action: int | None
    """The action, 0..A-1, if the seat itself decided; None for the actions of others."""
    action_text: str | None
    """The text of this action (`Game.action_to_string`); None for the actions of others."""


def first_digest(seat: int, view: bytes, mapping: Mapping[str, Any]) -> bytes:
    """Return the digest of what a seat knows when it first sees a game.

    Args:
        seat: the seat.
        view: the bytes of its VIEW.
        mapping: its `Game.seen_to_dict`.
    """
    return _digest(b"", [seat], view, mapping)


def next_digest(
    before: bytes, view: bytes, mapping: Mapping[str, Any], agent: int, seen: str, action: int | None
) -> bytes:
    """Return the digest of what a seat has seen after one more decision.

    Two digests are equal if and only if the seat has seen the same in the same order: views, mappings, the movers, the
    texts of their actions, and its own actions.

    Args:
        before: the digest before the decision.
        view: the bytes of the VIEW of the seat after it.
        mapping: the `Game.seen_to_dict` of the seat after it.
        agent: the seat that decided.
        seen: the `Game.seen_action` of the seat.
        action: the action, if the seat itself decided; None for the actions of others.
    """
    return _digest(before, [agent, seen, action], view, mapping)


def _digest(before: bytes, event: list[Any], view: bytes, mapping: Mapping[str, Any]) -> bytes:
    known = json.dumps([event, mapping]).encode()
    # The digest before and the view have a fixed size in each game, so the parts cannot be confused.
    return blake2b(before + view + known, digest_size=DIGEST_BYTES).digest()
