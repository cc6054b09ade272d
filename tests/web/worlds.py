"""Play the same game in two worlds that the person cannot tell apart, and compare everything that reaches the browser.

Answers must be equal, byte for byte and header for header, until the game is over. The others' moves are chosen so that
the person sees the same in both worlds. Where something is about to be revealed that tells the worlds apart, such as a
card that the person draws, the second world is first redrawn from the first one.

`python -m tests.web.worlds --games 100` plays 100 games of each variant, with the person in each seat in turn.
"""

import argparse
import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.players.player import DecisionBatch
from spygames.core.players.released import BEST
from spygames.core.playing.session import ROW
from spygames.testing.trial import mask_of
from spygames_app.live import LiveGame
from spygames_app.sides import sides_of
from spygames_app.web.choices import SEARCHED, Choices, fits
from spygames_app.web.server import STREAM, make_app
from spygames_app.web.store import Beat, Store, Table, WebGame
from tests.support.games import VARIANTS
from tests.web.visitor import HOST, Answer, Visitor, actions, revision

STEPS = 14
DRAWS = 100
PATIENCE = 600
"""Seconds to wait for an answer: a search may have to be compiled."""


class Puppet:
    """A player that plays a script."""

    name = "puppet"

    def __init__(self) -> None:
        self.script: list[int] = []

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        return np.array([self.script.pop(0)])


class World:
    """A game of a person against puppets, on its own server, with the same tokens as in any other world."""

    def __init__(
        self, game: Game, seat: int, states: np.ndarray, advisers: Sequence[str] = (), honest: Game | None = None
    ) -> None:
        numbers = itertools.count()
        self.store = Store(token=lambda: f"token{next(numbers)}", seed=lambda: 1)
        self.visitor = Visitor(make_app(Choices(), [HOST], store=self.store))
        self.visitor.get("/")
        self.puppet, self.game, self.seat, self.honest = Puppet(), game, seat, honest or game
        players = {other: self.puppet for other in range(game.num_players) if other != seat}
        seats = tuple(None if other == seat else 0 for other in range(game.num_players))
        cookie = next(iter(self.store.visitors))
        table, beat = Table(sides_of(game.num_players, seat, "Mia")), Beat(0.0001)
        self.made = WebGame("game", cookie, "Game", "/rules?game=0", game, tuple(advisers), seats, 1, table, beat)
        self.live = self.made.live = LiveGame(game, players, 1, states)
        self.store.games["game"] = self.made

    def follow(self, other: "World", seed: int) -> None:
        """Become a world that the other one may be, given what the person knows now."""
        redrawn = other.live.states.copy()
        self.game.determinize(as_record(redrawn), self.seat, np.uint64(seed))
        self.live.decisions, self.live.positions = [*other.live.decisions], [*other.live.positions[:-1], redrawn]
        self.live._session.begin(ROW, states=redrawn)
        self.made.last, self.made.hint, self.made.adviser = other.made.last, other.made.hint, other.made.adviser

    def view(self, states: np.ndarray) -> bytes:
        """Return what the person may know of a position, from the game's own kernels."""
        views, s = self.game.new_views(), as_record(states)
        self.game.observe(s, self.seat, as_record(views))
        own = mask_of(self.game, s).tobytes() if s.to_move == self.seat else b""
        return views.tobytes() + own + bytes([int(s.to_move) + 1])

    def moves(self, states: np.ndarray) -> dict[str, list[int]]:
        """Return the legal actions of the seat to move, grouped by what the person sees of them."""
        found: dict[str, list[int]] = {}
        s = as_record(states)
        for action in np.flatnonzero(mask_of(self.game, s)).tolist():
            found.setdefault(self.honest.seen_action(s, action, int(s.to_move), self.seat), []).append(action)
        return found


def after(game: Game, states: np.ndarray, action: int) -> np.ndarray:
    states = states.copy()
    game.apply(as_record(states), action)
    return states


def plan(worlds: list[World], starts: list[np.ndarray], rng: np.random.Generator) -> list[list[int]] | None:
    """Return moves of the others in each world, until the person is to move, that look the same to the person.

    None if something is revealed that tells the worlds apart, or if the game ends.
    """
    scripts: list[list[int]] = [[] for _ in worlds]
    states = list(starts)
    while True:
        if len({world.view(each) for world, each in zip(worlds, states, strict=True)}) > 1:
            return None
        mover = int(states[0]["to_move"][0])
        if mover == NOBODY:
            return None
        if mover == worlds[0].seat:
            return scripts
        each = [world.moves(s) for world, s in zip(worlds, states, strict=True)]
        both = sorted(set(each[0]) & set(each[1]))
        if not both:
            return None
        text = str(rng.choice(both))
        for i, world in enumerate(worlds):
            action = int(rng.choice(each[i][text]))
            scripts[i].append(action)
            states[i] = after(world.game, states[i], action)


def matched(worlds: list[World], text: str, rng: np.random.Generator, seed: int) -> list[list[int]] | None:
    """Return moves of the others after the person's move that keep the worlds equal to the person.

    If hidden cards of the second world would be revealed, it is redrawn from the first one. None if no moves are found.
    """
    game, one, two = worlds[0].game, worlds[0], worlds[1]
    for attempt in range(DRAWS):
        action = one.live.legal()[text]
        scripts = plan(worlds, [after(game, world.live.states, action) for world in worlds], rng)
        if scripts is not None:
            return scripts
        two.follow(one, DRAWS * seed + attempt)
    return None


