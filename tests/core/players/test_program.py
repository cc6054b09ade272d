"""Programs as players: the messages that they get, their answers, and what happens when they fail."""

import json
import pickle
import re
import shlex
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tests.poker.kuhn as kuhn
from spygames import make_game
from spygames.core.basics.version import VERSION
from spygames.core.game.game import Game
from spygames.core.game.rng import draw_seed as draw_stream
from spygames.core.players.events import draw_seed
from spygames.core.players.history import new_notes
from spygames.core.players.json_lines import MAX_BYTES, Pipe
from spygames.core.players.names import make_player
from spygames.core.players.player import Player, PlayerFailed
from spygames.core.players.program import CommandPlayer
from spygames.core.playing.batch import Batch, spread
from spygames.core.playing.session import answers, answers_in_secret, play
from spygames.core.records.record import play_record
from spygames_training.evaluation.digests import player_digest
from spygames_training.evaluation.evaluation import evaluate
from spygames_training.evaluation.forfeits import Referee
from spygames_training.evaluation.play_games import play_games
from spygames_training.ladder.lines import entry_of, play_line
from tests.games.agent_avenue.test_leaks import nothing_shown, other_world
from tests.support.asked import ask
from tests.support.position import Position, position_of
from tests.support.worlds import play_both

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
KUHN = kuhn.make_game()
BOT = """
import json, sys
for line in sys.stdin:
    told = json.loads(line)
    LOG
    if told["type"] == "hello":
        print('{"type": "hello", "protocol": 2}', flush=True)
    if told["type"] == "decision":
        DECIDE
        told = {"type": "action", "id": told["id"], "decision": told["decision"], "action": action}
        print(json.dumps(told), flush=True)
"""


def bot(folder: Path, decide: str = "action = told['legal'][0]", log: str = "pass", source: str = BOT) -> str:
    """Return the command of a bot with these lines."""
    file = folder / "bot.py"
    file.write_text(source.replace("LOG", log).replace("DECIDE", decide.replace("\n", "\n        ")))
    return f"{shlex.quote(sys.executable)} -S {shlex.quote(str(file))}"


def one_game(game: Game, *players: Player, seed: int = 1) -> list[int]:
    return play(game, game.start(seed), players, np.array([[seed]], np.uint64))


def survivors(game: Game, player: Player, games: int, seed: int = 3) -> tuple[list[int], list[PlayerFailed]]:
    """Play games of `player` in seat 0 against `random`, one after the other; a game in which it fails is lost.

    Returns:
        The numbers of the finished games, and the errors of the others.
    """
    ended, failures = [], []
    for number, start in enumerate(spread(np.uint64(seed), games).tolist()):
        try:
            play(game, game.start(start), [player, make_player(game, "random")], np.array([[number]], np.uint64))
            ended.append(number)
        except PlayerFailed as failed:
            failures.append(failed)
    return ended, failures


@pytest.mark.parametrize(("name", "games"), [("first.sh", 10), ("drawn.mjs", 100)])
def test_the_bots_of_the_docs_play_whole_games(name: str, games: int) -> None:
    if name.endswith(".mjs") and shutil.which("node") is None:
        pytest.skip("Node.js is not installed")
    game = make_game("agent_avenue_v0")
    player = make_player(game, f"command:{shlex.quote(str(EXAMPLES / name))}")
    result = evaluate(game, player, "random", games, 1)[0]
    assert result.games == games
    assert result == evaluate(game, player, "random", games, 1)[0]  # its only randomness are the seeds that it gets
    assert isinstance(player, CommandPlayer)
    player.close()


