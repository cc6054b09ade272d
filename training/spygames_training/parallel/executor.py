"""What computes tasks, and the simplest of them, this process.

A task is a call of a function of a module with arguments that can be pickled. What comes of it depends on these alone,
so that it may be computed anywhere, and again where it was lost.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

__all__ = ["SERIAL", "Executor", "TaskLost"]

T = TypeVar("T")
Progress = Callable[[int], None]
"""Called with how much was done since the last call; with a negative number where a task was lost and begins again."""
Task = tuple[Any, ...]
"""The arguments of a call."""

ATTEMPTS = 3
"""How often a task is tried whose process dies."""


class TaskLost(OSError):
    """The process that computed a task has died, and again when it was tried again; the message is one line."""


class Executor(ABC):
    """Computes tasks. It is a context manager, at whose end nothing is computed any more."""

    parallel = True
    """Whether several tasks are computed at a time, in other processes."""
    elsewhere = False
    """Whether they may be computed on other machines."""

    @abstractmethod
    def run(
        self, function: Callable[..., T], tasks: Iterable[Task], progress: Progress | None = None, cpus: int = 1
    ) -> Iterator[tuple[int, T]]:
        """Computes `function(*task, progress)` for each task; one `run` at a time.

        Args:
            function: of a module, so that other processes find it.
            tasks: arguments; the next one is asked for when somebody is free to compute it.
            progress: told by the function of what it has done.
            cpus: processors that a task keeps busy.

        Returns:
            The number of each task, from 0, and what came of it, as they end. Whoever stops listening before the end
            ends the tasks that are being computed; training runs save first.

        Raises:
            TaskLost: a task was given up.
            ValueError: arguments or a result cannot be pickled.
            Exception: what the function raised; the other tasks are ended.
        """

    def in_order(
        self, function: Callable[..., T], tasks: Iterable[Task], progress: Progress | None = None, cpus: int = 1
    ) -> Iterator[T]:
        """What came of the tasks, in their order; arguments and errors as of `run`."""
        waiting: dict[int, T] = {}
        following = 0
        for number, found in self.run(function, tasks, progress, cpus):
            waiting[number] = found
            while following in waiting:
                yield waiting.pop(following)
                following += 1

    def close(self) -> None:
        """Ends what is being computed."""
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
        """As of `Executor`."""
        for number, task in enumerate(tasks):
            yield number, function(*task, progress)


SERIAL = Serial()
"""Computes tasks here, one after another."""
