"""The kernels and the slow reference, written from the rules' text, play the same games."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.agent_dog import reference

SHOWN = ("pawns", "hidden", "turn", "cards_played", "round", "dealer", "phase", "to_move", "out", "last_card")


def bare(mapping: dict[str, Any], max_turns: int) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key not in ("rng", "record")} | {"max_turns": max_turns}


def compare(fresh: Callable[..., Any], decisions: int, seed: int, **options: Any) -> Counter[str]:
    """Plays random decisions with both; returns how often each kind of thing happened."""
    rng = np.random.default_rng(seed)
    seen: Counter[str] = Counter()
    table = None
    for _ in range(decisions):
        if table is None or table.s.to_move < 0:
            max_turns = int(rng.choice([30, 500]))
            table = fresh(int(rng.integers(2**63)), max_turns=max_turns, **options)
            state = bare(table.mapping, max_turns)
            eager = rng.random()
        texts = sorted(reference.legal(state))
        assert table.legal == set(texts), (state, sorted(table.legal ^ set(texts)))
        chosen = str(rng.choice(preferred(texts, rng, eager)))
        seen[chosen.split()[0] + (" into" if "into" in chosen else "")] += 1
        table.act(chosen)
        after = bare(table.mapping, max_turns)
        try:
            reference.act(state, chosen)
            assert state == after, (chosen, {k: (state[k], after[k]) for k in state if state[k] != after[k]})
        except reference.Shuffled:
            seen["shuffled"] += 1
            keys = [key for key in SHOWN if key != "phase"] if chosen.startswith("discard") else SHOWN
            assert {key: state[key] for key in keys} == {key: after[key] for key in keys}
        state = after
        seen[f"end {state['end_reason']}"] += state["phase"] == "over"
        seen["penalty or laid down"] += bool(state["out"])
    return seen


def preferred(texts: list[str], rng: np.random.Generator, eager: float) -> list[str]:
    """Eager players like what is rare: entering and moving in goals, red cards, starts, meetings."""
    liked = [t for t in texts if "goal" in t or "start" in t or "companion" in t or "swap" in t]
    return liked if liked and rng.random() < eager else texts


@pytest.mark.rule(
    "AD-9", "AD-10", "AD-11", "AD-12", "AD-13", "AD-14", "AD-15", "AD-16", "AD-19", "AD-20", "AD-21", "AD-22",
    "AD-23", "AD-25", "AD-26", "AD-27", "AD-28", "AD-29", "AD-30", "AD-31", "AD-33", "AD-34", "AD-35", "AD-36",
)  # fmt: skip
@pytest.mark.parametrize("players", [4, 2, 3])
def test_both_implementations_play_the_same_games(fresh: Callable[..., Any], players: int) -> None:
    seen = compare(fresh, 3000, players, players=players)
    assert seen["end truncated"]
