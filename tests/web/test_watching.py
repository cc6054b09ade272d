"""Watching games: recorded ones, games without a person, and the analysis of players."""

import json
import threading
import time
from dataclasses import asdict, replace
from html import unescape
from typing import Any

import numpy as np
import pytest

from spygames.core.game.game import NOBODY, as_record
from spygames.core.players.names import make_player
from spygames.core.players.player import DecisionBatch
from spygames.core.records.film import Film
from spygames.core.records.record import play_record
from spygames_app.advice import Thoughts
from spygames_app.web import store, thinking
from spygames_app.web.films import film_page, place_in
from spygames_app.web.store import Store
from spygames_app.web.thinking import Screening, Voice
from tests.web.visitor import GAME, Moody, Visitor, actions


def test_a_watched_game_is_open_when_it_is_over(server: tuple[Store, Visitor]) -> None:
    kept, visitor = server
    answer = visitor.post("/games", {"game": 0, "s0": 1, "s1": 2})
    made = kept.games[answer.where.rpartition("/")[2]]
    made.wait(60)
    assert made.over
    assert "The seed of the deal was" in visitor.get(answer.where).text


def test_a_watched_game_is_shown_while_it_is_played(
    server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A visitor without a seat sees everything and can do nothing."""
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
    assert "Agent Avenue: Ada, Bruno (moody)" in page
    assert "is thinking …" in page
    assert "data-refresh" in page
    assert actions(page) == []
    for number in range(3):
        assert made.table.sides.words(made.live.seen(number, NOBODY)) in unescape(page)
    go.set()
    made.wait(20)
    assert "The seed of the deal was" in visitor.get(answer.where).text


def test_pages_do_not_wait_for_analysis(server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch) -> None:
    """The page reports that the analysis is running and has the rest of the game at once; the results come later."""
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
    assert f"Easy is thinking: 0 of {number} decisions …" in page
    assert 'http-equiv="refresh"' in page
    assert 'data-refresh="' in page
    assert "What Easy would do" not in page
    go.set()
    for _ in range(100):
        page = visitor.get(f"{where}?move=2&by=2").text
        if "data-refresh" not in page:
            break
        time.sleep(0.05)
    assert "What Easy would do" in page
    assert "is thinking:" not in page
    mover = int(as_record(Film(record).states, 2).to_move)
    own, other = (visitor.get(f"{where}?move=2&by=2&viewer={seat}").text for seat in (mover, 1 - mover))
    assert ("decides here" in own, "decides here" in other) == (False, True)
    assert "What Easy would do" in own
    assert "What Easy would do" not in other


def test_the_page_asks_for_the_rest_of_the_analysis(monkeypatch: pytest.MonkeyPatch) -> None:
    """A player has thought about the first decision, and thinks about the second."""
    monkeypatch.setattr(thinking, "PATIENCE", 0.01)
    monkeypatch.setattr(thinking, "MORE", 0.01)
    record = play_record(GAME, ["greedy", "greedy"], seed=1)
    thought, go = threading.Event(), threading.Event()

    class Slow(Moody):
        def act(self, decisions: DecisionBatch) -> np.ndarray:
            if thought.is_set():
                go.wait(20)
            thought.set()
            return super().act(decisions)

    screening = Screening(record, GAME, [Voice("moody", lambda: Thoughts(Slow([])))])
    thinker = screening.thoughts(0, 0)
    assert thinker is not None
    while not thinker.found:
        thinker.look(0)
    page = film_page("Game", screening, place_in({"move": "0"}, screening), "/here", "moody")
    go.set()
    assert f"moody is thinking: 1 of {len(record.actions)} decisions" in page
    assert 'data-refresh="/here?move=0' in page


def test_nothing_is_analyzed_while_no_visitor_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinking, "PATIENCE", 0.01)
    monkeypatch.setattr(thinking, "MORE", 0.01)
    monkeypatch.setattr(thinking, "LINGER", -1.0)  # as if the visitor had left
    record = play_record(GAME, ["greedy", "greedy"], seed=1)
    screening = Screening(record, GAME, [Voice("moody", lambda: Thoughts(Moody([])))])
    thinker = screening.thoughts(0, 0)
    assert thinker is not None
    while thinker._running:
        time.sleep(0.001)
    assert (thinker.found, thinker.done) == ({}, False)
    monkeypatch.setattr(thinking, "LINGER", 20.0)
    while not thinker.done:
        thinker.look(0)
    assert len(thinker.found) == len(record.actions)


def test_failed_analysis_gives_its_reason(server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch) -> None:
    _, visitor = server
    record = play_record(GAME, [make_player(GAME, "greedy")] * 2, seed=1)
    where = visitor.post("/records", {"record": json.dumps(asdict(record))}).where
    cases = (ValueError("no player here"), "no player here"), (KeyError("mole"), "fails here (KeyError)")
    for error, line in cases:

        def fail(game: Any, spec: str, error: Exception = error) -> Any:
            raise error

        monkeypatch.setattr(store, "make_player", fail)
        by = 1 if isinstance(error, ValueError) else 2
        page = visitor.get(f"{where}?move=2&by={by}").text
        assert line in page
        assert "data-refresh" not in page
        assert "mole" not in page.partition('id="thought"')[2].partition("Moves")[0]
    monkeypatch.setattr(store, "make_player", lambda game, spec: Moody(9 * [RuntimeError("!")]))
    assert "moody fails here (RuntimeError)" in visitor.get(f"{where}?move=1&by=3").text


def test_the_position_that_is_looked_at_is_analyzed_first() -> None:
    record = play_record(GAME, [make_player(GAME, "greedy")] * 2, seed=1)
    screening = Screening(record, GAME, [Voice("greedy", lambda: Thoughts(make_player(GAME, "greedy")))])
    last = len(record.actions) - 1
    thinker = screening.thoughts(0, last)
    assert thinker is not None
    while not thinker.found:
        thinker.look(last)
    assert next(iter(thinker.found)) == last > 0


def test_a_record_of_the_page_calls_its_person_you(server: tuple[Store, Visitor]) -> None:
    record = replace(play_record(GAME, ["greedy", "greedy"], seed=1), players=("you", "greedy"))
    _, visitor = server
    page = visitor.get(visitor.post("/records", {"record": record.to_line()}).where).text
    assert "You offer " in page
    assert "You offers " not in page


def test_invalid_records_are_refused(server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spygames_app.web.server.MAX_GAMES", 2)
    _, visitor = server
    record = play_record(GAME, [make_player(GAME, "greedy")] * 2, seed=1)
    cases = {
        "no json": "not JSON",
        "": "No game found",
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
    assert "At most 2 games can be shown" in visitor.post("/records", {"record": 3 * line}).problem
    damaged = json.dumps(asdict(replace(record, actions=record.actions[1:])))
    assert "cannot be shown" in visitor.post("/records", {"record": line + damaged}).problem
    assert "greedy, greedy" not in visitor.get("/records").text
    assert visitor.post("/records", {"record": 2 * line}).where == "/records"
    assert visitor.get("/records").text.count("greedy, greedy") == 2
    assert "greedy, greedy" not in Visitor(visitor.app).get("/records").text  # of another visitor
    named = replace(record, players=("<script>alert(1)</script>", "python:os.abort"))
    answer = visitor.post("/records", {"record": json.dumps(asdict(named))})
    page = visitor.get(answer.where).text
    assert "<script>alert" not in page
    assert visitor.get(f"{answer.where}?move=-1&viewer=2&by=99").status == 200  # what does not exist is ignored
    assert Visitor(visitor.app).get(answer.where).status == 404
