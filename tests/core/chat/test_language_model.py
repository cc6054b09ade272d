"""Language models as players, against servers on loopback that answer by a script."""

import json
import random
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spygames import Game, make_game
from spygames.core.chat.client import MAX_ANSWER
from spygames.core.chat.player import _side_by_side
from spygames.players import PlayerFailed, PlayerUnavailable, PythonPlayer, Transcripts
from spygames.records import (
    chat_rows,
    play_record,
)
from spygames.text import Turn, Verdict, parse, question
from tests.support.chat_server import Reaction, chat_server, choice, in_form, listed, model_of, sensible

pytest.importorskip("httpx", reason="needs the extra llm")

GAME = make_game("agent_avenue_v0")


class Sensible:
    """The same choices as a Python player."""

    def __init__(self, game: Game, seat: int, seed: int) -> None:
        pass

    def act_text(self, turn: Turn) -> str:
        return choice(question(turn), [*turn.legal])


@pytest.mark.parametrize(
    ("game", "options", "games"),
    [
        ("agent_avenue_v0", {}, 3),
        pytest.param("heimlich_v0", {"players": 3}, 3, marks=pytest.mark.slow),
        pytest.param("agent_dog_v0", {}, 3, marks=pytest.mark.slow),
    ],
)
def test_a_model_plays_the_same_games_as_a_python_player_with_its_choices(
    game: str, options: dict[str, Any], games: int
) -> None:
    made = make_game(game, **options)
    others = ["random"] * (made.num_players - 1)
    with chat_server(sensible) as server:
        model = model_of(server, game=made)
        python = PythonPlayer(made, Sensible, model.name)
        for seed in range(games):
            one = play_record(made, [*others, model], seed=seed)
            assert one.to_line() == play_record(made, [*others, python], seed=seed).to_line()
        model.close()
    assert model.account.decisions == model.account.ok == len(server.requests) > 0


def test_random_legal_answers_play_the_games_of_random() -> None:
    for seed in range(2):
        drawn = play_record(GAME, ["random", "random"], seed=seed)
        moves = iter(drawn.actions)
        with chat_server(lambda messages, number, moves=moves: f"[{next(moves)}]") as server:
            model = model_of(server)
            record = play_record(GAME, [model, model], seed=seed)
            model.close()
        assert record.to_line() == replace(drawn, players=record.players).to_line()


def test_each_seat_has_its_own_conversation() -> None:
    with chat_server(sensible) as server:
        model = model_of(server)
        play_record(GAME, [model, model], seed=1)
        model.close()
    begun: dict[str, list[list[dict[str, str]]]] = {}
    for request in server.requests:
        begun.setdefault(request["messages"][0]["content"], []).append(request["messages"])
    assert [text.split(" in a game")[0] for text in begun] == ["You are player_0", "You are player_1"]
    for talks in begun.values():  # each request continues the one before
        for before, after in pairwise(talks):
            assert after[: len(before)] == before
            assert [message["role"] for message in after[len(before) :]] == ["assistant", "user"]
    assert server.requests[0]["model"] == "fake"
    assert server.requests[0]["path"] == "/v1/chat/completions"
    assert {*server.requests[0]} == {"path", "model", "messages"}


def test_a_model_is_asked_what_conversations_of_a_dataset_have() -> None:
    with chat_server(lambda m, n: json.dumps({"action": choice(m[-1]["content"], listed(m))})) as server:
        model = model_of(server)
        record = play_record(GAME, [model, "random"], seed=1)
        model.close()
    *asked, answer = next(chat_rows(record))["messages"]
    assert server.requests[-1]["messages"] == asked
    assert parse(answer["content"], listed(asked)).verdict is Verdict.OK


def test_settings_are_requested() -> None:
    with chat_server(sensible) as server:
        model = model_of(server, ",temperature=0.5,tokens=900,effort=low")
        play_record(GAME, [model, "random"], seed=1)
        model.close()
    asked = server.requests[0]
    assert (asked["temperature"], asked["max_tokens"], asked["reasoning_effort"]) == (0.5, 900, "low")


@pytest.mark.parametrize(
    ("mode", "first", "second"), [("listed", True, True), ("rules", False, False), ("listed-on-retry", False, True)]
)
def test_modes_list_the_legal_actions_at_their_time(mode: str, first: bool, second: bool) -> None:
    with chat_server(lambda messages, number: "no idea") as server:
        model = model_of(server, f",mode={mode},retries=1")
        with pytest.raises(PlayerFailed, match=r"failed in seat 0: no legal action in 2 answers"):
            play_record(GAME, [model, "random"], seed=1)
        model.close()
    assert [bool(listed(request["messages"])) for request in server.requests] == [first, second]


