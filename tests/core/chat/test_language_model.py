"""Language models as players, against servers on loopback that answer by a script."""

import json
import random
import re
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from spygames import Game, make_game
from spygames.core.chat.client import MAX_ANSWER, MAX_BODY, TRIES, ChatClient, NoCompletion
from spygames.core.chat.model_name import ModelName
from spygames.core.chat.player import _side_by_side
from spygames.players import LanguageModel, Limits, PlayerFailed, PlayerUnavailable, PythonPlayer, Transcripts
from spygames.records import (
    Film,
    GameRecord,
    RecordError,
    Said,
    chat_rows,
    load_games,
    load_said,
    play_record,
    read_games,
    replay,
    save_games,
)
from spygames.text import Turn, Verdict, parse, question
from tests.support.chat_server import ChatServer, Reaction, chat_server, in_form, listed

httpx = pytest.importorskip("httpx", reason="needs the extra llm")

GAME = make_game("agent_avenue_v0")


def choice(text: str, legal: list[str]) -> str:
    """A legal action that depends on all that is said at a decision."""
    return legal[sum(text.encode()) % len(legal)]


def sensible(messages: list[dict[str, str]], number: int) -> str:
    """Answer with `choice` in the grammar."""
    return f'I think. {{"action": "{choice(messages[-1]["content"], listed(messages))}"}}'


class Sensible:
    """The same choices as a Python player."""

    def __init__(self, game: Game, seat: int, seed: int) -> None:
        pass

    def act_text(self, turn: Turn) -> str:
        return choice(question(turn), [*turn.legal])


def model_of(server: ChatServer, settings: str = "", game: Game = GAME, **options: Any) -> LanguageModel:
    """A model of the server, which repeats requests at once."""
    return LanguageModel(game, f"fake@{server.url}{settings}", **{"pause": 0.0, **options})


@pytest.fixture
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SPYGAMES_LLM_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


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


def test_a_long_answer_is_not_read_to_its_end_nor_repeated_in_the_conversation() -> None:
    body = in_form("y" * (3 * MAX_BODY))
    with chat_server(lambda messages, number: Reaction(body=body) if number == 0 else sensible(messages, 0)) as server:
        model = model_of(server)
        play_record(GAME, [model, "random"], seed=1)
        model.close()
    assert max(len(json.dumps(request)) for request in server.requests) < 40_000


@pytest.mark.parametrize(
    ("reaction", "kind"),
    [
        (Reaction(500), "500"),
        (Reaction(429), "429"),
        (Reaction(body=in_form("x"), cut=True), "cut"),
        (Reaction(body=b"{"), "malformed"),
    ],
)
def test_a_server_that_keeps_failing_ends_the_command_and_loses_no_game(reaction: Reaction, kind: str) -> None:
    with chat_server(lambda messages, number: reaction) as server:
        model = model_of(server)
        with pytest.raises(PlayerUnavailable, match="gave no answer"):
            play_record(GAME, [model, "random"], seed=1)
        model.close()
    assert (dict(model.account.failures), model.account.forfeits) == ({kind: TRIES}, 0)


@pytest.mark.parametrize("status", [301, 401, 402, 403, 404, 410])
def test_a_wrong_key_or_model_ends_the_command_at_once(status: int) -> None:
    with chat_server(lambda messages, number: Reaction(status, b'{"error": "no model fake"}')) as server:
        model = model_of(server)
        with pytest.raises(PlayerUnavailable, match=f"the server answered {status}: no model fake"):
            play_record(GAME, [model, "random"], seed=1)
        model.close()
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reaction", "message"),
    [
        (Reaction(401, b"{}"), "401: {} (no key was sent; the environment variable SPYGAMES_LLM_KEY has the key for"),
        (Reaction(body=b"<html>Welcome to the router</html>"), "it begins '<html>Welcome to the router</html>'"),
    ],
)
def test_errors_say_what_to_look_at(reaction: Reaction, message: str, no_key: None) -> None:
    with chat_server(lambda messages, number: reaction) as server:
        model = model_of(server)
        with pytest.raises(PlayerUnavailable, match=re.escape(message)):
            play_record(GAME, [model, "random"], seed=1)
        model.close()


