"""The table and the picture of beliefs about hidden things."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spygames_training.output.plots import literal, picture
from spygames_training.output.tables import TextTable, broken, code_span

if TYPE_CHECKING:
    from spygames_training.evaluation.belief_scores import BeliefResult

OWN, RULES_COLOR, KNOWN_COLOR = "#1f5fa8", "#666666", "#2e7d32"


def belief_table(results: "Sequence[BeliefResult]", rules: str, known: str) -> TextTable:
    """Return a table with a row for each group of questions and player; `rules` and `known` are not players."""
    excess = any(r.excess is not None for r in results)
    failing = any(r.answered < r.questions for r in results)
    head = ["about (questions)", "who", "nats (95 %)", "beyond the rules (95 %)"]
    head += ["excess (95 %)"] if excess else []
    head += ["certain %", "right %"]
    head += ["answered", "nats of these (95 %)", "rules on these"] if failing else []
    rows = []
    for r in results:
        about = f"{r.group.replace('_', ' ')} ({r.questions:,})"
        name = r.player if r.player in (rules, known) else code_span(r.player)
        row = [about, name, _estimate(r.nats, r.interval)]
        row += ["" if r.player == rules else _estimate(r.over_rules, r.over_rules_interval, "+")]
        if excess:
            row += ["" if r.player == known else _estimate(r.excess, r.excess_interval, "+")]
        row += [f"{100 * r.certain:.1f}", "" if r.right is None else f"{100 * r.right:.1f}"]
        if failing:
            row += [f"{r.answered:,}", _estimate(r.nats_answered, r.answered_interval)]
            row += ["" if r.rules_answered is None else f"{r.rules_answered:.3f}"]
        rows.append(row)
    return TextTable(head, rows, texts=2)


def caption(found: Mapping[str, Any], rules: str, known: str) -> str:
    """Return what the columns of `belief_table` are, with the numbers of games, positions and worlds.

    Args:
        found: the results as JSON values, see `belief_probe.as_json`.
        rules, known: as in `belief_table`.
    """
    positions, games = (f"{found[what]:,} {what if found[what] != 1 else what[:-1]}" for what in ("positions", "games"))
    players = ", ".join(dict.fromkeys(each["name"] for each in found["games of"]))
    parts = [
        f"{positions} of {games} of {players}. nats: mean of -log of the probability given to the truth, with the 95 % "
        "interval over deals (0: certain and right). "
        f"beyond the rules: how much less than the {rules}. certain: answers with at least 99 % on one possibility; "
        "right: how many of these are.",
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
            f"answered: questions with a valid answer; the others count as the {rules}. nats of these: without them."
        )
    return " ".join(parts)


def belief_picture(results: "Sequence[BeliefResult]", rules: str, known: str, file: Path, title: str) -> None:
    """Draw the nats of all players with their intervals, a panel for each group of questions.

    The suffix of `file` chooses the format.
    """
    groups = list(dict.fromkeys(r.group for r in results))
    names = list(dict.fromkeys(r.player for r in results))
    labels = [literal(broken(name, 36)) for name in names]
    width = max(len(line) for label in labels for line in label.split("\n"))
    size = 0.6 + 0.08 * width + 3.4 * len(groups), 1.5 + 0.42 * len(names)
    with picture(file, 1, len(groups), size, 150, file.suffix[1:]) as (figure, axes):
        for axis, group in zip(axes, groups, strict=True):
            mine = {r.player: r for r in results if r.group == group}
            for place, name in enumerate(names):
                if (r := mine.get(name)) is None:
                    continue
                color = {rules: RULES_COLOR, known: KNOWN_COLOR}.get(name, OWN)
                axis.plot(r.interval, [place, place], color=color, lw=2.5, solid_capstyle="butt")
                axis.plot([r.nats], [place], "o", color=color, ms=6)
                above = {"textcoords": "offset points", "ha": "center", "fontsize": 8}
                back = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
                axis.annotate(f"{r.nats:.3f}", (r.nats, place), (0, 7), bbox=back, **above)
                if name in (rules, known):
                    axis.axvline(r.nats, color=color, lw=1, ls=":", zorder=0)
            axis.set_title(literal(group.replace("_", " ")), fontsize=10)
            axis.set_ylim(len(names) - 0.5, -0.7)
            axis.set_yticks(range(len(names)), labels=[])
            axis.set_xlabel("nats per question (lower is better)")
            axis.margins(x=0.15)
            low, high = axis.get_xlim()
            axis.set_xlim(max(low, -0.04 * high), high)
            axis.grid(axis="x", alpha=0.3)
        axes[0].set_yticks(range(len(names)), labels=labels)
        figure.suptitle(literal(title), fontsize=11)


def _estimate(value: float | None, interval: tuple[float, float] | None, sign: str = "") -> str:
    """Return a value with its interval as text: `0.853 (0.812-0.934)`, or `+0.021 (+0.010..+0.042)` with signs."""
    if value is None or interval is None:
        return ""
    ends = (".." if sign else "-").join(format(x, f"{sign}.3f") for x in interval)
    return f"{value:{sign}.3f} ({ends})"
