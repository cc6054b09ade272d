# Of an extra that is not installed where types are checked; pyright then takes this file for the library:
# pyright: reportMissingImports=false, reportAttributeAccessIssue=false, reportCallIssue=false, reportGeneralTypeIssues=false
"""A server of OpenEnv: one seat of a game against named players (extra `openenv`).

    python -m spygames.openenv agent_avenue --opponents greedy --port 8000

Each connection has a game of its own, and many are served by one process. In Python, `make_app` returns the server as
an ASGI application. A client of OpenEnv needs nothing of this package:

    from openenv.core import GenericEnvClient

    with GenericEnvClient(base_url="http://127.0.0.1:8000").sync() as env:
        result = env.reset(seed=1, seat=0)
        while not result.done:
            result = env.step({"action": f"[{result.observation['legal'][0]}]"})
        print(result.reward)
"""

import argparse
import functools
import json
from collections.abc import Sequence
from typing import Any, get_args
from uuid import uuid4

from spygames import NOBODY, Game, make_game
from spygames.authoring import whole
from spygames.core.basics.extras import how_to_install
from spygames.core.basics.text import one_line, shown
from spygames.text import Mode, TextGame

try:
    from fastapi import FastAPI
    from fastmcp import FastMCP
    from openenv.core.env_server import create_app
    from openenv.core.env_server.mcp_environment import MCPEnvironment
    from openenv.core.env_server.types import Action, Observation, State
    from pydantic import Field
except ImportError as error:
    raise ImportError(f"spygames.openenv needs OpenEnv: {how_to_install('openenv')}", name="openenv") from error

__all__ = ["SpygamesAction", "SpygamesEnvironment", "SpygamesObservation", "SpygamesState", "make_app"]

SESSIONS = 64
"""Number of games at the same time."""
FORBIDDEN = "this environment runs no code"


class SpygamesAction(Action, use_attribute_docstrings=True):
    """An answer of the seat."""

    action: str
    """The bare text of a legal action, or a whole answer of a model that names one."""


class SpygamesObservation(Observation, use_attribute_docstrings=True):
    """What the seat is told. `reward` is its result once the game is over (`done`), and 0 before."""

    briefing: str = ""
    """After reset: who the seat is, the rules, and the grammar of an answer."""
    text: str = ""
    """What the seat is told now: a question, a correction, or the result."""
    legal: list[str] = Field(default_factory=list)
    """The legal actions, where the mode lets the seat know them."""
    seat: int = NOBODY
    """The number of the seat."""
    verdict: str = ""
    """What the last answer was: ok, unparseable, ambiguous or illegal."""
    forfeit: bool = False
    """Whether the seat has lost because it gave no legal action."""
    answers: dict[str, int] = Field(default_factory=dict)
    """Numbers of decisions and answers of this game, by verdict."""


ABANDONED = "The last game was abandoned, because an opponent failed. Call new_game for another one."
"""What a model reads after that."""


class SpygamesState(State, use_attribute_docstrings=True):
    """The state of a session. It has nothing that the seat cannot know, and so no seed."""

    game: str = ""
    """The game with its options."""
    seat: int = NOBODY
    """The number of the seat in the current game."""
    over: bool = False
    """Whether the game is over."""


