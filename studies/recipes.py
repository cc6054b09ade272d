"""Short training runs for choosing the recipes of the released agents: `nice python -m studies.recipes`."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import torch
import tyro

from spygames_app.cli.arguments import AnyFolder, File, Folder, Seed, run_command
from spygames_training.agents.policy import Policy
from spygames_training.config import Config, from_mapping, to_toml
from spygames_training.evaluation.evaluation import Result, evaluate
from spygames_training.files.atomic import write_whole
from spygames_training.output.tables import markdown_table, put_between
from spygames_training.runs.train import train
from spygames_training.search.player import SearchingPolicy
from spygames_training.search.settings import SearchSettings

Settings = Mapping[str, Any]
"""Sections of a config and their settings."""


@dataclass(frozen=True)
class Recipe:
    """A base run. Trials change some of its settings."""

    title: str
    settings: Settings
    against: Sequence[str]
    """Opponents in the evaluation, where the agents play by argmax."""
    games: int
    """Number of games against each opponent."""


@dataclass(frozen=True)
class Trial:
    """A recipe with some settings changed."""

    name: str
    """Name of the run's folder."""
    recipe: str
    """Key in `RECIPES`."""
    changes: Settings = field(default_factory=dict)
    adversary: int = 0
    """Number of games of a search against the agent; 0: none."""

    def config(self) -> Config:
        """Return the config of the run."""
        merged = {name: dict(part) if isinstance(part, Mapping) else part for name, part in self.base.settings.items()}
        for name, part in self.changes.items():
            merged[name] = {**merged.get(name, {}), **part} if isinstance(part, Mapping) else part
        found: Config = from_mapping(Config, merged)
        return replace(found, name=self.name, workers=1, evaluate_against=(), save_every=60.0)

    @property
    def base(self) -> Recipe:
        return RECIPES[self.recipe]


REGULAR = {"kl": 0.2, "entropy_end": 0.03, "reference_ema": 0.999}
EEGR = ("expert", "expert", "greedy", "random")
RECIPES = {
    "simple-2": Recipe(
        "Agent Avenue, simple mode, two players",
        {
            "game": "agent_avenue_v0",
            "decisions": 20_000_000,
            "options": {"mode": "simple", "players": 2},
            "opponents": {"share": 0.4, "bots": EEGR},
            "ppo": REGULAR,
        },
        ("expert-1", "greedy", "random", "mcts:200"),
        4000,
    ),
    "base-3": Recipe(
        "Heimlich & Co., the base game, three players",
        {
            "game": "heimlich_v0",
            "decisions": 20_000_000,
            "options": {"players": 3},
            "opponents": {"share": 0.4, "bots": ("greedy", "greedy", "expert-1", "expert-1", "random")},
        },
        ("expert-1", "greedy", "expert"),
        4000,
    ),
    "standard-4": Recipe(
        "Agent DOG, four players",
        {
            "game": "agent_dog_v0",
            "decisions": 12_000_000,
            "options": {"players": 4},
            "opponents": {"share": 0.3, "bots": ("greedy", "expert")},
            "ppo": {"reward_scale": 2.0},
        },
        ("expert-1", "greedy"),
        2000,
    ),
}
"""The recipes by the variant of their agent."""
WORLDS = 64
"""Worlds per decision of the search."""
ADVERSARY = "a search that knows it"
"""Name of the column with the win share of a search that knows the agent's policy. The agent is sampled."""
SEED = 17
"""Seed of the deals. It is for tuning only; no published figure of an agent uses it."""
BEGIN, END = "<!-- figures: python -m studies.recipes writes from here -->", "<!-- to here, recipes -->"

