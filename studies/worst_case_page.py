"""The entries of `studies.worst_case`: reading them, their page and pictures, and their rows on the agents' cards."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullLocator

from spygames.core.basics.json_values import is_count
from spygames.core.basics.text import one_line
from spygames.core.players.names import PlayerName
from spygames.core.players.released import released_agents
from spygames_training.experiments.best_response import PLAYS, SEARCH
from spygames_training.output.plots import literal, picture
from spygames_training.output.tables import code_span, markdown_table
from spygames_training.search.settings import SearchPrecision
from studies.figures import FIGURES, Adversary, check_curve, check_shares, read_json, require, searched, won

FILE = Path(__file__).resolve().parents[1] / "docs" / "results" / "worst_case.json"
"""All entries, in the order in which they were measured."""
PICTURES = "worst_case.svg", "worst_case_curves.svg"
"""The worst case over decisions trained, and the learning curves of the adversaries."""
SIZE = 9.8, 3.1
"""Width of these pictures, and height for each game, in inches."""
BESIDE: Mapping[str, Any] = {"fontsize": 8, "title_fontsize": 8, "loc": "upper left", "bbox_to_anchor": (1.01, 1.0)}
"""Place of their legend: beside the axes, where it hides no line."""
LEGEND = "agent, measured on, X's own decisions"
"""Title of their legend."""
WAYS = {"sample": "the learner, sampled", "argmax": "the learner, by argmax", SEARCH: "a search on the learner"}
Entry = Mapping[str, Any]
KEYS = {"date", "commit", "agent", "digest", "decisions", "learners", "unaware"}
"""Keys of an entry."""
WHICH = (
    "The digest says which agent was measured: an agent that was *replaced* had the same name as a released one, but "
    "other weights. The commit is that of the clone that measured, which may not have had the agent. The pictures show "
    "one measurement of each agent: the one with the largest budget, and the worst of several such."
)
"""Text below the table."""


def times(number: int) -> str:
    """Return how often something was done, in words, such as `once` or `3 times`."""
    return "once" if number == 1 else f"{number} times"


def worst(entry: Entry) -> tuple[Mapping[str, Any], str]:
    """Return the learner and the way of play whose interval has the highest lower end."""
    found = [(learner, how) for learner in entry["learners"] for how in (*PLAYS, SEARCH)]
    return max(found, key=lambda each: _lower_end(*each))


def adversary(entry: Entry) -> Adversary:
    """Return the worst result of X as a row of the agent's card."""
    learner, how = worst(entry)
    figures = learner[how]
    seeds = f"the worst of {len(entry['learners'])} seeds" if len(entry["learners"]) > 1 else "one seed"
    budget = f"{learner['decisions']:,} own decisions, {seeds}"
    if how == SEARCH:
        budget += f"; {searched(learner['worlds'], learner.get('precision'))}"
    return Adversary(
        how=f"{WAYS[how]}, which started from the agent's own weights",
        play=PlayerName.parse(entry["agent"]).play,
        budget=budget,
        games=figures["games"],
        win_share=figures["win_share"],
        interval=tuple(figures["interval"]),
        fair_share=learner["fair_share"],
        curve=tuple((decisions, share) for decisions, share in learner.get("curve", ())),
    )


def read_entries(file: Path) -> list[Entry]:
    """Return the entries of the file, none if it is not there; ValueError if it is damaged."""
    if not file.exists():
        return []
    found = read_json(file, "not a file of worst cases")
    if not isinstance(found, list) or not all(isinstance(e, dict) and e.keys() >= KEYS for e in found):
        raise ValueError(
            f"{file} is not a file of worst cases: it must be a list of entries with {', '.join(sorted(KEYS))}"
        )
    for number, entry in enumerate(found, 1):
        try:
            _check_entry(entry)
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            problem = f"{error.args[0]} is missing" if isinstance(error, KeyError) else one_line(error, 200)
            raise ValueError(f"{file} is not a file of worst cases: entry {number}: {problem}") from None
    return found


def _check_entry(entry: Entry) -> None:
    """Raise ValueError, LookupError, TypeError or AttributeError if a part that the page or a card shows is invalid."""
    for name in ("date", "commit", "agent", "digest"):
        require(name, isinstance(entry[name], str))
    PlayerName.parse(entry["agent"])
    require("decisions", is_count(entry["decisions"]))
    require("learners", isinstance(entry["learners"], list) and len(entry["learners"]) > 0)
    for learner in entry["learners"]:
        require("learners", isinstance(learner, dict))
        for name in ("seed", "decisions", "worlds"):
            require(name, is_count(learner[name]))
        require("precision", learner.get("precision", "float32") in get_args(SearchPrecision))
        for how in (*PLAYS, SEARCH):
            require(how, isinstance(learner[how], dict))
            check_shares(learner[how], learner["fair_share"])
        check_curve(learner.get("curve", ()))
    if (unaware := entry["unaware"]) is not None:
        require("unaware", isinstance(unaware, dict) and isinstance(unaware["player"], str))
        check_shares(unaware, entry["learners"][0]["fair_share"])