def test_a_bot_gets_its_messages_in_order(tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = bot(tmp_path, log=f"open({str(log)!r}, 'a').write(line)")
    game = make_game("agent_avenue_v0")
    player, rival = CommandPlayer(game, command), make_player(game, "greedy")
    record = play_record(game, [rival, player], 5)
    player.close()
    messages: list[dict[str, Any]] = [json.loads(line) for line in log.read_text().splitlines()]
    hello, start, *decisions, result = messages
    assert (hello["type"], hello["game"], hello["seat"], hello["players"]) == ("hello", "agent_avenue_v0", 1, 2)
    assert hello["options"] == dict(game.options)
    assert start == {"type": "start", "id": 1}
    assert {(each["type"], each["id"]) for each in decisions} == {("decision", 1)}
    assert [each["decision"] for each in decisions] == list(range(1, len(decisions) + 1))
    assert all(each["legal"] and 0 <= each["seed"] < 2**32 for each in decisions)
    assert list(decisions[0]["view"]) == list(game.view_dtype.names or ())
    assert (result["type"], result["id"], tuple(result["returns"])) == ("result", 1, record.returns)
    events = [event for each in (*decisions, result) for event in each["events"]]
    assert len(events) == len(record.actions)  # each move of both seats, once
    own = [event for event in events if event.startswith("player_1")]
    assert len(own) == len(decisions)


def test_the_seed_of_a_message_does_not_reveal_the_stream() -> None:
    """The seed is no half of a draw. From halves a program could compute the stream, and from that what other players
    of its game draw."""
    for start in range(200):
        drawn, raw = (np.array([start], np.uint64) for _ in range(2))
        halves = set()
        for _ in range(3):
            number = int(draw_stream(raw))
            halves |= {number >> 32, number % 2**32}
        assert draw_seed(drawn) not in halves


def test_the_session_in_the_docs_is_real(monkeypatch: pytest.MonkeyPatch) -> None:
    page = (EXAMPLES.parent / "bot_protocol.md").read_text(encoding="utf-8")
    session = page.split("```text\n")[1].split("\n```")[0].splitlines()
    written, answers_on_page = [], [line[2:] for line in session if line[0] == "<"]

    class RecordingPipe:
        def send(self, message: dict[str, Any]) -> None:
            written.append(f"> {json.dumps(message)}")

        def receive(self, limit: float) -> dict[str, Any]:
            written.append(f"< {answers_on_page.pop(0)}")
            return json.loads(written[-1][2:])

        def close(self) -> None:
            pass

    monkeypatch.setattr("spygames.core.players.program.Pipe", lambda arguments: RecordingPipe())
    play(KUHN, KUHN.start(1), [CommandPlayer(KUHN, "sh"), make_player(KUHN, "random")], np.array([[1]], np.uint64))
    session[0] = re.sub(r'"spygames": "[^"]*"', f'"spygames": "{VERSION}"', session[0])
    assert written == session


def test_leak_tests_read_the_pipe() -> None:
    """A game whose events reveal a hand of seat 0 fails when worlds with other hands are played side by side."""
    honest = make_game("agent_avenue_v0")

    def reveals_hands(game: Game, s: Any, action: int, seat: int, viewer: int) -> str:
        return str(game.state_to_dict(s)["hands"])

    for game in (honest, replace(honest, texts=replace(honest.texts, seen_action=reveals_hands))):
        start = next(m for seed in range(20) if other_world(m := Position(game, game.start(seed)).mapping, 0))
        changed = other_world(start, 0)
        assert changed
        worlds = position_of(game, start), position_of(game, changed)
        if game is honest:
            assert play_both(*worlds, 1, np.random.default_rng(0), nothing_shown) > 0
        else:
            with pytest.raises(AssertionError):
                play_both(*worlds, 1, np.random.default_rng(0), nothing_shown)


def test_a_process_plays_one_seat_of_many_games(tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = bot(tmp_path, log=f"import os; open({str(log)!r} + str(os.getpid()), 'a').write(line)")
    player = CommandPlayer(KUHN, command)
    seeds = spread(np.uint64(1), 50)
    play_games(KUHN, [player], np.zeros((50, 2), np.int64), seeds, 1)
    player.close()
    files = sorted(tmp_path.glob("log*"))
    assert len(files) == 2
    seats = set()
    for file in files:
        hello, *messages = map(json.loads, file.read_text().splitlines())
        seats.add(hello["seat"])
        assert sorted(each["id"] for each in messages if each["type"] == "start") == list(range(1, 51))
        assert sorted(each["id"] for each in messages if each["type"] == "result") == list(range(1, 51))
    assert seats == {0, 1}


DIES = "sys.exit(3) if told['id'] == 2 else None\naction = told['legal'][0]"
SLOW = "import time; time.sleep(60 if told['id'] == 2 else 0)\naction = told['legal'][0]"
BABBLES = (
    "print('hello, world' if told['id'] == 2 else '', end='\\n' if told['id'] == 2 else '')\naction = told['legal'][0]"
)
LIES = "action = 'raise the roof' if told['id'] == 2 else told['legal'][0]"
FORGETS = "told['id'] += told['id'] == 2\naction = told['legal'][0]"
TWICE = """action = told['legal'][0]
if told['id'] == 2:
    print(json.dumps({"type": "action", "id": 2, "decision": told["decision"], "action": action}), flush=True)"""
LONG = "print(('x' if told['id'] == 2 else '') * 100000, end='')\naction = told['legal'][0]"


@pytest.mark.parametrize(
    ("decide", "what"),
    [
        (DIES, "failed in seat 0: it ended with exit code 3"),
        (SLOW, "failed in seat 0: it gave no answer in 0.5 s"),
        (BABBLES, "failed in seat 0: it wrote a line that is not a JSON object: 'hello, world'"),
        (LIES, "answered an illegal action: 'raise the roof' for seat 0; legal are"),
        (FORGETS, "failed in seat 0: it gave a wrong answer to the question"),
        (TWICE, "failed in seat 0: it gave a wrong answer to the question"),
        (LONG, "failed in seat 0: it wrote a line of more than 65536 bytes"),
    ],
    ids=["dies", "slow", "babbles", "lies", "forgets", "twice", "long"],
)
def test_a_bot_that_fails_loses_only_that_game(tmp_path: Path, decide: str, what: str) -> None:
    """It fails in the second game; the process that follows gets the next games."""
    player = CommandPlayer(KUHN, bot(tmp_path, decide), decision_limit=0.5)
    ended, failures = survivors(KUHN, player, 6)
    assert ended == [0, 2, 3, 4, 5]
    assert [(failed.player, failed.seat, failed.rows) for failed in failures] == [(player.name, 0, (0,))]
    assert str(failures[0]).startswith(f"the player {player.name} {what}")
    assert "\n" not in str(failures[0])
    player.close()


def test_a_line_may_be_as_long_as_the_limit() -> None:
    length = MAX_BYTES - len(b'{"a": ""}\n')
    write = f"import sys; sys.stdout.buffer.write(b'{{\"a\": \"' + b'x' * {length} + b'\"}}\\n')"
    pipe = Pipe([sys.executable, "-S", "-c", write])
    assert pipe.receive(60) == {"a": "x" * length}
    pipe.close()


def test_a_bot_that_is_always_slow_is_given_up(tmp_path: Path) -> None:
    player = CommandPlayer(KUHN, bot(tmp_path, "import time; time.sleep(60)"), decision_limit=0.1)
    began = time.monotonic()
    ended, failures = survivors(KUHN, player, 200)
    assert ended == []
    assert len(failures) == 200
    assert "it has failed 3 times in a row" in str(failures[-1])
    assert time.monotonic() - began < 60


def test_games_beside_a_failed_one_continue(tmp_path: Path) -> None:
    """In many games at once, the other games are asked again, and a new process gets each of them from its start."""
    game = make_game("agent_avenue_v0")
    draws = "action = told['legal'][told['seed'] % len(told['legal'])]"
    (tmp_path / "calm").mkdir()
    player = CommandPlayer(game, bot(tmp_path, f"sys.exit(3) if told['id'] == 3 else None\n{draws}"))
    other = CommandPlayer(game, bot(tmp_path / "calm", draws))
    batch = Batch(game, 5, 0, threads=1)
    batch.reset(seeds=spread(np.uint64(1), 5))
    rng, notes = spread(np.uint64(2), 5).reshape(5, 1), new_notes(game, [player], 5)
    with pytest.raises(PlayerFailed) as failed:
        answers(player, batch.decisions(rng, np.arange(5), None, notes))
    assert failed.value.rows == (2,)
    rest = np.array([0, 1, 3])
    found = answers(player, batch.decisions(rng, rest, None, notes))
    fresh = spread(np.uint64(2), 5).reshape(5, 1)
    assert found.tolist() == answers(other, batch.decisions(fresh, rest, None, notes)).tolist()
    player.close()
    other.close()


@pytest.mark.parametrize(
    ("decide", "reason"),
    [(DIES, "failed"), (SLOW, "too slow"), (BABBLES, "failed"), (LIES, "failed")],
    ids=["dies", "slow", "babbles", "lies"],
)
def test_the_ladder_counts_the_game_as_lost(tmp_path: Path, decide: str, reason: str) -> None:
    """Games run side by side; after a failure the player is asked again for each of the others."""
    referee, player = Referee(60), CommandPlayer(KUHN, bot(tmp_path, decide), decision_limit=0.5)
    seating = np.tile([0, 1], (20, 1))
    play_games(KUHN, [player, make_player(KUHN, "random")], seating, spread(np.uint64(1), 20), 1, referee=referee)
    assert [(number, lost.seat, lost.reason) for number, lost in referee.forfeits.items()] == [(1, 0, reason)]
    assert player.name in referee.forfeits[1].message
    player.close()


@pytest.mark.parametrize(
    ("decide", "limit"),
    [
        pytest.param("action = told['legal'][told['id'] // 100 % len(told['legal'])]", 60, id="counts games"),
        pytest.param("import time; time.sleep(60)", 0.2, id="is given up", marks=pytest.mark.slow),
    ],
)
def test_a_line_does_not_depend_on_earlier_lines(tmp_path: Path, decide: str, limit: float) -> None:
    seats = []
    for name in (f"command:{bot(tmp_path, decide)}", "random"):
        player = make_player(KUHN, name)
        seats.append((entry_of(KUHN, name, player), player))
    first, again = (play_line(KUHN, seats[0], seats[1], 5, 0, limit).compared() for _ in range(2))
    assert again == first


def test_a_bot_that_does_not_start_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'nowhere_to_be_found' does not exist or is not executable"):
        make_player(KUHN, "command:nowhere_to_be_found")
    with pytest.raises(ValueError, match="No closing quotation"):
        make_player(KUHN, "command:'")
    with pytest.raises(ValueError, match="the program '' does not exist"):
        make_player(KUHN, "command:")
    mute = CommandPlayer(KUHN, bot(tmp_path, source="import time\ntime.sleep(60)\n"), start_limit=0.2)
    with pytest.raises(PlayerFailed, match=r"failed in seat 0: it gave no answer in 0.2 s"):
        one_game(KUHN, mute, mute)
    broken = CommandPlayer(KUHN, bot(tmp_path, source="def broken(:\n"))
    with pytest.raises(PlayerFailed, match="ended with exit code 1: last on its stderr: SyntaxError"):
        one_game(KUHN, broken, broken)


class FakePipe:
    """A pipe to a program with these values in its answers."""

    def __init__(self, hello: dict[str, Any], action: dict[str, Any]) -> None:
        self.hello, self.action, self.told, self.last_error = hello, action, {}, ""

    def send(self, message: dict[str, Any]) -> None:
        self.told = message

    def receive(self, limit: float) -> dict[str, Any]:
        if self.told["type"] == "hello":
            return {"type": "hello", "protocol": 2} | self.hello
        right = {"type": "action", "id": self.told["id"], "decision": self.told["decision"]}
        return right | {"action": self.told["legal"][0]} | self.action

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("hello", "action", "what"),
    [
        ({"protocol": True}, {}, "it gave a wrong answer to hello: .*True"),
        ({"protocol": 2.0}, {}, "it gave a wrong answer to hello"),
        ({"protocol": 1}, {}, r'it speaks protocol 1, not 2: protocol 2 is .* repeats "decision" of its question'),
        (
            {},
            {"id": True},
            r'wrong answer to the question: .* instead of {"type": "action", "id": 1, "decision": 1, "a',
        ),
        ({}, {"decision": True}, "wrong answer to the question"),
        ({}, {"decision": None}, "wrong answer to the question"),
        ({}, {"action": 0}, "wrong answer to the question"),
    ],
)
def test_answers_have_the_types_of_the_protocol(
    monkeypatch: pytest.MonkeyPatch, hello: dict[str, Any], action: dict[str, Any], what: str
) -> None:
    monkeypatch.setattr("spygames.core.players.program.Pipe", lambda arguments: FakePipe(hello, action))
    player = CommandPlayer(KUHN, "sh")
    with pytest.raises(PlayerFailed, match=what):
        one_game(KUHN, player, player)


@pytest.mark.parametrize("limit", [0, -1, float("nan"), float("inf"), "10", True])
def test_an_invalid_time_limit_is_refused(limit: Any) -> None:
    with pytest.raises(ValueError, match=r"decision_limit must be a number from 0\.001 to 1e\+06, not"):
        CommandPlayer(KUHN, "sh", decision_limit=limit)


def test_a_bot_that_reads_nothing_times_out(tmp_path: Path) -> None:
    """Its pipe is full long before the last line is sent."""
    source = 'import time\nprint(\'{"type": "hello", "protocol": 2}\', flush=True)\ntime.sleep(60)\n'
    player = CommandPlayer(KUHN, bot(tmp_path, source=source), decision_limit=0.1)
    player._pipe(0).send({"type": "long", "text": "x" * 1_000_000})
    with pytest.raises(PlayerFailed, match="gave no answer"):
        one_game(KUHN, player, player)
    player.close()


def test_errors_of_a_bot_hide_its_words_from_the_rival(tmp_path: Path) -> None:
    """The rival's version of an error has neither the illegal action nor the stderr: either may name cards."""
    decide = "sys.stderr.write('I hold the king')\nsys.stderr.flush()\nsys.exit(1)"
    for lines in (decide, "action = 'show the king'"):
        player = CommandPlayer(KUHN, bot(tmp_path, lines))
        given = np.ones((1, 1), np.uint64)
        with pytest.raises(PlayerFailed) as failed:
            ask(KUHN, KUHN.start(1), player, given, answers_in_secret)
        assert "king" not in str(failed.value)
        assert player.name in str(failed.value)
        with pytest.raises(PlayerFailed, match="king"):
            one_game(KUHN, player, player)
        player.close()


def test_a_copy_has_its_own_process(tmp_path: Path) -> None:
    player = CommandPlayer(KUHN, bot(tmp_path), 5.0, 6.0)
    copied = pickle.loads(pickle.dumps(player))
    assert (copied.name, copied.start_limit, copied.decision_limit) == (player.name, 5.0, 6.0)
    assert one_game(KUHN, player, player) == one_game(KUHN, copied, copied)
    player.close()
    copied.close()


def test_the_digest_of_a_program_covers_its_files(tmp_path: Path) -> None:
    """These are its own file and the files of its arguments; their names do not count."""
    (tmp_path / "other").mkdir()
    one, same = CommandPlayer(KUHN, bot(tmp_path)), CommandPlayer(KUHN, bot(tmp_path / "other"))
    assert player_digest(KUHN, one) == player_digest(KUHN, same)
    changed = CommandPlayer(KUHN, bot(tmp_path, "action = told['legal'][-1]"))
    digests = {player_digest(KUHN, player) for player in (one, changed, CommandPlayer(KUHN, sys.executable))}
    assert len(digests) == 3
    assert None not in digests
