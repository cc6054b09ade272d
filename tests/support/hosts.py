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
"""Name of each host's network card."""
ALWAYS = {"GLOO_SOCKET_IFNAME": CARD, "OMP_NUM_THREADS": "1", "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}
"""Environment variables of the recipe for two machines (docs/clusters.md)."""
ROOT = Path(__file__).resolve().parents[2]


def ip(*arguments: str) -> None:
    """Run `ip`.

    Raises:
        CalledProcessError: it failed; the error holds its message.
    """
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True, timeout=30)


def why_not() -> str:
    """Return why hosts cannot be made here; "" if they can."""
    if not sys.platform.startswith("linux") or not shutil.which("ip") or not shutil.which("unshare"):
        return "needs Linux with ip and unshare"
    try:
        with Hosts():
            return ""
    except subprocess.CalledProcessError as error:
        return f"network namespaces are not allowed here: {error.stderr.strip()}"


class Hosts:
    """Context manager that provides the hosts "a" and "b"; on exit it kills every process on them."""

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
        """Start a command on a host.

        Args:
            name: name of the host.
            command: the command, run in the project folder.
            output: file for its output and errors.
            private: a folder that only this host sees, and its path on the other host: a separate disk.
            variables: environment variables, besides those of this process.
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
        """Return the ids of all processes on a host."""
        found = subprocess.run(["ip", "netns", "pids", self._spaces[name]], capture_output=True, text=True, timeout=30)
        return [int(pid) for pid in found.stdout.split()]

    def trainers(self, name: str) -> list[int]:
        """Return the ids of the training processes on a host, without the processes that started them."""
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
        """Kill every process on a host at once, like a power failure."""
        while pids := self.processes(name):  # also processes that start meanwhile
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)

    def plug(self, connected: bool) -> None:
        """Connect or disconnect the cable, without notice to either host."""
        ip("-n", self._spaces["a"], "link", "set", CARD, "up" if connected else "down")
