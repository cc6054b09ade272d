"""`spygames card`."""

from dataclasses import dataclass

from tyro.conf import Positional

from spygames_app.cli.arguments import AnyFile, AnyPlayer, WrongArguments, check_writable
from spygames_app.shipped import agent_folder


@dataclass(frozen=True)
class Card:
    """Writes the card of an agent: what it is, how well it plays, how it was made, what it is not for.

        spygames card agent_avenue/simple-2
        spygames evaluate runs/demo --play sample argmax --json demo.json
        spygames card runs/demo --evaluation demo.json --out demo.md

    A page in Markdown, from the checkpoint's own JSON and from that of an evaluation. An evaluation of other weights is
    refused.
    """

    checkpoint: Positional[AnyPlayer] = None
    """The folder of a checkpoint or a run, or the name of a checkpoint that comes with the package."""
    evaluation: AnyFile = None
    """What `spygames evaluate --json` wrote about this agent; otherwise the figures are those that it notes itself."""
    out: AnyFile = None
    """Where to write the card; it is printed if not given."""

    def run(self) -> int:
        if self.checkpoint is None:
            raise WrongArguments("name a checkpoint")
        check_writable(self.out)
        from spygames_training.atomic import write_whole
        from spygames_training.card import card, read_evaluation
        from spygames_training.checkpoint import load_checkpoint

        checkpoint = load_checkpoint(agent_folder(str(self.checkpoint)))
        evaluation = None if self.evaluation is None else read_evaluation(self.evaluation, checkpoint)
        text = card(checkpoint, self.checkpoint, evaluation)
        if self.out is None:
            print(text, end="")
        else:
            write_whole(self.out, text)
            print(f"card: {self.out}")
        return 0
