"""Scripted players for advanced mode and for teams."""

from spygames.core.bots import random
from spygames.core.game import Bot

VARIANT_BOTS: dict[str, Bot] = {"random": random}
