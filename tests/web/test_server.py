"""The page's answers to invalid, foreign and late requests, and its treatment of failing players."""

import mimetypes
import re
import threading
import time
from typing import Any

import numpy as np
import pytest

from spygames.core.game.game import as_record
from spygames.core.players.names import make_player
from spygames.core.players.player import DecisionBatch
from spygames_app.live import LiveGame
from spygames_app.web import pages, store
from spygames_app.web.choices import Choices
from spygames_app.web.html import h
from spygames_app.web.server import make_app
from spygames_app.web.store import Beat, Store, WebGame
from tests.web.visitor import GAME, HOST, Answer, Moody, Visitor, actions, begin, new_store, revision

# ---------------------------------------------------------------- foreign requests


@pytest.mark.parametrize(
    "headers",
    [{"host": "evil.example"}, {"host": "127.0.0.1:9"}, {"host": ""}, {"host": f"{HOST}.evil.example"}],
)
def test_requests_to_other_hosts_are_refused(server: tuple[Store, Visitor], headers: dict[str, str]) -> None:
    answer = server[1].request("GET", "/", b"", headers)
    assert answer.status == 403
    assert answer.problem == "This is not the address of this server."
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", f"https://{HOST}"])
def test_forms_from_other_origins_are_refused(server: tuple[Store, Visitor], origin: str) -> None:
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


def test_the_cookie_comes_with_links_but_not_with_forms_of_other_sites(server: tuple[Store, Visitor]) -> None:
    cookie = server[1].get("/").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie  # strict: a link from a chat would make a new visitor, who has lost the games
    assert len(server[1].cookie) > 20


def test_a_visitor_cannot_reach_games_of_others(server: tuple[Store, Visitor]) -> None:
    kept, visitor = server
    made = begin(visitor, kept)
    stranger = Visitor(visitor.app)
    stranger.get("/seats?game=0")
    for path in (f"/games/{made.id}", f"/games/{made.id}/record"):
        assert visitor.get(path).status in (200, 409)
        assert stranger.get(path).status == 404
    for path in ("act", "hint", "again", "once_more"):
        assert stranger.post(f"/games/{made.id}/{path}", {"revision": 0, "action": "x", "by": 0}).status == 404


def test_the_first_visit_needs_the_address_with_its_token() -> None:
    app = make_app(Choices(), [HOST], entry="secret")
    visitor = Visitor(app)
    assert visitor.get("/").status == 403
    assert visitor.get("/?entry=wrong").status == 403
    assert visitor.get("/?entry=secret").status == 200
    assert visitor.get("/").status == 200  # now it has a cookie


# ---------------------------------------------------------------- invalid requests


@pytest.mark.parametrize(
    ("fields", "status", "line"),
    [
        (
            {"action": "discard everything"},
            409,
            "'discard everything' is not an action of this game. Offer two cards",
        ),
        ({"action": "<b>bold</b>"}, 409, "'<b>bold</b>' is not an action of this game."),
        ({"action": "recruit up"}, 409, "'recruit up' is not possible: you recruit a card only when the other"),
        ({"revision": 3}, 409, "The game has moved on since you saw it"),
        ({"revision": "x"}, 400, "The field 'revision' of the form is invalid."),
        ({"revision": "9" * 30}, 400, "The field 'revision' of the form is invalid."),
        ({"action": "x" * 5000}, 413, "The form must have at most 4,096 bytes."),
    ],
)
def test_invalid_moves_are_refused(
    server: tuple[Store, Visitor], fields: dict[str, Any], status: int, line: str
) -> None:
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
    if status == 409:  # the page is unchanged, with the line
        assert actions(answer.text) == actions(page)


def test_invalid_forms_are_refused(server: tuple[Store, Visitor]) -> None:
    _, visitor = server
    answer = visitor.request("POST", "/games", b"game=\xff&token=%ff", {"origin": f"http://{HOST}"})
    assert (answer.status, answer.problem) == (400, "The form is not valid UTF-8.")
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
def test_unknown_addresses_are_refused(server: tuple[Store, Visitor], path: str, status: int) -> None:
    answer = server[1].get(path)
    assert answer.status == status
    assert answer.problem