def received(answer: Answer) -> tuple[Any, ...]:
    return answer.status, answer.headers, answer.body


@dataclass
class Compared:
    """Counts of a comparison."""

    answers: Counter[str] = field(default_factory=Counter)
    """Answers of the servers, by request."""
    positions: int = 0
    """Positions in these answers, each in both worlds."""
    different: Counter[str] = field(default_factory=Counter)
    """Answers that differ, by request."""

    def __iadd__(self, other: "Compared") -> "Compared":
        self.answers += other.answers
        self.positions += other.positions
        self.different += other.different
        return self


def compare(
    game: Game, seat: int, seed: int, advisers: Sequence[str] = (), steps: int = STEPS, honest: Game | None = None
) -> Compared:
    """Play one game in two worlds.

    Args:
        game: the game on the servers.
        seat: seat of the person.
        seed: seed of the game and of the choices.
        advisers: players to ask for hints.
        steps: maximum number of decisions of the person.
        honest: the game without a planted leak, which decides which moves look the same; None: `game`.
    """
    rng = np.random.default_rng(seed)
    states = game.start(seed)
    while int(states["to_move"][0]) not in (seat, NOBODY):  # until the first decision of the person
        legal = np.flatnonzero(mask_of(game, as_record(states)))
        states = after(game, states, int(rng.choice(legal)))
    other = states.copy()
    game.determinize(as_record(other), seat, np.uint64(seed + 1000))
    worlds = [World(game, seat, each, advisers, honest) for each in (states, other)]
    compared = Compared()

    def both(what: str, method: str, path: str, fields: Mapping[str, Any] | None = None, **headers: str) -> Answer:
        answers = []
        for world in worlds:
            visitor = world.visitor
            answers.append(visitor.get(path) if method == "GET" else visitor.post(path, dict(fields or {}), **headers))
            assert world.made.wait(PATIENCE), "the answer takes too long"
        compared.answers[what] += 1
        if received(answers[0]) != received(answers[1]):
            compared.different[what] += 1
        return answers[0]

    known: set[str] = set()
    for step in range(steps):
        texts = [*worlds[0].live.legal()]
        if not texts:
            break
        known |= {*texts}
        text = str(rng.choice(texts))
        scripts = matched(worlds, text, rng, seed + step)
        page = both("page", "GET", "/games/game").text
        compared.positions += 1
        number = revision(page)
        assert sorted(actions(page)) == sorted(texts), f"{worlds[0].made.problem} {actions(page)}, not {texts}"
        if step % 5 == 0:
            both("record", "GET", "/games/game/record")
            both("wrong", "POST", "/games/game/act", {"revision": number, "action": "no action"})
            for earlier in sorted(known - {*texts})[:3]:  # texts of actions that were legal before
                both("against the rules", "POST", "/games/game/act", {"revision": number, "action": earlier})
            both("stale", "POST", "/games/game/act", {"revision": number + 7, "action": texts[0]})
            both("once more", "POST", "/games/game/once_more")
            both("again", "POST", "/games/game/again")
        if step in (1, 4):
            for by in range(len(advisers)):
                both("hint", "POST", "/games/game/hint", {"revision": number, "by": by})
                both("hinted", "GET", "/games/game")
        if scripts is None:
            break
        for world, script in zip(worlds, scripts, strict=True):
            world.puppet.script = script
        headers = {"accept": STREAM} if step % 2 else {}
        shown = both("act", "POST", "/games/game/act", {"revision": number, "action": text}, **headers)
        compared.positions += max(0, shown.body.count(b"\n") - 1) if headers else 0  # the next page has the last one
    if not worlds[0].made.over:  # after an undo the worlds may be one, so nothing follows
        both("undo", "POST", "/games/game/undo", {"revision": worlds[0].made.revision})
        both("undone", "GET", "/games/game")
    return compared


def advisers_of(game: Game) -> list[str]:
    """Return the players to ask for hints: a bot, a search, and a search with the agent of the variant."""
    found = [*[bot for bot in game.bots if bot != "random"][:1], "mcts:4"]
    return [*found, SEARCHED.replace("64", "2")] if fits(game, BEST) else found


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=10, help="of each variant (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=60, help="of the person in a game (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default: %(default)s)")
    args = parser.parse_args(argv)
    total = Compared()
    for seed in range(args.first, args.first + args.games):
        for variant in VARIANTS:
            game = variant.make_game()
            advisers = advisers_of(game) if seed % 25 == 0 else []
            found = compare(game, seed % game.num_players, seed, advisers, args.steps)
            total += found
            if found.different:
                print(f"{variant}, seed {seed}: {dict(found.different)} differ", flush=True)
        print(
            f"{seed + 1 - args.first} games of {len(VARIANTS)} variants: {total.positions:,} positions, "
            f"{total.answers.total():,} answers, {total.different.total()} differ",
            flush=True,
        )
    return 1 if total.different else 0


if __name__ == "__main__":
    raise SystemExit(main())
