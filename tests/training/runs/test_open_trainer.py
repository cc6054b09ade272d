"""Training from Python: in one call, with callbacks, and without output."""

import json
import logging
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from spygames import make_game
from spygames.core.envs.single_seat import SingleEnv
from spygames.core.records.record import play_record
from spygames_training import Policy, Run, cross_play, evaluate, train, train_seeds
from spygames_training.evaluation.sequential import SequentialTest, compare
from tests.training.runs.test_run import SMALL, weights


class Pruned(Exception):
    """What a callback raises to prune, like Optuna's TrialPruned."""


def test_training_in_one_call_returns_the_policy_of_the_checkpoint(tmp_path: Path) -> None:
    policy = train(SMALL, tmp_path / "run", progress=False)
    whole = weights(Run.create(SMALL, tmp_path / "other").train(progress=False))
    assert isinstance(policy, Policy)
    assert policy.name == "run@sample"
    assert policy.training_opponents == ("random",)
    found = weights(policy.network)
    assert found.keys() == whole.keys()
    assert all(torch.equal(found[name], whole[name]) for name in whole)
    with pytest.raises(ValueError, match="holds a run already"):
        train(SMALL, tmp_path / "run")
    longer = replace(SMALL, decisions=2 * SMALL.decisions)
    assert train(longer, tmp_path / "run", resume=True, progress=False).network is not policy.network
    assert Run.resume(tmp_path / "run").progress["decisions"] == longer.decisions


def test_the_name_of_a_folder_is_not_read_as_that_of_a_player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spygames_training.runs.report.plot_curves", lambda rows, path, play="": path)
    monkeypatch.chdir(tmp_path)
    policy = train(replace(SMALL, decisions=256, evaluate_against=()), "agent_avenue/simple-2", progress=False)
    assert policy.name == "simple-2@sample"
    assert policy.network.hidden == SMALL.network.hidden


def test_a_run_makes_whole_updates_and_says_when_nothing_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = replace(SMALL, decisions=300)  # 256 decisions an update
    assert config.whole_updates == 512
    train(config, tmp_path)
    assert "512 of 512" in (first := capsys.readouterr().out)
    assert "wins against random" in first
    assert "(sampled)" in first
    before = (tmp_path / "metrics.jsonl").read_bytes()
    train(replace(config, decisions=400), tmp_path, resume=True)
    assert capsys.readouterr().out.startswith("nothing is left to do: the run has made its 512 decisions")
    assert (tmp_path / "metrics.jsonl").read_bytes() == before
    assert json.loads((tmp_path / "summary.json").read_text())["decisions"] == 512


def test_a_callback_gets_each_updates_metrics(tmp_path: Path) -> None:
    heard: list[dict[str, float]] = []

    def hear(run: Run, metrics: dict[str, float]) -> None:
        assert run.progress["decisions"] == metrics["decisions"]
        heard.append(dict(metrics))
        metrics.clear()  # a copy

    train(SMALL, tmp_path, callbacks=[hear], progress=False)
    assert heard == [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert "win_share/random" in heard[0]


def test_a_run_stopped_by_a_callback_resumes_with_the_same_result(tmp_path: Path) -> None:
    def stop(run: Run, metrics: dict[str, float]) -> None:
        if metrics["decisions"] == 512:
            run.stop()

    policy = train(SMALL, tmp_path / "parts", callbacks=[stop], progress=False)
    assert not (tmp_path / "parts" / "summary.json").exists()
    assert (tmp_path / "parts" / "curves.png").stat().st_size > 0
    stopped = Run.resume(tmp_path / "parts")
    assert stopped.progress["decisions"] == 512
    now = weights(stopped.policy.network)
    assert all(torch.equal(now[name], value) for name, value in weights(policy.network).items())
    whole, parts = weights(Run.create(SMALL, tmp_path / "whole").train(progress=False)), weights(stopped.train())
    assert all(torch.equal(whole[name], parts[name]) for name in whole)
    assert (tmp_path / "parts" / "summary.json").exists()


def test_an_exception_in_a_callback_ends_the_training_after_saving(tmp_path: Path) -> None:
    called: list[str] = []

    def prune(run: Run, metrics: dict[str, float]) -> None:
        raise Pruned("too bad")

    with pytest.raises(Pruned, match="too bad"):
        train(SMALL, tmp_path, callbacks=[prune, lambda *_: called.append("too late")], progress=False)
    assert not called
    assert Run.resume(tmp_path).progress["decisions"] == 256
    assert len((tmp_path / "metrics.jsonl").read_text().splitlines()) == 1


def test_an_interrupt_during_a_callback_saves(tmp_path: Path) -> None:
    def interrupt(run: Run, metrics: dict[str, float]) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train(SMALL, tmp_path, callbacks=[interrupt], progress=False)
    assert Run.resume(tmp_path).progress["decisions"] == 256


def test_an_invalid_callback_is_refused_before_training(tmp_path: Path) -> None:
    run = Run.create(SMALL, tmp_path)
    with pytest.raises(TypeError, match=r"callback must be .*not 'loud'"):
        run.train(["loud"])  # type: ignore[list-item]
    assert run.progress["decisions"] == 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"config": "demo"}, "config must be a Config, not 'demo'"),
        ({"callbacks": print}, "callbacks must be a list"),
        ({"callbacks": ["loud"]}, "callback must be .*not 'loud'"),
        ({"shaping": 0.1}, r"shaping must be a function.*, not 0\.1"),
    ],
)
def test_arguments_of_a_wrong_type_are_refused_before_a_folder_is_made(
    tmp_path: Path, wrong: dict[str, Any], message: str
) -> None:
    for call in (train, train_seeds):
        with pytest.raises(TypeError, match=message):
            call(**{"config": replace(SMALL, evaluate_against=("random",)), "folder": tmp_path / "run"} | wrong)
    assert not (tmp_path / "run").exists()


