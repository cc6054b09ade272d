"""How far an agent can be exploited: a fresh network learns against it alone, and is then measured against it.

    python scripts/best_response.py checkpoints/agent_avenue_simple --play sample --decisions 10000000

The agent is frozen and plays as --play says. The learner has a network of the same size and takes --decisions decisions
of its own. What it wins is a lower bound of what a perfect best response would win; an agent at equilibrium gives
50 % in a game for two with opposed interests.
"""

import argparse
import json
import sys
from pathlib import Path

from spygames_training.command_line import positive
from spygames_training.config import PPO, Config, Network, Opponents
from spygames_training.evaluation import evaluate
from spygames_training.policy import Policy, PolicyPlayer, from_network
from spygames_training.training import Run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path, help="the agent: a checkpoint's folder or a run's")
    parser.add_argument(
        "--play", default="sample", help="how it plays: sample, argmax or a temperature (default: sample)"
    )
    parser.add_argument("--decisions", type=positive, default=10_000_000, help="the learner's own (default: 10000000)")
    parser.add_argument("--games", type=positive, default=5000, help="games of the final measurement (default: 5000)")
    parser.add_argument("--seed", type=int, default=1, help="of the learner (default: 1)")
    parser.add_argument("--workers", type=int, default=2, help="threads (default: 2)")
    parser.add_argument("--out", type=Path, help="folder of the learner's run (default: runs/best_response_NAME)")
    args = parser.parse_args()
    folder = args.out or Path("runs") / f"best_response_{args.checkpoint.resolve().name}"
    try:
        policy = Policy.load(args.checkpoint, args.play)
        config = Config(
            game=policy.game.id,
            options=dict(policy.game.options),
            name=folder.name,
            seed=args.seed,
            decisions=args.decisions * policy.game.num_sides,  # the learner takes one side of each table
            workers=args.workers,
            network=Network(policy.network.hidden),
            ppo=PPO(entropy=0.02, entropy_end=0.0, kl=0.0),
            opponents=Opponents(share=1.0, bots=(f"{args.checkpoint}@{args.play}",)),
            evaluate_against=(f"{args.checkpoint}@{args.play}",),
        )
        run = Run(config, folder)
    except ValueError as error:
        print(f"best_response.py: {error}", file=sys.stderr)
        return 2
    network = run.train()
    found = {}
    for how in ("sample", "argmax"):
        learner = from_network(run.game, network, how, "best response")
        (result,) = evaluate(run.game, learner, [PolicyPlayer(policy)], args.games, args.seed)
        low, high = result.interval
        found[how] = {"win_share": result.win_share, "interval": [low, high], "games": result.games}
        share = f"{result.win_share:.1%} ({low:.1%} to {high:.1%}) of {result.games} games"
        print(f"{learner.name} wins {share} against {policy.name}")
    (folder / "best_response.json").write_text(json.dumps({"agent": policy.name, **found}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
