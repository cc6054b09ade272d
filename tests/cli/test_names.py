"""Names with brackets, HTML and Markdown are shown unchanged: on the screen, in JSON and records, and on pages."""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from io import StringIO
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from markdown_it import MarkdownIt
from rich.cells import cell_len
from rich.console import Console
from studies import card

from spygames import agent_avenue
from spygames.core.basics.text import printable
from spygames.core.records.record import load_games
from spygames_training.agents.checkpoint import save_checkpoint
from spygames_training.evaluation.evaluation import Forfeits, Result
from spygames_training.evaluation.line_ups import LineUpResult
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.output.beliefs import caption
from spygames_training.output.tables import (
    ScreenTable,
    TextTable,
    broken,
    code_span,
    in_markdown,
    line_up_table,
    matrix_table,
    name_in_markdown,
    put_between,
    results_table,
)
from tests.cli.command import run

FOLDERS = ["act=[relu]", "[bold]a|b*c_<b>x<", "`t` :smile: $x$ &amp;"]
"""Folder names of checkpoints."""
NAMES = [
    *FOLDERS,
    *(
        "[bold]x[/bold]",
        "[/red]",
        "<script>alert(1)</script>",
        "&lt;",
        "# x",
        "- x",
        "1. x",
        "![x](y)",
        "_x_",
        "a _x_ b",
        "~~x~~",
        "x #",
    ),
    *("http://x.de", "a\\", "\\|", "``", "x`", "\x1b[31mred\a", "\udcff", "Möwe 鷗", "x" * 60),
]


def tables() -> Iterator[ScreenTable]:
    """Yield tables of every kind, each with all names."""
    for sides in (2, 5):
        sided = (1.0,) * sides
        numbers = (8, 16, 0.8125, (0.625, 1.0), "", 1 / sides, 0.625, (-0.125, 0.25), "", sided)
        pairs = zip(NAMES, reversed(NAMES), strict=True)
        yield results_table([Result(a, b, *numbers) for a, b in pairs], "[b] a title")
    numbers = ((), 2, 8, (0, 1), 16, 0.8125, (0.625, 1.0), "", 0.625, (-0.125, 0.25), "")
    yield line_up_table([LineUpResult(name, *numbers) for name in NAMES], "[/b] a title")
    yield matrix_table(NAMES, np.full((len(NAMES), len(NAMES)), 0.8125))
    names = [*map(code_span, NAMES)]
    rows = [[name, *["1,234 ± 56"] * len(names)] for name in names]
    yield TextTable(["", *names], rows, f"of {names[0]}", f"against {names[1]}").rich()


def letters(*texts: str, times: int = 1) -> Counter[str]:
    """Count the characters of all texts, without blanks, `times` over."""
    return Counter("".join("".join(printable(text).split()) for text in texts) * times)


@pytest.mark.parametrize("width", [20, 40, 80, 120])
def test_tables_keep_all_text_at_any_width(width: int) -> None:
    for table in tables():
        screen = StringIO()
        Console(width=width, file=screen).print(table)
        text = screen.getvalue()
        lines = text.splitlines()
        assert max(map(cell_len, lines)) <= width
        assert "\x1b" not in text
        groups = sum(bool(re.fullmatch(r"[ ─]+", line)) and "─" in line for line in lines)
        columns = [*zip(table.head, *table.rows, strict=True)]
        whole = [text for column in columns[: table.texts] for text in column]
        numbers = [text for column in columns[table.texts :] for text in column]
        expected = letters(*whole, times=groups) + letters(*numbers, table.title, table.caption)
        assert letters(text.replace("─", "")) == expected
        assert groups == 1 or width < 120 or len(columns) > 8
        for word in {word for row in table.rows for cell in row[table.texts :] for word in cell.split()}:
            wanted = sum(cell.split().count(word) for row in table.rows for cell in row[table.texts :])
            assert width == 20 or text.split().count(word) >= wanted, word  # no number is wrapped


def test_names_wrap_after_separators() -> None:
    assert broken("agent_avenue/simple-2@argmax", 13).split("\n") == ["agent_avenue/", "simple-2", "@argmax"]
    assert broken("agent_avenue/simple-2@argmax", 24).split("\n") == ["agent_avenue/simple-2", "@argmax"]
    assert broken("12.5 / 100.0", 8).split("\n") == ["12.5 /", "100.0"]


def test_text_between_two_markers_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Title\n<!-- from -->\nold\n<!-- to -->\nend\n")
    for _ in range(2):
        put_between(page, "<!-- from -->", "<!-- to -->", "new")
        assert page.read_text() == "# Title\n<!-- from -->\n\nnew\n\n<!-- to -->\nend\n"
    for text in (
        "no marker",
        "only <!-- from --> one",
        "only <!-- to --> one",
        "<!-- to --> wrong order <!-- from -->",
    ):
        page.write_text(text)
        with pytest.raises(ValueError, match="must have a line"):
            put_between(page, "<!-- from -->", "<!-- to -->", "new")
        assert page.read_text() == text


def test_a_matrix_is_empty_where_nothing_was_played() -> None:
    table = matrix_table(["a", "b"], np.array([[np.nan, 0.25], [0.75, np.nan]]))
    assert table.rows == [["a", "", "25.0"], ["b", "75.0", ""]]


