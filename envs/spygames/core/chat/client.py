"""Requests to a server of the OpenAI chat form: time limits, retries after failures of the server, size limits."""

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from spygames.core.basics.extras import how_to_install
from spygames.core.basics.json_values import is_count, parse_json
from spygames.core.basics.text import one_line, shown
from spygames.core.chat.model_name import ModelName, checked_url

OPENAI = "https://api.openai.com/v1"
OWN_KEY, OPENAI_KEY, OPENAI_URL = "SPYGAMES_LLM_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"
"""Environment variables. OPENAI_API_KEY is not sent to a URL that stands in a player's name, OWN_KEY is."""
MAX_BODY = 1 << 20
"""Maximum number of bytes of a response; of longer ones the rest is not read."""
MAX_ANSWER = 1 << 16
"""Maximum number of characters of an answer."""
TRIES, LATE_TRIES = 5, 2
"""Number of requests for one answer if the server fails, and if it does not answer in time."""
MAX_PAUSE = 60.0
"""Maximum number of seconds between two requests for one answer."""
STOPS = (401, 402, 403, 404, 405, 407, 410, 451)
"""Statuses that every further request would get as well: the key, the URL or the name of the model is wrong, or the
account has no credit left."""
MAX_CONNECT = 10.0
"""Maximum number of seconds for a connection."""


class Completion(NamedTuple):
    """An answer of a model."""

    text: str
    """The answer; its end if it is too long."""
    oversize: bool
    """Whether it has more than `MAX_ANSWER` characters, or more than `MAX_BODY` bytes. Then it is not read."""
    cut: bool
    """Whether the server ended it at its maximum number of tokens."""
    tokens_in: int | None
    """Number of tokens of the request; None: the server does not say."""
    tokens_out: int | None
    """Number of tokens of the answer; None: the server does not say."""
    seconds: float
    """Time of the request that was answered."""


class NoCompletion(Exception):
    """A request got no answer. `kind` is a word for counting, `stops` whether further requests are in vain."""

    def __init__(self, kind: str, message: str, stops: bool = False, again: bool = True, pause: float | None = None):
        super().__init__(message)
        self.kind, self.stops, self.again, self.pause = kind, stops, again, pause


