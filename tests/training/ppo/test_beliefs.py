"""Belief heads: their targets, their loss, what they change and what they do not change."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import spygames
from spygames.core.game.belief_targets import UNASKED
from spygames.core.game.game import Game, as_record
from spygames.core.playing.batch import Batch
from spygames_training.agents.checkpoint import CheckpointError, load_checkpoint, save_checkpoint
from spygames_training.agents.policy import Policy
from spygames_training.config import PPO, Config, Network, Opponents
from spygames_training.networks.actor_critic import make_network
from spygames_training.ppo.belief_loss import belief_gradients, belief_metrics
from spygames_training.runs.run import Run
from spygames_training.runs.warm_start import start_from
from tests.poker import kuhn
from tests.support.changed import changed
from tests.support.suites import slow_but

SMALL = Config(
    decisions=256 * 4,
    network=Network((16,)),
    ppo=PPO(games=32, steps=8, minibatch=64, precision="float32"),
    opponents=Opponents(share=0.25, bots=("random",)),
    evaluate_against=(),
    evaluate_every=1e9,
    save_every=1e9,
)


def positions(game: Game, n: int = 40, steps: int = 60) -> Batch:
    """Return a batch of games after some random decisions."""
    batch, rng = Batch(game, n, 1, threads=1), np.random.default_rng(2)
    for _ in range(steps):
        batch.step((rng.random(batch.mask.shape) * batch.mask).argmax(axis=1))
    return batch


def answers(batch: Batch) -> dict[str, np.ndarray]:
    """Return the answers by group, int [n, questions]."""
    questions = batch.game.questions
    assert questions is not None
    out = np.full((batch.n, len(questions.sizes)), 99, np.int8)
    batch.answer(out)
    parts = np.split(out, np.cumsum([count for _, count, _ in questions.groups])[:-1], axis=1)
    return {name: part.astype(int) for (name, *_), part in zip(questions.groups, parts, strict=True)}


# ---------------------------------------------------------------- the questions of the games


@pytest.mark.parametrize("options", [{}, {"mode": "advanced", "players": 4}, {"players": 3}], ids=str)
def test_agent_avenue_asks_for_the_face_down_card_and_the_other_hands(options: dict[str, Any]) -> None:
    from spygames.agent_avenue.cards import AGENTS

    game = spygames.make_game("agent_avenue_v0", **options)
    batch = positions(game)
    found = answers(batch)
    asked = 0
    for i in range(batch.n):
        mapping = game.state_to_dict(as_record(batch.states, i))
        seat, down = mapping["to_move"], mapping["face_down"]
        hidden = "?" in str(game.seen_to_dict(as_record(batch.states, i), seat)["face_down"])
        assert found["face_down"][i, 0] == (AGENTS.index(down) if hidden else UNASKED)
        asked += hidden
        others = [other for other in range(game.num_players) if other != seat]
        if game.num_players > 2:  # the partner first
            others.sort(key=lambda other: (game.teams[other] != game.teams[seat], other))
        hands = found["hands"][i].reshape(-1, len(AGENTS))
        present = [hand.tolist() for hand in hands if hand[0] != UNASKED]
        expected = [[mapping["hands"][str(other)].count(agent) for agent in AGENTS] for other in others]
        assert present == expected
    assert 0 < asked < batch.n


@pytest.mark.parametrize("options", slow_but([{"players": 3}, {"players": 4, "top_secret": True}], 0), ids=str)
def test_heimlich_asks_for_the_owner_of_each_agent(options: dict[str, Any]) -> None:
    """The agent of an answer is, in the view, where that seat's agent is."""
    game = spygames.make_game("heimlich_v0", **options)
    batch = positions(game)
    found = answers(batch)["identities"]
    assert found.min() >= 1  # never the player's own agent
    for i in range(batch.n):
        s = as_record(batch.states, i)
        for k in range(1, game.num_players):
            agent = s.passports[(s.to_move + k) % game.num_players]
            named = found[i, k - 1]
            assert batch.views["position"][i, named].argmax() == s.positions[agent]
            assert batch.views["score"][i, named] == pytest.approx(s.scores[agent] / 42)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_agent_dog_asks_for_hands_and_hats(players: int) -> None:
    from spygames.agent_dog.board import COLOURS
    from spygames.agent_dog.cards import CARDS

    game = spygames.make_game("agent_dog_v0", players=players)
    batch = positions(game, steps=250)
    found, hats = answers(batch), 0
    for i in range(batch.n):
        mapping = game.state_to_dict(as_record(batch.states, i))
        seat = mapping["to_move"]
        for k in range(1, players):
            hand = mapping["hands"][str((seat + k) % players)]
            expected = [hand.count(card) for card in CARDS]
            assert found["hands"][i].reshape(players - 1, -1)[k - 1].tolist() == expected
        own = 2 * seat if players == 2 else seat
        board = batch.states["board"][i]
        for k, answer in enumerate(found["hats"][i]):
            pawn = board[(k + own * 16) % 64]
            assert (batch.views["hats"][i, k] != 0) == (answer != UNASKED)
            if answer != UNASKED:
                hats += 1
                assert COLOURS[(own + answer) % 4] == COLOURS[pawn - 4]
    assert hats > 10
    tracked = spygames.make_game("agent_dog_v0", players=players, hidden_colours="tracked").questions
    assert tracked is not None
    assert [name for name, *_ in tracked.groups] == ["hands"]


