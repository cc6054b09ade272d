"""Task executors: the interface, and the serial executor.

A task is a call of a module-level function with picklable arguments. Its result depends on the arguments alone. So any
process may compute it, and may compute it again after a failure.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

__all__ = ["SERIAL", "Executor", "TaskLost"]

T = TypeVar("T")
Progress = Callable[[int], None]
"""Called with the amount of work done since the last call. The number is negative if a task was lost and starts
again."""
Task = tuple[Any, ...]
"""The arguments of a call."""

ATTEMPTS = 3
"""Maximum number of attempts to compute a task if its process dies."""


class TaskLost(OSError):
    """Raised if the process that computed a task died on every attempt; the message is one line."""


class Executor(ABC):
    """Computes tasks. Leaving its context ends all computation."""

    parallel = True
    """Whether several tasks are computed at the same time, in other processes."""
    elsewhere = False
    """Whether tasks may be computed on other machines."""
    lockstep: int | None = None
    """Maximum number of games of a task of a match; None: `play_games.LOCKSTEP`."""

    @abstractmethod
    def run(
        self, function: Callable[..., T], tasks: Iterable[Task], progress: Progress | None = None, cpus: int = 1
    ) -> Iterator[tuple[int, T]]:
        """Compute `function(*task, progress)` for each task. Only one `run` may be active at a time.

        Args:
            function: a module-level function, so that other processes can import it.
            tasks: arguments of the calls; the next task is taken when a process is free.
            progress: called by the function with the work that it has done.
            cpus: processors that one task keeps busy.

        Returns:
            The index of each task, from 0, with its result, in the order of completion. Closing the iterator early ends
            the running tasks; training runs save first.

        Raises:
            TaskLost: a task was lost on all attempts.
            ValueError: arguments or a result cannot be pickled.
            Exception: the function raised it; the other tasks are ended.
        """

    def in_order(
        self, function: Callable[..., T], tasks: Iterable[Task], progress: Progress | None = None, cpus: int = 1
    ) -> Iterator[T]:
        """Compute tasks as `run` does, and yield their results in the order of the tasks."""
        waiting: dict[int, T] = {}
        following = 0
        for number, result in self.run(function, tasks, progress, cpus):
            waiting[number] = result
            while following in waiting:
                yield waiting.pop(following)
                following += 1

    def close(self) -> None:
        """End the running tasks."""
        return

    def __enter__(self) -> "Executor":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Serial(Executor):
    """Computes one task after another in this process."""

    parallel = False

    def run(
        self, function: Callable[..., T], tasks: Iterable[Task], progress: Progress | None = None, cpus: int = 1
    ) -> Iterator[tuple[int, T]]:
        """See `Executor.run`."""
        for number, task in enumerate(tasks):
            yield number, function(*task, progress)


SERIAL = Serial()
"""The shared serial executor."""