def test_retries_say_what_was_wrong_and_then_the_game_is_lost() -> None:
    answers = ["Perhaps an offer.", '{"action": "recruit everybody"}', "[play a b] or [discard a]"]
    with chat_server(lambda messages, number: answers[number]) as server:
        model = model_of(server)
        with pytest.raises(PlayerFailed, match="no legal action in 3 answers: the last one is ambiguous: play a b"):
            play_record(GAME, [model, "random"], seed=1)
        model.close()
    told = [request["messages"][-1]["content"].splitlines()[0] for request in server.requests[1:]]
    assert told == [
        'Your answer names no action. It ends with "Perhaps an offer.".',
        '"recruit everybody" is not one of your legal actions.',
    ]
    a = model.account
    assert (a.decisions, a.answers, a.retries, a.forfeits) == (1, 3, 2, 1)
    assert (a.ok, a.unparseable, a.illegal, a.ambiguous) == (0, 1, 1, 1)


LONG = "x" * (MAX_ANSWER + 1) + ' {"action": "recruit up"}'
KINDS: list[tuple[Any, dict[str, Any]]] = [
    ("colorless green ideas", {"unparseable": 1}),
    ("I play recruit up or recruit down, or offer a mole.", {"unparseable": 1}),
    ("合法的なムーブ: 上を採用する。", {"unparseable": 1}),
    ("", {"unparseable": 1, "empty": 1}),
    (None, {"unparseable": 1, "empty": 1}),
    ('{"action": "recru', {"unparseable": 1}),
    ("[recruit up] [recruit down]", {"ambiguous": 1}),
    ('{"action": "resign"}', {"illegal": 1}),
    (LONG, {"unparseable": 1, "oversize": 1}),
    (Reaction(body=in_form("y" * 10_000_000)), {"unparseable": 1, "oversize": 1}),
    (Reaction(body=in_form("I thi", "length")), {"unparseable": 1, "cut": 1}),
    (Reaction(body=in_form("\ud800")), {"unparseable": 1}),
    (Reaction(429, b'{"error": {"message": "slow down"}}'), {"failures": {"429": 1}}),
    (Reaction(429, headers={"Retry-After": "0"}), {"failures": {"429": 1}}),
    (Reaction(500, b"<html>"), {"failures": {"500": 1}}),
    (Reaction(body=in_form("{}"), cut=True), {"failures": {"cut": 1}}),
    (Reaction(body=b""), {"failures": {"malformed": 1}}),
    (Reaction(body=b'{"choices": [{"mess'), {"failures": {"malformed": 1}}),
    (Reaction(body=b'{"choices": []}'), {"failures": {"malformed": 1}}),
    (Reaction(body=b'{"choices": [{"message": 7}]}'), {"failures": {"malformed": 1}}),
    (Reaction(body=b'{"choices": [{"message": {"content": 7}}]}'), {"failures": {"malformed": 1}}),
    (Reaction(body=b"[" * 100_000), {"failures": {"malformed": 1}}),
    (Reaction(body=b"\xff\xfe"), {"failures": {"malformed": 1}}),
    (Reaction(body=in_form("x"), headers={"Content-Encoding": "gzip"}), {"failures": {"malformed": 1}}),
]
"""What a server does once, and what is counted besides the answer of the second try."""


@pytest.mark.parametrize(("first", "counted"), KINDS)
def test_each_answer_is_counted_as_what_it_is(first: Any, counted: dict[str, Any]) -> None:
    with chat_server(lambda messages, number: first if number == 0 else sensible(messages, number)) as server:
        model = model_of(server)
        record = play_record(GAME, [model, "random"], seed=1)
        model.close()
    a, own = model.account, len(record.actions)
    found = {"failures": dict(a.failures)} | {
        key: getattr(a, key) for key in ("unparseable", "ambiguous", "illegal", "empty", "oversize", "cut")
    }
    assert {key: value for key, value in found.items() if value} == counted
    assert a.decisions == a.ok < own
    assert (a.answers, a.retries) == (a.decisions + ("failures" not in counted), int("failures" not in counted))
    assert a.forfeits == 0


def test_games_are_asked_at_the_same_time() -> None:
    from spygames import Rows
    from spygames.players import Session, as_players

    together = threading.Barrier(4)

    def script(messages: list[dict[str, str]], number: int) -> str:
        if number < 8:
            together.wait(60)  # four requests arrive before one is answered
        return sensible(messages, number)

    with chat_server(script) as server:
        model = model_of(server, concurrent=4)
        players, rows = as_players(GAME, [model, "random"]), Rows(GAME, 8, 1)
        session = Session(rows, players, np.tile([0, 1], (8, 1)))
        session.begin(rows.all, np.arange(8, dtype=np.uint64))
        session.ask(rows.all)
        model.close()
    assert server.most == 4