def test_a_game_without_questions_is_refused() -> None:
    game = changed(kuhn.make_game(), questions=None)
    with pytest.raises(ValueError, match=r"network\.belief must be none, .*kuhn_poker_v0 has no questions"):
        make_network(game, Network((8,), belief="train"))
    with pytest.raises(ValueError, match="no questions"):
        Batch(game, 2, 0).answer(np.zeros((2, 1), np.int8))


# ---------------------------------------------------------------- the loss


def test_gradients_and_metrics_agree_with_torch() -> None:
    rng = np.random.default_rng(3)
    groups, sizes = (("one", 1, 4), ("two", 3, 2)), np.array([4, 2, 2, 2])
    rows, weight = rng.permutation(50)[:20], 0.7
    truth = np.stack([rng.integers(-1, size, 50) for size in sizes], axis=1).astype(np.int8)
    truth[rows[0]] = UNASKED
    logits = rng.normal(0, 3, (20, sizes.sum())).astype(np.float32)

    leaf = torch.tensor(logits, dtype=torch.float64, requires_grad=True)
    parts = torch.split(leaf, sizes.tolist(), dim=1)
    nats = torch.stack(
        [
            torch.nn.functional.cross_entropy(
                part, torch.tensor(truth[rows, q]).long(), ignore_index=-1, reduction="none"
            )
            for q, part in enumerate(parts)
        ],
        dim=1,
    )
    asked = torch.tensor(truth[rows] != UNASKED)
    (weight * (nats.sum(1) / asked.sum(1).clamp(min=1)).mean()).backward()

    nats = nats.detach()
    gradients, sums = np.full_like(logits, np.nan), np.zeros((2, 4))
    belief_gradients(logits, rows, truth, sizes, weight, gradients, sums)
    assert leaf.grad is not None
    np.testing.assert_allclose(gradients, leaf.grad.numpy(), rtol=1e-4, atol=1e-7)
    metrics = belief_metrics(groups, sums)
    assert metrics["belief/one"] == pytest.approx(float(nats[:, 0].sum() / asked[:, 0].sum()), rel=1e-5)
    assert metrics["belief/two"] == pytest.approx(float(nats[:, 1:].sum() / asked[:, 1:].sum()), rel=1e-5)
    assert belief_metrics(groups, np.zeros((2, 4))) == {"belief/one": 0.0, "belief/two": 0.0}


# ---------------------------------------------------------------- in a run


def trained(folder: Path, config: Config = SMALL, **kwargs: Any) -> Run:
    run = Run.create(config, folder, **kwargs)
    run.train(progress=False)
    return run


@pytest.mark.parametrize("kind", ["mlp", "recurrent"])
def test_a_belief_with_weight_zero_changes_nothing_else(tmp_path: Path, kind: Any) -> None:
    """The rest is the same to the byte."""
    plain = replace(SMALL, network=Network((16,), kind=kind, memory=8))
    config = replace(plain, network=replace(plain.network, belief="train"), ppo=replace(SMALL.ppo, belief_weight=0.0))
    one, other = (trained(tmp_path / name, each) for name, each in (("a", plain), ("b", config)))
    ours, theirs = one.learner.network.state_dict(), other.learner.network.state_dict()
    assert set(theirs) - set(ours) == {"belief.weight", "belief.bias"}
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)


def test_the_policys_layers_learn_from_the_belief(tmp_path: Path) -> None:
    config = replace(SMALL, network=Network((16,), belief="train"), ppo=replace(SMALL.ppo, belief_weight=1.0))
    one, other = trained(tmp_path / "a"), trained(tmp_path / "b", config)
    first = "trunk.0.weight"
    assert not torch.equal(one.learner.network.state_dict()[first], other.learner.network.state_dict()[first])


