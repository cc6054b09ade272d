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


@dataclass(frozen=True)
class RandomPlay:
    """Play random games of every variant and show how long they are and how they end.

        spygames random-play
        spygames random-play --game agent_dog_v0 --option players=4 --games 20000

    Each row is a variant. The seeds are 0 to N-1, with the first game of each seed. The docs of each game list these
    figures, so that other implementations can be compared with them.
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
        from spygames_training.output.tables import markdown_table, progress_bar

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
        for game in variants:
            title = ", ".join([game.id, *(f"{name}={value}" for name, value in game.options.items())])
            with progress_bar(console=console(stderr=True), transient=True) as bar:
                task = bar.add_task(title, total=self.games)
                rows.append(measure(game, self.games, player, lambda n, bar=bar, task=task: bar.advance(task, n)))
        if self.json:
            write_whole(self.json, json.dumps(rows, indent=2) + "\n")
        say(markdown_table(*columns(rows)))
        if self.json:
            say(f"results: {self.json}")
        return 0
