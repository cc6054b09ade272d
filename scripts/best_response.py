"""How far an agent can be exploited: a fresh network learns against it alone, and is then measured against it.

    python scripts/best_response.py checkpoints/agent_avenue_simple --play sample --decisions 10000000
    python scripts/best_response.py --resume runs/best_response_agent_avenue_simple

The agent is frozen and plays as --play says. The learner has a network of the same kind and size and takes --decisions
decisions of its own, as one side of each game (a team, or a seat that plays for itself); the agent is all other sides.
Its win fraction above the fair share, which the agent itself would win in its place, is a lower bound of a perfect best
response's. In a game for two sides the fair share is 50 %, and against an agent at equilibrium nobody wins more. Ctrl-C
saves. The figures are written to best_response.json in the learner's run.
"""

import argparse
import sys
from pathlib import Path

from spygames_training.command_line import ERRORS, Parser, complain, finished, positive, seed
from spygames_training.experiments.best_response import (
    FIGURES,
    PLAYS,
    games_to_measure,
    learner_run,
    measure,
    resume_learner,
)
from spygames_training.run import Run
from spygames_training.tables import progress_bar, results_table, wide_console


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path, nargs="?", help="the agent: a checkpoint's folder or a run's")
    parser.add_argument("--resume", type=Path, metavar="RUN", help="resume the learner's run in this folder")
    begin = [
        parser.add_argument("--play", help="how the agent plays: sample, argmax or a temperature (default: sample)"),
        parser.add_argument("--decisions", type=positive, help="the learner's own (default: 10000000)"),
        parser.add_argument("--seed", type=seed, help="of the learner (default: 1)"),
        parser.add_argument("--workers", type=positive, help="threads (default: 2)"),
        parser.add_argument("--out", type=Path, help="folder of the learner's run (default: runs/best_response_NAME)"),
    ]
    parser.add_argument("--games", type=positive, default=5000, help="games of the final measurement (default: 5000)")
    args = parser.parse_args(argv)
    given = {o.dest: getattr(args, o.dest) for o in begin if getattr(args, o.dest) is not None}
    if args.resume and (args.checkpoint or given):
        parser.error("--resume continues a run as it is: of the others only --games goes with it")
    if not args.resume and not args.checkpoint:
        parser.error("name the agent, or the run to --resume")
    args.given = given
    return args


def main(argv: list[str] | None = None) -> int:
    args = arguments(argv)
    return finished("best_response.py", lambda: learn(args), "interrupted before it began")


def learn(args: argparse.Namespace) -> int:
    if args.resume:
        run = resume_learner(args.resume)
    else:
        folder = args.given.pop("out", None)
        run = learner_run(args.checkpoint, folder, **args.given)
    resume = f"python scripts/best_response.py --resume {run.folder}"
    try:
        report(run, args.games)
    except KeyboardInterrupt as stop:
        print(f"{stop.args[0] if stop.args else 'stopped and saved'}; resume with: {resume}")
        return 130
    except ERRORS as error:
        complain("best_response.py", error)
        if run.state.exists():
            print(f"the last saved state is whole: {resume}", file=sys.stderr)
        return 1
    return 0


def report(run: Run, games: int) -> None:
    """Trains, measures, and shows the figures."""
    network = run.train()
    with progress_bar(transient=True) as bar:
        task = bar.add_task("playing", total=games_to_measure(run, games))
        found = measure(run, network, games, lambda n: bar.advance(task, n))
    table = results_table([found.results[how] for how in PLAYS], f"best response to {found.agent}")
    table.caption = f"{table.caption}; fair share {100 * found.fair_share:.1f} %"
    wide_console().print(table)
    print(f"results: {run.folder / FIGURES}")


if __name__ == "__main__":
    sys.exit(main())
