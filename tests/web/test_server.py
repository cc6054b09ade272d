"""What the page does with requests that make no sense, come from elsewhere, or come too late; and with bad players."""

import json
import re
import threading
import time
from dataclasses import asdict, replace
from html import unescape
from typing import Any

import numpy as np
import pytest

import spygames
from spygames.core.film import Film
from spygames.core.game import NOBODY, as_record
from spygames.core.player import DecisionBatch
from spygames.core.players import make_player
from spygames.core.record import play_record
from spygames_app.web import choices, store
from spygames_app.web.choices import Choices
from spygames_app.web.html import h
from spygames_app.web.server import make_app
from spygames_app.web.store import Beat, Store, WebGame
from tests.web.visitor import HOST, Answer, Visitor, actions, revision

GAME = spygames.make_game("agent_avenue_v0")


@pytest.fixture
def server() -> tuple[Store, Visitor]:
    kept = Store()
    visitor = Visitor(make_app(Choices(), [HOST], store=kept))
    visitor.get("/seats?game=0")
    return kept, visitor


def begin(visitor: Visitor, kept: Store, opponent: str = "greedy", **more: Any) -> WebGame:
    """A game of the person in seat 0 that is ready."""
    answer = visitor.post("/games", {"game": 0, "s0": 0, "s1": 1 + list(GAME.bots).index(opponent), **more})
    assert answer.status == 303, answer.text
    made = next(reversed(kept.games.values()))
    assert answer.where == f"/games/{made.id}"
    made.wait(60)
    return made


# ---------------------------------------------------------------- from elsewhere


@pytest.mark.parametrize(
    "headers",
    [{"host": "evil.example"}, {"host": "127.0.0.1:9"}, {"host": ""}, {"host": f"{HOST}.evil.example"}],
)
def test_other_hosts_get_nothing(server: tuple[Store, Visitor], headers: dict[str, str]) -> None:
    answer = server[1].request("GET", "/", b"", headers)
    assert answer.status == 403
    assert answer.problem == "The address is not that of this server."
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", f"https://{HOST}"])
def test_other_origins_change_nothing(server: tuple[Store, Visitor], origin: str) -> None:
    kept, visitor = server
    answer = visitor.post("/games", {"game": 0, "s0": 0, "s1": 1}, origin=origin)
    assert (answer.status, answer.problem) == (403, "The form was not sent from this page.")
    assert not kept.games


def test_a_form_needs_its_token_and_cookie(server: tuple[Store, Visitor]) -> None:
    kept, visitor = server
    assert visitor.post("/games", {"game": 0, "s0": 0, "s1": 1, "token": "guessed"}).status == 403
    stranger = Visitor(visitor.app)
    assert stranger.post("/games", {"game": 0, "s0": 0, "s1": 1}).status == 403
    assert not kept.games


def test_a_cookie_is_for_these_pages_alone(server: tuple[Store, Visitor]) -> None:
    cookie = server[1].get("/").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert len(server[1].cookie) > 20


def test_games_are_the_visitors_own(server: tuple[Store, Visitor]) -> None:
    kept, visitor = server
    made = begin(visitor, kept)
    stranger = Visitor(visitor.app)
    stranger.get("/seats?game=0")
    for path in (f"/games/{made.id}", f"/games/{made.id}/record"):
        assert visitor.get(path).status in (200, 409)
        assert stranger.get(path).status == 404
    for path in ("act", "hint", "again", "other_seat"):
        assert stranger.post(f"/games/{made.id}/{path}", {"revision": 0, "action": "x", "by": 0}).status == 404


def test_others_need_the_address_with_its_token() -> None:
    app = make_app(Choices(), [HOST], entry="secret")
    visitor = Visitor(app)
    assert visitor.get("/").status == 403
    assert visitor.get("/?entry=wrong").status == 403
    assert visitor.get("/?entry=secret").status == 200
    assert visitor.get("/").status == 200  # it has a cookie now


