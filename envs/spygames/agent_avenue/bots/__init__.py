"""Scripted players of Agent Avenue. A bot sees a view and a mask, never the state.

`expert-1` is the first version of `expert`, and so far the only one.
"""

from spygames.agent_avenue.bots.expert import expert
from spygames.agent_avenue.bots.greedy import greedy
from spygames.agent_avenue.bots.market_and_teams import (
    expert_at_market,
    expert_in_team,
    greedy_at_market,
    greedy_in_team,
)
from spygames.core.game.bots import random
from spygames.core.game.game import Bot

BOTS: dict[str, Bot] = {"random": random, "greedy": greedy, "expert": expert, "expert-1": expert}
"""Simple mode for two."""
MARKET_BOTS: dict[str, Bot] = {
    "random": random,
    "greedy": greedy_at_market,
    "expert": expert_at_market,
    "expert-1": expert_at_market,
}
"""Advanced mode."""
TEAM_BOTS: dict[str, Bot] = {
    "random": random,
    "greedy": greedy_in_team,
    "expert": expert_in_team,
    "expert-1": expert_in_team,
}
"""Simple mode in teams."""