WIDE, SMALL = {"hidden": (512, 512)}, {"minibatch": 2048}
EGRR, EEGRR = ("expert", "greedy", "random", "random"), ("expert", "expert", "greedy", "random", "random")
EEEGR = ("expert", "expert", "expert", "greedy", "random")
TRIALS = [
    Trial(
        "aa-base",
        "simple-2",
        {
            "opponents": {"bots": ("random", "random", "greedy", "expert")},
            "ppo": {"kl": 0.1, "entropy_end": 0.01, "reference_ema": 0.0},
        },
    ),
    Trial(
        "s-mix",
        "simple-2",
        {
            "opponents": {"share": 0.5, "bots": EEEGR},
            "ppo": {"kl": 0.1, "entropy_end": 0.01, "reference_ema": 0.0},
        },
    ),
    Trial("s-mix-reg", "simple-2", {"opponents": {"share": 0.5, "bots": EEEGR}}),
    Trial("a-base", "simple-2", {}, 400),
    Trial("a-512", "simple-2", {"network": WIDE}),
    Trial("a-all", "simple-2", {"network": {"critic": "all"}}),
    Trial("a-share6", "simple-2", {"opponents": {"share": 0.6}}, 400),
    Trial("a-rr", "simple-2", {"opponents": {"share": 0.6, "bots": EGRR}}, 400),
    Trial("a-m50", "simple-2", {"opponents": {"share": 0.6, "bots": ("expert", "greedy", "random", "mcts:50")}}),
    Trial(
        "a-kl4", "simple-2", {"opponents": {"share": 0.6, "bots": EGRR}, "ppo": {"kl": 0.4, "entropy_end": 0.05}}, 400
    ),
    Trial("a-s7big", "simple-2", {"network": WIDE, "opponents": {"share": 0.7, "bots": EGRR}}, 400),
    Trial("a-err", "simple-2", {"network": WIDE, "opponents": {"share": 0.6, "bots": EEGRR}}, 400),
    Trial("a-rr3", "simple-2", {"opponents": {"share": 0.3, "bots": EGRR}}, 400),
    Trial("a-rr2h", "simple-2", {"opponents": {"share": 0.2, "bots": EGRR}, "ppo": {"entropy_end": 0.06}}, 400),
    Trial("a-self", "simple-2", {"opponents": {"share": 0.0, "bots": ()}}, 400),
    Trial("a-self5", "simple-2", {"opponents": {"share": 0.0, "bots": ()}, "ppo": {"entropy_end": 0.06}}, 400),
    Trial("b-60", "simple-2", {"decisions": 60_000_000, "opponents": {"bots": EEGRR}, "ppo": SMALL}, 1000),
    Trial(
        "b-60ref",
        "simple-2",
        {
            "decisions": 60_000_000,
            "opponents": {"bots": EEGRR},
            "ppo": {**SMALL, "reference_ema": 0.9999, "ema": 0.9998},
        },
        1000,
    ),
    Trial("h3-base", "base-3"),
    Trial("h3-all", "base-3", {"network": {"critic": "all"}}),
    Trial("h3-reg", "base-3", {"ppo": REGULAR}),
    Trial("h3-low", "base-3", {"ppo": {"entropy": 0.03, "entropy_end": 0.005}}),
    Trial("h3-share7", "base-3", {"opponents": {"share": 0.7}}),
    Trial("h3-512", "base-3", {"network": WIDE}),
    Trial(
        "h3-rr5",
        "base-3",
        {"network": WIDE, "opponents": {"share": 0.5, "bots": ("greedy", "expert-1", "random", "random")}},
    ),
    Trial("h3-512mb2", "base-3", {"network": WIDE, "ppo": SMALL}),
    Trial("h3-512lam1", "base-3", {"network": WIDE, "ppo": {"lam": 1.0}}),
    Trial("h3-512mb2lam90", "base-3", {"network": WIDE, "ppo": {**SMALL, "lam": 0.9}}),
    Trial("d4-b", "standard-4"),
    Trial("d4-low", "standard-4", {"ppo": {"entropy": 0.03, "entropy_end": 0.005}}),
    Trial("d4-sh6", "standard-4", {"opponents": {"share": 0.6}}),
    Trial("d4-call", "standard-4", {"network": {"critic": "all"}}),
    Trial("d4-lam98", "standard-4", {"ppo": {"lam": 0.98}}),
    Trial("d4-lam90", "standard-4", {"ppo": {"lam": 0.9}}),
    Trial("d4-lam80", "standard-4", {"ppo": {"lam": 0.8}}),
    Trial("d4-reg", "standard-4", {"ppo": {"kl": 0.2, "entropy_end": 0.03, "reference_ema": 0.999}}),
    Trial("d4-512", "standard-4", {"network": {"hidden": (512, 256)}}),
    Trial("d4-512mb2", "standard-4", {"network": {"hidden": (512, 256)}, "ppo": SMALL}),
]
"""The trials in the order of the tables."""


