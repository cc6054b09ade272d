"""The agents that come with the package: what they are called, where they lie, and which is the best of its variant.

`agents.json` beside them says it, with the SHA-256 of each of their files. `python -m studies.released_agents` writes
it from the checkpoints and the ladders.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from spygames.core.basics.files import read_file, read_text, shipped_folder
from spygames.core.basics.text import one_line, shown
from spygames.core.compiling.digest import content
from spygames.core.game.game import Game

__all__ = [
    "BEST",
    "Figures",
    "ReleasedAgent",
    "best_agent",
    "find_agent",
    "find_anchor",
    "name_of_best",
    "released_agents",
]

MANIFEST = "agents.json"
FIRST = "-first"
"""The end of the name of an anchor: the first agent of a variant, against which later ones are measured."""
ANCHORS = Path(__file__).resolve().parents[4] / "anchors"
"""The folder of the anchors in a clone. The wheel has none."""
MAX_BYTES = 1 << 30
"""Of any file of an agent."""
BEST = "best"
"""The name of the best agent of whatever is played, as it plays best."""
NEUTRAL = ("first_player",)
"""Options that make no variant of their own: an agent plays as well whoever begins."""


@dataclass(frozen=True)
class Figures:
    """How well an agent does when it plays in one way."""

    play: str
    """sample, argmax or a temperature."""
    source: str
    """The file beside the checkpoint that has more of what was measured."""
    win_shares: Mapping[str, float]
    """Win fraction, 0 to 1, by the opponent's name."""
    fair_shares: Mapping[str, float]
    """What a side wins where all are that opponent, by the opponent's name."""
    rating: float | None
    """On the ladder; None without one."""


@dataclass(frozen=True)
class ReleasedAgent:
    """An agent that comes with the package."""

    name: str
    """Game and variant: `agent_avenue/simple-2`."""
    folder: Path
    """Its checkpoint."""
    game_id: str
    """What it plays: `agent_avenue_v0`."""
    options: Mapping[str, Any]
    """The options of that, all of them."""
    decisions: int
    """That it was trained on."""
    sha256: Mapping[str, str]
    """Hex digest of the content of each of its files, by name; line ends of a text do not count."""
    figures: tuple[Figures, ...]
    """One for each way to play that was measured, the best first."""

    def as_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {**asdict(self), "folder": str(self.folder)}

    def checked_folder(self) -> Path:
        """The folder, once each file in it has been found to be the one that was released; ValueError otherwise."""
        for name, expected in self.sha256.items():
            try:
                found = sha256(content(read_file(self.folder / name, MAX_BYTES))).hexdigest()
            except OSError as error:
                raise ValueError(f"{self.name}: {self.folder / name} cannot be read: {error.strerror}") from None
            if found != expected:
                raise ValueError(
                    f"{self.name} is damaged: {self.folder / name} has SHA-256 {found[:12]}..., and {expected[:12]}... "
                    "was released: install spygames again"
                )
        return self.folder


def released_agents() -> list[ReleasedAgent]:
    """All agents that come with the package, by name.

    Raises:
        ValueError: their list is damaged.
    """
    folder = _folder()
    return [] if folder is None else _listed(folder)[0]


def find_agent(name: str) -> ReleasedAgent | None:
    """Return the released agent of that name, None if there is none."""
    return next((agent for agent in released_agents() if name == agent.name), None)


def find_anchor(name: str) -> Path | None:
    """Return the checkpoint folder of an anchor, an agent of the ladders that is not released.

    Args:
        name: the name of a released agent with `-first` behind it, `agent_avenue/simple-2-first`.

    Returns:
        The folder; None for a name of another form.

    Raises:
        ValueError: there is no such anchor, or this is not a clone.
    """
    if not name.endswith(FIRST) or find_agent(name.removesuffix(FIRST)) is None:
        return None
    if not ANCHORS.is_dir():
        raise ValueError(f"{name} is an anchor of the ladders: clone the repository, the package has no anchors")
    if not (folder := ANCHORS / name).is_dir():
        raise ValueError(f"there is no anchor {name}; the folder {ANCHORS} has the available ones")
    return folder


def agent_names() -> str:
    """The names of all released agents, for messages."""
    return ", ".join(agent.name for agent in released_agents())


def agent_folder(name: str, game: Game | None = None) -> Path | None:
    """Return the checkpoint folder, checked, of the agent that a name means.

    Args:
        name: of a released agent, of an anchor, or `best`.
        game: which `best` agent; its options count.

    Returns:
        The folder; None for another name.

    Raises:
        ValueError: `best` without a game, no agent plays that game, or the agent's files are damaged.
    """
    if name == BEST:
        if game is None:
            raise ValueError(f"best of which game? Name the agent: {agent_names()}")
        return best_agent(game)[0].checked_folder()
    agent = find_agent(name)
    return find_anchor(name) if agent is None else agent.checked_folder()


def best_agent(game: Game) -> tuple[ReleasedAgent, str]:
    """The best released agent of a variant by its ladder, without a search, and the way in which it plays best.

    Args:
        game: what is played; only `first_player` may be another option than the agent was trained with.

    Raises:
        ValueError: no agent of this variant comes with the package; the message names those there are.
    """
    folder = _folder()
    agents, best = ([], []) if folder is None else _listed(folder)
    variant = _variant(game.id, game.options)
    for environment, name, play in best:
        if environment == variant:
            return next(agent for agent in agents if agent.name == name), play
    raise ValueError(f"no released agent plays {game.title}; there are: {agent_names() or 'none'}")


def name_of_best(game: Game, play: str = "") -> str:
    """The name of `best_agent`, and behind it `play`, or where that is empty how it plays best.

    ValueError as of `best_agent`.
    """
    agent, best = best_agent(game)
    return f"{agent.name}@{play or best}"


def _variant(game_id: str, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    return game_id, {name: value for name, value in options.items() if name not in NEUTRAL}


def _folder() -> Path | None:
    """The folder of the released agents; None where it is missing."""
    folder = shipped_folder("checkpoints")
    return folder if (folder / MANIFEST).is_file() else None


Listed = tuple[list[ReleasedAgent], list[tuple[tuple[str, dict[str, Any]], str, str]]]
"""The agents; variants, each with the name of its best agent and how that plays."""


@cache
def _listed(folder: Path) -> Listed:
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
                tuple(Figures(**figures) for figures in each["figures"]),
            )
            for each in found["agents"]
        ]
        best = [
            (_variant(each["environment"]["id"], each["environment"]["options"]), each["agent"], each["play"])
            for each in found["best"]
        ]
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise ValueError(f"{file}, the list of released agents, is damaged: {one_line(error, 200)}") from None
    names = {agent.name for agent in agents}
    if strange := [name for _, name, _ in best if name not in names]:
        raise ValueError(f"{file}, the list of released agents, is damaged: it has no agent {shown(strange[0])}")
    return sorted(agents, key=lambda agent: agent.name), best
