"""The evaluations of a run: who its network is measured against, and its win fractions."""

from collections.abc import Sequence
from typing import Any

from spygames.core.game.game import Game
from spygames.core.players.names import Player, named_players
from spygames_training.agents.policy import from_network, temperature_of
from spygames_training.config import Config
from spygames_training.evaluation.evaluation import evaluate
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.runs.report import WIN


def evaluation_opponents(game: Game, config: Config) -> list[Player]:
    """The opponents of a run's evaluations. ValueError for an unknown player, for two of one name, whose figures could
    not be told apart, and for an unknown way to play."""
    temperature_of(config.evaluate_play)
    opponents = named_players(game, config.evaluate_against, "evaluate_against")
    names = [opponent.name for opponent in opponents]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"evaluate_against names two players called {twice[0]}: take one, or rename its folder")
    return opponents


def win_shares(
    game: Game, network: ActorCritic, opponents: Sequence[Player], config: Config, step: int
) -> tuple[dict[str, float], dict[str, Any]]:
    """The network's win fractions, playing as the config says: as metrics, and as a checkpoint keeps them, with the
    decisions trained on by then, since the weights that it keeps may be newer."""
    player = from_network(game, network, config.evaluate_play)
    results = evaluate(game, player, opponents, config.evaluate_games, seed=config.seed)
    shares = {WIN + result.opponent: result.win_share for result in results}
    return shares, {"step": step, "play": config.evaluate_play, "games": config.evaluate_games, **shares}
