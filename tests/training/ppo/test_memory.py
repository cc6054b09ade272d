"""A network with memory: what it remembers, about whom, and that it learns what a network without memory cannot."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from spygames.core.envs.single_seat import SingleEnv
from spygames.core.game.game import Game, as_record, flat
from spygames.core.players.names import Scripted, make_player, new_memory
from spygames.core.playing.batch import Batch, spread
from spygames.core.records.record import play_record
from spygames_training.agents.checkpoint import load_checkpoint, save_checkpoint
from spygames_training.agents.policy import Policy, PolicyPlayer, from_network
from spygames_training.config import PPO, Config, Network, Opponents
from spygames_training.evaluation.play_games import play_games
from spygames_training.networks.actor_critic import ActorCritic, make_network
from spygames_training.networks.trunks import Memory
from spygames_training.ppo.league import League
from spygames_training.ppo.learner import Learner
from spygames_training.ppo.rollout import Rollout
from spygames_training.runs.run import Run
from tests.support import recall

GAME = recall.make_game()
RECURRENT = Network((16,), kind="recurrent", memory=8)
EXACT = PPO(games=64, steps=12, minibatch=128, precision="float32")


def small_network(game: Game = GAME, config: Network = RECURRENT) -> ActorCritic:
    torch.manual_seed(3)
    return make_network(game, config)


def new_rollout(network: ActorCritic, n: int, steps: int) -> Rollout:
    return Rollout(GAME, n, steps, seed=0, players=[from_network(GAME, network)])


def test_unrolling_equals_single_steps() -> None:
    torch.manual_seed(0)
    memory = Memory(5, 3)
    lengths = np.array([2, 0, 4, 1, 4])
    features, first = torch.randn(lengths.sum(), 5), torch.randn(len(lengths), 3)
    expected = []
    for begin, length, now in zip(np.cumsum(lengths) - lengths, lengths, first, strict=True):
        for k in range(begin, begin + length):
            now = memory(features[k : k + 1], now[None])[0]
            expected.append(now)
    torch.testing.assert_close(memory.unroll(features, lengths, first), torch.stack(expected))


def test_zero_sequences_unroll_to_nothing() -> None:
    memory = Memory(3, 4)
    after = memory.unroll(torch.zeros(0, 3), np.zeros(0, np.int64), torch.zeros(0, 4))
    assert after.shape == (0, 4)


def test_learning_reproduces_the_outputs_of_playing() -> None:
    """Unrolled over the sequences of two windows, the network gives the same log-probabilities and values."""
    network = small_network()
    with torch.no_grad():
        network.policy.weight *= 100  # far from uniform
    learner, rollout = Learner(network, EXACT, 1, seed=0), new_rollout(network, 64, 12)
    for _ in range(2):  # in the second one many games are in progress
        rollout.play(network, EXACT)
        data = learner._prepare(rollout)
        assert data.sequences is not None
        assert data.sequences.lengths.sum() == len(data.taken.actions) == rollout.trajectories.valid.sum()
        assert data.sequences.lengths.max() == recall.ROUNDS
        with torch.no_grad():
            features = network.unroll(data.observation[data.places], data.sequences.lengths, data.sequences.memory)
            logits, values = network.heads(features)
        log_probabilities = torch.log_softmax(logits, 1)[
            torch.arange(len(logits)), torch.from_numpy(data.taken.actions)
        ]
        np.testing.assert_allclose(log_probabilities, data.taken.log_probabilities, atol=1e-5)
        np.testing.assert_allclose(values, data.taken.targets - data.taken.advantages, atol=1e-5)
        assert log_probabilities.exp().std() > 0.05
    assert (rollout.trajectories.memory_before != 0).any()


def logits_of_a_game(coins: tuple[int, int], seat: int) -> bytes:
    """Return the logits of a seat's decisions in a game with these coins, in which everybody names heads."""
    network, states, asked = small_network(), GAME.start(0), []
    s, views, mask = as_record(states), GAME.new_views(), np.ones((1, 2), np.int8)
    s.coins[:] = coins
    policy, memory = Policy(GAME, network), np.zeros((2, network.memory_size), np.float32)
    while s.to_move >= 0:
        GAME.observe(s, s.to_move, as_record(views))
        probabilities = policy.probabilities(flat(views), mask, memory[s.to_move][None])
        policy.act(flat(views), mask, memory=memory[s.to_move][None])
        if s.to_move == seat:
            asked.append(probabilities)
        GAME.apply(s, 0)
    return np.array(asked[1:]).tobytes()  # when the coin is no longer visible


@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_remembers_only_what_it_has_seen(seat: int) -> None:
    def coins(own: int, other: int) -> tuple[int, int]:
        return (own, other) if seat == 0 else (other, own)

    assert logits_of_a_game(coins(0, 0), seat) == logits_of_a_game(coins(0, 1), seat)
    assert logits_of_a_game(coins(0, 0), seat) != logits_of_a_game(coins(1, 0), seat)


