"""Functions and classes as players, and the names that run code."""

import pickle
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tests.poker.kuhn as kuhn
from spygames import NOBODY, Game, GameEnv, SingleEnv, make_game
from spygames.core.players.mixture import MixturePlayer
from spygames.core.players.names import make_player, named_players, runs_code
from spygames.core.players.player import PlayerFailed
from spygames.core.players.python_function import PythonPlayer
from spygames.core.players.time_limit import TooLate, within
from spygames.core.playing.batch import spread
from spygames.core.playing.rows import Rows
from spygames.core.playing.session import ROW, Session, one_game, play
from spygames.core.records.record import play_record
from spygames_training.evaluation.digests import player_digest
from spygames_training.evaluation.evaluation import evaluate
from spygames_training.evaluation.forfeits import Forfeit, Referee
from spygames_training.evaluation.play_games import play_games

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
KUHN = kuhn.make_game()
MODULE = """
import numpy as np

def first(observation, mask):
    return np.flatnonzero(mask)[0]

def spoils(observation, mask):
    action = int(np.flatnonzero(mask)[-1])
    observation[:], mask[:] = np.nan, 1
    return action

def raises(observation, mask):
    raise RuntimeError("I hold the king\\nand more")

def exits(observation, mask):
    raise SystemExit(3)

def no_number(observation, mask):
    return "the first"

def illegal(observation, mask):
    return int(np.flatnonzero(mask == 0)[0])

class Heard:
    all = []

    def __init__(self, game, seat, seed):
        self.seat, self.seed, self.events, self.asked, self.returns = seat, seed, [], 0, None
        self.all.append(self)

    def seen(self, text):
        self.events.append(text)

    def act(self, observation, mask):
        self.asked += 1
        legal = np.flatnonzero(mask)
        return int(legal[(self.seed + self.asked) % len(legal)])

    def ended(self, returns):
        self.returns = returns.tolist()

class Plain:
    def __init__(self, game, seat, seed):
        pass

    def act(self, observation, mask):
        return int(np.flatnonzero(mask)[0])

class Mute:
    pass

class Hangs(Plain):
    # In about one game of eight, and no `except Exception` of its own helps it.

    def __init__(self, game, seat, seed):
        self.hangs = seed % 8 == 0

    def act(self, observation, mask):
        while self.hangs:
            try:
                sum(range(1000))
            except Exception:
                pass
        return super().act(observation, mask)

def hangs(observation, mask):
    while True:
        pass

thing = 3
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a module with players, in the current folder."""
    (tmp_path / "strangers_bot.py").write_text(MODULE)
    (tmp_path / "broken_bot.py").write_text("def broken(:\n")
    (tmp_path / "leaving_bot.py").write_text("raise SystemExit\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    yield "strangers_bot"
    sys.modules.pop("strangers_bot", None)


def test_the_class_in_the_docs_plays_whole_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    game = make_game("agent_avenue_v0")
    player = make_player(game, "python:my_bot.Watcher")
    result = evaluate(game, player, "random", 100, 1)[0]
    assert (result.challenger, result.games) == ("python:my_bot.Watcher", 100)
    assert result == evaluate(game, player, "random", 100, 1)[0]
    sys.modules.pop("my_bot")


def test_a_function_decides(module: str) -> None:
    player = make_player(KUHN, f"python:{module}.first")
    assert play(KUHN, KUHN.start(1), [player, player], np.ones((1, 1), np.uint64)) == [0, 0]
    assert pickle.loads(pickle.dumps(player)).name == player.name


def test_a_player_cannot_change_the_game(module: str) -> None:
    spoils, rival = make_player(KUHN, f"python:{module}.spoils"), make_player(KUHN, "random")
    games = [play(KUHN, KUHN.start(5), [spoils, rival], np.ones((1, 1), np.uint64)) for _ in range(2)]
    assert games[0] == games[1]
    session = Session(Rows(KUHN, 2, 1), [spoils], np.zeros((2, 2), np.int64))  # of several games, with its own arrays
    before = session.rows.observation.copy()
    session.ask(session.rows.all)
    assert session.rows.observation.tobytes() == before.tobytes()


def test_an_object_plays_one_seat_of_one_game(module: str) -> None:
    """It is made at the seat's first decision, sees each move of its game once and in order, and gets the result."""
    game = make_game("agent_avenue_v0")
    player, seeds = make_player(game, f"python:{module}.Heard"), spread(np.uint64(1), 20)
    returns = play_games(game, [player], np.zeros((20, 2), np.int64), seeds, 1)
    heard = sys.modules[module].Heard.all
    assert len(heard) == 40
    assert sorted(each.seat for each in heard) == [0] * 20 + [1] * 20
    assert len({each.seed for each in heard}) == 40
    for seat in (0, 1):
        ends = sorted(tuple(each.returns) for each in heard if each.seat == seat)
        assert ends == sorted(map(tuple, returns.tolist()))
        for each in heard:
            own = [event for event in each.events if event.startswith(f"player_{each.seat}")]
            assert len(own) == each.asked < len(each.events)


def test_seen_and_ended_get_the_events_and_the_result(module: str) -> None:
    game = make_game("agent_avenue_v0")
    player = make_player(game, f"python:{module}.Heard")
    record = play_record(game, [make_player(game, "greedy"), player], 3)
    (heard,) = sys.modules[module].Heard.all
    s = game.start(3)
    events = []
    for text in record.actions:
        state = s.view(np.recarray)[0]
        seat = int(state.to_move)
        action = game.string_to_action(state, text, seat)
        events.append(game.seen_action(state, action, seat, 1))
        game.apply(state, action)
    assert heard.events == events
    assert tuple(heard.returns) == record.returns


def last_decision(game: Game, seat: int) -> tuple[dict[str, Any], int]:
    """Return a position in which the next decision of a seat ends the game, and this decision."""
    env = GameEnv(game)
    for seed in range(50):
        env.reset(seed=seed)
        found = env.state_to_dict(), 0
        mover = NOBODY
        while env.to_move != NOBODY:
            mover, action = env.to_move, int(env.infos[env.agent_selection]["action_mask"].argmax())
            found = env.state_to_dict(), action
            env.step(action)
        if mover == seat:
            return found
    raise AssertionError


def test_an_object_is_not_told_the_end_of_a_later_game() -> None:
    """Its game was broken off, and the later one ends before the player is asked."""
    told = list[float]()

    class Told:
        def __init__(self, game: Game, seat: int, seed: int) -> None:
            pass

        def act(self, observation: np.ndarray, mask: np.ndarray) -> int:
            return int(np.flatnonzero(mask)[-1])  # an offer, so that it decides only once

        def ended(self, returns: np.ndarray) -> None:
            told.extend(returns.tolist())

    game = make_game("agent_avenue_v0", first_player=1)
    start, action = last_decision(game, 0)
    env = SingleEnv(game, PythonPlayer(game, Told, "told"), seat=0)
    env.reset(seed=1)  # the player has decided first
    env.reset(options={"state": start})
    assert env.step(action)[2]
    assert told == []


def test_an_object_is_not_told_the_end_of_a_game_that_another_member_played() -> None:
    """Its own game was broken off after its decision, and in the later one the same seat decides at the same time."""
    number, made, told = 0, list[int](), list[tuple[int, int]]()

    class Told:
        def __init__(self, game: Game, seat: int, seed: int) -> None:
            self.number = number
            made.append(number)

        def act(self, observation: np.ndarray, mask: np.ndarray) -> int:
            return 0

        def ended(self, returns: np.ndarray) -> None:
            told.append((self.number, number))

    mixture = MixturePlayer(KUHN, [PythonPlayer(KUHN, Told, "told"), make_player(KUHN, "random")])
    session = Session(Rows(KUHN, 1, 0), [mixture, make_player(KUHN, "random")], np.array([[0, 1]]))
    for number in range(1, 33):
        session.begin(ROW, np.array([number], np.uint64))
        session.apply(ROW, session.ask(ROW))
        while number % 2 and not session.rows.done[0]:  # every second game is broken off
            session.apply(ROW, session.ask(ROW))
    assert told == [(each, each) for each in made if each % 2]
    assert len(made) > len(told) > 3


def test_methods_may_be_static_or_of_the_class() -> None:
    class Static:
        def __init__(self, game: Game, seat: int, seed: int) -> None:
            pass

        @staticmethod
        def act(observation: np.ndarray, mask: np.ndarray) -> int:
            return int(mask.argmax())

    class OfTheClass(Static):
        @classmethod
        def act(cls, observation: np.ndarray, mask: np.ndarray) -> int:  # type: ignore[override]
            return int(mask.argmax())

    players = [PythonPlayer(KUHN, Static, "static"), PythonPlayer(KUHN, OfTheClass, "of the class")]
    assert play(KUHN, KUHN.start(1), players, np.ones((1, 1), np.uint64)) == [0, 0]


def test_seen_and_ended_are_optional(module: str) -> None:
    player = make_player(KUHN, f"python:{module}.Plain")
    assert play(KUHN, KUHN.start(1), [player, player], np.ones((1, 1), np.uint64)) == [0, 0]


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("raises", "failed in seat 0: RuntimeError: I hold the king and more"),
        ("exits", "failed in seat 0: SystemExit: 3"),
        ("no_number", "failed in seat 0: the action must be an integer 0..1, not 'the first'"),
    ],
)
def test_an_error_names_the_player(module: str, name: str, what: str) -> None:
    player = make_player(KUHN, f"python:{module}.{name}")
    with pytest.raises(PlayerFailed) as failed:
        play(KUHN, KUHN.start(1), [player, player], np.ones((1, 1), np.uint64))
    assert str(failed.value) == f"the player python:{module}.{name} {what}"
    assert (failed.value.seat, failed.value.rows) == (0, (0,))
    again = pickle.loads(pickle.dumps(failed.value))
    assert (str(again), again.rows) == (str(failed.value), (0,))


