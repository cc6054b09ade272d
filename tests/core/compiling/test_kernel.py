"""Where machine code is cached, when it is recompiled, and how errors of kernels are reported."""

import cProfile
import gc
import importlib
import inspect
import os
import pickle
import re
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import numba
import numpy as np
import pytest
from numba.core import compiler, types
from numba.core.compiler import CompilerBase
from numba.core.dispatcher import Dispatcher
from numba.core.typed_passes import BaseNativeLowering

from spygames.core.compiling import cache, kernel, link
from spygames.core.compiling.digest import code_digest
from spygames.core.game.game import as_record
from spygames.core.playing.batch import Batch
from tests.poker import kuhn


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A fresh `cache_dir`, where no folder beside the package can be written."""
    monkeypatch.setattr(cache, "_PACKAGE", tmp_path / "file")
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(cache.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    cache.cache_dir.cache_clear()
    yield tmp_path
    cache.cache_dir.cache_clear()


def test_the_users_cache_replaces_a_read_only_package(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(fresh / "cache"))
    assert Path(cache.cache_dir() or "").parent == fresh / "cache" / "spygames"


def test_a_user_without_a_home_caches_in_the_temporary_folder(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(cache.Path, "home", no_home)
    folder = Path(cache.cache_dir() or "")
    assert folder.is_relative_to(fresh / "temporary")
    if hasattr(os, "getuid"):
        assert folder.parent.name == f"spygames-{os.getuid()}"


def test_a_machine_without_a_temporary_folder_needs_none(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(cache.tempfile, "gettempdir", read_only)
    monkeypatch.setenv("XDG_CACHE_HOME", str(fresh / "cache"))
    assert Path(cache.cache_dir() or "").parent == fresh / "cache" / "spygames"
    cache.cache_dir.cache_clear()
    monkeypatch.setenv("XDG_CACHE_HOME", str(fresh / "file"))
    with pytest.warns(UserWarning, match="cannot be kept"):
        assert cache.cache_dir() is None


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owners")
def test_a_cache_folder_of_another_user_is_refused(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(fresh / "file"))  # it is a file, not a folder
    ours = cache._user()
    monkeypatch.setattr(cache, "_user", lambda: ours + 1)
    with pytest.warns(UserWarning, match="cannot be kept"):
        assert cache.cache_dir() is None


OTHER = inspect.getsource(kuhn.other)
"""The kernel that is moved to another file; its source includes the decorator."""
FILES = {
    "rules.py": "from {name}.helper import other\n" + inspect.getsource(kuhn).replace(OTHER, ""),
    "helper.py": """
from spygames.core.compiling.kernel import kernel
from {name} import deeper

@kernel
def other(seat):
    return deeper.rival(seat)
""",
    "deeper.py": """
from spygames.core.compiling.kernel import kernel
from {name}.tables import RIVAL

@kernel
def rival(seat):
    return RIVAL[seat]
""",
    "tables.py": "import numpy as np\nRIVAL = np.array([1, 0])\n",
    "text.py": "NAME = 'Kuhn poker'\n",
    "__init__.py": "from {name} import text\nfrom {name}.rules import make_game\n",
}
"""Kuhn poker as a user's game: its kernels are in three files that import each other in three ways."""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with two games to import, and a separate cache of machine code."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # Python misses an edit of equal length within a second
    monkeypatch.syspath_prepend(tmp_path)
    cache.cache_dir.cache_clear()
    for name in ("first_game", "second_game"):
        (tmp_path / name).mkdir()
        for file, text in FILES.items():
            (tmp_path / name / file).write_text(text.replace("{name}", name))
    yield tmp_path
    forget()
    cache.cache_dir.cache_clear()


def forget() -> None:
    """Forget the games and the loops around them, so that they are imported as in a new process."""
    for name in [name for name in sys.modules if name.split(".")[0] in ("first_game", "second_game")]:
        del sys.modules[name]
    kernel._bound.clear()
    cache.delete_unused.cache_clear()
    cache._warned.clear()
    importlib.invalidate_caches()


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def play(own: Path, name: str) -> tuple[float, set[str]]:
    """Play a few games; return what the first seat wins, and the modules that were compiled."""

    def kept() -> dict[Path, int]:
        return {path: path.stat().st_ino for path in (own / "cache").rglob("*.nbc")}

    forget()
    before = kept()
    batch = Batch(importlib.import_module(name).make_game(), 16, seed=1)
    won = 0.0
    for _ in range(6):
        batch.step(batch.mask.argmax(1))
        won += batch.rewards[:, 0].sum()
    return won, {path.parent.name for path, inode in kept().items() if before.get(path) != inode}


