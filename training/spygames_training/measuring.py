"""Measure how strong players are: win fractions with intervals, line-ups, sequential tests, calibration.

>>> from spygames import make_game
>>> from spygames_training.measuring import evaluate
>>> game = make_game("agent_avenue_v0")
>>> results = evaluate(game, "agent_avenue/simple-2", ["random", "greedy"], games=200, seed=1)

Games are played in pairs or more from the same seed with the seats exchanged, so that a lucky deal helps nobody.
`docs/protocol.md` says how many games a result needs.
"""

from spygames_training.calibration import Calibration, calibrate, draw_calibration
from spygames_training.card import card
from spygames_training.evaluation import Result, cross_play, evaluate
from spygames_training.experiments.best_response import best_response
from spygames_training.figures import Adversary, Figures, read_evaluation, read_figures
from spygames_training.line_ups import LineUpResult, line_up
from spygames_training.sequential import Comparison, SequentialTest, Verdict, compare, log_likelihood_ratio
from spygames_training.tasks.choose import executor_of
from spygames_training.tasks.executor import SERIAL, Executor, TaskLost

__all__ = [
    "SERIAL",
    "Adversary",
    "Calibration",
    "Comparison",
    "Executor",
    "Figures",
    "LineUpResult",
    "Result",
    "SequentialTest",
    "TaskLost",
    "Verdict",
    "best_response",
    "calibrate",
    "card",
    "compare",
    "cross_play",
    "draw_calibration",
    "evaluate",
    "executor_of",
    "line_up",
    "log_likelihood_ratio",
    "read_evaluation",
    "read_figures",
]
