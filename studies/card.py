"""Write the card of an agent: `python -m studies.card AGENT`."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from tyro.conf import Positional

from spygames_app.cli.arguments import (
    AnyFile,
    AnyPlayer,
    GameId,
    GameOptions,
    WrongArguments,
    check_writable,
    choose_agent,
    run_command,
    say,
)
from spygames_app.shipped import agent_folder


@dataclass(frozen=True)
class Card:
    """Write the card of an agent: what it is, how well it plays, and its limits.

        python -m studies.card agent_avenue/simple-2
        spygames evaluate runs/demo --play sample argmax --json demo.json
        python -m studies.card runs/demo --evaluation demo.json --out demo.md
        python -m studies.card agents/mine --out agents/mine/README.md

    The card is a Markdown page from three sources: the checkpoint, the JSON file of an evaluation, and a file of
    figures. The file of figures holds adversaries, a search on top, and the calibration of the value, which is drawn
    next to the page as value.svg. The learning curve of a learner among the adversaries is drawn as adversary.svg.
    Figures of other weights raise an error.
    """

    checkpoint: Positional[AnyPlayer] = None
    """A released agent, or the folder of a checkpoint or run."""
    game: GameId = None
    """The game, such as agent_avenue_v0. It must be the game of the checkpoint. (default: that game)"""
    option: GameOptions = ()
    """An option of the game, such as players=2."""
    evaluation: AnyFile = None
    """Results of `spygames evaluate --json` for this agent. (default: the results in the checkpoint)"""
    figures: AnyFile = None
    """A file of `python -m studies.agent_figures`. (default: figures.json in the checkpoint's folder, if any)"""
    out: AnyFile = None
    """File for the card. (default: print it)"""

    def run(self) -> int:
        if self.checkpoint is None:
            raise WrongArguments("name the checkpoint, as in python -m studies.card agent_avenue/simple-2")
        check_writable(self.out)
        from spygames.core.players.checkpoint_files import find_checkpoint
        from spygames_training.agents.checkpoint import load_checkpoint
        from spygames_training.files.atomic import write_whole
        from studies.calibration import draw_calibration
        from studies.card_page import card
        from studies.figures import CURVE, FIGURES, PICTURE, read_evaluation, read_figures
        from studies.worst_case_page import draw_curve

        agent = choose_agent(self.checkpoint, self.game, dict(self.option))
        folder = agent_folder(agent)
        checkpoint = load_checkpoint(folder)
        evaluation = None if self.evaluation is None else read_evaluation(self.evaluation, checkpoint)
        file = self.figures or find_checkpoint(folder) / FIGURES
        figures = read_figures(file, checkpoint) if self.figures or file.exists() else None
        drawn = PICTURE if self.out and figures and figures.calibration else ""
        learners = [each for each in figures.adversaries if each.curve] if figures else []
        curve = max(learners, key=lambda each: each.gain).curve if self.out and learners else ()
        text = card(checkpoint, agent, evaluation, figures, drawn, CURVE if curve else "")
        if self.out is None:
            print(text, end="")
            return 0
        write_whole(self.out, text)
        say(f"card: {self.out}")
        if drawn and figures and figures.calibration:
            draw_calibration(figures.calibration, self.out.with_name(PICTURE))
            say(f"picture: {self.out.with_name(PICTURE)}")
        if curve:
            draw_curve(curve, self.out.with_name(CURVE))
            say(f"picture: {self.out.with_name(CURVE)}")
        return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Write the card; return the exit code."""
    return run_command(Card, argv, "python -m studies.card")


if __name__ == "__main__":
    sys.exit(main())
