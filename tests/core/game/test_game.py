"""What a Game refuses to be made of, and what pickling keeps of one."""

import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from spygames.core.compiling.kernel import kernel
from spygames.core.envs.single_seat import SingleEnv
from spygames.core.game.game import Game, Record, as_record
from spygames.core.players.names import make_player
from spygames.core.playing.batch import Batch
from tests.poker import kuhn
from tests.support.changed import changed

GAME = kuhn.make_game()


def with_field(dtype: np.dtype, name: str, form: Any, **further: Any) -> np.dtype:
    """The layout with another form of one field; without it for None."""
    fields = [(n, form if n == name else dtype[n]) for n in dtype.names or () if n != name or form is not None]
    return np.dtype(fields, **further)


@pytest.mark.parametrize(
    ("layout", "dtype", "problem"),
    [
        (
            "view_dtype",
            with_field(kuhn.VIEW, "first", np.float64),
            "field 'first' of VIEW must be float32, not float64",
        ),
        ("view_dtype", with_field(kuhn.VIEW, "own", (np.int8, 3)), "field 'own' of VIEW must be float32, not int8"),
        (
            "view_dtype",
            np.dtype({"names": ["a", "b"], "formats": ["f4", "f4"], "offsets": [0, 8]}),
            "field 'b' of VIEW",
        ),
        ("view_dtype", np.dtype({"names": ["a"], "formats": ["f4"], "itemsize": 8}), "end with its last field, 'a'"),
        ("view_dtype", np.dtype([]), "VIEW must have fields"),
        ("state_dtype", with_field(kuhn.STATE, "rng", None), "'rng', one uint64"),
        ("state_dtype", with_field(kuhn.STATE, "rng", np.int64), "'rng', one uint64"),
        ("state_dtype", with_field(kuhn.STATE, "to_move", None), "'to_move', one signed integer"),
        ("state_dtype", with_field(kuhn.STATE, "to_move", np.uint8), "'to_move', one signed integer"),
        ("state_dtype", with_field(kuhn.STATE, "to_move", (np.int8, 1)), "'to_move', one signed integer"),
    ],
)
def test_a_layout_that_kernels_or_networks_would_misread_is_refused(layout: str, dtype: np.dtype, problem: str) -> None:
    with pytest.raises(ValueError, match=problem) as error:
        replace(GAME, **{layout: dtype})
    assert "kuhn_poker_v0" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_game_without_a_random_player_is_refused() -> None:
    with pytest.raises(ValueError, match="bots must have 'random'"):
        replace(GAME, bots={"mine": mine})


@kernel
def mine(view: Record, mask: np.ndarray, rng: np.ndarray) -> int:
    """Bets."""
    return kuhn.BET


def my_text(game: Game, s: Record, viewer: int) -> str:
    """Not much."""
    return "a drawing"


def test_what_was_added_to_a_game_is_pickled_with_it() -> None:
    game = changed(GAME, bots={**GAME.bots, "mine": mine}, to_text=my_text)
    again = pickle.loads(pickle.dumps(game))
    assert again == game != GAME
    assert hash(again) == hash(game)
    assert dict(again.bots) == dict(game.bots)
    assert again.texts.to_text is my_text
    assert pickle.loads(pickle.dumps(GAME)).bots == GAME.bots

    batch = pickle.loads(pickle.dumps(Batch(game, 3, seed=1)))
    assert list(batch.game.bots) == ["random", "mine"]
    env = pickle.loads(pickle.dumps(SingleEnv(game, opponents=make_player(game, "mine"))))
    env.reset(seed=1)


def test_another_process_finds_what_was_added(tmp_path: Path) -> None:
    (tmp_path / "pickled").write_bytes(pickle.dumps(replace(GAME, bots={**GAME.bots, "mine": mine})))
    code = "import pickle; print(*pickle.load(open('pickled', 'rb')).bots)"
    root = Path(__file__).resolve().parents[3]
    run = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(root)!r}); {code}"]
    assert subprocess.run(run, cwd=tmp_path, capture_output=True, text=True).stdout == "random mine\n"


def test_what_cannot_be_pickled_is_said_in_one_line() -> None:
    with pytest.raises(pickle.PicklingError, match="the to_text of kuhn_poker_v0 cannot be pickled: ") as error:
        pickle.dumps(changed(GAME, to_text=lambda game, s, viewer: "a drawing"))
    assert "\n" not in str(error.value)


def made_anew(where: object, move: int = kuhn.BET) -> Game:
    """A game whose kernels are closures over its options."""

    @kernel
    def always(view: Record, mask: np.ndarray, rng: np.ndarray) -> int:
        return move

    return replace(GAME, bots={**GAME.bots, "always": always})


def choice(game: Game, bot: str) -> int:
    """What a bot does first."""
    views, mask = game.new_views(), np.ones(2, np.int8)
    return int(game.bots[bot](as_record(views), mask, np.zeros(1, np.uint64)))


needs_compiler = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="plain functions are pickled as Python does")  # type: ignore[attr-defined]


@needs_compiler
def test_kernels_that_are_made_anew_with_the_game_are_no_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spygames.core.game.game.load", made_anew)
    assert choice(pickle.loads(pickle.dumps(made_anew(None))), "always") == kuhn.BET
    assert b"_load_changed" not in pickle.dumps(made_anew(None))
    changed = made_anew(None, kuhn.PASS)
    assert choice(pickle.loads(pickle.dumps(changed)), "always") == kuhn.PASS
    assert pickle.loads(pickle.dumps(changed)) == changed


@needs_compiler
def test_a_kernel_of_a_notebook_goes_to_another_process(tmp_path: Path) -> None:
    """By value: the process that reads it has no such name."""
    root = Path(__file__).resolve().parents[3]
    begin = f"import sys; sys.path.insert(0, {str(root)!r}); import numpy as np, pickle; from tests.poker import kuhn\n"
    writes = """
from dataclasses import replace
from spygames.core.compiling.kernel import kernel

@kernel
def helper():
    return kuhn.BET

@kernel
def mine(view, mask, rng):
    return helper()

game = kuhn.make_game()
pickle.dump(replace(game, bots={**game.bots, "mine": mine}), open("pickled", "wb"))
"""
    reads = """
game = pickle.load(open("pickled", "rb"))
print(game.bots["mine"](game.new_views().view(np.recarray)[0], np.ones(2, np.int8), np.zeros(1, np.uint64)))
"""
    for program in (writes, reads):
        done = subprocess.run(
            [sys.executable, "-"], input=begin + program, cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    assert done.stdout == f"{kuhn.BET}\n"


@needs_compiler
def test_a_game_defined_in_no_file_plays(tmp_path: Path) -> None:
    """As in a notebook or at Python's prompt; what it compiles is found again."""
    root = Path(__file__).resolve().parents[3]
    cell = (root / "tests" / "poker" / "kuhn.py").read_text()
    program = (
        f"exec(compile({cell!r}, '<cell>', 'exec'))\n"
        "from spygames.core.playing.batch import Batch\n"
        "game = make_game()\n"
        "Batch(game, 4, seed=1).step(np.zeros(4, int))\n"
        "import pickle\n"
        "print(len(game.digest), pickle.loads(pickle.dumps(game)) == game)\n"
    )
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for compiles in (True, False):
        done = subprocess.run([sys.executable, "-"], input=program, env=env, capture_output=True, text=True)
        assert done.stdout == "16 True\n", done.stderr
        assert ("compiling" in done.stderr) == compiles
