"""A program that is talked to in JSON lines, with a limit for each answer. It can hold up nobody for longer."""

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from typing import IO, Any

from spygames.core.basics.text import one_line, shown

MOST_BYTES = 1 << 16
"""Of a line that a program writes, and of what is kept of its stderr."""
_WAITING = 64  # lines that a program may write ahead of what is read; then its pipe fills up and it waits
_GRACE = 1.0  # seconds from the end of its input to the end of a program


class PipeError(Exception):
    """A program does not do what it should.

    Args:
        what: "gave no answer in 10 s"; it betrays nothing that the program knows.
        detail: what the program said.
    """

    def __init__(self, what: str, detail: str = ""):
        super().__init__(f"{what}: {detail}" if detail else what)
        self.what, self.detail = what, detail


class PipeLate(PipeError):
    """A program gives no answer in time."""


class Pipe:
    """A running program; PipeError if it cannot be started.

    Three threads move bytes between its pipes and queues, so that neither side waits for the other to read.
    """

    def __init__(self, arguments: Sequence[str]):
        try:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=os.name == "posix",  # so that its children end with it, and Ctrl-C is not theirs
            )
        except (OSError, ValueError) as error:
            raise PipeError(f"cannot be started: {one_line(error)}") from None
        self._out: queue.Queue[bytes | None] = queue.Queue()
        self._in: queue.Queue[bytes] = queue.Queue(_WAITING)
        self._closed = threading.Event()
        self._errors: deque[bytes] = deque(maxlen=MOST_BYTES >> 10)
        ends = self._process.stdin, self._process.stdout, self._process.stderr
        assert ends[0] is not None
        assert ends[1] is not None
        assert ends[2] is not None
        for work, *given in (
            (_write, ends[0], self._out),
            (_read, ends[1], self._in, self._closed),
            (_keep, ends[2], self._errors),
        ):
            self._last = threading.Thread(target=work, args=given, daemon=True)
            self._last.start()
        self._finalizer = weakref.finalize(self, _end, self._process, self._out, self._closed)

    def send(self, message: Mapping[str, Any]) -> None:
        """Sends one line; whether the program reads it shows in its answer."""
        self._out.put(json.dumps(message).encode() + b"\n")

    def receive(self, limit: float) -> dict[str, Any]:
        """The next line of the program, within `limit` seconds.

        Raises:
            PipeError: there is none in time, the program has ended, or it is no JSON object.
        """
        try:
            line = self._in.get(timeout=limit)
        except queue.Empty:
            raise PipeLate(f"gave no answer in {limit:g} s") from None
        if not line:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_GRACE)
            code = self._process.poll()
            raise PipeError("closed its output" if code is None else f"ended with exit code {code}")
        if len(line) > MOST_BYTES:
            raise PipeError(f"wrote a line of more than {MOST_BYTES} bytes")
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise PipeError("wrote a line that is no JSON object", shown(line.decode(errors="replace").strip()))
        return message

    @property
    def last_error(self) -> str:
        """The last line that the program wrote on stderr; "" where it wrote none."""
        lines = b"".join(list(self._errors)).decode(errors="replace").split("\n")
        return next((line for line in reversed(lines) if line.strip()), "")

    def close(self) -> None:
        """Ends the program: it may read what was sent and end by itself for a second."""
        self._finalizer()
        self._last.join(_GRACE)  # what it has written on stderr is read


def _write(pipe: IO[bytes], lines: "queue.Queue[bytes | None]") -> None:
    """Writes what is sent until there is no more or nobody reads it."""
    with contextlib.suppress(OSError, ValueError):
        while (line := lines.get()) is not None:
            pipe.write(line)
            pipe.flush()
    with contextlib.suppress(OSError, ValueError):
        pipe.close()


def _read(pipe: IO[bytes], lines: "queue.Queue[bytes]", closed: threading.Event) -> None:
    """Reads lines, of a long one a part, until the end, which is an empty one."""
    line = b"-"
    while line and len(line) <= MOST_BYTES:
        try:
            line = pipe.readline(MOST_BYTES + 1)
        except (OSError, ValueError):
            line = b""
        while not closed.is_set():
            with contextlib.suppress(queue.Full):
                lines.put(line, timeout=0.1)
                break


def _keep(pipe: IO[bytes], kept: deque[bytes]) -> None:
    with contextlib.suppress(OSError, ValueError):
        while part := pipe.readline(1 << 10):
            kept.append(part)


def _end(process: "subprocess.Popen[bytes]", lines: "queue.Queue[bytes | None]", closed: threading.Event) -> None:
    """Ends a program and what it has started."""
    lines.put(None)
    closed.set()
    end = time.monotonic() + _GRACE
    while process.poll() is None and time.monotonic() < end:
        time.sleep(0.005)
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
