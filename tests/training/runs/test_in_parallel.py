"""Evaluations, ladders and training runs in several processes give the same bytes as in one process."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from spygames import agent_avenue, heimlich
from spygames.core.game.game import Game
from spygames.core.players.names import DecisionBatch, make_player
from spygames.core.players.player import PlayerFailed
from spygames_training import Config, Network, Policy, cross_play, evaluate
from spygames_training.agents.policy import from_network
from spygames_training.config import PPO
from spygames_training.evaluation.line_ups import line_up
from spygames_training.experiments.run_tasks import packed, recover, train_task, unpack
from spygames_training.experiments.seeds import train_seeds
from spygames_training.ladder.lines import Line, entry_of
from spygames_training.ladder.playing import Meeting, play_lines
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.parallel.executor import SERIAL, Executor
from spygames_training.parallel.pool import Pool
from spygames_training.runs.run import Run
from tests.support import tasks

TINY = Config(
    name="tiny",
    decisions=512,
    workers=1,
    evaluate_against=("random",),
    evaluate_games=20,
    network=Network(hidden=(8,)),
    ppo=PPO(games=16, steps=16, minibatch=128),
)


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    """A pool of two processes."""
    with Pool(2) as found:
        yield found


def test_evaluations_equal_those_of_one_process(pool: Executor) -> None:
    two, three = agent_avenue.make_game(), heimlich.make_game(players=3)
    network = from_network(two, ActorCritic(two.num_features, two.num_actions, (16,)), "sample", "net")
    told: list[int] = []
    found = evaluate(two, network, ["random", network], 1100, 3, told.append, pool)
    assert sum(told) == 2200  # more than one lockstep batch
    serial = evaluate(two, network, ["random", network], 1100, 3)
    assert found == serial
    assert [r.by_deal for r in found] == [r.by_deal for r in serial]
    assert evaluate(three, "greedy", ["random"], 90, 3, executor=pool) == evaluate(three, "greedy", ["random"], 90, 3)
    for game, names in ((two, ["greedy", "random", "expert"]), (three, ["greedy", "random"])):
        assert cross_play(game, names, 60, 1, executor=pool) == cross_play(game, names, 60, 1)
    names = ["greedy", "random", "random"]
    assert line_up(three, names, 90, 1, executor=pool) == line_up(three, names, 90, 1)
    with pytest.raises(PlayerFailed, match="the player cheating answered an illegal action"):
        evaluate(two, Cheating(), "random", 20, 0, executor=pool)


def test_training_alone_does_not_import_stable_baselines(pool: Executor) -> None:
    asked = ("spygames_training.runs.run", "stable_baselines3")
    assert list(pool.in_order(tasks.imports, [asked])) == [False]


class Cheating:
    """A player that always answers an illegal action."""

    name = "cheating"

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """Return an action that does not exist."""
        return np.full(len(decisions.rows), -1)


class Crashing:
    """A player that fails in some games, depending on their random streams."""

    name = "crashing"

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """Return the first legal action, or fail."""
        if (decisions.rng[decisions.rows] % 20 == 0).any():
            raise RuntimeError("out of order")
        return decisions.mask[decisions.rows].argmax(axis=1)


def meetings(game: Game, blocks: int) -> list[Meeting]:
    """Return the meetings of three players, one of which fails."""
    crashing = Crashing()
    players = {name: make_player(game, name) for name in ("greedy", "random")}
    entries = [(entry_of(game, name, player), player) for name, player in players.items()]
    entries.append((entries[0][0]._replace(name="crashing", digest=None), crashing))
    pairs = [(0, 1), (2, 0), (2, 1)]
    return [Meeting(entries[a], entries[b], 0, number) for number in range(blocks) for a, b in pairs]


@pytest.mark.slow
def test_ladders_equal_those_of_one_process(pool: Executor) -> None:
    game = agent_avenue.make_game()
    files: list[list[str]] = []
    for executor in (SERIAL, pool):
        written: list[Line] = []
        lines = play_lines(game, meetings(game, 2), 60, written.append, executor)
        assert lines == written
        files.append([line.compared() for line in written])
    assert files[0] == files[1]
    forfeits = [len(json.loads(line)["forfeits"]) for line in files[0]]
    assert forfeits[0] == 0
    assert 0 < forfeits[1] < 512  # the failing player loses some games, and the others are played


class Ends(Executor):
    """An executor that yields given results in order, and then raises an error."""

    def __init__(self, lines: list[tuple[int, Line]]) -> None:
        self.lines = lines

    def run(self, *_: object) -> Iterator[tuple[int, Line]]:  # type: ignore[override]
        """See `Executor`."""
        yield from self.lines
        raise KeyboardInterrupt


def test_finished_lines_are_written_in_spite_of_errors() -> None:
    game = agent_avenue.make_game()
    lines = play_lines(game, meetings(game, 1)[:1], 60, lambda line: None)
    made = [replace(lines[0], number=number) for number in range(5)]
    written: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        play_lines(game, [], 60, lambda line: written.append(line.number), Ends([(k, made[k]) for k in (3, 1, 0, 4)]))
    assert written == [0, 1, 3, 4]
    written.clear()

    def full(line: Line) -> None:
        written.append(line.number)
        if line.number == 1:
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        play_lines(game, [], 60, full, Ends([(k, made[k]) for k in (3, 1, 0, 4)]))
    assert written == [0, 1]  # nothing follows an incomplete line


def weights(folder: Path) -> bytes:
    """Return the bytes of a run's agent."""
    (file,) = (folder / "checkpoint").glob("*.safetensors")
    return file.read_bytes()


