"""The evaluations of a run: the opponents of its network and its win shares."""

from collections.abc import Sequence
from typing import Any

from spygames.core.game.game import Game
from spygames.core.players.names import Player, named_players
from spygames.core.players.sampling import temperature_of
from spygames_training.agents.policy import from_network
from spygames_training.config import Config
from spygames_training.evaluation.evaluation import evaluate
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.runs.report import WIN


def evaluation_opponents(game: Game, config: Config) -> list[Player]:
    """Make the opponents of a run's evaluations.

    Raises:
        ValueError: a player is unknown, two players have the same name (their metrics could not be told apart), or
            `evaluate_play` is invalid.
    """
    temperature_of(config.evaluate_play)
    opponents = named_players(game, config.evaluate_against, "evaluate_against")
    names = [opponent.name for opponent in opponents]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(
            f"evaluate_against must not have two players called {twice[0]}: remove one, or rename its folder"
        )
    return opponents


def win_shares(
    game: Game, network: ActorCritic, opponents: Sequence[Player], config: Config, step: int
) -> tuple[dict[str, float], dict[str, Any]]:
    """Evaluate the network, which plays as the config says.

    Returns:
        The win shares as metrics, and the `results` of a checkpoint. These have the number of decisions at the time
        of the evaluation, since the checkpoint's weights may be newer.
    """
    player = from_network(game, network, config.evaluate_play)
    results = evaluate(game, player, opponents, config.evaluate_games, seed=config.seed)
    shares = {WIN + result.opponent: result.win_share for result in results}
    return shares, {"step": step, "play": config.evaluate_play, "games": config.evaluate_games, **shares}
