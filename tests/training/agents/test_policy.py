"""Policies sample legal actions from the distribution that they report, and play like any other bot."""

import contextlib
import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy.stats import chisquare

from spygames.agent_avenue import make_game
from spygames.core.game.game import as_record
from spygames.core.players.names import DecisionBatch, make_player
from spygames.core.playing.batch import Batch, spread
from spygames_training.agents.checkpoint import CheckpointError, save_checkpoint
from spygames_training.agents.policy import Policy, PolicyPlayer, from_network, load_player, logits
from spygames_training.networks.actor_critic import ActorCritic
from tests.poker import kuhn
from tests.support.exact import exact_network

GAME = make_game()


def network(spread_out: float = 100.0) -> ActorCritic:
    """A network whose policy is far from uniform."""
    torch.manual_seed(0)
    found = ActorCritic(GAME.num_features, GAME.num_actions, (32,))
    with torch.no_grad():
        found.policy.weight *= spread_out
    return found


def positions(n: int = 64, steps: int = 5) -> Batch:
    batch = Batch(GAME, n, 3, threads=1)
    player = make_player(GAME, "random")
    streams = spread(np.uint64(1), n).reshape(n, 1)
    for _ in range(steps):
        batch.step(player.act(batch.decisions(streams, np.arange(n))))
    return batch


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_checkpoint(tmp_path / "agent", GAME, network(), 1)
    return tmp_path / "agent"


@pytest.mark.parametrize(("how", "power"), [("", 1.0), ("sample", 1.0), ("0.5", 2.0), ("2", 0.5)])
def test_probabilities_are_the_networks_softmax_at_each_temperature(how: str, power: float) -> None:
    batch = positions()
    with torch.no_grad():
        raw = network()(torch.from_numpy(batch.observation))[0].double()
    expected = torch.softmax(raw.masked_fill(torch.from_numpy(batch.mask) == 0, -torch.inf), dim=1) ** power
    expected /= expected.sum(dim=1, keepdim=True)
    policy = Policy(GAME, network(), how)
    np.testing.assert_allclose(policy.probabilities(batch.observation, batch.mask), expected.numpy(), atol=1e-5)
    one = policy.probabilities(batch.observation[7], batch.mask[7])
    assert one.shape == (GAME.num_actions,)
    np.testing.assert_allclose(one, expected.numpy()[7], atol=1e-5)


def test_argmax_is_the_first_of_the_likeliest_legal_actions() -> None:
    batch = positions()
    policy = Policy(GAME, network(), "argmax")
    values = np.where(batch.mask, logits(network(), batch.observation), -np.inf)
    assert not (
        values.argmax(1) == logits(network(), batch.observation).argmax(1)
    ).all()  # the mask matters in some positions
    np.testing.assert_array_equal(policy.act(batch.observation, batch.mask), values.argmax(1))
    np.testing.assert_array_equal(policy.probabilities(batch.observation, batch.mask).argmax(1), values.argmax(1))
    assert set(np.unique(policy.probabilities(batch.observation, batch.mask))) == {0.0, 1.0}
    even = Policy(GAME, network(0.0), "argmax")
    np.testing.assert_array_equal(even.act(batch.observation, batch.mask), batch.mask.argmax(1))


@pytest.mark.parametrize("how", ["sample", "0.5"])
@pytest.mark.parametrize("seated", [False, True])
def test_draws_have_the_reported_distribution(how: str, seated: bool) -> None:
    """20,000 draws in each of several positions, by `Policy.act` and by `PolicyPlayer.act`."""
    n = 20_000
    start = positions(8)
    policy = Policy(GAME, network(), how)
    for row in range(8):
        expected = policy.probabilities(start.observation[row], start.mask[row])
        observation = np.repeat(start.observation[row : row + 1], n, axis=0)
        mask = np.repeat(start.mask[row : row + 1], n, axis=0)
        if seated:
            states, views = np.repeat(start.states[row : row + 1], n), np.repeat(start.views[row : row + 1], n)
            streams = spread(np.uint64(row), n).reshape(n, 1)
            d = DecisionBatch(GAME, states, views, observation, mask, streams, np.arange(n))
            actions = PolicyPlayer(policy).act(d)
        else:
            actions = np.asarray(policy.act(observation, mask, np.random.default_rng(row)))
        counts = np.bincount(actions, minlength=GAME.num_actions)
        assert counts[start.mask[row] == 0].sum() == 0
        often = expected * n >= 5
        if often.sum() > 1:
            seen = np.append(counts[often], counts[~often].sum())
            wanted = np.append(expected[often], expected[~often].sum()) * n
            keep = wanted > 0.5
            wanted = wanted[keep] * seen[keep].sum() / wanted[keep].sum()
            assert chisquare(seen[keep], wanted).pvalue > 1e-4


