"""`spygames pack`."""

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
    say,
)


@dataclass(frozen=True)
class Pack:
    """Pack an agent into one zip file, to send or to publish.

        spygames pack runs/first
        spygames play --against first.zip

    The zip has the checkpoint, and the card beside it if there is one. Commands and Policy.load take the zip like the
    folder. Loading it runs no code and unpacks nothing.
    """

    checkpoint: Positional[AnyPlayer] = None
    """The folder of a run or checkpoint, or a released agent."""
    game: GameId = None
    """The game, such as agent_avenue_v0. It must be the game of the checkpoint. (default: that game)"""
    option: GameOptions = ()
    """An option of the game, such as players=2."""
    out: AnyFile = None
    """The zip file. (default: the name of the run or agent, and .zip)"""

    def run(self) -> int:
        if self.checkpoint is None:
            raise WrongArguments("name the run or checkpoint, as in spygames pack runs/first")
        check_writable(self.out)
        agent = choose_agent(self.checkpoint, self.game, dict(self.option))
        from spygames_training.agents.pack import pack_checkpoint

        say(f"zip: {pack_checkpoint(agent, self.out)}")
        return 0
