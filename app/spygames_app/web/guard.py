"""Protection against requests from other sites and other people.

A page of another site can send requests to 127.0.0.1. The Host header must therefore be one of ours (against DNS
rebinding). A request that changes something also needs our Origin, a cookie that browsers send only to our pages, and
the token of our forms.
"""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spygames_app.web.page import sorry

POLICY = "default-src 'none'; " + "; ".join(
    [*(f"{kind}-src 'self'" for kind in ("script", "style", "font", "img", "connect")), "form-action 'self'",
     "base-uri 'none'", "frame-ancestors 'none'"]
)  # fmt: skip
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


FILES = ("/static/", "/fonts/")
"""Paths of files that are the same for all visitors."""


class Bad(HTTPException):
    """An invalid request. The answer is a page with one line."""


class Guard:
    """Middleware that rejects requests from other sites and adds security headers."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]):
        self.plain, self.packed = app, GZipMiddleware(app, minimum_size=1000, compresslevel=5)
        self.hosts, self.origins = hosts, {f"http://{host}" for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.plain(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if scope["path"].startswith(FILES):  # not secret, and revalidated by their ETag
                    headers["Cache-Control"] = "no-cache"
            await send(message)

        headers = Headers(scope=scope)
        wrong = None
        if headers.get("host", "") not in self.hosts:
            wrong = "This is not the address of this server."
        elif scope["method"] not in ("GET", "HEAD") and headers.get("origin") not in {
            f"http://{x}" for x in self.hosts
        }:
            wrong = "The form was not sent from this page."
        if wrong:
            response: ASGIApp = HTMLResponse(sorry("Not allowed", wrong), 403)
            await response(scope, receive, send_with_headers)
        else:
            # Compression would delay the lines of a stream.
            app = self.plain if scope["path"].endswith("/act") else self.packed
            await app(scope, receive, send_with_headers)


async def read_form(request: Request, most: int) -> Mapping[str, str]:
    """Return the fields of a form.

    Raises:
        Bad: 413 if the form is longer than `most` bytes; 400 if it is invalid or incomplete.
    """
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > most:
                raise Bad(413, f"The form must have at most {most:,} bytes.")
    except ClientDisconnect:
        raise Bad(400, "The form is incomplete.") from None
    try:
        fields = dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True, errors="strict", max_num_fields=64))
    except ValueError:  # UnicodeDecodeError is one
        raise Bad(400, "The form is not valid UTF-8.") from None
    return fields
