"""Run Python with some arguments and print its CPU seconds, beside those of a fixed reference loop.

`python tests/support/timed.py -m pytest -q` exits with the exit code of the command. Machines differ in speed by more
than a factor of two; the number of reference loops that a suite takes differs less.
"""

import resource
import subprocess
import sys
import time

ROUNDS = 1_000_000


def reference() -> float:
    """Return the CPU seconds of the fixed loop, the fastest of five."""
    seconds = []
    for _ in range(5):
        start, x, seen = time.process_time(), 1, {}
        for i in range(ROUNDS):
            x = (x * 6364136223846793005 + 1442695040888963407) % 2**64
            seen[x & 1023] = i
        seconds.append(time.process_time() - start)
    return min(seconds)


def main(arguments: list[str]) -> int:
    before = reference()
    code = subprocess.run([sys.executable, *arguments]).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu, loop = used.ru_utime + used.ru_stime, min(before, reference())
    print(f"{cpu:.0f} CPU seconds, {cpu / loop:.0f} times the reference loop of {loop:.3f} s", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
