"""The OpenEnv server: the same games, seeds, many sessions, MCP, forfeits, and no leak."""

import asyncio
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar
from unittest import mock

import pytest

from spygames import Game, make_game
from spygames.players import PlayerFailed
from spygames.records import GameRecord
from spygames.text import TextGame, briefing, prompt, turn_of
from tests.support.text_games import (
    check_planted_leaks,
    check_same_games,
    expected,
    hostile,
    legal_of,
    own_moves,
    sensible,
)

openenv = pytest.importorskip("openenv.core", reason="openenv is not installed: make test-bridges")
bridge = pytest.importorskip("spygames.openenv")
httpx = pytest.importorskip("httpx")
uvicorn = pytest.importorskip("uvicorn")

GAME = make_game("agent_avenue_v0")


@contextmanager
def serving(game: Game = GAME, opponents: Any = "random", **settings: Any) -> Iterator[str]:
    """Run a server while the block runs; its URL."""
    config = uvicorn.Config(bridge.make_app(game, opponents, **settings), port=0, log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as found:
        yield found


def client(url: str) -> Any:
    return openenv.GenericEnvClient(base_url=url).sync()


class Kept(TextGame):
    """Keeps all games of this process, because a client is not told what the other seats did."""

    all: ClassVar[list[TextGame]] = []

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.all.append(self)


def by_openenv(
    game: Game, seed: int, seat: int | None, answer: Callable[[str], str]
) -> tuple[GameRecord, dict[int, list[str]]]:
    assert seat is not None
    told, given = [], []
    Kept.all.clear()
    with mock.patch.object(bridge, "TextGame", Kept), serving(game) as url, client(url) as env:
        result = env.reset(seed=seed, seat=seat)
        assert result.observation["briefing"] == briefing(game, seat)
        while not result.done:
            assert (result.reward, result.observation["seat"]) == (0.0, seat)
            told.append(result.observation["text"])
            assert result.observation["legal"] == legal_of(told[-1])
            given.append(answer(told[-1]))
            result = env.step({"action": given[-1]})
            assert result.observation["verdict"] == "ok"
        state = env.state()
    (record,) = [table.record() for table in Kept.all if table.over]
    moves = own_moves(game, record, seat)
    assert given == [f'I think. {{"action": "{move}"}}' for move in moves]
    assert result.reward == record.returns[seat]
    assert result.observation["text"] == f"The game is over. Your result is {record.returns[seat]:+g}."
    assert result.observation["answers"]["decisions"] == result.observation["answers"]["ok"] == len(moves)
    assert (state["step_count"], state["over"], state["seat"]) == (len(moves), True, seat)
    assert state.keys() == {"episode_id", "step_count", "game", "seat", "over"}  # no seed
    return record, {seat: told}


def test_games_are_the_same() -> None:
    check_same_games(by_openenv, self_play=False)


def test_planted_leaks_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    check_planted_leaks(by_openenv, monkeypatch)


def test_seeds_are_honored(url: str) -> None:
    with client(url) as env:
        first = env.reset(seed=5, seat=1).observation
        env.step({"action": first["legal"][0]})
        assert env.reset(seed=5, seat=1).observation == first
        assert env.reset(seed=6, seat=1).observation != first
        assert env.reset(seed=5, seat=0).observation != first
        drawn = {env.reset(seed=seed).observation["seat"] for seed in range(20)}
        assert drawn == {0, 1}
        assert env.reset(seed=9).observation == env.reset(seed=9).observation
        assert len({env.reset(seat=0).observation["text"] for _ in range(5)}) > 1


def test_many_sessions_play_at_the_same_time(url: str) -> None:
    """Sessions that take turns play the games that they would play alone."""

    async def games(count: int) -> list[list[str]]:
        async def one(seed: int) -> list[str]:
            async with openenv.GenericEnvClient(base_url=url) as env:
                await together.wait()
                result, told = await env.reset(seed=seed, seat=seed % 2), []
                while not result.done:
                    told.append(result.observation["text"])
                    result = await env.step({"action": sensible(told[-1])})
                return told

        together = asyncio.Barrier(count)
        return await asyncio.gather(*(one(seed) for seed in range(count)))

    found = asyncio.run(games(24))
    for seed in (0, 7, 23):
        assert len(found[seed]) == len(own_moves(GAME, expected(GAME, seed, seed % 2), seed % 2))
    assert asyncio.run(games(24)) == found


def test_the_number_of_sessions_is_limited() -> None:
    with serving(sessions=1) as url, client(url) as env:
        assert not env.reset(seed=1).done
        with pytest.raises(Exception, match=r"(?i)capacity|sessions|closed"), client(url) as other:
            other.reset(seed=1)


@pytest.mark.parametrize(
    ("mode", "first", "second"), [("listed", True, True), ("rules", False, False), ("listed-on-retry", False, True)]
)
def test_the_last_wrong_answer_forfeits_the_game(mode: Any, first: bool, second: bool) -> None:
    with serving(mode=mode, retries=1) as url, client(url) as env:
        asked = env.reset(seed=1, seat=0).observation
        assert [bool(asked["legal"]), bool(legal_of(asked["text"]))] == [first, first]
        result = env.step({"action": "I cannot decide."})
        assert [bool(result.observation["legal"]), bool(legal_of(result.observation["text"]))] == [second, second]
        assert (result.done, result.reward, result.observation["verdict"]) == (False, 0.0, "unparseable")
        result = env.step({"action": '{"action": "pass"}'})
        assert (result.done, result.reward, result.observation["verdict"]) == (True, -1.0, "illegal")
        assert result.observation["forfeit"]
        counts = {"answers": 2, "decisions": 1, "ok": 0, "unparseable": 1, "ambiguous": 0, "illegal": 1, "forfeits": 1}
        assert result.observation["answers"] == counts
        with pytest.raises(RuntimeError, match="the game is over: begin a new one first"):
            env.step({"action": "pass"})


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_hostile_answers_play_no_move(url: str, count: int) -> None:
    answers, verdicts, seed, given = hostile(3), Counter[str](), 0, 0
    with client(url) as env:
        while given < count:
            seed, result = seed + 1, env.reset(seed=seed, seat=0)
            before = result.observation["text"]
            while not result.done:
                result, given = env.step({"action": next(answers)}), given + 1
                verdicts[result.observation["verdict"]] += 1
                assert result.observation["text"] != before or result.done
            assert (result.reward, result.observation["answers"]["ok"]) == (-1.0, 0)
        for wrong in ({"action": 3}, {}, {"action": None}, {"action": "x", "more": 1}, {"move": "x"}):
            with pytest.raises(RuntimeError, match="Invalid message"):
                env.step(wrong)
        assert not env.reset(seed=1).done
    assert verdicts["ok"] == 0
    assert min(verdicts["unparseable"], verdicts["illegal"], verdicts["ambiguous"]) > 0


def test_wrong_requests_get_one_clear_error(url: str) -> None:
    with client(url) as env:
        with pytest.raises(RuntimeError, match="no game has begun: begin a new one first"):
            env.step({"action": "pass"})
        for wrong, message in (
            ({"seed": -1}, "seed must be an integer from 0"),
            ({"seat": 2}, "seat must be an integer from 0 to 1, not 2"),
            ({"sead": 2}, "reset takes seed, episode_id and seat, not sead"),
        ):
            with pytest.raises(RuntimeError, match=message):
                env.reset(**wrong)
        assert not env.reset(seed=1).done
    for opponents, message in (("radnom", "radnom"), ((), "opponents must name at least one player")):
        with pytest.raises(ValueError, match=message):
            bridge.make_app(GAME, opponents)


def rpc(url: str, method: str, **params: Any) -> dict[str, Any]:
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return httpx.post(f"{url}/mcp", json=request).json()


def test_models_play_through_tools(url: str) -> None:
    tools = rpc(url, "tools/list")["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["observe", "act", "new_game"]
    assert {name for tool in tools for name in tool["inputSchema"]["properties"]} == {"action"}  # no seed
    session = rpc(url, "openenv/session/create")["result"]["session_id"]

    def call(name: str, **arguments: str) -> str:
        found = rpc(url, "tools/call", name=name, arguments=arguments, session_id=session)["result"]
        assert not found["is_error"]
        return found["content"][0]["text"]

    assert call("act", action="pass") == "No game has begun. Call observe first."
    text, moves = call("observe"), 0
    assert text == call("observe")
    assert call("act", action="[nothing]").startswith('"nothing" is not one of your legal actions.')
    while not text.startswith("The game is over."):
        text, moves = call("act", action=legal_of(text)[0]), moves + 1
    assert moves > 2
    assert call("act", action="pass") == f"{text} Call new_game for another one."
    assert call("observe") == text
    assert call("new_game").startswith("You are player_")
    assert rpc(url, "openenv/session/close", session_id=session)["result"]["closed"]


def test_a_seed_is_given_to_a_session_of_tools(url: str) -> None:
    session = rpc(url, "openenv/session/create")["result"]["session_id"]
    ws = pytest.importorskip("websockets.sync.client")
    with ws.connect(f"{url.replace('http', 'ws')}/ws?session_id={session}") as socket:
        socket.send(json.dumps({"type": "reset", "data": {"seed": 5, "seat": 0}}))
        assert json.loads(socket.recv())["type"] == "observation"
    found = rpc(url, "tools/call", name="observe", arguments={}, session_id=session)["result"]["content"][0]["text"]
    assert found == prompt(turn_of(GAME, GAME.start(5)))


def broken(observation: Any, mask: Any) -> int:
    return -1


def test_a_game_that_an_opponent_has_broken_off_has_no_result() -> None:
    env = bridge.SpygamesEnvironment(GAME, "python:tests.bridges.test_openenv.broken")
    text = next(each for each in env.reset(seed=1, seat=0).legal if each.startswith("play"))
    with pytest.raises(PlayerFailed, match="failed in seat 1"):
        env.act(text)
    for said in (env.observe(), env.act(text)):
        assert said == "The last game was abandoned, because an opponent failed. Call new_game for another one."
    assert not env.state.over


def test_no_code_is_run() -> None:
    env = bridge.SpygamesEnvironment(GAME, "random")
    assert not env.supports_code_mode
    with pytest.raises(NotImplementedError, match="runs no code"):
        env.execute_code("result = 1")
    assert env.web_actions({"legal": ["pass"]}) == [("pass", {"action": "pass"})]


def test_the_server_describes_itself(url: str) -> None:
    assert httpx.get(f"{url}/health").json() == {"status": "healthy"}
    schema = httpx.get(f"{url}/schema").json()
    assert schema["action"]["required"] == ["action"]
    assert schema["action"]["properties"]["action"]["description"].startswith("The bare text of a legal action")
    assert {"text", "legal", "seat", "verdict"} <= schema["observation"]["properties"].keys()


def test_a_wrong_number_of_sessions_gets_one_line() -> None:
    others: tuple[Any, ...] = 0, -1, "64"
    for wrong in others:
        with pytest.raises(ValueError, match=f"^sessions must be an integer >= 1, not {wrong!r}$"):
            bridge.make_app(GAME, sessions=wrong)


@pytest.mark.parametrize("options", ["players=3", "[1]", "null"])
def test_options_that_are_no_json_object_get_one_line(options: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bridge.main(["agent_avenue", "--options", options])
    assert (
        f"--options: it must be a JSON object, as in '{{\"players\": 3}}', not '{options}'" in capsys.readouterr().err
    )


def test_released_agents_are_opponents() -> None:
    with serving(opponents="agent_avenue/simple-2") as url, client(url) as env:
        result, moves = env.reset(seed=3, seat=1), []
        while not result.done:
            moves.append(sensible(result.observation["text"]))
            result = env.step({"action": moves[-1]})
    record = expected(GAME, 3, 1, "agent_avenue/simple-2")
    assert len(moves) == len(own_moves(GAME, record, 1))
    assert result.reward == record.returns[1]