needs_compiler = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")  # type: ignore[attr-defined]


@needs_compiler
def test_an_edit_recompiles_exactly_the_affected_kernels(own: Path) -> None:
    won, compiled = play(own, "first_game")
    assert {"first_game.rules", "first_game.helper", "first_game.deeper", "spygames.core.playing.batch"} <= compiled
    play(own, "second_game")
    assert play(own, "first_game") == (won, set())

    edit(own / "first_game" / "text.py", "'Kuhn poker'", "'Kuhn' + ' poker'")  # not a kernel
    edit(own / "first_game" / "rules.py", "Deal one of the two cards", "Deal a card")  # the docstring of a kernel
    edit(own / "first_game" / "deeper.py", "import kernel", "import kernel\n")  # a kernel on another line
    assert play(own, "first_game") == (won, set())

    edit(own / "first_game" / "deeper.py", "RIVAL[seat]", "0 * RIVAL[seat]")  # a helper of a helper
    other, compiled = play(own, "first_game")
    assert other != won
    loops = {"spygames.core.playing.batch", "spygames.core.playing.rows"}
    assert compiled == {"first_game.rules", "first_game.helper", "first_game.deeper"} | loops
    assert play(own, "second_game") == (won, set())

    edit(own / "second_game" / "tables.py", "[1, 0]", "[0, 0]")  # a table in a file without a kernel
    assert play(own, "second_game")[0] == other

    edit(own / "first_game" / "deeper.py", "0 * RIVAL[seat]", "RIVAL[seat]")  # the earlier code is still cached
    assert play(own, "first_game") == (won, set())


@needs_compiler
def test_a_new_process_notices_an_edit(own: Path) -> None:
    (own / "run.py").write_text("from first_game.helper import other\nprint(other(1))\n")

    def run() -> str:
        return subprocess.run([sys.executable, "-B", "run.py"], cwd=own, capture_output=True, text=True).stdout

    (own / "first_game" / "__init__.py").write_text("")
    assert run() == "0\n"
    edit(own / "first_game" / "tables.py", "[1, 0]", "[1, 7]")
    assert run() == "7\n"


def test_the_digest_of_a_game_covers_its_rules_only(own: Path) -> None:
    def digest() -> str:
        forget()
        return importlib.import_module("first_game").make_game().digest

    before = digest()
    edit(own / "first_game" / "text.py", "poker", "Poker")
    assert digest() == before
    edit(own / "first_game" / "tables.py", "[1, 0]", "[1, 1]")
    assert digest() != before


def test_digests_cover_everything_that_changes_machine_code() -> None:
    """Functions that compile to different machine code have different digests."""

    def made(text: str, **names: object) -> Callable[..., object]:
        scope: dict[str, object] = {"__name__": "made", **names}
        exec(text, scope)
        return scope["f"]  # type: ignore[return-value]

    def adds(n: int) -> Callable[[int], int]:
        return lambda x: x + n

    reads = "def f(x): return x + A"
    pairs = [
        [made("def f(x): return x + 1"), made("def f(x): return x + 2")],
        [made("def f(x): return x + 1"), made("def f(x): return x - 1")],
        [made("def f(x): return x.a"), made("def f(x): return x.b")],
        [made("def f(x=1): return x"), made("def f(x=2): return x")],
        [made("def f(x): return (lambda: 1)()"), made("def f(x): return (lambda: 2)()")],
        [made(reads, A=1), made(reads, A=2), made(reads, A=1.0), made(reads, A=True), made(reads, A=np.int8(1))],
        [made(reads, A=np.arange(3)), made(reads, A=np.arange(3)[::-1]), made(reads, A=np.arange(3, dtype=np.int8))],
        [made(reads, A=(1, (2,))), made(reads, A=(1, 2)), made(reads, A={"a": 1}), made(reads, A={"b": 1})],
        [made(reads, A=np.dtype([("a", "f4")])), made(reads, A=np.dtype([("b", "f4")]))],
        [
            made(reads, A=(adds(1),)),
            made(reads, A=(adds(2),)),
            made(reads, A={1: adds(1)}),
            made(reads, A={1: adds(2)}),
        ],
        [made(reads, A=np.int8), made(reads, A=np.int16), made(reads, A=adds(1)), made(reads, A=adds(2))],
        [adds(1), adds(2)],
    ]
    for functions in pairs:
        assert len({code_digest(f) for f in functions}) == len(functions)
    texts = "def f(x):\n  'Says.'\n  return x", "\n\ndef f(x):\n  'Says more.'\n  return x", "def f(x): return x"
    assert len({code_digest(made(text)) for text in texts}) == 1


