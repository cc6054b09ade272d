"""Names of language models as players: `llm:MODEL[@URL][,SETTING=VALUE...]`."""

import re
from dataclasses import dataclass
from typing import Literal, get_args
from urllib.parse import urlsplit

from spygames.core.basics.text import one_line, shown

Mode = Literal["listed", "rules", "listed-on-retry"]
"""When the legal actions are listed: at each decision, never, or only after an answer without a legal action."""
MODES = get_args(Mode)
MAX_RETRIES = 5
MAX_ANSWER_TOKENS = 1_000_000
PREFIX = "llm:"

_SETTING = re.compile(r",(?=[A-Za-z_-]+=)")
_URL = re.compile(r"@(?=https?://)")
_WORD = re.compile(r"[A-Za-z0-9_-]{1,40}")


@dataclass(frozen=True)
class ModelName:
    """The parts of the name of a language model. `str(name)` is the name in full, which always states the mode."""

    model: str
    """The model, as its server names it."""
    url: str | None = None
    """Base URL of the server, before `/chat/completions`; None: the environment variable OPENAI_BASE_URL, or OpenAI."""
    mode: Mode = "listed"
    """When the legal actions are listed."""
    retries: int = 2
    """Number of further tries after an answer without a legal action, 0 to `MAX_RETRIES`."""
    temperature: float | None = None
    """Temperature that is requested, 0 to 2; None: the server's own."""
    tokens: int | None = None
    """`max_tokens` of an answer that is requested; None: the server's own."""
    effort: str | None = None
    """`reasoning_effort` that is requested, such as low; None: the server's own."""

    @classmethod
    def parse(cls, argument: str) -> "ModelName":
        """Read a name without its prefix `llm:`.

        Raises:
            ValueError: the model is missing, the URL is not valid, or a setting does not exist or has a wrong value.
        """
        head, *settings = _SETTING.split(argument)
        model, *urls = _URL.split(head, maxsplit=1)
        if not model or not model.isprintable() or len(head) > 500:
            raise ValueError(f"{shown(PREFIX + argument)} must name a model, as in llm:MODEL or llm:MODEL@URL")
        if not urls and re.search(r"@[^@]*[:/]", model):
            raise ValueError(f"the URL of {shown(PREFIX + argument)} must begin with http:// or https://")
        found: dict[str, str] = {}
        for setting in settings:
            key, _, text = setting.partition("=")
            if key in found:
                raise ValueError(f"{shown(PREFIX + argument)} must have the setting {key} once, not twice")
            found[key] = text
        if unknown := [key for key in found if key not in _READERS]:
            known = ", ".join(_READERS)
            raise ValueError(f"a setting of a language model must be one of {known}, not {shown(unknown[0])}")
        values = {key: _READERS[key](key, text) for key, text in found.items()}
        return cls(model, checked_url(urls[0]) if urls else None, **values)  # type: ignore[arg-type]

    def __str__(self) -> str:
        url = "" if self.url is None else f"@{self.url}"
        usual = ModelName(self.model)
        settings = [f"mode={self.mode}"]
        for key in ("retries", "temperature", "tokens", "effort"):
            if (value := getattr(self, key)) != getattr(usual, key):
                settings.append(f"{key}={repr(value).removesuffix('.0') if isinstance(value, float) else value}")
        return f"{PREFIX}{self.model}{url},{','.join(settings)}"


def checked_url(url: str, what: str = "the URL of a model") -> str:
    """Return a base URL without a final slash; ValueError, about `what`, if it is not one, or holds a password."""
    try:
        parts = urlsplit(url)
        known = bool(parts.hostname) and parts.port != 0
    except ValueError:
        parts, known = urlsplit(""), False
    if parts.username is not None or parts.password is not None:
        raise ValueError(f"{what} must have no user or password: names and addresses are written into results")
    if (
        not known
        or parts.scheme not in ("http", "https")
        or not url.isprintable()
        or {*" @"} & {*url}
        or parts.query
        or parts.fragment
    ):
        raise ValueError(f"{what} must be as in http://127.0.0.1:8000/v1, not {one_line(url)}")
    return url.rstrip("/")


def _read_mode(key: str, text: str) -> str:
    if text not in MODES:
        raise ValueError(f"{key} must be one of {', '.join(MODES)}, not {shown(text)}")
    return text


def _read_retries(key: str, text: str) -> int:
    return _integer(key, text, 0, MAX_RETRIES)


def _read_tokens(key: str, text: str) -> int:
    return _integer(key, text, 1, MAX_ANSWER_TOKENS)


def _integer(key: str, text: str, low: int, high: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and low <= int(text) <= high):
        raise ValueError(f"{key} must be an integer from {low} to {high}, not {shown(text)}")
    return int(text)


def _read_temperature(key: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 2:
        raise ValueError(f"{key} must be a number from 0 to 2, not {shown(text)}")
    return value + 0.0  # -0 is 0, in the name, too


def _read_effort(key: str, text: str) -> str:
    if not _WORD.fullmatch(text):
        raise ValueError(f"{key} must be one word, such as low, not {shown(text)}")
    return text


_READERS = {
    "mode": _read_mode,
    "retries": _read_retries,
    "temperature": _read_temperature,
    "tokens": _read_tokens,
    "effort": _read_effort,
}
"""The settings of a name, each with the function that reads its value."""
