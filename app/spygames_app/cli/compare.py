"""`spygames compare`."""

import json
from dataclasses import asdict, dataclass, field
from typing import Annotated

from tyro.conf import Positional

from spygames_app.cli.arguments import (
    AnyFile,
    AnyPlayer,
    AnyPositive,
    GameId,
    GameOptions,
    Players,
    Positive,
    Seed,
    WrongArguments,
    check_writable,
    choose_game,
    console,
    say,
    value,
)
from spygames_app.cli.models import ModelOptions, Models, accounts, limit_of


def read_share(text: str) -> float:
    """Parse a number between 0 and 1, or a percentage such as `55%`."""
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 < share < 1:
        raise ValueError(f"{text[:100]!r} is not a win share between 0 and 1")
    return share


Share = Annotated[float, value(read_share, "SHARE")]


@dataclass(frozen=True)
class Compare:
    """Test quickly whether one player is better than another.

        spygames compare runs/new agent_avenue/simple-2
        spygames compare greedy random --game heimlich_v0 --figure 2000

    This is a sequential test. Deals are played from every side until the results favor a win share of H1 or of H0, each
    with an error rate of at most 5 %. After --max-games games the result is undecided. In a game with more than two
    sides, each player sits alone among copies of the other one, and the test compares their win shares there.

    The test does not measure how much better a player is, since it stops as soon as the results are clear. --figure
    measures the win share in a separate match of fixed length on other deals.
    """

    players: Positional[Players] = ()
    """Two players: the one that may be better, and the one to compare it with. See spygames evaluate --help."""
    against: AnyPlayer = None
    """The player to compare with, if it is not the second one named."""
    h0: Share = 0.5
    """Win share under H0: the player is not better."""
    h1: Share = 0.52
    """Win share under H1: the player is better."""
    max_games: Positive = 40_000
    """Maximum number of games. The result is undecided after them."""
    figure: AnyPositive = None
    """Number of games of a separate match that measures the win share."""
    seed: Seed = 0
    """Random seed; the same seed gives the same result."""
    json: AnyFile = None
    """File for the result as JSON."""
    game: GameId = None
    """The game, such as agent_avenue_v0. (default: that of the first checkpoint named, with its options)"""
    option: GameOptions = ()
    """An option of the game, such as players=2."""
    limit: AnyPositive = None
    """Seconds for a decision. A player that fails or is later loses the game, as in a ladder. (default: the first
    failure ends the command; with a language model, it loses the game)"""
    llm: ModelOptions = field(default_factory=Models)

    def run(self) -> int:
        specs = self.players if self.against is None else (*self.players, self.against)
        if len(specs) != 2:
            raise WrongArguments(
                f"name two players, as in spygames compare NEW OLD or compare NEW --against OLD, not {len(specs)}"
            )
        from spygames.core.basics.json_numbers import written
        from spygames.core.game.rng import derived_seed
        from spygames.core.players.names import make_player
        from spygames_training.evaluation.digests import tell_apart
        from spygames_training.evaluation.evaluation import evaluate, total_games
        from spygames_training.evaluation.results_json import as_json
        from spygames_training.evaluation.sequential import SequentialTest, check_different, compare, games_of_block
        from spygames_training.files.atomic import write_whole
        from spygames_training.output.tables import progress_bar, results_table

        test = SequentialTest(self.h0, self.h1)
        check_writable(self.json)
        screen = console()
        game = choose_game(specs, self.game, dict(self.option))
        first, second = (make_player(game, spec) for spec in specs)
        tell_apart(game, zip(specs, (first, second), strict=True))
        check_different(first, second)
        if self.max_games < (least := games_of_block(game)):
            raise ValueError(f"--max-games must be at least {least} (one block of deals), not {self.max_games}")
        results = []
        seed = int(derived_seed(self.seed, "figure"))  # the games of the test are not played again
        with self.llm.at_work([first, second]) as models:
            limit = limit_of(self.limit, models)
            with progress_bar(console=screen, transient=True) as bar:
                task = bar.add_task("comparing", total=self.max_games)
                found = compare(
                    game, first, second, test, self.max_games, self.seed, lambda n: bar.advance(task, n), limit
                )
            if self.figure:
                pairs = [(first, second), (second, first)][: 2 if game.num_sides != 2 else 1]
                with progress_bar(console=screen, transient=True) as bar:
                    task = bar.add_task("measuring", total=len(pairs) * total_games(game, self.figure, 1, 1))
                    for pair in pairs:
                        results += evaluate(game, *pair, self.figure, seed, lambda n: bar.advance(task, n), limit=limit)
        says = {
            "H1": f"{first.name} is better than {second.name}",
            "H0": f"{first.name} is not better than {second.name}",
            "undecided": f"undecided whether {first.name} is better than {second.name}",
        }[found.verdict]
        say(
            f"{game.title}\n{says} (H1: {test.h1:.1%} of the games, H0: {test.h0:.1%})\n"
            f"{found.games:,} games, log-likelihood ratio {found.ratio:+.2f} (decided beyond +-{test.bound:.2f})"
        )
        if any(found.forfeits):
            lost = " and ".join(f"{n:,} by {p.name}" for n, p in zip(found.forfeits, (first, second), strict=True))
            say(f"games lost by failing, which count: {lost}")
        if results:
            screen.print(results_table(results, "the separate match"))
        self.llm.report(models)
        if self.json:
            extra = {"language_models": accounts(models)} if models else {}
            content = {
                **as_json(game, results, self.seed, extra, players=[first, second]),
                "test": asdict(test),
                "max_games": self.max_games,
                "comparison": asdict(found),
                "figure": {"games": self.figure, "seed": written(seed)} if self.figure else None,
            }
            write_whole(self.json, json.dumps(content, indent=2) + "\n")
            say(f"results: {self.json}")
        return 0