def test_an_illegal_answer_names_the_player(module: str) -> None:
    game = make_game("agent_avenue_v0")
    player = make_player(game, f"python:{module}.illegal")
    with pytest.raises(PlayerFailed, match=f"the player python:{module}.illegal answered an illegal action: .* legal"):
        play_record(game, [player, player], 1)


def test_an_illegal_answer_is_not_kept() -> None:
    wrong = iter((True, False))

    class Second:
        def __init__(self, game: Game, seat: int, seed: int) -> None:
            pass

        def act(self, observation: np.ndarray, mask: np.ndarray) -> int:
            return int(mask.argmin() if next(wrong) else mask.argmax())

    game = make_game("agent_avenue_v0")
    session = one_game(game, [PythonPlayer(game, Second, "second")] * 2, game.start(1))
    with pytest.raises(PlayerFailed, match="the player second answered an illegal action"):
        session.ask(ROW)
    assert session.ask(ROW).tolist() == [session.rows.mask[0].argmax()]


def test_games_beside_a_failed_one_keep_their_answers_and_streams() -> None:
    """A caller restores the streams and asks again. The failure is raised twice, and then the game begins again."""
    made: list[int] = []

    class Third:
        def __init__(self, game: Game, seat: int, seed: int) -> None:
            made.append(seed)
            self.fails = len(made) == 3

        def act(self, observation: np.ndarray, mask: np.ndarray) -> int:
            if self.fails:
                raise KeyError("third")
            return int(mask.argmax())

    player, start = PythonPlayer(KUHN, Third, "third"), spread(np.uint64(1), 3)[:, None]
    session = Session(Rows(KUHN, 3, 1), [player], np.zeros((3, 2), np.int64), rng=start.copy())
    found = []
    for _ in range(2):
        session.rng[:] = start
        with pytest.raises(PlayerFailed, match="the player third failed in seat 0: KeyError: 'third'"):
            session.ask(session.rows.all)
        found.append(session.rng[:2].tolist())
        assert len(made) == 3
    assert found[0] == found[1] != start[:2].tolist()
    assert session.ask(session.rows.all).tolist() == [0, 0, 0]
    assert len(made) == 4


