# Of an extra that is not installed where types are checked:
# pyright: reportMissingImports=false
"""The games as an environment of verifiers 0.4 (extra `verifiers`): self-play of all seats, or one against players.

    vf-eval spygames-verifiers -n 100 -r 4 --env.opponents '["greedy"]' --model MODEL --client.base-url URL

A task is a deal and a side. The deals of a taskset are those of `spygames evaluate` with the same seed, and each is a
task as many times as the game has seats: in the k-th of them the agent `player_0` sits in seat k. All rollouts of a
task are the same deal from the same seat, so that groups share a deal.

With `opponents`, one agent, `player_0`, plays against these players. Without, the agents `player_0`, `player_1` and so
on have one seat each. They are all the model of the run, unless they have a model of their own
(`--env.player-1.model`).

The reward `result` of a seat is its result in the game, and there is no other reward. A seat that gives no legal action
forfeits the game, which is a loss and the metric `forfeit`. Further metrics count its decisions and answers. If a model
or an opponent cannot be asked, the episode fails, and nobody gets a reward.
"""

import asyncio
import functools
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

from spygames import Game, make_game
from spygames.text import Mode, TextGame, deals

try:
    import httpx
    import verifiers.v1 as vf
    from openai import AsyncOpenAI
    from pydantic import Field
    from verifiers.v1.dialects.chat import message_to_wire
except ImportError as error:
    needed = "spygames_verifiers needs verifiers: pip install 'spygames[verifiers]' (in a clone: '.[verifiers]')"
    raise ImportError(needed, name="verifiers") from error

__all__ = ["ChatHarness", "SpygamesEnv", "SpygamesEnvConfig", "SpygamesTaskset", "SpygamesTasksetConfig"]

REQUESTS = 5
"""Number of further requests after one that failed for a passing reason (429, 5xx, no connection)."""
SEAT = vf.AgentConfig(runtime=vf.SubprocessConfig())
"""An agent that only answers: it runs no program, so it needs no sandbox."""


class SpygamesData(vf.TaskData):
    """A deal and a side: one row of the taskset."""

    game: str
    """The game id."""
    options: dict[str, Any]
    """Its options."""
    seed: int
    """0..2^64-1, the seed of the deal. The seats are not told it."""
    side: int
    """The seat of `player_0`; the other agents follow it around the table."""


class SpygamesTask(vf.Task[SpygamesData]):
    """A deal and a side. The rewards come from the environment."""


class SpygamesTasksetConfig(vf.TasksetConfig):
    """Which deals are played."""

    game: str = "agent_avenue_v0"
    """The game, such as agent_avenue_v0."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Options of the game, such as {"players": 3}."""
    seed: int = Field(0, ge=0, lt=2**64)
    """The seed of the deals, as in `spygames evaluate --seed`."""


class SpygamesTaskset(vf.Taskset[SpygamesTask, SpygamesTasksetConfig]):
    """Deals without end, each from all sides: bound it with the number of tasks (`-n`)."""

    INFINITE = True
    """There is no last deal."""

    def load(self) -> Iterator[SpygamesTask]:
        """Yield a task for each deal and side, the sides of a deal one after the other."""
        config = self.config
        game = make_game(config.game, **config.options)
        for number, seed in enumerate(deals(config.seed)):
            for side in range(game.num_players):
                name = f"{game.id} deal {number} side {side}"
                data = SpygamesData(name=name, game=config.game, options=config.options, seed=seed, side=side)
                yield SpygamesTask(data, config.task)


class SpygamesEnvConfig(vf.EnvConfig):
    """Who plays, and how the seats are asked."""

    player_0: vf.AgentConfig = SEAT
    """The agent that plays, or the first one in self-play."""
    player_1: vf.AgentConfig = SEAT
    """The second agent, in self-play of a game with that many seats."""
    player_2: vf.AgentConfig = SEAT
    """The third agent, in self-play of a game with that many seats."""
    player_3: vf.AgentConfig = SEAT
    """The fourth agent, in self-play of a game with that many seats."""
    player_4: vf.AgentConfig = SEAT
    """The fifth agent, in self-play of a game with that many seats."""
    player_5: vf.AgentConfig = SEAT
    """The sixth agent, in self-play of a game with that many seats."""
    player_6: vf.AgentConfig = SEAT
    """The seventh agent, in self-play of a game with that many seats."""
    player_7: vf.AgentConfig = SEAT
    """The eighth agent, in self-play of a game with that many seats."""
    opponents: list[str] = Field(default_factory=list)
    """Players of the other seats: one for all, or one for each, such as random, greedy or agent_avenue/simple-2. Empty:
    self-play, with an agent in each seat."""
    mode: Mode = "listed"
    """When the legal actions are listed: at each decision, never (rules), or after an answer without a legal action
    (listed-on-retry)."""
    corrections: int = Field(2, ge=0, le=5)
    """Number of further tries after an answer without a legal action."""


