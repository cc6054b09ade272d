"""Scripted players of Agent DOG. A bot sees a view and a mask, never the state."""

from spygames.core.bots import random

BOTS = {"random": random}
