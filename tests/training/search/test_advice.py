"""A policy's advice: its probabilities for each action and its expected result."""

from pathlib import Path

import numpy as np
import pytest
import torch

from spygames.core.game.game import as_record
from spygames.core.game.registry import make_game
from spygames.core.players.names import make_player
from spygames.core.players.player import new_memory
from spygames.core.playing.batch import Batch, spread
from spygames.core.records.film import Adviser
from spygames_training.agents.checkpoint import save_checkpoint
from spygames_training.agents.policy import Policy, PolicyPlayer, from_network, load_player
from spygames_training.config import Network, StoredNetwork
from spygames_training.networks.actor_critic import ActorCritic, make_network

GAME = make_game("agent_avenue_v0")


def network(config: Network | None = None) -> ActorCritic:
    torch.manual_seed(0)
    found = make_network(GAME, config or Network(hidden=(16,)))
    with torch.no_grad():
        found.policy.weight *= 100
    return found


def positions(n: int = 8, steps: int = 3) -> tuple[Batch, np.ndarray]:
    batch, rng = Batch(GAME, n, 3, threads=1), spread(np.uint64(1), n).reshape(n, 1)
    for _ in range(steps):
        batch.step(make_player(GAME, "random").act(batch.decisions(rng, np.arange(n))))
    return batch, rng


@pytest.mark.parametrize("how", ["", "0.5", "argmax"])
def test_advice_contains_the_probabilities_and_the_value(how: str) -> None:
    batch, rng = positions()
    player = from_network(GAME, network(), how)
    assert isinstance(player, Adviser)
    rows = np.array([1, 4])
    found = player.advise(batch.decisions(rng, rows))
    expected = player.policy.probabilities(batch.observation[rows], batch.mask[rows])
    with torch.no_grad():
        values = network()(torch.from_numpy(batch.observation[rows]))[1].numpy()
    assert len(found) == 2
    for row, advice, shares, value in zip(rows, found, expected, values, strict=True):
        legal = np.flatnonzero(batch.mask[row])
        seat = int(batch.seats[row])
        texts = [GAME.action_to_string(as_record(batch.states, row), int(a), seat) for a in legal]
        assert [text for text, _ in advice.actions] == texts
        assert np.allclose([share for _, share in advice.actions], shares[legal])
        assert advice.value == pytest.approx(value, abs=1e-5)
        assert advice.share == pytest.approx(np.clip((value + 1) / 2, 0, 1), abs=1e-5)
        assert player.name in advice.title


def test_advice_changes_no_random_stream_and_updates_memory() -> None:
    batch, rng = positions()
    player = from_network(GAME, network(Network(hidden=(16,), kind="recurrent", memory=4)))
    rows, before = np.arange(8), rng.copy()
    told, played = (new_memory(GAME, [player], 8) for _ in range(2))
    player.advise(batch.decisions(rng, rows, told))
    assert np.array_equal(rng, before)
    player.act(batch.decisions(rng, rows, played))
    assert told.any()
    assert np.array_equal(told, played)
    with pytest.raises(ValueError, match="has memory"):
        player.advise(batch.decisions(rng, rows))


def test_advice_has_the_value_of_the_own_view_in_the_games_units(tmp_path: Path) -> None:
    batch, rng = positions()
    rows = np.array([0])
    for critic in ("all", "own"):
        save_checkpoint(tmp_path / critic, GAME, network(Network(hidden=(16,), critic=critic)), 1)
    bare = make_network(GAME, StoredNetwork((16,), critic="none"))
    save_checkpoint(tmp_path / "none", GAME, bare, 1)
    for name, scale in (("scaled", 0.5), ("same", 1.0)):
        save_checkpoint(tmp_path / name, GAME, network(), 1, extra={"config": {"ppo": {"reward_scale": scale}}})
    tells: dict[str, float | None] = {}
    for name in ("all", "own", "none", "scaled", "same"):
        (advice,) = load_player(GAME, tmp_path / name).advise(batch.decisions(rng, rows))
        assert advice.actions
        assert (advice.share is None) == (advice.value is None)
        tells[name] = advice.value
    assert [name for name, value in tells.items() if value is None] == ["none"]
    assert tells["same"] == pytest.approx(0.5 * (tells["scaled"] or 0))


@pytest.mark.parametrize(
    ("game_id", "options", "value", "share"),
    [
        ("agent_avenue_v0", {"players": 3}, -1.0, 0.0),
        ("agent_avenue_v0", {"players": 4}, 0.5, 0.75),
        ("agent_dog_v0", {"players": 3}, -0.5, 0.0),
        ("agent_dog_v0", {"players": 3}, 0.25, 0.5),
        ("agent_dog_v0", {"players": 4}, 0.5, 1.0),
        ("agent_dog_v0", {"players": 2}, 2.0, 1.0),
        ("heimlich_v0", {"players": 2}, 0.0, 0.5),
        ("heimlich_v0", {"players": 3}, 0.0, None),
        ("heimlich_v0", {"players": 2, "reward": "score"}, 0.0, None),
    ],
)
def test_a_value_becomes_a_win_share_if_results_are_wins(
    game_id: str, options: dict[str, object], value: float, share: float | None
) -> None:
    """A game whose results contain more than the winner gets no share, since it would be made up."""
    game = make_game(game_id, **options)
    torch.manual_seed(0)
    made = make_network(game, Network(hidden=(8,)))
    with torch.no_grad():
        made.value.weight.zero_()
        made.value.bias.fill_(value)
    batch = Batch(game, 1, 3, threads=1)
    (advice,) = PolicyPlayer(Policy(game, made)).advise(batch.decisions(np.ones((1, 1), np.uint64), np.array([0])))
    assert advice.value == pytest.approx(value)
    assert advice.share == (None if share is None else pytest.approx(share))