def test_a_request_that_the_server_refuses_loses_its_game() -> None:
    with chat_server(lambda messages, number: Reaction(400, b'{"error": {"message": "too many tokens"}}')) as server:
        model = model_of(server)
        with pytest.raises(PlayerFailed, match=r"it gave no answer \(400\)") as caught:
            play_record(GAME, [model, "random"], seed=1)
        model.close()
    assert not isinstance(caught.value, PlayerUnavailable)
    assert (len(server.requests), model.account.forfeits) == (1, 1)


def test_an_answer_that_does_not_come_loses_its_game() -> None:
    with chat_server(lambda messages, number: Reaction(hang=True)) as server:
        model = model_of(server, patience=0.05)
        with pytest.raises(PlayerFailed, match=r"it gave no answer \(timeout\)") as caught:
            play_record(GAME, [model, "random"], seed=1)
        model.close()
    assert not isinstance(caught.value, PlayerUnavailable)
    assert (dict(model.account.failures), model.account.forfeits) == ({"timeout": 2}, 1)


def test_no_server_ends_the_command() -> None:
    with chat_server(sensible) as server:
        pass
    model = model_of(server)
    with pytest.raises(PlayerUnavailable, match="no connection to http://127"):
        play_record(GAME, [model, "random"], seed=1)


def test_keys_go_only_where_they_belong(monkeypatch: pytest.MonkeyPatch, no_key: None) -> None:
    with chat_server(lambda messages, number: Reaction(401, b'{"error": "wrong key sk-own sk-openai"}')) as server:

        def sent(model: LanguageModel) -> tuple[str | None, str]:
            with pytest.raises(PlayerUnavailable) as caught:
                play_record(GAME, [model, "random"], seed=1)
            model.close()
            return server.headers[-1].get("Authorization"), str(caught.value)

        monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
        assert sent(model_of(server))[0] is None  # a URL in a name may be anybody's
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        key, message = sent(LanguageModel(GAME, "fake", pause=0.0))
        assert key == "Bearer sk-openai"
        assert "sk-openai" not in message
        monkeypatch.setenv("SPYGAMES_LLM_KEY", "sk-own")
        key, message = sent(model_of(server))
        assert key == "Bearer sk-own"
        assert "sk-own" not in message


def test_limits_stop_before_the_next_request() -> None:
    with chat_server(sensible) as server:
        for limits, message in (
            (Limits(tokens=300), "330 tokens are used, of at most 300"),
            (Limits(dollars=0.0003, prices={"fake": (1, 2)}), r"\$0.0004 is spent, of at most \$0.0003"),
        ):
            model = model_of(server, limits=limits)
            with pytest.raises(PlayerUnavailable, match=message):
                play_record(GAME, [model, "random"], seed=1)
            model.close()
            assert model.account.answers == 3
            assert model.account.forfeits == 0
        with pytest.raises(ValueError, match="needs a price of fake"):
            model_of(server, limits=Limits(dollars=1))


