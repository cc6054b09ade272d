"""Validation of games, and pickling."""

import os
import pickle
import re
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
from spygames.core.game.registry import make_game
from spygames.core.players.names import make_player
from spygames.core.playing.batch import Batch
from tests.poker import kuhn
from tests.support.changed import changed

GAME = kuhn.make_game()


def with_field(dtype: np.dtype, name: str, form: Any, **further: Any) -> np.dtype:
    """Return the layout with another type of one field, or without it if the type is None."""
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


@pytest.mark.parametrize("seed", [-1, np.int64(-1), 2**64, 1.5, True, "7", None])
def test_a_game_starts_from_a_seed_only(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed must be an integer from 0 to "):
        GAME.start(seed)
    assert GAME.start(7).tobytes() == GAME.start(int(np.uint64(7))).tobytes()


@pytest.mark.parametrize("wrong", [2, -2, None, "player_0", True])
def test_texts_are_those_of_seats_and_actions_of_the_game(wrong: Any) -> None:
    s: Any = as_record(GAME.start(7))
    for call in (GAME.to_text, GAME.seen_to_dict, GAME.headline, GAME.describe):
        with pytest.raises(ValueError, match="viewer must be an integer from -1 to 1"):
            call(s, wrong)
    for what in ("action", "seat", "viewer"):
        given: dict[str, Any] = {"action": 0, "seat": 0, "viewer": 0, what: wrong}
        for call in (GAME.seen_action, GAME.happened, GAME.event):
            with pytest.raises(ValueError, match=f"{what} must be an integer from "):
                call(s, **given)
        del given["viewer"]
        for call in (GAME.action_to_string, GAME.why_not) if what != "viewer" else ():
            with pytest.raises(ValueError, match=f"{what} must be an integer from "):
                call(s, **given)


def test_a_game_without_a_random_player_is_refused() -> None:
    with pytest.raises(ValueError, match="bots must have 'random'"):
        replace(GAME, bots={"mine": mine})


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"name": "My Game!"}, "name must be lower-case letters, digits and _, such as 'agent_avenue', not 'My Game!'"),
        ({"version": "1"}, "version must be an integer >= 0, not '1'"),
        ({"num_players": "2"}, "num_players must be an integer >= 1, not '2'"),
        ({"num_actions": 0}, "num_actions must be an integer >= 1, not 0"),
        ({"state_dtype": ["rng"]}, "state_dtype must be a dtype, not ['rng']"),
        ({"packed": None}, "packed must be a ndarray, not None"),
        ({"options": ["players"]}, "options must be a Mapping, not ['players']"),
        ({"bots": ["random"]}, "bots must be a Mapping, not ['random']"),
        ({"texts": None}, "texts must be a Texts, not None"),
        ({"module": "kuhn"}, "module must be a module, not 'kuhn'"),
        ({"determinize": None}, "determinize must be a kernel, not None"),
        ({"rewind": "no"}, "rewind must be a kernel, not 'no'"),
        ({"bots": {**GAME.bots, "mine": 3}}, "the bot 'mine' must be a kernel, not 3"),
        ({"entities": {"card": ("face",)}}, "entities must name fields of VIEW, not only ['face']"),
    ],
)
def test_fields_of_another_type_are_named(wrong: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=re.escape(problem)):
        replace(GAME, **wrong)


