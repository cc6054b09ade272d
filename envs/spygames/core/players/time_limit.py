"""Code of strangers that may take too long, in this process."""

import signal
import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class TooLate(BaseException):
    """The time is over. No `Exception`, so that code which catches those does not go on."""


def within(seconds: float | None, call: Callable[[], T]) -> T:
    """What `call` returns.

    Where it can be, it is interrupted when the time is over: in the main thread of a POSIX system, between two
    operations of Python. One that lasts, as a loop in C, is not; nor is anything elsewhere, which only counts as too
    late once it has returned.

    Args:
        seconds: above 0; None: as long as it takes.
        call: without arguments.

    Raises:
        TooLate: it took longer. Whatever `call` raises.
    """
    if seconds is None:
        return call()
    began = time.monotonic()
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        found = call()
        if time.monotonic() - began > seconds:
            raise TooLate
        return found
    armed = True

    def late(signum: int, frame: object) -> None:
        nonlocal armed
        if armed:
            armed = False
            raise TooLate

    handler = signal.signal(signal.SIGALRM, late)
    other, interval = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        try:
            return call()
        finally:
            armed = False
    finally:
        rest = max(other - (time.monotonic() - began), 1e-3) if other else 0.0  # of whoever else has set a timer
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, rest, interval)
