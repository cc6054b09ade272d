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
    """Export a policy as an ONNX model or as a checkpoint of half the size.

        spygames export agent_avenue/simple-2 --onnx agent.onnx
        spygames evaluate onnx:agent.onnx@argmax --against greedy
        spygames export runs/demo --bfloat16 agents/demo

    An ONNX model runs without spygames and without torch. Its inputs are observation, float32 [n, F], and mask,
    int8 [n, A]; its output is logits, float32 [n, A]. Recurrent networks cannot be exported, since the model keeps no
    memory between decisions.
    """

    checkpoint: Positional[AnyPlayer] = None
    """A released agent, or the folder of a checkpoint or run."""
    game: GameId = None
    """The game, such as agent_avenue_v0. It must be the game of the checkpoint. (default: that game)"""
    option: GameOptions = ()
    """An option of the game, such as players=2."""
    onnx: AnyFile = None
    """File for the ONNX model."""
    bfloat16: AnyFolder = None
    """Folder for a checkpoint of the same agent with its weights rounded to bfloat16."""

    def run(self) -> int:
        if self.checkpoint is None:
            raise WrongArguments("name the checkpoint, as in spygames export agent_avenue/simple-2 --onnx agent.onnx")
        if self.onnx is None and self.bfloat16 is None:
            raise WrongArguments("choose the output with --onnx FILE or --bfloat16 FOLDER")
        if self.onnx is not None and self.bfloat16 is not None:
            raise WrongArguments("--onnx and --bfloat16 cannot be given together: run one command for each")
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
