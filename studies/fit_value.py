"""Fit an agent's value to games against itself: `python -m studies.fit_value AGENT --out FOLDER`.

Letters: n decisions, W units of the last hidden layer.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from tyro.conf import Positional

from spygames.core.basics.whole_numbers import whole
from spygames.core.game.rng import as_seed, next_seed
from spygames.core.players.names import DecisionBatch
from spygames.core.playing.batch import spread
from spygames_app.cli.arguments import (
    AnyFolder,
    AnyPlayer,
    Positive,
    Seed,
    WrongArguments,
    chosen_folder,
    console,
    run_command,
    say,
)
from spygames_training.agents.checkpoint import load_checkpoint, save_checkpoint
from spygames_training.agents.policy import Policy, PolicyPlayer
from spygames_training.evaluation.play_games import LOCKSTEP, play_games
from spygames_training.files.atomic import check_new
from spygames_training.output.tables import progress_bar
from spygames_training.parallel.executor import Progress

GAMES = 50_000
SEED = 31_526_017
SHRINK = 1e-3
"""Strength of the pull towards the old weights, as a share of the mean square of a feature."""


@dataclass(frozen=True)
class Study:
    """Fit the last layer of an agent's value to the results of games that the agent plays against itself, sampled.

    An agent that was trained in games against bots expects too much of games against itself. The policy does not
    change: only the weights of the value's last layer do, by least squares with a pull towards the old ones.
    """

    agent: Positional[AnyPlayer] = None
    """The folder of a checkpoint, or the name of an agent."""
    out: AnyFolder = None
    """Folder of the new checkpoint: one that does not exist, or an empty one."""
    games: Positive = GAMES
    """Number of games."""
    seed: Seed = SEED
    """Seed of the deals."""

    def run(self) -> int:
        if self.agent is None or self.out is None:
            raise WrongArguments(
                "name an agent and a folder, as in python -m studies.fit_value runs/first --out runs/new"
            )
        check_new(self.out)
        torch.set_num_threads(1)
        found = load_checkpoint(chosen_folder(self.agent))
        policy = Policy(found.game, found.network, "sample", str(self.agent), found.value_unit)
        before = policy.digest
        with progress_bar(console=console(stderr=True), transient=True) as bar:
            task = bar.add_task("playing", total=self.games)
            fit_value(policy, self.games, self.seed, lambda games: bar.advance(task, games))
        how = {"games": self.games, "seed": self.seed, "play": "sample", "digest_before": before}
        meta = found.meta
        save_checkpoint(
            self.out, found.game, found.network, meta["step"], meta["results"], {**meta["extra"], "value_fitted": how}
        )
        say(f"agent: {self.out}")
        return 0


@np.errstate(under="ignore")
def fit_value(policy: Policy, games: int, seed: int, progress: Progress | None = None) -> None:
    """Fit the last layer of a policy's value to games of the policy against itself, in place.

    The new weights w, with the bias as the last of W + 1, minimize the mean over the n decisions of (x w - y)^2 plus
    `SHRINK` times the mean square of x times |w - old w|^2 (ridge regression). x has the features of a decision and a
    1, y is the return of its seat.

    Args:
        policy: the policy; it samples.
        games: number of games, at least 1.
        seed: seed of the deals, 0..2^64-1.
        progress: called with the number of games as they end.

    Raises:
        ValueError: the policy has no value or has a memory, or `games` is invalid.
    """
    if not policy.network.has_value or policy.network.memory_size:
        raise ValueError(f"{policy.name} must have a value and no memory")
    games, seed, game = whole("games", games, 1), int(as_seed(seed)), policy.game
    head = policy.network.own_head
    size = head.in_features + 1
    squares, products = np.zeros((size, size)), np.zeros(size)
    for lo in range(0, games, LOCKSTEP):  # so that rows are games
        part = spread(np.uint64(seed), games)[lo : lo + LOCKSTEP]
        player = _Noting(policy)
        seating = np.zeros((len(part), game.num_players), np.int64)
        returns = play_games(game, [player], seating, part, int(next_seed(part[0])), progress)
        for rows, seats, features in player.noted:
            inputs = np.column_stack([features, np.ones(len(features), np.float32)]).astype(np.float64)
            squares += inputs.T @ inputs
            products += inputs.T @ (returns[rows, seats] * policy.value_unit)
    old = np.concatenate([head.weight.detach().numpy()[0], head.bias.detach().numpy()]).astype(np.float64)
    pull = SHRINK * np.trace(squares) / size
    new = np.linalg.solve(squares + pull * np.eye(size), products + pull * old)
    with torch.no_grad():
        head.weight.copy_(torch.from_numpy(new[None, :-1]))
        head.bias.copy_(torch.from_numpy(new[-1:]))


class _Noting(PolicyPlayer):
    """A policy player that records the input of its value's last layer at every decision."""

    def __init__(self, policy: Policy) -> None:
        super().__init__(policy)
        self.noted: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]] = []
        """Rows, seats and features [rows, W] of each call of `act`."""

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        caught: list[Tensor] = []
        head = self.policy.network.policy
        hook = head.register_forward_pre_hook(lambda _, inputs: caught.append(inputs[0]))
        try:
            actions = super().act(decisions)
        finally:
            hook.remove()
        d, features = decisions, torch.cat(caught)
        self.noted.append(
            (d.rows.copy(), d.states["to_move"][d.rows].astype(np.int64), features.float().numpy().copy())
        )
        return actions


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return the exit code."""
    return run_command(Study, argv, "python -m studies.fit_value")


if __name__ == "__main__":
    sys.exit(main())
