"""Short rules of a game for people and language models: sections of lines, each tied to the IDs of its rules."""

import re
from collections.abc import Sequence
from textwrap import wrap
from typing import NamedTuple

__all__ = ["Reason", "RuleLine", "RuleSection", "counted", "rule", "rules_text", "section", "words"]

WIDTH = 120
"""Maximum length of a line of `rules_text`."""


class RuleLine(NamedTuple):
    """One or two sentences of the short rules.

    Example:
        >>> from spygames import make_game
        >>> make_game("agent_avenue_v0").short_rules()[0].lines[0].ids
        ('AA-2', 'AA-14', 'AA-15')
    """

    text: str
    """The sentences. Actions are in backquotes, with words in capitals where a name follows: `discard CARD`."""
    ids: tuple[str, ...] = ()
    """The IDs of the rules that it restates, as in the game's README. Empty: those of its section."""
    name: str = ""
    """The card or term that the line explains; "" for a rule."""

    def __str__(self) -> str:
        named = f"{self.name}: {self.text}" if self.name else self.text
        return f"{named} ({', '.join(self.ids)})" if self.ids else named


class RuleSection(NamedTuple):
    """A section of the short rules, such as `In short`.

    Example:
        >>> from spygames import make_game
        >>> [section.title for section in make_game("agent_avenue_v0").short_rules()][:3]
        ['In short', 'Agents: how far the first, second and every later copy moves your meeple', 'Setup']
    """

    title: str
    """The heading."""
    lines: tuple[RuleLine, ...]
    """The lines, in order."""
    ids: tuple[str, ...] = ()
    """The IDs of the rules of all lines that have none of their own."""
    details: bool = False
    """Whether a beginner can skip the section. The other sections come first: the goal, the turn and the end in three
    sentences without texts of actions, then the parts of the game. People get them without IDs."""

    def __str__(self) -> str:
        return f"{self.title} ({', '.join(self.ids)})" if self.ids else self.title


class Reason(NamedTuple):
    """Why an action is not legal, with the ID of the rule that says so.

    Example:
        >>> from spygames import make_game
        >>> from spygames.text import turn_of
        >>> game = make_game("agent_avenue_v0")
        >>> print(turn_of(game, game.start(seed=1)).why_not("recruit up"))
        you recruit a card only when the other side has offered two (AA-12)
    """

    text: str
    """The reason as a clause that addresses the seat as "you"."""
    rule: str
    """The ID of the rule, as in the game's README."""

    def __str__(self) -> str:
        return f"{self.text} ({self.rule})"


def rule(text: str, *ids: str, name: str = "") -> RuleLine:
    """Return a line of the short rules.

    Args:
        text: one or two sentences.
        ids: the IDs of the rules that they restate.
        name: the card or term that the line explains.
    """
    return RuleLine(text, ids, name)


def section(title: str, *lines: RuleLine | None, ids: Sequence[str] = (), details: bool = False) -> RuleSection:
    """Return a section of the short rules. A line that is None is left out, for rules that an option switches off."""
    return RuleSection(title, tuple(line for line in lines if line is not None), tuple(ids), details)


def without_ids(section: RuleSection) -> RuleSection:
    """Return a section as people read it: without IDs, unless it has details."""
    if section.details:
        return section
    return section._replace(ids=(), lines=tuple(line._replace(ids=()) for line in section.lines))


def words(name: str) -> str:
    """Return the name of a card or an option in a sentence: `leader of the pack` for `leader_of_the_pack`."""
    return name.replace("_", " ")


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 card`, `2 cards`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def rules_text(title: str, sections: Sequence[RuleSection], width: int = WIDTH) -> str:
    """Return short rules as text: a line with the title, then each section as a heading and a list.

    Lines have at most `width` characters. The last line has no newline.
    """
    lines = wrap(title, width, subsequent_indent="  ")
    for each in sections:
        lines += wrap(f"{each}:", width, subsequent_indent="  ")
        lines += [part for line in each.lines for part in wrap(f"- {line}", width, subsequent_indent="  ")]
    return "\n".join(lines)


def default_rules(docstring: str | None) -> tuple[RuleSection, ...]:
    """Return the rules of a game without short rules: the first paragraph of its module's docstring."""
    paragraph = re.split(r"\n\s*\n", (docstring or "").strip())[0]
    text = " ".join(paragraph.split())
    return (section("The game", rule(text)),) if text else ()
