"""How far an agent can be exploited: a fresh network learns against it alone, and is then measured against it.

    python scripts/best_response.py checkpoints/agent_avenue_simple --play sample --decisions 10000000
    python scripts/best_response.py --resume runs/best_response_agent_avenue_simple

The agent is frozen and plays as --play says. The learner has a network of the same kind and size and takes --decisions
decisions of its own, as one side of each game (a team, or a seat that plays for itself); the agent is all other sides.
What it wins above the fair share, which the agent itself would win in its place, is a lower bound of what a perfect
best response would. In a game for two sides the fair share is 50 %, and against an agent at equilibrium nobody wins
more. Ctrl-C saves. The figures are written to best_response.json in the learner's run.
"""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from spygames_training.command_line import ERRORS, Parser, complain, finished, positive, seed
from spygames_training.config import PPO, Config, Opponents
from spygames_training.evaluation import Result, evaluate, total_games
from spygames_training.files import write_whole
from spygames_training.network import ActorCritic
from spygames_training.policy import Policy, from_network
from spygames_training.tables import progress_bar, results_table
from spygames_training.training import Run, resume_config

PLAYS = ("sample", "argmax")
"""How the learner plays when it is measured."""


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path, nargs="?", help="the agent: a checkpoint's folder or a run's")
    parser.add_argument("--resume", type=Path, metavar="RUN", help="go on with the learner's run in this folder")
    begin = [
        parser.add_argument("--play", help="how the agent plays: sample, argmax or a temperature (default: sample)"),
        parser.add_argument("--decisions", type=positive, help="the learner's own (default: 10000000)"),
        parser.add_argument("--seed", type=seed, help="of the learner (default: 1)"),
        parser.add_argument("--workers", type=positive, help="threads (default: 2)"),
        parser.add_argument("--out", type=Path, help="folder of the learner's run (default: runs/best_response_NAME)"),
    ]
    parser.add_argument("--games", type=positive, default=5000, help="games of the final measurement (default: 5000)")
    args = parser.parse_args(argv)
    if args.resume and (args.checkpoint or any(getattr(args, option.dest) is not None for option in begin)):
        parser.error("--resume goes on with a run as it is: of the others only --games goes with it")
    if not args.resume and not args.checkpoint:
        parser.error("name the agent, or the run to --resume")
    return args


def new_run(args: argparse.Namespace) -> Run:
    """A learner that has learned nothing yet; ValueError if there is no such agent or the folder holds a run."""
    play = args.play or "sample"
    agent = Policy.load(args.checkpoint, play)
    name = f"best_response_{agent.name.rpartition('@')[0]}"
    folder = args.out or Path("runs") / name
    spec = f"{args.checkpoint}@{play}"
    config = Config(
        game=agent.game.id,
        options=dict(agent.game.options),
        name=folder.name,
        seed=1 if args.seed is None else args.seed,
        decisions=(args.decisions or 10_000_000) * agent.game.num_sides,  # it takes those of one side
        workers=args.workers or 2,
        network=replace(agent.network.config, critic="own"),
        ppo=PPO(entropy=0.02, entropy_end=0.0, kl=0.0),
        opponents=Opponents(share=1.0, bots=(spec,)),
        evaluate_against=(spec,),
    )
    return Run(config, folder)


def old_run(folder: Path) -> Run:
    """The learner that was stopped; ValueError if there is none in `folder`."""
    config = resume_config(folder)
    if config.opponents.share < 1 or config.opponents.bots != config.evaluate_against:
        raise ValueError(f"{folder} holds another run than one of best_response.py")
    return Run(config, folder, resume=True)


def measured(run: Run, network: ActorCritic, games: int) -> dict[str, Result]:
    """What the learner wins against the agent, by how it plays."""
    learners = {how: from_network(run.game, network, how, "best response") for how in PLAYS}
    with progress_bar(transient=True) as bar:
        task = bar.add_task("playing", total=total_games(run.game, games, len(learners), 1))
        return {
            how: evaluate(run.game, learner, run.judges, games, run.config.seed, lambda n: bar.advance(task, n))[0]
            for how, learner in learners.items()
        }


def report(run: Run, results: dict[str, Result]) -> None:
    """The figures, on screen and in the learner's run."""
    first = results[PLAYS[0]]
    table = results_table(list(results.values()), f"best response to {first.opponent}")
    table.caption = f"{table.caption}; fair share {100 * first.fair_share:.1f} %"
    console = Console()
    (console if console.is_terminal else Console(width=120)).print(table)
    figures: dict[str, Any] = {
        "agent": first.opponent,
        "decisions": run.config.decisions // run.game.num_sides,
        "seed": run.config.seed,
        "fair_share": first.fair_share,
    }
    for how, r in results.items():
        figures[how] = {"win_share": r.win_share, "interval": list(r.interval), "games": r.games}
    file = run.folder / "best_response.json"
    write_whole(file, json.dumps(figures, indent=2) + "\n")
    print(f"results: {file}")


def main(argv: list[str] | None = None) -> int:
    args = arguments(argv)
    return finished("best_response.py", lambda: learn(args), "interrupted before it began")


def learn(args: argparse.Namespace) -> int:
    run = old_run(args.resume) if args.resume else new_run(args)
    go_on = f"python scripts/best_response.py --resume {run.folder}"
    try:
        report(run, measured(run, run.train(), args.games))
    except KeyboardInterrupt as stop:
        print(f"{stop.args[0] if stop.args else 'stopped and saved'}; go on with: {go_on}")
        return 130
    except ERRORS as error:
        complain("best_response.py", error)
        if run.state.exists():
            print(f"the last saved state is whole: {go_on}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
