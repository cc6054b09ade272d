"""The entries of `studies.worst_case`: their page and pictures, and their rows on the agents' cards."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spygames.core.players.names import PlayerName
from spygames_training.experiments.best_response import PLAYS, SEARCH
from spygames_training.output.plots import literal, picture
from spygames_training.output.tables import code_span, markdown_table
from studies.figures import Adversary

FILE = Path(__file__).resolve().parents[1] / "docs" / "results" / "worst_case.json"
"""All entries, in the order in which they were measured."""
PICTURES = "worst_case.svg", "worst_case_curves.svg"
"""The worst case over decisions trained, and the learning curves of the adversaries."""
SIZE = 9.8, 4.2
"""Width and height of these pictures in inches."""
BESIDE: Mapping[str, Any] = {"fontsize": 8, "loc": "upper left", "bbox_to_anchor": (1.01, 1.0)}
"""Place of their legend: beside the axes, where it hides no line."""
WAYS = {"sample": "the learner, sampled", "argmax": "the learner, by argmax", SEARCH: "a search on the learner"}
Entry = Mapping[str, Any]


def times(number: int) -> str:
    """Return how often something was done, in words, such as `once` or `3 times`."""
    return "once" if number == 1 else f"{number} times"


def worst(entry: Entry) -> tuple[Mapping[str, Any], str]:
    """Return the learner and the way of play whose interval has the highest lower end."""
    found = [(learner, how) for learner in entry["learners"] for how in (*PLAYS, SEARCH)]
    return max(found, key=lambda each: each[0][each[1]]["interval"][0])


def adversary(entry: Entry) -> Adversary:
    """Return the worst result of X as a row of the agent's card."""
    learner, how = worst(entry)
    figures = learner[how]
    seeds = f"the worst of {len(entry['learners'])} seeds" if len(entry["learners"]) > 1 else "one seed"
    budget = f"{learner['decisions']:,} own decisions, {seeds}"
    if how == SEARCH:
        budget += f"; {learner['worlds']} worlds a decision"
        budget += f" in {learner['precision']}" if "precision" in learner else ""
    return Adversary(
        how=f"{WAYS[how]}, which started from the agent's own weights",
        play=PlayerName.parse(entry["agent"]).play,
        budget=budget,
        games=figures["games"],
        win_share=figures["win_share"],
        interval=tuple(figures["interval"]),
        fair_share=learner["fair_share"],
        curve=tuple((decisions, share) for decisions, share in learner["curve"]),
    )


def latest(digest: str | None, play: str) -> Entry | None:
    """Return the newest entry of an agent that plays so; None if there is none."""
    entries = json.loads(FILE.read_text()) if FILE.exists() else []
    found = [e for e in entries if e["digest"] == digest and PlayerName.parse(e["agent"]).play == play]
    return found[-1] if found else None


def page(entries: Sequence[Entry]) -> str:
    """Return the table, the newest entry first, and below it the pictures, as Markdown."""
    if not entries:
        return "No agent has been measured yet."
    head = ["date", "commit", "agent", "X", "X learned, decisions", "agent trained, decisions", "worst case, %"]
    head += ["fair share, %", "who knows nothing won, %"]
    rows = []
    for entry in reversed(entries):
        learner, how = worst(entry)
        unaware = entry["unaware"]
        rows.append(
            [
                entry["date"],
                code_span(entry["commit"]) if entry["commit"] else "",
                code_span(entry["agent"]),
                f"{WAYS[how]}, {learner[how]['games']:,} games",
                f"{learner['decisions']:,}, {times(len(entry['learners']))}",
                f"{entry['decisions']:,}",
                f"**{_share(learner[how])}**",
                f"{100 * learner['fair_share']:.1f}",
                "" if unaware is None else f"{_share(unaware)}, {code_span(unaware['player'])}",
            ]
        )
    table = markdown_table(head, rows, texts=4)
    first, second = (f"../images/{name}" for name in PICTURES)
    return (
        f"{table}\n\n![The worst case over the decisions that the agent trained]({first})\n\n"
        f"![What the learners won over their own decisions]({second})"
    )


def _share(figures: Mapping[str, Any]) -> str:
    low, high = figures["interval"]
    return f"{100 * figures['win_share']:.1f} ({100 * low:.1f}-{100 * high:.1f})"


def label(entry: Entry) -> str:
    """Return the text of an entry in a legend."""
    return literal(f"{entry['agent']}, {entry['date']}")


def draw(entries: Sequence[Entry], folder: Path) -> None:
    """Draw both pictures as SVG; none without entries."""
    if not entries:
        return
    with picture(folder / PICTURES[0], 1, 1, SIZE, 100, "svg") as (_, (axes,)):
        for k, entry in enumerate(entries):
            learner, how = worst(entry)
            share, (low, high) = learner[how]["win_share"], learner[how]["interval"]
            above = [100 * (share - learner["fair_share"])]
            errors = [[100 * (share - low)], [100 * (high - share)]]
            look = {"color": f"C{k % 10}", "fmt": "os"[k // 10 % 2], "capsize": 3, "label": label(entry)}
            axes.errorbar([entry["decisions"] / 1e6], above, errors, **look)
        axes.set_xlabel("decisions that the agent trained, million")
        axes.set_ylabel("worst case, points above the fair share")
        axes.grid(alpha=0.3)
        axes.legend(**BESIDE)
    with picture(folder / PICTURES[1], 1, 1, SIZE, 100, "svg") as (_, (axes,)):
        lines = []
        for k, entry in enumerate(entries):
            drawn = []
            for learner in entry["learners"]:
                fair = 100 * learner["fair_share"]
                decisions, won = zip(*_percent(learner["curve"]), strict=True)
                above = [share - fair for share in won]
                drawn += axes.plot(decisions, above, color=f"C{k % 10}", ls=("-", "--")[k // 10 % 2], lw=1.2)
            lines.append(drawn[0])
        axes.legend(lines, [label(entry) for entry in entries], **BESIDE)
        axes.grid(alpha=0.3)
        axes.set_xlabel("the learner's own decisions, million")
        axes.set_ylabel("won in training games,\npoints above the fair share")


def _percent(curve: Sequence[Sequence[float]]) -> list[tuple[float, float]]:
    return [(decisions / 1e6, 100 * share) for decisions, share in curve]


def draw_curve(curve: Sequence[Sequence[float]], path: Path) -> None:
    """Draw the learning curve of the adversary of a card as SVG."""
    with picture(path, 1, 1, (4.2, 3.2), 100, "svg") as (_, (axes,)):
        axes.plot(*zip(*_percent(curve), strict=True), lw=1.2)
        axes.grid(alpha=0.3)
        axes.set_xlabel("the learner's own decisions, million")
        axes.set_ylabel("won in training games, %")
