"""The loop of a training run: update after update, with evaluations, reports, saves, callbacks and signals between."""

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from spygames.core.basics.text import shown
from spygames_training.config import Config
from spygames_training.files.atomic import only_one
from spygames_training.networks.device import one_thread, usual_torch
from spygames_training.parallel.processes import Processes
from spygames_training.ppo.learner import Learner
from spygames_training.runs.report import Report


class Trained(Protocol):
    """What the loop needs of a run (`Run`)."""

    config: Config
    folder: Path
    processes: Processes
    learner: Learner
    progress: dict[str, Any]
    stopping: bool
    earlier: list[dict[str, Any]]

    @property
    def finished(self) -> bool:
        """Whether all decisions are made."""
        ...

    def update(self) -> dict[str, Any]:
        """One update; returns its metrics."""
        ...

    def evaluate(self) -> dict[str, float]:
        """Plays against the evaluation's opponents; returns the win fractions."""
        ...

    def save(self) -> None:
        """Saves state and agent."""
        ...

    def save_agent(self) -> None:
        """Saves the agent alone."""
        ...

    def close(self) -> None:
        """Ends what the run keeps open."""
        ...


def check_callbacks(callbacks: Sequence[Callable[..., object]]) -> None:
    """TypeError if they are no list of functions."""
    if callable(callbacks):
        raise TypeError(f"callbacks must be a list of functions: [{shown(callbacks)}]")
    for callback in callbacks:
        if not callable(callback):
            raise TypeError(f"a callback is a function of a run and its metrics, not {shown(callback)}")


class Due(NamedTuple):
    """What a run does after an update."""

    evaluate: bool
    save: bool


class TrainingLoop:
    """The training of a run to its end.

    Args:
        run: what is trained.
        callbacks: called in their order after each update, by the first process only.
        progress: whether the progress is shown.

    Raises:
        TypeError: a callback cannot be called.
    """

    def __init__(self, run: Trained, callbacks: Sequence[Callable[..., object]], progress: bool):
        check_callbacks(callbacks)
        self.run, self.callbacks, self.progress = run, callbacks, progress
        self._interrupted = False
        self._evaluated = self._saved = time.monotonic()

    def train(self) -> None:
        """Trains, saves and reports; raises what `Run.train` says."""
        run = self.run
        with ExitStack() as stack:
            with run.processes.in_own_time():
                if run.processes.first:
                    stack.enter_context(only_one(run.folder))
            stack.enter_context(signals_to(self._interrupt))
            try:
                with usual_torch(), one_thread(), self._report() as report:  # each worker is one thread
                    self._train(report)
            finally:
                run.close()

    def _train(self, report: Report | None) -> None:
        run, stopping = self.run, False
        if run.learner.updates == 0:
            run.save()  # so that a kill at any moment leaves something to resume
        else:
            run.save_agent()  # which is older than the state after a kill between the two
        self._evaluated = self._saved = time.monotonic()
        while not run.finished and not stopping:
            metrics = run.update()
            due = self._due()
            with run.processes.in_own_time():
                if due.evaluate:
                    metrics |= run.evaluate()
                    self._evaluated = time.monotonic()
                if report:
                    report.add(metrics)
                failure = self._call(metrics)
            asked = run.processes.gather(np.array([self._interrupted, run.stopping or failure is not None]))
            interrupted, stopping = np.any(asked, axis=0).tolist()
            if due.save or interrupted or stopping:
                run.save()
                self._saved = time.monotonic()
            if failure is not None:
                raise failure
            if interrupted:
                raise KeyboardInterrupt
        with run.processes.in_own_time():
            if report:
                report.plot()
                if run.finished:
                    report.summarise(run.progress["decisions"], run.progress["seconds"])

    def _call(self, metrics: dict[str, Any]) -> Exception | None:
        """Calls back, in the first process; returns what was raised."""
        try:
            for callback in self.callbacks if self.run.processes.first else ():
                callback(self.run, dict(metrics))
        except Exception as failure:
            return failure
        return None

    def _due(self) -> Due:
        """What to do after the last update, the same in all processes: the clock of the first one counts for all."""
        now, run, config = time.monotonic(), self.run, self.run.config
        after = run.progress["decisions"]
        asked = np.array([now - self._evaluated >= config.evaluate_every, now - self._saved >= config.save_every])
        evaluate, save = run.processes.gather(asked)[0].tolist()
        before = after - config.ppo.games * config.ppo.steps
        milestone = run.finished or run.learner.updates == 1 or before < config.decisions / 2 <= after
        return Due(evaluate or milestone, save or run.finished)

    def _interrupt(self, *_: object) -> None:
        """Ends the run after the update that is being made, since a state from its middle could not be resumed; a
        second signal ends it at once, without saving."""
        if self._interrupted:
            raise KeyboardInterrupt("stopped at once, without saving; the last saved state is whole")
        self._interrupted = True

    def _report(self) -> AbstractContextManager[Report | None]:
        run = self.run
        if not run.processes.first:
            return nullcontext()
        return Report(run.folder, run.config.decisions, run.progress["decisions"], run.earlier, self.progress)


@contextmanager
def signals_to(handler: Callable[..., object]) -> Iterator[None]:
    """Ctrl-C and SIGTERM call `handler` inside. Outside the main thread nothing changes, nor does a handler that Python
    does not know, and so could not put back."""
    before: dict[int, Any] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) is not None:
                    before[number] = signal.signal(number, handler)
        yield
    finally:
        for number, was in before.items():
            signal.signal(number, was)