def replaced(entry: Entry) -> str:
    """Return `, replaced` if a released agent has the entry's name and other weights, else nothing."""
    source = PlayerName.parse(entry["agent"]).source
    files = [agent.folder / FIGURES for agent in released_agents() if agent.name == source]
    digests = [json.loads(file.read_text())["digest"] for file in files if file.exists()]
    return ", replaced" if digests and entry["digest"] not in digests else ""


def plays(agent: str) -> tuple[str, ...]:
    """Return how an agent plays, or each member of a mixture. A digest does not cover it."""
    return tuple(member.play for member in PlayerName.parse(agent).members)


def that_count(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entry that counts for each agent and way to play, in the order of `entries`.

    Among the entries with the most decisions of all learners together, it is the one with the worst result. A quick
    look with a smaller budget is a weaker bound and does not count, whatever it found.
    """
    found: dict[tuple[str, tuple[str, ...]], Entry] = {}
    for entry in sorted(entries, key=lambda each: (_budget(each), _lower_end(*worst(each)))):
        found[entry["digest"], plays(entry["agent"])] = entry
    return [entry for entry in entries if any(entry is each for each in found.values())]


def worst_entry(digest: str | None, play: str) -> Entry | None:
    """Return the entry of the file that counts (`that_count`) for an agent that plays so; None if there is none."""
    mine = [e for e in read_entries(FILE) if e["digest"] == digest and plays(e["agent"]) == (play,)]
    return next(iter(that_count(mine)), None)


def _budget(entry: Entry) -> int:
    return sum(learner["decisions"] for learner in entry["learners"])


def _lower_end(learner: Mapping[str, Any], how: str) -> float:
    return learner[how]["interval"][0]


def summary(entries: Sequence[Entry]) -> str:
    """Return a table of what X won against each released agent with each budget, as Markdown.

    Of several measurements with one budget, the worst counts.
    """
    released = {agent.name for agent in released_agents()}
    found: dict[str, dict[tuple[int, int], Entry]] = {}
    for entry in sorted(entries, key=lambda each: _lower_end(*worst(each))):
        if (agent := PlayerName.parse(entry["agent"]).source) in released and not replaced(entry):
            learners = entry["learners"]
            found.setdefault(agent, {})[_budget(entry), len(learners)] = entry
    if not found:
        return "No released agent has been measured yet."
    budgets = sorted({budget for cells in found.values() for budget in cells})
    head = ["agent", *(f"{total / n / 1e6:g} million, {times(n)}" for total, n in budgets)]
    rows = [[code_span(agent), *(_share(found[agent].get(each)) for each in budgets)] for agent in sorted(found)]
    return markdown_table(head, rows, texts=1)


def _share(entry: Entry | None) -> str:
    """Return what X won in percent, and the fair share if it is not 50; "" without an entry."""
    if entry is None:
        return ""
    learner, how = worst(entry)
    share, fair = (f"{100 * each:.1f}" for each in (learner[how]["win_share"], learner["fair_share"]))
    return share if fair == "50.0" else f"{share} [{fair}]"


def page(entries: Sequence[Entry]) -> str:
    """Return the table, the newest entry first, and below it the pictures, as Markdown."""
    if not entries:
        return "No agent has been measured yet."
    head = ["date", "commit", "agent", "digest", "X", "X learned, decisions", "agent trained, decisions"]
    head += ["worst case, %", "fair share, %", "uninformed adversary won, %"]
    rows = []
    for entry in reversed(entries):
        learner, how = worst(entry)
        unaware = entry["unaware"]
        rows.append(
            [
                entry["date"],
                code_span(entry["commit"]) if entry["commit"] else "",
                code_span(entry["agent"]) + replaced(entry),
                code_span(entry["digest"]),
                f"{WAYS[how]}, {learner[how]['games']:,} games",
                f"{learner['decisions']:,}, {times(len(entry['learners']))}, {_seeds(entry)}",
                f"{entry['decisions']:,}",
                f"**{won(learner[how])}**",
                f"{100 * learner['fair_share']:.1f}",
                "" if unaware is None else f"{won(unaware)}, {code_span(unaware['player'])}",
            ]
        )
    table = markdown_table(head, rows, texts=5)
    first, second = (f"../images/{name}" for name in PICTURES)
    return (
        f"{table}\n\n{WHICH}\n\n![The worst case over the decisions that the agent trained]({first})\n\n"
        f"![What the learners won over their own decisions]({second})"
    )


def _seeds(entry: Entry) -> str:
    first, *more = (learner["seed"] for learner in entry["learners"])
    return f"seeds {first} to {more[-1]}" if more else f"seed {first}"


def labels(entries: Sequence[Entry]) -> list[str]:
    """Return the texts of the entries in a legend: the agent, month and day, and what X learned. The first seed tells
    two measurements apart that would look the same."""
    found = []
    for entry in entries:
        learners = entry["learners"]
        budget = f"{learners[0]['decisions'] / 1e6:g} M" + (f" x {len(learners)}" if len(learners) > 1 else "")
        found.append(literal(f"{entry['agent']}{replaced(entry)}, {entry['date'][5:]}, {budget}"))
    return [
        f"{text}, seed {entry['learners'][0]['seed']}" if found.count(text) > 1 else text
        for text, entry in zip(found, entries, strict=True)
    ]


def draw(entries: Sequence[Entry], folder: Path) -> None:
    """Draw both pictures of the entries that count as SVG, with one row for each game; none without entries."""
    games: dict[str, list[tuple[Entry, str]]] = {}
    counted = that_count(entries)
    for entry, text in zip(counted, labels(counted), strict=True):
        games.setdefault(entry["agent"].removeprefix("mix:").partition("/")[0], []).append((entry, text))
    if not games:
        return
    size = SIZE[0], SIZE[1] * len(games)
    with picture(folder / PICTURES[0], len(games), 1, size, 100, "svg") as (_, rows):
        for axes, (game, found) in zip(rows, sorted(games.items()), strict=True):
            for k, (entry, text) in enumerate(found):
                learner, how = worst(entry)
                share, (low, high) = learner[how]["win_share"], learner[how]["interval"]
                above = [100 * (share - learner["fair_share"])]
                errors = [[100 * (share - low)], [100 * (high - share)]]
                look = {"color": f"C{k % 10}", "fmt": "os^D"[k // 10 % 4], "capsize": 3, "label": text}
                inside = {} if len(entry["learners"]) > 1 else {"mfc": "white"}
                axes.errorbar([max(entry["decisions"], 1) / 1e6], above, errors, **look, **inside)
            axes.set_xscale("log")  # most agents trained for about 100 million, a few for ten times as long
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.xaxis.set_minor_locator(NullLocator())
            axes.xaxis.set_major_formatter("{x:g}")
            axes.legend(title=f"{LEGEND}\nfilled: the worst of several seeds, hollow: one seed", **BESIDE)
            _finish(axes, game, "worst case, points\nabove the fair share")
            axes.sharex(rows[0])
        rows[-1].set_xlabel("decisions that the agent trained, million")
    with picture(folder / PICTURES[1], len(games), 1, size, 100, "svg") as (_, rows):
        for axes, (game, found) in zip(rows, sorted(games.items()), strict=True):
            lines = []
            for k, (entry, _text) in enumerate(found):
                drawn = []
                for learner in entry["learners"]:
                    fair = 100 * learner["fair_share"]
                    curve = _percent(learner.get("curve", ()))  # a very short training has none
                    decisions, above = [own for own, _ in curve], [won - fair for _, won in curve]
                    look = {"color": f"C{k % 10}", "ls": ("-", "--", ":", "-.")[k // 10 % 4], "lw": 1.2}
                    drawn += axes.plot(decisions, above, **look)
                lines.append(drawn[0])
            axes.legend(lines, [text for _, text in found], title=LEGEND, **BESIDE)
            _finish(axes, game, "won in training games, points\nabove the fair share")
            axes.sharex(rows[0])
        rows[-1].set_xlabel("the learner's own decisions, million")


def _finish(axes: Axes, game: str, what: str) -> None:
    """Give the axes of a game their title, label and grid."""
    axes.set_title(literal(game), loc="left", fontsize=10)
    axes.set_ylabel(what)
    axes.grid(alpha=0.3)


def _percent(curve: Sequence[Sequence[float]]) -> list[tuple[float, float]]:
    return [(decisions / 1e6, 100 * share) for decisions, share in curve]


def draw_curve(curve: Sequence[Sequence[float]], path: Path) -> None:
    """Draw the learning curve of the adversary of a card as SVG."""
    with picture(path, 1, 1, (4.2, 3.2), 100, "svg") as (_, (axes,)):
        axes.plot(*zip(*_percent(curve), strict=True), lw=1.2)
        axes.grid(alpha=0.3)
        axes.set_xlabel("the learner's own decisions, million")
        axes.set_ylabel("won in training games, %")
