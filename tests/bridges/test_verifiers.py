"""The environment of verifiers: the same games, rewards, groups, conversations, forfeits, and no leak."""

import asyncio
import itertools
import json
import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from spygames import Game, make_game
from spygames.records import GameRecord, read_games
from spygames.text import briefing, deals, question, turn_of
from tests.support.chat_server import ChatServer, Reaction, chat_server
from tests.support.text_games import (
    check_planted_leaks,
    check_same_games,
    hostile,
    legal_of,
    own_moves,
    sensible,
    told_in_other_worlds,
)

vf = pytest.importorskip("verifiers.v1", reason="verifiers is not installed: make test-verifiers")
bridge = pytest.importorskip("spygames_verifiers")

GAME = make_game("agent_avenue_v0")


def environment(**settings: Any) -> Any:
    taskset = {"id": "spygames_verifiers", **settings.pop("taskset", {})}
    return vf.load_environment(bridge.SpygamesEnvConfig(taskset=taskset, **settings))


def episodes(env: Any, server: ChatServer, tasks: Sequence[Any], rollouts: int = 1) -> list[Any]:
    """Play each task `rollouts` times, several at the same time; in the order of the tasks."""

    async def run() -> list[Any]:
        ctx = vf.ModelContext(model="fake", client=vf.EvalClientConfig(base_url=server.url, api_key_var="NO_KEY"))
        async with env.serving():
            slots = [slot for task in tasks for slot in env.slots(task, rollouts)]
            return await asyncio.gather(*(env.run_slot(slot, ctx) for slot in slots))

    return asyncio.run(run())


def played(tasks: int, answer: Callable[[str], str], rollouts: int = 1, **settings: Any) -> list[Any]:
    """Play the first tasks against a server that answers the last message of a conversation."""
    env = environment(**settings)
    with chat_server(lambda messages, number: answer(messages[-1]["content"])) as server:
        return episodes(env, server, list(env.taskset.take(tasks)), rollouts)


def record_of(trace: Any) -> GameRecord:
    (record,) = read_games(trace.info["spygames"]["record"])
    return record


def told_in(trace: Any) -> list[str]:
    """What the user said in a conversation."""
    (branch,) = trace.branches
    return [message.content for message in branch.messages if message.role == "user"]


def by_verifiers(
    game: Game, seed: int, seat: int | None, answer: Callable[[str], str]
) -> tuple[GameRecord, dict[int, list[str]]]:
    settings: dict[str, Any] = {"taskset": {"game": game.id, "options": dict(game.options)}}
    if seat is not None:
        settings["opponents"] = ["random"]
    env = environment(**settings)
    (task,) = env.taskset.take(1)
    with chat_server(lambda messages, number: answer(messages[-1]["content"])) as server:
        (episode,) = episodes(env, server, [task.with_data(seed=seed, side=seat or 0)])
    assert episode.ok, episode.errors
    traces = {trace.info["spygames"]["seat"]: trace for trace in episode.traces}
    assert [*sorted(traces)] == ([*range(game.num_players)] if seat is None else [seat])
    record = record_of(episode.traces[0])
    for k, trace in traces.items():
        assert trace.reward == record.returns[k]
        assert trace.metrics["decisions"] == trace.metrics["ok"] == len(own_moves(game, record, k))
        assert not any(trace.metrics[name] for name in ("forfeit", "unparseable", "illegal", "ambiguous"))
        (branch,) = trace.branches
        assert [branch.messages[0].role, branch.messages[0].content] == ["system", briefing(game, k)]
    return record, {k: told_in(trace) for k, trace in traces.items()}


def test_games_are_the_same() -> None:
    check_same_games(by_verifiers, self_play=True)
    check_same_games(by_verifiers, self_play=False)


def test_planted_leaks_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    check_planted_leaks(by_verifiers, monkeypatch)


def test_groups_share_a_deal_and_each_deal_has_all_sides() -> None:
    found = played(4, sensible, rollouts=3, opponents=["greedy"], taskset={"seed": 5})
    wanted = [*itertools.islice(deals(5), 2)]
    about = [episode.traces[0].info["spygames"] for episode in found]
    assert [(each["seed"], each["seat"]) for each in about] == [
        (seed, seat) for seed in wanted for seat in range(2) for _ in range(3)
    ]
    for first in range(0, len(found), 3):
        records = {episode.traces[0].info["spygames"]["record"] for episode in found[first : first + 3]}
        assert len(records) == 1  # the same answers to the same deal, and the same luck of the opponent
    assert {str(episode.traces[0].agent.name) for episode in found} == {"player_0"}
    again = played(4, sensible, opponents=["greedy"], taskset={"seed": 5})
    assert [record_of(each.traces[0]) for each in again] == [record_of(each.traces[0]) for each in found[::3]]


