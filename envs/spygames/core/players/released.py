"""Names, paths and figures of the released agents, which come with the package.

They are listed in `checkpoints/agents.json` with the SHA-256 of each file and with the way in which each is meant to
play. `python -m studies.released_agents` writes this list from the checkpoints, their figures and the ladders.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from spygames.core.basics.files import read_file, read_text, shipped_folder
from spygames.core.basics.text import one_line
from spygames.core.compiling.digest import content
from spygames.core.game.game import Game

__all__ = [
    "BEST",
    "SAFEST",
    "Figures",
    "ReleasedAgent",
    "WorstCase",
    "best_agent",
    "find_agent",
    "find_anchor",
    "play_of",
    "released_agents",
    "safest_agent",
]

MANIFEST = "agents.json"
FIRST = "-first"
"""Suffix of the name of an anchor, the first agent of a variant. Later agents are measured against it."""
ANCHORS = Path(__file__).resolve().parents[4] / "anchors"
"""Folder of the anchors in a clone. The wheel has no anchors."""
MAX_BYTES = 1 << 30
"""Maximum size of a file of an agent."""
BEST = "best"
"""The name that stands for the released agent of a variant that wins most."""
SAFEST = "safest"
"""The name that stands for the released agent of a variant that is hardest to exploit."""
SAFE = "-safe"
"""Suffix of the name of an agent that is hard to exploit. The name before it is that of the agent that wins most."""
PLAYS = ("argmax", "sample")
"""The ways in which released agents are meant to play."""
NEUTRAL = ("first_player",)
"""Options that do not change the variant: an agent plays equally well from either start."""
SHOWN = ("history",)
"""Options that only add to the view: an agent that was trained without one plays with it, too."""


@dataclass(frozen=True)
class Figures:
    """Measured strength of an agent that chooses its actions in one way.

    Example:
        >>> from spygames.players import find_agent
        >>> figures = find_agent("agent_avenue/simple-2").figures[0]
        >>> 0 < figures.win_shares["greedy"] <= 1
        True
    """

    play: str
    """How the agent chooses actions: `sample`, `argmax` or a temperature."""
    source: str
    """The file beside the checkpoint with the full results."""
    win_shares: Mapping[str, float]
    """Share of games won, 0 to 1, by the opponent's name."""
    fair_shares: Mapping[str, float]
    """Share of games that a side wins if all seats are that opponent, by the opponent's name."""
    rating: float | None
    """Rating on the ladder; None without one."""


@dataclass(frozen=True)
class WorstCase:
    """What the strongest adversary won that was measured against an agent, playing as it is meant to.

    Example:
        >>> from spygames.players import find_agent
        >>> worst = find_agent("agent_avenue/simple-2").worst_case
        >>> worst.interval[0] < worst.win_share < worst.interval[1]
        True
    """

    how: str
    """Description of the adversary."""
    budget: str
    """Decisions that the adversary learned from, or its worlds per decision."""
    games: int
    """Number of games."""
    win_share: float
    """Share of games that the adversary won, 0 to 1. A perfect adversary wins at least as many."""
    interval: tuple[float, float]
    """95 % interval of `win_share` over deals."""
    fair_share: float
    """Share of games that the agent itself wins in the adversary's place."""


