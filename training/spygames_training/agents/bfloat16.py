"""Export checkpoints with weights rounded to bfloat16, at half the size (decision 0056)."""

from pathlib import Path

import torch

from spygames_training.agents.checkpoint import Checkpoint
from spygames_training.agents.folder import check_place, write_checkpoint
from spygames_training.networks.custom import OwnNetwork

__all__ = ["export_bfloat16"]


def export_bfloat16(checkpoint: Checkpoint, path: str | Path) -> None:
    """Write a checkpoint with each weight rounded to the nearest bfloat16; config.json stays the same.

    A loaded bfloat16 checkpoint computes in float32 with the rounded weights.

    Args:
        checkpoint: as returned by `load_checkpoint`.
        path: the folder to write, as in `save_checkpoint`.

    Raises:
        ValueError: the network is a custom one, or `path` holds something other than a checkpoint.
        OSError: the folder cannot be written.
    """
    if isinstance(checkpoint.network, OwnNetwork):
        raise ValueError(
            "a custom network cannot be rounded to bfloat16: its checkpoint must reproduce the saved outputs"
        )
    path = Path(path).absolute()
    check_place(path)
    tensors = {k: v.to(torch.bfloat16).contiguous() for k, v in checkpoint.network.state_dict().items()}
    write_checkpoint(path, tensors, checkpoint.meta)
