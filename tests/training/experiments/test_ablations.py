"""The comparison of recipes trains each run once, evaluates the existing agents, and reports the results."""

import json
import shutil
from pathlib import Path

import pytest
import scipy.stats

from spygames_app.shipped import config_path
from spygames_training.agents.checkpoint import save_checkpoint
from spygames_training.config import Config, Network, read_config
from spygames_training.experiments import ablations as library
from spygames_training.networks.actor_critic import make_network
from tests.cli.command import complaint, run
from tests.poker import kuhn


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short recipe with only self-play."""
    file = tmp_path_factory.mktemp("recipe") / "small.toml"
    file.write_text("name = 'small'\ndecisions = 600\n[ppo]\ngames = 32\nsteps = 8\nminibatch = 64\n")
    return file


def arguments(small: Path, out: Path, *more: str) -> list[str]:
    argv = [str(small), "--only", "no reference", "self-play only", "--seeds", "2", "--hidden", "16", "--games", "10"]
    return [*argv, "--against", "random", "--out", str(out), *more]


@pytest.fixture(scope="module")
def done(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a comparison of two recipes with two seeds each."""
    out = tmp_path_factory.mktemp("done")
    assert run("ablate", *arguments(small, out)) == 0
    return out


def test_existing_runs_are_not_trained_again(done: Path, small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    states = {path: path.stat().st_mtime_ns for path in done.rglob("state.safetensors")}
    assert sorted(path.parent.name for path in states) == [
        "defaults 0",
        "defaults 1",
        "no reference 0",
        "no reference 1",
    ]
    before = (done / "small" / "ablations.json").read_bytes()
    assert run("ablate", *arguments(small, done)) == 0
    assert "run 4 of 4: no reference 1" in capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in done.rglob("state.safetensors")} == states
    assert (done / "small" / "ablations.json").read_bytes() == before


def test_the_figures_are_the_means_over_seeds(done: Path) -> None:
    found = json.loads((done / "small" / "ablations.json").read_text())
    assert list(found["changes"]) == ["defaults", "no reference"]
    shares = found["changes"]["no reference"]["win_share"]
    assert set(shares) == {"random", "defaults"}
    low, high = sorted(shares["random"]["seeds"])
    assert shares["random"]["mean"] == pytest.approx((low + high) / 2)
    assert shares["random"]["interval"] == pytest.approx(12.706 * (high - low) / 2)
    for seed, (least, most) in zip(shares["random"]["seeds"], shares["random"]["intervals_over_deals"], strict=True):
        assert 0 <= least <= seed <= most <= 1
    assert shares["random"]["fair_share"] == 0.5
    for seed in (0, 1):  # the unchanged recipe with the same seed
        asked = json.loads((done / "small" / f"no reference {seed}" / "judged.json").read_text())["asked"]
        assert (asked["seed"], asked["games"], asked["play"]) == (seed, 10, "argmax")
        assert asked["against"]["defaults"][0] == f"{done / 'small' / f'defaults {seed}'}@argmax"