@dataclass(frozen=True)
class ReleasedAgent:
    """A trained agent that comes with the package.

    Example:
        >>> from spygames.players import find_agent
        >>> agent = find_agent("agent_avenue/simple-2")
        >>> agent.game_id, agent.options["players"], agent.play, agent.purpose
        ('agent_avenue_v0', 2, 'argmax', 'to win')
    """

    name: str
    """Game and variant, such as `agent_avenue/simple-2`; with `-safe`, the agent that is hard to exploit. As the name
    of a player it plays as `play` says."""
    folder: Path
    """Folder of its checkpoint."""
    game_id: str
    """Id of its game, such as `agent_avenue_v0`."""
    options: Mapping[str, Any]
    """All options of its game."""
    decisions: int
    """Number of decisions it was trained on."""
    sha256: Mapping[str, str]
    """Hex digest of the content of each file, by file name. Line ends of text files do not count."""
    play: str
    """How the agent is meant to play: `argmax`, or `sample` if it is hard to exploit."""
    figures: tuple[Figures, ...]
    """Measured strength, one entry per way of choosing actions, the best first."""
    worst_case: WorstCase | None
    """What the strongest adversary won; None if none was measured."""

    @property
    def is_safe(self) -> bool:
        """Whether the agent was trained to be hard to exploit."""
        return self.name.endswith(SAFE)

    @property
    def purpose(self) -> str:
        """What the agent is for: `to win`, or `hard to exploit`."""
        return "hard to exploit" if self.is_safe else "to win"

    @property
    def other(self) -> "ReleasedAgent | None":
        """The other agent of the variant, for the other purpose; None if there is only one."""
        return find_agent(self.name.removesuffix(SAFE) if self.is_safe else f"{self.name}{SAFE}")

    def as_json(self) -> dict[str, Any]:
        """Return all fields as plain JSON values, and the purpose."""
        return {**asdict(self), "folder": str(self.folder), "purpose": self.purpose}

    def checked_folder(self) -> Path:
        """Return the folder after comparing each file with its digest.

        Raises:
            ValueError: a file cannot be read or is not the released one.
        """
        for name, expected in self.sha256.items():
            try:
                found = sha256(content(read_file(self.folder / name, MAX_BYTES))).hexdigest()
            except OSError as error:
                raise ValueError(f"{self.name}: {self.folder / name} cannot be read: {error.strerror}") from None
            if found != expected:
                raise ValueError(
                    f"{self.name} is damaged: the SHA-256 of {self.folder / name} must be {expected[:12]}..., "
                    f"not {found[:12]}...; reinstall spygames"
                )
        return self.folder


def released_agents() -> list[ReleasedAgent]:
    """Return all agents that come with the package, sorted by name.

    Raises:
        ValueError: the list of agents is damaged.
    """
    folder = _folder()
    return [] if folder is None else [*_listed(folder)]  # a copy, so that callers may change the list


def find_agent(name: str) -> ReleasedAgent | None:
    """Return the released agent with this name; None if there is none."""
    return next((agent for agent in released_agents() if name == agent.name), None)


def play_of(name: str) -> str:
    """Return how an agent plays whose name does not say so: a released one as it is meant to, any other one sampled."""
    agent = find_agent(name)
    return "sample" if agent is None else agent.play


def find_anchor(name: str) -> Path | None:
    """Return the checkpoint folder of an anchor, an agent of the ladders that is not released.

    Args:
        name: the name of a released agent and `-first`, such as `agent_avenue/simple-2-first`.

    Returns:
        The folder; None for a name of another form.

    Raises:
        ValueError: there is no such anchor, or this is not a clone.
    """
    if not name.endswith(FIRST) or find_agent(name.removesuffix(FIRST)) is None:
        return None
    if not ANCHORS.is_dir():
        raise ValueError(f"{name} is an anchor of the ladders, which the package does not include: use a clone")
    if not (folder := ANCHORS / name).is_dir():
        raise ValueError(f"there is no anchor {name}; the available ones are in {ANCHORS}")
    return folder


def agent_names() -> str:
    """Return the names of all released agents, for messages."""
    return ", ".join(agent.name for agent in released_agents())


def agent_folder(name: str, game: Game | None = None) -> Path | None:
    """Return the checkpoint folder of a released agent, after checking its files, or of an anchor.

    Args:
        name: the name of a released agent or an anchor, `best` or `safest`.
        game: the game with its options, for `best` and `safest`.

    Returns:
        The folder; None for any other name.

    Raises:
        ValueError: the name is `best` or `safest`, and game is None or no agent fits; or the agent's files are damaged.
    """
    if name in CHOOSE:
        if game is None:
            raise ValueError(f"{name} needs a game; name an agent instead: {agent_names()}")
        return CHOOSE[name](game).checked_folder()
    agent = find_agent(name)
    return find_anchor(name) if agent is None else agent.checked_folder()


