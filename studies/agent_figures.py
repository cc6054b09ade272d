"""Measure an agent by the protocol and write its card: `nice python -m studies.agent_figures AGENT`."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from tyro.conf import Positional

from spygames.core.basics.json_numbers import read_uint64
from spygames.core.players.names import PlayerName, make_player
from spygames.core.players.released import ANCHORS as FIRST_AGENTS
from spygames.core.players.released import FIRST, SAFE, released_agents
from spygames_app.cli.arguments import AnyPlayer, Seed, WrongArguments, chosen_folder, console, run_command
from spygames_training.agents.checkpoint import Checkpoint, load_checkpoint
from spygames_training.agents.policy import Policy, PolicyPlayer
from spygames_training.evaluation.digests import player_digest
from spygames_training.evaluation.evaluation import evaluate
from spygames_training.evaluation.results_json import as_json
from spygames_training.files.atomic import write_whole
from spygames_training.output.tables import progress_bar
from spygames_training.search.player import SearchingPolicy
from spygames_training.search.settings import SearchPrecision, SearchSettings
from studies.calibration import calibrate
from studies.card import Card
from studies.figures import CALIBRATIONS, FIGURES, Adversary, read_figures, searched
from studies.worst_case_page import adversary, worst_entry

SEED = 22_112_027
"""Seed of the published figures. Nothing was tuned on it."""
ANCHORS = ("random", "greedy", "expert-1", "expert")
"""The anchors of the protocol. In some games two of these names are the same player."""
MCTS = "mcts:200"
"""Another anchor, in games in which it takes seconds per game, not minutes."""
WITH_MCTS = {"agent_avenue": 4802, "heimlich": 400}
"""Games with the anchor `MCTS`, and their numbers of deals by the protocol."""
PLAYS = ("sample", "argmax")
KNOWING = "a search on top of the agent that knows its policy"
"""Description of this adversary on the card."""
WORLDS = 64
"""Worlds per decision of a search."""
TWO_SIDES, MORE_SIDES = 4802, 2846
"""Deals against each anchor, each played in every seat."""
SEARCHED = {"agent_avenue": 500, "heimlich": 300, "agent_dog": 100}
"""Deals for a player that searches, by the protocol for cards."""
SEARCHED_SECRETS = 100
"""The same in Heimlich & Co. with Top Secret cards or Secret Identities, where a search takes five times as long."""
SELF_PLAY = 2000
"""Number of games of a calibration."""


@dataclass(frozen=True)
class Study:
    """Measure an agent by the protocol and write its card.

    The figures are: matches against the anchors, with and without a search on top; the win share of a search that knows
    the agent's policy; the calibration of the agent's value; and what the adversary X won, if
    `python -m studies.worst_case` has measured it. An agent that is hard to exploit also meets the other released agent
    of its variant and, without a search, the first agent sampled.

    The study can be stopped at any time; the same command resumes. It writes figures.json next to the checkpoint after
    each match and skips matches in that file. To measure everything again, move the file away. At the end it writes the
    card, README.md, next to it.
    """

    agent: Positional[AnyPlayer] = None
    """The folder of a checkpoint, or the name of an agent."""
    seed: Seed = SEED
    """Seed of the deals."""
    scale: float = 1.0
    """Factor on the protocol's numbers of games; less than 1 for a quick look."""
    no_search: bool = False
    """Skip the matches of the agent with a search on top and against a search, which take most of the time."""
    precision: SearchPrecision = "float32"
    """Number format of the searches. bfloat16 is two to three times as fast on a processor with instructions for it,
    except on Intel's without AMX; it is another player, with its own name."""

    def run(self) -> int:
        if self.agent is None:
            raise WrongArguments("name an agent, as in python -m studies.agent_figures agent_avenue/simple-2")
        if not 0 < self.scale <= 100:
            raise WrongArguments(f"--scale must be positive and at most 100, not {self.scale}")
        torch.set_num_threads(1)
        folder = chosen_folder(self.agent)
        settings = SearchSettings(WORLDS, precision=self.precision)
        measured = Measured(folder, load_checkpoint(folder), self.agent, self.seed, self.scale, settings)
        with progress_bar(console=console(stderr=True), transient=True) as bar:
            task = bar.add_task("playing", total=None)
            measured.all(not self.no_search, lambda games: bar.advance(task, games))
        return Card(str(self.agent), out=folder / "README.md").run()