# ---------------------------------------------------------------- what makes no sense


@pytest.mark.parametrize(
    ("fields", "status", "line"),
    [
        ({"action": "discard everything"}, 409, "That is no action here: choose one of those below."),
        ({"action": "<b>bold</b>"}, 409, "That is no action here"),
        ({"revision": 3}, 409, "The game has moved on since you saw it"),
        ({"revision": "x"}, 400, "The form was not filled in as this page has it."),
        ({"revision": "9" * 30}, 400, "The form was not filled in"),
        ({"action": "x" * 5000}, 413, "That is too much: at most 4,096 bytes."),
    ],
)
def test_moves_that_are_none(server: tuple[Store, Visitor], fields: dict[str, Any], status: int, line: str) -> None:
    kept, visitor = server
    made = begin(visitor, kept)
    assert made.live is not None
    before = made.live.states.tobytes()
    page = visitor.get(f"/games/{made.id}").text
    answer = visitor.post(f"/games/{made.id}/act", {"revision": 0, "action": actions(page)[0], **fields})
    assert answer.status == status
    assert answer.problem.startswith(line)
    assert "<b>bold" not in answer.text
    assert made.live.states.tobytes() == before
    assert visitor.get(f"/games/{made.id}").text == page
    if status == 409:  # the page as it is, with the line
        assert actions(answer.text) == actions(page)


def test_text_that_is_no_form(server: tuple[Store, Visitor]) -> None:
    _, visitor = server
    answer = visitor.request("POST", "/games", b"game=\xff&token=%ff", {"origin": f"http://{HOST}"})
    assert (answer.status, answer.problem) == (400, "The form is no text in UTF-8.")
    many = "&".join(f"a{i}=1" for i in range(200)).encode()
    assert visitor.request("POST", "/games", many, {"origin": f"http://{HOST}"}).status == 400


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nowhere", 404),
        ("/games/none", 404),
        ("/records/none", 404),
        ("/seats?game=9", 404),
        ("/seats?game=-1", 404),
        ("/seats?game=0&o0=77", 404),
        ("/rules?game=x", 404),
        ("/static/../server.py", 404),
        ("/games", 405),
    ],
)
def test_addresses_that_are_none(server: tuple[Store, Visitor], path: str, status: int) -> None:
    answer = server[1].get(path)
    assert answer.status == status
    assert answer.problem


def test_seats_that_are_none(server: tuple[Store, Visitor]) -> None:
    kept, visitor = server
    answer = visitor.post("/games", {"game": 0, "s0": 0, "s1": 0})
    assert (answer.status, answer.problem) == (409, "You can sit in one seat only: choose players for the others.")
    assert visitor.post("/games", {"game": 0, "s0": 0, "s1": 99}).status == 400
    assert visitor.post("/games", {"game": 0, "s0": 0}).status == 400
    assert visitor.post("/games", {"game": 0, "s0": 0, "s1": "python:os.abort"}).status == 400
    assert not kept.games
    ravensburger = "/seats?game=2&o1=1&o3=1"  # an edition without cards, with cards
    answer = visitor.get(ravensburger)
    assert answer.status == 409
    assert "needs edition='amigo'" in answer.problem


# ---------------------------------------------------------------- a game


def test_the_same_click_twice_is_one_move(server: tuple[Store, Visitor]) -> None:
    kept, visitor = server
    made = begin(visitor, kept)
    fields = {"revision": 0, "action": actions(visitor.get(f"/games/{made.id}").text)[0]}
    for _ in range(2):
        assert visitor.post(f"/games/{made.id}/act", fields).status == 303
    assert made.revision == 1


