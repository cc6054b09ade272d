"""Rollouts: many games played by one network in all seats, or against opponents, and recorded for learning.

Letters: T steps, n games, F features of a view, A actions, P seats, M floats of memory.
"""

import os
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
import torch

from spygames.core.basics.text import one_line
from spygames.core.game.game import Game
from spygames.core.game.padding import from_fields, to_fields
from spygames.core.players.names import Player, new_memory
from spygames.core.players.sampling import Asked, Drawn, sample_rows
from spygames.core.playing.batch import Batch
from spygames.core.playing.session import Session
from spygames_training.config import PPO, Config
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.networks.device import Compute, fetch
from spygames_training.ppo.seating import OpponentSeats
from spygames_training.ppo.shaping import Shaping, shape_rewards
from spygames_training.ppo.trajectories import Trajectories


class Rollout:
    """One worker's `n` games, played for `steps` decisions each between two updates and recorded in `trajectories`.

    Args:
        game: the game.
        n: number of games.
        steps: decisions per game and update.
        seed: of the games, the actions and the draws of opponents.
        share: fraction of the games that have opponents, 0 to 1 (`OpponentSeats`).
        players: all players that may play a seat, the network included. Their needs decide how much memory is allocated
            and whether notes are kept.
        shaping: added to the rewards of the network's decisions.
        temperature: of the network's play in games with an opponent that is not a network.
    """

    def __init__(
        self,
        game: Game,
        n: int,
        steps: int,
        seed: int,
        share: float = 0.0,
        players: Collection[Player] = (),
        shaping: Shaping | None = None,
        temperature: float = 1.0,
    ):
        self.game, self.n, self.steps, self.shaping = game, n, steps, shaping
        self.temperature = temperature
        self.trajectories = t = Trajectories(game, n, steps, new_memory(game, players).shape[2])
        self.batch = Batch(game, n, seed, threads=1, observation=t.observation[-1], mask=t.mask[-1])
        rng = np.random.default_rng([seed, 1]).integers(2**64, size=(n, 1), dtype=np.uint64)
        self.session = Session(self.batch, [*players], np.zeros((n, game.num_players), np.int64), rng)
        """The games and their players. `seating` has opponents by their number in the league, and 0 for the network."""
        self.memory = self.session.memory
        if share and not round(share * n):
            raise ValueError(
                f"opponents.share must be at least {0.51 / n:.2g}, not {share:g}: a worker has only {n} games"
            )
        self.opponents = OpponentSeats(game, self.session.seating[: round(share * n)], [seed, 2])
        self._views = np.zeros((n, game.num_players, game.num_features), np.float32)
        self._legal = np.zeros(game.num_actions, np.int64)

    def play(self, network: ActorCritic, ppo: PPO) -> None:
        """Play and record the next `steps` decisions of every game."""
        t, batch, session, compute = self.trajectories, self.batch, self.session, Compute.of(network, ppo.precision)
        session.players = self.opponents.players
        t.begin(self.memory)
        t.keep(compute, network.sees_all)
        if network.belief is not None:
            t.keep_answers(sum(count for _, count, _ in network.beliefs))
        for step in range(self.steps):
            t.seats[step] = batch.seats
            t.frozen[step] = self.opponents.frozen(batch.seats)
            t.with_bots[step, : self.opponents.games] = self.opponents.has_bots()
            if t.answers is not None:
                batch.answer(t.answers[step])
            logits, t.values[step] = self._ask(network, step, compute)
            asked = Asked(t.mask[step], session.rng, batch.all)
            drawn = Drawn(t.actions[step], t.log_probabilities[step])
            self._draw(logits, asked, drawn, step)
            if len(rows := np.flatnonzero(t.frozen[step])):
                session.ask(rows, t.actions[step])
            batch.write_to(t.observation[step + 1], t.mask[step + 1])
            session.step(t.actions[step])
            np.multiply(batch.rewards, ppo.reward_scale, out=t.rewards[step])
            t.done[step] = batch.done
            self.opponents.end_games(batch.done, batch.rewards)
        if self.shaping is not None:
            shape_rewards(t, self.game, self.shaping, ppo.reward_scale)
        t.estimate_advantages(ppo)

    def _draw(self, logits: np.ndarray, asked: Asked, drawn: Drawn, step: int) -> None:
        """Sample an action in each game. The games' temperatures are recorded; `logits` are overwritten."""
        if self.temperature == 1.0:
            sample_rows(logits, asked, 1.0, drawn, self._legal)
            return
        sharp = self.trajectories.with_bots[step]
        self.trajectories.temperatures[step] = np.where(sharp, np.float32(self.temperature), np.float32(1.0))
        for chosen, temperature in ((sharp, self.temperature), (~sharp, 1.0)):
            rows = np.flatnonzero(chosen)
            sample_rows(logits[rows], asked._replace(rows=rows), temperature, drawn, self._legal)

    def _ask(self, network: ActorCritic, step: int, compute: Compute) -> tuple[np.ndarray, np.ndarray]:
        """Return the network's logits [n, A] and values [n] in all games, including those where an opponent decides.

        Only the network's own decisions change its memory.
        """
        t = self.trajectories
        with torch.inference_mode(), compute.autocast():
            observation = t.show(step)
            views = self._observe_all(step) if network.sees_all else None
            with_bots = torch.from_numpy(t.with_bots[step]).to(compute.device)
            if not (size := network.memory_size):
                logits, values = fetch(network(observation, views, with_bots))
            else:
                who = self.batch.all, t.seats[step], slice(size)
                features, after = network.step(observation, torch.from_numpy(self.memory[who]).to(compute.device))
                logits, values, remembered = fetch([*network.heads(features, views, with_bots), after])
                own = ~t.frozen[step]
                self.memory[self.batch.all[own], t.seats[step, own], :size] = remembered[own]
            return logits, values

    def _observe_all(self, step: int) -> torch.Tensor:
        """Return the views of all seats, [n, P * F], on the network's device; they are kept for learning."""
        views = self.trajectories.views
        assert views is not None
        self.batch.observe_all(self._views)
        return views[step].copy_(torch.from_numpy(self._views).flatten(1))

    def state_dict(self) -> dict[str, Any]:
        """Return everything that the next update depends on.

        The tensors are `states`, `seeds`, `luck`, `controller`, `memory` and, if notes are kept, `notes.NAME`, in
        dtypes that safetensors files support. `rng` is the state of the generator that draws opponents.
        """
        notes = {} if self.session.notes is None else self.session.notes.arrays()
        return {
            "states": torch.from_numpy(to_fields(self.batch.states).ravel()),
            "seeds": torch.from_numpy(self.batch.seeds.view(np.int64)),
            "luck": torch.from_numpy(self.session.rng.view(np.int64)),
            "memory": torch.from_numpy(self.memory),
            **{f"notes.{name}": torch.from_numpy(array) for name, array in notes.items()},
            **self.opponents.state_dict(),
        }

    def load_state_dict(self, state: Mapping[str, Any], opponents: Iterable[int] = ()) -> None:
        """Restore the state that `state_dict` returned, with tensors of the same shapes and dtypes.

        Args:
            state: from `state_dict`.
            opponents: the numbers of the opponents that may play a seat.

        Raises:
            ValueError: a state is not a state of the game; or see `OpponentSeats.load_state_dict`.
        """
        self.opponents.load_state_dict(state, opponents)
        states, seeds = state["states"].numpy(), state["seeds"].numpy()
        try:
            states = from_fields(self.game.state_dtype, states.reshape(self.batch.n, -1))
            self.batch.resume(states, seeds.view(np.uint64))
        except ValueError as error:
            raise ValueError(one_line(error)) from error
        self.session.rng[...] = state["luck"].numpy().view(np.uint64)
        self.memory[...] = state["memory"].numpy()
        if (notes := self.session.notes) is not None:
            notes.load({name: state[f"notes.{name}"].numpy() for name in notes.arrays()})


def check_memory(game: Game, config: Config, processes: int = 1) -> None:
    """Raise ValueError if the games of an update alone, divided by `processes`, need more than this machine's
    memory."""
    ppo = config.ppo
    # Bytes per decision in `Trajectories`.
    decision = 4 * game.num_features + game.num_actions + 4 * game.num_players + 32
    if config.network.critic == "all":
        decision += 2 * game.num_features * game.num_players  # at least, in bfloat16
    if config.network.belief != "none" and game.questions is not None:
        decision += len(game.questions.sizes)
    need = ppo.games * (ppo.steps * decision + game.state_dtype.itemsize) // processes
    try:
        have = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not known on this system
        return
    if need > have:
        raise ValueError(
            f"ppo.games {ppo.games} x ppo.steps {ppo.steps} need {need / 2**30:,.0f} GiB of memory, and this machine "
            f"has {have / 2**30:,.0f} GiB: lower one of them"
        )
