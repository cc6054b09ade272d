"""Weights rounded to bfloat16: a checkpoint of half the size (decision 0056)."""

from pathlib import Path

import torch

from spygames_training.agents.checkpoint import Checkpoint
from spygames_training.agents.folder import check_place, write_checkpoint
from spygames_training.networks.custom import OwnNetwork

__all__ = ["export_bfloat16"]


def export_bfloat16(checkpoint: Checkpoint, path: str | Path) -> None:
    """Writes a checkpoint with each weight rounded to the nearest bfloat16; all that config.json says stays.

    Whoever loads it computes in float32, as ever, with the rounded weights.

    Args:
        checkpoint: as `load_checkpoint` reads it.
        path: the folder to write, as of `save_checkpoint`.

    Raises:
        ValueError: the network is none of this package's; `path` is something else than a checkpoint.
        OSError: the folder cannot be written.
    """
    if isinstance(checkpoint.network, OwnNetwork):
        raise ValueError("a network of your own is kept as it is, since it must answer as it did")
    path = Path(path).absolute()
    check_place(path)
    tensors = {k: v.to(torch.bfloat16).contiguous() for k, v in checkpoint.network.state_dict().items()}
    write_checkpoint(path, tensors, checkpoint.meta)
