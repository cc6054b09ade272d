"""The same game in two worlds that the person cannot tell apart: everything that reaches the browser is equal, to the
byte and to the header, until the game is over. The others' moves are chosen so that the person sees the same in both.
Where something comes to light that tells the worlds apart, a card that the person draws, say, the second world is drawn
anew from the first one before.
"""

import itertools
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import spygames
from spygames.core.game import NOBODY, Game, as_record
from spygames.core.kernel import Record
from spygames.core.player import DecisionBatch
from spygames.testing.trial import mask_of
from spygames_app.live import LiveGame
from spygames_app.web import store
from spygames_app.web.choices import Choices
from spygames_app.web.guard import HEADERS
from spygames_app.web.server import STREAM, make_app
from spygames_app.web.store import Beat, Store, WebGame
from tests.support.changed import changed
from tests.web.visitor import HOST, Answer, Visitor, actions, revision

ADVISERS = {"agent_avenue_v0": ("greedy", "mcts:4")}
"""Who is asked for hints, where it is not `greedy` alone; a search compiles for long."""
GAMES: dict[str, dict[str, Any]] = {
    "agent_avenue_v0": {},
    "agent_dog_v0": {"max_turns": 24},
    "heimlich_v0": {"players": 3, "top_secret": True, "secret_identities": True},
}
SEEDS, STEPS = 4, 14
DRAWS = 100


class Puppet:
    """Does what it is told."""

    name = "puppet"

    def __init__(self) -> None:
        self.script: list[int] = []

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        return np.array([self.script.pop(0)])


class World:
    """A game of a person against puppets, on a server of its own whose tokens are like those of any other world."""

    def __init__(self, game: Game, seat: int, states: np.ndarray, honest: Game | None = None) -> None:
        numbers = itertools.count()
        self.store = Store(token=lambda: f"token{next(numbers)}", seed=lambda: 1)
        self.visitor = Visitor(make_app(Choices(), [HOST], store=self.store))
        self.visitor.get("/")
        self.puppet, self.game, self.seat, self.honest = Puppet(), game, seat, honest or game
        players = {other: self.puppet for other in range(game.num_players) if other != seat}
        seats = tuple(None if other == seat else 0 for other in range(game.num_players))
        cookie = next(iter(self.store.visitors))
        self.specs = ADVISERS.get(game.id, ("greedy",))
        self.made = WebGame("game", cookie, "Game", "/rules?game=0", game, self.specs, seats, 1, Beat(0.0001))
        self.live = self.made.live = LiveGame(game, players, 1, states)
        self.store.games["game"] = self.made

    def follow(self, other: "World", seed: int) -> None:
        """Becomes what the other world may be as the person knows it now."""
        redrawn = other.live.states.copy()
        self.game.determinize(as_record(redrawn), self.seat, np.uint64(seed))
        self.live.decisions, self.live.positions = [*other.live.decisions], [*other.live.positions[:-1], redrawn]
        self.made.last, self.made.hint, self.made.adviser = other.made.last, other.made.hint, other.made.adviser

    def view(self, states: np.ndarray) -> bytes:
        """What the person may know of a position, by the game's own kernels."""
        views, s = self.game.new_views(), as_record(states)
        self.game.observe(s, self.seat, as_record(views))
        own = mask_of(self.game, s).tobytes() if s.to_move == self.seat else b""
        return views.tobytes() + own + bytes([int(s.to_move) + 1])

    def moves(self, states: np.ndarray) -> dict[str, list[int]]:
        """What the mover may do, by what the person sees of it."""
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
    """Moves of the others in each world until the person is to move, which look alike to it; None where something comes
    to light that tells the worlds apart, or where the game ends."""
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
    """Moves of the others after the person's move, by which the worlds stay alike to it: the second world as it is or,
    where its hidden cards come to light, one that is drawn anew from the first one. None where none is found."""
    game, one, two = worlds[0].game, worlds[0], worlds[1]
    for attempt in range(DRAWS):
        action = one.live.legal()[text]
        scripts = plan(worlds, [after(game, world.live.states, action) for world in worlds], rng)
        if scripts is not None:
            return scripts
        two.follow(one, DRAWS * seed + attempt)
    return None


def heard(answer: Answer) -> tuple[Any, ...]:
    return answer.status, answer.headers, answer.body


