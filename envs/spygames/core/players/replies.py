"""Read the answers of text players: one action, named in an unmistakable form. Prose is never searched for a move."""

import re
from collections.abc import Iterable
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from spygames.core.basics.text import one_line
from spygames.core.game.rulebook import Reason

__all__ = ["GRAMMAR", "Reply", "Verdict", "canonical", "correction", "parse"]

GRAMMAR = """\
End your answer with your action as one JSON object with one key: {"action": "TEXT"}
TEXT is one of your legal actions. Upper and lower case are the same, and so are blanks and underscores. Instead of the
object you may write the action in square brackets, once and with no other square brackets: [TEXT]
Only these forms count: an action that is named in a sentence is not read. Of several such objects the last one counts;
apart from that, two different actions are no answer."""
"""The grammar of an answer, as it is told to players."""

# Possessive quantifiers (*+) keep the time and memory linear in hostile answers.
_OBJECT = re.compile(r'\{\s*+"action"\s*+:\s*+"([^"\\]*+(?:\\.[^"\\]*+)*+)"\s*+\}')
"""A JSON object with the key `action` alone and a text as its value."""
_BRACKETS = re.compile(r"\[([^\[\]\n]*+)\]")
_ESCAPE = re.compile(r"\\(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[\"\\/bfnrt])")
_ESCAPED = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_QUOTED = 200
"""Maximum number of characters that `Reply.said` quotes."""


class Verdict(StrEnum):
    """What an answer is.

    Example:
        >>> from spygames.text import Verdict, parse
        >>> parse('I take it. {"action": "Recruit_Up"}', ["recruit up", "recruit down"]).verdict is Verdict.OK
        True
    """

    OK = "ok"
    """It names one legal action."""
    UNPARSEABLE = "unparseable"
    """It names no action in the forms of `GRAMMAR`."""
    ILLEGAL = "illegal"
    """It names one action, which is not legal now, or not an action at all."""
    AMBIGUOUS = "ambiguous"
    """It names several different actions."""


class Reply(NamedTuple):
    """An answer as `parse` reads it.

    Example:
        >>> from spygames.text import parse
        >>> parse("[pass]", ["pass", "bet"])
        Reply(verdict=<Verdict.OK: 'ok'>, action='pass', said='pass')
    """

    verdict: Verdict
    """What the answer is."""
    action: str | None
    """The legal action that it names, as in the list of legal actions; None unless the verdict is OK."""
    said: str
    """The text of the action that was named, or of several separated by " | ", or the end of an answer that names none;
    one line of at most 200 characters."""


def canonical(text: str) -> str:
    """Return a text as answers are compared: without case, and with one blank for blanks and underscores.

    Example:
        >>> from spygames.text import canonical
        >>> canonical(" Play  double_agent MOLE ")
        'play double agent mole'
    """
    return " ".join(text.replace("_", " ").casefold().split())


def parse(answer: str, legal: Iterable[str]) -> Reply:
    """Read the answer of a text player.

    The last JSON object with the key `action` alone counts. Without such an object, the text in square brackets counts,
    if there is one. A legal action in brackets beside a different legal action in an object, or different texts in
    brackets, are ambiguous. Nothing else is read, so a move that the answer only mentions is never played. The time is
    linear in the length of the answer.

    Example:
        >>> from spygames.text import parse
        >>> parse("I could bet, but no: [pass]", ["pass", "bet"]).action
        'pass'
        >>> str(parse("I would like to pass.", ["pass", "bet"]).verdict)
        'unparseable'

    Args:
        answer: the whole answer.
        legal: the texts of the legal actions.

    Returns:
        The verdict, the legal action, and the text that was read.
    """
    options = list(legal)
    objects = [_unescaped(found) for found in _OBJECT.findall(answer)]
    brackets = list({canonical(found): found.strip() for found in _BRACKETS.findall(answer) if found.strip()}.values())
    if objects:
        chosen = match(objects[-1], options)
        others = [found for found in (match(each, options) for each in brackets) if found is not None]
        if chosen is not None and any(each != chosen for each in others):
            return _several(dict.fromkeys([chosen, *others]))
        return _judged(objects[-1], chosen)
    if len(brackets) > 1:
        return _several(brackets)
    if brackets:
        return _judged(brackets[0], match(brackets[0], options))
    return Reply(Verdict.UNPARSEABLE, None, one_line(answer[-_QUOTED:], _QUOTED))


def match(text: str, legal: Iterable[str]) -> str | None:
    """Return the legal action with this text: the same text, or the only one with the same `canonical` text."""
    options, wanted = list(legal), canonical(text)
    if text in options:
        return text
    same = [each for each in options if canonical(each) == wanted]
    return same[0] if len(same) == 1 else None


def correction(reply: Reply, legal: Iterable[str] | None = None, why: Reason | None = None) -> str:
    """Return the message for a second try after an answer without a legal action.

    It quotes what was read: the end of an answer without an action, the action that is not legal, or the several
    actions.

    Args:
        reply: what `parse` returned, with another verdict than OK.
        legal: the texts of the legal actions, to list them again; None: they are not listed.
        why: why the action is not legal (`Turn.why_not`); None: no reason is given.
    """
    said, because = f'"{reply.said}"', "" if why is None else f": {why}"
    what = {
        Verdict.UNPARSEABLE: f"Your answer names no action. It ends with {said}.",
        Verdict.ILLEGAL: f"{said} is not one of your legal actions{because}.",
        Verdict.AMBIGUOUS: f"Your answer names several actions: {said}. Name one.",
        Verdict.OK: f"Your action is {said}.",
    }[reply.verdict]
    listed = [] if legal is None else ["Your legal actions:", *(f"- {text}" for text in legal)]
    return "\n".join([what, *listed, GRAMMAR])


def _judged(said: str, chosen: str | None) -> Reply:
    return Reply(Verdict.ILLEGAL if chosen is None else Verdict.OK, chosen, one_line(said, _QUOTED))


def _several(actions: Iterable[str]) -> Reply:
    return Reply(Verdict.AMBIGUOUS, None, one_line(" | ".join(islice(actions, 10)), _QUOTED))


def _unescaped(text: str) -> str:
    """Return the value of a JSON string between its quotes. An invalid escape is kept as it is."""

    def character(found: re.Match[str]) -> str:
        code = found[1]
        if code[0] != "u":
            return _ESCAPED[code]
        return bytes.fromhex(code[1:].replace("\\u", "")).decode("utf-16-be", "surrogatepass")

    return _ESCAPE.sub(character, text)
