"""Make the executor that a command's options name."""

from spygames_training.parallel.executor import SERIAL, Executor
from spygames_training.parallel.pool import Pool

__all__ = ["executor_of"]


def executor_of(jobs: int = 1, on: str = "") -> Executor:
    """Make the executor that the options `--jobs` and `--on` name.

    Example:
        >>> from spygames_training.measuring import executor_of
        >>> executor_of().parallel, executor_of(jobs=2).parallel
        (False, True)

    Args:
        jobs: number of processes on this machine; 1: this process.
        on: "ray" or "ray:ADDRESS", a Ray cluster; "": this machine.

    Raises:
        ValueError: both are given, `jobs` is not an integer of at least 1, `on` is something else, or Ray is not
            installed.
        OSError: there is no cluster at that address.
    """
    if on:
        kind, _, address = on.partition(":")
        if kind != "ray":
            raise ValueError(f"on must be ray or ray:ADDRESS, not {on[:100]!r}")
        if jobs != 1:
            raise ValueError("the cluster decides how many tasks run at a time: give --jobs or --on, not both")
        try:
            from spygames_training.bridges.ray_tasks import OnRay
        except ModuleNotFoundError as error:
            raise ValueError(
                f"--on ray needs Ray: pip install 'spygames[ray]' (in a clone: '.[ray]'): {error}"
            ) from error
        return OnRay(address)
    if jobs == 1:
        return SERIAL
    return Pool(jobs)