class SpygamesEnv(vf.Env[SpygamesEnvConfig]):
    """One game for each episode, played by agents in texts; see the module.

    Args:
        config: the configuration.

    Raises:
        ValueError: the game or an opponent does not exist, or a value is wrong.
    """

    def __init__(self, config: SpygamesEnvConfig) -> None:
        super().__init__(config)
        self._lock = threading.Lock()
        self._games: dict[str, Game] = {}
        self._free: dict[Game, list[TextGame]] = {}
        taskset = self.taskset.config
        self._give_back(self._take(taskset.game, taskset.options))

    async def run(self, task: SpygamesTask, agents: vf.Agents) -> None:
        """Play one game, and record results and counts on the trace of each agent."""
        data = task.data
        table = await asyncio.to_thread(self._take, data.game, data.options)
        game, side = table.game, data.side
        seated = {side: 0} if table.opponents else {(side + k) % game.num_players: k for k in range(game.num_players)}
        await asyncio.to_thread(table.begin, data.seed, side if table.opponents else None)
        async with AsyncExitStack() as stack:
            talks: dict[int, vf.Interaction] = {}
            for seat, k in seated.items():
                told = vf.TaskData(idx=data.idx, name=data.name, prompt=None, system_prompt=table.briefing(seat))
                agent = getattr(agents, f"player_{k}")
                talks[seat] = await stack.enter_async_context(agent.interaction(vf.Task(told, task.config)))
            while not table.over:
                await self._decide(table, talks[table.seat])
        record = table.record()
        for seat, talk in talks.items():
            trace, counts = talk.trace, table.answers[seat]
            trace.record_reward("result", table.results[seat])
            trace.record_metric("forfeit", counts.forfeits)
            for name in ("decisions", "ok", "unparseable", "ambiguous", "illegal"):
                trace.record_metric(name, getattr(counts, name))
            trace.info["spygames"] = {
                "seat": seat,
                "seed": data.seed,
                "forfeited": table.forfeited,
                "truncated": table.truncated,
                "record": record.to_line(),
            }
        self._give_back(table)

    async def _decide(self, table: TextGame, talk: vf.Interaction) -> None:
        """Ask a seat once."""
        segment = await talk.turn(table.told)
        if not segment.terminated:
            await asyncio.to_thread(table.answer, segment.last_reply)
        elif (error := talk.trace.last_error) is not None:
            raise RuntimeError(f"seat {table.seat} could not be asked: {error.type}: {error.message}")
        else:  # a limit of the agent is reached: turns, tokens or time
            table.forfeit()

    def _take(self, name: str, options: dict[str, Any]) -> TextGame:
        """Return a table where no game is on, with players of its own: they may keep what they know of a game."""
        with self._lock:
            key = json.dumps([name, options], sort_keys=True)
            game = self._games.get(key) or make_game(name, **options)
            if game.num_players > MOST_SEATS:
                raise ValueError(f"a game must have at most {MOST_SEATS} players, not {game.num_players}")
            self._games[key] = game
            if free := self._free.get(game):
                return free.pop()
            config = self.config
            opponents = config.opponents * (game.num_players - 1) if len(config.opponents) == 1 else config.opponents
            return TextGame(game, opponents, mode=config.mode, retries=config.corrections)

    def _give_back(self, table: TextGame) -> None:
        with self._lock:
            self._free.setdefault(table.game, []).append(table)


MOST_SEATS = sum(name.startswith("player_") for name in SpygamesEnvConfig.model_fields)
"""The number of agents that the configuration has names for."""


class ChatHarness(vf.Harness[vf.HarnessConfig]):
    """The program of an agent: one request for each turn, made in this process. It has no tools."""

    APPENDS_SYSTEM_PROMPT = True
    """The briefing is a system message."""
    SUPPORTS_RESUME = True
    """Each turn sends the whole conversation."""
    EXECUTES_CODE = False
    """The agent cannot run anything."""
    NEEDS_CONTAINER = False
    """So it needs no sandbox."""

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Ask the model once, with the whole conversation."""
        system, prompt = self.resolve_prompt(data)
        told = [vf.UserMessage(content=prompt)] if isinstance(prompt, str) else list(prompt or ())
        messages = [*([vf.SystemMessage(content=system)] if system else []), *told]
        async with (
            httpx.AsyncClient(verify=_certificates(), timeout=None) as http,
            AsyncOpenAI(base_url=endpoint, api_key=secret, max_retries=REQUESTS, http_client=http) as client,
        ):
            # Not client.chat.completions.create, which takes longer than everything else, to check each message again.
            body = {"model": ctx.model, "messages": [message_to_wire(each) for each in messages]}
            await client.post("/chat/completions", cast_to=httpx.Response, body=body)
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


@functools.cache
def _certificates() -> ssl.SSLContext:
    """Reading the certificates takes longer than a request."""
    return ssl.create_default_context()