def test_tokens_that_the_server_does_not_report_are_estimated() -> None:
    with chat_server(lambda m, n: Reaction(body=in_form(sensible(m, n), usage={"prompt_tokens": "many"}))) as server:
        model = model_of(server)
        play_record(GAME, [model, "random"], seed=1)
        model.close()
    asked = sum(-(-sum(len(m["content"]) for m in request["messages"]) // 4) for request in server.requests)
    assert (model.account.tokens_in, model.account.unmetered) == (asked, model.account.answers)


def games_in(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]


def record_of(line: dict[str, Any]) -> GameRecord:
    (record,) = read_games(json.dumps(line["game"]))
    return record


def test_transcripts_replay_and_have_each_prompt_answer_and_verdict(tmp_path: Path) -> None:
    with chat_server(lambda m, n: "hm" if n == 1 else sensible(m, n)) as server:
        model = model_of(server, transcripts=Transcripts(tmp_path))
        record = play_record(GAME, [model, model], seed=1)
        model.close()
    (line,) = games_in(tmp_path)
    assert line["ended"] == "played"
    found = record_of(line)
    assert (found.actions, found.returns) == (record.actions, record.returns)
    assert len(replay(found)) == len(record.actions) + 1
    exchanges = [each for seat in line["seats"].values() for turn in seat["decisions"] for each in turn["exchanges"]]
    asked = Counter(request["messages"][-1]["content"] for request in server.requests)
    assert Counter(each["prompt"] for each in exchanges) == asked
    assert Counter(each["verdict"] for each in exchanges) == {"ok": len(record.actions), "unparseable": 1}
    for seat in line["seats"].values():
        for turn in seat["decisions"]:
            last = turn["exchanges"][-1]
            assert parse(last["answer"], turn["legal"]).verdict is Verdict.OK


def test_films_of_transcripts_have_what_was_said(tmp_path: Path) -> None:
    with chat_server(lambda m, n: "hm\x00\ud800 " * 300 if n in (1, 4, 5, 6) else sensible(m, n)) as server:
        model = model_of(server, transcripts=Transcripts(tmp_path))
        with pytest.raises(PlayerFailed):
            play_record(GAME, ["random", model], seed=1)
        model.close()
    file = tmp_path / "games.jsonl"
    save_games(tmp_path / "plain.jsonl", load_games(file))
    assert load_said(tmp_path / "plain.jsonl") == [{}]
    (record,), (said,) = load_games(file), load_said(file)
    film = Film(record, said=said)
    own = [i for i, seat in enumerate(film.states["to_move"]) if seat == 1]
    assert [*film.said] == own
    assert [[verdict for verdict, _ in said[i].answers] for i in own] == [
        ["ok"], ["unparseable", "ok"], ["ok"], ["unparseable"] * 3,
    ]  # fmt: skip
    assert {each.title for each in said.values()} == {"What llm:fake said"}
    for position in range(len(film)):
        for viewer in (-1, 0, 1):
            scene = film.scene(position, viewer)
            assert scene.said == (said.get(position) if viewer != 0 else None)
            shown = [text for each in ElementTree.fromstring(scene.picture) for text in each.itertext()]
            assert ("What llm:fake said" in shown) == (scene.said is not None)
            assert ("I think." in " ".join(shown)) == (scene.said is not None and position != own[-1])
    assert len({re.search("viewBox=.*?>", film.scene(i, 0).picture)[0] for i in range(len(film))}) == 1  # type: ignore[index]
    for size in ("portrait", "compact"):
        assert "What llm:fake said" in film.scene(own[0], size=size).picture


def test_transcripts_of_two_models_are_one_game_with_what_both_said(tmp_path: Path) -> None:
    """Also where one of them loses the game, so that the other knows it only up to its own last decision."""
    folder = Transcripts(tmp_path)
    with chat_server(lambda m, n: "hm" if n in (28, 29, 30) else sensible(m, n)) as server:
        both = [LanguageModel(GAME, f"{name}@{server.url}", transcripts=folder, pause=0.0) for name in "ab"]
        records = []
        for seats in (both, both[::-1]):  # the same deal twice
            records.append(play_record(GAME, seats, seed=1, forfeits=True))
            for model in both:
                model.close()
    assert [record.forfeit is None for record in records] == [True, False]
    file = tmp_path / "games.jsonl"
    assert len(games_in(tmp_path)) == 4
    games, told = load_games(file), load_said(file)
    assert [(game.actions, game.returns, game.forfeit) for game in games] == [
        (record.actions, record.returns, record.forfeit) for record in records
    ]
    for game, said, names in zip(games, told, ("ab", "ba"), strict=True):
        seats = Film(game, said=said).states["to_move"].tolist()
        assert {i: each.title for i, each in said.items()} == {
            i: f"What llm:{names[seat]} said" for i, seat in enumerate(seats) if seat >= 0
        }
    shuffled = file.read_text().splitlines()[::-1]
    (tmp_path / "shuffled.jsonl").write_text("\n".join(shuffled))
    assert load_said(tmp_path / "shuffled.jsonl") == told[::-1]


def test_what_was_said_must_fit_the_game(tmp_path: Path) -> None:
    record = play_record(GAME, ["random", "random"], seed=1)
    with pytest.raises(RecordError, match=f"something is said at position {len(record.actions)}, where no seat"):
        Film(record, said={len(record.actions): Said("llm:m", ())})
    line = {"model": "llm:m", "game": json.loads(record.to_line()), "seats": {"0": {"decisions": [{"exchanges": []}]}}}
    (tmp_path / "games.jsonl").write_text(json.dumps(line))
    assert load_games(tmp_path / "games.jsonl") == [record]
    with pytest.raises(RecordError, match=r"games.jsonl, line 1 is not a transcript: 'position'"):
        load_said(tmp_path / "games.jsonl")
    with pytest.raises(RecordError, match="line 1: the transcript has no game to replay"):
        read_games(json.dumps({**line, "game": None}))


def test_transcripts_have_games_that_are_longer_than_the_notes(tmp_path: Path) -> None:
    with chat_server(sensible) as server:
        model = model_of(server, transcripts=Transcripts(tmp_path))
        model.notes_size = 4
        record = play_record(GAME, ["random", model], seed=1)
        model.close()
    (found,) = load_games(tmp_path / "games.jsonl")
    assert len(record.actions) > model.notes_size
    assert (found.actions, found.returns) == (record.actions, record.returns)


def test_transcripts_have_lost_games_from_their_beginning(tmp_path: Path) -> None:
    for bad in (0, 2):  # at the first decision, and at a later one
        folder = tmp_path / str(bad)
        with chat_server(lambda m, n, bad=bad: "hm" if n >= bad else sensible(m, n)) as server:
            model = model_of(server, transcripts=Transcripts(folder))
            with pytest.raises(PlayerFailed):
                play_record(GAME, [model, "random"], seed=1)
            model.close()
        (line,) = games_in(folder)
        assert (line["ended"], line["forfeit"]["seat"]) == ("forfeit", 0)
        assert len(replay(record_of(line))) >= 1 + bad


def test_a_stopped_run_continues_without_asking_again(tmp_path: Path) -> None:
    def run(**options: Any) -> tuple[list[str], LanguageModel]:
        model = model_of(server, transcripts=Transcripts(tmp_path), **options)
        try:
            return [play_record(GAME, [model, "random"], seed=seed).to_line() for seed in range(3)], model
        finally:
            model.close()

    with chat_server(sensible) as server:
        with pytest.raises(PlayerUnavailable, match="same transcripts continues"):
            run(limits=Limits(tokens=900))
        paid = len(server.requests)
        with open(tmp_path / "answers.jsonl", "ab") as file:
            file.write(b'{"key": "cut by a ki')
        records, model = run()
        assert model.account.resumed == paid
        assert len(server.requests) == model.account.answers
        before = len(games_in(tmp_path))
        assert run()[0] == records
        assert len(server.requests) == model.account.answers  # nothing was asked
        assert len(games_in(tmp_path)) == before
        assert len({line["id"] for line in games_in(tmp_path)}) == before


def test_transcripts_of_another_kind_are_refused(tmp_path: Path) -> None:
    for name in ("answers.jsonl", "games.jsonl"):
        for text in ("[]\n", "no\n", '{"key": "a", "text": 1}\n'):
            (tmp_path / name).write_text(text)
            with pytest.raises(ValueError, match=rf"{name}, line 1 is not"):
                Transcripts(tmp_path)
        (tmp_path / name).unlink()
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="file must be a folder, not a file"):
        Transcripts(tmp_path / "file")


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


@pytest.mark.parametrize(
    ("argument", "name"),
    [
        ("m", "llm:m,mode=listed"),
        ("a/b:8b@http://h:1/v1/", "llm:a/b:8b@http://h:1/v1,mode=listed"),
        ("m@2024@https://h/v1,mode=rules", "llm:m@2024@https://h/v1,mode=rules"),
        (
            "m,retries=0,mode=listed-on-retry,tokens=5,temperature=1.0",
            "llm:m,mode=listed-on-retry,retries=0,temperature=1,tokens=5",
        ),
        ("m,temperature=0.70000001", "llm:m,mode=listed,temperature=0.70000001"),
    ],
)
def test_names_are_read_and_written_in_full(argument: str, name: str) -> None:
    model = LanguageModel(GAME, argument)
    assert model.name == name
    assert LanguageModel(GAME, name.removeprefix("llm:")).digest == model.digest


def test_the_mode_is_part_of_the_digest() -> None:
    assert len({LanguageModel(GAME, f"m,mode={mode}").digest for mode in ("listed", "rules", "listed-on-retry")}) == 3


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("", "must name a model"),
        ("@http://h/v1", "must name a model"),
        ("m@h:80/v1", "must begin with http:// or https://"),
        ("m@http://", "the URL of a model must be as in"),
        ("m@http://h:99999/v1", "the URL of a model must be as in"),
        ("m@http://u:secret@h/v1", "must have no user or password"),
        ("m@http://h/v1?key=1", "the URL of a model must be as in"),
        ("m,mode=all", "mode must be one of listed, rules, listed-on-retry, not 'all'"),
        ("m,mode=rules,mode=rules", "must have the setting mode once"),
        ("m,retries=6", "retries must be an integer from 0 to 5"),
        ("m,retries=x", "retries must be an integer from 0 to 5"),
        ("m,tokens=0", "tokens must be an integer from 1"),
        ("m,temperature=nan", "temperature must be a number from 0 to 2"),
        ("m,temperature=3", "temperature must be a number from 0 to 2"),
        ("m,effort=very low", "effort must be one word"),
        ("m,top_p=1", "must be one of mode, retries, temperature, tokens, effort, not 'top_p'"),
    ],
)
def test_wrong_names_are_refused(argument: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LanguageModel(GAME, argument)


def test_a_name_may_begin_with_an_at_sign() -> None:
    name = ModelName.parse("@cf/meta/llama@https://h/v1")
    assert (name.model, name.url) == ("@cf/meta/llama", "https://h/v1")


def test_a_key_has_no_line_end_and_is_never_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server(lambda messages, number: Reaction(401, b"{}")) as server:
        monkeypatch.setenv("SPYGAMES_LLM_KEY", "sk-own\r\n")
        model = model_of(server)
        with pytest.raises(PlayerUnavailable, match="the server answered 401"):
            play_record(GAME, [model, "random"], seed=1)
        model.close()
        assert len(server.requests) == 1
    for wrong in ("sk-o\rwn", "sk-\x1bown", "sk-öwn"):
        monkeypatch.setenv("OPENAI_API_KEY", wrong)
        monkeypatch.delenv("SPYGAMES_LLM_KEY", raising=False)
        with pytest.raises(ValueError, match="must be one line of ASCII") as found:
            ChatClient(ModelName("m"))
        assert "own" not in str(found.value)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://u:secret@h/v1", "the URL in OPENAI_BASE_URL must have no user or password"),
        ("h:80/v1", "the URL in OPENAI_BASE_URL must be as in http://127.0.0.1:8000/v1, not h:80/v1"),
        ("ftp://h/v1", "the URL in OPENAI_BASE_URL must be as in http://127.0.0.1:8000/v1, not ftp://h/v1"),
    ],
)
def test_a_wrong_url_of_the_environment_is_refused(url: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(ValueError, match=message):
        ChatClient(ModelName("m"))


def test_a_server_that_accepts_no_connection_loses_no_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """As behind a firewall that drops packets."""
    client = ChatClient(ModelName("m", "http://127.0.0.1:9/v1"), pause=0.0)

    def late(*_: Any, **__: Any) -> Any:
        raise httpx.ConnectTimeout("late")

    monkeypatch.setattr(client._http, "stream", late)
    failed: list[str] = []
    with pytest.raises(NoCompletion, match=r"no connection to .* in time"):
        client.ask([], failed.append)
    assert failed == ["connect"] * TRIES
    client.close()


def test_a_short_wait_that_a_server_asks_for_does_not_replace_growing_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    with chat_server(lambda messages, number: Reaction(429, headers={"Retry-After": "3"})) as server:
        client = ChatClient(ModelName("m", server.url))
        monkeypatch.setattr("spygames.core.chat.client.time.sleep", slept.append)
        with pytest.raises(NoCompletion, match="429"):
            client.ask([], lambda kind: None)
        monkeypatch.undo()
        client.close()
    assert slept == [3, 3, 4, 8]


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
