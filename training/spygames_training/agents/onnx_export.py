"""Export agents as ONNX models, which run without this package and without torch."""

import logging
import warnings
from pathlib import Path

import torch
from torch import Tensor, nn

from spygames.core.basics.extras import how_to_install
from spygames.core.game.game import Game
from spygames_training.agents.checkpoint import Checkpoint
from spygames_training.files.atomic import write_whole
from spygames_training.networks.actor_critic import ActorCritic

__all__ = ["export_onnx"]

ILLEGAL = -1e9
"""Logit of an illegal action; finite, so that users of the model can compute with it."""


class _Actor(nn.Module):
    """The acting part of a network: (observation, mask) -> logits."""

    def __init__(self, network: ActorCritic):
        super().__init__()
        self.trunk, self.policy = network.trunk, network.policy

    def forward(self, observation: Tensor, mask: Tensor) -> Tensor:
        logits = self.policy(self.trunk(observation))
        return torch.where(mask != 0, logits, torch.full_like(logits, ILLEGAL))


def export_onnx(checkpoint: Checkpoint, path: str | Path) -> None:
    """Write the policy of a checkpoint as an ONNX model, in one file.

    Inputs: `observation` float32 [n, F], the fields of the game's layout concatenated, and `mask` int8 [n, A], 1 for
    legal actions. Output: `logits` float32 [n, A], -1e9 for illegal actions. The model's metadata holds the game's id
    and layout, which `onnx:` players check.

    Args:
        checkpoint: as returned by `load_checkpoint`.
        path: the file to write; an existing one is replaced, or stays as it is after an error.

    Raises:
        ValueError: the network is recurrent, as the model of a single decision has no memory; or the extra `onnx` is
            not installed.
        OSError: the file cannot be written.
    """
    network, game = checkpoint.network, checkpoint.game
    if network.memory_size:
        raise ValueError("a recurrent network cannot be exported: an ONNX player has no memory between decisions")
    write_whole(Path(path), to_onnx(game, network))


def to_onnx(game: Game, network: ActorCritic) -> bytes:
    """Return the model as the bytes of its file."""
    try:
        import onnx
        import onnxscript  # noqa: F401 (torch.onnx.export needs it later, with an error of several lines)
    except ModuleNotFoundError as error:
        raise ValueError(f"ONNX export needs {error.name}: {how_to_install('onnx')}") from error
    from spygames.core.players.checkpoint import layout_hash

    n = torch.export.Dim("n")
    example = (
        torch.zeros(2, game.num_features, dtype=torch.float32, device="cpu"),
        torch.ones(2, game.num_actions, dtype=torch.int8, device="cpu"),
    )
    level = logging.getLogger("torch.onnx").level
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it warns of packages that this model does not need
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
