"""A subprocess that exchanges JSON lines, with a time limit for each reply."""

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

MAX_BYTES = 1 << 16
"""Maximum length of a line that a program writes, and of the part of its stderr that is kept."""
_WAITING = 64  # maximum number of unread lines of a program; then its pipe fills up and it waits
_GRACE = 1.0  # seconds that a program has to end by itself after its input has ended


class PipeError(Exception):
    """A program has broken the protocol or ended.

    Args:
        what: the public part of the message, such as "gave no answer in 10 s". It reveals nothing that the program
            knows.
        detail: the private part, such as the program's output.
    """

    def __init__(self, what: str, detail: str = ""):
        super().__init__(f"{what}: {detail}" if detail else what)
        self.what, self.detail = what, detail


class PipeLate(PipeError):
    """A program has not answered in time."""


class Pipe:
    """A running program.

    Three threads move bytes between its pipes and queues, so that neither side waits for the other to read.

    Raises:
        PipeError: the program cannot be started.
    """

    def __init__(self, arguments: Sequence[str]):
        try:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=os.name == "posix",  # its children end with it, and Ctrl-C does not reach them
            )
        except (OSError, ValueError) as error:
            raise PipeError(f"cannot be started: {one_line(error)}") from None
        self._out: queue.Queue[bytes | None] = queue.Queue()
        self._in: queue.Queue[bytes] = queue.Queue(_WAITING)
        self._closed = threading.Event()
        self._errors: deque[bytes] = deque(maxlen=MAX_BYTES >> 10)
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
        """Send one line. This never blocks; only `receive` shows whether the program has read it."""
        self._out.put(json.dumps(message).encode() + b"\n")

    def receive(self, limit: float) -> dict[str, Any]:
        """Return the next line of the program as a JSON object.

        Args:
            limit: seconds to wait.

        Raises:
            PipeLate: no line has arrived in time.
            PipeError: the program has ended, or the line is too long or not a JSON object.
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
        if len(line) > MAX_BYTES:
            raise PipeError(f"wrote a line of more than {MAX_BYTES} bytes")
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise PipeError("wrote a line that is not a JSON object", shown(line.decode(errors="replace").strip()))
        return message

    @property
    def last_error(self) -> str:
        """The last line that the program wrote to stderr; "" if there is none."""
        lines = b"".join(list(self._errors)).decode(errors="replace").split("\n")
        return next((line for line in reversed(lines) if line.strip()), "")

    def close(self) -> None:
        """End the program. It has a second to read its input and to end by itself."""
        self._finalizer()
        self._last.join(_GRACE)  # reads the rest of its stderr


def _write(pipe: IO[bytes], lines: "queue.Queue[bytes | None]") -> None:
    """Write all sent lines, until the queue ends or the pipe is closed."""
    with contextlib.suppress(OSError, ValueError):
        while (line := lines.get()) is not None:
            pipe.write(line)
            pipe.flush()
    with contextlib.suppress(OSError, ValueError):
        pipe.close()


def _read(pipe: IO[bytes], lines: "queue.Queue[bytes]", closed: threading.Event) -> None:
    """Read lines until the end of the output, which gives an empty line. Only the beginning of a long line is kept."""
    line = b"-"
    while line and len(line) <= MAX_BYTES:
        try:
            line = pipe.readline(MAX_BYTES + 1)
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
    """End a program and its children."""
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