def test_a_batch_gives_the_same_actions_as_single_calls() -> None:
    batch = positions(16)
    policy = Policy(GAME, network())
    many = policy.act(batch.observation, batch.mask, np.random.default_rng(2))
    assert isinstance(many, np.ndarray)
    assert (many.shape, many.dtype) == ((16,), np.int64)
    assert batch.mask[np.arange(16), many].all()
    rng = np.random.default_rng(2)
    one_by_one = [policy.act(batch.observation[i], batch.mask[i], rng) for i in range(16)]
    assert all(type(action) is int for action in one_by_one)
    assert one_by_one == many.tolist()
    assert (
        len({int(policy.act(batch.observation[0], batch.mask[0])) for _ in range(200)}) > 1
    )  # a random stream of its own


def test_a_player_uses_only_the_streams_of_its_rows() -> None:
    batch = positions(64)
    # Networks with random weights round differently among other rows, which changes about one draw in a million.
    player = from_network(GAME, exact_network(GAME, "space"), name="self")
    assert player.name == "self@sample"
    streams = spread(np.uint64(9), 64).reshape(64, 1)
    all_at_once, before = streams.copy(), streams.copy()
    together = player.act(batch.decisions(all_at_once, np.arange(64)))
    apart = np.full(64, -1)
    for rows in (np.arange(1, 64, 2), np.arange(62, -1, -2), np.arange(0)):
        apart[rows] = player.act(batch.decisions(streams, rows))
        if rows.size and rows[0] == 1:
            assert (streams[::2] == before[::2]).all()
            assert (streams[1::2] != before[1::2]).all()
    np.testing.assert_array_equal(together, apart)
    np.testing.assert_array_equal(all_at_once, streams)
    again = [player.act(batch.decisions(streams, np.arange(64))) for _ in range(20)]
    assert len({tuple(actions) for actions in again}) == 20  # the streams advance


def test_changes_of_the_network_reach_its_players() -> None:
    batch = positions()
    live = network(0.0)
    player = from_network(GAME, live, "argmax")
    streams = np.zeros((64, 1), np.uint64)
    before = player.act(batch.decisions(streams, np.arange(64)))
    live.load_state_dict(network().state_dict())
    after = player.act(batch.decisions(streams, np.arange(64)))
    assert (before != after).any()
    np.testing.assert_array_equal(after, Policy(GAME, network(), "argmax").act(batch.observation, batch.mask))


def test_checkpoints_are_players_by_their_path(folder: Path, tmp_path: Path) -> None:
    batch = positions()
    for spec, how in ((str(folder), ""), (f"{folder}@argmax", "argmax"), (f"{folder}@0.5", "0.5")):
        player = make_player(GAME, spec)
        assert player.name == f"agent@{how or 'sample'}"
        mine, theirs = (spread(np.uint64(4), 64).reshape(64, 1) for _ in range(2))
        np.testing.assert_array_equal(
            player.act(batch.decisions(mine, np.arange(64))),
            from_network(GAME, network(), how).act(batch.decisions(theirs, np.arange(64))),
        )
    save_checkpoint(tmp_path / "demo" / "checkpoint", GAME, network(), 1)
    assert load_player(GAME, tmp_path / "demo", "argmax").name == "demo@argmax"
    assert Policy.load(tmp_path / "demo" / "checkpoint").name == "demo@sample"
    loaded = Policy.load(folder, "argmax").act(batch.observation, batch.mask)
    np.testing.assert_array_equal(loaded, Policy(GAME, network(), "argmax").act(batch.observation, batch.mask))


def test_wrong_games_and_ways_to_play_are_refused(folder: Path) -> None:
    with pytest.raises(CheckpointError, match="trained on 'agent_avenue_v0', not on kuhn"):
        load_player(kuhn.make_game(), folder)
    with pytest.raises(ValueError, match="trained on 'agent_avenue_v0', not on kuhn"):
        make_player(kuhn.make_game(), str(folder))
    for how in ("best", "0", "-1", "nan", "inf", "1e9", "Argmax "):
        with pytest.raises(ValueError, match="must be sample, argmax or a temperature"):
            make_player(GAME, f"{folder}@{how}")


def test_refuses_wrong_shapes_and_empty_masks() -> None:
    batch, policy = positions(4), Policy(GAME, network())
    observation, mask = batch.observation, batch.mask
    for o, m in (
        (observation[:, :-1], mask), (observation, mask[:, :-1]), (observation[0], mask), (observation, mask[0]),
        (observation[:3], mask), (observation[None], mask[None]),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="must be"):
            policy.act(o, m)
    for how in ("", "argmax"):
        with pytest.raises(ValueError, match="no action is legal"):
            Policy(GAME, network(), how).act(observation[0], np.zeros_like(mask[0]))


def test_arrays_from_environments_are_accepted() -> None:
    """Read-only and strided arrays and other number types work without a warning."""
    batch, policy = positions(4), Policy(GAME, network(), "argmax")
    expected = policy.act(batch.observation, batch.mask)
    fixed = batch.observation.copy()
    fixed.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for observation, mask in (
            (fixed, batch.mask),
            (np.asfortranarray(batch.observation), np.asfortranarray(batch.mask)),
            (batch.observation.astype(np.float64), batch.mask.astype(bool)),
        ):
            np.testing.assert_array_equal(policy.act(observation, mask), expected)


