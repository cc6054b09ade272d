"""`spygames agents`."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spygames_app.cli.arguments import AnyFile, GameId, GameOptions, check_writable, console, say

if TYPE_CHECKING:
    from spygames.core.players.released import ReleasedAgent

_NONE = object()


@dataclass(frozen=True)
class Agents:
    """Lists the agents that come with the package, with their figures.

        spygames agents
        spygames agents --game heimlich_v0 --option players=3
        spygames play --against agent_avenue/simple-2@argmax
        spygames evaluate best --game heimlich_v0 --option players=3

    An agent goes by its name wherever a player is named; best is the best of the game and variant that are played. A
    figure is the percentage of games that the agent wins against a scripted player, and behind it, where that is not
    50, the fair share: what a seat wins where all seats are that player. Ratings are those of the ladders. The JSON
    has the options of the games, too.
    """

    game: GameId = None
    """Those of this game, as agent_avenue_v0; all if not given."""
    option: GameOptions = ()
    """Those with this option of the game, as players=2; may be given several times."""
    json: AnyFile = None
    """Where to write the same as JSON."""

    @staticmethod
    def surplus(text: str) -> str:
        """What is right in the place of a word that stands alone."""
        from spygames.core.game.registry import canonical_id, game_ids
        from spygames.core.players.released import find_agent

        if (agent := find_agent(text)) is not None:
            return f"all about one agent is in {agent.folder / 'README.md'}"
        return f"a game is given as --game {text if canonical_id(text) in game_ids() else 'ID'}"

    def run(self) -> int:
        check_writable(self.json)
        from spygames_training.files.atomic import write_whole
        from spygames_training.output.tables import TextTable

        agents = self._chosen()
        most = sorted((each.win_shares for agent in agents for each in agent.figures), key=len, reverse=True)
        opponents = list(dict.fromkeys(name for shares in most for name in shares))
        rows = []
        for agent in agents:
            for name, each in zip([agent.name, *[""] * len(agent.figures)], agent.figures, strict=False):
                shares = (_percent(each.win_shares.get(name), each.fair_shares.get(name, 0.5)) for name in opponents)
                rows.append([name, each.play, "" if each.rating is None else f"{each.rating:.0f}", *shares])
        if self.json:
            write_whole(self.json, json.dumps([agent.as_json() for agent in agents], indent=2) + "\n")
        console().print(TextTable(["agent", "plays", "rating", *opponents], rows, texts=2).rich())
        if self.json:
            say(f"agents: {self.json}")
        return 0

    def _chosen(self) -> "list[ReleasedAgent]":
        """The agents of the game and the options; ValueError where there is none."""
        from spygames.core.game.registry import make_game
        from spygames.core.game.validation import same
        from spygames.core.players.released import released_agents

        options = dict(self.option)
        if self.game is not None:
            make_game(self.game, **options)  # says what is wrong
        agents = [
            agent
            for agent in released_agents()
            if self.game in (None, agent.game_id)
            and all(same(v, agent.options.get(k, _NONE)) for k, v in options.items())
        ]
        if not agents:
            asked = ", ".join([self.game or "any game", *(f"{name}={value}" for name, value in options.items())])
            there = ", ".join(agent.name for agent in released_agents()) or "none"
            raise ValueError(f"no agent that comes with the package plays {asked}; there are {there}")
        return agents


def _percent(share: float | None, fair: float) -> str:
    if share is None:
        return ""
    return f"{100 * share:.1f}" + ("" if fair == 0.5 else f" ({100 * fair:.0f})")
