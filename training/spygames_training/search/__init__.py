"""Search with a policy network: worlds weighted by the rivals' decisions, and rollouts in which each seat sees its own
view."""

from spygames_training.search.belief import Belief
from spygames_training.search.player import SearchingPolicy
from spygames_training.search.policy_search import Findings
from spygames_training.search.settings import SearchSettings

__all__ = ["Belief", "Findings", "SearchSettings", "SearchingPolicy"]