def test_huge_logits_still_give_a_legal_action() -> None:
    batch = positions(32)
    for how in ("", "0.01", "argmax"):
        policy = Policy(GAME, network(1e30), how)
        actions = np.asarray(policy.act(batch.observation, batch.mask, np.random.default_rng(0)))
        assert batch.mask[np.arange(32), actions].all()
        assert np.isfinite(policy.probabilities(batch.observation, batch.mask)).all()


def test_a_whole_game_through_act() -> None:
    policy = Policy(GAME, network())
    states, views = GAME.start(5), GAME.new_views()
    state, mask, rng = as_record(states), np.zeros(GAME.num_actions, np.int8), np.random.default_rng(0)
    while state.to_move >= 0:
        GAME.legal(state, mask)
        GAME.observe(state, int(state.to_move), as_record(views))
        action = policy.act(views.view(np.float32), mask, rng)
        assert mask[action]
        GAME.apply(state, int(action))
    out = np.zeros(2, np.float32)
    GAME.returns(state, out)
    assert out.sum() == 0
    assert out.any()


def test_invalid_observations_are_refused() -> None:
    policy = Policy(GAME, network())
    batch = positions(2)
    observation, mask = batch.observation[0].copy(), batch.mask[0]
    seen: Any = {"observation": observation, "action_mask": mask}
    with pytest.raises(TypeError, match=r"observation must be an array.*act\(seen\['observation'\]"):
        policy.act(seen, mask)
    wrong: Any
    for wrong in (None, "card", [[1.0], [1.0, 2.0]], object()):
        with pytest.raises((TypeError, ValueError), match="observation and mask must be"):
            policy.act(wrong, mask)
    for value in (np.nan, np.inf):
        observation[3] = value
        with pytest.raises(ValueError, match="observation must be finite"):
            policy.act(observation, mask)
    for ask in (policy.act, policy.probabilities):
        with pytest.raises(ValueError, match="the mask is all zeros"):
            ask(batch.observation[0], np.zeros_like(mask))
        for factor in (0.5, 256, np.nan, -1):
            with pytest.raises(ValueError, match="mask must be 1 for legal actions and 0 for others, not "):
                ask(batch.observation[0], mask.astype(np.float32) * factor)
    likely = policy.probabilities(batch.observation[0], mask)
    np.testing.assert_array_equal(policy.probabilities(batch.observation[0], mask == 1), likely)


def test_its_repr_describes_it() -> None:
    assert repr(Policy(GAME, network(), "argmax", "mine")) == "Policy(agent_avenue_v0, mine@argmax)"
    assert repr(make_player(GAME, "greedy")) == "Scripted(agent_avenue_v0, 'greedy')"


NAMES_THE_EXTRA = """
import sys
from importlib import import_module
from importlib.machinery import PathFinder

find_spec = PathFinder.find_spec
PathFinder.find_spec = lambda name, *rest: None if name == "torch" else find_spec(name, *rest)
for name in ("spygames_training.train", "spygames_training.best_response", "spygames_training.search"):
    try:
        getattr(import_module("spygames_training"), name.partition(".")[2], None) or import_module(name)
    except ModuleNotFoundError as error:
        print(error)
"""


def test_without_torch_the_extra_is_named() -> None:
    done = subprocess.run([sys.executable, "-c", NAMES_THE_EXTRA], capture_output=True, text=True, check=True)
    install = "needs torch: pip install 'spygames[training]' (in a clone: '.[training]')"
    assert done.stdout.splitlines() == [
        f"spygames_training.{name} {install}" for name in ("train", "best_response", "search")
    ]


FORKED = """
import sys
import gymnasium, numpy, torch, spygames
from spygames_training.agents.policy import Policy

path = sys.argv[1]
policy = Policy.load(path)
size = policy.game.num_features, policy.game.num_actions
policy.act(numpy.zeros((4096, size[0]), numpy.float32), numpy.ones((4096, size[1]), numpy.int8))
assert torch.get_num_threads() > 1
many = gymnasium.vector.AsyncVectorEnv(
    [lambda: gymnasium.make("spygames/AgentAvenue-v0", opponents=path)] * 2, context="fork"
)
_, infos = many.reset(seed=1)
for _ in range(3):
    *_, infos = many.step(numpy.array([mask.argmax() for mask in infos["action_mask"]]))
many.close(terminate=True)
print("played")
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forked processes")
def test_a_forked_process_plays_against_a_checkpoint(tmp_path: Path) -> None:
    """A forked process would wait forever for the threads that torch believes to have."""
    torch.manual_seed(0)
    agent = ActorCritic(GAME.num_features, GAME.num_actions, (256, 256))
    save_checkpoint(tmp_path / "agent", GAME, agent, 1)
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    command = [sys.executable, "-W", "ignore", "-c", FORKED, str(tmp_path / "agent")]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    )
    try:
        out, complaints = process.communicate(timeout=90)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # also the processes that it has forked
    assert out == "played\n", complaints
