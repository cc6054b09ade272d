"""Search with a policy network: worlds weighted by the rivals' decisions, and rollouts in which each seat sees its own
view."""

from spygames.core.basics.extras import how_to_install

try:
    import torch  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"{__name__} needs torch: {how_to_install('training')}", name="torch") from error

from spygames_training.search.belief import Belief
from spygames_training.search.player import SearchingPolicy
from spygames_training.search.policy_search import Findings
from spygames_training.search.settings import SearchSettings

__all__ = ["Belief", "Findings", "SearchSettings", "SearchingPolicy"]