def test_the_trained_policy_is_a_player(tmp_path: Path) -> None:
    policy = train(SMALL, tmp_path / "small", progress=False)
    by_policy, by_name = (
        evaluate(policy.game, player, "random", games=20, seed=3)[0] for player in (policy, str(tmp_path / "small"))
    )
    assert by_policy == by_name
    assert by_policy.challenger == "small@sample"
    assert len(cross_play(policy.game, [policy, "random"], games=2, seed=3)) == 2
    env = SingleEnv(policy.game, opponents=policy)
    assert str(env.opponents[0]) == f"PolicyPlayer({policy.game.id}, small@sample)"
    assert play_record(policy.game, [policy, "random"], seed=3).players == ("small@sample", "random")
    found = compare(policy.game, policy, "random", SequentialTest(0.5, 0.52), max_games=512, seed=3)
    assert found.games == 512
    other = make_game("agent_avenue_v0", mode="advanced")
    with pytest.raises(ValueError, match=r"^small@sample plays agent_avenue_v0, mode=simple.*, not .*mode=advanced"):
        evaluate(other, policy, "random", games=2, seed=3)
    with pytest.raises(TypeError, match=r"game must be a Game, .*, not 'agent_avenue_v0'"):
        evaluate("agent_avenue_v0", policy, "random", games=2, seed=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"PythonPlayer\(game, function, name\)"):
        evaluate(policy.game, print, "random", games=2, seed=3)  # type: ignore[arg-type]


def test_a_run_without_progress_prints_nothing_and_writes_a_log(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="spygames_training"):
        train(SMALL, tmp_path, progress=False)
    out, err = capfd.readouterr()
    assert out == ""
    assert not [line for line in err.splitlines() if not line.startswith("spygames: compiling")]
    lines = [record.getMessage() for record in caplog.records if record.name == "spygames_training"]
    shares = [
        json.loads(line).get("win_share/random") for line in (tmp_path / "metrics.jsonl").read_text().splitlines()
    ]
    wins = [f"wins against random {share:.1%} (sampled)" for share in shares if share is not None]
    assert len(wins) == 3
    assert [line[-len(win) :] for line, win in zip(lines, wins, strict=False)] == wins
    assert lines[-1].startswith("1,536 decisions in ")
    train(replace(SMALL, decisions=2 * SMALL.decisions), tmp_path, resume=True)
    assert wins[0].partition(" random")[0] in capfd.readouterr().out


def test_a_custom_loop_gives_the_same_result_as_train(tmp_path: Path) -> None:
    whole = weights(train(SMALL, tmp_path / "whole", progress=False).network)
    run = Run.create(SMALL, tmp_path / "own")
    while not run.finished:
        run.update()
    assert set(run.evaluate()) == {"win_share/random"}
    run.save()
    run.close()
    own = weights(Policy.load(tmp_path / "own").network)
    assert all(torch.equal(whole[name], own[name]) for name in whole)