@pytest.mark.parametrize("name", ["size", "round", "copy", "all"])
def test_names_that_numpy_records_have_are_refused(name: str) -> None:
    """`s.size` would be NumPy's own attribute in interpreted kernels, and the field in compiled ones."""
    for layout, dtype in (("STATE", kuhn.STATE), ("VIEW", kuhn.VIEW)):
        other = np.dtype([*((n, dtype[n]) for n in dtype.names or ()), (name, np.float32)])
        with pytest.raises(ValueError, match=f"the field '{name}' of {layout} has a name that all NumPy records have"):
            replace(GAME, **{f"{layout.lower()}_dtype": other})


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")  # type: ignore[attr-defined]
def test_a_function_that_is_no_kernel_is_named() -> None:
    def legal(s: Record, mask: np.ndarray) -> None:
        mask[:] = 1

    def bot(view: Record, mask: np.ndarray, rng: np.ndarray) -> int:
        return 0

    with pytest.raises(ValueError, match=r"kuhn_poker_v0: legal must be a kernel: mark the function .*legal with @ker"):
        Batch(replace(GAME, legal=legal), 2, 1)
    with pytest.raises(ValueError, match=r"kuhn_poker_v0: bot must be a kernel: mark the function .*bot with @kernel"):
        make_player(replace(GAME, bots={**GAME.bots, "mine": bot}), "mine")


def test_a_module_without_a_game_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "no_game_at_all.py").write_text("")
    (tmp_path / "no_game_returned.py").write_text("def make_game():\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match="no game 'no_game_at_all': the module has no make_game"):
        make_game("no_game_at_all")
    with pytest.raises(ValueError, match="make_game of 'no_game_returned' must return a Game, not None"):
        make_game("no_game_returned")


@kernel
def mine(view: Record, mask: np.ndarray, rng: np.ndarray) -> int:
    """Return a bet."""
    return kuhn.BET


def my_text(game: Game, s: Record, viewer: int) -> str:
    """Return a drawing."""
    return "a drawing"


def test_games_with_other_functions_are_different() -> None:
    game = make_game("heimlich_v0", top_secret=True)
    for name in ("rewind", "ways", "determinize_stratum", "questions"):
        assert getattr(game, name) is not None
        assert changed(game, **{name: None}) != game


def test_changes_of_a_game_are_pickled() -> None:
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


def test_another_process_unpickles_changes(tmp_path: Path) -> None:
    (tmp_path / "pickled").write_bytes(pickle.dumps(replace(GAME, bots={**GAME.bots, "mine": mine})))
    code = "import pickle; print(*pickle.load(open('pickled', 'rb')).bots)"
    root = Path(__file__).resolve().parents[3]
    run = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(root)!r}); {code}"]
    assert subprocess.run(run, cwd=tmp_path, capture_output=True, text=True).stdout == "random mine\n"


def test_an_unpicklable_part_is_named_in_one_line() -> None:
    with pytest.raises(pickle.PicklingError, match="the to_text of kuhn_poker_v0 cannot be pickled: ") as error:
        pickle.dumps(changed(GAME, to_text=lambda game, s, viewer: "a drawing"))
    assert "\n" not in str(error.value)


def remade(where: object, move: int = kuhn.BET) -> Game:
    """Return a game whose kernels are closures over its options."""

    @kernel
    def always(view: Record, mask: np.ndarray, rng: np.ndarray) -> int:
        return move

    return replace(GAME, bots={**GAME.bots, "always": always})


def choice(game: Game, bot: str) -> int:
    """Return the first action of a bot."""
    views, mask = game.new_views(), np.ones(2, np.int8)
    return int(game.bots[bot](as_record(views), mask, np.zeros(1, np.uint64)))


needs_compiler = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="plain functions are pickled by Python")  # type: ignore[attr-defined]


@needs_compiler
def test_remade_kernels_are_not_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spygames.core.game.game.load", remade)
    assert choice(pickle.loads(pickle.dumps(remade(None))), "always") == kuhn.BET
    assert b"_load_changed" not in pickle.dumps(remade(None))
    changed = remade(None, kuhn.PASS)
    assert choice(pickle.loads(pickle.dumps(changed)), "always") == kuhn.PASS
    assert pickle.loads(pickle.dumps(changed)) == changed


@needs_compiler
def test_a_kernel_of_a_notebook_is_unpickled_in_another_process(tmp_path: Path) -> None:
    """It is pickled by value, since the other process has no function of that name."""
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
    """As in a notebook or at Python's prompt; a second process finds the compiled code."""
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
