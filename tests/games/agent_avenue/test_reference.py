"""Every mode and number of players plays the same games as the independent implementation in `reference.py`."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.games.agent_avenue.reference import AGENTS, MARKET, Slow, certain, seen_in_hand

from spygames.agent_avenue import make_game
from spygames.core.game.game import Game, as_record

VARIANTS = [
    {"mode": "simple", "players": 2},
    {"mode": "simple", "players": 3},
    {"mode": "simple", "players": 4},
    {"mode": "advanced", "players": 2},
    {"mode": "advanced", "players": 3},
    {"mode": "advanced", "players": 3, "captain": "fixed", "first_player": 2},
    {"mode": "advanced", "players": 4, "first_player": "random"},
]


def without_chance(mapping: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key not in ("rng", "record")}


def taste(rng: np.random.Generator) -> Callable[[list[str]], str]:
    """A random player that prefers some kinds of action, so that games reach rare positions."""
    discards, careful, declines = rng.random(), rng.random() < 0.6, rng.random()
    liked = rng.permutation([*MARKET, *AGENTS])[:6]

    def choose(texts: list[str]) -> str:
        wanted = [t for t in texts if t.startswith("discard") == (rng.random() < discards)] or texts
        if careful and rng.random() < 0.9:
            wanted = [t for t in wanted if "codebreaker" not in t and "daredevil" not in t] or wanted
        if rng.random() < 0.5:
            wanted = [t for t in wanted if t.split()[-1] in liked] or wanted
        if "decline" in wanted and rng.random() > declines:
            wanted = [t for t in wanted if t != "decline"] or wanted
        return str(rng.choice(wanted))

    return choose


def shown(game: Game, s: Any, viewer: int, seat: int) -> dict[str, int]:
    """The counts of AA-37 for `seat` in the view of `viewer`."""
    views = game.new_views()
    game.observe(s, viewer, as_record(views))
    rows = views["seen_in_hand"][0]
    if game.num_players == 2:
        place = seat ^ viewer
    else:
        mate = viewer ^ 1
        rivals = [0, 1] if viewer >= 2 else [2, 3]
        place = [viewer, mate, *rivals].index(seat)
    return {card: round(float(n) * 4) for card, n in zip(AGENTS, rows[place], strict=True) if n}


@pytest.mark.rule(*(f"AA-{n}" for n in range(5, 47)))
@pytest.mark.parametrize("games", [25, pytest.param(150, marks=pytest.mark.slow)])
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_both_implementations_play_the_same_games(options: dict[str, Any], games: int) -> None:
    game, rng = make_game(**options), np.random.default_rng(len(str(options)))
    mask = np.zeros(game.num_actions, np.int8)
    ends: Counter[str] = Counter()
    used: Counter[str] = Counter()
    for _ in range(games):
        states = game.start(int(rng.integers(2**63)))
        s, choose = as_record(states), taste(rng)
        slow = Slow(without_chance(game.state_to_dict(s)), options.get("captain", "alternate"))
        while s.to_move >= 0:
            seat = int(s.to_move)
            game.legal(s, mask)
            texts = sorted(slow.legal())
            assert sorted(game.action_to_string(s, int(a), seat) for a in np.flatnonzero(mask)) == texts
            text = choose(texts)
            used[text.split()[0]] += 1
            used[" ".join(text.split()[:2])] += 1
            slow.act(text)
            game.apply(s, game.string_to_action(s, text, seat))
            assert without_chance(game.state_to_dict(s)) == slow.state, text
            if game.options["mode"] == "advanced":
                who = int(rng.integers(game.num_players))
                counts = shown(game, s, int(rng.integers(game.num_players)), who)
                assert counts == seen_in_hand(slow.log, str(who), False)
                assert counts == certain(slow.log, str(who))
                held = Counter(slow.state["hands"][str(who)])
                assert all(held[card] >= n for card, n in counts.items())
        ends[slow.state["end_reason"]] += 1
        returns = np.zeros(game.num_players, np.float32)
        game.returns(s, returns)
        assert returns.tolist() == [1.0 if slow.side_of(str(p)) == s.winner else -1.0 for p in range(len(returns))]
    assert set(ends) >= ({"caught", "codebreakers", "daredevils"} if games > 25 else {"caught"}), ends
    if game.options["mode"] == "advanced" and games > 25:
        assert {f"market {card}" for card in MARKET} <= set(used), used
        assert used["decline"] > 0


@pytest.mark.rule("AA-13", "AA-16", "AA-17", "AA-18", "AA-19")
def test_both_implementations_agree_on_ends_of_constructed_positions(
    at: Callable[..., Any], make_mapping: Callable[..., dict[str, Any]]
) -> None:
    rng = np.random.default_rng(2)
    ends: Counter[str | None] = Counter()
    for _ in range(400):
        stacks = [{c: int(rng.integers(0, 3)) for c in AGENTS[:6] if rng.random() < 0.6} for _ in range(2)]
        in_play = {str(side): {c: n for c, n in stacks[side].items() if n} for side in (0, 1)}
        left = Counter(dict.fromkeys(AGENTS[:6], 6) | {"sidekick": 1, "mole": 1})
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
        # The other cards are in the deck, or in play if the deck must be empty.
        ahead = int(rng.integers(-6, 7))
        state = make_mapping(
            hands, in_play, active=active, rest="in_play" if short else "deck", progress=[ahead + 3, 3], discarded={}
        )
        position = at(state)
        slow = Slow(without_chance(position.mapping))
        while slow.state["active_side"] == active and slow.state["phase"] != "over":
            text = str(rng.choice([t for t in sorted(slow.legal()) if "discard" not in t]))
            slow.act(text)
            position.act(text)
            assert without_chance(position.mapping) == slow.state
        ends[slow.state["end_reason"]] += 1
    assert min(ends[reason] for reason in ("caught", "codebreakers", "daredevils", "ran_out", None)) > 5, ends