@pytest.mark.slow
def test_seeds_equal_those_of_one_process(pool: Executor, tmp_path: Path) -> None:
    said: list[str] = []
    serial = train_seeds(TINY, tmp_path / "serial", 2, progress=False, say=said.append)
    together = train_seeds(TINY, tmp_path / "pool", 2, say=said.append, executor=pool)
    assert [line.split(" (")[0] for line in said] == ["run 1 of 2: seed_0", "run 2 of 2: seed_1"] * 2
    assert (serial.head, serial.rows) == (together.head, together.rows)
    for name in ("seed_0", "seed_1"):
        assert weights(tmp_path / "serial" / name) == weights(tmp_path / "pool" / name)
    assert {path.name for path in (tmp_path / "pool").iterdir()} == {
        path.name for path in (tmp_path / "serial").iterdir()
    }
    before = (tmp_path / "pool" / "seed_0" / "state.safetensors").stat().st_mtime_ns
    train_seeds(TINY, tmp_path / "pool", 2, say=said.append, executor=pool)
    assert (tmp_path / "pool" / "seed_0" / "state.safetensors").stat().st_mtime_ns == before


def test_a_run_on_a_machine_without_access_to_its_folder(tmp_path: Path) -> None:
    here = tmp_path / "here" / "run"
    here.parent.mkdir()
    (here.parent / "mark").touch()
    told: list[int] = []
    assert train_task(TINY, here, "mark", b"", {}, told.append) == b""
    assert sum(told) == 512
    away = tmp_path / "away" / "run"
    half = Run.create(TINY, away)
    half.train([lambda run, metrics: run.stop()], progress=False)
    assert half.progress["decisions"] == 256
    told.clear()
    files = train_task(TINY, away, "mark", packed(away), {}, told.append)
    assert told == [512]  # of both updates, and only the second one was made there
    assert not (away / "summary.json").exists()  # it was trained on the other machine
    (away / "of before").touch()
    unpack(files, away)
    assert weights(away) == weights(here)
    assert {path.name for path in away.iterdir()} == {path.name for path in here.iterdir()} - {".lock"}
    assert [path.name for path in away.parent.iterdir()] == ["run"]
    Policy.load(away)
    assert packed(tmp_path / "nothing") == b""


@pytest.mark.parametrize("renames", range(4))
def test_a_kill_while_a_run_is_unpacked_loses_no_run(
    tmp_path: Path, renames: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is killed before the first rename, the second one, and so on."""
    sent, run = tmp_path / "sent", tmp_path / "run"
    for folder, text in ((sent, "new"), (run, "old")):
        folder.mkdir()
        for name in ("state.safetensors", "run.json"):
            (folder / name).write_text(text)
    files, rename, made = packed(sent), Path.rename, []

    def killed(path: Path, target: Path) -> Path:
        if len(made) == renames:
            raise SystemExit
        made.append(path)
        return rename(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", killed)
        if renames < 3:
            with pytest.raises(SystemExit):
                unpack(files, run)
        else:
            unpack(files, run)
    recover(run)
    assert {path.read_text() for path in run.iterdir()} == {"old" if renames < 2 else "new"}
    assert not (tmp_path / ".run.old").exists()
    unpack(files, run)
    assert {path.read_text() for path in run.iterdir()} == {"new"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "sent"]
