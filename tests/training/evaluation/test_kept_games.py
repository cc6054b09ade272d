"""Matches that are stopped and resume: they play only the games that are left, with the same result."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spygames import make_game
from spygames_training.agents.policy import Policy, PolicyPlayer
from spygames_training.evaluation.evaluation import evaluate
from spygames_training.evaluation.kept_games import KeptGames, _name
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.parallel.executor import Serial
from tests.poker import leduc

GAME = leduc.make_game()


class Stops(Serial):
    """An executor that is stopped after some tasks."""

    def __init__(self, after: int) -> None:
        self.after, self.tasks = after, 0

    def run(self, *args: Any, **kwargs: Any) -> Any:
        for each in super().run(*args, **kwargs):
            if self.tasks == self.after:
                raise KeyboardInterrupt
            self.tasks += 1
            yield each


def test_a_stopped_match_plays_only_the_games_that_are_left(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    usual = evaluate(GAME, "mc:4", "random", 200, 3)
    with pytest.raises(KeyboardInterrupt):
        evaluate(GAME, "mc:4", "random", 200, 3, executor=KeptGames(folder, Stops(2)))
    assert len([*folder.iterdir()]) == 2
    done: list[int] = []
    inner = Stops(99)
    kept = KeptGames(folder, inner)
    assert evaluate(GAME, "mc:4", "random", 200, 3, done.append, kept) == usual
    assert inner.tasks == 2  # 200 games, 64 at a time
    assert sum(done) == 200
    assert len([*folder.iterdir()]) == 4
    for player, seed in (("mc:5", 3), ("mc:4", 4)):  # other games are played
        inner = Stops(99)
        evaluate(GAME, player, "random", 200, seed, executor=KeptGames(folder, inner))
        assert inner.tasks == 4
    for file in folder.iterdir():
        file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(ValueError, match=r"\.npz is damaged: remove it, and its games are played again"):
        evaluate(GAME, "mc:4", "random", 200, 3, executor=kept)
    kept.forget()
    assert not folder.exists()


def test_other_games_have_other_names() -> None:
    """Each argument counts: players that play differently with the same weights, too."""
    game, network = make_game("agent_avenue_v0"), ActorCritic(4, 2, (3,))
    one, two = (PolicyPlayer(Policy(game, network, how)) for how in ("sample", "argmax"))
    zeros, seeds = np.zeros((2, 2), np.int64), np.arange(2, dtype=np.uint64)
    usual: dict[str, Any] = {
        "game": game, "players": (one, one), "seating": zeros, "seeds": seeds, "rng": seeds[:, None], "limit": None,
    }  # fmt: skip
    changes: list[dict[str, Any]] = [
        {},
        {"game": make_game("agent_avenue_v0", first_player=1)},
        {"players": (one, two)},
        {"players": (PolicyPlayer(Policy(game, ActorCritic(4, 2, (3,)))), one)},
        {"seating": zeros + 1},
        {"seeds": seeds + 1},
        {"rng": seeds[:, None] + 1},
        {"limit": 10},
    ]
    names = [_name(*(usual | change).values()) for change in changes]
    assert names[0] == _name(*usual.values())
    assert len({*names}) == len(changes)


def test_players_of_unknown_code_are_refused(tmp_path: Path) -> None:
    class Unknown:
        name = "unknown"

        def act(self, decisions: Any) -> np.ndarray:
            return decisions.mask[decisions.rows].argmax(axis=1)

    with pytest.raises(ValueError, match="the games of unknown cannot be kept: its code is not known"):
        evaluate(GAME, Unknown(), "random", 4, 1, executor=KeptGames(tmp_path / "games"))


def test_a_result_that_a_kill_left_half_written_is_removed_too(tmp_path: Path) -> None:
    kept = KeptGames(tmp_path / "games")
    kept.forget()  # no results yet
    kept.folder.mkdir()
    for name in ("1.npz", ".2.npz.new"):
        (kept.folder / name).touch()
    kept.forget()
    assert not kept.folder.exists()
    kept.folder.mkdir()
    (other := kept.folder / "mine.txt").touch()
    kept.forget()
    assert other.exists()
