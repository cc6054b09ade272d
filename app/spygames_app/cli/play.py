"""`spygames play`."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tyro.conf import Positional

from spygames_app.cli.arguments import (
    AnyFile,
    AnyPlayer,
    AnySeed,
    GameId,
    GameOptions,
    Players,
    Port,
    WrongArguments,
    check_writable,
    choose_game,
    complain,
    counted,
    given,
    say,
)

if TYPE_CHECKING:
    from spygames.core.players.player import Player
    from spygames.core.svg.annotations import Advice
    from spygames_app.live import LiveGame

HELP = (
    "Type the number of an action, or its text. show: the position again; hint: what a player would do in your place; "
    "undo: take your last decision back; who: what a search believes about hidden identities and cards; "
    "rules, rules ID: the rules; help: this; quit (or Ctrl-D): leave."
)
_IN_BROWSER = ("host", "port", "players", "records", "open")
"""Options that only --browser has."""


class Left(Exception):
    """The person has had enough."""


@dataclass(frozen=True)
class Play:
    """A game in the terminal or the browser, you against any player.

        spygames play --against expert
        spygames play --against agent_avenue/simple-2@argmax --seat 1 --save games.jsonl
        spygames play greedy expert --game heimlich_v0 --option players=3
        spygames play --browser

    A player is a scripted bot (random, greedy, ...), a search with its simulations a decision (mcts:200, mc:200), or
    the folder of a checkpoint or a run, which is sampled unless @argmax or a temperature (@0.5) stands behind it; the
    agents that come with the package go by name, and best is the best of them. You see what your seat may know, no
    more; at the end everything is open.

    --browser opens a page on which you choose the game, the seats and the players: those that you name here, and the
    scripted ones. It needs the extra web.
    """

    opponents: Positional[Players] = ()
    """The opponents: one in all other seats, or one for each of them, from the lowest seat on. With --browser further
    players to choose from. (default: greedy)"""
    against: Players = ()
    """The opponents, too."""
    seat: int = 0
    """Yours, from 0."""
    seed: AnySeed = None
    """Of the game and of the opponent's choices; a new one if not given, which is said at the end."""
    game: GameId = None
    """The game, as agent_avenue_v0; otherwise that of the checkpoint named, with its options."""
    option: GameOptions = ()
    """An option of the game, as players=2; may be given several times."""
    hint: AnyPlayer = None
    """Who is asked for hints; the opponent's kind if not given."""
    save: AnyFile = None
    """Where the game is added when it ends, as a line that `spygames replay` and `spygames draw` read."""
    browser: bool = False
    """Play on a page in the browser."""
    players: Players = ()
    """With --browser: further players to choose from, too, as mcts:1000 or runs/first."""
    records: AnyFile = None
    """With --browser: recorded games to watch."""
    host: str = "127.0.0.1"
    """With --browser: the address that is listened on."""
    port: Port = 8000
    """With --browser: the port."""
    open: bool = True
    """With --browser: whether a browser is opened."""

    def run(self, ask: Callable[[str], str] = input) -> int:
        if self.browser:
            return self._serve()
        if extra := [name for name in given(self) if name.removeprefix("--") in _IN_BROWSER]:
            raise WrongArguments(f"{extra[0]} needs --browser")
        from spygames.core.game.game import IllegalAction
        from spygames.core.players.names import make_player
        from spygames_app.live import LiveGame

        specs = (*self.opponents, *self.against) or ("greedy",)
        game = choose_game(specs, self.game, dict(self.option))
        if not 0 <= self.seat < game.num_players:
            raise ValueError(f"--seat must be from 0 to {game.num_players - 1}, not {self.seat}")
        others = [seat for seat in range(game.num_players) if seat != self.seat]
        if len(specs) not in (1, len(others)):
            raise ValueError(
                f"{game.title} has {counted(len(others), 'other seat')}: name one opponent, or one for each seat, "
                f"not {len(specs)}"
            )
        known = {spec: make_player(game, spec) for spec in specs}
        adviser = None if self.hint is None else make_player(game, self.hint)
        self._check_save()
        seed = secrets.randbits(32) if self.seed is None else self.seed
        seated = dict(zip(others, specs * (len(others) // len(specs)), strict=True))
        live = LiveGame(game, {seat: known[spec] for seat, spec in seated.items()}, seed)
        against = ", ".join(player.name for player in known.values())
        say(f"{game.id}: you are seat {self.seat}, against {against}.\n{HELP}")
        code, hinted = 0, adviser or (lambda: make_player(game, specs[0]))
        try:
            play(live, self.seat, ask, hinted)
        except (Left, EOFError, KeyboardInterrupt):
            say("\nGood-bye.")
        except IllegalAction as error:
            complain("spygames play", error)
            code = 2
        say(f"The game was --seed {seed}.")
        if live.taken_back:
            say(f"You took back {live.taken_back} decision{'s' if live.taken_back > 1 else ''}.")
        self._add(live)
        return code

    def _check_save(self) -> None:
        """One line about --save before the game, not after it."""
        from spygames.core.records.record import load_games

        check_writable(self.save)
        if self.save is not None and self.save.exists():
            load_games(self.save)

    def _add(self, live: "LiveGame") -> None:
        """Adds the game to the file of --save."""
        from spygames.core.records.record import load_games, save_games

        if self.save is None or not live.decisions:
            return
        before = load_games(self.save) if self.save.exists() else []
        save_games(self.save, [*before, live.record()])
        say(f"The game is game {len(before) + 1} of {self.save}.")

    def _serve(self) -> int:
        allowed = (*_IN_BROWSER, "browser", "game", "option", "opponents")
        if here := {name for name in given(self) if name.removeprefix("--") not in allowed}:
            raise WrongArguments(f"{min(here)} is chosen on the page: with --browser there are --players and --records")
        try:
            from spygames_app.web.serve import serve
        except ModuleNotFoundError as error:
            if error.name not in ("starlette", "uvicorn"):
                raise
            raise ValueError(f"--browser needs {error.name}: pip install 'spygames[web]'") from error
        if self.option and self.game is None:
            raise WrongArguments("--option needs --game")
        return serve(
            (*self.opponents, *self.players), self.records, self.host, self.port,
            game=self.game, options=dict(self.option), open_browser=self.open,
        )  # fmt: skip


def play(
    live: "LiveGame",
    seat: int,
    ask: Callable[[str], str],
    adviser: "Player | Callable[[], Player] | None" = None,
) -> float:
    """Plays one game to its end with the person in `seat`, and shows all of it then.

    Args:
        live: the game.
        seat: the person's.
        ask: shows a prompt and returns what the person types.
        adviser: who is asked for hints, or what makes that player; None: nobody.

    Returns:
        What the person's seat gets.

    Raises:
        Left, EOFError, KeyboardInterrupt: the person leaves.
        PlayerFailed: a player gave no legal answer.
    """
    from spygames.core.game.game import NOBODY

    shown = 0
    while live.mover != NOBODY:
        if live.mover == seat:
            action = choose(live, seat, ask, shown, adviser)
            shown = len(live.decisions)
            if action is None:
                continue
            live.act(action)
        else:
            live.play_on()
    say(f"\n{happened(live, seat, shown)}{live.game.to_text(live.state, NOBODY)}\n\nThe game is over: all is open.")
    say(live.outcome(seat))
    return float(live.returns()[seat])


def happened(live: "LiveGame", seat: int, since: int) -> str:
    """What a seat saw of the decisions from number `since` on, a line each."""
    lines = [live.seen(number, seat) for number in range(since, len(live.decisions))]
    return "".join(f"{line}\n" for line in lines) + ("\n" if lines else "")


def choose(
    live: "LiveGame",
    seat: int,
    ask: Callable[[str], str],
    since: int = 0,
    adviser: "Player | Callable[[], Player] | None" = None,
) -> int | None:
    """Shows the position and asks until a legal action is named; None after a decision was taken back."""
    from spygames_app.rules import rules_in_words

    actions = live.legal()
    texts = [*actions]
    listing = "\n".join(f"{i:4}  {text}" for i, text in enumerate(texts, 1))
    position = f"{live.game.to_text(live.state, seat)}\n\n{listing}"
    say(f"\n{happened(live, seat, since)}{position}")
    while True:
        answer = " ".join(ask("> ").split()).casefold()
        word, _, rest = answer.partition(" ")
        if (action := live.named(answer)) is not None:
            return action
        if answer.isdecimal() and 1 <= int(answer) <= len(texts):
            return actions[texts[int(answer) - 1]]
        if answer in ("quit", "exit", "q"):
            raise Left
        if answer in ("help", "h", "?"):
            say(HELP)
        elif answer == "show":
            say(f"\n{position}")
        elif word == "rules":
            say(rules_in_words(live.game, rest))
        elif answer == "hint":
            say(hint(live, adviser))
        elif answer == "who":
            say(hint(live, adviser, who_is_who))
        elif answer == "undo":
            if _undone(live, seat):
                return None
        else:
            say(f"{answer!r} is no action here: a number from 1 to {len(texts)} or the text, such as {texts[0]!r}")


def hint(
    live: "LiveGame",
    adviser: "Player | Callable[[], Player] | None",
    in_words: "Callable[[Advice], str] | None" = None,
) -> str:
    """What the adviser would do in place of the seat to move, or what `in_words` makes of it."""
    import numpy as np

    from spygames.core.game.game import IllegalAction
    from spygames.core.game.rng import mix
    from spygames_app import advice

    if adviser is None:
        return "There is nobody to ask for a hint."
    player = adviser if hasattr(adviser, "act") else adviser()  # type: ignore[operator]
    luck = int(mix(np.uint64(len(live.decisions))))  # not of the deal's seed, which is hidden
    try:
        found = advice.advise(live.game, live.course, live.states, player, luck)  # type: ignore[arg-type]
        return (in_words or advice.in_words)(found)
    except IllegalAction as error:
        return f"There is no hint: {error}"


def who_is_who(advice: "Advice") -> str:
    """What an adviser believes about what is hidden from the person."""
    from spygames_app.advice import believed

    lines = [f"{what}: {things}" for what, things in believed(advice)]
    return "\n".join(lines) or "It does not say what it believes: ask a search, such as --hint best+search:64."


def _undone(live: "LiveGame", seat: int) -> bool:
    """Takes the person's last decision back, and says so."""
    try:
        done = live.take_back(seat)
    except ValueError as error:
        say(error)
        return False
    say("Taken back. Chance stays as it was." if done else "There is nothing to take back.")
    return done