def test_a_game_begins_with_empty_memories_and_each_seat_has_its_own() -> None:
    network = small_network()
    rollout = new_rollout(network, 16, 8)
    rollout.play(network, EXACT)
    assert rollout.trajectories.done[-1].all()
    assert not rollout.memory.any()
    rollout = new_rollout(network, 16, 3)
    rollout.play(network, EXACT)
    assert rollout.memory.any(axis=2).all()
    assert (rollout.memory[:, 0] != rollout.memory[:, 1]).any(axis=1).all()


def test_probabilities_and_values_leave_the_memory_as_it_is() -> None:
    batch, policy, memory = Batch(GAME, 2, 0, threads=1), Policy(GAME, small_network()), np.ones((2, 8), np.float32)
    policy.probabilities(batch.observation, batch.mask, memory)
    policy.value(batch.observation, memory)
    np.testing.assert_array_equal(memory, 1)
    policy.act(batch.observation, batch.mask, memory=memory)
    assert (memory != 1).any(axis=1).all()


def test_opponents_decide_without_the_networks_memory() -> None:
    network, league = small_network(), League(GAME, Opponents(share=1.0, bots=("random",)))
    players = [from_network(GAME, network), *league.players.values()]
    rollout = Rollout(GAME, 16, 3, seed=0, share=1.0, players=players)
    rollout.opponents.join(league)
    rollout.play(network, EXACT)
    others = rollout.opponents.controller > 0
    assert not rollout.memory[others].any()
    assert rollout.memory[~others].any(axis=1).all()


def learned(folder: Path, network: Network) -> ActorCritic:
    ppo = replace(EXACT, games=256, steps=16, minibatch=512, learning_rate=5e-3, entropy=0.02, kl=0.0, ema=0.99)
    return Run.create(
        Config(decisions=100_000, network=network, ppo=ppo, evaluate_against=(), workers=1, save_every=1e9),
        folder,
        game=GAME,
    ).train()


def mean_return(network: ActorCritic) -> float:
    seeds = spread(np.uint64(5), 500)
    return float(play_games(GAME, [from_network(GAME, network)], np.zeros((500, 2), int), seeds, 1).mean())


def test_it_learns_what_a_network_without_memory_cannot(tmp_path: Path) -> None:
    network = learned(tmp_path / "recurrent", Network((32,), kind="recurrent", memory=16))
    assert mean_return(network) > 0.95
    assert abs(mean_return(learned(tmp_path / "mlp", Network((32,))))) < 0.1
    # Saved and loaded, it remembers as well: in single games, from a record, and as an environment's opponent.
    save_checkpoint(tmp_path / "agent", GAME, network, 1)
    found = load_checkpoint(tmp_path / "agent", GAME)
    assert found.meta["network"] == {"kind": "recurrent", "hidden": [32], "memory": 16}
    player = make_player(GAME, f"{tmp_path / 'agent'}@argmax")
    assert isinstance(player, PolicyPlayer)
    for seed in range(10):
        states = GAME.start(seed)
        actions = play_record(GAME, [player, player], seed).actions
        assert list(actions[-2:]) == [str(coin) for coin in states["coins"][0]]
    env = SingleEnv(GAME, player, seat=0)
    for seed in range(10):
        env.reset(seed=seed)
        for _ in range(recall.ROUNDS):
            env.step(0)
        assert env.env.rewards["player_1"] == 1


def test_memory_has_the_size_of_the_largest_players() -> None:
    players = [Scripted(GAME, "random"), from_network(GAME, small_network())]
    assert new_memory(GAME, players, 3).shape == (3, 2, 8)
    assert new_memory(GAME, players[:1]).shape == (1, 2, 0)


def test_a_player_with_memory_requires_an_array_for_it() -> None:
    batch = Batch(GAME, 2, 0, threads=1)
    streams = np.zeros((2, 1), np.uint64)
    d = batch.decisions(streams, np.arange(2))
    player = from_network(GAME, small_network())
    with pytest.raises(ValueError, match="new_memory"):
        player.act(d)
    policy = player.policy
    with pytest.raises(ValueError, match="pass memory"):
        policy.act(batch.observation, batch.mask)
    zeros = np.zeros((2, 8), np.float32)
    for wrong, what in ((zeros.astype(np.float64), "float64"), (zeros.tolist(), "list")):
        for ask in (policy.act, policy.probabilities):
            with pytest.raises(TypeError, match=f"memory must be a float32 array, not {what}"):
                ask(batch.observation, batch.mask, memory=wrong)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="memory must be finite"):
        policy.value(batch.observation, np.full_like(zeros, np.nan))
    player.act(replace(d, memory=new_memory(GAME, [player], 2)))
    policy.act(batch.observation[0], batch.mask[0], memory=np.zeros(8, np.float32))
