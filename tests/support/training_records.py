"""What a checkpoint notes about the agent's training, read independently of the package."""

import json
from collections.abc import Iterator, Mapping
from typing import Any


def runs_behind(extra: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The configs of all runs behind an agent, oldest first, each once; `extra` is that of its config.json."""
    found = {json.dumps(config, sort_keys=True): config for config in _configs(extra)}
    return list(found.values())


def _configs(extra: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    began_with = extra.get("began_with", {})
    for record in (extra, began_with):
        for agent in record.get("joined", {}).get("agents", ()):
            yield from _configs(agent)
    yield from (run["config"] for run in began_with.get("runs", ()))
    if "config" in extra:
        yield extra["config"]