def test_invalid_seats_and_variants_are_refused(server: tuple[Store, Visitor]) -> None:
    kept, visitor = server
    answer = visitor.post("/games", {"game": 0, "s0": 0, "s1": 0})
    assert (answer.status, answer.problem) == (409, "You can take only one seat: choose players for the others.")
    assert visitor.post("/games", {"game": 0, "s0": 0, "s1": 99}).status == 400
    assert visitor.post("/games", {"game": 0, "s0": 0}).status == 400
    assert visitor.post("/games", {"game": 0, "s0": 0, "s1": "python:os.abort"}).status == 400
    assert not kept.games
    ravensburger = "/seats?game=2&o1=1&o3=1"  # a variant with cards in an edition without cards
    answer = visitor.get(ravensburger)
    assert answer.status == 409
    assert "needs edition='amigo'" in answer.problem


# ---------------------------------------------------------------- games


def test_a_repeated_click_is_one_move(server: tuple[Store, Visitor]) -> None:
    kept, visitor = server
    made = begin(visitor, kept)
    fields = {"revision": 0, "action": actions(visitor.get(f"/games/{made.id}").text)[0]}
    for _ in range(2):
        assert visitor.post(f"/games/{made.id}/act", fields).status == 303
    assert made.revision == 1


def test_a_finished_game_is_open_and_its_record_replays(server: tuple[Store, Visitor]) -> None:
    kept, visitor = server
    made = begin(visitor, kept)
    while not made.over:
        page = visitor.get(f"/games/{made.id}").text
        assert str(made.seed) not in page
        visitor.post(f"/games/{made.id}/act", {"revision": revision(page), "action": actions(page)[-1]})
        made.wait(20)
    page = visitor.get(f"/games/{made.id}").text
    assert f"The seed of the deal was {made.seed}." in page
    line = visitor.get(f"/games/{made.id}/record").text
    uploaded = visitor.post("/records", {"record": line})
    assert uploaded.status == 303
    watched = visitor.get(f"{uploaded.where}?move=0&viewer=0&by=1")
    assert watched.status == 200
    assert "What Beginner would do" in watched.text
    again = visitor.post(f"/games/{made.id}/once_more")
    other = kept.games[again.where.rpartition("/")[2]]
    other.wait(20)
    assert other.seed == made.seed
    assert other.seat == 1
    assert "you against Ada (Easy)" in visitor.get(again.where).text
    new = kept.games[visitor.post(f"/games/{made.id}/once_more", {"new": 1}).where.rpartition("/")[2]]
    assert (new.seed != made.seed, new.seats, new.specs) == (True, made.seats, made.specs)


def levelled(visitor: Visitor, kept: Store, **fields: Any) -> WebGame:
    """Start a game of the first level with the person in seat 0 and wait until it is ready."""
    answer = visitor.post("/games", {"game": 0, "level": 0, "seat": 0, **fields})
    assert answer.status == 303, answer.text
    made = kept.games[answer.where.rpartition("/")[2]]
    made.wait(60)
    return made


def test_levels_names_and_seats_are_chosen(server: tuple[Store, Visitor]) -> None:
    kept, visitor = server
    made = levelled(visitor, kept, level=1, seat=1, name=" <b>Mia</b>\n and others ")
    assert made.seats == (1, None)
    assert made.specs[1] == "greedy"
    assert made.table.sides.names == ("Ada", "You")
    assert made.table.sides.typed == "<b>Mia</b> and"
    page = visitor.get(f"/games/{made.id}").text
    assert 'id="undo"' not in page  # Ada has moved, the reader has not
    assert "you against Ada (Easy)" in page
    assert "<b>Mia" not in page
    assert "&lt;b&gt;Mia" in page
    assert "player_" not in re.sub(r'(value|data-\w+)="[^"]*"', "", page)
    watched = levelled(visitor, kept, seat=2)
    assert watched.seats == (0, 0)
    for wrong in ({"level": 4}, {"seat": 3}, {"level": "best"}):
        assert visitor.post("/games", {"game": 0, "level": 0, "seat": 0, **wrong}).status == 400