def measured(trial: Trial, folder: Path, seed: int) -> dict[str, Any]:
    """Make or resume the run of a trial in `folder`, evaluate its agent, and return the figures."""
    config, run = trial.config(), folder / trial.name
    agent = train(config, run, resume="auto")
    against, games = trial.base.against, trial.base.games
    found = evaluate(agent.game, Policy.load(run, "argmax"), against, games, seed)
    figures = {name: _figure(result) for name, result in zip(against, found, strict=True)}
    if trial.adversary:
        searching = SearchingPolicy(agent, SearchSettings(WORLDS, precision="bfloat16"), agent)
        (result,) = evaluate(agent.game, searching, agent, trial.adversary, seed)
        figures[ADVERSARY] = _figure(result)
    return {"config": to_toml(config), "figures": figures}


def _figure(result: Result) -> dict[str, Any]:
    return {"win_share": result.win_share, "interval": result.interval}


def table(known: Mapping[str, Any]) -> str:
    """Return one Markdown table with the trials of each recipe and their agents' win shares, then the recipes."""
    columns = [*dict.fromkeys(name for recipe in RECIPES.values() for name in recipe.against), ADVERSARY]
    rows, legend = [], []
    for recipe_name, recipe in RECIPES.items():
        rows.append([f"**{recipe.title}**", *[""] * len(columns)])
        legend.append(f"- **{recipe.title}**: {_code(recipe.settings)}")
        for trial in (each for each in TRIALS if each.recipe == recipe_name and each.name in known):
            figures = known[trial.name]["figures"]
            shown = [f"{100 * figures[name]['win_share']:.1f}" if name in figures else "" for name in columns]
            rows.append([_code(trial.changes) or "no change", *shown])
    figures = [item for trial in known.values() for item in trial["figures"].items()]
    most = _width([each for name, each in figures if name != ADVERSARY])
    last = _width([each for name, each in figures if name == ADVERSARY])
    intervals = f"95 % intervals reach at most {most:.1f} points to either side, {last:.1f} in the last column."
    return "\n\n".join([markdown_table(["changed settings", *columns], rows), intervals, "\n".join(legend)])


def _width(figures: Sequence[Mapping[str, Any]]) -> float:
    """The largest distance of an end of an interval from its share, in points; 0 without figures."""
    return max((100 * abs(end - each["win_share"]) for each in figures for end in each["interval"]), default=0.0)


def _code(settings: Settings) -> str:
    return ", ".join(f"`{line}`" for line in _lines(settings))


def _lines(changes: Settings) -> list[str]:
    """Return settings as lines such as `kl = 0.2`, without their sections."""
    found = []
    for name, value in changes.items():
        found += _lines(value) if isinstance(value, Mapping) else [f"{name} = {json.dumps(value)}"]
    return found


@dataclass(frozen=True)
class Study:
    """Make the short training runs for choosing the recipes, and evaluate their agents.

    The study can be stopped at any time; the same command resumes. It prints one table with a section per recipe.
    """

    folder: Folder = Path("runs/recipes")
    """Folder of the runs."""
    seed: Seed = SEED
    """Seed of the deals; the same seed gives the same result."""
    file: File = Path("docs/results/recipes.json")
    """File of the results."""
    docs: AnyFolder = None
    """Also write the table into `recipes.md` in this folder."""
    only: Annotated[str, tyro.conf.arg(metavar="TEXT")] = ""
    """Make only runs whose name contains this text."""

    def run(self) -> int:
        torch.set_num_threads(1)
        kept: dict[str, Any] = {"seed": self.seed, "trials": {}}
        if self.file.exists():
            kept = json.loads(self.file.read_text())
        if kept["seed"] != self.seed:
            raise ValueError(f"{self.file} has figures of seed {kept['seed']}, not {self.seed}: name another --file")
        for trial in TRIALS:
            known = kept["trials"].get(trial.name)
            if self.only not in trial.name or (known and known["config"] == to_toml(trial.config())):
                continue
            print(f"{trial.name}: {len(kept['trials'])} of {len(TRIALS)} runs are finished")
            kept["trials"][trial.name] = measured(trial, self.folder, self.seed)
            write_whole(self.file, json.dumps(kept, indent=1) + "\n")
        text = table(kept["trials"])
        print(text)
        if self.docs is not None:
            put_between(self.docs / "recipes.md", BEGIN, END, text)
        return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return the exit code."""
    return run_command(Study, argv, "python -m studies.recipes")


if __name__ == "__main__":
    sys.exit(main())
