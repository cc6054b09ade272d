"""Scripted players of Heimlich & Co. A bot reads a view and a mask, never the state."""

from spygames.core.game.bots import random
from spygames.core.game.game import Bot
from spygames.heimlich.bots.expert import EXPERT
from spygames.heimlich.bots.expert_1 import EXPERT_1
from spygames.heimlich.bots.greedy import GREEDY
from spygames.heimlich.bots.splits import splits

BOTS: dict[tuple[bool, bool], dict[str, Bot]] = {
    switches: {
        "random": random,
        "splits": splits,
        "greedy": GREEDY[switches],
        "expert": EXPERT[switches],
        "expert-1": EXPERT_1[switches],
    }
    for switches in GREEDY
}
"""Bots by name, for each (top_secret, secret_identities)."""