def test_invalid_names_are_refused(module: str) -> None:
    for spec, what in [
        ("python:first", "must name a module and a function or class in it, as in python:my_bot.act"),
        ("python:", "must name a module"),
        ("python:strangers_bot.first@argmax", "must name a module"),
        (
            "python:nowhere.first",
            "the module nowhere cannot be imported: ModuleNotFoundError: No module",
        ),
        ("python:leaving_bot.first", "the module leaving_bot cannot be imported: SystemExit"),
        ("python:broken_bot.first", "the module broken_bot cannot be imported: SyntaxError"),
        (f"python:{module}.last", f"the module {module} has no function or class last"),
        (f"python:{module}.thing", "thing must be a function or class, not 3"),
        (f"python:{module}.Mute", r"the class Mute has no method act\(observation, mask\)"),
        (f"python:{module}.first+search:64", "a search needs a policy with a value"),
    ]:
        with pytest.raises(ValueError, match=what):
            make_player(KUHN, spec)


def test_names_from_files_run_no_code(module: str, tmp_path: Path) -> None:
    code = [f"python:{module}.first", "command:sh -c exit", f"python:{module}.first+search:8", "command:a@argmax"]
    assert all(map(runs_code, code))
    data = ["random", "mcts:20", "mc:20", "checkpoint:runs/a", "onnx:a.onnx@argmax", "runs/a", "a+search:64", "", ":"]
    assert not any(map(runs_code, data))
    for spec in code:
        with pytest.raises(ValueError, match="from a file must not run code"):
            make_player(KUHN, spec, allow_code=False)
    with pytest.raises(ValueError, match=r"^evaluate_against: .* run code, but 'python:strangers_bot.first'"):
        named_players(KUHN, ["random", code[0]], "evaluate_against")
    assert module not in sys.modules
    assert make_player(KUHN, "random", allow_code=False).name == "random"


