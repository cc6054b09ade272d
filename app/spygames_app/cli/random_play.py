"""`spygames random-play`."""

import json
from dataclasses import dataclass
from typing import Annotated

from tyro.conf import Positional

from spygames_app.cli.arguments import (
    DEFAULT_GAME,
    AnyFile,
    AnyPlayer,
    GameOptions,
    Positive,
    WrongArguments,
    check_writable,
    console,
    read_game,
    say,
    value,
)

LEGEND = (
    "decisions, turns: of a game, mean (median, maximum). won by each seat: seat 0 / seat 1 / ..., in %. The columns "
    "after it are the ways in which games end, in %."
)


@dataclass(frozen=True)
class RandomPlay:
    """Play random games of every variant and show how long they are and how they end.

        spygames random-play
        spygames random-play --game agent_dog_v0 --option players=4 --games 20000

    Each row is a variant. The seeds are 0 to N-1, with the first game of each seed. The docs of each game list these
    figures, so that other implementations can be compared with them. A file or pipe gets the table as Markdown.
    """

    name: Positional[AnyPlayer] = None
    """The scripted player in every seat. (default: random)"""
    player: AnyPlayer = None
    """The same player, given as an option."""
    games: Positive = 100_000
    """Number of games of each variant."""
    game: Annotated[str, value(read_game, "ID")] = DEFAULT_GAME
    """The game, such as agent_avenue_v0."""
    option: GameOptions = ()
    """An option of the game, such as players=2, to play only this variant."""
    json: AnyFile = None
    """File for the figures as JSON."""

    def run(self) -> int:
        from spygames.core.game.registry import canonical_id, game_ids, make_game
        from spygames_training.experiments.random_play import check_bot, columns, documented_variants, measure
        from spygames_training.files.atomic import write_whole
        from spygames_training.output.tables import TextTable, code_span, progress_bar

        check_writable(self.json)
        if self.name is not None and self.player is not None:
            raise WrongArguments("name one player, not two: it plays every seat")
        if canonical_id(self.name or "") in game_ids():
            raise WrongArguments(f"a game is given as --game {self.name}")
        player = self.name or self.player or "random"
        options = dict(self.option)
        variants = [make_game(self.game, **options)] if options else documented_variants(self.game)
        for game in variants:
            check_bot(game, player)
        rows = []
        for number, game in enumerate(variants, 1):
            with progress_bar(console=console(stderr=True), transient=True) as bar:
                task = bar.add_task(f"variant {number} of {len(variants)}", total=self.games)
                rows.append(measure(game, self.games, player, lambda n, bar=bar, task=task: bar.advance(task, n)))
        head, cells = columns(rows)
        screen, title = console(), code_span(variants[0].title) if len(variants) == 1 else ""
        if screen.is_terminal:
            texts = next(k for k, name in enumerate(head) if name.startswith("mean decisions"))  # the options before it
            short = [[cell.replace(" %", "") for cell in row] for row in cells]
            names = [name.replace("_", " ") for name in head]
            screen.print(TextTable(names, short, title, LEGEND, texts=texts).rich())
        else:
            say(TextTable(head, cells, title).markdown())
        if self.json:
            write_whole(self.json, json.dumps(rows, indent=2) + "\n")
            say(f"results: {self.json}")
        return 0
