"""Questions about what is hidden, as texts, and answers to them as probabilities."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from spygames.core.basics.json_values import is_number
from spygames.core.basics.plain import plain
from spygames.core.basics.text import one_line, shown
from spygames.core.game.belief_targets import UNASKED
from spygames.core.game.game import Game, as_record
from spygames.core.game.seen import Event
from spygames.core.game.validation import one_position
from spygames.core.players.replies import canonical
from spygames.core.players.turns import Turn, Unknown, introduction, reported, turn_of

__all__ = [
    "BELIEF_GRAMMAR",
    "BeliefVerdict",
    "Beliefs",
    "belief_briefing",
    "belief_correction",
    "belief_question",
    "belief_turn_of",
    "parse_beliefs",
    "read_beliefs",
    "unknowns",
]

BELIEF_GRAMMAR = """\
End your answer with one JSON object with one key: {"beliefs": {"QUESTION": {"ANSWER": PROBABILITY, ...}, ...}}
Name every question, and use only its possible answers. Upper and lower case are the same, and so are blanks and
underscores. A probability is a number from 0 to 1. Those of a question add up to 1; answers left out have 0.
Your probabilities are scored by the logarithm of the one that you gave to the truth."""
"""The grammar of an answer about what is hidden, as it is told to players."""
TOLERANCE = 0.02
"""How far the probabilities of a question may be from a sum of 1. They are scaled to it."""

_START = re.compile(r'\{\s*+"beliefs"\s*+:')
_NAMED = 5
"""Maximum number of wrong questions that a correction names."""


class BeliefVerdict(StrEnum):
    """What an answer about what is hidden is.

    Example:
        >>> from spygames.text import BeliefVerdict, Unknown, parse_beliefs
        >>> coin = Unknown("the coin", ("heads", "tails"))
        >>> parse_beliefs('{"beliefs": {"the coin": {"heads": 1.5}}}', [coin]).verdict is BeliefVerdict.INVALID
        True
    """

    OK = "ok"
    """It answers every question."""
    INVALID = "invalid"
    """Some question is missing, or what it says about one is no probabilities of the possible answers."""
    UNPARSEABLE = "unparseable"
    """It has no object in the form of `BELIEF_GRAMMAR`."""


class Beliefs(NamedTuple):
    """An answer about what is hidden, as `parse_beliefs` reads it.

    Example:
        >>> from spygames.text import Unknown, parse_beliefs
        >>> coin = Unknown("the coin", ("heads", "tails"))
        >>> parse_beliefs('{"beliefs": {"The coin": {"heads": 0.25, "tails": 0.75}}}', [coin]).probabilities
        ((0.25, 0.75),)
    """

    verdict: BeliefVerdict
    """What the answer is."""
    probabilities: tuple[tuple[float, ...] | None, ...]
    """By question, the probability of each answer, of sum 1; None: the question is not answered, or not validly."""
    wrong: tuple[str, ...]
    """What is wrong, one line for each question without a valid answer, or for the whole answer."""


def unknowns(game: Game, states: np.ndarray) -> tuple[Unknown, ...]:
    """Return the questions about what is hidden from the seat to move (`Game.questions`) that apply in a position.

    Example:
        >>> from spygames import make_game
        >>> from spygames.text import unknowns
        >>> game = make_game("heimlich_v0", players=3)
        >>> [each.about for each in unknowns(game, game.start(seed=1))]
        ["player_1's agent", "player_2's agent"]

    Args:
        game: the game.
        states: STATE [1], or its bytes, uint8. The result depends only on what the seat to move knows.

    Returns:
        The questions, in the order of the game; none if the game has no questions.

    Raises:
        ValueError: `states` is not one position of this variant.
    """
    if game.questions is None:
        return ()
    s = as_record(one_position(game, states))
    seat = int(s.to_move)
    truth = np.zeros(len(game.questions.sizes), np.int8)
    game.questions.answer(s, np.int64(seat), truth)
    asked = np.flatnonzero(truth != UNASKED).tolist()
    groups = [(name, k, answers) for name, count, answers in game.questions.groups for k in range(count)]
    if game.questions.words is None:
        texts: Sequence[tuple[str, Sequence[str]]] = [
            (f"{name} {k + 1}", [str(answer) for answer in range(answers)]) for name, k, answers in groups
        ]
    else:
        texts = game.questions.words(game, game.seen_to_dict(s, seat), seat)
    return tuple(Unknown(texts[target][0], tuple(texts[target][1]), groups[target][0], target) for target in asked)


def belief_turn_of(game: Game, states: np.ndarray, events: Sequence[str | Event] = ()) -> Turn:
    """Return the decision that is due in a position, with the questions about what is hidden.

    Arguments and errors are those of `turn_of`. `events` are all that the seat has seen since the game began.
    """
    return replace(turn_of(game, states, events), unknowns=unknowns(game, states))


def belief_briefing(game: Game, seat: int) -> str:
    """Return what a player is told before questions about what is hidden: who it is, the rules, and `BELIEF_GRAMMAR`.

    It depends only on the variant and the seat.
    """
    return "\n".join([*introduction(game, seat), "How to answer:", BELIEF_GRAMMAR])


def belief_question(turn: Turn) -> str:
    """Return the questions about what is hidden at a decision: all that the seat has seen, the position, the questions.

    Args:
        turn: the decision, see `belief_turn_of`.
    """
    return "\n".join([
        "All that you have seen in this game so far:",
        *reported(turn),
        "",
        "You need not move now. Questions about what is hidden from you, each with its possible answers:",
        *(f"- {each.about}: {', '.join(each.answers)}" for each in turn.unknowns),
        'How likely is each answer? End with {"beliefs": {"QUESTION": {"ANSWER": PROBABILITY, ...}, ...}}.',
    ])  # fmt: skip


def parse_beliefs(answer: str, asked: Sequence[Unknown]) -> Beliefs:
    """Read an answer about what is hidden.

    The last JSON object that begins with the key `beliefs` counts, if it has no other key. Each question in it is valid
    by itself: its answers are possible ones, each once, with probabilities from 0 to 1 that add up to 1, or to a number
    that differs by at most `TOLERANCE`. Questions that were not asked are ignored. The time is linear in the length of
    the answer.

    Args:
        answer: the whole answer.
        asked: the questions.
    """
    starts = [found.start() for found in _START.finditer(answer)]
    if not starts:
        return _nothing(f"there is no object with beliefs; the answer ends with {shown(answer[-100:])}", asked)
    try:
        found, _ = _DECODER.raw_decode(answer, starts[-1])
        content = _unique(found)
    except (ValueError, RecursionError) as error:
        return _nothing(f"the object with beliefs is not JSON ({one_line(error, 100)})", asked)
    if [*content] != ["beliefs"] or not isinstance(content["beliefs"], _Pairs):
        return _nothing('the object must have the key "beliefs" alone, with an object as its value', asked)
    return read_beliefs(content["beliefs"], asked)


def read_beliefs(found: Any, asked: Sequence[Unknown]) -> Beliefs:
    """Check answers about what is hidden: a mapping of questions to mappings of answers to probabilities.

    Args:
        found: the mapping; anything else is unparseable.
        asked: the questions.
    """
    try:
        given = _unique(found)
    except ValueError as error:
        return _nothing(str(error), asked)
    read = [_read(given, each) for each in asked]
    wrong = tuple(each for each in read if isinstance(each, str))
    verdict = BeliefVerdict.INVALID if wrong else BeliefVerdict.OK
    return Beliefs(verdict, tuple(None if isinstance(each, str) else each for each in read), wrong)


def belief_correction(beliefs: Beliefs) -> str:
    """Return the message for a second try after an answer that is not OK. It says what is wrong."""
    more = len(beliefs.wrong) - _NAMED
    also = [f"- and {more} more"] if more > 0 else []
    lines = [f"- {each}" for each in beliefs.wrong[:_NAMED]]
    return "\n".join(["Your answer cannot be used:", *lines, *also, "Answer all questions again.", BELIEF_GRAMMAR])


class _Pairs(list[tuple[str, Any]]):
    """The pairs of a JSON object, in which keys may repeat."""


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is not a number in JSON")


def _whole(digits: str) -> float:
    return float(digits[:400])  # of a length that no probability has


_DECODER = json.JSONDecoder(object_pairs_hook=_Pairs, parse_constant=_refuse, parse_int=_whole)


def _unique(found: object) -> dict[str, Any]:
    """Return a mapping by canonical keys. ValueError for no mapping, or if two keys are the same."""
    if not isinstance(found, _Pairs | Mapping):
        raise ValueError(f"it must be an object, not {shown(found)}")
    pairs = [(canonical(str(key)), value) for key, value in (found if isinstance(found, _Pairs) else found.items())]
    content = dict(pairs)
    if len(content) < len(pairs):
        (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"{shown(twice)} stands in it twice")
    return content


def _read(given: Mapping[str, Any], asked: Unknown) -> tuple[float, ...] | str:
    """Return the probabilities of a question's answers, or what is wrong with them."""
    if canonical(asked.about) not in given:
        return f"{asked.about}: it is missing"
    try:
        content = _unique(given[canonical(asked.about)])
    except ValueError as error:
        return f"{asked.about}: {error}"
    answers = [canonical(answer) for answer in asked.answers]
    if strange := [answer for answer in content if answer not in answers]:
        return f"{asked.about}: {shown(strange[0])} is not one of its possible answers"
    values = [plain(content.get(answer, 0.0)) for answer in answers]
    if not all(is_number(value) and 0 <= value <= 1 for value in values):
        return f"{asked.about}: a probability must be a number from 0 to 1"
    total = float(sum(values))
    if abs(total - 1) > TOLERANCE + 1e-9:
        return f"{asked.about}: its probabilities add up to {total:.3g}, not to 1"
    return tuple(float(value) / total for value in values)


def _nothing(why: str, asked: Sequence[Unknown]) -> Beliefs:
    return Beliefs(BeliefVerdict.UNPARSEABLE, (None,) * len(asked), (why,))
