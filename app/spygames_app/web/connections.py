"""Connections that end: nobody holds the server up by a request that is never sent whole, or an answer never read."""

import asyncio
import time

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 30.0
"""Seconds in which a request must be sent whole, and in which a client must take more of its answer."""
MAX_CONNECTIONS = 100
"""Connections at a time; a further one takes the place of the one that has not sent a whole request for longest."""


class Connection(H11Protocol):
    """uvicorn's protocol with an end to waiting for the client."""

    _timer: asyncio.TimerHandle | None = None
    """Runs while the server waits for the client."""
    _since = 0.0
    """When it began to wait, of the monotonic clock."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Waits for the first request, as one of at most `MAX_CONNECTIONS`."""
        super().connection_made(transport)  # type: ignore[arg-type]
        others = [each for each in self.connections if isinstance(each, Connection) and each is not self]
        if len(others) >= MAX_CONNECTIONS:
            waiting = [each for each in others if each._timer is not None]
            min(waiting, key=lambda each: each._since, default=self).transport.abort()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._wait_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Takes a part of a request, for which the time begins with its first one."""
        if self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0] and not self.flow.write_paused:
            self._wait()
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Waits for the next request, or for the rest of one that was answered before it was whole."""
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """The client does not take its answer as fast as it is made."""
        super().pause_writing()
        self._wait()

    def resume_writing(self) -> None:
        """The client has taken more of its answer."""
        super().resume_writing()
        self._wait_no_more()
        self._look()

    def shutdown(self) -> None:
        """Ends the connection with the server, unless a request is being answered."""
        if self._timer is not None:
            self.transport.abort()
        else:
            super().shutdown()

    def _look(self) -> None:
        """Begins or ends waiting, by whether it is the client's turn."""
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