def test_a_whole_game_ends_open_and_its_record_replays(server: tuple[Store, Visitor]) -> None:
    kept, visitor = server
    made = begin(visitor, kept)
    while not made.over:
        page = visitor.get(f"/games/{made.id}").text
        assert str(made.seed) not in page
        visitor.post(f"/games/{made.id}/act", {"revision": revision(page), "action": actions(page)[-1]})
        made.wait(20)
    page = visitor.get(f"/games/{made.id}").text
    assert f"The deal&#x27;s seed was {made.seed}." in page
    line = visitor.get(f"/games/{made.id}/record").text
    brought = visitor.post("/records", {"record": line})
    assert brought.status == 303
    watched = visitor.get(f"{brought.where}?move=0&viewer=0&by=1")
    assert watched.status == 200
    assert "What random would do" in watched.text
    again = visitor.post(f"/games/{made.id}/other_seat")
    other = kept.games[again.where.rpartition("/")[2]]
    other.wait(20)
    assert other.seed == made.seed
    assert other.seat == 1
    assert "you are player_1" in visitor.get(again.where).text


def test_who_only_watches_sees_it_when_it_is_over(server: tuple[Store, Visitor]) -> None:
    kept, visitor = server
    answer = visitor.post("/games", {"game": 0, "s0": 1, "s1": 2})
    made = kept.games[answer.where.rpartition("/")[2]]
    made.wait(60)
    assert made.over
    assert "Everything is open now" in visitor.get(answer.where).text


