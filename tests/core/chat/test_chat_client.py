"""Requests to servers of the chat form: failures, keys, limits, and the names of models."""

import itertools
import json
import re
from types import SimpleNamespace
from typing import Any

import pytest

from spygames import make_game
from spygames.core.chat import account, client
from spygames.core.chat.account import Budget
from spygames.core.chat.client import MAX_ANSWER, MAX_BODY, TRIES, ChatClient, NoCompletion
from spygames.core.chat.model_name import ModelName
from spygames.players import LanguageModel, Limits, PlayerFailed, PlayerUnavailable
from spygames.records import play_record
from spygames_app.cli.models import accounts
from tests.support.chat_server import Reaction, chat_server, in_form, model_of, sensible

httpx = pytest.importorskip("httpx", reason="needs the extra llm")

GAME = make_game("agent_avenue_v0")


@pytest.fixture
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SPYGAMES_LLM_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


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
                play_record(GAME, [model, "random"], seed=1, forfeits=True)
            model.close()
            assert model.account.answers == 3
            assert model.account.forfeits == 0
        with pytest.raises(ValueError, match="needs a price of fake"):
            model_of(server, limits=Limits(dollars=1))


def test_limits_count_all_players_of_one_name() -> None:
    budget = Budget(Limits(tokens=330))
    with chat_server(sensible) as server:
        players = [model_of(server), model_of(server)]
        for player in players:
            player.use(budget, None, 1, 60)
            player.use(budget, None, 1, 60)  # counts once
        with pytest.raises(PlayerUnavailable, match="330 tokens are used, of at most 330"):
            play_record(GAME, players, seed=1)
        for player in players:
            player.close()
    counted = accounts(players)
    assert [*counted] == [players[0].name]
    assert counted[players[0].name]["answers"] == 3 == sum(player.account.answers for player in players)


def test_an_answer_that_is_too_long_counts_up_to_the_limit() -> None:
    with chat_server(lambda m, n: Reaction(body=in_form("y" * (2 * MAX_ANSWER), usage={}))) as server:
        model = model_of(server, ",retries=0")
        with pytest.raises(PlayerFailed):
            play_record(GAME, [model, "random"], seed=1)
        model.close()
    assert (model.account.tokens_out, model.account.unmetered, model.account.oversize) == (MAX_ANSWER // 4, 1, 1)


def test_tokens_that_the_server_does_not_report_are_estimated() -> None:
    with chat_server(lambda m, n: Reaction(body=in_form(sensible(m, n), usage={"prompt_tokens": "many"}))) as server:
        model = model_of(server)
        play_record(GAME, [model, "random"], seed=1)
        model.close()
    asked = sum(-(-sum(len(m["content"]) for m in request["messages"]) // 4) for request in server.requests)
    assert (model.account.tokens_in, model.account.unmetered) == (asked, model.account.answers)


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
        ("m,temperature=-0.0", "llm:m,mode=listed,temperature=0"),
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


def test_a_limit_on_time_stops_before_the_next_request(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    monkeypatch.setattr(account, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def script(messages: list[dict[str, str]], number: int) -> str:
        now[0] += 20.0
        return sensible(messages, number)

    with chat_server(script) as server:
        model = model_of(server, limits=Limits(seconds=60))
        now[0] = 1000.0  # time before the first request does not count
        with pytest.raises(PlayerUnavailable, match="the time limit of 60 s is over"):
            play_record(GAME, [model, "random"], seed=1)
        model.close()
    assert model.account.answers == 3


def test_a_correction_says_why_an_action_is_not_legal() -> None:
    with chat_server(lambda messages, number: '{"action": "recruit up"}') as server:
        model = model_of(server, ",retries=1")
        with pytest.raises(PlayerFailed):
            play_record(GAME, [model, "random"], seed=1)
        model.close()
    told = server.requests[1]["messages"][-1]["content"].splitlines()[0]
    assert told.startswith('"recruit up" is not one of your legal actions: ')


def test_the_time_of_all_requests_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(0.0)
    monkeypatch.setattr(client, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    with chat_server(sensible) as server:
        model = model_of(server)
        play_record(GAME, [model, "random"], seed=1)
        model.close()
    assert model.account.seconds >= model.account.answers > 0
