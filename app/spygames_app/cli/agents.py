"""`spygames agents`."""

import json
from dataclasses import dataclass

from spygames_app.cli.arguments import AnyFile, check_writable, console


@dataclass(frozen=True)
class Agents:
    """Lists the agents that come with the package, with their figures.

        spygames agents
        spygames play --against agent_avenue/simple-2@argmax
        spygames evaluate best --game heimlich_v0 --option players=3

    An agent goes by its name wherever a player is named; best is the best of the game and variant that are played. A
    figure is the percentage of games that the agent wins against a scripted player; ratings are those of the ladders.
    """

    json: AnyFile = None
    """Where to write the same as JSON."""

    def run(self) -> int:
        check_writable(self.json)
        from spygames.core.registry import make_game
        from spygames.core.released import released_agents
        from spygames_training.atomic import write_whole
        from spygames_training.ladder.page import short_title
        from spygames_training.tables import TextTable

        agents = released_agents()
        opponents = sorted({name for agent in agents for each in agent.figures for name in each.win_shares})
        rows = []
        for agent in agents:
            game = short_title(make_game(agent.game_id, **agent.options))
            for each in agent.figures:
                shares = (each.win_shares.get(name) for name in opponents)
                figures = ["" if each.rating is None else f"{each.rating:.0f}", *map(_percent, shares)]
                rows.append([f"{agent.name}@{each.play}", game, *figures])
        screen = console()
        screen.print(TextTable(["agent", "game", "rating", *opponents], rows, texts=2).rich())
        if self.json:
            write_whole(self.json, json.dumps([agent.as_json() for agent in agents], indent=2) + "\n")
            screen.print(f"agents: {self.json}")
        return 0


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"