def test_agents_change_seats_from_task_to_task() -> None:
    found = played(3, sensible, taskset={"game": "heimlich_v0", "options": {"players": 3}})
    seats = [{trace.agent.name: trace.info["spygames"]["seat"] for trace in episode.traces} for episode in found]
    assert seats == [{f"player_{k}": (side + k) % 3 for k in range(3)} for side in range(3)]
    assert len({episode.traces[0].info["spygames"]["record"] for episode in found}) == 1
    assert all(abs(sum(trace.reward for trace in episode.traces)) < 1e-6 for episode in found)


@pytest.mark.parametrize(
    ("mode", "first", "second"), [("listed", True, True), ("rules", False, False), ("listed-on-retry", False, True)]
)
def test_the_last_wrong_answer_forfeits_the_game(mode: str, first: bool, second: bool) -> None:
    (episode,) = played(1, lambda told: "I cannot decide.", mode=mode, corrections=1)
    assert episode.ok
    loser, other = sorted(episode.traces, key=lambda trace: trace.reward)
    assert (loser.reward, other.reward) == (-1.0, 1.0)
    assert {**loser.rewards}.keys() == {"result"}
    counted = ("forfeit", "decisions", "unparseable", "ok")
    assert [loser.metrics[name] for name in counted] == [1.0, 1.0, 2.0, 0.0]
    assert [other.metrics[name] for name in counted] == [0.0, 0.0, 0.0, 0.0]
    assert [bool(legal_of(told)) for told in told_in(loser)] == [first, second]
    assert told_in(loser)[1].startswith('Your answer names no action. It ends with "I cannot decide.".')
    assert loser.info["spygames"]["forfeited"] == loser.info["spygames"]["seat"]


@pytest.mark.parametrize("games", [40, pytest.param(1_000, marks=pytest.mark.slow)])
def test_hostile_answers_play_no_move(games: int) -> None:
    answers, lock = hostile(2), threading.Lock()

    def next_answer(told: str) -> str:
        with lock:
            return next(answers)

    found = played(games, next_answer, opponents=["random"], corrections=4)
    verdicts: Counter[str] = Counter()
    for episode in found:
        (trace,) = episode.traces
        assert (episode.ok, trace.reward, trace.metrics["forfeit"]) == (True, -1.0, 1.0)
        assert not own_moves(GAME, record_of(trace), trace.info["spygames"]["seat"])
        verdicts.update({name: int(trace.metrics[name]) for name in ("ok", "unparseable", "illegal", "ambiguous")})
    assert verdicts["ok"] == 0
    assert verdicts.total() == 5 * games
    assert min(verdicts["unparseable"], verdicts["illegal"], verdicts["ambiguous"]) > 0


def test_tables_are_used_again() -> None:
    env = environment(opponents=["random"])
    with chat_server(lambda messages, number: sensible(messages[-1]["content"])) as server:
        for _ in range(3):
            episodes(env, server, list(env.taskset.take(2)))
    ((game, tables),) = env._free.items()
    assert len(tables) <= 2
    assert game.id == GAME.id


def test_a_server_that_fails_decides_no_game() -> None:
    env = environment(opponents=["random"])
    with chat_server(lambda messages, number: Reaction(status=400, body=b'{"error": {"message": "no"}}')) as server:
        (episode,) = episodes(env, server, list(env.taskset.take(1)))
        assert not episode.ok
        assert "could not be asked" in episode.errors[0].message
        assert not episode.traces[0].rewards
    with chat_server(lambda messages, number: sensible(messages[-1]["content"])) as server:
        (episode,) = episodes(env, server, list(env.taskset.take(1)))
    assert episode.ok


def test_an_agent_that_reaches_its_limit_forfeits() -> None:
    (episode,) = played(1, sensible, player_0={"max_turns": 2}, opponents=["random"])
    (trace,) = episode.traces
    assert (episode.ok, trace.reward) == (True, -1.0)
    assert [trace.metrics[name] for name in ("forfeit", "decisions", "ok")] == [1.0, 3.0, 2.0]


