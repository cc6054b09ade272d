"""Views stay within the ranges that a game declares, and observation spaces have these bounds."""

import dataclasses
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict
from gymnasium.utils.env_checker import check_env

import spygames
from spygames.core.envs.spaces import feature_box
from spygames.core.game.game import Game
from spygames.core.players.player import Scripted
from spygames.core.playing.batch import Batch
from spygames.testing import ContractError, check_game
from tests.poker import kuhn

GAMES: list[Any] = [
    ("agent_avenue_v0", {}),
    ("heimlich_v0", {"players": 3}),
    ("agent_dog_v0", {"players": 2}),
    pytest.param("agent_avenue_v0", {"mode": "advanced", "players": 4}, marks=pytest.mark.slow),
    pytest.param("heimlich_v0", {"players": 7, "top_secret": True, "secret_identities": True}, marks=pytest.mark.slow),
    pytest.param("agent_dog_v0", {"deck": "royal", "hidden_colours": "tracked"}, marks=pytest.mark.slow),
]


def seen(game: Game, n: int = 128, steps: int = 1500) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and highest value of each feature over all seats in random play, float32 [F] each."""
    batch, player, rng = Batch(game, n, seed=1, threads=1), Scripted(game, "random"), np.ones((n, 1), np.uint64)
    rng[:, 0] = np.arange(n)
    views = np.zeros((n, game.num_players, game.num_features), np.float32)
    low, high = np.full(game.num_features, np.inf), np.full(game.num_features, -np.inf)
    for _ in range(steps):
        batch.observe_all(views)
        low, high = np.minimum(low, views.min((0, 1))), np.maximum(high, views.max((0, 1)))
        batch.step(player.act(batch.decisions(rng, np.arange(n))))
    return low, high


@pytest.mark.parametrize(("game_id", "options"), GAMES)
def test_random_play_stays_within_the_ranges(game_id: str, options: dict[str, Any]) -> None:
    game = spygames.make_game(game_id, **options)
    low, high = game.feature_ranges()
    lowest, highest = seen(game)
    assert not np.flatnonzero((lowest < low) | (highest > high)).tolist()
    assert np.isfinite(low).all()
    assert np.isfinite(high).all()
    assert (highest > 0.5 * high).mean() > 0.5  # the bounds are not too wide
    assert set(game.view_ranges or ()) - set(game.view_dtype.names or ()) <= {
        "kept", "seen_in_hand", "seen_or_offered", "hand", "cards_played", "guesses",
    }  # fmt: skip


def test_observation_spaces_have_the_bounds() -> None:
    env = spygames.agent_dog_v0.env(players=2)
    low, high = env.game.feature_ranges()
    hats = env.game.view_dtype.fields["hats"]  # type: ignore[index]
    assert low[hats[1] // 4] == -1
    space = env.observation_space("player_0")
    assert isinstance(space, Dict)
    for box in (space["observation"], spygames.agent_dog_v0.single_env(players=2).observation_space):
        assert isinstance(box, Box)
        np.testing.assert_array_equal(box.low, low)
        np.testing.assert_array_equal(box.high, high)


def test_gymnasiums_check_accepts_the_bounds() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(gymnasium.make("spygames/AgentAvenue-v0", illegal="random").unwrapped, skip_render_check=True)
    assert not [w for w in caught if "infinity" in str(w.message)]


def test_view_ranges_are_optional() -> None:
    game = kuhn.make_game()
    assert game.view_ranges is None
    assert np.isinf(feature_box(game).low).all()


def test_the_contract_checks_the_ranges() -> None:
    game = dataclasses.replace(kuhn.make_game(), view_ranges={})
    name = next(iter(game.view_dtype.names or ()))
    check_game(game, checks=["views"])
    for low, high in ((0, 0.25), (0.25, 1)):
        wrong = dataclasses.replace(game, view_ranges={name: (low, high)})
        with pytest.raises(ContractError, match=rf"in {name}, where Game.view_ranges allows {low} to {high}"):
            check_game(wrong, checks=["views"])
