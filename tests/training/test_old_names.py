"""The names of version 0.1.0 work for one more release, and warn."""

import warnings
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

import spygames_training
from spygames_training.config import PPO, Config, Network
from spygames_training.run import Run
from spygames_training.run_files import resume_config

SMALL = Config(
    game="tests.poker.kuhn",
    decisions=128,
    workers=1,
    network=Network((8,)),
    ppo=PPO(games=16, steps=8, minibatch=32),
    evaluate_against=(),
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("training:Diverged", "run:Diverged"),
        ("training:resume_config", "run_files:resume_config"),
        ("training:find_judges", "run_evaluation:evaluation_opponents"),
        ("state:StateError", "resume:StateError"),
        ("ppo:Learner", "learner:Learner"),
        ("ppo:Decisions", "minibatch:Minibatches"),
        ("opponents:Pool", "league:League"),
        ("files:write_whole", "atomic:write_whole"),
        ("series:Series", "experiments.series:Series"),
    ],
)
def test_an_old_name_is_the_new_one_and_warns(old: str, new: str) -> None:
    (before, name), (after, renamed) = old.split(":"), new.split(":")
    with pytest.warns(DeprecationWarning, match=rf"{name} is deprecated .* use spygames_training\.{after}\.{renamed}"):
        found = getattr(import_module(f"spygames_training.{before}"), name)
    assert found is getattr(import_module(f"spygames_training.{after}"), renamed)


def test_a_run_made_as_before_is_created_or_resumed(tmp_path: Path) -> None:
    old = import_module("spygames_training.training")
    with pytest.warns(DeprecationWarning, match=r"Run\.create or \.resume"):
        run = old.Run(SMALL, tmp_path)
    assert isinstance(run, Run)
    run.train()
    with pytest.warns(DeprecationWarning, match="deprecated"):
        again = old.Run(replace(SMALL, decisions=256), tmp_path, resume=True)
    assert again.progress["decisions"] == 128
    with pytest.warns(DeprecationWarning, match="deprecated"):
        old.train(replace(SMALL, decisions=256), tmp_path, resume=True)
    assert resume_config(tmp_path).decisions == 256


def test_public_names_are_found_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in spygames_training.__all__:
            found = getattr(spygames_training, name)
            assert found.__name__ == name
    with pytest.raises(AttributeError, match="nothing"):
        _ = spygames_training.nothing
