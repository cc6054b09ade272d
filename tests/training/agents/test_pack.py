"""A checkpoint packed into a zip plays like its folder; a hostile zip is refused with one line."""

import io
import shutil
import struct
import zipfile
from pathlib import Path

import pytest
import torch

from spygames.agent_avenue import make_game
from spygames.players import NumpyPlayer, make_player
from spygames_training import Policy, load_checkpoint, pack_checkpoint, save_checkpoint
from spygames_training.agents.checkpoint import CheckpointError
from spygames_training.config import Network
from spygames_training.networks.actor_critic import make_network
from tests.cli.command import complaint, run

GAME = make_game()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    torch.manual_seed(0)
    save_checkpoint(tmp_path / "first" / "checkpoint", GAME, make_network(GAME, Network((16, 8))), 1234)
    return tmp_path / "first"


@pytest.fixture
def files(folder: Path) -> dict[str, bytes]:
    return {name: (folder / "checkpoint" / name).read_bytes() for name in ("config.json", "model.safetensors")}


def zipped(file: Path, content: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return file


def refusal(path: Path) -> str:
    with pytest.raises(CheckpointError) as info:
        load_checkpoint(path)
    assert "\n" not in str(info.value)
    return str(info.value)


def same(path: Path, folder: Path) -> bool:
    ours, theirs = (load_checkpoint(each).network.state_dict() for each in (path, folder))
    return ours.keys() == theirs.keys() and all(torch.equal(ours[name], theirs[name]) for name in ours)


def test_a_packed_run_plays_everywhere(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("pack", "first") == 0
    assert same(Path("first.zip"), folder)
    assert Policy.load("first.zip", "argmax").name == Policy.load("first.zip@argmax").name == "first@argmax"
    assert make_player(GAME, "first.zip@0.5").name == NumpyPlayer(GAME, "first.zip", "0.5").name == "first@0.5"
    assert run("evaluate", "first.zip", "--against", "random", "--games", "4") == 0
    with zipfile.ZipFile("first.zip") as archive:
        assert archive.namelist() == ["first/config.json", "first/model.safetensors"]
    before = Path("first.zip").read_bytes()
    assert pack_checkpoint("first.zip", "again.zip").read_bytes() == before  # also from a zip, and in place of one
    assert pack_checkpoint(folder, "again.zip").read_bytes() == before
    with monkeypatch.context() as patched:
        patched.setattr("sys.platform", "win32")
        assert pack_checkpoint(folder, "again.zip").read_bytes() == before


def test_a_released_agent_is_packed_with_its_card(tmp_path: Path) -> None:
    file = pack_checkpoint("agent_avenue/simple-2", tmp_path / "a.zip")
    with zipfile.ZipFile(file) as archive:
        assert {Path(name).name for name in archive.namelist()} == {"config.json", "model.safetensors", "README.md"}
    assert same(file, load_path())


def load_path() -> Path:
    from spygames.players import find_agent

    agent = find_agent("agent_avenue/simple-2")
    assert agent is not None
    return agent.folder


@pytest.mark.parametrize("kind", ["folder", "its content", "run", "upper case"])
def test_zips_of_other_programs_are_read(folder: Path, tmp_path: Path, kind: str) -> None:
    root, base = {
        "folder": (folder, "checkpoint"),
        "its content": (folder / "checkpoint", "."),
        "run": (tmp_path, "first"),
        "upper case": (folder, "checkpoint"),
    }[kind]
    (folder / "metrics.jsonl").write_text("{}")
    file = Path(shutil.make_archive(str(tmp_path / "other"), "zip", root, base))
    if kind == "upper case":
        file = file.rename(tmp_path / "OTHER.ZIP")
    assert same(file, folder)


def test_hostile_zips_are_refused(files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "x.zip"
    config, model = files["config.json"], files["model.safetensors"]
    cases = {
        "must hold one checkpoint, in one folder, not none": {"readme.txt": b"hello"},
        "must hold one checkpoint, in one folder, not a, b": {f"{k}/{n}": v for k in "ab" for n, v in files.items()},
        "model.safetensors is missing": {"config.json": config},
        "config.json is missing": {"model.safetensors": model},
        "config.json is longer than": {"config.json": b" " * (2 << 20), "model.safetensors": model},
        "does not hold the weights": {"config.json": config, "model.safetensors": model[:-1] + b"\x01"},
        "is truncated or not a safetensors file": {"config.json": config, "model.safetensors": model[:-1]},
    }
    for text, content in cases.items():
        assert text in refusal(zipped(file, content, zipfile.ZIP_STORED)), text
    zipped(file, files)
    with zipfile.ZipFile(file, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("config.json", b"{}")
    assert "config.json is there 2 times" in refusal(file)
    file.write_bytes(b"not a zip")
    assert "is damaged or not a zip" in refusal(file)
    assert "must be stored or deflated" in refusal(zipped(file, files, zipfile.ZIP_LZMA))
    escaping = {f"../../../{name}": data for name, data in files.items()}
    assert load_checkpoint(zipped(file, escaping)).game == GAME  # nothing is unpacked, so no path is used
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "x.zip"]


def test_a_small_zip_of_much_data_is_refused(files: dict[str, bytes], tmp_path: Path) -> None:
    bomb = zipped(tmp_path / "bomb.zip", {**files, "model.safetensors": bytes(150_000_000)})
    assert "model.safetensors is longer than" in refusal(bomb)
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as archive:
        for name, data in {**files, **{f"{number:060}": b"" for number in range(20_000)}}.items():
            archive.writestr(name, data)
    (tmp_path / "many.zip").write_bytes(many.getvalue())
    assert "its list of files must have at most" in refusal(tmp_path / "many.zip")


def test_any_damage_of_a_zip_is_refused_or_harmless(folder: Path, files: dict[str, bytes], tmp_path: Path) -> None:
    whole = zipped(tmp_path / "x.zip", files).read_bytes()
    (end,) = struct.unpack("<I", whole[-6:-2])  # where the list of files begins
    refused = 0
    for place in [*range(60), *range(end, len(whole)), *range(60, end, 997)]:
        damaged = bytearray(whole)
        damaged[place] ^= 0x55
        (tmp_path / "x.zip").write_bytes(damaged)
        try:
            assert same(tmp_path / "x.zip", folder)
        except CheckpointError:
            refused += 1
    for length in range(0, len(whole), 499):
        (tmp_path / "x.zip").write_bytes(whole[:length])
        refusal(tmp_path / "x.zip")
    assert refused > 100


def test_invalid_arguments_of_pack(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("thesis.zip").write_bytes(b"mine")
    assert "name the run or checkpoint" in complaint(["pack"], capsys)
    assert "must end in .zip, not be a.tar" in complaint(["pack", "first", "--out", "a.tar"], capsys)
    assert "other files are not overwritten" in complaint(["pack", "first", "--out", "thesis.zip"], capsys)
    assert "greedy is not a checkpoint" in complaint(["pack", "greedy"], capsys)
    (folder / "checkpoint" / "model.safetensors").write_bytes(b"other")
    assert "does not hold the weights" in complaint(["pack", "first"], capsys)
    assert Path("thesis.zip").read_bytes() == b"mine"
    assert not Path("first.zip").exists()
