"""Agents as ONNX models, which run without this package and without torch."""

import logging
import warnings
from pathlib import Path

import torch
from torch import Tensor, nn

from spygames.core.game.game import Game
from spygames_training.agents.checkpoint import Checkpoint
from spygames_training.networks.actor_critic import ActorCritic

__all__ = ["export_onnx"]

ILLEGAL = -1e9
"""The logit of an illegal action, finite so that whoever reads the model may compute with it."""


class _Actor(nn.Module):
    """The part of a network that decides: observation and mask -> logits."""

    def __init__(self, network: ActorCritic):
        super().__init__()
        self.trunk, self.policy = network.trunk, network.policy

    def forward(self, observation: Tensor, mask: Tensor) -> Tensor:
        logits = self.policy(self.trunk(observation))
        return torch.where(mask != 0, logits, torch.full_like(logits, ILLEGAL))


def export_onnx(checkpoint: Checkpoint, path: str | Path) -> None:
    """Writes the policy of a checkpoint as an ONNX model, in one file.

    Inputs: `observation` float32 [n, F], the fields of the game's layout one after the other, and `mask` int8 [n, A], 1
    for what is legal. Output: `logits` float32 [n, A], those of illegal actions -1e9. The model's metadata has the
    game, as `onnx:` players check it.

    Args:
        checkpoint: as `load_checkpoint` reads it.
        path: the file, which is overwritten.

    Raises:
        ValueError: the network has memory, which a model of one decision does not carry on; or the extra `onnx` is
            missing.
        OSError: the file cannot be written.
    """
    network, game = checkpoint.network, checkpoint.game
    if network.memory_size:
        raise ValueError("a recurrent network is not exported: an ONNX player has no memory from decision to decision")
    data = to_onnx(game, network)
    Path(path).write_bytes(data)


def to_onnx(game: Game, network: ActorCritic) -> bytes:
    """The model as the bytes of its file."""
    try:
        import onnx
        import onnxscript  # noqa: F401 (torch.onnx.export asks for it late, with an error of several lines)
    except ModuleNotFoundError as error:
        raise ValueError(f"an export needs {error.name}: pip install 'spygames[onnx]'") from error
    from spygames_training.agents.checkpoint import layout_hash

    n = torch.export.Dim("n")
    example = (
        torch.zeros(2, game.num_features, dtype=torch.float32, device="cpu"),
        torch.ones(2, game.num_actions, dtype=torch.int8, device="cpu"),
    )
    level = logging.getLogger("torch.onnx").level
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it warns of packages that are not used here
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = torch.onnx.export(
                _Actor(network).eval(),
                example,
                input_names=["observation", "mask"],
                output_names=["logits"],
                dynamic_shapes={"observation": {0: n}, "mask": {0: n}},
                dynamo=True,
                verbose=False,
            )
    finally:
        logging.getLogger("torch.onnx").setLevel(level)
    assert program is not None
    model = program.model_proto
    onnx.helper.set_model_props(model, {"game": game.id, "layout": layout_hash(game)})
    onnx.checker.check_model(model)
    return model.SerializeToString()
