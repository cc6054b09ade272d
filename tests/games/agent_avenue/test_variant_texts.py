"""Texts, mappings, drawings and scripted players of the variants with the Black Market and with teams."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from spygames.agent_avenue import make_game
from spygames.agent_avenue.cards import AGENTS, MARKET_CARDS
from spygames.core.batch import Batch
from spygames.core.game import NOBODY, Game, ImpossibleState, as_record
from spygames.core.player import bot_loop

VARIANTS = [
    {"mode": "advanced"},
    {"players": 3},
    {"players": 4},
    {"mode": "advanced", "players": 3},
    {"mode": "advanced", "players": 4},
]
Mapping = dict[str, Any]
every_variant = pytest.mark.parametrize("options", VARIANTS, ids=str)


def start(options: Mapping, seed: int = 2) -> Mapping:
    game = make_game(**options)
    return game.state_to_dict(as_record(game.start(seed)))


def read(options: Mapping, mapping: Mapping) -> np.ndarray:
    game = make_game(**options)
    states = game.new_states()
    game.state_from_dict(mapping, as_record(states))
    return states


def put(key: str, value: Any) -> Callable[[Mapping], None]:
    return lambda m: m.__setitem__(key, value)


def at_ability(m: Mapping, card: str, **changes: Any) -> None:
    """The seat to move is asked for the choices of a market card, with a sentinel in its hand and one in play."""
    m["market_deck"] = [c for c in m["market_deck"] if c != card]
    if card in m["market_supply"]:
        m["market_supply"] = [c for c in m["market_supply"] if c != card]
    seat, side = m["to_move"], m["active_side"]
    m["phase"] = "ability"
    m["ability"] = {"side": side, "card": card, "seat": seat, "taken": None} | changes


TWO, FOUR, BOTH = VARIANTS[0], VARIANTS[2], VARIANTS[4]
FIXED = {"players": 4, "captain": "fixed"}
REFUSED: list[tuple[Mapping, str, Callable[[Mapping], object], str]] = [
    (TWO, "no market deck", lambda m: m.__delitem__("market_deck"), "market_deck"),
    (TWO, "a market card lost", lambda m: m["market_deck"].pop(), "lack"),
    (TWO, "a market card twice", lambda m: m["market_deck"].append(m["market_supply"][0]), "named twice"),
    (TWO, "an agent as market card", lambda m: m["market_deck"].append("mole"), "market_deck"),
    (TWO, "supply a text", put("market_supply", "spycation"), "market_supply"),
    (TWO, "market in play of one side", put("market_in_play", {"0": []}), "market_in_play"),
    (TWO, "phase market without supply", lambda m: (m.update(phase="market"), m["market_deck"].extend(
        m["market_supply"]), m["market_supply"].clear()), "market_supply"),
    (TWO, "ability in phase play", put("ability", {"side": 0, "card": "outpost"}), "named twice"),
    (TWO, "pending in phase play", put("pending", [{"side": 1, "do": "market"}]), "pending"),
    (TWO, "pending of something else", put("pending", [{"side": 1, "do": "play"}]), "pending"),
    (TWO, "pending no list", put("pending", {"side": 1}), "pending"),
    (TWO, "pending of the active side", lambda m: m.update(phase="market", pending=[{"side": 0, "do": "market"}]),
     "pending"),
    (TWO, "seen but not held", put("seen_in_hand", {"0": {}, "1": {"saboteur": 6}}), "seen_in_hand"),
    (TWO, "seen of nobody", put("seen_in_hand", {"0": {}}), "seen_in_hand"),
    (TWO, "captain with two players", put("captain", {"0": 0}), "captain"),
    (TWO, "lead with two players", put("lead", 0), "lead"),
    (TWO, "a team's phase", put("phase", "lead"), "phase"),
    (TWO, "ability without card", put("phase", "ability"), "to_move"),
    (TWO, "ability that cannot be", lambda m: at_ability(m, "spycation"), "cannot carry it out"),
    (TWO, "ability of nothing to choose", lambda m: at_ability(m, "smoke_screen"), "asks for choices"),
    (TWO, "taken of another card", lambda m: at_ability(m, "mind_control", taken="mole"), "taken"),
    (FOUR, "phase play in a team", put("phase", "play"), "phase"),
    (FOUR, "to_move not the captain", put("to_move", 1), "to_move"),
    (FOUR, "captain of the other side", put("captain", {"0": 2, "1": 2}), "captain"),
    (FIXED, "the partner as a fixed captain", put("captain", {"0": 0, "1": 3}), "captain"),
    (FIXED, "the partner as fixed captain to move", lambda m: m.update(captain={"0": 1, "1": 2}, to_move=1), "captain"),
    (FOUR, "lead in phase lead", put("lead", 0), "lead"),
    (FOUR, "phase up without lead", put("phase", "up"), "lead"),
    (FOUR, "lead of the other side", lambda m: m.update(phase="up", lead=2, to_move=2), "lead"),
    (FOUR, "phase down without an open card", lambda m: m.update(phase="down", lead=0, to_move=1), "face_up"),
    (FOUR, "hands of two seats", lambda m: m.update(hands={k: m["hands"][k] for k in "01"}), "hands"),
    (FOUR, "three discards left", lambda m: m["discards_left"].update({"0": 3}), "discards_left"),
    (FOUR, "a market in simple mode", put("market_supply", ["outpost"]), "market_supply"),
    (BOTH, "phase resolver without card", put("phase", "resolver"), "ability"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "change", "key"), [pytest.param(o, c, k, id=i) for o, i, c, k in REFUSED])
def test_refused(options: Mapping, change: Callable[[Mapping], object], key: str) -> None:
    mapping = start(options)
    read(options, mapping)
    change(mapping)
    with pytest.raises(ImpossibleState, match=re.escape(key)):
        read(options, mapping)


@every_variant
def test_what_a_variant_does_not_use_is_empty_and_may_be_left_out(options: Mapping) -> None:
    mapping = start(options)
    market = {"market_supply", "market_deck", "market_in_play", "market_discard", "pending", "ability", "seen_in_hand"}
    unused = set() if options.get("mode") == "advanced" else market
    unused |= set() if options.get("players", 2) > 2 else {"captain", "lead"}
    for key in unused:
        value = mapping[key]
        assert value in ([], {}, None) or not any(value.values())
    assert mapping["seen_in_hand"].keys() == mapping["hands"].keys()
    short = {key: value for key, value in mapping.items() if key not in unused}
    assert read(options, short).tobytes() == read(options, mapping).tobytes()


@every_variant
def test_every_action_has_one_text_for_its_seat(options: Mapping) -> None:
    game = make_game(**options)
    s = as_record(game.start(0))
    for seat in range(2):
        texts = [game.action_to_string(s, action, seat) for action in range(game.num_actions)]
        assert len(set(texts)) == game.num_actions
        assert [game.string_to_action(s, text, seat) for text in texts] == list(range(game.num_actions))
    if game.num_players > 2:
        assert game.action_to_string(s, 107, 0) == game.action_to_string(s, 106, 1) == "lead player_1"
    for text in ("lead player_9", "lead own", "up spy", "market mole", "take", "resolver"):
        with pytest.raises(ValueError, match="no action of Agent Avenue"):
            game.string_to_action(s, text, 0)


@every_variant
def test_drawings_fit_and_show_what_is_known(options: Mapping) -> None:
    game, rng = make_game(**options), np.random.default_rng(4)
    mask = np.zeros(game.num_actions, np.int8)
    for seed in range(3):
        states = game.start(seed)
        s = as_record(states)
        while True:
            mapping = game.state_to_dict(s)
            for viewer in (NOBODY, *range(game.num_players)):
                text = game.to_text(s, viewer)
                assert max(map(len, text.splitlines())) <= 80
                words = " ".join(text.split())
                for seat, hand in mapping["hands"].items():
                    whose = "Your" if int(seat) == viewer else f"player_{seat}'s"
                    shown = f"{whose} hand: {', '.join(hand) or 'none'}" in words
                    assert shown == (viewer in (NOBODY, int(seat)))
                for card in mapping["market_supply"]:
                    assert card in words.split("Market supply:")[1].split("Ongoing")[0]
                for side in "01":
                    assert all(card in words for card in mapping["market_in_play"][side])
            if s.to_move < 0:
                break
            game.legal(s, mask)
            game.apply(s, int(rng.choice(np.flatnonzero(mask))))
        assert " win" in game.to_text(s, NOBODY)


def share(game: Game, one: str, other: str, games: int = 600) -> float:
    """How many games a side of `one` wins against a side of `other`, each side as often."""
    sides = np.array([0, 1] if game.num_players == 2 else [0, 0, 1, 1][: game.num_players])
    won = played = 0
    for first in (0, 1):
        batch = Batch(game, games // 2, seed=5, threads=1)
        streams = np.random.default_rng(1).integers(2**64, size=(batch.n, 1), dtype=np.uint64)
        actions, going = np.zeros(batch.n, np.int64), np.ones(batch.n, bool)
        while going.any():
            movers = sides[batch.seats]
            for side, name in ((first, one), (1 - first, other)):
                rows = np.flatnonzero(movers == side)
                bot_loop(game, name)(batch.views, batch.mask, streams, rows, actions, 0, len(rows))
            batch.step(actions)
            over = batch.done & going
            won += int((batch.rewards[over][:, np.flatnonzero(sides == first)[0]] > 0).sum())
            played += int(over.sum())
            going &= ~batch.done
    return won / played


@every_variant
def test_expert_beats_greedy_and_random_and_greedy_beats_random(options: Mapping) -> None:
    game = make_game(**options)
    assert share(game, "expert", "random") > 0.84
    assert share(game, "expert", "greedy") > 0.56
    assert share(game, "greedy", "random") > 0.75


@pytest.mark.parametrize("bot", ["greedy", "expert"])
def test_scripted_players_take_what_wins_and_need_the_view_alone(bot: str) -> None:
    """A third Codebreaker is taken, a third Daredevil is left; other secrets change nothing."""
    for options in VARIANTS:
        game, rng = make_game(**options), np.random.default_rng(1)
        mask, views, again = np.zeros(game.num_actions, np.int8), game.new_views(), game.new_views()
        for seed in range(4):
            states = game.start(seed)
            s = as_record(states)
            while s.to_move >= 0:
                seat = int(s.to_move)
                game.legal(s, mask)
                game.observe(s, seat, as_record(views))
                before = views.tobytes(), mask.tobytes()
                action = int(game.bots[bot](as_record(views), mask, np.zeros(1, np.uint64)))
                assert mask[action]
                assert (views.tobytes(), mask.tobytes()) == before
                determinized = states.copy()
                game.determinize(as_record(determinized), seat, np.uint64(seed))
                game.observe(as_record(determinized), seat, as_record(again))
                assert int(game.bots[bot](as_record(again), mask, np.ones(1, np.uint64))) == action
                if s.phase == 1:
                    side = seat if game.num_players == 2 else seat >> 1
                    up = AGENTS[s.face_up]
                    if up == "codebreaker" and s.in_play[side, s.face_up] == 2:
                        assert game.action_to_string(s, action, seat) == "recruit up"
                game.apply(s, int(rng.choice(np.flatnonzero(mask))))
    assert len(MARKET_CARDS) == 15