def test_mutually_recursive_functions_have_a_digest() -> None:
    scope: dict[str, object] = {"__name__": "made"}
    exec("def f(n): return g(n - 1) if n else 0\ndef g(n): return f(n)", scope)
    assert code_digest(scope["f"]) == code_digest(scope["f"]) != code_digest(scope["g"])


@needs_compiler
def test_a_profiler_does_not_change_the_digest() -> None:
    """Numba marks the code of a function that runs under a profiler."""
    called = kernel.kernel(lambda x: x + 1)
    before = code_digest(called)
    with cProfile.Profile():
        assert called(1) == 2
    assert code_digest(called) == before


@needs_compiler
def test_code_unused_for_a_month_is_deleted(own: Path) -> None:
    def rival() -> list[Path]:
        forget()
        assert importlib.import_module("first_game.deeper").rival(0) == 1
        return list((own / "cache").rglob("*.nbc"))

    (first,) = rival()
    long_ago = time.time() - 31 * 24 * 3600
    os.utime(first, (long_ago, long_ago))
    assert rival() == [first]
    assert first.stat().st_mtime > long_ago + 3600  # using it updates its time
    edit(own / "first_game" / "deeper.py", "RIVAL[seat]", "0 + RIVAL[seat]")
    assert len(rival()) == 2
    os.utime(first, (long_ago, long_ago))
    edit(own / "first_game" / "deeper.py", "0 + RIVAL[seat]", "RIVAL[seat] + 0")
    assert len(rival()) == 2
    assert not first.exists()


@needs_compiler
def test_a_full_disk_gives_a_warning(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache.Path, "write_bytes", full)
    with pytest.warns(UserWarning, match="cannot be kept, so the next process compiles again: .*No space left"):
        assert importlib.import_module("first_game.deeper").rival(0) == 1