def best_agent(game: Game) -> ReleasedAgent:
    """Return the released agent of a variant that wins most, without a search.

    Example:
        >>> from spygames import make_game
        >>> from spygames.players import best_agent
        >>> agent = best_agent(make_game("agent_avenue_v0"))
        >>> agent.name, agent.play
        ('agent_avenue/simple-2', 'argmax')

    Args:
        game: the game. Its options must be those that the agent was trained with, except for `first_player`, and
            `history` if the agent was trained without it.

    Raises:
        ValueError: no released agent plays this variant; the message lists the released agents.
    """
    for agent in released_agents():
        if not agent.is_safe and _plays(agent, game):
            return agent
    raise ValueError(f"no released agent plays {game.title}; available agents: {agent_names() or 'none'}")


def safest_agent(game: Game) -> ReleasedAgent:
    """Return the released agent of a variant that is hardest to exploit, without a search.

    Args:
        game: as for `best_agent`.

    Raises:
        ValueError: no released agent plays this variant, or none that is hard to exploit; the message names an agent
            that needs another `history`.
    """
    for agent in released_agents():
        if agent.is_safe and _plays(agent, game):
            return agent
    safe = [agent for agent in released_agents() if agent.is_safe]
    best = f"{BEST} is the one that wins most: {best_agent(game).name}"
    for agent in safe:
        if needed := _needed(agent, game):
            pairs = [f"{name}={value}" for name, value in needed.items()]
            options = " ".join(f"--option {pair}" for pair in pairs)
            raise ValueError(
                f"{agent.name} is hard to exploit and needs {', '.join(pairs)} ({options}), but the game is "
                f"{game.title}; {best}"
            )
    names = ", ".join(agent.name for agent in safe)
    raise ValueError(
        f"no released agent for {game.title} is hard to exploit{f' (others: {names})' if names else ''}; {best}"
    )


CHOOSE = {BEST: best_agent, SAFEST: safest_agent}
"""The names that stand for an agent of the variant in play, and the functions that find it."""


def _plays(agent: ReleasedAgent, game: Game) -> bool:
    """Whether the agent was trained for the variant."""
    return _needed(agent, game) == {}


def _needed(agent: ReleasedAgent, game: Game) -> dict[str, Any] | None:
    """Return the options of `SHOWN` that the game must have as the agent's game has them, and has otherwise.

    None if the agent was trained for a variant with other rules.
    """
    own, asked = (
        {name: value for name, value in options.items() if name not in (*NEUTRAL, *SHOWN)}
        for options in (agent.options, game.options)
    )
    if (agent.game_id, own) != (game.id, asked):
        return None
    trained = {name: agent.options[name] for name in SHOWN if name in agent.options}
    return {name: value for name, value in trained.items() if game.options.get(name) != value}


def _folder() -> Path | None:
    """Return the folder of the released agents; None if it is missing."""
    folder = shipped_folder("checkpoints")
    return folder if (folder / MANIFEST).is_file() else None


@cache
def _listed(folder: Path) -> list[ReleasedAgent]:
    file = folder / MANIFEST
    try:
        found = json.loads(read_text(file, MAX_BYTES))
        agents = [
            ReleasedAgent(
                each["name"],
                folder / each["folder"],
                each["environment"]["id"],
                each["environment"]["options"],
                each["decisions"],
                each["sha256"],
                PLAYS[PLAYS.index(each["play"])],
                tuple(Figures(**figures) for figures in each["figures"]),
                _worst_case(each["worst_case"]),
            )
            for each in found["agents"]
        ]
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise ValueError(f"{file}, the list of released agents, is damaged: {one_line(error, 200)}") from None
    return sorted(agents, key=lambda agent: agent.name)


def _worst_case(found: dict[str, Any] | None) -> WorstCase | None:
    return None if found is None else WorstCase(**{**found, "interval": tuple(found["interval"])})