class Measured:
    """The figures of an agent, extended match by match.

    Args:
        folder: folder of the checkpoint.
        checkpoint: the agent.
        name: name of the agent in results.
        seed: seed of the deals.
        scale: factor on the numbers of games.
        settings: of the searches.
    """

    def __init__(
        self,
        folder: Path,
        checkpoint: Checkpoint,
        name: str,
        seed: int,
        scale: float,
        settings: SearchSettings = SearchSettings(WORLDS),  # noqa: B008 - it is frozen
    ) -> None:
        self.file, self.game, self.name, self.seed, self.scale = folder / FIGURES, checkpoint.game, name, seed, scale
        self.settings = settings
        self.agent = {play: Policy.load(folder, play) for play in PLAYS}
        digest = player_digest(self.game, PolicyPlayer(self.agent["sample"]))
        self.found: dict[str, Any] = {"digest": digest, "evaluations": [], "adversaries": []}
        if self.file.exists():
            try:
                read_figures(self.file, checkpoint)
            except ValueError as error:
                raise ValueError(f"{error}: move it away") from None
            self.found |= json.loads(self.file.read_text())
        seeds = [read_uint64(each["seed"]) for each in self.found["evaluations"]]
        if other := [each for each in seeds if each != seed]:
            raise ValueError(f"{self.file} has figures of seed {other[0]}, not {seed}: move it away")

    def all(self, search: bool, progress: Callable[[int], None]) -> None:
        """Play the missing matches."""
        anchors = self._anchors()
        sides = self.game.num_sides
        deals = TWO_SIDES if sides == 2 else MORE_SIDES
        secrets = any(self.game.options.get(each) for each in ("top_secret", "secret_identities"))
        few = self._games(SEARCHED_SECRETS if secrets else SEARCHED[self.game.name])
        if search:
            self._check_searches(few)
        names = [f"{self.name}@{play}" for play in PLAYS]
        against = {anchor: self._games(WITH_MCTS[self.game.name] if anchor == MCTS else deals) for anchor in anchors}
        matches = [(name, anchor, against[anchor]) for name in names for anchor in anchors]
        if search:
            sampled = sampled_anchors(self.file.parent)
            matches += [
                (f"{self.name}+search:{self.settings.name}", anchor, min(few, against[anchor]))
                for anchor in anchors
                if anchor not in sampled
            ]
        for challenger, anchor, count in matches:
            self._match(challenger, anchor, count, progress)
        for play, key in CALIBRATIONS.items():
            if key not in self.found and self.agent[play].network.has_value:
                games = max(1, round(self.scale * SELF_PLAY))
                self.found[key] = calibrate(self.agent[play], games, self.seed, progress).as_json()
                self._write()
        for play in PLAYS if search else ():
            self._adversary(play, few, progress)
        for play in PLAYS:
            self._learner(play)

    def _games(self, deals: int) -> int:
        return round(self.scale * deals * self.game.num_sides)

    def _anchors(self) -> list[str]:
        """Return the names of this agent's anchors; the first name of a player that has two."""
        names = [*ANCHORS, *([MCTS] if self.game.name in WITH_MCTS else [])]
        names += [f"{anchor}@argmax" for anchor in first_agents(self.file.parent)]
        names += sampled_anchors(self.file.parent)
        names += other_agents(self.file.parent)
        found: dict[tuple[str, str], str] = {}
        for name in names:
            # A digest does not cover how an agent plays.
            digest, play = player_digest(self.game, make_player(self.game, name)), PlayerName.parse(name).play
            found.setdefault((digest or name, play), name)
        return list(found.values())

    def _match(self, challenger: str, anchor: str, games: int, progress: Callable[[int], None]) -> None:
        players = [make_player(self.game, challenger), make_player(self.game, anchor)]
        names, digest = [player.name for player in players], player_digest(self.game, players[1])
        played = 0
        for each in self.found["evaluations"]:
            for row in each["results"]:
                if [row["challenger"], row["opponent"]] == names:
                    if each["players"][names[1]]["digest"] != digest:
                        raise ValueError(f"{self.file} has games against an older {anchor}: move the file away")
                    played = max(played, row["games"])
        if 0 < played < games:
            raise ValueError(f"{self.file} has {played} games of {' against '.join(names)}, not {games}: move it away")
        if played:
            return
        results = evaluate(self.game, players[0], players[1], games, self.seed, progress)
        self.found["evaluations"].append(as_json(self.game, results, self.seed, players=players))
        self._write()

    def _check_searches(self, games: int) -> None:
        """Raise ValueError if the file has another search that knows the policy, or fewer games of it."""
        budget = searched(self.settings.worlds, self.settings.precision)
        for each in self.found["adversaries"]:
            if each["how"] == KNOWING and (each["budget"] != budget or each["games"] < games):
                raise ValueError(
                    f"{self.file} has {each['games']} games against a search with {each['budget']}, not {games} with "
                    f"{budget}: move it away"
                )

    def _adversary(self, play: str, games: int, progress: Callable[[int], None]) -> None:
        """Measure a search that knows the agent's policy, as in `spygames best-response --search`."""
        if any((each["how"], each["play"]) == (KNOWING, play) for each in self.found["adversaries"]):
            return
        searching = SearchingPolicy(self.agent["sample"], self.settings, self.agent[play])
        (result,) = evaluate(self.game, searching, PolicyPlayer(self.agent[play]), games, self.seed, progress)
        budget = searched(self.settings.worlds, self.settings.precision)
        figures = result.games, result.win_share, result.interval, result.fair_share
        self.found["adversaries"].append(asdict(Adversary(KNOWING, play, budget, *figures)))
        self._write()

    def _learner(self, play: str) -> None:
        """Put the worst result of the adversary X, if `python -m studies.worst_case` measured it (`worst_entry`)."""
        if entry := worst_entry(self.found["digest"], play):
            learner = asdict(adversary(entry))
            others = [each for each in self.found["adversaries"] if each["play"] != play or not each.get("curve")]
            self.found["adversaries"] = [*others, learner]
            self._write()

    def _write(self) -> None:
        write_whole(self.file, json.dumps(self.found, indent=1) + "\n")


def first_agents(folder: Path) -> list[str]:
    """Return the names of the anchors of the variant whose released agent is in that folder."""
    released = [agent for agent in released_agents() if agent.folder == folder.resolve()]
    names = [f"{agent.name.removesuffix(SAFE)}{FIRST}" for agent in released]
    return [name for name in names if (FIRST_AGENTS / name).is_dir()]


def sampled_anchors(folder: Path) -> list[str]:
    """Return the anchors of the variant, sampled, if the agent in that folder is hard to exploit: it draws its actions,
    too, and sampled play is another rival than the most likely action."""
    safe = any(agent.is_safe and agent.folder == folder.resolve() for agent in released_agents())
    return [f"{anchor}@sample" for anchor in first_agents(folder)] if safe else []


def other_agents(folder: Path) -> list[str]:
    """Return the other agent of the variant, with how it plays, if the agent in that folder is hard to exploit: it must
    not lose much to it."""
    others = [agent.other for agent in released_agents() if agent.is_safe and agent.folder == folder.resolve()]
    return [f"{other.name}@{other.play}" for other in others if other is not None]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return the exit code."""
    return run_command(Study, argv, "python -m studies.agent_figures")


if __name__ == "__main__":
    sys.exit(main())
