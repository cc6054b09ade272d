"""`spygames export`."""

from dataclasses import dataclass

from tyro.conf import Positional

from spygames_app.cli.arguments import AnyFile, AnyFolder, AnyPlayer, WrongArguments, check_writable


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
    onnx: AnyFile = None
    """Where to write the model."""
    bfloat16: AnyFolder = None
    """The folder for a checkpoint with the same agent, its weights rounded to bfloat16."""

    def run(self) -> int:
        if self.checkpoint is None or (self.onnx is None) == (self.bfloat16 is None):
            raise WrongArguments("name a checkpoint, and what is written, with --onnx or --bfloat16")
        check_writable(self.onnx)
        from spygames_training.checkpoint import load_checkpoint

        checkpoint = load_checkpoint(self.checkpoint)
        if self.bfloat16 is not None:
            from spygames_training.rounding import export_bfloat16

            export_bfloat16(checkpoint, self.bfloat16)
            print(f"agent: {self.bfloat16}")
            return 0
        from spygames_training.onnx_export import export_onnx

        assert self.onnx is not None
        export_onnx(checkpoint, self.onnx)
        print(f"model: {self.onnx}")
        return 0
