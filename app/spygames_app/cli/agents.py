"""`spygames agents`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from tyro.conf import Positional

from spygames_app.cli.arguments import (
    AnyFile,
    AnyPlayer,
    GameId,
    GameOptions,
    WrongArguments,
    check_writable,
    console,
    say,
)

if TYPE_CHECKING:
    from spygames.core.players.released import ReleasedAgent

EARLIER = "expert-1"
"""An earlier version of expert, which the table omits. In some games it is the same player."""
LEGEND = "\n".join([
    "Games won against each opponent, in %. In brackets the fair share, if it is not 50: what one seat wins if "
    "the opponent has all seats.",
    "agent: the name of the player, GAME/VARIANT-SEATS. @sample draws its actions, @argmax takes the most likely one; "
    "without them an agent plays as it is meant to.",
    "for: to win against players who do not know the agent (best), or hard to exploit by those who do (safest).",
    "rating: on the ladder of the variant, on Elo's scale; blank without a ladder.",
    "worst case: what the strongest adversary won that was measured against the agent as it is meant to play. A better "
    "one may win more.",
])  # fmt: skip


@dataclass(frozen=True)
class Agents:
    """List the released agents with their results.

        spygames agents
        spygames agents --game heimlich_v0 --option players=3
        spygames agents agent_avenue/simple-2
        spygames agents safest --game agent_avenue_v0 --option history=3
        spygames play --against agent_avenue/simple-2
        spygames evaluate best --game heimlich_v0 --option players=3

    Every command takes the name of an agent as a player. Of the agents for the game and variant that are played, best
    is the one that wins most and safest the one that is hardest to exploit. With the name of an agent, the table has
    this agent only, and its folder is printed, which holds weights and card (README.md). The legend under the table
    explains its columns. The JSON file also has the options of the games.
    """

    agent: Positional[AnyPlayer] = None
    """Only the agent of this name, such as agent_avenue/simple-2; with --game also best or safest."""
    game: GameId = None
    """Only agents of this game, such as agent_avenue_v0. (default: all)"""
    option: GameOptions = ()
    """Only agents with this option of the game, such as players=2."""
    json: AnyFile = None
    """File for the same table as JSON."""

    def run(self) -> int:
        check_writable(self.json)
        from spygames_training.files.atomic import write_whole
        from spygames_training.output.tables import TextTable

        agents = self._chosen()
        most = sorted((each.win_shares for agent in agents for each in agent.figures), key=len, reverse=True)
        opponents = list(dict.fromkeys(name for shares in most for name in shares if name != EARLIER))
        rows = []
        for agent in agents:
            figures, worst = {each.play: each for each in agent.figures}, agent.worst_case
            for play in dict.fromkeys([agent.play, *figures]):
                meant, each = play == agent.play, figures.get(play)
                row = [agent.name, agent.purpose] if meant else [f"{agent.name}@{play}", ""]
                row.append("" if each is None or each.rating is None else f"{each.rating:.0f}")
                if each is not None:
                    row += [_percent(each.win_shares.get(n), each.fair_shares.get(n, 0.5)) for n in opponents]
                else:
                    row += [""] * len(opponents)
                row.append(_percent(worst.win_share, worst.fair_share) if meant and worst else "")
                rows.append(row)
        if self.json:
            write_whole(self.json, json.dumps([agent.as_json() for agent in agents], indent=2) + "\n")
        head = ["agent", "for", "rating", *opponents, "worst case"]
        console().print(TextTable(head, rows, caption=LEGEND, texts=2).rich())
        if self.agent:
            say(f"folder: {agents[0].folder}\ncard: {agents[0].folder / 'README.md'}")
        if self.json:
            say(f"agents: {self.json}")
        return 0

    def _chosen(self) -> "list[ReleasedAgent]":
        """Return the agents of the name, the game and the options; ValueError if there are none."""
        from spygames.core.basics.text import shown
        from spygames.core.game.registry import canonical_id, game_ids, make_game
        from spygames.core.players.released import CHOOSE, released_agents

        options = dict(self.option)
        game = None if self.game is None else make_game(self.game, **options)
        if self.agent in CHOOSE:
            if game is None:
                raise WrongArguments(
                    f"{self.agent} needs a game: add --game, as in --game heimlich_v0 --option players=3"
                )
            return [CHOOSE[self.agent](game)]
        agents = [
            agent
            for agent in released_agents()
            if self.agent in (None, *_names(agent)) and self.game in (None, agent.game_id) and _has(agent, options)
        ]
        if not agents and self.agent is not None and canonical_id(self.agent) in game_ids():
            raise ValueError(f"{self.agent} is a game: a game is given as --game {self.agent}")
        if not agents and self.agent is not None:
            near = get_close_matches(self.agent[:100].casefold(), [agent.name for agent in released_agents()], 1)
            meant = f"did you mean {near[0]}?" if near else "spygames agents lists them"
            raise ValueError(f"no released agent is {shown(self.agent)} with these options; {meant}")
        if not agents:
            asked = ", ".join([self.game or "any game", *(f"{name}={value}" for name, value in options.items())])
            raise ValueError(f"no released agent plays {asked}; spygames agents lists those that exist")
        return agents


def _names(agent: "ReleasedAgent") -> list[str]:
    """Return the names of an agent in the table: without and with a way to play."""
    return [agent.name, *(f"{agent.name}@{each.play}" for each in agent.figures)]


def _has(agent: "ReleasedAgent", options: Mapping[str, Any]) -> bool:
    """Whether an agent's game has these options. A game does not name options that are off, such as history=0."""
    from spygames.core.game.registry import default_options
    from spygames.core.game.validation import same

    own = {**default_options(agent.game_id), **agent.options}
    return all(name in own and same(given, own[name]) for name, given in options.items())


def _percent(share: float | None, fair: float) -> str:
    if share is None:
        return ""
    return f"{100 * share:.1f}" + ("" if fair == 0.5 else f" ({100 * fair:.0f})")
