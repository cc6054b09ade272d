"""Measure how strong players are: win shares with intervals, line-ups, sequential tests.

>>> from spygames import make_game
>>> from spygames_training.measuring import evaluate
>>> game = make_game("agent_avenue_v0")
>>> results = evaluate(game, "agent_avenue/simple-2", ["random", "greedy"], games=200, seed=1)
>>> [result.opponent for result in results]
['random', 'greedy']

Every deal is played once with the challenger on each side, so that a lucky deal favors no player. `docs/protocol.md`
says how many games a result needs.
"""

from typing import TYPE_CHECKING, Any

import spygames_training
from spygames_training.bridges.executors import executor_of
from spygames_training.evaluation.evaluation import Forfeits, Result, cross_play, evaluate
from spygames_training.evaluation.line_ups import LineUpForfeits, LineUpResult, line_up
from spygames_training.evaluation.sequential import Comparison, SequentialTest, Verdict, compare, log_likelihood_ratio
from spygames_training.parallel.executor import SERIAL, Executor, TaskLost

if TYPE_CHECKING:
    from spygames_training.experiments.best_response import BestResponse, best_response

__all__ = [
    "SERIAL",
    "BestResponse",
    "Comparison",
    "Executor",
    "Forfeits",
    "LineUpForfeits",
    "LineUpResult",
    "Result",
    "SequentialTest",
    "TaskLost",
    "Verdict",
    "best_response",
    "compare",
    "cross_play",
    "evaluate",
    "executor_of",
    "line_up",
    "log_likelihood_ratio",
]


def __getattr__(name: str) -> Any:
    if name in ("BestResponse", "best_response"):  # these alone need torch
        return getattr(spygames_training, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
