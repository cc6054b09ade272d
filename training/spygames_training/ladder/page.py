"""A ladder's page: Markdown with a heat map, made from its lines alone."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from urllib.parse import quote

import numpy as np

from spygames.core.game.game import Game
from spygames.core.players.names import PlayerName
from spygames_training.evaluation.digests import worlds_of
from spygames_training.files.atomic import write_whole
from spygames_training.ladder.lines import Line
from spygames_training.ladder.standings import Estimate, Standings, standings
from spygames_training.output.tables import TextTable, code_span, heat_map, in_markdown


def write_page(game: Game, file: Path, lines: Sequence[Line]) -> Standings:
    """Write the page and the picture of a ladder next to its lines in `file`, as `.md` and `.svg`; return its
    standings."""
    found = standings(lines, game.num_sides)
    write_whole(file.with_suffix(".md"), page(game, file, lines, found))
    names = [entry.name for entry in found.entries]
    title = f"{short_title(game)}\nwins of the row {'against' if game.num_sides == 2 else 'alone among'} the column"
    heat_map(names, found.shares, file.with_suffix(".svg"), title)
    return found


def short_title(game: Game) -> str:
    """Return the game's id with the number of players and the options that differ from the defaults."""
    from spygames.core.game.registry import make_game, name_of

    try:
        usual = make_game(name_of(game)).options
    except ValueError:  # no module makes it
        usual = {}
    different = [f"{k}={v}" for k, v in game.options.items() if usual.get(k) != v or k == "players"]
    return ", ".join([game.id, *different])


def standings_table(found: Standings) -> TextTable:
    """Return a table with a row for each player: rating, lottery, time, and games lost by failing."""
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


def cross_table(found: Standings, forfeits: bool = True) -> TextTable:
    """Return the win shares in percent, row against column; of all games, or of those that nobody forfeited."""
    names = [code_span(entry.name) for entry in found.entries]
    rows = [
        [name, *("" if np.isnan(share) else f"{100 * share:.1f}" for share in row)]
        for name, row in zip(names, found.shares if forfeits else found.shares_without, strict=True)
    ]
    return TextTable(["%", *names], rows)


LEGEND = """\
Rating: Plackett-Luce on Elo's scale, {zero}. Lottery: the probability with which a maximal lottery draws the player; a
player with 0 is not needed against any player here. CPU ms: mean time of a decision, on a machine with other jobs.
Failed: games lost because the player crashed, chose an illegal action, or was too slow."""
TWO = """\
The percentage of games that the row wins against the column. {pairs} has played {deals} deals, each from both sides."""
MORE = """\
The percentage of games that the row, alone among the column, wins. {pairs} has played {deals} deals, each in every
seat. The diagonal is the fair share: what a player wins in one seat if it has all other seats, too."""
WITHOUT = "The same without the games that a player lost because it failed:"
NOT_ALL = "An empty cell off the diagonal is a pair that has not met; the lottery counts it as even."
EARLIER = """\
In some lines, searches used worlds of version {versions}, which were drawn or weighted in another way. The current
version is {now}."""


def page(game: Game, file: Path, lines: Sequence[Line], found: Standings) -> str:
    """Return the page as Markdown."""
    counts = found.deals[found.deals > 0]
    deals = f"{counts.min():,}" if counts.min() == counts.max() else f"{counts.min():,} to {counts.max():,}"
    zero = f"{code_span(found.anchor)} has 0" if found.anchor else "the mean is 0"
    unmet = np.isnan(found.shares)
    if game.num_sides == 2:
        np.fill_diagonal(unmet, False)
    met = (TWO if game.num_sides == 2 else MORE).format(
        pairs="Nearly every pair" if unmet.any() else "Every pair", deals=deals
    )
    protocol = "[the protocol](../protocol.md)" if (file.parent.parent / "protocol.md").exists() else "the protocol"
    parts = [
        f"# Ladder: {in_markdown(short_title(game))}",
        f"Played by {protocol}, seed {lines[0].seed}, in blocks of {len(lines[0].wins)} deals.\n"
        f"{code_span(f'spygames ladder {shlex.quote(file.name)}')} makes this page from the lines in\n"
        f"[{in_markdown(file.name)}]({quote(file.name)}).",
        standings_table(found).markdown(),
        _wrapped(LEGEND.format(zero=zero)),
        cross_table(found).markdown(),
        _wrapped(met + (f" {NOT_ALL}" if unmet.any() else "")),
        *([_wrapped(WITHOUT), cross_table(found, forfeits=False).markdown()] if any(found.forfeits) else []),
        *_earlier_worlds(game, lines),
        f"![Heat map of the table]({quote(file.with_suffix('.svg').name)})\n",
    ]
    return "\n\n".join(parts)


def _wrapped(text: str) -> str:
    return fill(text, 100, break_long_words=False, break_on_hyphens=False)


def _earlier_worlds(game: Game, lines: Sequence[Line]) -> list[str]:
    """Return a sentence if searches played lines with an earlier version of the game's worlds."""
    searched = [line for line in lines if any(PlayerName.parse(entry.name).searches for entry in line.players)]
    found = {worlds_of(line.made) for line in searched}
    earlier = sorted(worlds for worlds in found if worlds < game.worlds_version)
    if not earlier:
        return []
    return [_wrapped(EARLIER.format(versions=" and ".join(map(str, earlier)), now=game.worlds_version))]


def _estimate(estimate: Estimate, unit: float, form: str) -> str:
    value, low, high = (format(unit * x, "z" + form) for x in (estimate.value, estimate.low, estimate.high))
    return value if value == low == high else f"{value} ({low} to {high})"
