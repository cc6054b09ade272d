"""The TorchRL environment: the same games, only legal actions, and a learner that improves."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from spygames.core.game.game import IllegalAction
from spygames.core.game.registry import make_game
from spygames.core.playing.batch import spread
from spygames.core.playing.rows import Rows
from tests.support.games import VARIANTS, Variant

pytest.importorskip("torchrl", reason="torchrl is not installed: make test-bridges")
torch = pytest.importorskip("torch")
bridge = pytest.importorskip("spygames_training.bridges.torchrl")
check_env_specs = pytest.importorskip("torchrl.envs.utils").check_env_specs
step_mdp = pytest.importorskip("torchrl.envs.utils").step_mdp
Collector = pytest.importorskip("torchrl.collectors").Collector
TensorDict = pytest.importorskip("tensordict").TensorDict
network = pytest.importorskip("spygames_training.networks.actor_critic")

MAIN = [variant for variant in VARIANTS if not variant.further]
N = 8


@pytest.mark.parametrize("variant", MAIN, ids=str)
def test_torchrls_env_check_passes(variant: Variant) -> None:
    check_env_specs(bridge.TorchRLEnv(variant.make_game(), N, seed=1), seed=2, break_when_any_done="both")


@pytest.mark.parametrize("variant", MAIN, ids=str)
def test_games_are_the_same(variant: Variant) -> None:
    """Each row equals the game of the same seed in `Rows`, across ends and new games."""
    game = variant.make_game()
    env, games, rows, ended = bridge.TorchRLEnv(game, N, seed=1), Rows(game, N), np.arange(N), 0
    env.set_seed(5)
    games.reset(5)
    assert (games.seeds == spread(np.uint64(5), N)).all()
    data = env.reset()
    torch.manual_seed(3)
    for _ in range(400):
        assert (data["observation"].numpy() == games.observation).all()
        assert (data["action_mask"].numpy() == (games.mask != 0)).all()
        assert (data["seat"].numpy() == games.seats).all()
        env.rand_action(data)
        decided, actions = games.seats.copy(), data["action"].numpy().copy()
        games.advance(rows, actions, decided)
        after, data = env.step_and_maybe_reset(data)
        after = after["next"]
        assert (after["done"].squeeze(-1).numpy() == games.done).all()
        assert (after["truncated"].squeeze(-1).numpy() == games.cut_off).all()
        assert (after["terminated"] == after["done"] & ~after["truncated"]).all()
        assert (after["paid"].numpy() == games.rewards).all()
        assert (after["reward"].squeeze(-1).numpy() == games.rewards[rows, decided]).all()
        assert (after["observation"].numpy() == games.observation).all()
        assert (after["seat"].numpy() == np.where(games.done, decided, games.seats)).all()
        assert (after["action_mask"].numpy() == (games.mask != 0) | games.done[:, None]).all()
        ended += int(games.done.sum())
        games.begin(np.flatnonzero(games.done))
    assert ended > 0


def test_a_seed_counts_for_each_game_from_its_next_reset_on() -> None:
    game = make_game("agent_avenue_v0")
    one, two = bridge.TorchRLEnv(game, N, seed=9), bridge.TorchRLEnv(game, N, seed=1)
    two.set_seed(9)
    assert (one.reset()["observation"] == two.reset()["observation"]).all()
    data = two.reset()
    while not two.games.done.any():
        data = step_mdp(two.rand_step(data))
    two.set_seed(7)
    over = two.games.done.copy()
    running = two.games.states[~over].tobytes()
    data = two.maybe_reset(data)
    assert two.games.states[~over].tobytes() == running
    assert (two.games.seeds[over] == Rows(game, N, 7).seeds[over]).all()
    assert (data["observation"].numpy() == two.games.observation).all()
    waiting = ~over
    while waiting.any():
        data = step_mdp(two.rand_step(data))
        over = two.games.done.copy()
        data = two.maybe_reset(data)
        assert (two.games.seeds[over & waiting] == Rows(game, N, 7).seeds[over & waiting]).all()
        waiting &= ~over


def test_games_that_are_over_wait_for_the_others() -> None:
    game = make_game("agent_avenue_v0")
    env = bridge.TorchRLEnv(game, 4, seed=1)
    data = env.rollout(400, break_when_any_done=False, break_when_all_done=True)
    assert data["next", "done"][:, -1].all()
    lengths = (~data["next", "done"].squeeze(-1)).sum(1) + 1
    assert len(set(lengths.tolist())) > 1
    last = data["next", "paid"][torch.arange(4), lengths - 1]
    assert last.sort(-1).values.tolist() == [[-1, 1]] * 4
    assert (data["next", "paid"][:, -1] == last).all()  # TorchRL repeats the last step
    with pytest.raises(ValueError, match="game 0 is over: call reset"):
        env.step(data[:, -1].select("action"))
    with pytest.raises(ValueError, match=r"step needs `action`, int64 \[4\]"):
        env.step(env.reset())


def test_a_reset_of_some_games_leaves_the_others_over() -> None:
    env = bridge.TorchRLEnv(make_game("agent_avenue_v0"), 4, seed=1)
    data = step_mdp(env.rollout(400, break_when_any_done=False, break_when_all_done=True)[:, -1])
    again = torch.tensor([True, False, False, True])[:, None]
    with pytest.warns(UserWarning, match="A partial `'_reset'` key"):  # the data of the others are not passed
        alone = env.reset(TensorDict({"_reset": again.clone()}, [4]))
    whole = env.reset(data.set("_reset", again.clone()))
    for found in (alone, whole):
        assert found["done"].equal(~again)
        assert found["terminated"].equal(~again)
        assert not found["truncated"].any()
    with pytest.raises(ValueError, match="game 1 is over: call reset"):
        env.rand_step(whole)
    assert not env.reset()["done"].any()


def test_an_illegal_action_changes_no_game() -> None:
    env = bridge.TorchRLEnv(make_game("agent_avenue_v0"), N, seed=1)
    data = env.rand_action(env.reset())
    data["action"][3] = int((~data["action_mask"][3]).nonzero()[0])
    before = env.games.states.tobytes()
    with pytest.raises(IllegalAction, match="is not legal for seat 0 in game 3"):
        env.step(data)
    assert env.games.states.tobytes() == before


def test_advantages_belong_to_the_seat() -> None:
    """With lambda 1, no discount and a critic that returns 0, a decision's advantage is its own seat's result."""
    game = make_game("agent_avenue_v0")
    env = bridge.TorchRLEnv(game, N, seed=1)
    torch.manual_seed(1)
    data = env.rollout(200, break_when_any_done=False)

    def critic(data):  # noqa: ANN001, ANN202
        data["state_value"] = torch.zeros(*data.shape, 1)

    known = bridge.per_seat_advantage(data, critic, gamma=1.0, lam=1.0)
    wanted, kept = [], 0
    for row in range(N):
        over = data["next", "done"][row].squeeze(-1).nonzero().squeeze(-1).tolist()
        for start, end in pairwise([-1, *over]):
            for t in range(start + 1, end + 1):
                wanted.append(float(data["next", "paid"][row, end, data["seat"][row, t]]))
        last = over[-1]
        kept += len({int(seat) for seat in data["seat"][row, last + 1 :]})
        wanted += [0.0] * (199 - last - len({int(seat) for seat in data["seat"][row, last + 1 :]}))
    assert known["advantage"].squeeze(-1).tolist() == wanted
    assert len(known) + kept == N * 200
    assert (known["value_target"] == known["advantage"]).all()


def test_networks_with_memory_or_hidden_views_are_refused() -> None:
    config = pytest.importorskip("spygames_training.config")
    game = make_game("agent_avenue_v0")
    refused = [
        network.make_network(game, config.Network((8,), critic="all")),
        network.make_network(game, config.Network((8,), kind="recurrent")),
        network.ActorCritic(game.num_features, game.num_actions, (8,)),
    ]
    refused[2].shaped = True
    for each in refused:
        with pytest.raises(ValueError, match="network must have no memory"):
            bridge.actor_value_operator(each)


def collected(decisions: int, n: int) -> int:
    """Collect decisions of a sampling policy, check that all are legal, and return their number."""
    game = make_game("agent_avenue_v0")
    torch.manual_seed(7)
    policy = bridge.actor_value_operator(
        network.ActorCritic(game.num_features, game.num_actions, (32,))
    ).get_policy_operator()
    taken = 0
    env = bridge.TorchRLEnv(game, n, seed=1)
    for data in Collector(
        env, policy, frames_per_batch=n * 16, total_frames=decisions, auto_register_policy_transforms=False
    ):
        chosen = data["action_mask"].gather(-1, data["action"].unsqueeze(-1))
        assert chosen.all()
        taken += data.numel()
    return taken


def test_no_action_is_illegal() -> None:
    assert collected(32_768, 256) >= 32_768


@pytest.mark.slow
def test_no_action_of_a_million_is_illegal() -> None:
    assert collected(1_000_000, 1024) >= 1_000_000


def test_specs_have_the_numbers_of_the_game() -> None:
    game = make_game("agent_avenue_v0")
    env = bridge.TorchRLEnv(game, N, seed=1)
    assert env.action_spec.space.n == game.num_actions
    assert env.observation_spec["seat"].space.n == game.num_players


def test_steps_keep_their_values_while_games_go_on() -> None:
    env, kept, cut_off = bridge.TorchRLEnv(make_game("agent_dog_v0", max_turns=60), N, seed=1), [], 0
    data = env.reset()
    while cut_off < 2:
        step, data = env.step_and_maybe_reset(env.rand_action(data))
        kept.append((step["next"], step["next"].clone()))
        cut_off += int(step["next", "truncated"].sum())
    assert all((step == copy).all() for step, copy in kept)


def test_random_actions_are_uniform_and_of_torchs_generator() -> None:
    env = bridge.TorchRLEnv(make_game("tests.poker.kuhn"), 1000, seed=1)
    drawn = []
    for seed in (4, 4, 5):
        torch.manual_seed(seed)
        drawn.append(env.rand_action(env.reset())["action"])
    assert drawn[0].equal(drawn[1])
    assert not drawn[0].equal(drawn[2])
    assert abs(drawn[0].float().mean() - 0.5) < 0.06


def test_a_random_step_needs_no_data() -> None:
    env = bridge.TorchRLEnv(make_game("tests.poker.kuhn"), N, seed=1)
    while not env.games.done.any():
        env.rand_step()
    with pytest.raises(ValueError, match=r"game \d is over: call reset"):
        env.rand_step()


def test_wrong_numbers_are_refused() -> None:
    game = make_game("agent_avenue_v0")
    with pytest.raises(ValueError, match="n must be an integer >= 1, not 0"):
        bridge.TorchRLEnv(game, 0)
    with pytest.raises(ValueError, match="seed must be an integer from 0 to"):
        bridge.TorchRLEnv(game, 1, seed=-1)


def test_without_a_seed_games_differ() -> None:
    game = make_game("agent_avenue_v0")
    assert bridge.TorchRLEnv(game, 4).games.seeds.tolist() != bridge.TorchRLEnv(game, 4).games.seeds.tolist()


def test_an_operator_shares_the_parameters_of_its_network() -> None:
    net = network.ActorCritic(8, 4, (16,))
    assert {*map(id, bridge.actor_value_operator(net).parameters())} == {*map(id, net.parameters())}


def test_an_operator_computes_what_its_network_does() -> None:
    game = make_game("agent_avenue_v0")
    net, env = network.ActorCritic(game.num_features, game.num_actions, (16,)), bridge.TorchRLEnv(game, N, seed=1)
    operator = bridge.actor_value_operator(net)
    data = operator(env.reset())
    logits, values = net(data["observation"])
    chances = logits.masked_fill(~data["action_mask"], -torch.inf).log_softmax(-1)
    wanted = chances.gather(-1, data["action"][:, None]).squeeze(-1)
    assert torch.allclose(data["action_log_prob"], wanted, atol=1e-5)
    assert torch.allclose(data["state_value"].squeeze(-1), values, atol=1e-5)


def played(values: list[float], cut_off: bool) -> Any:
    """Return four decisions of two seats in turn; the game ends with the last one."""
    over = torch.tensor([False, False, False, True]).reshape(1, 4, 1)
    paid = torch.zeros(1, 4, 2)
    if not cut_off:
        paid[0, 3] = torch.tensor([1.0, -1.0])
    after = TensorDict({"paid": paid, "done": over, "terminated": over & (not cut_off)}, [1, 4])
    return TensorDict(
        {"seat": torch.tensor([[0, 1, 0, 1]]), "known": torch.tensor([values])[..., None], "next": after}, [1, 4]
    )


def known_values(data: Any) -> None:
    data["state_value"] = data["known"] * torch.ones(1, requires_grad=True)


@pytest.mark.parametrize("cut_off", [False, True])
def test_advantages_are_those_of_the_equation(cut_off: bool) -> None:
    a, b, c, d = 0.5, 0.25, -0.125, 0.75
    result = 0 if cut_off else 1
    for settings in ({"gamma": 0.9, "lam": 0.5}, {}):
        gamma, lam = settings.get("gamma", 1.0), settings.get("lam", 0.95)
        data = played([a, b, c, d], cut_off)
        found = bridge.per_seat_advantage(data, known_values, **settings)
        last = [result - c, -result - d]
        first = [gamma * c - a + gamma * lam * last[0], gamma * d - b + gamma * lam * last[1]]
        assert found["advantage"].squeeze(-1).tolist() == pytest.approx([*first, *last])
        assert (found["value_target"] == found["advantage"] + torch.tensor([a, b, c, d])[:, None]).all()
        assert "state_value" in data
        assert "next" not in found
        assert "state_value" not in found