def test_failures_of_either_player_have_columns() -> None:
    numbers = (8, 16, 0.8125, (0.625, 1.0), "", 0.5, 0.625, (-0.125, 0.25), "", (1.0, 1.0))
    whole = Result("a", "b", *numbers)
    assert "failed" not in results_table([whole]).head
    for forfeits in (Forfeits(0, 2, 0.5, (0.25, 0.75)), Forfeits(2, 0, 0.5, (0.25, 0.75))):
        table = results_table([whole, replace(whole, forfeits=forfeits)])
        assert table.head[-3:] == ["failed", "wins % without", "95 %"]
        assert [row[-3:] for row in table.rows] == [
            ["", "", ""],
            [f"{forfeits.challenger} / {forfeits.opponent}", "50.0", "25.0-75.0"],
        ]


@pytest.mark.parametrize(("rotations", "moved"), [((0,), "played once."), ((0, 1), "in 2 rotations of the line-up.")])
def test_the_caption_of_a_line_up_says_how_often_deals_are_played(rotations: tuple[int, ...], moved: str) -> None:
    one = LineUpResult("a", (), 2, 8, rotations, 16, 0.8125, (0.625, 1.0), "", 0.625, (-0.125, 0.25), "")
    assert moved in line_up_table([one]).caption


def test_the_caption_of_beliefs_counts_in_words() -> None:
    found = {"games of": [{"name": "random"}], "worlds": 64, "sampling": 0.01, "effective worlds": None, "results": []}
    assert caption(found | {"positions": 1, "games": 1}, "rules", "known").startswith("1 position of 1 game of random")
    assert caption(found | {"positions": 4, "games": 2}, "rules", "known").startswith(
        "4 positions of 2 games of random"
    )


def rendered(page: str) -> list[str]:
    """Return the texts of the headings and cells of a Markdown page, as a browser shows them."""
    html = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(page)
    found = re.findall(r"<(h1|th|td)\b[^>]*>(.*?)</\1>", html, re.DOTALL)
    texts = [re.sub(r"</?code>", "", text) for _, text in found]
    assert not [text for text in texts if "<" in text], "a name became an HTML element"
    return [unescape(text) for text in texts]


def test_names_survive_markdown() -> None:
    shown = [printable(name) for name in NAMES]
    for written in (code_span, name_in_markdown):
        names = [written(name) for name in NAMES]
        page = TextTable(["", *names], [[name, *["1"] * len(names)] for name in names]).markdown()
        cells = rendered(page)
        assert cells[1 : len(names) + 1] == shown
        assert cells[len(names) + 1 :: len(names) + 1] == shown
    for name in NAMES:
        assert rendered(f"# {in_markdown(name)}") == [printable(name)]


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Paths of small checkpoints with the names of `FOLDERS`."""
    if sys.platform == "win32":
        pytest.skip("file names cannot have these characters on Windows")
    folder, game = tmp_path_factory.mktemp("agents"), agent_avenue.make_game()
    for name in FOLDERS:
        save_checkpoint(folder / name, game, ActorCritic(game.num_features, game.num_actions, (8,)), 1)
    return [str(folder / name) for name in FOLDERS]


def test_players_with_special_names_stay_distinct(
    agents: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are distinct on the screen, in JSON, in records and on pages."""
    names = [f"{name}@sample" for name in FOLDERS]
    found, games, picture, svg = (tmp_path / name for name in ("[x].json", "[x].jsonl", "[x].svg", "[y].svg"))
    for argv in (
        ["--cross-play", *agents, "--plot", str(picture)],
        [*agents, "--against", *agents],
        ["--seats", *agents[:2]],
    ):
        assert run("evaluate", *argv, "--games", 2, "--json", found) == 0
        screen = capsys.readouterr().out
        assert [name for name in names[: len(argv) - 1] if name not in screen] == []
        assert str(found) in screen
        results = json.loads(found.read_text(encoding="utf-8"))
        shown = {row[key] for row in results["results"] for key in ("challenger", "opponent", "player") if key in row}
        assert shown == {*names[: len(argv) - 1]}
    assert run("record", *agents[1:], "--out", games) == 0
    assert load_games(games)[0].players == tuple(names[1:])
    assert run("replay", games, "--show") == 0
    assert str(games) in capsys.readouterr().out
    assert run("draw", games, "--out", svg) == 0
    assert "<b>" not in svg.read_text(encoding="utf-8")


def test_pages_show_special_names(agents: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = tmp_path / "a|b [c](d).jsonl"
    assert run("ladder", lines, *agents, "--blocks", 1) == 0
    text = lines.with_suffix(".md").read_text(encoding="utf-8")
    for agent in agents:
        assert rendered(text).count(f"{agent}@sample") == 3  # once in the standings, as a row and as a column
    html = MarkdownIt().render(text)
    assert re.findall(r' (?:src|href)="(.*?)"', html) == [quote(lines.name), quote(lines.with_suffix(".svg").name)]
    assert f">{lines.name}</a>" in html
    for agent in agents:
        capsys.readouterr()
        assert card.main([agent]) == 0
        assert rendered(capsys.readouterr().out)[0] == agent
