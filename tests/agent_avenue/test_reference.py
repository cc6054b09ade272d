"""A second, slow implementation, written from the text of the rules on the state mapping alone: both must agree."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

State = dict[str, Any]
ORDER = ["double_agent", "enforcer", "codebreaker", "saboteur", "daredevil", "sentinel", "sidekick", "mole"]
ICONS = {  # as printed; None: no number
    "double_agent": (-1, 6, -1),
    "enforcer": (1, 2, 3),
    "codebreaker": (0, 0, None),
    "saboteur": (-1, -1, -2),
    "daredevil": (2, 3, None),
    "sentinel": (0, 2, 6),
    "sidekick": (4,),
    "mole": (-3,),
}


def legal(state: State) -> set[str]:
    """AA-8, AA-10, AA-12, AA-20."""
    if state["phase"] == "over":
        return set()
    if state["phase"] == "recruit":
        return {"recruit up", "recruit down"}
    seat = str(state["to_move"])
    hand = state["hands"][seat]
    pairs = {(a, b) for i, a in enumerate(hand) for j, b in enumerate(hand) if i != j}
    if len(set(hand)) > 1:
        pairs = {(a, b) for a, b in pairs if a != b}
    texts = {f"play {a} {b}" for a, b in pairs}
    if state["deck"] and state["discards_left"][seat] > 0:
        texts |= {f"discard {a}" for a in hand}
    return texts


def take(state: State, side: int, card: str) -> None:
    """AA-13, AA-14."""
    stack = state["in_play"][str(side)]
    stack[card] = stack.get(card, 0) + 1
    icons = ICONS[card]
    state["progress"][side] += icons[min(stack[card], len(icons)) - 1] or 0


def act(state: State, text: str) -> None:
    """Changes the state by one action."""
    verb, *cards = text.split()
    seat = str(state["to_move"])
    active = state["active_side"]
    hand = state["hands"][seat]
    if verb == "discard":
        hand.remove(cards[0])
        state["discarded"][seat].append(cards[0])
        state["discards_left"][seat] -= 1
        hand.append(state["deck"].pop(0))
    elif verb == "play":
        for card in cards:
            hand.remove(card)
        state["face_up"], state["face_down"] = cards
        while state["deck"] and len(hand) < 4:
            hand.append(state["deck"].pop(0))
        state["phase"], state["to_move"] = "recruit", 1 - active
    else:
        offered = [state["face_up"], state["face_down"]]
        state["face_up"] = state["face_down"] = None
        if cards == ["down"]:
            offered.reverse()
        take(state, 1 - active, offered[0])
        take(state, active, offered[1])
        end(state)
    for key in ("hands", "discarded"):
        for place in state[key].values():
            place.sort(key=ORDER.index)


def end(state: State) -> None:
    """AA-17 to AA-19, case by case as the rulebooks list them."""
    active, progress = state["active_side"], state["progress"]
    ahead = [progress[0] - progress[1], progress[1] - progress[0]]
    has = [Counter(state["in_play"][str(side)]) for side in (0, 1)]
    wins = [["caught"] * (ahead[side] >= 7) + ["codebreakers"] * (has[side]["codebreaker"] >= 3) for side in (0, 1)]
    loses = [has[side]["daredevil"] >= 3 for side in (0, 1)]
    tie = (wins[0] and wins[1]) or all(loses) or any(wins[side] and loses[side] for side in (0, 1))
    winner = None
    if tie:
        winner = active
    elif wins[0] or wins[1]:
        winner = 0 if wins[0] else 1
    elif any(loses):
        winner = 1 - loses.index(True)
    reason = None
    if winner is not None:
        reason = (wins[winner] or ["daredevils"])[0]
    elif not state["deck"] and len(state["hands"][str(1 - active)]) < 2:
        winner = active if ahead[active] >= 0 else 1 - active
        reason = "ran_out"
    if winner is None:
        state["turn"] += 1
        state["active_side"] = state["to_move"] = 1 - active
        state["phase"] = "play"
    else:
        state.update(winner=winner, end_reason=reason, phase="over", to_move=None)


def without_luck(mapping: State) -> State:
    return {key: value for key, value in mapping.items() if key not in ("rng", "record")}


@pytest.mark.rule(
    "AA-7",
    "AA-8",
    "AA-9",
    "AA-10",
    "AA-11",
    "AA-12",
    "AA-13",
    "AA-14",
    "AA-15",
    "AA-16",
    "AA-17",
    "AA-18",
    "AA-19",
    "AA-20",
    "AA-21",
)
def test_both_implementations_play_the_same_games(fresh: Callable[[int], Any]) -> None:
    rng = np.random.default_rng(1)
    ends = Counter()
    for game in range(400):
        table = fresh(int(rng.integers(2**63)))
        state = without_luck(table.mapping)
        # Discards are rarer in some games than in others, and some players shun what ends a game early.
        careful, throws = game % 2, rng.random()
        while state["phase"] != "over":
            texts = sorted(legal(state))
            assert table.legal == set(texts)
            wanted = [t for t in texts if t.startswith("discard") == (rng.random() < throws)] or texts
            if careful and rng.random() < 0.9:
                wanted = [t for t in wanted if "codebreaker" not in t and "daredevil" not in t] or wanted
            text = str(rng.choice(wanted))
            act(state, text)
            table.act(text)
            assert without_luck(table.mapping) == state
        ends[state["end_reason"]] += 1
    assert set(ends) == {"caught", "codebreakers", "daredevils", "ran_out"}, ends


@pytest.mark.rule("AA-13", "AA-16", "AA-17", "AA-18", "AA-19")
def test_both_implementations_agree_on_ends_of_made_up_positions(
    at: Callable[..., Any], position: Callable[..., State]
) -> None:
    rng = np.random.default_rng(2)
    ends = Counter()
    for _ in range(1500):
        stacks = [{c: int(rng.integers(0, 3)) for c in ORDER[:6] if rng.random() < 0.6} for _ in range(2)]
        in_play = {str(side): {c: n for c, n in stacks[side].items() if n} for side in (0, 1)}
        left = Counter(dict.fromkeys(ORDER[:6], 6) | {"sidekick": 1, "mole": 1})
        for stack in in_play.values():
            left.subtract(stack)
        pile = list(left.elements())
        rng.shuffle(pile)
        short = rng.random() < 0.4
        sizes = (2, int(rng.integers(0, 4))) if short else (4, 4)
        hands = {"0": pile[: sizes[0]], "1": pile[sizes[0] : sum(sizes)]}
        active = int(rng.integers(2))
        if active:
            hands = {"0": hands["1"], "1": hands["0"]}
        # The other cards lie in the deck, or on the table where the deck must be empty.
        ahead = int(rng.integers(-6, 7))
        state = position(
            hands, in_play, active=active, rest="table" if short else "deck", progress=[ahead + 3, 3], discarded={}
        )
        state = without_luck(at(state).mapping)
        table = at(state)
        while state["active_side"] == active and state["phase"] != "over":
            text = str(rng.choice([t for t in sorted(legal(state)) if "discard" not in t]))
            act(state, text)
            table.act(text)
            assert without_luck(table.mapping) == state
        ends[state["end_reason"]] += 1
    assert min(ends[reason] for reason in ("caught", "codebreakers", "daredevils", "ran_out", None)) > 20, ends
