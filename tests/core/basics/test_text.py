"""Messages quote any untrusted value in one short line."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import spygames
from spygames import agent_avenue_v0
from spygames.core.basics.text import MAX_QUOTED, one_line, shown
from spygames.core.envs.single_seat import SingleEnv
from spygames.core.game.game import IllegalAction, ImpossibleState
from spygames.core.game.rng import as_seed
from spygames.core.game.validation import check_keys, choice, integer, member, sequence, table
from spygames.core.players.names import make_player
from spygames.core.records.record import RecordError, load_games, make_record, replay, save_games


class Faulty:
    def __repr__(self) -> str:
        raise ZeroDivisionError


class Loud:
    def __repr__(self) -> str:
        return "two\nlines \x1b[2J" + "!" * 1000


def deep(kind: Callable[[Any], Any]) -> Any:
    """Return a value nested 200,000 deep."""
    value = kind(0)
    for _ in range(200_000):
        value = kind(value)
    return value


HOSTILE: dict[str, Any] = {
    "a number of 5,000 digits": 10**5000,
    "one in a list": [-(10**5000)],
    "half a megabyte": "x" * 500_000,
    "bytes": b"\xff" * 500_000,
    "control characters": "a\nb\r\x1b[2J\x1c\u2028\u202e\x85",
    "a long list": list(range(100_000)),
    "an array": np.arange(3000).reshape(30, 100),
    "a repr that fails": Faulty(),
    "a repr of lines": Loud(),
    "half a character": "\ud800",
}
DEEP: dict[str, Callable[[Any], Any]] = {"deep lists": lambda x: [x], "deep mappings": lambda x: {"a": x}}
"""Built in each test: while they exist, each garbage collection walks through them."""


def hostile(what: str) -> Any:
    return deep(DEEP[what]) if what in DEEP else HOSTILE[what]


def is_one_short_line(text: str, limit: int = 600) -> bool:
    return 0 < len(text) <= limit and text.isprintable()


@pytest.mark.parametrize("what", [*HOSTILE, *DEEP])
def test_any_value_is_one_short_line(what: str) -> None:
    assert is_one_short_line(shown(hostile(what)), MAX_QUOTED)


def test_ordinary_values_are_shown_by_repr() -> None:
    for value in ("a b", "it's", 5, -1.5, None, True, [1, "x"], {"a": (1, 2)}, b"a", np.int64(3), {1}):
        assert shown(value) == repr(value)
    assert shown("a\nb\x1b") == r"'a\nb\x1b'"
    assert one_line("a \n\tb\x1b") == r"a b\x1b"
    assert (one_line("x" * 50, 10), one_line("\x1b" * 9, 10)) == ("xxxxxxx...", r"\x1b\x1b..."[:7] + "...")


@pytest.mark.parametrize("what", [*HOSTILE, *DEEP])
def test_messages_of_core_are_one_short_line(what: str) -> None:
    value = hostile(what)
    env, game = agent_avenue_v0.env(), agent_avenue_v0.make_game()
    env.reset(seed=1)
    single = SingleEnv(game)
    single.reset(seed=1)
    position = env.state_to_dict()
    calls: list[tuple[type[Exception] | tuple[type[Exception], ...], Callable[[], Any]]] = [
        (IllegalAction, lambda: env.step(value)),
        (IllegalAction, lambda: env.action_to_string(value)),
        (IllegalAction, lambda: single.step(value)),
        (ValueError, lambda: env.reset(seed=value)),
        (ImpossibleState, lambda: env.reset(options={"state": value})),
        (ValueError, lambda: env.observe(value)),
        (ValueError, lambda: spygames.make_game(value)),
        ((ValueError, TypeError), lambda: SingleEnv(game, opponents=value)),
        (ValueError, lambda: SingleEnv(game, seat=value)),
        (ValueError, lambda: SingleEnv(game, illegal=value)),
        (ValueError, lambda: as_seed(value)),
        (ValueError, lambda: choice("players", value, (2, 3))),
        (ImpossibleState, lambda: integer(value, "turn", 0, 9)),
        (ImpossibleState, lambda: member(value, "phase", ("play", "over"))),
        (ImpossibleState, lambda: sequence(value, "deck", 3)),
        (ImpossibleState, lambda: table(value, "hands", 2)),
    ]
    if isinstance(value, str):
        calls += [
            (ImpossibleState, lambda: check_keys({value: 1}, (), ("turn",))),
            (ImpossibleState, lambda: env.reset(options={"state": {**position, value: 1}})),
            (ImpossibleState, lambda: list(table({value: 1, "0": 1}, "hands", 2))),
            (ImpossibleState, lambda: list(table({"0": 1, 0: value}, "hands", 2))),
            (TypeError, lambda: spygames.make_game("agent_avenue_v0", **{value: 1})),
            (ValueError, lambda: make_player(game, value)),
            (ValueError, lambda: make_player(game, f"mcts:{value}")),
        ]
    for error, call in calls:
        with pytest.raises(error) as raised:
            call()
        assert not isinstance(raised.value, RecursionError | ResetNeeded)
        assert is_one_short_line(str(raised.value)), str(raised.value)[:1000]
    assert env.state_to_dict() == position


@pytest.mark.parametrize("what", [name for name, value in HOSTILE.items() if isinstance(value, str)])
def test_messages_about_records_are_one_short_line(what: str, tmp_path: Path) -> None:
    text, file = HOSTILE[what], tmp_path / "games.jsonl"
    good = make_record(agent_avenue_v0.make_game(), [], 1)
    for changed in (
        {"game": text},
        {"options": {text: 1}},
        {"actions": [text], "positions": []},
        {"returns": [1e300] * 50_000},
        {"end_reason": text},
        {"spygames": text, "end_reason": "x"},
        {"seed": None, "state": {text: 1}},
        {text: 1},
        {"seed": text},
    ):
        file.write_text(json.dumps({**asdict(good), **changed}))
        with pytest.raises(RecordError) as raised:
            list(map(replay, load_games(file)))
        assert is_one_short_line(str(raised.value)), str(raised.value)[:1000]
    save_games(file, [good])
    assert load_games(file) == [good]