class ChatClient:
    """A client of one model. Several threads may use it at the same time.

    Args:
        name: the model, its server, and what is requested.
        patience: seconds for an answer.
        pause: seconds before the second request for an answer; they double with each further one.

    Raises:
        ValueError: httpx is not installed, or an environment variable is wrong.
    """

    def __init__(self, name: ModelName, patience: float = 120.0, pause: float = 1.0):
        try:
            import httpx
        except ModuleNotFoundError as error:
            raise ValueError(f"language models need {error.name}: {how_to_install('llm')}") from error
        self.name, self.patience, self.pause = name, patience, pause
        other = os.environ.get(OPENAI_URL)
        base = name.url or (checked_url(other, f"the URL in {OPENAI_URL}") if other else OPENAI)
        self.url = f"{base}/chat/completions"
        key = os.environ.get(OWN_KEY) or (os.environ.get(OPENAI_KEY) if name.url is None else None)
        self._key = key = (key or "").strip()  # a file may have given it a line end
        if not (key.isascii() and (key.isprintable() or not key)):
            raise ValueError(f"the key in {OWN_KEY} or {OPENAI_KEY} must be one line of ASCII")
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=64)
        try:
            timeout = httpx.Timeout(patience, connect=min(patience, MAX_CONNECT))
            self._http = httpx.Client(headers=headers, timeout=timeout, limits=limits)
        except ValueError:
            raise ValueError("the proxy in the environment variables is wrong") from None

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def ask(self, messages: Sequence[Mapping[str, str]], failed: Callable[[str], None]) -> Completion:
        """Return the model's answer to a conversation.

        Args:
            messages: the conversation, each message with `role` and `content`.
            failed: called with the kind of each failure, also of those after which the request is repeated.

        Raises:
            NoCompletion: there is no answer.
        """
        body = json.dumps({"model": self.name.model, "messages": [*messages], **self._requested()}).encode("ascii")
        for number in range(1, TRIES + 1):
            try:
                return self._once(body)
            except NoCompletion as error:
                failed(error.kind)
                last = number >= (LATE_TRIES if error.kind == "timeout" else TRIES)
                if error.stops or not error.again or last:
                    raise
                time.sleep(min(MAX_PAUSE, max(self.pause * 2 ** (number - 1), error.pause or 0)))
        raise AssertionError("the last try returns or raises")

    def _requested(self) -> dict[str, Any]:
        name = self.name
        wanted = {"temperature": name.temperature, "max_tokens": name.tokens, "reasoning_effort": name.effort}
        return {key: value for key, value in wanted.items() if value is not None}

    def _once(self, body: bytes) -> Completion:
        """Send one request."""
        import httpx

        began = time.monotonic()
        try:
            with self._http.stream("POST", self.url, content=body) as response:
                parts, size, oversize = [], 0, False
                if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
                    raise NoCompletion("malformed", "the response is compressed, though that was not asked for")
                for part in response.iter_raw():
                    parts.append(part)
                    size += len(part)
                    if time.monotonic() - began > self.patience:
                        raise NoCompletion("timeout", f"no answer in {self.patience:g} s")
                    if size > MAX_BODY:
                        oversize = True
                        break
        except httpx.ConnectTimeout:
            raise NoCompletion("connect", f"no connection to {one_line(self.url)} in time") from None
        except httpx.TimeoutException:
            raise NoCompletion("timeout", f"no answer in {self.patience:g} s") from None
        except httpx.ConnectError as error:
            raise NoCompletion("connect", f"no connection to {one_line(self.url)}: {self._quoted(error)}") from None
        except httpx.HTTPError as error:
            raise NoCompletion("cut", f"the connection broke: {self._quoted(error)}") from None
        except httpx.InvalidURL as error:
            raise NoCompletion("url", f"the URL {one_line(self.url)} is not valid: {error}", stops=True) from None
        seconds = time.monotonic() - began
        if response.status_code != 200:
            raise self._refused(response.status_code, b"".join(parts), response.headers.get("retry-after", ""))
        if oversize:
            return Completion(_end(b"".join(parts[-1:]).decode("utf-8", "replace")), True, False, None, None, seconds)
        try:
            return _completion(b"".join(parts), seconds)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            what, begin = f"{type(error).__name__}: {one_line(error)}", b"".join(parts)[:200].decode("utf-8", "replace")
            message = f"the response is not in the chat form ({what}); it begins {shown(self._quoted(begin))}"
            raise NoCompletion("malformed", message) from None

    def _refused(self, status: int, body: bytes, retry_after: str) -> NoCompletion:
        """Return the error for a response with another status than 200."""
        text = body[:2000].decode("utf-8", "replace")
        try:
            found = parse_json(body)["error"]
            text = str(found["message"] if isinstance(found, dict) else found)
        except (ValueError, LookupError, TypeError):
            pass
        pause = (
            float(retry_after) if retry_after.isascii() and retry_after.isdecimal() and len(retry_after) < 6 else None
        )
        message = f"the server answered {status}: {self._quoted(text)}"
        if status in (401, 403) and not self._key:
            message += f" (no key was sent; the environment variable {OWN_KEY} has the key for any server)"
        passing = status in (408, 409, 425, 429) or status >= 500
        return NoCompletion(str(status), message, status in STOPS or status < 400, passing, pause)

    def _quoted(self, text: object) -> str:
        """Return a text for a message, without the key, which a server may repeat."""
        plain = str(text)
        return one_line(plain.replace(self._key, "...") if self._key else plain, 200)


def _completion(body: bytes, seconds: float) -> Completion:
    """Read a response with status 200. ValueError, LookupError, TypeError or AttributeError: another form."""
    found = parse_json(body)
    choice = found["choices"][0]
    content = choice["message"].get("content")
    if isinstance(content, list):  # parts, of which those of text count
        content = "".join(str(part.get("text") or "") for part in content)
    if not isinstance(content, str | None):
        raise TypeError("content must be a text")
    usage = found.get("usage") or {}
    tokens_in, tokens_out = (usage.get(key) for key in ("prompt_tokens", "completion_tokens"))
    finish = choice.get("finish_reason")
    text = (content or "").encode("utf-8", "replace").decode()  # no lone surrogates
    oversize = len(text) > MAX_ANSWER
    return Completion(
        _end(text) if oversize else text,
        oversize,
        finish == "length",
        tokens_in if is_count(tokens_in) else None,
        tokens_out if is_count(tokens_out) else None,
        seconds,
    )


def _end(text: str) -> str:
    return f"... {text[-200:]}"
