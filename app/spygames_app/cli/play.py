"""`spygames play`."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tyro.conf import Positional

from spygames.core.basics.extras import how_to_install
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
    filled,
    fitted,
    given,
    say,
)
from spygames_app.cli.models import ModelOptions, Models

if TYPE_CHECKING:
    from spygames.core.game.game import Game
    from spygames.core.players.player import Player
    from spygames.core.svg.annotations import Advice
    from spygames_app.live import LiveGame

HELP = """\
Type the number of an action, or its text. Other commands:
  show, words        show the position again, or say it in words
  hint               ask a player what it would do in your place
  who                ask a search what it believes about hidden cards and roles
  undo               take your last decision back
  rules, rules NAME  show the rules in short, or a rule by its ID, a chapter, or a card
  help               show this text
  quit (Ctrl-D)      leave the game"""
LEGENDS = {
    "agent_avenue": (
        "Board: (0) and (1) are the pawns. Table: 1st, 2nd and 3rd+ are the steps of a side's first, second and "
        "further copies of an agent; the last columns count the copies in play."
    ),
    "heimlich": (
        "Board: letters are agents, * is the safe. Table: = is a point; owner ? is hidden from you, +2 after it means "
        "that the agent was moved by 2 in this turn."
    ),
}
"""How to read the drawing of a game, by the name of the game."""
IN_ORDER = (
    "Agents move in the order of the table, each at most once a turn: when one has moved, those above it no longer can "
    "(HC-11)."
)
"""Shown above the moves of Heimlich & Co."""
_IN_BROWSER = ("host", "port", "players", "records", "no-open")
"""Options that require --browser."""


class Left(Exception):
    """The user has left the game."""


@dataclass(frozen=True)
class Play:
    """Play a game against any players, in the terminal or the browser.

        spygames play --against expert
        spygames play agent_avenue/simple-2 --seat 1 --save games.jsonl
        spygames play greedy expert --game heimlich_v0 --option players=3
        spygames play --browser

    An opponent is one of: a scripted bot (random, greedy, expert); a search with its simulations per decision
    (mcts:200, mc:200); a released agent (`spygames agents` lists them; best wins most, safest is hardest to exploit);
    the folder of a checkpoint or run; a mixture (mix:A|B), which draws one of its players for each game. A released
    agent plays as it is meant to, another one samples its actions; @argmax, @sample or a temperature (@0.5) after the
    name changes that.

    You see only what your seat may know. When the game is over, everything is shown.

    --browser opens a page on which you choose the game, the seats and the players. The page offers the scripted bots,
    the released agents, searches, and the players named on the command line. It needs the extra web.
    """

    opponents: Positional[Players] = ()
    """The opponents: one name for all other seats, or one name per seat in the order of the seats. With --browser:
    players to add to the page's list. (default: greedy)"""
    against: Players = ()
    """The same as naming the opponents first. With both, these come last."""
    seat: int = 0
    """Your seat, from 0."""
    seed: AnySeed = None
    """Seed of the game and of the opponents' choices. (default: a new one, printed at the end)"""
    game: GameId = None
    """The game, such as heimlich. (default: the game of the first agent named, otherwise agent_avenue_v0)"""
    option: GameOptions = ()
    """An option of the game, such as players=2."""
    hint: AnyPlayer = None
    """The player that gives hints. (default: a player like the first opponent)"""
    save: AnyFile = None
    """Append this game to a file of recorded games, for `spygames replay` and `spygames draw`."""
    browser: bool = False
    """Play on a page in the browser."""
    players: Players = ()
    """With --browser: players to add to the page's list, such as mcts:1000 or runs/first."""
    records: AnyFile = None
    """With --browser: a file of recorded games to watch."""
    host: str = "127.0.0.1"
    """With --browser: the address to bind to."""
    port: Port = 8000
    """With --browser: the port to listen on."""
    no_open: bool = False
    """With --browser: print the address of the page and do not open a browser."""
    llm: ModelOptions = field(default_factory=Models)

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
                f"{game.title} has {counted(len(others), 'other seat')}: name one opponent, or one for each of them, "
                f"not {len(specs)}"
            )
        known = {spec: make_player(game, spec) for spec in specs}
        adviser = None if self.hint is None else make_player(game, self.hint)
        self._check_save()
        seed = secrets.randbits(32) if self.seed is None else self.seed
        seated = dict(zip(others, specs * (len(others) // len(specs)), strict=True))
        live = LiveGame(game, {seat: known[spec] for seat, spec in seated.items()}, seed)
        against = ", ".join(player.name for player in known.values())
        tell(f"{game.id}: you are seat {self.seat}, against {against}.\n{help_text(game)}")
        code, hinted = 0, adviser or (lambda: make_player(game, specs[0]))
        try:
            with self.llm.at_work([*known.values(), *([] if adviser is None else [adviser])]) as models:
                play(live, self.seat, ask, hinted)
            self.llm.report(models)
        except (Left, EOFError, KeyboardInterrupt):
            say("\nGood-bye.")
        except IllegalAction as error:
            complain("spygames play", error)
            code = 2
        tell(f"The game was --seed {seed}.")
        if live.taken_back:
            tell(f"You took back {live.taken_back} decision{'s' if live.taken_back > 1 else ''}.")
        self._add(live)
        return code

    def _check_save(self) -> None:
        """Check before the game that --save can be written and holds valid records."""
        from spygames.core.records.record import load_games

        check_writable(self.save)
        if self.save is not None and self.save.exists():
            load_games(self.save)

    def _add(self, live: "LiveGame") -> None:
        """Append the game to the file of --save."""
        from spygames.core.records.record import load_games, save_games

        if self.save is None or not live.decisions:
            return
        before = load_games(self.save) if self.save.exists() else []
        save_games(self.save, [*before, live.record()])
        tell(f"The game is game {len(before) + 1} of {self.save}.")

    def _serve(self) -> int:
        allowed = (*_IN_BROWSER, "browser", "game", "option", "opponents")
        if here := {name for name in given(self) if name.removeprefix("--") not in allowed}:
            raise WrongArguments(f"{min(here)} is chosen on the page: omit it with --browser")
        try:
            from spygames_app.web.serve import serve
        except ModuleNotFoundError as error:
            if error.name not in ("starlette", "uvicorn"):
                raise
            raise ValueError(f"--browser needs {error.name}: {how_to_install('web')}") from error
        if self.option and self.game is None:
            raise WrongArguments("--option needs --game when --browser is given")
        return serve(
            (*self.opponents, *self.players), self.records, self.host, self.port,
            game=self.game, options=dict(self.option), open_browser=not self.no_open,
        )  # fmt: skip


def play(
    live: "LiveGame",
    seat: int,
    ask: Callable[[str], str],
    adviser: "Player | Callable[[], Player] | None" = None,
) -> float:
    """Play one game to its end with the user in `seat`, then show the whole position.

    Args:
        live: the game.
        seat: the user's seat.
        ask: shows a prompt and returns the user's input.
        adviser: the player that gives hints, or a function that makes it; None: no hints.

    Returns:
        The return of the user's seat.

    Raises:
        Left, EOFError, KeyboardInterrupt: the user leaves.
        PlayerFailed: a player gave no legal action.
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
    say(f"\n{fitted(happened(live, seat, shown))}{live.game.to_text(live.state, NOBODY)}")
    tell("\nThe game is over: nothing is hidden.")
    tell(live.outcome(seat))
    return float(live.returns()[seat])


def tell(text: object) -> None:
    """Print a text that is not a drawing, wrapped at the width of the terminal."""
    say(fitted(text))


def help_text(game: "Game") -> str:
    """Return the list of commands, and how to read the drawing of the game."""
    legend = LEGENDS.get(game.name)
    return HELP if legend is None else f"{HELP}\n{filled(legend)}"


def happened(live: "LiveGame", seat: int, since: int) -> str:
    """Return what a seat saw of the decisions from number `since` on, one line each."""
    lines = [live.happened(number, seat) for number in range(since, len(live.decisions))]
    return "".join(f"{line}\n" for line in lines) + ("\n" if lines else "")


def choose(
    live: "LiveGame",
    seat: int,
    ask: Callable[[str], str],
    since: int = 0,
    adviser: "Player | Callable[[], Player] | None" = None,
) -> int | None:
    """Show the position and ask until the user names a legal action; None after a decision was taken back."""
    from spygames_app.rules import rules_in_words

    actions = live.legal()
    texts = [*actions]
    listing = "\n".join(f"{i:4}  {text}" for i, text in enumerate(texts, 1))
    if live.game.name == "heimlich" and any(text.startswith("move ") for text in texts):
        listing = f"{filled(IN_ORDER)}\n{listing}"
    position = f"{live.game.to_text(live.state, seat)}\n\n{fitted(listing)}"
    say(f"\n{fitted(happened(live, seat, since))}{position}")
    while True:
        answer = " ".join(ask("> ").split()).casefold()
        word, _, rest = answer.partition(" ")
        if (action := live.named(answer)) is not None:
            return action
        if answer.isdecimal() and len(answer) < 10 and 1 <= int(answer) <= len(texts):  # int() limits the digits
            return actions[texts[int(answer) - 1]]
        if answer in ("quit", "exit", "q"):
            raise Left
        if answer in ("help", "h", "?"):
            tell(help_text(live.game))
        elif answer == "show":
            say(f"\n{position}")
        elif answer == "words":
            tell(live.game.describe(live.state, seat))
        elif word == "rules":
            text = rules_in_words(live.game, rest)
            tell(text if "\n" in text else filled(text))
        elif answer == "hint":
            tell(hint(live, adviser))
        elif answer == "who":
            tell(hint(live, adviser, who_is_who))
        elif answer == "undo":
            if _undone(live, seat):
                return None
        elif (why := live.why_not(answer)) is not None:
            say(filled(f"Not possible: {why.text}. {see_rule(live.game, why.rule)}"))
        else:
            tell(
                f"{answer!r} is not a legal action: type a number from 1 to {len(texts)} or a text such as {texts[0]!r}"
            )


def see_rule(game: "Game", rule: str) -> str:
    """Return where to read a rule: in a game, and in the shell."""
    return f"See {rule}: type rules {rule}, or run `spygames rules {game.name} {rule}`."


def hint(
    live: "LiveGame",
    adviser: "Player | Callable[[], Player] | None",
    in_words: "Callable[[Advice], str] | None" = None,
) -> str:
    """Return the adviser's advice for the seat to move as text, formatted by `in_words`."""
    import numpy as np

    from spygames.core.game.game import IllegalAction
    from spygames.core.game.rng import mix
    from spygames_app import advice

    if adviser is None:
        return "No player gives hints here."
    player = adviser if hasattr(adviser, "act") else adviser()  # type: ignore[operator]
    luck = int(mix(np.uint64(len(live.decisions))))  # not derived from the seed of the deal, which is hidden
    try:
        found = advice.advise(live.game, live.course, live.states, player, luck)  # type: ignore[arg-type]
        return (in_words or advice.in_words)(found)
    except IllegalAction as error:
        return f"No hint: {error}"


def who_is_who(advice: "Advice") -> str:
    """Return what an adviser believes about the cards and identities that are hidden from the user."""
    from spygames_app.advice import believed

    lines = [f"{what}: {things}" for what, things in believed(advice)]
    return "\n".join(lines) or "This player reports no beliefs: ask a search, such as --hint best+search:64."


def _undone(live: "LiveGame", seat: int) -> bool:
    """Take the user's last decision back and report it."""
    try:
        done = live.take_back(seat)
    except ValueError as error:
        tell(error)
        return False
    tell("Taken back. Chance stays as it was." if done else "No decision to take back.")
    return done
