"""Where machine code is kept."""

import os
from pathlib import Path

import pytest

from spygames.core import kernel


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """`cache_dir` asked anew, in a world where nothing beside the package can be written."""
    monkeypatch.setattr(kernel, "_PACKAGE", tmp_path / "file")
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(kernel.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    kernel.cache_dir.cache_clear()
    yield tmp_path
    kernel.cache_dir.cache_clear()


def test_the_users_cache_stands_in_for_the_package(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(fresh / "cache"))
    assert Path(kernel.cache_dir() or "").parent == fresh / "cache" / "spygames"


def test_a_user_without_a_home_keeps_it_among_the_temporary_files(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(kernel.Path, "home", no_home)
    folder = Path(kernel.cache_dir() or "")
    assert folder.is_relative_to(fresh / "temporary")
    if hasattr(os, "getuid"):
        assert folder.parent.name == f"spygames-{os.getuid()}"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners here")
def test_code_that_others_may_have_put_there_is_not_run(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(fresh / "file"))  # cannot be written, being a file
    ours = kernel._user()
    monkeypatch.setattr(kernel, "_user", lambda: ours + 1)
    with pytest.warns(UserWarning, match="cannot be kept"):
        assert kernel.cache_dir() is None
