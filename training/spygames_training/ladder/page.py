"""A ladder as a page of Markdown with a heat map, made from its lines alone."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import numpy as np

from spygames.core.game.game import Game
from spygames.core.players.names import PlayerName
from spygames_training.evaluation.blocks import DEALS
from spygames_training.evaluation.digests import worlds_of
from spygames_training.files.atomic import write_whole
from spygames_training.ladder.lines import Line
from spygames_training.ladder.standings import Estimate, Standings, standings
from spygames_training.output.tables import TextTable, code_span, heat_map, in_markdown


def write_page(game: Game, file: Path, lines: Sequence[Line]) -> Standings:
    """Writes the page and the picture of a ladder beside its lines in `file`, as `.md` and `.svg`; returns what it
    shows."""
    found = standings(lines, game.num_sides)
    write_whole(file.with_suffix(".md"), page(game, file, lines, found))
    names = [entry.name for entry in found.entries]
    title = f"{short_title(game)}\nwins of the row {'against' if game.num_sides == 2 else 'alone among'} the column"
    heat_map(names, found.shares, file.with_suffix(".svg"), title)
    return found


def short_title(game: Game) -> str:
    """The game with those of its options that are not as `make_game` has them, and the number of players."""
    from spygames.core.game.registry import make_game

    usual = make_game(game.id).options
    different = [f"{k}={v}" for k, v in game.options.items() if usual.get(k) != v or k == "players"]
    return ", ".join([game.id, *different])


def standings_table(found: Standings) -> TextTable:
    """A row for each player: rating, lottery, time, and games that it lost by failing."""
    rows = []
    for k, entry in enumerate(found.entries):
        rows.append(
            [
                code_span(entry.name),
                _estimate(found.ratings[k], 1, ".0f"),
                _estimate(found.lottery[k], 100, ".0f"),
                f"{found.milliseconds[k]:.2g}",
                str(found.forfeits[k]),
                entry.digest or "",
            ]
        )
    return TextTable(["player", "rating (95 %)", "lottery % (95 %)", "CPU ms", "failed", "digest"], rows)


def cross_table(found: Standings) -> TextTable:
    """Win shares in percent, the row's player against the column's."""
    names = [code_span(entry.name) for entry in found.entries]
    rows = [
        [name, *("" if np.isnan(share) else f"{100 * share:.1f}" for share in row)]
        for name, row in zip(names, found.shares, strict=True)
    ]
    return TextTable(["%", *names], rows)


LEGEND = """\
Rating: Plackett-Luce on Elo's scale, {zero}. Lottery: how often a maximal lottery draws the player; who has 0 is not
needed against anybody here. CPU ms: of a decision, in the mean, on a machine with other jobs. Failed: games lost
because the player crashed, answered what is not legal, or was too slow."""
TWO = "{who} has met everyone in {deals} deals, each played from both sides: the share of games that the row wins."
MORE = """\
{who} has sat alone among each other player in {deals} deals, in every seat once a deal: the share of games that the
row wins among the column. The diagonal is the fair share, what a seat wins among its like."""
NOT_ALL = "\nWho has not met has no figure there, and to the lottery is even."


EARLIER = """\
Searches played lines here with the worlds of version {versions}, before they were drawn or weighted otherwise; now
it is version {now}."""


def page(game: Game, file: Path, lines: Sequence[Line], found: Standings) -> str:
    """The page, Markdown."""
    counts = found.deals[found.deals > 0]
    deals = f"{counts.min():,}" if counts.min() == counts.max() else f"{counts.min():,} to {counts.max():,}"
    zero = f"{code_span(found.anchor)} has 0" if found.anchor else "the mean is 0"
    unmet = np.isnan(found.shares)
    if game.num_sides == 2:
        np.fill_diagonal(unmet, False)
    met = (TWO if game.num_sides == 2 else MORE).format(
        who="Nearly everyone" if unmet.any() else "Everyone", deals=deals
    )
    protocol = "[the protocol](../protocol.md)" if (file.parent.parent / "protocol.md").exists() else "the protocol"
    parts = [
        f"# Ladder: {in_markdown(short_title(game))}",
        f"Played by {protocol}, seed {lines[0].seed}, in blocks of {DEALS} deals. "
        f"{code_span(f'spygames ladder {shlex.quote(file.name)}')} makes this page from the lines in "
        f"[{in_markdown(file.name)}]({quote(file.name)}).",
        standings_table(found).markdown(),
        LEGEND.format(zero=zero),
        cross_table(found).markdown(),
        met + (NOT_ALL if unmet.any() else ""),
        *_earlier_worlds(game, lines),
        f"![Heat map of the table]({quote(file.with_suffix('.svg').name)})\n",
    ]
    return "\n\n".join(parts)


def _earlier_worlds(game: Game, lines: Sequence[Line]) -> list[str]:
    """A sentence where searches played lines with worlds that the game draws otherwise by now."""
    searched = [line for line in lines if any(PlayerName.parse(entry.name).searches for entry in line.players)]
    found = {worlds_of(line.made) for line in searched}
    earlier = sorted(worlds for worlds in found if worlds < game.worlds_version)
    return [EARLIER.format(versions=" and ".join(map(str, earlier)), now=game.worlds_version)] if earlier else []


def _estimate(estimate: Estimate, unit: float, form: str) -> str:
    value, low, high = (format(unit * x, "z" + form) for x in (estimate.value, estimate.low, estimate.high))
    return value if value == low == high else f"{value} ({low} to {high})"
