"""`spygames agents`."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spygames_app.cli.arguments import AnyFile, GameId, GameOptions, check_writable, console, say

if TYPE_CHECKING:
    from spygames.core.players.released import ReleasedAgent

EARLIER = "expert-1"
"""An earlier version of expert, which the table omits. In some games it is the same player."""
LEGEND = "\n".join([
    "Games won against each scripted player, in %. In brackets the fair share, if it is not 50: what one seat wins if "
    "the scripted player has all seats.",
    "agent: GAME/VARIANT-SEATS",
    "plays: argmax takes the most likely action (NAME@argmax); sample draws one (NAME).",
    "rating: on the ladder of the variant, on Elo's scale; blank without a ladder.",
])  # fmt: skip
_NONE = object()


@dataclass(frozen=True)
class Agents:
    """List the released agents with their results.

        spygames agents
        spygames agents --game heimlich_v0 --option players=3
        spygames play --against agent_avenue/simple-2@argmax
        spygames evaluate best --game heimlich_v0 --option players=3

    Every command takes the name of an agent as a player. best is the strongest agent of the game and variant that are
    played. The legend under the table explains its columns. The JSON file also has the options of the games.
    """

    game: GameId = None
    """Only agents of this game, such as agent_avenue_v0. (default: all)"""
    option: GameOptions = ()
    """Only agents with this option of the game, such as players=2."""
    json: AnyFile = None
    """File for the same table as JSON."""

    @staticmethod
    def surplus(text: str) -> str:
        """Return a hint for a positional argument, which this subcommand does not take."""
        from spygames.core.game.registry import canonical_id, game_ids
        from spygames.core.players.released import find_agent

        if (agent := find_agent(text)) is not None:
            return f"the card of this agent is {agent.folder / 'README.md'}"
        return f"a game is given as --game {text if canonical_id(text) in game_ids() else 'ID'}"

    def run(self) -> int:
        check_writable(self.json)
        from spygames_training.files.atomic import write_whole
        from spygames_training.output.tables import TextTable

        agents = self._chosen()
        most = sorted((each.win_shares for agent in agents for each in agent.figures), key=len, reverse=True)
        opponents = list(dict.fromkeys(name for shares in most for name in shares if name != EARLIER))
        rows = []
        for agent in agents:
            for name, each in zip([agent.name, *[""] * len(agent.figures)], agent.figures, strict=False):
                shares = (_percent(each.win_shares.get(name), each.fair_shares.get(name, 0.5)) for name in opponents)
                rows.append([name, each.play, "" if each.rating is None else f"{each.rating:.0f}", *shares])
        if self.json:
            write_whole(self.json, json.dumps([agent.as_json() for agent in agents], indent=2) + "\n")
        console().print(TextTable(["agent", "plays", "rating", *opponents], rows, caption=LEGEND, texts=2).rich())
        if self.json:
            say(f"agents: {self.json}")
        return 0

    def _chosen(self) -> "list[ReleasedAgent]":
        """Return the agents of the game and the options; ValueError if there are none."""
        from spygames.core.game.registry import make_game
        from spygames.core.game.validation import same
        from spygames.core.players.released import released_agents

        options = dict(self.option)
        if self.game is not None:
            make_game(self.game, **options)  # raises for an invalid game or option
        agents = [
            agent
            for agent in released_agents()
            if self.game in (None, agent.game_id)
            and all(same(v, agent.options.get(k, _NONE)) for k, v in options.items())
        ]
        if not agents:
            asked = ", ".join([self.game or "any game", *(f"{name}={value}" for name, value in options.items())])
            there = ", ".join(agent.name for agent in released_agents()) or "none"
            raise ValueError(f"no released agent plays {asked}; the agents are {there}")
        return agents


def _percent(share: float | None, fair: float) -> str:
    if share is None:
        return ""
    return f"{100 * share:.1f}" + ("" if fair == 0.5 else f" ({100 * fair:.0f})")
