"""The kernels and the slow reference, written from the rules, play the same games.

The tests play a few thousand decisions. To play more and count the events on the way:

    python -m tests.games.agent_dog.test_reference --players 4 --decisions 100000
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from rich.progress import track

from spygames.core.game.game import ImpossibleState
from tests.games.agent_dog import reference
from tests.games.agent_dog.conftest import COLOURS, ORDER, Position, fresh_position, make_mapping, position_at

SHOWN = ("pawns", "hidden", "turn", "cards_played", "round", "dealer", "phase", "to_move", "out", "last_card")


def bare(mapping: dict[str, Any], max_turns: int) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key not in ("rng", "record")} | {"max_turns": max_turns}


def compare(
    decisions: int,
    seed: int,
    crowded: bool = False,
    progress: Callable[[Iterable[int]], Iterable[int]] = iter,
    **options: Any,
) -> Counter[str]:
    """Play random decisions with both, from the start or crowded positions; returns the number of each event."""
    rng = np.random.default_rng(seed)
    seen: Counter[str] = Counter()
    position, left, max_turns, eager = None, 0, 0, 0.0
    state: dict[str, Any] = {}
    for _ in progress(range(decisions)):
        left -= 1
        if position is None or position.s.to_move < 0 or left <= 0:
            max_turns = int(rng.choice([30, 500]))
            left = 12 if crowded else decisions
            if crowded:
                position = crowded_position(rng, max_turns=max_turns, **options)
            else:
                position = fresh_position(int(rng.integers(2**63)), max_turns=max_turns, **options)
            state = bare(position.mapping, max_turns)
            eager = rng.random()
        texts = sorted(reference.legal(state))
        assert position.legal == set(texts), (state, sorted(position.legal ^ set(texts)))
        chosen = str(rng.choice(preferred(texts, rng, eager)))
        seen[chosen.split()[0] + (" into" if "into" in chosen else "")] += 1
        position.act(chosen)
        after = bare(position.mapping, max_turns)
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
        seen["a side is home"] += any(all("goal" in place for place in at) for at in state["pawns"].values())
        seen["hidden in a goal"] += any(isinstance(place, str) for place in state["hidden"])
        seen[f"won with {'a penalty' if state['out'] else 'none'}"] += state["end_reason"] == "home"
    return seen


def crowded_position(rng: np.random.Generator, **options: Any) -> Position:
    """A position with pawns close to their goals, in goals, on holes and start spaces, and red cards."""
    while True:
        players = options["players"]
        pawns, taken = {}, set()
        nearly_home = players == 4 and rng.random() < 0.5  # otherwise a team rarely wins
        for colour in COLOURS[players]:
            start = 16 * reference.COLOURS.index(colour)
            there = [3, 3, 4] if nearly_home and colour in ("red", "green") else [0, 1, 2, 3, 3, 4]
            inside = rng.choice(4, int(rng.choice(there)), replace=False)
            pawns[colour] = [f"goal {i}" for i in sorted(inside)]
            while len(pawns[colour]) < 4 and rng.random() < 0.9:
                anywhere, near_home = rng.integers(64), start - rng.integers(0, 8)
                near_meeting = 16 * rng.integers(4) + rng.integers(5, 9)
                space = int(rng.choice([anywhere, near_home, near_home, near_meeting])) % 64
                if space not in taken:
                    taken.add(space)
                    pawns[colour].append(f"track {space}")
        cards = [card for card in ORDER for _ in range(6)] + ["companion"] * 2 + ["swap"] * 2
        deal = [str(card) for card in rng.permutation(cards)]
        hands = {str(seat): [deal.pop() for _ in range(rng.integers(1, 6))] for seat in range(players)}
        if rng.random() < 0.6:
            hands["0"] = [*(card for card in hands["0"][1:] if card != "companion"), "companion"]
        mapping = make_mapping(
            pawns,
            hands,
            players,
            hidden=sorted(space for space in taken if space % 4 == 3),
            last_card=[None, *ORDER[:12], "companion"][rng.integers(14)],
        )
        try:
            return position_at(mapping, **{key: value for key, value in options.items() if key != "players"})
        except ImpossibleState:
            continue  # no seat can play, or the game is over


def preferred(texts: list[str], rng: np.random.Generator, eager: float) -> list[str]:
    """Prefer rare actions with probability `eager`: entering and moving in goals, red cards, starts, meetings."""
    liked = [t for t in texts if "goal" in t or "start" in t or "companion" in t or "step track 7" in t]
    return liked if liked and rng.random() < eager else texts


@pytest.mark.rule(
    "AD-9", "AD-10", "AD-11", "AD-12", "AD-13", "AD-14", "AD-15", "AD-16", "AD-19", "AD-20", "AD-21", "AD-22",
    "AD-23", "AD-25", "AD-26", "AD-27", "AD-28", "AD-29", "AD-30", "AD-31", "AD-33", "AD-34", "AD-35", "AD-36",
)  # fmt: skip
@pytest.mark.parametrize("decisions", [1500, pytest.param(20_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("players", [4, 2, 3])
def test_both_implementations_play_the_same_games(players: int, decisions: int) -> None:
    seen = compare(decisions, players, players=players)
    assert seen["end truncated"]


@pytest.mark.rule("AD-17", "AD-18", "AD-22", "AD-28", "AD-29", "AD-30", "AD-31", "AD-32")
@pytest.mark.parametrize("players", [3, *(pytest.param(n, marks=pytest.mark.slow) for n in (4, 2))])
def test_both_implementations_agree_in_crowded_positions(players: int) -> None:
    seen = compare({2: 5000, 3: 1500, 4: 3000}[players], players, crowded=True, players=players)
    for what in ("a side is home", "hidden in a goal", "step into", "from into", "end home", "meet"):
        assert seen[what], (what, seen)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, choices=(2, 3, 4), default=4)
    parser.add_argument("--decisions", type=int, default=30_000, help="(default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="(default: %(default)s)")
    parser.add_argument("--crowded", action="store_true", help="from positions close to the end instead of starts")
    args = parser.parse_args()
    seen = compare(args.decisions, args.seed, args.crowded, track, players=args.players)
    for what, times in sorted(seen.items()):
        print(f"{times:8} {what}")


if __name__ == "__main__":
    main()