def compare(game: Game, seat: int, seed: int, honest: Game | None = None) -> tuple[Counter[str], list[str]]:
    """Plays one game in two worlds.

    Args:
        game: what the servers have.
        seat: the person's.
        seed: of the game and of what is done.
        honest: the game without a planted leak, by which moves look alike; None: `game`.

    Returns:
        How many answers of the servers were compared, by request, and of which requests they differ.
    """
    rng = np.random.default_rng(seed)
    states = game.start(seed)
    while int(states["to_move"][0]) != seat:  # until the person sits before its first decision
        legal = np.flatnonzero(mask_of(game, as_record(states)))
        states = after(game, states, int(rng.choice(legal)))
    other = states.copy()
    game.determinize(as_record(other), seat, np.uint64(seed + 1000))
    worlds = [World(game, seat, each, honest) for each in (states, other)]
    compared, different = Counter[str](), []

    def both(what: str, method: str, path: str, fields: Mapping[str, Any] | None = None, **headers: str) -> Answer:
        answers = []
        for world in worlds:
            visitor = world.visitor
            answers.append(visitor.get(path) if method == "GET" else visitor.post(path, dict(fields or {}), **headers))
            world.made.wait(20)
        compared[what] += 1
        if heard(answers[0]) != heard(answers[1]):
            different.append(what)
        return answers[0]

    for step in range(STEPS):
        texts = [*worlds[0].live.legal()]
        if not texts:
            break
        text = str(rng.choice(texts))
        scripts = matched(worlds, text, rng, seed + step)
        page = both("page", "GET", "/games/game").text
        number = revision(page)
        assert actions(page) == texts
        both("record", "GET", "/games/game/record")
        both("wrong", "POST", "/games/game/act", {"revision": number, "action": "no action"})
        both("stale", "POST", "/games/game/act", {"revision": number + 7, "action": texts[0]})
        if step in (1, 4):
            for by in range(len(worlds[0].specs)):
                both("hint", "POST", "/games/game/hint", {"revision": number, "by": by})
                both("hinted", "GET", "/games/game")
        if scripts is None:
            break
        for world, script in zip(worlds, scripts, strict=True):
            world.puppet.script = script
        headers = {"accept": STREAM} if step % 2 else {}
        both("act", "POST", "/games/game/act", {"revision": number, "action": text}, **headers)
    return compared, different


@pytest.mark.parametrize("game_id", GAMES)
def test_nothing_hidden_reaches_the_browser(game_id: str) -> None:
    game = spygames.make_game(game_id, **GAMES[game_id])
    compared, different = Counter[str](), set[str]()
    for seed in range(SEEDS):
        n, found = compare(game, seed % game.num_players, seed)
        compared += n
        different |= set(found)
    assert different == set(), different
    assert compared["act"] >= 2 * SEEDS, compared
    assert compared["page"] >= 6 * SEEDS, compared
    assert compared["hinted"] >= SEEDS, compared


def test_a_hint_cannot_be_had_from_who_looks_at_the_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is asked gets a state in which all that the person cannot know is drawn anew."""

    class Peeker:
        name = "peeker"

        def act(self, decisions: DecisionBatch) -> np.ndarray:
            legal = np.flatnonzero(decisions.mask[0])
            seen.append(hash(decisions.states.tobytes()))
            return legal[seen[-1] % len(legal)][None]

    seen: list[int] = []
    monkeypatch.setattr(store, "make_player", lambda game, spec: Peeker())
    game = spygames.make_game("agent_avenue_v0")
    for seed in range(3):
        compared, different = compare(game, 0, seed)
        assert compared["hinted"] > 0
        assert different == []
    assert len(set(seen)) == len(seen) / 4  # two worlds, and both hints of a decision


def test_planted_leaks_are_found() -> None:
    game = spygames.make_game("agent_avenue_v0")

    def told(game: Game, s: Record, action: int, seat: int, viewer: int) -> str:
        return f"player_{seat} moves, the deck is {s.rng % 1000}"

    def drawn(game: Game, s: Record, viewer: int) -> str:
        return f"hand {s.hands[1].tolist()}"

    for leak in ({"seen_action": told}, {"to_text": drawn}):
        planted = changed(game, **leak)
        found = [compare(planted, 0, seed, game)[1] for seed in range(3)]
        assert any(found), leak


def test_pages_are_kept_by_nobody() -> None:
    game = spygames.make_game("agent_avenue_v0")
    world = World(game, 0, game.start(1))
    answer = world.visitor.get("/games/game")
    assert answer.headers["cache-control"] == "no-store"
    for name, value in HEADERS.items():
        assert answer.headers[name.lower()] == value
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert "style=" not in answer.text
    assert "<script>" not in answer.text


def test_everything_is_open_only_at_the_end() -> None:
    """The seed, the record and the other hand come with the last move, and not before."""
    game = spygames.make_game("agent_avenue_v0")
    world = World(game, 0, game.start(3))
    world.made.seed = 918273645
    for number in range(400):
        page = world.visitor.get("/games/game").text
        if world.made.over:
            break
        assert "918273645" not in page
        assert world.visitor.get("/games/game/record").status == 409
        before = world.live.states
        text = actions(page)[number % len(actions(page))]
        follow = after(game, before, world.live.legal()[text])
        while int(follow["to_move"][0]) == 1:
            action = int(np.flatnonzero(mask_of(game, as_record(follow)))[-1])
            world.puppet.script.append(action)
            follow = after(game, follow, action)
        world.visitor.post("/games/game/act", {"revision": revision(page), "action": text})
        world.made.wait(20)
    assert world.made.over
    assert "918273645" in world.visitor.get("/games/game").text
    answer = world.visitor.get("/games/game/record")
    assert answer.status == 200
    assert answer.headers["content-disposition"] == 'attachment; filename="game.jsonl"'
