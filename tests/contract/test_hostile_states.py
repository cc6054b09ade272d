"""Every state that a game accepts can be played: states that no game led to, through every kernel, bounds checked."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spygames.core.game.game import as_record
from spygames.core.game.registry import game_module
from tests.support.hostile import drive, read
from tests.support.strict import OutOfBounds, Strict
from tests.support.suites import slow_but

VARIANTS: list[tuple[str, dict[str, Any], int, int]] = [
    ("agent_avenue_v0", {"mode": "advanced", "players": 3}, 40, 14_000),
    ("heimlich_v0", {"players": 3, "top_secret": True, "secret_identities": True}, 12, 8_000),
    ("agent_dog_v0", {"players": 4}, 12, 8_000),
    ("agent_dog_v0", {"players": 2}, 0, 8_000),
    ("agent_avenue_v0", {}, 0, 14_000),
    ("agent_avenue_v0", {"mode": "advanced"}, 0, 10_000),
    ("agent_avenue_v0", {"mode": "advanced", "players": 4, "history": 3}, 0, 4_000),
    ("agent_avenue_v0", {"mode": "simple", "players": 4}, 0, 14_000),
    ("heimlich_v0", {"players": 7, "top_secret": True, "secret_identities": True}, 0, 4_000),
    ("heimlich_v0", {"players": 2, "edition": "ravensburger"}, 0, 8_000),
    ("agent_dog_v0", {"players": 3, "deck": {"13": 8, "copy": 4, "companion": 2, "swap": 2}}, 0, 8_000),
]
"""Games, options, and how many inputs they are tried with: interpreted each time, compiled in the long test."""
assert sum(at_length for *_, at_length in VARIANTS) == 100_000


def survey(game_id: str, options: dict[str, Any], inputs: int, **environment: str) -> dict[str, Any]:
    """The report of `tests.support.hostile`, run in a process because its environment controls compilation."""
    program = [sys.executable, "-m", "tests.support.hostile", game_id, json.dumps(options), str(inputs), "1"]
    run = subprocess.run(program, env=os.environ | environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads(run.stdout)


@pytest.mark.parametrize(
    ("game_id", "options", "inputs"),
    slow_but([(game, options, n) for game, options, n, _ in VARIANTS if n], 0, 1),
    ids=str,
)
def test_accepted_states_can_be_played(game_id: str, options: dict[str, Any], inputs: int) -> None:
    _check(survey(game_id, options, inputs, NUMBA_DISABLE_JIT="1"), inputs)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game_id", "options", "inputs"), [(game, options, n) for game, options, _, n in VARIANTS], ids=str
)
def test_many_accepted_states_can_be_played(game_id: str, options: dict[str, Any], inputs: int, tmp_path: Path) -> None:
    _check(survey(game_id, options, inputs, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path)), inputs)


def _check(report: dict[str, Any], inputs: int) -> None:
    assert report["faults"] == []
    assert report["inputs"] == inputs
    assert inputs / 50 < report["accepted"] < inputs


def test_the_driver_finds_faults() -> None:
    """The driver does not play a refused mapping, and it fails in a state that the game cannot save."""
    game = game_module("agent_avenue_v0").make_game()
    states = game.start(1)
    mapping = game.state_to_dict(as_record(states))
    assert read(game, mapping | {"turn": 0}) is None
    states["deck_size"] = 39
    with pytest.raises(AssertionError, match="save is refused"):
        drive(game, states, np.random.default_rng(1), 5)


def test_strict_records_refuse_indices_and_values_that_numpy_accepts() -> None:
    states = game_module("agent_avenue_v0").make_game().start(1)
    s = Strict(as_record(states))
    s.turn, s.deck[3], s.options.players = 5, 2, 4
    assert (states["turn"][0], states["deck"][0, 3], states["options"]["players"][0]) == (5, 2, 4)
    with pytest.raises(OutOfBounds, match="index -1"):
        s.deck[-1]
    with pytest.raises(OutOfBounds, match="index"):
        s.hands[0, np.int64(-1)] = 1
    with pytest.raises(OutOfBounds, match="128 in int8"):
        s.deck[0] = 128
    with pytest.raises(OutOfBounds, match="32768 in int16"):
        s.turn = np.int64(32767) + 1
    with pytest.raises(IndexError):
        s.deck[38]