def test_seats_may_have_models_of_their_own() -> None:
    env = environment(player_1={"model": "other"})
    with chat_server(lambda messages, number: sensible(messages[-1]["content"])) as server:
        (episode,) = episodes(env, server, list(env.taskset.take(1)))
    asked: dict[str, set[str]] = {}
    for request in server.requests:
        asked.setdefault(request["model"], set()).add(request["messages"][0]["content"])
    assert asked == {"fake": {briefing(GAME, 0)}, "other": {briefing(GAME, 1)}}
    assert episode.ok


def test_released_agents_are_opponents() -> None:
    found = played(2, sensible, opponents=["agent_avenue/simple-2@sample"])
    assert all(episode.ok for episode in found)
    assert {*record_of(found[0].traces[0]).players} == {"text", "agent_avenue/simple-2@sample"}


def test_wrong_settings_are_refused() -> None:
    for settings, message in (
        ({"opponents": ["radnom"]}, "radnom"),
        ({"opponents": ["random"] * 2}, r"opponents must be one player or one for each other seat \(1\), not 2"),
        ({"taskset": {"options": {"players": 9}}}, "players must be"),
        ({"taskset": {"game": "chess_v0"}}, "chess"),
        ({"corrections": 6}, "less than or equal to 5"),
        ({"mode": "none"}, "Input should be 'listed', 'rules' or 'listed-on-retry'"),
    ):
        with pytest.raises(ValueError, match=message):
            environment(**settings)


def test_traces_hold_what_the_seat_was_told_and_no_more() -> None:
    """The record of the game is in `info` alone, which no seat is told."""
    (episode,) = played(1, sensible)
    for trace in episode.traces:
        seat, record = trace.info["spygames"]["seat"], record_of(trace)
        assert told_in(trace) == told_in_other_worlds(GAME, record, seat)
        line = json.dumps(trace.task.data.model_dump(mode="json"))
        assert str(record.seed) not in line
    assert question(turn_of(GAME, GAME.start(record_of(episode.traces[0]).seed or 0))) in told_in(episode.traces[1])


def test_the_example_plays_groups() -> None:
    example = Path(__file__).resolve().parents[2] / "docs" / "examples" / "verifiers_games.py"
    with chat_server(lambda messages, number: "[nothing]" if number % 50 == 49 else first(messages)) as server:
        done = subprocess.run(
            [sys.executable, example, "fake", server.url, "2"], capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stderr[-3000:]
    for side, line in enumerate(done.stdout.splitlines()):
        assert line.startswith(f"agent_avenue_v0 deal 0 side {side}: rewards [")
        assert line.count("1.0") == 4
    assert all(not legal_of(request["messages"][-1]["content"]) for request in server.requests)


def first(messages: list[dict[str, str]]) -> str:
    """An answer without knowing the legal actions: the first two cards of the hand, or the open card."""
    told = messages[-1]["content"]
    if "you recruit" in told:
        return "[recruit up]"
    hand = re.findall(r"^Your hand: (.+)$", told, re.MULTILINE)[0].split(", ")
    up = hand[0]
    down = next((card for card in hand if card != up), up)
    return f"[play {up} {down}]".replace("double agent", "double_agent")


def test_the_command_of_verifiers_finds_the_taskset(tmp_path: Path) -> None:
    """`vf-eval spygames-verifiers`, with its workers, as on the page."""
    with chat_server(lambda messages, number: sensible(messages[-1]["content"])) as server:
        command = [Path(sys.executable).parent / "vf-eval", "spygames-verifiers", "-n", "2", "-r", "2", "-o", tmp_path]
        settings = {
            "--env.opponents": '["greedy"]',
            "--env.taskset.seed": "5",
            "--model": "fake",
            "--client.base-url": server.url,
            "--client.api-key-var": "NO_KEY",
        }
        arguments = [word for pair in settings.items() for word in pair]
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    (file,) = tmp_path.rglob("traces.jsonl")
    found = [json.loads(line) for line in file.read_text().splitlines()]
    played = sorted((each["traces"][0]["info"]["spygames"]["seat"], each["ok"]) for each in found)
    assert played == [(0, True), (0, True), (1, True), (1, True)]
    assert {each["traces"][0]["info"]["spygames"]["seed"] for each in found} == {next(deals(5))}
