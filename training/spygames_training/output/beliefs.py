"""The table and the picture of beliefs about hidden things."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spygames_training.output.plots import literal, picture
from spygames_training.output.tables import TextTable, code_span

if TYPE_CHECKING:
    from spygames_training.evaluation.belief_scores import BeliefResult

OWN, RULES_COLOR, KNOWN_COLOR = "#1f5fa8", "#666666", "#2e7d32"


def belief_table(results: "Sequence[BeliefResult]", rules: str, known: str) -> TextTable:
    """Return a table with a row for each group of questions and player; `rules` and `known` are not players."""
    excess = any(r.excess is not None for r in results)
    failing = any(r.answered < r.questions for r in results)
    head = ["questions", "who", "nats", "95 %", "beyond the rules", "95 %"]
    head += ["excess", "95 %"] if excess else []
    head += ["certain %", "of these right %", "questions"]
    head += ["answered", "nats of these", "95 %", "rules on these"] if failing else []
    rows = []
    for r in results:
        name = r.player if r.player in (rules, known) else code_span(r.player)
        row = [r.group.replace("_", " "), name, f"{r.nats:.3f}", _range(r.interval, ".3f")]
        row += ["", ""] if r.player == rules else [f"{r.over_rules:+.3f}", _range(r.over_rules_interval, "+.3f")]
        if excess:
            bare = r.player == known or r.excess is None or r.excess_interval is None
            row += ["", ""] if bare else [f"{r.excess:+.3f}", _range(r.excess_interval, "+.3f")]
        row += [f"{100 * r.certain:.1f}", "" if r.right is None else f"{100 * r.right:.1f}", f"{r.questions:,}"]
        if failing:
            row += [f"{r.answered:,}", _number(r.nats_answered), _range(r.answered_interval, ".3f")]
            row += [_number(r.rules_answered)]
        rows.append(row)
    return TextTable(head, rows, texts=2)


def caption(found: Mapping[str, Any], rules: str, known: str) -> str:
    """Return what the columns of `belief_table` are, with the numbers of games, positions and worlds.

    Args:
        found: the results as JSON values, see `belief_probe.as_json`.
        rules, known: as in `belief_table`.
    """
    players = ", ".join(dict.fromkeys(each["name"] for each in found["games of"]))
    parts = [
        f"{found['positions']:,} positions of {found['games']:,} games of {players}. nats: mean of -log of the "
        "probability given to the truth, with the 95 % interval over deals (0: certain and right). "
        f"beyond the rules: how much less than the {rules}. certain: answers with at least 99 % on one possibility.",
        f"{rules}: {found['worlds']:,} equally likely deals that fit the view; sampling adds about "
        f"{found['sampling']:.4f} nats.",
    ]
    if found["effective worlds"] is not None:
        counts = found["effective worlds"]
        parts.append(
            f"excess: nats more than someone who {known}, from worlds weighted by the exact probabilities of all "
            f"decisions (effective number of worlds: median {counts['median']:,.0f}, least {counts['least']:,.0f})."
        )
    if any(each["answered"] < each["questions"] for each in found["results"]):
        parts.append(
            f"answered: questions with a valid answer; the others count as the {rules}. nats of these: without the others."
        )
    return " ".join(parts)


def belief_picture(results: "Sequence[BeliefResult]", rules: str, known: str, file: Path, title: str) -> None:
    """Draw the nats of all players with their intervals, a panel for each group of questions.

    The suffix of `file` chooses the format.
    """
    groups = list(dict.fromkeys(r.group for r in results))
    names = list(dict.fromkeys(r.player for r in results))
    size = 3.2 + 3.6 * len(groups), 1.5 + 0.42 * len(names)
    with picture(file, 1, len(groups), size, 150, file.suffix[1:]) as (figure, axes):
        for axis, group in zip(axes, groups, strict=True):
            mine = {r.player: r for r in results if r.group == group}
            for place, name in enumerate(names):
                if (r := mine.get(name)) is None:
                    continue
                color = {rules: RULES_COLOR, known: KNOWN_COLOR}.get(name, OWN)
                axis.plot(r.interval, [place, place], color=color, lw=2.5, solid_capstyle="butt")
                axis.plot([r.nats], [place], "o", color=color, ms=6)
                axis.annotate(
                    f"{r.nats:.3f}", (r.nats, place), (0, 6), textcoords="offset points", ha="center", fontsize=8
                )
                if name in (rules, known):
                    axis.axvline(r.nats, color=color, lw=1, ls=":", zorder=0)
            axis.set_title(literal(group.replace("_", " ")), fontsize=10)
            axis.set_ylim(len(names) - 0.5, -0.7)
            axis.set_yticks(range(len(names)), labels=[])
            axis.set_xlabel("nats per question (lower is better)")
            axis.margins(x=0.15)
            axis.grid(axis="x", alpha=0.3)
        axes[0].set_yticks(range(len(names)), labels=[*map(literal, names)])
        figure.suptitle(literal(title), fontsize=11)


def _range(interval: tuple[float, float] | None, form: str) -> str:
    """Return an interval as text: `0.812-0.934`, or `+0.010 to +0.042` with signs."""
    if interval is None:
        return ""
    return (" to " if form[0] == "+" else "-").join(format(x, form) for x in interval)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
