"""Reading untrusted files: what is read, and what is refused before it is read."""

import os
import sys
from pathlib import Path

import pytest

from spygames.core.basics import files
from spygames.core.basics.files import read_file, read_text, shipped_folder

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.skipif(sys.platform == "win32", reason="needs links, pipes and devices of POSIX")
def test_only_regular_files_up_to_a_size_are_read(tmp_path: Path) -> None:
    file, link, pipe, device = (tmp_path / name for name in ("file", "link", "pipe", "device"))
    file.write_bytes(b"12345")
    link.symlink_to(file)
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    assert read_file(file, 5) == read_file(link, 5) == b"12345"
    with pytest.raises(OSError, match="longer than 4 bytes"):
        read_file(file, 4)
    for wrong in (pipe, device):
        with pytest.raises(OSError, match="not a regular file"):
            read_file(wrong, 100)
    for wrong in (tmp_path, tmp_path / "missing"):
        with pytest.raises(OSError, match=r"Is a directory|No such file"):
            read_file(wrong, 100)


@pytest.mark.skipif(sys.platform == "win32", reason="needs sparse files")
def test_a_long_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with open(file, "wb") as stream:
        stream.truncate(1 << 34)  # too much to be read in the time of a test
    with pytest.raises(OSError, match="longer than 17179869183 bytes"):
        read_file(file, (1 << 34) - 1)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc, whose files report size 0")
def test_a_file_that_reports_no_size_is_read_to_its_end() -> None:
    assert read_file("/proc/self/status", 1 << 20).endswith(b"\n")
    with pytest.raises(OSError, match="longer than 4 bytes"):
        read_file("/proc/self/status", 4)


def test_a_byte_order_mark_is_removed(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes("ä\n".encode("utf-8-sig"))
    assert read_text(file, 100) == "ä\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_named_as_the_error(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "file"
    file.write_bytes('game = "agent_avenue_v0"\n'.encode(encoding))
    with pytest.raises(ValueError, match="is UTF-16, and must be UTF-8"):
        read_text(file, 100)


def test_the_line_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes("first\nGrüße\n".encode("latin-1"))
    with pytest.raises(ValueError, match="must be UTF-8, but line 2 is not"):
        read_text(file, 100)


def test_shipped_files_are_found_in_a_clone_and_in_a_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = (shipped_folder("checkpoints") / "agents.json").read_bytes()  # a wheel has a copy
    assert names == (ROOT / "checkpoints" / "agents.json").read_bytes()
    monkeypatch.setattr(files, "__file__", str(tmp_path / "spygames" / "core" / "basics" / "files.py"))
    assert not shipped_folder("configs").exists()
    (tmp_path / "spygames" / "configs").mkdir(parents=True)
    assert shipped_folder("configs").samefile(tmp_path / "spygames" / "configs")