@pytest.mark.parametrize("critic", ["own", "all"])
def test_a_belief_is_saved_only_with_keep(tmp_path: Path, critic: Any) -> None:
    kept: dict[Any, set[str]] = {"train": set(), "keep": {"belief.weight", "belief.bias"}}
    for belief, names in kept.items():
        config = replace(SMALL, network=Network((16,), critic=critic, belief=belief))
        run = trained(tmp_path / belief, config)
        found = load_checkpoint(tmp_path / belief)
        assert {name for name in found.network.state_dict() if name.startswith("belief.")} == names
        assert ("belief" in found.meta["network"]) == bool(names)
        policy = Policy.load(tmp_path / belief)
        observation = positions(run.game).observation
        if not names:
            with pytest.raises(ValueError, match=r"no belief.*network\.belief = "):
                policy.belief(observation)
            continue
        likely = policy.belief(observation)
        assert {name: part.shape for name, part in likely.items()} == {"face_down": (40, 1, 8), "hands": (40, 8, 5)}
        for name, part in likely.items():
            np.testing.assert_allclose(part.sum(axis=2), 1)
            np.testing.assert_array_equal(policy.belief(observation[3])[name].shape, part.shape[1:])
            np.testing.assert_allclose(policy.belief(observation[3])[name], part[3], atol=1e-6)


def test_a_belief_about_other_questions_is_refused(tmp_path: Path) -> None:
    game = kuhn.make_game()
    save_checkpoint(tmp_path / "agent", game, make_network(game, Network((8,), belief="keep")), 1)
    assert game.questions is not None
    other = changed(game, questions=replace(game.questions, groups=(("card", 1, 4),)))
    for wrong in (other, changed(game, questions=None)):
        with pytest.raises(CheckpointError, match=r"other questions .*kuhn_poker_v0"):
            load_checkpoint(tmp_path / "agent", wrong)


def test_a_run_begins_with_the_belief_of_an_agent_or_without(tmp_path: Path) -> None:
    game = kuhn.make_game()
    torch.manual_seed(5)
    save_checkpoint(tmp_path / "agent", game, theirs := make_network(game, Network((8,), belief="keep")), 1)
    beliefs: list[Any] = ["none", "keep"]
    for belief in beliefs:
        config = replace(SMALL, network=Network((8,), belief=belief), opponents=Opponents())
        run = Run.create(config, tmp_path / belief, game)
        start_from(tmp_path / "agent", game, run.learner, 1.0)
        ours = run.learner.network.state_dict()
        assert ("belief.weight" in ours) == (belief == "keep")
        assert all(torch.equal(ours[name], theirs.state_dict()[name]) for name in ours)


def test_the_opponents_card_is_learned(tmp_path: Path) -> None:
    """Kuhn poker, at the first decision: the opponent has one of the other two cards, with equal probability.

    What the opponent's bet reveals depends on the policy. That nobody else has the player's own card is always certain.
    """
    config = Config(
        decisions=60_000,
        network=Network((32,), belief="keep"),
        ppo=PPO(games=128, steps=16, minibatch=256, learning_rate=3e-3, belief_weight=1.0, precision="float32"),
        evaluate_against=(),
    )
    game = kuhn.make_game()
    run = trained(tmp_path, config, game=game)
    policy = Policy(game, run.learner.network)
    for deal in kuhn.deals():
        states = game.new_states()
        game.state_from_dict(deal, as_record(states))
        views = game.new_views()
        game.observe(as_record(states), 0, as_record(views))
        likely = policy.belief(views.view(np.float32).reshape(-1))["card"][0]
        own = kuhn.CARDS.index(deal["cards"][0])
        expected = np.where(np.arange(3) == own, 0, 0.5)
        np.testing.assert_allclose(likely, expected, atol=0.1)


@pytest.mark.parametrize("game", ["agent_avenue_v0", "heimlich_v0", "agent_dog_v0"])
def test_every_game_trains_with_beliefs_and_a_critic_that_sees_all(tmp_path: Path, game: str) -> None:
    config = replace(
        SMALL,
        game=game,
        network=Network((16,), critic="all", belief="train"),
        ppo=replace(SMALL.ppo, steps=64, reference_ema=0.99, kl_end=0.2, precision="auto"),
    )
    metrics = Run.create(config, tmp_path).update()
    questions = spygames.make_game(game).questions
    assert questions is not None
    for name, _, size in questions.groups:
        assert 0 <= metrics[f"belief/{name}"] <= 1.2 * np.log(size)  # it begins as if all answers were equally likely
