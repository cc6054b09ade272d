"""Connections with timeouts, so that incomplete requests and unread answers cannot block the server."""

import asyncio
import time

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 30.0
"""Seconds within which a client must send a complete request, and must read more of its answer."""
MAX_CONNECTIONS = 100
"""Maximum number of connections. A further one replaces the one that has waited longest for a complete request."""


class Connection(H11Protocol):
    """uvicorn's protocol with a limit on the time that it waits for the client."""

    _timer: asyncio.TimerHandle | None = None
    """Runs while the server waits for the client."""
    _since = 0.0
    """Start of the wait on the monotonic clock."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first request. Close another connection if there are more than `MAX_CONNECTIONS`."""
        super().connection_made(transport)  # type: ignore[arg-type]
        others = [each for each in self.connections if isinstance(each, Connection) and each is not self]
        if len(others) >= MAX_CONNECTIONS:
            waiting = [each for each in others if each._timer is not None]
            min(waiting, key=lambda each: each._since, default=self).transport.abort()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._wait_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Receive a part of a request. The time limit starts with the first part."""
        if self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0] and not self.flow.write_paused:
            self._wait()
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Wait for the next request, or for the rest of one that was answered before it was complete."""
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """Wait for the client, which reads its answer more slowly than it is written."""
        super().pause_writing()
        self._wait()

    def resume_writing(self) -> None:
        """Stop waiting: the client has read more of its answer."""
        super().resume_writing()
        self._wait_no_more()
        self._look()

    def shutdown(self) -> None:
        """Close the connection at shutdown, unless a request is being answered."""
        if self._timer is not None:
            self.transport.abort()
        else:
            super().shutdown()

    def _look(self) -> None:
        """Start or stop waiting, depending on whether it is the client's turn."""
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY) and not self.flow.write_paused:
            self._wait_no_more()
        elif self._timer is None and not self.transport.is_closing():
            self._wait()

    def _wait(self) -> None:
        self._wait_no_more()
        self._since = time.monotonic()
        self._timer = self.loop.call_later(PATIENCE, self.transport.abort)

    def _wait_no_more(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
