"""Run Python with some arguments and print its CPU seconds, beside those of a fixed reference loop.

`python tests/support/timed.py -m pytest -q` exits with the exit code of the command. Machines differ in speed by more
than a factor of two; the number of reference loops that a suite takes differs less.
"""

import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import time

ROUNDS = 1_000_000


def loop(_: int = 0) -> float:
    """Return the CPU seconds of the fixed loop."""
    start, x, seen = time.process_time(), 1, {}
    for i in range(ROUNDS):
        x = (x * 6364136223846793005 + 1442695040888963407) % 2**64
        seen[x & 1023] = i
    return time.process_time() - start


def reference() -> float:
    """Return the CPU seconds of the fixed loop while all processors run it, the median of nine on each.

    The suite keeps all processors busy, too. Two of them may share a core: then each is up to twice as slow as alone.
    """
    workers = os.cpu_count() or 1
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        return statistics.median(pool.map(loop, range(9 * workers), chunksize=1))


def spent() -> float:
    """Return the CPU seconds of all processes that this one started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(arguments: list[str]) -> int:
    each, begin = reference(), spent()
    code = subprocess.run([sys.executable, *arguments]).returncode
    cpu, each = spent() - begin, (each + reference()) / 2  # the speed may change in between
    print(f"{cpu:.0f} CPU seconds, {cpu / each:.0f} times the reference loop of {each:.3f} s", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
