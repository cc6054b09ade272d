"""The training loop: updates, and between them evaluations, reports, saves, callbacks and signals."""

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
from spygames_training.networks.device import usual_torch
from spygames_training.parallel.processes import Processes
from spygames_training.ppo.learner import Learner
from spygames_training.runs.report import Report
from spygames_training.system.threads import one_thread


class Trained(Protocol):
    """The part of `Run` that the loop uses."""

    config: Config
    folder: Path
    processes: Processes
    learner: Learner
    progress: dict[str, Any]
    stopping: bool
    earlier: list[dict[str, Any]]

    @property
    def finished(self) -> bool:
        """Whether the run has made all its decisions."""
        ...

    def update(self) -> dict[str, Any]:
        """Make one update and return its metrics."""
        ...

    def evaluate(self) -> dict[str, float]:
        """Play against the evaluation opponents and return the win shares."""
        ...

    def save(self) -> None:
        """Save state and agent."""
        ...

    def check_unchanged(self) -> None:
        """Raise ValueError if another process has trained in the folder since the run was made."""
        ...

    def save_agent(self) -> None:
        """Save the agent only."""
        ...

    def close(self) -> None:
        """Release threads and other resources."""
        ...


def check_callbacks(callbacks: Sequence[Callable[..., object]]) -> None:
    """Raise TypeError if `callbacks` is not a list of functions."""
    if callable(callbacks):
        raise TypeError(f"callbacks must be a list of functions, such as [{shown(callbacks)}]")
    for callback in callbacks:
        if not callable(callback):
            raise TypeError(f"a callback must be a function of a run and its metrics, not {shown(callback)}")


class Due(NamedTuple):
    """What to do after an update."""

    evaluate: bool
    save: bool


class TrainingLoop:
    """Trains a run to its end.

    Args:
        run: the run.
        callbacks: called in order after each update, in the first process only.
        progress: whether to show the progress.

    Raises:
        TypeError: a callback is not callable.
    """

    def __init__(self, run: Trained, callbacks: Sequence[Callable[..., object]], progress: bool):
        check_callbacks(callbacks)
        self.run, self.callbacks, self.progress = run, callbacks, progress
        self._interrupted = False
        self._evaluated = self._saved = time.monotonic()

    def train(self) -> None:
        """Train, save and report. The exceptions are those of `Run.train`."""
        run = self.run
        with ExitStack() as stack:
            with run.processes.in_own_time():
                if run.processes.first:
                    stack.enter_context(only_one(run.folder))
                    run.check_unchanged()
            stack.enter_context(signals_to(self._interrupt))
            try:
                with usual_torch(), one_thread(), self._report() as report:  # each worker uses one thread
                    self._train(report)
            finally:
                run.close()

    def _train(self, report: Report | None) -> None:
        run, stopping, nothing_left = self.run, False, self.run.finished
        if run.learner.updates == 0:
            run.save()  # from now on, a run that is killed can be resumed
        else:
            run.save_agent()  # the agent is older than the state if the run was killed between the two
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
            requests = run.processes.gather(np.array([self._interrupted, run.stopping or failure is not None]))
            interrupted, stopping = np.any(requests, axis=0).tolist()
            if due.save or interrupted or stopping:
                run.save()
                self._saved = time.monotonic()
            if failure is not None:
                raise failure
            if interrupted:
                if report:
                    report.plot()
                raise KeyboardInterrupt
        with run.processes.in_own_time():
            if report:
                report.plot()
                if run.finished:
                    report.summarize(run.progress["decisions"], run.progress["seconds"], not nothing_left)
        if self._interrupted:  # while the report was made: a caller with more runs must not go on
            raise KeyboardInterrupt

    def _call(self, metrics: dict[str, Any]) -> Exception | None:
        """Call the callbacks in the first process. Return the exception that one raised, or None."""
        try:
            for callback in self.callbacks if self.run.processes.first else ():
                callback(self.run, dict(metrics))
        except Exception as failure:
            return failure
        return None

    def _due(self) -> Due:
        """Return what to do after the last update. It is the same in all processes: the first one's clock decides."""
        now, run, config = time.monotonic(), self.run, self.run.config
        after = run.progress["decisions"]
        due = np.array([now - self._evaluated >= config.evaluate_every, now - self._saved >= config.save_every])
        evaluate, save = run.processes.gather(due)[0].tolist()
        before = after - config.ppo.games * config.ppo.steps
        milestone = run.finished or run.learner.updates == 1 or before < config.decisions / 2 <= after
        return Due(evaluate or milestone, save or run.finished)

    def _interrupt(self, *_: object) -> None:
        """Stop the run after the current update, since a state in the middle of an update could not be resumed.

        A second signal stops it at once, without saving.
        """
        if self._interrupted:
            raise KeyboardInterrupt("stopped at once, without saving; the last saved state is intact")
        self._interrupted = True

    def _report(self) -> AbstractContextManager[Report | None]:
        run = self.run
        if not run.processes.first:
            return nullcontext()
        total, done = run.config.whole_updates, run.progress["decisions"]
        return Report(run.folder, total, done, run.earlier, self.progress, run.config.evaluate_play)


@contextmanager
def signals_to(handler: Callable[..., object]) -> Iterator[None]:
    """Context in which Ctrl-C and SIGTERM call `handler`.

    Nothing changes outside the main thread. A handler that was not installed from Python is kept too, since it could
    not be restored.
    """
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