def _flipped(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


def _other(content: object) -> bytes:
    """Return the bytes of a cache file with a valid checksum."""
    pickled = content if isinstance(content, bytes) else pickle.dumps(content)
    return sha256(pickled).digest() + pickled


@needs_compiler
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: bytes(len(data)),
        _flipped,
        lambda data: data[32:],  # the format of an earlier version
        lambda data: _other(b"cos\nnothing\n."),
        lambda data: _other(7),
        lambda data: _other((None, None, ("part", "bitcode", b"BC none"), None)),
    ],
    ids=["empty", "half", "zeros", "flipped", "old", "no pickle", "no values", "no code"],
)
def test_damaged_machine_code_is_recompiled_with_a_warning(own: Path, damage: Callable[[bytes], bytes]) -> None:
    def run() -> int:
        forget()
        return importlib.import_module("first_game.helper").other(0)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run() == 1
        files = sorted((own / "cache").rglob("*.nbc"))
        assert len(files) == 2  # the kernel, and the part that it calls
        for file in files:
            file.write_bytes(damage(file.read_bytes()))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert run() == 1
    (warning,) = caught
    assert re.search(
        r"first_game\.helper.other-\w+-\w+\.nbc, .* cannot be read, so it is compiled", str(warning.message)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run() == 1  # it was repaired


def test_bytes_with_a_wrong_checksum_are_not_unpickled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file.nbc"
    cache.save(file, pickle.dumps((1, 2)))
    assert cache.load(file, lambda *values: values) == (1, 2)
    monkeypatch.setattr(cache.pickle, "loads", lambda _: pytest.fail("unpickled"))
    file.write_bytes(_flipped(file.read_bytes()))
    cache._warned.clear()
    with pytest.warns(UserWarning, match="checksum"):
        assert cache.load(file, lambda *values: values) is None
    assert not file.exists()


@kernel.kernel
def _reads_a_missing_field(s: kernel.Record) -> int:
    return s.rng + s.scores


@kernel.kernel
def _calls_it(s: kernel.Record) -> int:
    return _reads_a_missing_field(s) + 1


@kernel.kernel
def _allocates(s: kernel.Record) -> float:
    return np.zeros(3)[0]


@kernel.kernel
def _reads_an_unknown_name(s: kernel.Record) -> int:
    return s.rng + nothing  # type: ignore[name-defined] # noqa: F821


def _init(s: kernel.Record, options: kernel.Record, seed: np.uint64) -> None:
    s.rng = _calls_it(s)


@needs_compiler
@pytest.mark.parametrize(
    ("calls", "guilty", "why"),
    [
        (_reads_a_missing_field, _reads_a_missing_field, "a record has no field 'scores'"),
        (_calls_it, _reads_a_missing_field, "scores"),
        (_allocates, _allocates, "allocates memory, which kernels must not"),
        (_reads_an_unknown_name, _reads_an_unknown_name, "name 'nothing' is not defined"),
    ],
)
def test_a_kernel_that_does_not_compile_is_named(calls: Any, guilty: Any, why: str) -> None:
    line = guilty.py_func.__code__.co_firstlineno + 2
    with pytest.raises(kernel.CompileError, match=why) as error:
        calls(as_record(kuhn.make_game().new_states()))
    text = str(error.value)
    assert f"kernel {guilty.__name__} does not compile ({__file__}, line {line})" in text
    assert "NUMBA_DISABLE_JIT=1" in text
    assert "\n" not in text
    assert len(text) < 500
    assert error.value.__cause__ is not None


@needs_compiler
def test_a_kernel_in_a_loop_that_does_not_compile_is_named() -> None:
    with pytest.raises(kernel.CompileError, match="kernel _reads_a_missing_field does not compile"):
        Batch(replace(kuhn.make_game(), init=kernel.kernel(_init)), 2, seed=1)


@kernel.kernel
def _legal(s: kernel.Record, mask: np.ndarray) -> None:
    mask[:] = nothing  # type: ignore[name-defined] # noqa: F821


@needs_compiler
def test_a_kernel_is_named_although_the_loop_calls_others_after_it() -> None:
    with pytest.raises(kernel.CompileError, match=r"kernel _legal does not compile .*name 'nothing' is not defined"):
        Batch(replace(kuhn.make_game(), legal=_legal), 2, seed=1)


@kernel.kernel
def _plus_one(n: kernel.Int) -> kernel.Int:
    return n + 1


@kernel.kernel
def _calls_it_thrice(n: kernel.Int) -> kernel.Int:
    return _plus_one(n) + _plus_one(np.int8(n)) + _plus_one(1)


@needs_compiler
@pytest.mark.usefixtures("own")  # with an empty cache
def test_a_kernel_is_compiled_once_for_the_kernels_that_call_it() -> None:
    assert _calls_it_thrice(5) == 14
    dispatcher = cast(Any, _plus_one)
    assert len(dispatcher._parts) == 1
    assert not dispatcher.signatures  # no version that Python could call
    assert _plus_one(5) == 6
    assert _plus_one(np.int8(127)) == 128


@kernel.kernel(noalias=True)
def _doubled(values: np.ndarray, out: np.ndarray) -> None:
    for i in range(len(out)):
        out[i] = 2 * values[i]


@kernel.kernel
def _quadrupled(values: np.ndarray, out: np.ndarray) -> None:
    _doubled(values, out)
    for i in range(len(out)):
        out[i] *= 2


def test_noalias_does_not_change_results() -> None:
    out = np.zeros(5, np.float32)
    _quadrupled(np.arange(5, dtype=np.int8), out)
    assert out.tolist() == [0, 4, 8, 12, 16]


@needs_compiler
def test_noalias_reaches_the_compiler() -> None:
    part = cast(Any, _doubled)._part((types.int8[::1], types.float32[::1]))
    module = part.library._final_module
    (text,) = [str(each) for each in module.functions if "_doubled" in each.name and not each.is_declaration]
    assert text.splitlines()[0].count("noalias") > 2  # every kernel has two: the result and the error


@needs_compiler
def test_noalias_changes_the_digest_of_machine_code() -> None:
    function = cast(Any, _doubled).py_func
    known, rules = code_digest(function), code_digest(function, libraries=False)
    try:
        function.noalias = False
        assert code_digest(function) != known
        assert code_digest(function, libraries=False) == rules  # the digest of the rules is the same
    finally:
        function.noalias = True


CIRCLE = """
from spygames.core.compiling.kernel import kernel

@kernel
def odd(n):
    print("odd", n)
    return False if n == 0 else even(n - 1)

@kernel
def even(n):
    return True if n == 0 else odd(n - 1)

@kernel
def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)

@kernel
def both(n):
    return even(n), factorial(n)

print(both(3), both(4))
"""


@needs_compiler
def test_kernels_may_be_mutually_recursive_and_print(own: Path) -> None:
    (own / "circle.py").write_text(CIRCLE)
    for _ in range(2):  # the second process reads the cache
        done = subprocess.run([sys.executable, "-B", "circle.py"], cwd=own, capture_output=True, text=True)
        assert done.stdout == "odd 2\nodd 0\nodd 3\nodd 1\n(False, 6) (True, 24)\n"


@kernel.kernel
def _with_a_closure(x: int) -> int:
    def double(y: int) -> int:
        return y + y

    return double(x) + double(x + 1)


@kernel.kernel
def _around_a_closure(x: int) -> int:
    return _with_a_closure(x)


@needs_compiler
def test_a_called_kernel_may_have_closures() -> None:
    assert _around_a_closure(3) == 14


@needs_compiler
@pytest.mark.parametrize("collecting", [True, False])
def test_compiling_has_no_side_effects(collecting: bool, monkeypatch: pytest.MonkeyPatch, own: Path) -> None:
    """Neither garbage collection nor Numba is left changed, even if compiling fails."""
    states_while_compiling = []
    made = link.compiler

    def watched(*args: Any) -> Any:
        part = made(*args)
        return lambda arguments: states_while_compiling.append(gc.isenabled()) or part(arguments)

    monkeypatch.setattr(link, "compiler", watched)

    def inner(x: int) -> int:
        return x * 3

    called = kernel.kernel(inner)
    (gc.enable if collecting else gc.disable)()
    try:
        assert kernel.kernel(lambda x: called(x) + 1)(4) == 13
        with pytest.raises(kernel.CompileError):
            kernel.kernel(_reads_an_unknown_name)(as_record(kuhn.make_game().new_states()))
        assert gc.isenabled() == collecting
    finally:
        gc.enable()
    assert states_while_compiling == [False]
    target: Any = link.cpu_target
    for context in (target.typing_context, target.target_context):
        assert not {"refresh", "resolve_function_type"} & vars(context).keys()


LINKED = """
import sys, warnings
{change}
with warnings.catch_warnings(record=True) as caught:
    from spygames.core.compiling.kernel import kernel

@kernel
def double(n):
    return 2 * n

@kernel
def both(n):
    return double(n), double(n + 1)

print([str(each.message)[:25] for each in caught], both(3), type(both).__name__)
"""


@pytest.mark.slow
@needs_compiler
def test_without_our_linker_numba_compiles(own: Path) -> None:
    """It gives one warning and the same results; a second process reads the cache of the first."""
    for change, output in (
        ("", "[] (6, 8) LinkedKernel"),
        ('sys.modules["spygames.core.compiling.link"] = None', "['kernels cannot be linked '] (6, 8) Kernel"),
    ):
        (own / "linked.py").write_text(LINKED.replace("{change}", change))
        for _ in range(2):
            done = subprocess.run([sys.executable, "-B", "linked.py"], cwd=own, capture_output=True, text=True)
            assert (done.stdout, done.stderr) == (output + "\n", "")


@needs_compiler
def test_a_missing_private_name_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(link.ConfigStack, "top_or_none")
    with pytest.raises(AttributeError, match="top_or_none"):
        link.check_names()


def test_private_names_of_numba_exist() -> None:
    """Private names of Numba that we use; if a release drops one, `core/compiling/kernel.py` needs a change."""
    assert {"load_overload", "save_overload", "cache_path"} <= {
        name for name in dir(cache.MachineCode) if not name.startswith("_")
    }
    assert "self._cache.load_overload(sig, self.targetctx)" in inspect.getsource(Dispatcher.compile)
    assert "self._cache.save_overload(sig, cres)" in inspect.getsource(Dispatcher.compile)
    assert list(inspect.signature(kernel.CPUDispatcher.__init__).parameters)[1:4] == [
        "py_func",
        "locals",
        "targetoptions",
    ]
    for name in ("_reduce", "_rebuild"):
        assert hasattr(cache.CompileResult, name)
    assert "self._compile_for_args" not in inspect.getsource(Dispatcher.compile)
    assert "self.compile(tuple(argtypes))" in inspect.getsource(cast(Any, Dispatcher)._compile_for_args)
    assert list(inspect.signature(Dispatcher.get_call_template).parameters) == ["self", "args", "kws"]
    assert "return self.dispatcher.get_overload(sig.args)" in inspect.getsource(types.Dispatcher.get_overload)
    for name in (
        "_get_module_for_linking",
        "_optimize_final_module",
        "_finalize_final_module",
    ):  # used by `core/compiling/link.py`
        assert hasattr(link.JITCodeLibrary, name)
    assert "not flags.no_cfunc_wrapper" in inspect.getsource(BaseNativeLowering.run_pass)
    assert "flags.no_compile" in inspect.getsource(BaseNativeLowering.run_pass)
    assert "noalias=flags.noalias" in inspect.getsource(BaseNativeLowering.run_pass)
    assert list(inspect.signature(kernel.dumps).parameters) == ["obj"]
    assert "typingctx.refresh()\n        targetctx.refresh()" in inspect.getsource(CompilerBase.__init__)
    assert list(inspect.signature(link.PassManager._runPass).parameters) == ["self", "index", "pss", "internal_state"]
    assert "self._runPass(idx, pass_inst, state)" in inspect.getsource(link.PassManager.run)
    passes = inspect.getsource(compiler)
    assert all(f"pm.add_pass({name}," in passes for name in (*link._UNUSED, "InlineClosureLikes"))
    context = cast(Any, link.cpu_target).typing_context
    assert list(inspect.signature(context.resolve_function_type).parameters) == ["func", "args", "kws"]
    assert callable(context._lookup_global)
    assert list(inspect.signature(cache.rtsys.initialize).parameters) == ["ctx"]


_PLAY = """
import sys
import numpy as np
from spygames.core.playing.first_games import first_games
from spygames.heimlich import make_game

for players in map(int, sys.argv[1:]):
    steps = list(first_games(make_game(players=players), np.arange(1, 9, dtype=np.uint64), "expert"))
    print(players, hash(tuple(step.after.tobytes() for step in steps)))
"""


@pytest.mark.slow
def test_caches_of_two_variants_can_be_merged(tmp_path: Path) -> None:
    """Each process compiles for its own variant, as two training runs do; a third one loads both caches."""

    def run(folder: str, *players: str) -> str:
        kept = str(tmp_path / folder)
        env = {**os.environ, "NUMBA_CACHE_DIR": kept, "NUMBA_DISABLE_JIT": "0", "PYTHONHASHSEED": "0"}
        command = [sys.executable, "-c", _PLAY, *players]
        ran = subprocess.run(command, env=env, capture_output=True, text=True)
        return ran.stdout if ran.returncode == 0 else f"ended with {ran.returncode}"

    two, seven = run("two", "2"), run("seven", "7")
    assert two.startswith("2 ")
    assert seven.startswith("7 ")
    shutil.copytree(tmp_path / "two", tmp_path / "both")
    shutil.copytree(tmp_path / "seven", tmp_path / "both", dirs_exist_ok=True)
    assert run("both", "2", "7") == two + seven
    assert run("both", "7", "2") == seven + two
