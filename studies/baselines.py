"""Four learners on the same games at equal CPU time: `python -m studies.baselines`, in the environment `.venv-bridges`.

All learners train all seats with the same network (2x128), discount, lambda, clip and constant learning rate. The batch
size suits each library. CPU time is that of all processes without evaluations and start-up, so other jobs on the
machine do not change the result.
"""

import importlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch

from spygames import make_game
from spygames.core.players.names import make_player
from spygames_app.cli.arguments import Positive, Seed, run_command
from spygames_training.agents.policy import from_network
from spygames_training.config import PPO, Config, Network
from spygames_training.evaluation.evaluation import evaluate
from spygames_training.files.atomic import write_whole
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.output.plots import curve_axes, picture
from spygames_training.output.tables import markdown_table, put_between
from spygames_training.runs.run import Run

DOCS = Path(__file__).resolve().parents[1] / "docs"
FILE = DOCS / "results" / "baselines.json"
BEGIN, END = "<!-- figures: python -m studies.baselines writes from here -->", "<!-- to here -->"

HIDDEN = (128, 128)
LEARNING_RATE, ENTROPY = 5e-4, 0.05
ANCHORS = ("random", "greedy", "expert")
MARKS = (1 / 8, 1 / 4, 1 / 2, 1.0)
"""Fractions of the CPU time at which the agent is measured."""

Steps = Iterator[tuple[int, ActorCritic]]
"""Yields after each update the number of decisions so far and the network."""


@dataclass(frozen=True)
class Played:
    """A variant of a game."""

    title: str
    game_id: str
    options: dict[str, Any]


GAMES = {
    "agent_avenue_2": Played("Agent Avenue, simple, 2 players", "agent_avenue_v0", {}),
    "heimlich_3": Played("Heimlich & Co., 3 players", "heimlich_v0", {"players": 3}),
}


def config(game: Played, seed: int) -> Config:
    """Return the settings of this package's PPO and of MaskablePPO, without an end."""
    ppo = PPO(
        games=512,
        steps=32,
        minibatch=2048,
        learning_rate=LEARNING_RATE,
        learning_rate_end=LEARNING_RATE,
        entropy=ENTROPY,
        entropy_end=ENTROPY,
    )
    return Config(
        game=game.game_id, options=game.options, seed=seed, decisions=10**12, network=Network(HIDDEN), ppo=ppo
    )


def ours(game: Played, seed: int) -> Steps:
    """Train with this package's PPO; yield the running mean of its weights, which it saves as the agent."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run.create(config(game, seed), Path(folder) / "run")
        try:
            while True:
                run.update()
                yield run.progress["decisions"], run.learner.ema
        finally:
            run.close()


def maskable_ppo(game: Played, seed: int) -> Steps:
    """Train with MaskablePPO of sb3-contrib, all seats through `SelfPlayVecEnv`."""
    run = importlib.import_module("spygames_training.bridges.sb3.run")
    policy = importlib.import_module("spygames_training.bridges.sb3.policy")
    settings = config(game, seed)
    model = run.maskable_ppo(settings, make_game(game.game_id, **game.options))
    while True:  # a call learns from one rollout
        model.learn(settings.ppo.games * settings.ppo.steps, reset_num_timesteps=False, log_interval=10**9)
        yield model.num_timesteps, policy.to_actor_critic(model.policy)


def rllib(game: Played, seed: int) -> Steps:
    """Train with RLlib's PPO, all seats, a fifth of the games against frozen opponents."""
    bridge = importlib.import_module("spygames_training.bridges.rllib")
    ray = importlib.import_module("ray")
    ray.init(include_dashboard=False, num_cpus=1, log_to_driver=False)
    settings = bridge.ppo_config(game.game_id, game.options, hidden=HIDDEN)
    settings.training(lr=LEARNING_RATE, entropy_coeff=ENTROPY).debugging(seed=seed)
    algorithm = settings.build_algo()
    while True:
        algorithm.train()
        yield bridge.decisions_of(algorithm), bridge.to_actor_critic(algorithm)


def torchrl(game: Played, seed: int) -> Steps:
    """Train with TorchRL's PPO, all seats, as in docs/examples/torchrl_ppo.py."""
    bridge = importlib.import_module("spygames_training.bridges.torchrl")
    collectors, objectives = (importlib.import_module(f"torchrl.{name}") for name in ("collectors", "objectives"))
    played = make_game(game.game_id, **game.options)
    network = ActorCritic(played.num_features, played.num_actions, HIDDEN)
    operator = bridge.actor_value_operator(network)
    policy, value = operator.get_policy_operator(), operator.get_value_operator()
    env = bridge.TorchRLEnv(played, 256, seed)
    loss = objectives.ClipPPOLoss(
        policy, value, entropy_coeff=ENTROPY, critic_coeff=0.5, normalize_advantage=True, functional=False
    )
    optimizer, decisions = torch.optim.Adam(network.parameters(), LEARNING_RATE), 0
    collector = collectors.Collector(
        env, policy, frames_per_batch=256 * 64, total_frames=-1, auto_register_policy_transforms=False
    )
    for data in collector:
        known = bridge.per_seat_advantage(data, value)
        for _ in range(2):
            for rows in torch.randperm(len(known)).split(1024):
                losses = loss(known[rows])
                optimizer.zero_grad()
                (losses["loss_objective"] + losses["loss_entropy"] + losses["loss_critic"]).backward()
                torch.nn.utils.clip_grad_norm_(network.parameters(), 0.5)
                optimizer.step()
        decisions += data.numel()
        yield decisions, network