def test_who_only_watches_sees_the_game_go_on(server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is open to whoever has no seat, and nothing can be done."""
    kept, visitor = server
    go, waits = threading.Event(), threading.Event()

    class Slow(Moody):
        def act(self, decisions: DecisionBatch) -> np.ndarray:
            if kept.games and next(iter(kept.games.values())).revision == 3:
                waits.set()
                go.wait(20)
            return super().act(decisions)

    monkeypatch.setattr(store, "make_player", lambda game, spec: Slow([]))
    answer = visitor.post("/games", {"game": 0, "s0": 1, "s1": 2})
    assert waits.wait(20)
    made = kept.games[answer.where.rpartition("/")[2]]
    assert made.live is not None
    page = visitor.get(answer.where).text
    assert "you watch" in page
    assert "moody (player_" in page
    assert "data-refresh" in page
    assert actions(page) == []
    for number in range(3):
        assert made.live.seen(number, NOBODY) in unescape(page)
    go.set()
    made.wait(20)
    assert "Everything is open now" in visitor.get(answer.where).text


def test_no_page_waits_for_thoughts(server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch) -> None:
    """It says that somebody thinks, and has the rest of the game at once; thoughts come when they are there."""
    _, visitor = server
    record = play_record(GAME, [make_player(GAME, "greedy")] * 2, seed=1)
    go = threading.Event()

    def slow(game: Any, spec: str) -> Any:
        go.wait(20)
        return make_player(game, spec)

    monkeypatch.setattr(store, "make_player", slow)
    where = visitor.post("/records", {"record": json.dumps(asdict(record))}).where
    page = visitor.get(f"{where}?move=2&by=2").text
    number = len(record.actions)
    assert f"greedy thinks: 0 of {number} decisions; the first search of a game compiles for up to 20 seconds" in page
    assert 'http-equiv="refresh"' in page
    assert 'data-refresh="' in page
    assert "What greedy would do" not in page
    go.set()
    for _ in range(100):
        page = visitor.get(f"{where}?move=2&by=2").text
        if "data-refresh" not in page:
            break
        time.sleep(0.05)
    assert "What greedy would do" in page
    assert "thinks:" not in page
    mover = int(as_record(Film(record).states, 2).to_move)
    own, other = (visitor.get(f"{where}?move=2&by=2&viewer={seat}").text for seat in (mover, 1 - mover))
    assert "What greedy would do" in own
    assert "What greedy would do" not in other


def test_whoever_cannot_think_says_why(server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch) -> None:
    _, visitor = server
    record = play_record(GAME, [make_player(GAME, "greedy")] * 2, seed=1)
    where = visitor.post("/records", {"record": json.dumps(asdict(record))}).where
    cases = (ValueError("no player here"), "no player here"), (KeyError("mole"), "breaks down here (KeyError)")
    for error, line in cases:

        def fail(game: Any, spec: str, error: Exception = error) -> Any:
            raise error

        monkeypatch.setattr(store, "make_player", fail)
        by = 1 if isinstance(error, ValueError) else 2
        page = visitor.get(f"{where}?move=2&by={by}").text
        assert line in page
        assert "data-refresh" not in page
        assert "mole" not in page.partition('id="thought"')[2].partition("Moves")[0]
    monkeypatch.setattr(store, "make_player", lambda game, spec: Moody([None, RuntimeError("!")]))
    assert "moody breaks down here (RuntimeError)" in visitor.get(f"{where}?move=1&by=3").text


def test_records_that_do_not_fit(server: tuple[Store, Visitor]) -> None:
    _, visitor = server
    record = play_record(GAME, [make_player(GAME, "greedy")] * 2, seed=1)
    cases = {
        "no json": "not JSON",
        "": "There is no game in it",
        "[" * 5000: "line 1",
        json.dumps(asdict(replace(record, game="os"))): "no game 'os'",
        json.dumps(asdict(replace(record, game="tests.poker.kuhn"))): "no game 'tests.poker.kuhn'",
        json.dumps(asdict(replace(record, actions=("discard mole", *record.actions[1:])))): "does not fit",
        json.dumps(asdict(replace(record, options={"evil": 1}))): "cannot be made",
    }
    for text, line in cases.items():
        answer = visitor.post("/records", {"record": text})
        assert answer.status == 409, text[:50]
        assert line in answer.problem
    assert visitor.post("/records", {"record": "x" * 1_000_001}).status == 413
    line = json.dumps(asdict(record)) + "\n"
    assert "bring at most 64" in visitor.post("/records", {"record": 65 * line}).problem
    damaged = json.dumps(asdict(replace(record, actions=record.actions[1:])))
    assert "cannot be shown" in visitor.post("/records", {"record": line + damaged}).problem
    assert "greedy, greedy" not in visitor.get("/records").text
    assert visitor.post("/records", {"record": 2 * line}).where == "/records"
    assert visitor.get("/records").text.count("greedy, greedy") == 2
    named = replace(record, players=("<script>alert(1)</script>", "python:os.abort"))
    answer = visitor.post("/records", {"record": json.dumps(asdict(named))})
    page = visitor.get(answer.where).text
    assert "<script>alert" not in page
    assert Visitor(visitor.app).get(answer.where).status == 404


# ---------------------------------------------------------------- players


class Moody:
    """Fails where it is told to, and else takes the first legal action."""

    name = "moody"

    def __init__(self, moods: list[Any]) -> None:
        self.moods = moods

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        mood = self.moods.pop(0) if self.moods else None
        if isinstance(mood, Exception):
            raise mood
        return decisions.mask[decisions.rows].argmax(axis=1) if mood is None else np.array([mood])


@pytest.mark.parametrize(("mood", "way"), [(RuntimeError("holds a mole"), {}), (10**6, {}), (10**6, {"random": 1})])
def test_a_player_that_fails_is_named_and_the_game_goes_on(
    server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch, mood: Any, way: dict[str, Any]
) -> None:
    """Its move is as if it had not been asked, and what it says is not shown: it may tell what it holds. It is asked
    again, or a move is made for it."""
    kept, visitor = server
    player = Moody([None] * (store.TRIES + 1) + [mood])
    monkeypatch.setattr(store, "make_player", lambda game, spec: player)
    made = begin(visitor, kept)
    assert made.live is not None
    while not made.failed:
        page = visitor.get(f"/games/{made.id}").text
        answer = visitor.post(f"/games/{made.id}/act", {"revision": revision(page), "action": actions(page)[-1]})
        assert answer.status == 303
        made.wait(20)
    before = made.live.states.tobytes()
    page = visitor.get(f"/games/{made.id}")
    assert "moody" in page.problem
    assert "mole" not in page.problem
    assert "Ask it again" in page.text
    number = made.revision
    assert visitor.post(f"/games/{made.id}/again", way).status == 303
    made.wait(20)
    assert not made.failed
    assert made.revision > number
    assert made.live.states.tobytes() != before
    assert visitor.post(f"/games/{made.id}/again", way).status == 409


def test_a_player_that_cannot_be_made_is_said(server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(game: object, spec: str) -> None:
        raise ValueError(f"no player {spec}")

    kept, visitor = server
    monkeypatch.setattr(store, "make_player", fail)
    made = begin(visitor, kept)
    assert visitor.get(f"/games/{made.id}").problem == "The game cannot begin: no player greedy"


def test_the_page_says_that_players_get_ready(server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch) -> None:
    kept, visitor = server
    slow = threading.Event()

    def wait(game: Any, spec: str) -> Any:
        slow.wait(10)
        return make_player(game, spec)

    monkeypatch.setattr(store, "make_player", wait)
    answer = visitor.post("/games", {"game": 0, "s0": 0, "s1": 2})
    made = kept.games[answer.where.rpartition("/")[2]]
    page = visitor.get(answer.where).text
    assert "greedy gets ready; the first search of a game compiles for up to 20 seconds" in page
    assert f'<meta http-equiv="refresh" content="1; url={answer.where}">' in page
    refused = visitor.post(f"{answer.where}/act", {"revision": 0, "action": "x"})
    assert (refused.status, refused.problem[:8]) == (409, "Not now:")
    slow.set()
    made.wait(20)
    assert actions(visitor.get(answer.where).text)


def test_time_tells_nothing() -> None:
    """Answers come on a beat: what took no time and what took half a beat are shown at the same moment."""
    for taken, until in ((0.0, 1.0), (0.5, 1.0), (0.999, 1.0), (1.0, 1.0), (1.2, 2.0), (4.7, 5.0)):
        now = [100.0]

        def sleep(seconds: float, now: list[float] = now) -> None:
            now[0] += seconds

        beat = Beat(1.0, lambda now=now: now[0], sleep)
        begun = beat.clock()
        now[0] += taken
        beat.wait(begun)
        assert now[0] - 100 == pytest.approx(until)


def test_a_beat_is_longer_than_what_players_take(
    server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(Moody):
        def act(self, decisions: DecisionBatch) -> np.ndarray:
            time.sleep(0.02)
            return super().act(decisions)

    kept, visitor = server
    monkeypatch.setattr(store, "make_player", lambda game, spec: Slow([]))
    made = begin(visitor, kept)
    assert made.beat.seconds >= 0.04


# ---------------------------------------------------------------- choices


def test_what_can_be_chosen_follows_the_games_own_options() -> None:
    found = {option.name: option for option in choices.options_of("heimlich_v0")}
    assert found["players"].values == (2, 3, 4, 5, 6, 7)
    assert found["players"].values[found["players"].default] == 4
    assert found["top_secret"].values == (False, True)
    assert {"mode", "players"} <= {option.name for option in choices.options_of("agent_avenue_v0")}
    game = choices.made(Choices(), 0, [option.default for option in choices.options_of("agent_avenue_v0")])
    assert game == GAME
    for number, picked in ((7, []), (0, [0]), (0, [99, 0, 0, 0])):
        with pytest.raises(ValueError, match=r"there are the games|there is no such variant"):
            choices.made(Choices(), number, picked)


def test_players_are_those_that_fit() -> None:
    specs = Choices(("agent_dog_4", "mc:50", "agent_avenue_simple@argmax", "best@0.5")).players_of(GAME)
    assert specs == [
        *GAME.bots, "mc:50", "agent_avenue_simple@argmax", "best@0.5",
        "best", "agent_avenue/simple-2", "best+search:64", "mcts:200",
    ]  # fmt: skip
    three = spygames.make_game("agent_avenue_v0", players=3)  # for which there is no agent
    assert Choices(("best",)).players_of(three) == [*three.bots, "mcts:200"]
    for spec in specs:
        make_player(GAME, spec)


def test_best_says_who_it_is_and_is_chosen_first(server: tuple[Store, Visitor]) -> None:
    page = server[1].get("/seats?game=0").text
    assert re.search(r'<option value="\d+" selected>best \(agent_avenue/simple-2@argmax\)</option>', page)
    three = server[1].get(f"/seats?game=0&o1={choices.options_of('agent_avenue_v0')[1].values.index(3)}").text
    assert "best" not in three
    assert re.search(r'<option value="\d+" selected>greedy</option>', three)


def test_games_of_other_modules_and_without_pictures() -> None:
    """Kuhn poker has no picture, no README and no text of moves; the page plays it all the same."""
    offered = Choices((), "tests.poker.kuhn")
    assert offered.options_of("tests.poker.kuhn") == []
    kept = Store()
    visitor = Visitor(make_app(offered, [HOST], store=kept))
    assert "tests.poker.kuhn" in visitor.get("/").text
    visitor.get("/seats?game=0")
    answer = visitor.post("/games", {"game": 0, "s0": 0, "s1": 1})
    made = kept.games[answer.where.rpartition("/")[2]]
    made.wait(60)
    assert actions(visitor.get(answer.where).text) == ["pass", "bet"]
    for number in range(3):
        if not made.over:
            visitor.post(f"{answer.where}/act", {"revision": 2 * number, "action": "pass"})
            made.wait(20)
    assert made.live is not None
    assert made.live.mover == NOBODY
    assert "Everything is open now" in visitor.get(answer.where).text
    assert visitor.get("/rules?game=0").text.count("This game has no list of rules.") == 1


def test_texts_are_taken_in_any_case(server: tuple[Store, Visitor]) -> None:
    kept, visitor = server
    made = begin(visitor, kept)
    text = actions(visitor.get(f"/games/{made.id}").text)[0]
    visitor.post(f"/games/{made.id}/act", {"revision": 0, "action": f"  {text.upper()} "})
    assert made.revision > 0


def test_servers_on_other_ports_have_other_cookies() -> None:
    """Browsers send a cookie to every port of a host."""
    one, two = (Visitor(make_app(Choices(), [host]), host) for host in ("127.0.0.1:8000", "127.0.0.1:8001"))
    for visitor in (one, two):
        visitor.get("/")
    assert one.cookie.partition("=")[0] != two.cookie.partition("=")[0]


def test_strangers_drive_nobody_out(server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch) -> None:
    kept, visitor = server
    made = begin(visitor, kept)
    monkeypatch.setattr(store, "MOST_VISITORS", 5)
    for _ in range(20):
        assert Visitor(visitor.app).get("/").status == 200
    assert len(kept.visitors) <= 6
    assert visitor.get(f"/games/{made.id}").status == 200


def test_old_games_make_room() -> None:
    kept = Store()
    visitor, _ = kept.visitor(None)
    for _ in range(store.MOST_GAMES + 3):
        kept.begin(visitor, "Game", "/rules?game=0", GAME, ["greedy"], [0, 0]).wait(30)
    assert len(kept.games) == store.MOST_GAMES


def test_html_is_escaped() -> None:
    assert h("p", "<&>", title='"x"', hidden=True, lang=None) == '<p title="&quot;x&quot;" hidden>&lt;&amp;&gt;</p>'
    assert h("p", h("b", "x"), None, 3) == "<p><b>x</b>3</p>"
    assert h("input", for_="a", aria_label="b") == '<input for="a" aria-label="b">'


def test_answers_are_html_and_have_one_status(server: tuple[Store, Visitor]) -> None:
    answer: Answer = server[1].get("/")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.text.startswith("<!doctype html>")
