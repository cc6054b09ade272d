"""Train one network with several processes on a Ray cluster (extra `ray`).

Ray Train starts the processes, and starts them again after a failure. Each calls `Run.open` and `Run.train`, as with
torchrun. The state is in the run's folder; Ray's own checkpoints are not used.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

from spygames.authoring import one_line, whole
from spygames_training import Config, Run, join
from spygames_training.runs.agreement import check_workers

__all__ = ["train_on_ray"]


def train_on_ray(
    config: Config,
    folder: str | Path,
    processes: int | tuple[int, int] = 2,
    *,
    address: str | None = None,
    failures: int = 100,
    network: str | None = None,
    shaping: str | None = None,
) -> None:
    """Create or resume the run in `folder`, and train it to its end.

    Example:
        >>> from spygames_training import Config
        >>> from spygames_training.bridges.ray_train import train_on_ray
        >>> train_on_ray(Config(decisions=10_000_000, workers=4), "runs/ray", processes=2)  # doctest: +SKIP

    Args:
        config: the settings; `workers` must be divisible by every possible number of processes. With device "cuda" each
            process gets a GPU.
        folder: of the run, on a disk that the machines share or on the disk of one of them (`Run.resume`).
        processes: the number of processes, or (minimum, maximum) to start as many as the cluster has room for.
        address: of the cluster, as in `ray.init`. None: the cluster that this process is connected to. Without a
            connection: the cluster that RAY_ADDRESS names, or one on this machine, or a new one here.
        failures: maximum number of restarts of the processes after failures, each from the last saved state.
        network: a custom network, as `python:MODULE.NAME`, which all machines can import.
        shaping: a custom shaping, as `python:MODULE.NAME`, which all machines can import.

    Raises:
        ValueError: Ray Train is not installed, the workers cannot be divided, or `Run.open` raises it. Nothing is
            started then. With device "cuda", errors of `Run.open` are found in the processes instead.
        RuntimeError: the processes have failed too often; the last saved state is intact.
    """
    try:
        ray, train, of_torch = map(import_module, ("ray", "ray.train", "ray.train.torch"))
    except ImportError as error:
        raise ValueError(
            f"train_on_ray needs Ray Train: pip install 'spygames[ray]' (in a clone: '.[ray]'): {one_line(error)}"
        ) from error
    fewest, most = processes if isinstance(processes, tuple) else (processes, processes)
    fewest = whole("processes", fewest, 1)
    most = whole("processes", most, fewest)
    for count in range(fewest, most + 1):
        check_workers(config, count)
    place, gpu = Path(folder).resolve(), config.device == "cuda"
    asked = {"config": config, "folder": str(place), "network": network, "shaping": shaping}
    if not gpu:  # with GPUs, this machine need not have one
        _open(asked).close()  # report errors here, and only once
    if not ray.is_initialized():
        ray.init(address)
    trainer = of_torch.TorchTrainer(
        _train,
        train_loop_config=asked,
        scaling_config=train.ScalingConfig(
            num_workers=(fewest, most) if isinstance(processes, tuple) else most,
            use_gpu=gpu,
            resources_per_worker={"CPU": max(1, config.workers // most)},
        ),
        run_config=train.RunConfig(
            name="ray", storage_path=str(place), failure_config=train.FailureConfig(max_failures=failures)
        ),
        torch_config=of_torch.TorchConfig(backend="gloo"),
    )
    try:
        trainer.fit()
    except train.TrainingFailedError as error:
        raise RuntimeError(f"the processes on Ray failed too often: {one_line(error, 1000)}") from error


def _open(asked: dict[str, Any]) -> Run:
    """Open the run in this process."""
    passed = {"network": asked["network"], "shaping": asked["shaping"]}
    return Run.open(asked["config"], asked["folder"], None, join(), **passed)


def _train(asked: dict[str, Any]) -> None:
    """Train in one of the processes."""
    _open(asked).train(progress=False)
