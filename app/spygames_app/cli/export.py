"""`spygames export`."""

from dataclasses import dataclass

from tyro.conf import Positional

from spygames_app.cli.arguments import (
    AnyFile,
    AnyFolder,
    AnyPlayer,
    GameId,
    GameOptions,
    WrongArguments,
    check_writable,
    choose_agent,
    say,
)


@dataclass(frozen=True)
class Export:
    """Writes the policy of a checkpoint in another form: an ONNX model, which runs without spygames and without torch,
    or a checkpoint of half the size.

        spygames export agent_avenue/simple-2 --onnx agent.onnx
        spygames evaluate onnx:agent.onnx@argmax --against greedy
        spygames export runs/demo --bfloat16 agents/demo

    The model has the inputs observation, float32 [n, F], and mask, int8 [n, A], and the output logits, float32
    [n, A]. A recurrent network is refused, since a model has no memory from one decision to the next.
    """

    checkpoint: Positional[AnyPlayer] = None
    """The folder of a checkpoint or a run, or the name of a checkpoint that comes with the package."""
    game: GameId = None
    """The game, as agent_avenue_v0; otherwise that of the checkpoint, which must be the same."""
    option: GameOptions = ()
    """An option of the game, as players=2; may be given several times."""
    onnx: AnyFile = None
    """Where to write the model."""
    bfloat16: AnyFolder = None
    """The folder for a checkpoint with the same agent, its weights rounded to bfloat16."""

    def run(self) -> int:
        if self.checkpoint is None:
            raise WrongArguments("name the checkpoint, as in spygames export agent_avenue/simple-2 --onnx agent.onnx")
        if self.onnx is None and self.bfloat16 is None:
            raise WrongArguments("say what is written, with --onnx FILE or --bfloat16 FOLDER")
        if self.onnx is not None and self.bfloat16 is not None:
            raise WrongArguments("--onnx and --bfloat16 are written by one command each")
        check_writable(self.onnx)
        agent = choose_agent(self.checkpoint, self.game, dict(self.option))
        from spygames_training.agents.checkpoint import load_checkpoint

        checkpoint = load_checkpoint(agent)
        if self.bfloat16 is not None:
            from spygames_training.agents.bfloat16 import export_bfloat16

            export_bfloat16(checkpoint, self.bfloat16)
            say(f"agent: {self.bfloat16}")
            return 0
        from spygames_training.agents.onnx_export import export_onnx

        assert self.onnx is not None
        export_onnx(checkpoint, self.onnx)
        say(f"model: {self.onnx}")
        return 0
