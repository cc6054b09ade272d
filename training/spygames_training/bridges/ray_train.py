"""Several processes on a Ray cluster that train one network: Ray Train starts them, and again after a failure (extra
`ray`).

What each of them does is `Run.open` and `Run.train`, as with torchrun. The state is in the run's folder; Ray's own
checkpoints are not used.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

from spygames.authoring import one_line
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
    """Trains to the end of the run in `folder`, which is begun or resumed.

    Args:
        config: what to do; each number of processes that there may be must divide its workers. With device "cuda" each
            process is given a GPU.
        folder: where the run lives, on a disk that the machines share or on that of one of them (`Run.resume`).
        processes: how many; or how many at least and at most, as many of them as the cluster has room for.
        address: of the cluster, as `ray.init` takes it; None: the one that this process is connected to, else one that
            RAY_ADDRESS names or that runs on this machine, else a new one here.
        failures: how often the processes are started again after a failure, from the last saved state.
        network: a network of one's own, as `python:MODULE.NAME`, which all machines can import.
        shaping: a shaping of one's own, likewise.

    Raises:
        ValueError: Ray Train is not installed; the workers cannot be shared; and what `Run.open` finds wrong, before
            any process is started.
        RuntimeError: the processes have failed too often; the last saved state is whole.
    """
    try:
        ray, train, of_torch = map(import_module, ("ray", "ray.train", "ray.train.torch"))
    except ImportError as error:
        raise ValueError(f"Ray Train needs the extra: pip install 'spygames[ray]' ({one_line(error)})") from error
    processes = processes if isinstance(processes, tuple) else int(processes)
    fewest, most = processes if isinstance(processes, tuple) else (processes, processes)
    for count in range(fewest, most + 1):
        check_workers(config, count)
    place, gpu = Path(folder).resolve(), config.device == "cuda"
    asked = {"config": config, "folder": str(place), "network": network, "shaping": shaping}
    if not gpu:  # else this machine need not have one
        _open(asked).close()  # what is wrong is said here and once
    if not ray.is_initialized():
        ray.init(address)
    trainer = of_torch.TorchTrainer(
        _train,
        train_loop_config=asked,
        scaling_config=train.ScalingConfig(
            num_workers=processes, use_gpu=gpu, resources_per_worker={"CPU": max(1, config.workers // most)}
        ),
        run_config=train.RunConfig(
            name="ray", storage_path=str(place), failure_config=train.FailureConfig(max_failures=failures)
        ),
        torch_config=of_torch.TorchConfig(backend="gloo"),
    )
    try:
        trainer.fit()
    except train.TrainingFailedError as error:
        raise RuntimeError(f"the processes on Ray have failed too often: {one_line(error, 1000)}") from error


def _open(asked: dict[str, Any]) -> Run:
    """The run, in this process."""
    passed = {"network": asked["network"], "shaping": asked["shaping"]}
    return Run.open(asked["config"], asked["folder"], None, join(), **passed)


def _train(asked: dict[str, Any]) -> None:
    """What each process does."""
    _open(asked).train(progress=False)