def test_the_table_is_on_screen_and_in_markdown(done: Path, small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("ablate", *arguments(small, done)) == 0
    screen = capsys.readouterr().out
    found = json.loads((done / "small" / "ablations.json").read_text())["changes"]["no reference"]
    share = found["win_share"]["random"]
    cell = f"{100 * share['mean']:.1f} ± {100 * share['interval']:.1f}"
    assert cell in screen
    lines = (done / "small" / "ablations.md").read_text().splitlines()
    assert lines[2:4] == [
        "| change | random | the unchanged recipe | seconds of training |",
        "| --- | ---: | ---: | ---: |",
    ]
    assert lines[5].startswith(f"| no reference | {cell} | ")
    assert "50.0 against random, 50.0 against the unchanged recipe" in lines[-1]


def test_a_change_that_the_config_already_has_is_skipped(
    done: Path, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("ablate", *arguments(small, done)) == 0
    assert f"skipped, since {small} already makes this change: self-play only" in capsys.readouterr().out.splitlines()
    assert not list(done.rglob("self-play only*"))


def test_results_count_only_for_the_agents_that_played(done: Path, small: Path, tmp_path: Path) -> None:
    """If an agent of the unchanged recipe was trained again, its games are played again."""
    out = shutil.copytree(done, tmp_path / "out")
    assert run("ablate", *arguments(small, out)) == 0  # with the paths of the copy
    kept = out / "small" / "no reference 0" / "judged.json"
    known = json.loads(kept.read_text())
    known["found"]["defaults"]["win_share"] = 0.123
    kept.write_text(json.dumps(known))

    def reported() -> list[float]:
        assert run("ablate", *arguments(small, out)) == 0
        found = json.loads((out / "small" / "ablations.json").read_text())
        return found["changes"]["no reference"]["win_share"]["defaults"]["seeds"]

    assert reported()[0] == 0.123
    shutil.rmtree(out / "small" / "defaults 0" / "checkpoint")
    shutil.copytree(out / "small" / "defaults 1" / "checkpoint", out / "small" / "defaults 0" / "checkpoint")
    assert reported()[0] != 0.123


def test_results_of_an_agent_that_was_trained_again_do_not_count(tmp_path: Path) -> None:
    game, folder, shares = kuhn.make_game(), tmp_path / "agent", []
    for _ in range(2):
        save_checkpoint(folder / "checkpoint", game, make_network(game, Network((8,))), 0)
        shares.append(library.evaluated(game, folder, {"random": "random"}, 2, "argmax", 0)["random"]["win_share"])
        kept = json.loads((folder / "judged.json").read_text())
        kept["found"]["random"]["win_share"] = 0.123
        (folder / "judged.json").write_text(json.dumps(kept))
    assert library.evaluated(game, folder, {"random": "random"}, 2, "argmax", 0)["random"]["win_share"] == 0.123
    assert 0.123 not in shares
    before = (folder / "judged.json").read_bytes()
    for other in ((4, "argmax", 0), (2, "sample", 0), (2, "argmax", 1)):
        (folder / "judged.json").write_bytes(before)
        assert library.evaluated(game, folder, {"random": "random"}, *other)["random"]["win_share"] != 0.123


def test_results_against_a_mixture_count_only_for_its_members(tmp_path: Path) -> None:
    game, folder, rival, shares = kuhn.make_game(), tmp_path / "agent", tmp_path / "rival", []
    save_checkpoint(folder / "checkpoint", game, make_network(game, Network((8,))), 0)
    for trained in (True, True, False):
        if trained:
            save_checkpoint(rival / "checkpoint", game, make_network(game, Network((8,))), 0)
        found = library.evaluated(game, folder, {"rival": f"mix:{rival}|random"}, 2, "argmax", 0)
        shares.append(found["rival"]["win_share"])
        kept = json.loads((folder / "judged.json").read_text())
        kept["found"]["rival"]["win_share"] = 0.123
        (folder / "judged.json").write_text(json.dumps(kept))
    assert [share == 0.123 for share in shares] == [False, False, True]


@pytest.mark.parametrize(
    ("more", "wrong"),
    [
        (("--play", "best"), "not 'best'"),
        (("--against", "random", "gredy"), "no player 'gredy'"),
    ],
)
def test_wrong_options_are_refused_before_the_first_run(
    more: tuple[str, ...],
    wrong: str,
    small: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert wrong in complaint(["ablate", *arguments(small, tmp_path / "out", *more)], capsys)
    assert not (tmp_path / "out").exists()


def test_an_unknown_change_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"only must be one of 'defaults', .*, not 'no entropi'"):
        library.Ablations(Config(), tmp_path, ["defaults", "no entropi"])


def test_a_run_with_other_settings_is_refused_before_the_first_run(
    done: Path, small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = shutil.copytree(done, tmp_path / "out")
    shutil.rmtree(out / "small" / "defaults 0")
    last = out / "small" / "no reference 1" / "run.json"
    last.write_text(last.read_text().replace('"decisions": 600', '"decisions": 601'))
    assert "no reference 1 holds a run with other settings (decisions)" in complaint(
        ["ablate", *arguments(small, out)], capsys
    )
    assert not (out / "small" / "defaults 0").exists()


def test_the_caption_reports_fair_shares_between_three_sides() -> None:
    found = [{"win_share": s, "interval": [0.2, 0.5], "fair_share": f} for s, f in ((0.4, 0.32), (0.3, 0.36))]
    change = {"seconds": 3.4, "win_share": {"greedy": library.over_seeds(found)}}
    assert "34.0 against greedy" in library.caption({"defaults": change})
    assert library.cells("defaults", change, ["greedy", "expert"]) == ["defaults", "35.0 ± 63.5", "", "3"]


def test_intervals_over_seeds_are_students() -> None:
    for seeds, t in library.T_95.items():
        assert t == pytest.approx(scipy.stats.t.ppf(0.975, seeds - 1), abs=5e-4)


def test_every_change_changes_the_config() -> None:
    config = read_config(config_path("agent_avenue_simple"))
    for name in library.CHANGES:
        assert (library.changed(config, name) == config) == (name == library.DEFAULTS)


def test_a_missing_config_gives_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "cannot read" in complaint(["ablate", str(tmp_path / "none.toml")], capsys)
