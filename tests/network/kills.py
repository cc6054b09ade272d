"""Random kills: `python -m tests.network.kills COUNT FOLDER [SEED]` disturbs runs COUNT times and reports lost runs.

Started again with the same folder, it continues to count.

Two hosts train one run after another, and each command is restarted when it ends, as on a cluster. Every few seconds
something happens: a process, a host or both hosts are killed (kill -9), or the cable is unplugged for some seconds. A
run is lost if its final bytes differ from those of the undisturbed run.
"""

import json
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.network.runs import (
    by_torchrun,
    by_variables,
    difference,
    train_alone,
    updates,
    variables,
    write_config,
)
from tests.support.hosts import NAMES, Hosts

DECISIONS = 400 * 32 * 8
AGAIN = 1.0
"""Seconds until an ended command is started again."""
PAUSE = 1.0, 15.0
"""Minimum and maximum seconds between two disturbances; some come while a run is still starting."""
MAX_SECONDS = 1800.0
"""Seconds after which an unfinished run counts as lost."""


@dataclass
class Cluster:
    """Start each host's command, and restart it when it fails, until one reports that the run is finished."""

    hosts: Hosts
    commands: dict[str, list[str]]
    variables: dict[str, dict[str, str]]
    log: Any

    def __post_init__(self) -> None:
        self.running = {name: self._start(name) for name in NAMES}
        self.ended: dict[str, float] = {}

    def finished(self) -> bool:
        """Return whether a command has ended without an error; restart those that failed."""
        for name, process in self.running.items():
            code = process.poll()
            if code == 0:
                return True
            if code is not None and time.monotonic() - self.ended.setdefault(name, time.monotonic()) > AGAIN:
                del self.ended[name]
                self.running[name] = self._start(name)
        return False

    def _start(self, name: str) -> subprocess.Popen[bytes]:
        return self.hosts.start(name, self.commands[name], self.log, variables=self.variables[name])


def disturb(hosts: Hosts, luck: random.Random) -> str:
    """Cause one random disturbance and return its name."""
    what = luck.choice(["process", "process", "host", "both hosts", "cable"])
    name = luck.choice(NAMES)
    if what == "process":
        pids = hosts.trainers(name)
        subprocess.run(["kill", "-9", *map(str, pids[-1:])], check=False, capture_output=True)
        return f"{what} {name}" if pids else ""
    if what == "cable":
        hosts.plug(False)
        time.sleep(luck.uniform(0.5, 5))
        hosts.plug(True)
        return what
    for each in NAMES if what == "both hosts" else [name]:
        hosts.kill(each)
    return f"{what} {name}" if what == "host" else what


def one_run(count: int, folder: Path, seed: int) -> dict[str, Any]:
    """Train one run with up to `count` disturbances; return them and the difference from the undisturbed run."""
    luck, run = random.Random(seed), folder / f"run-{seed}"
    config = write_config(folder, DECISIONS)
    torchrun = luck.random() < 0.5
    commands = {name: by_torchrun(name, config, run) if torchrun else by_variables(config, run) for name in NAMES}
    happened: list[str] = []
    started = time.monotonic()
    with Hosts() as hosts, open(folder / f"log-{seed}.txt", "ab") as log:
        cluster = Cluster(hosts, commands, {name: {} if torchrun else variables(name) for name in NAMES}, log)
        next_one = time.monotonic() + luck.uniform(*PAUSE)
        while not cluster.finished():
            if time.monotonic() - started > MAX_SECONDS:
                return {"seed": seed, "torchrun": torchrun, "happened": happened, "difference": "it does not end"}
            if time.monotonic() > next_one and len(happened) < count:
                what = disturb(hosts, luck)
                happened += [f"{what} at update {updates(run)}"] if what else []
                next_one = time.monotonic() + luck.uniform(*PAUSE)
            time.sleep(0.1)
    found = difference(run, folder / "undisturbed")
    return {"seed": seed, "torchrun": torchrun, "happened": happened, "difference": found}


def disturbed_runs(count: int, folder: Path, seed: int = 0) -> list[dict[str, Any]]:
    """Train runs until they were disturbed `count` times; each is a line of FOLDER/results.jsonl."""
    folder.mkdir(parents=True, exist_ok=True)
    results = folder / "results.jsonl"
    found = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    if not (folder / "undisturbed" / "summary.json").exists():
        subprocess.run(["rm", "-rf", str(folder / "undisturbed")], check=True)
        train_alone(write_config(folder, DECISIONS), folder / "undisturbed")
    while (left := count - sum(len(result["happened"]) for result in found)) > 0:
        found.append(one_run(left, folder, seed + len(found)))
        with open(results, "a") as file:
            file.write(json.dumps(found[-1]) + "\n")
    return found


def main() -> None:
    """Run the command line."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the hosts are removed
    count, folder, *seed = sys.argv[1:]
    found = disturbed_runs(int(count), Path(folder).resolve(), *map(int, seed))
    lost = [result for result in found if result["difference"]]
    kills = sum(len(result["happened"]) for result in found)
    print(f"{len(found)} runs, disturbed {kills} times, {len(lost)} lost")
    for result in lost:
        print(result)
    sys.exit(bool(lost))


if __name__ == "__main__":
    main()
