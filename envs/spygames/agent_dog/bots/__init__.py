"""Scripted players of Agent DOG by name. A bot reads a view and a mask, never the state.

`expert-1` is the first version of `expert`, so far the same player.
"""

from spygames.agent_dog.bots.expert import expert
from spygames.agent_dog.bots.greedy import greedy
from spygames.core.game.bots import random

BOTS = {"random": random, "greedy": greedy, "expert": expert, "expert-1": expert}