def lost_in(player: PythonPlayer, games: int, limit: float) -> tuple[dict[int, Forfeit], np.ndarray]:
    """Return the forfeits of `player` in games against `random`, and the results of all games."""
    referee, player.decision_limit = Referee(limit), limit
    seating, seeds = np.tile([0, 1], (games, 1)), spread(np.uint64(1), games)
    returns = play_games(KUHN, [player, make_player(KUHN, "random")], seating, seeds, 1, referee=referee)
    return referee.forfeits, returns


def test_a_player_that_hangs_loses_only_that_game(module: str) -> None:
    player, calm = (make_player(KUHN, f"python:{module}.{name}") for name in ("Hangs", "Plain"))
    assert isinstance(player, PythonPlayer)
    assert isinstance(calm, PythonPlayer)
    began, handler = time.monotonic(), signal.getsignal(signal.SIGALRM)
    lost, returns = lost_in(player, 20, 0.2)
    assert time.monotonic() - began < 60
    assert 0 < len(lost) < 10
    assert {(each.seat, each.reason) for each in lost.values()} == {(0, "too slow")}
    assert f"{player.name} failed in seat 0: it gave no answer in 0.2 s" in next(iter(lost.values())).message
    none, right = lost_in(calm, 20, 60)
    others = np.setdiff1d(np.arange(20), list(lost))
    assert none == {}
    np.testing.assert_array_equal(returns[others], right[others])
    assert signal.getsignal(signal.SIGALRM) == handler
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_a_player_that_always_hangs_is_given_up(module: str) -> None:
    player = make_player(KUHN, f"python:{module}.hangs")
    assert isinstance(player, PythonPlayer)
    began = time.monotonic()
    assert len(lost_in(player, 400, 0.1)[0]) == 400
    assert time.monotonic() - began < 30


def test_outside_the_main_thread_time_is_checked_afterwards() -> None:
    def sleeps() -> int:
        time.sleep(0.05)
        return 1

    with ThreadPoolExecutor() as pool:
        assert pool.submit(within, 60, sleeps).result() == 1
        with pytest.raises(TooLate):
            pool.submit(within, 0.01, sleeps).result()
    assert within(None, sleeps) == 1
    with pytest.raises(TooLate):
        within(0.01, sleeps)
    with pytest.raises(ZeroDivisionError):
        within(60, lambda: 1 // 0)


def test_a_limit_within_a_limit_does_not_lift_it() -> None:
    """Such as that of a player whose decision plays a game of other players with limits."""

    def endless() -> None:
        time.sleep(30)
        raise AssertionError("the limit was lifted")

    def outer() -> None:
        assert within(50, lambda: 1) == 1
        with pytest.raises(TooLate):
            within(0.01, endless)
        endless()

    began = time.monotonic()
    with pytest.raises(TooLate):
        within(2, outer)
    assert time.monotonic() - began > 1.5  # not the limit of 0.01
    with pytest.raises(TooLate):
        within(0.02, lambda: within(50, lambda: time.sleep(0.05)) or endless())
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_code_that_catches_everything_is_late_all_the_same() -> None:
    caught = []

    def catches() -> int:
        try:
            time.sleep(30)
        except BaseException as error:  # as a bare `except:` does
            caught.append(type(error))
        return 1

    with pytest.raises(TooLate):
        within(0.01, catches)
    assert caught == [TooLate]
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_the_digest_of_a_player_covers_its_file(module: str, tmp_path: Path) -> None:
    first, other = (make_player(KUHN, f"python:{module}.{name}") for name in ("first", "spoils"))
    digest = player_digest(KUHN, first)
    assert digest == player_digest(KUHN, other) == player_digest(KUHN, pickle.loads(pickle.dumps(first)))
    sys.modules.pop(module)
    (tmp_path / f"{module}.py").write_text(MODULE + "# another one\n")
    changed = player_digest(KUHN, make_player(KUHN, f"python:{module}.first"))
    assert changed not in (None, digest)
    (tmp_path / "front.py").write_text(f"from {module} import first\n")
    front = player_digest(KUHN, make_player(KUHN, "python:front.first"))
    sys.modules.pop("front")
    assert front not in (None, digest, changed)
    assert player_digest(KUHN, make_player(KUHN, "python:builtins.max")) is None  # it has no file
    assert player_digest(KUHN, PythonPlayer(KUHN, lambda observation, mask: 0, "nameless")) is None
