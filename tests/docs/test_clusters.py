"""The recipes of the page about clusters are short and consistent. The one for SLURM runs, with an `srun` that starts
its tasks on this machine."""

import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "clusters.md").read_text(encoding="utf-8")
[SBATCH] = re.findall(r"^```text\n(#!/bin/bash\n.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
[KUBERNETES] = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
SRUN = """#!/bin/sh
# Starts the command twice, as srun on two nodes.
shift
for k in 0 1; do
  SLURM_PROCID=$k SLURM_NTASKS=2 SLURM_LOCALID=0 "$@" &
  pids="$pids $!"
done
code=0
for pid in $pids; do wait $pid || code=1; done
exit $code
"""
CONFIG = "decisions = 512\nevaluate_games = 2\n[network]\nhidden = [8]\n[ppo]\ngames = 16\nsteps = 16\nminibatch = 64\n"


def test_recipes_are_short() -> None:
    for recipe in (SBATCH, KUBERNETES):
        assert len(recipe.splitlines()) < 20


def test_the_kubernetes_recipe_is_consistent() -> None:
    service, job = yaml.safe_load_all(KUBERNETES)
    name, spec = job["metadata"]["name"], job["spec"]
    pod = spec["template"]["spec"]
    [container] = pod["containers"]
    env = {variable["name"]: variable["value"] for variable in container["env"]}
    assert (service["kind"], service["spec"]["clusterIP"]) == ("Service", "None")
    assert service["spec"]["selector"] == {"job-name": name}
    assert pod["subdomain"] == service["metadata"]["name"]
    assert env["MASTER_ADDR"] == f"{name}-0.{pod['subdomain']}"  # an indexed job's pods are named NAME-INDEX
    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 2, 2)
    assert env["WORLD_SIZE"] == str(spec["completions"])
    assert all(isinstance(value, str) for value in env.values())
    [volume], [mount] = pod["volumes"], container["volumeMounts"]
    assert volume["name"] == mount["name"]
    command = shlex.split(container["command"][2])
    assert command[0] == "RANK=$JOB_COMPLETION_INDEX"
    assert command[command.index("--out") + 1].startswith(mount["mountPath"])
    assert command[-2:] == ["--resume", "auto"]


@pytest.mark.slow
def test_the_slurm_recipe_trains(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    programs = {
        "scontrol": "#!/bin/sh\necho 127.0.0.1\n",
        "srun": SRUN,
        "spygames": f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m spygames_app "$@"\n',
    }
    for name, text in programs.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "config.toml").write_text(CONFIG)
    script = SBATCH
    for there, here in {"IFNAME=eth0": "IFNAME=lo", "heimlich_3": "config.toml", "seq 100": "seq 1"}.items():
        assert there in script
        script = script.replace(there, here)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "MASTER_PORT": str(port)}
    environment["SLURM_JOB_NODELIST"] = "node[1-2]"
    done = subprocess.run(
        ["bash", "-e", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "runs" / "heimlich" / "summary.json").exists()
    assert done.stdout.count("agent: runs/heimlich/checkpoint") == 1