class SpygamesEnvironment(MCPEnvironment):
    """One seat of a game against named players, as an environment of OpenEnv.

    `step` takes the bare text of a legal action, or an answer in the grammar. An answer without a legal action is
    followed by a correction, and the last one forfeits the game. The MCP tools are `observe`, `act` and `new_game`.
    They take no seed, so that a model cannot play the same deal twice.

    Args:
        game: the game to play.
        opponents: the names of the players in the other seats: one for all, or one for each, lowest seat first.
        mode, retries: as in `TextGame`.

    Raises:
        ValueError: a value is wrong, or a player does not exist.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True
    """Each connection has an object of its own."""

    def __init__(self, game: Game, opponents: str | Sequence[str], mode: Mode = "listed", retries: int = 2):
        if not opponents:
            raise ValueError("opponents must name at least one player")
        self._table, self._episode = TextGame(game, opponents, mode=mode, retries=retries), ""
        self._seat = NOBODY
        tools = FastMCP("spygames")
        for tool in (self.observe, self.act, self.new_game):
            tools.tool(tool)
        super().__init__(tools)

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, seat: int | None = None, **others: Any
    ) -> SpygamesObservation:
        """Begin a game.

        Args:
            seed: 0..2^64-1, of the deal and of the opponents' random streams; None: from the system's entropy.
            episode_id: a name for the game.
            seat: the seat to play; None: it is drawn by the seed.
            others: there are none.

        Raises:
            ValueError: a value is wrong.
        """
        if others:
            raise ValueError(f"reset takes seed, episode_id and seat, not {one_line(next(iter(others)))}")
        table = self._table
        table.begin(seed, seat)
        # A game may end before the seat is asked; the seat is known all the same.
        self._seat, self._episode = table.text_seats[0], episode_id or str(uuid4())
        return self._seen(briefing=table.briefing(self._seat))

    def _step_impl(self, action: SpygamesAction, timeout_s: float | None = None, **others: Any) -> SpygamesObservation:
        reply = self._table.answer(action.action, bare=True)
        return self._seen(verdict=str(reply.verdict))

    @property
    def state(self) -> SpygamesState:
        """The state of the session."""
        table = self._table
        steps = 0 if self._seat == NOBODY else table.answers[self._seat].as_dict()["answers"]
        return SpygamesState(
            episode_id=self._episode, step_count=steps, game=table.game.title, seat=self._seat, over=table.over
        )

    def observe(self) -> str:
        """Return the rules, the position as you know it, what has happened, and your legal actions."""
        if self._seat == NOBODY:
            self.reset()
        return self._table.prompt or (self._result() if self._table.over else ABANDONED)

    def act(self, action: str) -> str:
        """Play the legal action with this text. Returns what happens until your next decision, and the position."""
        if self._seat == NOBODY:
            return "No game has begun. Call observe first."
        if self._table.over:
            return f"{self._result()} Call new_game for another one."
        if not self._table.prompt:
            return ABANDONED
        return self._seen(verdict=str(self._table.answer(action, bare=True).verdict)).text

    def new_game(self) -> str:
        """Begin a new game with another deal, giving up the current one. Returns what observe returns."""
        self.reset()
        return self.observe()

    def execute_code(self, code: str) -> Observation:
        """Refuse: tools are called by name only."""
        raise NotImplementedError(FORBIDDEN)

    @property
    def supports_code_mode(self) -> bool:
        """False."""
        return False

    def web_actions(self, observation: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """Return a button for each legal action, for the page `/web` of OpenEnv."""
        return [(text, {"action": text}) for text in observation.get("legal", [])]

    def _seen(self, briefing: str = "", verdict: str = "") -> SpygamesObservation:
        table = self._table
        return SpygamesObservation(
            done=table.over,
            reward=table.results[self._seat],
            briefing=briefing,
            text=table.told or self._result(),
            legal=[*table.listed],
            seat=self._seat,
            verdict=verdict,
            forfeit=table.forfeited == self._seat,
            answers=table.answers[self._seat].as_dict(),
        )

    def _result(self) -> str:
        lost = "You gave no legal action, and forfeit. " if self._table.forfeited == self._seat else ""
        return f"The game is over. {lost}Your result is {self._table.results[self._seat]:+g}."


def make_app(
    game: Game,
    opponents: str | Sequence[str] = "random",
    *,
    mode: Mode = "listed",
    retries: int = 2,
    sessions: int = SESSIONS,
) -> FastAPI:
    """Make the server: an ASGI application with OpenEnv's endpoints `/ws`, `/mcp`, `/health`, `/schema` and so on.

    Args:
        game: the game to play.
        opponents, mode, retries: as in `SpygamesEnvironment`.
        sessions: maximum number of games at the same time.

    Raises:
        ValueError: a value is wrong, or a player does not exist.
    """
    sessions = whole("sessions", sessions, 1)
    factory = functools.partial(SpygamesEnvironment, game, opponents, mode, retries)
    factory().close()  # fails here, not at the first connection; and compiles the game
    return create_app(
        factory,
        SpygamesAction,
        SpygamesObservation,
        env_name="spygames",
        max_concurrent_envs=sessions,
        state_cls=SpygamesState,
    )


def _options(text: str) -> dict[str, Any]:
    """Read the options of a game from the command line."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise argparse.ArgumentTypeError(f"it must be a JSON object, as in '{{\"players\": 3}}', not {shown(text)}")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the server; see the module."""
    import uvicorn

    parser = argparse.ArgumentParser(
        prog="python -m spygames.openenv", description="Serve one seat of a game against named players, for OpenEnv."
    )
    parser.add_argument("game", help="the game, such as agent_avenue")
    parser.add_argument("--options", type=_options, default={}, help="options of the game, as in '{\"players\": 3}'")
    parser.add_argument("--opponents", nargs="+", default=["random"], help="one player for all other seats, or each")
    parser.add_argument("--mode", choices=get_args(Mode), default="listed", help="when the legal actions are listed")
    parser.add_argument("--retries", type=int, default=2, help="further tries after an answer without a legal action")
    parser.add_argument("--sessions", type=int, default=SESSIONS, help="number of games at the same time")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=int, default=8000)
    given = parser.parse_args(arguments)
    try:
        game = make_game(given.game, **given.options)
        opponents = given.opponents[0] if len(given.opponents) == 1 else given.opponents
        app = make_app(game, opponents, mode=given.mode, retries=given.retries, sessions=given.sessions)
    except (ValueError, TypeError) as wrong:
        parser.error(str(wrong))
    if not 0 < given.port < 2**16:
        parser.error(f"--port must be from 1 to 65535, not {given.port}")
    print(f"{game.title}: http://{given.host}:{given.port}; Ctrl-C ends the server", flush=True)
    uvicorn.run(app, host=given.host, port=given.port, log_level="warning")


if __name__ == "__main__":
    main()
