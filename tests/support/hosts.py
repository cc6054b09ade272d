"""Two hosts on one machine: network namespaces with a cable between them. Needs Linux and root."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

NAMES = ("a", "b")
ADDRESSES = {"a": "10.83.0.1", "b": "10.83.0.2"}
CARD = "cable0"
"""The name of the network card of each host."""
ALWAYS = {"GLOO_SOCKET_IFNAME": CARD, "OMP_NUM_THREADS": "1", "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}
"""The variables of the recipe for two machines (docs/clusters.md)."""
ROOT = Path(__file__).resolve().parents[2]


def ip(*arguments: str) -> None:
    """Runs `ip`; CalledProcessError with its message if it fails."""
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True, timeout=30)


def why_not() -> str:
    """Why hosts cannot be made here; "" where they can."""
    if not sys.platform.startswith("linux") or not shutil.which("ip") or not shutil.which("unshare"):
        return "needs Linux with ip and unshare"
    try:
        with Hosts():
            return ""
    except subprocess.CalledProcessError as error:
        return f"network namespaces are not allowed here: {error.stderr.strip()}"


class Hosts:
    """A context in which the hosts "a" and "b" are there; at its end whatever runs on them is killed."""

    def __init__(self) -> None:
        self._spaces = {name: f"spygames-{os.getpid()}-{name}" for name in NAMES}

    def __enter__(self) -> "Hosts":
        try:
            for space in self._spaces.values():
                ip("netns", "add", space)
                ip("-n", space, "link", "set", "lo", "up")
            a, b = self._spaces.values()
            ip("link", "add", CARD, "netns", a, "type", "veth", "peer", "name", CARD, "netns", b)
            for name, space in self._spaces.items():
                ip("-n", space, "address", "add", f"{ADDRESSES[name]}/24", "dev", CARD)
                ip("-n", space, "link", "set", CARD, "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for name, space in self._spaces.items():
            self.kill(name)
            subprocess.run(["ip", "netns", "del", space], capture_output=True, timeout=30)

    def start(
        self,
        name: str,
        command: list[str],
        output: IO[Any] | int,
        private: tuple[Path, Path] | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Starts a command on a host.

        Args:
            name: of the host.
            command: what is run, in the folder of the project.
            output: where its output and errors go.
            private: a folder that only this host sees, and where the other would look for it: a disk of its own.
            variables: of the environment, besides those of this process.
        """
        mounted: list[str] = []
        if private:
            mounted = ["unshare", "-m", "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"', *map(str, private)]
        return subprocess.Popen(
            ["ip", "netns", "exec", self._spaces[name], *mounted, *command],
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=ROOT,
            env={**os.environ, **ALWAYS, **(variables or {})},
        )

    def processes(self, name: str) -> list[int]:
        """The ids of all processes on a host."""
        found = subprocess.run(["ip", "netns", "pids", self._spaces[name]], capture_output=True, text=True, timeout=30)
        return [int(pid) for pid in found.stdout.split()]

    def trainers(self, name: str) -> list[int]:
        """The ids of the processes on a host that train, without what has started them."""
        found = []
        for pid in self.processes(name):
            try:
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            except OSError:  # it has ended
                continue
            if b"spygames_app" in words and b"torch.distributed.run" not in words:
                found.append(pid)
        return found

    def kill(self, name: str) -> None:
        """Ends every process on a host at once, as if somebody had pulled its plug."""
        while pids := self.processes(name):  # what is being started while others die is not spared
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)

    def plug(self, connected: bool) -> None:
        """Puts the cable in or takes it out; nobody is told."""
        ip("-n", self._spaces["a"], "link", "set", CARD, "up" if connected else "down")