def test_a_move_is_taken_back(server: tuple[Store, Visitor]) -> None:
    """The same move then has the same consequences."""
    kept, visitor = server
    made = levelled(visitor, kept, level=1)
    here = f"/games/{made.id}"
    refused = visitor.post(f"{here}/undo", {"revision": 0})
    assert (refused.status, refused.problem) == (409, "You have made no move yet.")
    assert made.live is not None
    first = made.live.states.tobytes()
    ends = []
    for _ in range(2):
        page = visitor.get(here).text
        visitor.post(f"{here}/act", {"revision": revision(page), "action": actions(page)[-1]})
        made.wait(20)
        ends.append(made.live.states.tobytes())
        assert visitor.post(f"{here}/undo", {"revision": made.revision + 1}).status == 409
        assert visitor.post(f"{here}/undo", {"revision": made.revision}).status == 303
        assert made.live.states.tobytes() == first
    assert ends[0] == ends[1] != first


def test_a_page_that_is_drawn_during_an_undo_shows_the_position_after_it(
    server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, visitor = server
    made = levelled(visitor, kept, level=1)
    here, real, due = f"/games/{made.id}", LiveGame.legal_at, []

    def legal_at(live: LiveGame, number: int) -> dict[str, int]:
        if due:
            made.undo(due.pop())  # as a request of another tab
        return real(live, number)

    monkeypatch.setattr(LiveGame, "legal_at", legal_at)
    first = visitor.get(here).text
    visitor.post(f"{here}/act", {"revision": revision(first), "action": actions(first)[0]})
    made.wait(20)
    due.append(made.revision)
    undone = visitor.get(here)
    assert (undone.status, due, revision(undone.text)) == (200, [], made.revision)
    assert actions(undone.text) == actions(first)


def test_a_position_before_an_undo_is_not_taken_for_a_later_one(server: tuple[Store, Visitor]) -> None:
    """A second tab still shows a position that was taken back. Its forms are refused, though as many moves are made."""
    kept, visitor = server
    made = levelled(visitor, kept, level=1)
    here = f"/games/{made.id}"

    def act(page: str, text: str) -> Answer:
        answer = visitor.post(f"{here}/act", {"revision": revision(page), "action": text})
        made.wait(20)
        return answer

    first = visitor.get(here).text
    assert act(first, actions(first)[0]).status == 303
    stale = visitor.get(here).text
    assert visitor.post(f"{here}/undo", {"revision": revision(stale)}).status == 303
    undone = visitor.get(here).text
    assert act(first, actions(first)[0]).status == 409  # the same move, but of the page before the undo
    assert act(undone, actions(undone)[0]).status == 303
    current = visitor.get(here).text
    assert actions(stale) == actions(current)
    assert made.live is not None
    decisions = len(made.live.decisions)
    assert decisions > 0
    for name, fields in {"act": {"action": actions(stale)[0]}, "undo": {}, "hint": {"by": 0}}.items():
        refused = visitor.post(f"{here}/{name}", {"revision": revision(stale), **fields})
        assert (refused.status, len(made.live.decisions)) == (409, decisions)
        assert refused.problem.startswith("The game has moved on")
    assert visitor.post(f"{here}/hint", {"revision": revision(current), "by": 0}).status == 303
    made.wait(20)
    refused = visitor.post(f"{here}/hint", {"revision": revision(current), "by": len(made.specs)})
    assert refused.problem == f"The player must be from 0 to {len(made.specs) - 1}."
    assert made.hint is not None
    assert made.hint[0] == made.revision
    assert "would do</h3>" in visitor.get(here).text


def test_a_game_is_resigned(server: tuple[Store, Visitor]) -> None:
    kept, visitor = server
    made = levelled(visitor, kept)
    here = f"/games/{made.id}"
    page = visitor.get(here).text
    visitor.post(f"{here}/act", {"revision": revision(page), "action": actions(page)[0]})
    made.wait(20)
    assert visitor.get(f"{here}/record").status == 409
    assert visitor.post(f"{here}/once_more").problem == "The game is not over yet."
    assert visitor.post(f"{here}/resign").status == 303
    page = visitor.get(here).text
    assert "You resigned." in page
    assert f"The seed of the deal was {made.seed}." in page
    assert visitor.post(f"{here}/resign").status == 409
    assert visitor.post(f"{here}/act", {"revision": made.revision, "action": "x"}).status == 409
    assert visitor.get(f"{here}/record").status == 200
    assert visitor.post(f"{here}/once_more", {"new": 1}).status == 303


def test_the_same_deal_is_played_from_the_next_seat(server: tuple[Store, Visitor]) -> None:
    kept, visitor = server
    made = levelled(visitor, kept, game=2, seat=1)
    assert len(made.seats) > 2
    assert visitor.post(f"/games/{made.id}/resign").status == 303
    assert "The same deal from the next seat" in visitor.get(f"/games/{made.id}").text
    again = kept.games[visitor.post(f"/games/{made.id}/once_more").where.rpartition("/")[2]]
    again.wait(20)
    assert (again.seat, again.seed, again.table.sides.own) == (2, made.seed, 2)


def test_forced_moves_are_played(server: tuple[Store, Visitor]) -> None:
    """With the switch the person always has a choice; without it some positions have one action."""
    kept, visitor = server
    choices: dict[bool, set[bool]] = {True: set(), False: set()}
    for forced, seed in ((True, 0), *((False, seed) for seed in range(8))):
        kept.seed = lambda seed=seed: seed
        answer = visitor.post("/games", {"game": 2, "level": 0, "seat": 0} | ({"forced": 1} if forced else {}))
        made = kept.games[answer.where.rpartition("/")[2]]
        while made.wait(60) and not made.over and made.revision < 60:
            page = visitor.get(answer.where).text
            choices[forced].add(len(actions(page)) > 1)
            visitor.post(f"{answer.where}/act", {"revision": revision(page), "action": actions(page)[0]})
        if len(choices[False]) == 2:
            break
    assert choices == {True: {True}, False: {True, False}}


def test_a_forced_move_is_taken_back_with_the_choice_before_it(server: tuple[Store, Visitor]) -> None:
    kept, visitor = server
    made = levelled(visitor, kept, game=2, forced=1)
    here = f"/games/{made.id}"
    live = made.live
    assert live is not None
    forced: list[int] = []
    while not forced:
        made.act(made.revision, next(iter(live.legal())))
        made.wait(20)
        mine = [number for number, decision in enumerate(live.decisions) if decision.seat == 0]
        forced = [number for number in mine[-1:] if len(live.legal_at(number)) == 1]
    assert visitor.post(f"{here}/undo", {"revision": made.revision}).status == 303
    assert len(live.decisions) < forced[0]
    assert len(actions(visitor.get(here).text)) > 1


def test_the_picture_of_a_move_marks_what_it_has_changed(server: tuple[Store, Visitor]) -> None:
    kept, visitor = server
    made = levelled(visitor, kept, level=1)
    live = made.live
    assert live is not None
    moved: list[int] = []
    while not moved:
        made.act(made.revision, [*live.legal()][-1])
        made.wait(20)
        places = [states["progress"].tolist() for states in live.positions]
        moved = [number for number in range(1, len(places)) if places[number] != places[number - 1]]
    s = as_record(live.positions[moved[0]])
    assert pages.frame(made, moved[0])["picture"] != pages._board(made, s, None)


# ---------------------------------------------------------------- players


@pytest.mark.parametrize(
    ("mood", "way"), [(RuntimeError("holds a mole"), {}), (10**6, {}), (10**6, {"random": 1}), ("a mole", {})]
)
def test_a_player_that_fails_is_named_and_the_game_continues(
    server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch, mood: Any, way: dict[str, Any]
) -> None:
    """The failed move changes nothing. The player's error is not shown: it may name its cards. The player is asked
    again, or a random move is made for it."""
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


def test_a_player_that_cannot_be_made_is_reported(
    server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(game: object, spec: str) -> None:
        raise ValueError(f"no player {spec}")

    kept, visitor = server
    monkeypatch.setattr(store, "make_player", fail)
    made = begin(visitor, kept)
    assert visitor.get(f"/games/{made.id}").problem == "The game cannot begin: no player greedy"


def test_the_page_says_that_players_are_getting_ready(
    server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, visitor = server
    slow = threading.Event()

    def wait(game: Any, spec: str) -> Any:
        slow.wait(10)
        return make_player(game, spec)

    monkeypatch.setattr(store, "make_player", wait)
    answer = visitor.post("/games", {"game": 0, "s0": 0, "s1": 2})
    made = kept.games[answer.where.rpartition("/")[2]]
    page = ""
    for _ in range(100):
        page = visitor.get(answer.where).text
        if "Easy gets ready …" in page:
            break
        time.sleep(0.02)
    assert "Easy gets ready …" in page  # it searches nothing, so nothing is said of compiling a search
    assert f'<meta http-equiv="refresh" content="1; url={answer.where}">' in page
    refused = visitor.post(f"{answer.where}/act", {"revision": 0, "action": "x"})
    assert (refused.status, refused.problem[:8]) == (409, "Not now:")
    slow.set()
    made.wait(20)
    assert actions(visitor.get(answer.where).text)


def test_answer_times_reveal_nothing() -> None:
    """Answers come on a beat: one that took no time and one that took half a beat are shown at the same moment."""
    for taken, until in ((0.0, 1.0), (0.5, 1.0), (0.999, 1.0), (1.0, 1.0), (1.2, 2.0), (4.7, 5.0)):
        now = [100.0]

        def sleep(seconds: float, now: list[float] = now) -> None:
            now[0] += seconds

        beat = Beat(1.0, lambda now=now: now[0], sleep)
        begun = beat.clock()
        now[0] += taken
        beat.wait(begun)
        assert now[0] - 100 == pytest.approx(until)


def test_a_beat_is_longer_than_a_move_of_the_players(
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


def test_action_texts_ignore_case_blanks_and_underscores(server: tuple[Store, Visitor]) -> None:
    kept, visitor = server
    made = begin(visitor, kept)
    games = (LiveGame(GAME, {1: make_player(GAME, "greedy")}, seed) for seed in range(99))
    made.live, text = next((game, text) for game in games for text in game.legal() if "_" in text)
    visitor.post(f"/games/{made.id}/act", {"revision": 0, "action": f"  {text.upper().replace('_', '  ')} "})
    assert made.revision > 0


def test_servers_on_other_ports_have_other_cookies() -> None:
    """Browsers send a cookie to every port of a host, so the cookies need different names."""
    one, two = (Visitor(make_app(Choices(), [host]), host) for host in ("127.0.0.1:8000", "127.0.0.1:8001"))
    for visitor in (one, two):
        visitor.get("/")
    assert one.cookie.partition("=")[0] != two.cookie.partition("=")[0]


def test_new_visitors_do_not_displace_one_with_a_game(
    server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, visitor = server
    made = begin(visitor, kept)
    monkeypatch.setattr(store, "MAX_VISITORS", 5)
    for _ in range(20):
        assert Visitor(visitor.app).get("/").status == 200
    assert len(kept.visitors) <= 6
    assert visitor.get(f"/games/{made.id}").status == 200


def test_the_number_of_games_is_limited() -> None:
    kept = new_store()
    visitor, _ = kept.visitor(None)
    for _ in range(store.MAX_GAMES + 3):
        kept.begin(visitor, "Game", "/rules?game=0", GAME, ["greedy"], [0, 0]).wait(30)
    assert len(kept.games) == store.MAX_GAMES


def test_html_is_escaped() -> None:
    assert h("p", "<&>", title='"x"', hidden=True, lang=None) == '<p title="&quot;x&quot;" hidden>&lt;&amp;&gt;</p>'
    assert h("p", h("b", "x"), None, 3) == "<p><b>x</b>3</p>"
    assert h("input", for_="a", aria_label="b") == '<input for="a" aria-label="b">'


def test_the_script_runs_whatever_types_the_machine_knows() -> None:
    """On Windows any program may register another type, which `nosniff` makes browsers refuse."""
    try:
        for suffix in (".js", ".css", ".svg"):
            mimetypes.add_type("text/plain", suffix)
        visitor = Visitor(make_app(Choices(), [HOST]))
        found = [visitor.get(f"/static/{name}").headers["content-type"] for name in ("page.js", "page.css", "icon.svg")]
    finally:
        mimetypes.init()
    assert [each.partition(";")[0] for each in found] == ["text/javascript", "text/css", "image/svg+xml"]


def test_answers_are_html(server: tuple[Store, Visitor]) -> None:
    answer: Answer = server[1].get("/")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.text.startswith("<!doctype html>")
