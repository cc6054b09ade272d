"""`spygames export`."""

from dataclasses import dataclass

from tyro.conf import Positional

from spygames_app.cli.arguments import AnyFile, AnyPlayer, WrongArguments, check_writable


@dataclass(frozen=True)
class Export:
    """Writes the policy of a checkpoint as an ONNX model, which runs without spygames and without torch.

        spygames export agent_avenue/simple-2 --onnx agent.onnx
        spygames evaluate onnx:agent.onnx@argmax --against greedy

    The model has the inputs observation, float32 [n, F], and mask, int8 [n, A], and the output logits, float32
    [n, A]. A recurrent network is refused, since a model has no memory from one decision to the next.
    """

    checkpoint: Positional[AnyPlayer] = None
    """The folder of a checkpoint or a run, or the name of a checkpoint that comes with the package."""
    onnx: AnyFile = None
    """Where to write the model."""

    def run(self) -> int:
        if self.checkpoint is None or self.onnx is None:
            raise WrongArguments("name a checkpoint, and where the model is written, with --onnx")
        check_writable(self.onnx)
        from spygames_training.checkpoint import load_checkpoint
        from spygames_training.onnx_export import export_onnx

        export_onnx(load_checkpoint(self.checkpoint), self.onnx)
        print(f"model: {self.onnx}")
        return 0