def test_decisions_continue_where_they_were_when_the_model_can_be_asked_again(tmp_path: Path) -> None:
    """Nothing is lost or sent twice: events, wrong answers, counts, the deal of random numbers."""
    from spygames import Rows
    from spygames.players import Session, as_players

    def wrong_at_times(messages: list[dict[str, str]]) -> str:
        return "hm" if sum(str(messages).encode()) % 3 == 0 else sensible(messages, 0)

    def played(fails: set[int], concurrent: int) -> tuple[Any, ...]:
        def script(messages: list[dict[str, str]], number: int) -> Any:
            return Reaction(401) if number in fails else wrong_at_times(messages)

        transcripts = Transcripts(tmp_path / f"{len(fails)}")
        with chat_server(script) as server:
            model = model_of(server, ",retries=5", concurrent=concurrent, transcripts=transcripts)
            rows = Rows(GAME, 3, 1)
            session = Session(rows, as_players(GAME, [model, "random"]), np.tile([0, 1], (3, 1)))
            session.begin(rows.all, np.arange(3, dtype=np.uint64))
            running, refused = rows.all, 0
            while len(running):
                try:
                    actions = session.ask(running)
                except PlayerUnavailable:
                    refused += 1
                else:
                    running = np.setdiff1d(running, session.apply(running, actions))
            model.close()
        said = [str(each["messages"]) for number, each in enumerate(server.requests) if number not in fails]
        lines = [json.loads(line) for line in (transcripts.folder / "games.jsonl").read_text().splitlines()]
        games = sorted(str([line["ended"], line["game"], line["seats"]]) for line in lines)
        assert model.account.failures["401"] == refused == len(fails)
        return rows.rewards.tolist(), sorted(said), games, replace(model.account, failures=Counter(), seconds=0.0)

    usual = played(set(), 2)
    assert played({0, 1, 9, 10, 20, 33}, 1) == usual
    assert len(usual[1]) > 33
    assert usual[-1].retries > 5


def test_a_model_that_was_closed_is_told_its_game_from_the_beginning() -> None:
    """Its conversation has ended, so the new one has all events."""
    from spygames import Rows
    from spygames.players import Session, as_players

    with chat_server(sensible) as server:
        model = model_of(server)
        rows = Rows(GAME, 1, 1)
        session = Session(rows, as_players(GAME, [model, "random"]), np.array([[0, 1]]))
        session.begin(rows.all, np.ones(1, np.uint64))
        while len(server.requests) < 2 or rows.seats[0] != 0:
            session.apply(rows.all, session.ask(rows.all))
        model.close()
        session.ask(rows.all)
        model.close()
    assert session.notes is not None
    system, question = server.requests[-1]["messages"]
    assert system == server.requests[0]["messages"][0]
    events = session.notes.seen(0, 0, 0, effects=True)
    assert question["content"].splitlines()[1 : len(events) + 2] == [*(f"- {event}" for event in events), ""]


def test_an_error_in_one_game_waits_for_the_running_ones_and_begins_no_other() -> None:
    begun: list[int] = []
    both = threading.Barrier(2)

    def job(number: int) -> int:
        begun.append(number)
        if number < 2:
            both.wait(60)
        if number == 0:
            raise ValueError("job 0")
        return number

    found: list[tuple[int, int]] = []
    with pytest.raises(ValueError, match="job 0"):
        found.extend(_side_by_side([lambda k=k: job(k) for k in range(2)], 2))
    assert found == [(1, 1)]
    both = threading.Barrier(1)
    with pytest.raises(ValueError, match="job 0"):
        found.extend(_side_by_side([lambda k=k: job(k) for k in range(100)], 1))
    assert sorted(begun) == [0, 0, 1]


def hostile(seed: int) -> Iterator[Any]:
    """Endless answers that a model or a server may give, none of which is a legal action in the grammar."""
    draw = random.Random(seed)
    names = ["recruit up", "recruit down", "play double agent mole", "discard sidekick"]
    while True:
        one, two = draw.sample(names, 2)
        yield draw.choice([
            f"I would {one}, not {two}.",
            f"{one}",
            f"[{one}] or [{two}]",
            f'{{"action": "{one}", "why": "{two}"}}',
            f'{{"action": ["{one}"]}}',
            f'{{"action": "{one} now"}}',
            f'{{"action": "{one}"',
            f'{{"move": "{one}"}}',
            f'```json\n{{action: {one}}}\n```',
            "",
            None,
            "合法的なムーブ: 上を採用する",
            "[" * draw.randrange(3000),
            '{"action":' * draw.randrange(1000),
            "\x00\x1b[31m" + one,
            "".join(chr(draw.randrange(1, 0x110000)) for _ in range(50)),
            '{"action": "\\ud83d"}',
            "9" * 5000,
        ])  # fmt: skip


@pytest.mark.parametrize("count", [200, pytest.param(10_000, marks=pytest.mark.slow)])
def test_hostile_answers_play_no_move(count: int) -> None:
    from spygames_training import evaluate

    answers, lock = hostile(1), threading.Lock()

    def script(messages: list[dict[str, str]], number: int) -> Any:
        with lock:
            return next(answers)

    with chat_server(script) as server:
        model = model_of(server, ",retries=1", concurrent=8)
        (result,) = evaluate(GAME, model, "random", games=count // 2, seed=1, limit=1000)
        model.close()
    a = model.account
    assert a.ok == 0
    assert (a.answers, a.forfeits) == (len(server.requests), result.games)
    assert a.answers == 2 * result.games == a.unparseable + a.ambiguous + a.illegal
    assert result.forfeits is not None
    assert (result.forfeits.challenger, result.forfeits.win_share, result.win_share) == (result.games, None, 0)