WAYS: dict[str, tuple[str, Callable[[Played, int], Steps]]] = {
    "ours": ("this package's PPO", ours),
    "maskable_ppo": ("MaskablePPO, SelfPlayVecEnv", maskable_ppo),
    "torchrl": ("TorchRL's PPO, TorchRLEnv", torchrl),
    "rllib": ("RLlib's PPO, RLlibEnv", rllib),
}
"""Title and function of each learner, by name."""


def cpu_seconds() -> float:
    """Return the CPU time of this process and all its children, including those of Ray."""
    own = sum(os.times()[:4])
    if "ray" not in sys.modules:
        return own
    psutil = importlib.import_module("psutil")  # Ray brings it
    for child in psutil.Process().children(recursive=True):
        try:
            own += sum(child.cpu_times()[:2])
        except psutil.Error:  # the process has just ended
            continue
    return own


def curve(way: str, game: Played, minutes: float, games: int, seed: int) -> Iterator[dict[str, Any]]:
    """Train for `minutes` of CPU time; yield a row of figures at each of `MARKS`."""
    torch.manual_seed(seed)
    played = make_game(game.game_id, **game.options)
    anchors = [make_player(played, name) for name in ANCHORS]
    marks = [60 * minutes * mark for mark in MARKS]
    steps, spent = WAYS[way][1](game, seed), 0.0
    next(steps)  # compilation and start-up before the first update are not counted
    since = cpu_seconds()
    for decisions, network in steps:
        spent += cpu_seconds() - since
        if spent >= marks[0]:
            marks = [mark for mark in marks if mark > spent]
            results = evaluate(played, from_network(played, network, "argmax"), anchors, games, seed=0)
            shares = {result.opponent: round(result.win_share, 4) for result in results}
            yield {"cpu_seconds": round(spent, 1), "decisions": decisions, "win_share": shares}
            if not marks:
                return
        since = cpu_seconds()


def read() -> dict[str, Any]:
    """Return the results by game and learner."""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def measured(found: dict[str, Any]) -> list[str]:
    """Return the games with results of all learners."""
    return [name for name in GAMES if all(f"{name}/{way}" in found for way in WAYS)]


def table(found: dict[str, Any]) -> str:
    """Return the last row of each curve as a Markdown table."""
    rows = []
    for name in measured(found):
        for way, (title, _) in WAYS.items():
            last = found[f"{name}/{way}"]["rows"][-1]
            shares = [f"{100 * last['win_share'][anchor]:.1f}" for anchor in ANCHORS]
            rate = last["decisions"] / last["cpu_seconds"]
            cells = [f"{last['cpu_seconds']:.0f}", f"{last['decisions']:,}", f"{rate:,.0f}"]
            rows.append([GAMES[name].title, title, *cells, *shares])
    head = ["game", "learner", "CPU seconds", "decisions", "per CPU second", *(f"{name} %" for name in ANCHORS)]
    return markdown_table(head, rows)


def draw(found: dict[str, Any], path: Path) -> None:
    """Draw the curves as SVG, with a panel for each game and anchor."""
    pairs = [(name, anchor) for name in measured(found) for anchor in ANCHORS]
    if not pairs:
        return
    rows = len(pairs) // len(ANCHORS)
    with picture(path, rows, len(ANCHORS), (12, 3.5 * len(pairs) / len(ANCHORS)), 110, "svg") as (_, axes):
        for axis, (name, anchor) in zip(axes, pairs, strict=True):
            curves = {
                title: [(row["cpu_seconds"], 100 * row["win_share"][anchor]) for row in found[f"{name}/{way}"]["rows"]]
                for way, (title, _) in WAYS.items()
            }
            curve_axes(axis, curves)
            axis.set(title=GAMES[name].title, xlabel="CPU seconds", ylabel=f"won against {anchor}, %", xscale="log")
        axes[0].legend(fontsize=8)


def write_page() -> None:
    """Write the page and the plot from the file of results."""
    found = read()
    draw(found, DOCS / "images" / "baselines.svg")
    picture = "![Games won over CPU time, against three scripted players](../images/baselines.svg)"
    put_between(DOCS / "results" / "baselines.md", BEGIN, END, f"{picture}\n\n{table(found)}")


@dataclass(frozen=True)
class Study:
    """Compare learners at equal CPU time and write docs/results/baselines.md and .json.

    The JSON file is written at each mark. Finished learners in it are skipped; unfinished ones start again.
    """

    ways: tuple[Literal["ours", "maskable_ppo", "torchrl", "rllib"], ...] = ("ours", "maskable_ppo", "torchrl", "rllib")
    """The learners."""
    games: tuple[Literal["agent_avenue_2", "heimlich_3"], ...] = ("agent_avenue_2", "heimlich_3")
    """The games."""
    minutes: float = 10.0
    """Minutes of CPU time of each learner."""
    evaluation_games: Positive = 2000
    """Number of games against each anchor at each mark."""
    seed: Seed = 1
    """Seed of the learners and their games."""

    def run(self) -> int:
        torch.set_num_threads(1)
        for name in self.games:
            for way in self.ways:
                entry = read().get(f"{name}/{way}")
                if entry is not None and entry["rows"][-1]["cpu_seconds"] >= 60 * self.minutes:
                    continue
                rows = []
                for row in curve(way, GAMES[name], self.minutes, self.evaluation_games, self.seed):
                    rows.append(row)
                    entry = {"evaluation_games": self.evaluation_games, "seed": self.seed, "rows": rows}
                    write_whole(FILE, json.dumps({**read(), f"{name}/{way}": entry}, indent=1) + "\n")
        write_page()
        return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return the exit code."""
    return run_command(Study, argv, "python -m studies.baselines")


if __name__ == "__main__":
    sys.exit(main())
