"""Run third-party code with a time limit."""

import signal
import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class TooLate(BaseException):
    """The time limit is exceeded. Not an `Exception`, so that code with `except Exception` does not catch it."""


def within(seconds: float | None, call: Callable[[], T]) -> T:
    """Return the result of `call()`, or raise TooLate if it takes longer than `seconds`.

    In the main thread of a POSIX system the call is interrupted between two Python operations. A long operation in C is
    not interrupted, nor is a call that catches TooLate, as `except:` does. In other threads and on other systems no
    call is interrupted. In all these cases TooLate is raised after `call` has returned.

    Args:
        seconds: the limit, above 0; None: no limit.
        call: a function without arguments.

    Raises:
        TooLate: the call took longer. Exceptions of `call` are passed on.
    """
    if seconds is None:
        return call()
    began = time.monotonic()
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        found = call()
        if time.monotonic() - began > seconds:
            raise TooLate
        return found
    armed, interrupted = True, False

    def late(signum: int, frame: object) -> None:
        nonlocal armed, interrupted
        if armed:
            armed, interrupted = False, True
            raise TooLate

    handler = signal.signal(signal.SIGALRM, late)
    other, interval = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        try:
            found = call()
        finally:
            armed = False
    finally:
        rest = max(other - (time.monotonic() - began), 1e-3) if other else 0.0  # a timer that other code has set
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, rest, interval)
    if interrupted:  # the call has caught TooLate
        raise TooLate
    return found
