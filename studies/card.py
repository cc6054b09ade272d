"""Writes the card of an agent: `python -m studies.card AGENT`."""

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
    execute,
    say,
)
from spygames_app.shipped import agent_folder
from spygames_training.agents.checkpoint import load_checkpoint
from spygames_training.agents.folder import find_checkpoint
from spygames_training.files.atomic import write_whole
from studies.calibration import draw_calibration
from studies.card_page import card
from studies.figures import FIGURES, PICTURE, read_evaluation, read_figures


@dataclass(frozen=True)
class Card:
    """Writes the card of an agent: what it is, how well it plays, how it was made, what it is not for.

        python -m studies.card agent_avenue/simple-2
        spygames evaluate runs/demo --play sample argmax --json demo.json
        python -m studies.card runs/demo --evaluation demo.json --out demo.md

        python -m studies.card agents/mine --figures agents/mine/figures.json --out agents/mine/README.md

    A page in Markdown, from the checkpoint's own JSON, from that of an evaluation, and from a file of figures (with
    adversaries, a search on top and what the value is worth, which is then drawn beside the page, as value.svg; by
    default figures.json in the checkpoint's folder). Figures of other weights are refused.
    """

    checkpoint: Positional[AnyPlayer] = None
    """The folder of a checkpoint or a run, or the name of a checkpoint that comes with the package."""
    game: GameId = None
    """The game, such as agent_avenue_v0. It must be the game of the checkpoint. (default: that game)"""
    option: GameOptions = ()
    """An option of the game, such as players=2."""
    evaluation: AnyFile = None
    """What `spygames evaluate --json` wrote about this agent; otherwise the figures are those that it notes itself."""
    figures: AnyFile = None
    """A file of figures, as `python -m studies.agent_figures` writes it."""
    out: AnyFile = None
    """Where to write the card; it is printed if not given."""

    def run(self) -> int:
        if self.checkpoint is None:
            raise WrongArguments("name the checkpoint, as in python -m studies.card agent_avenue/simple-2")
        check_writable(self.out)
        agent = choose_agent(self.checkpoint, self.game, dict(self.option))
        folder = agent_folder(agent)
        checkpoint = load_checkpoint(folder)
        evaluation = None if self.evaluation is None else read_evaluation(self.evaluation, checkpoint)
        file = self.figures or find_checkpoint(folder) / FIGURES
        figures = read_figures(file, checkpoint) if self.figures or file.exists() else None
        drawn = PICTURE if self.out and figures and figures.calibration else ""
        text = card(checkpoint, agent, evaluation, figures, drawn)
        if self.out is None:
            print(text, end="")
            return 0
        write_whole(self.out, text)
        say(f"card: {self.out}")
        if drawn and figures and figures.calibration:
            draw_calibration(figures.calibration, self.out.with_name(PICTURE))
            say(f"picture: {self.out.with_name(PICTURE)}")
        return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Writes the card; returns the exit code."""
    return execute(Card, sys.argv[1:] if argv is None else argv, "python -m studies.card")


if __name__ == "__main__":
    sys.exit(main())
