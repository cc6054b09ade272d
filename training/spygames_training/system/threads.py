"""The number of threads that networks are computed with."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec


@contextmanager
def one_thread() -> Iterator[None]:
    """Context in which torch computes with one thread. The order of sums in matrix products and decompositions depends
    on the number of threads, and so would results. Nothing is changed where torch is not installed."""
    if find_spec("torch") is None:
        yield
        return
    import torch  # not at the top: players are measured without torch, too

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
