"""The text drawing: equal to recorded drawings, and in random play all that a seat may know and nothing else."""

import json
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.games.agent_avenue.conftest import VARIANTS

from spygames.agent_avenue import make_game
from spygames.agent_avenue.cards import AGENTS
from spygames.agent_avenue.layout import END_REASONS
from spygames.agent_avenue.picture.scene import Scene
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.pictures.picture import title_bar
from spygames.core.svg.annotations import Look
from spygames.core.svg.pen import Pen

DRAWINGS = Path(__file__).parent / "drawings"
HANDS = {
    "0": ["double_agent", "enforcer", "sentinel", "mole"],
    "1": ["enforcer", "enforcer", "codebreaker", "saboteur"],
}
OFFER: dict[str, Any] = {
    "hands": HANDS,
    "in_play": {"0": {"double_agent": 2, "sentinel": 1}, "1": {"enforcer": 1, "codebreaker": 2}},
    "discarded": {"0": ["saboteur"], "1": ["daredevil", "sidekick"]},
    "face_up": "codebreaker",
    "face_down": "daredevil",
    "progress": [5, 2],
    "turn": 3,
}
DRAWN = [  # drawing, file and scenario; drawn at the end of the scenario
    ("advanced_2_market", "market_landing", "both land: then the other side takes its card"),
    ("advanced_2_ability", "market_instants", "spycation: what was taken is asked for, and nothing else"),
    ("advanced_2_offer", "market_memory", "a large hand draws nothing and is played"),
    ("advanced_3_ability", "team_market", "the solo player resolves without being named"),
    ("advanced_4_market", "team_market", "a member's ability on to another market: the captain takes the next card"),
    ("advanced_4_resolver", "team_market", "the captain takes the card and names who resolves it"),
    ("simple_3_offer", "three_players", "the team's captain recruits from the solo player"),
    ("simple_4_down", "teams", "then face down, another name"),
    ("simple_4_offer", "teams", "both draw once both have played"),
    ("simple_4_end", "teams", "running out: a member of the next team without a card"),
]
END: dict[str, Any] = {"hands": {"0": ["enforcer", "saboteur"], "1": []}, "rest": "in_play", "progress": [-3, 1]}


@pytest.mark.parametrize("viewer", [0, 1, NOBODY])
@pytest.mark.parametrize("name", ["offer", "end"])
def test_recorded_drawings(at: Callable[..., Any], make_mapping: Callable[..., Any], name: str, viewer: int) -> None:
    if name == "offer":
        position = at(make_mapping(**OFFER))
    else:
        position = at(make_mapping(**END)).act("play saboteur enforcer", "recruit up")
    who = "nobody" if viewer == NOBODY else f"player_{viewer}"
    assert position.drawing(viewer) + "\n" == (DRAWINGS / f"{name}_{who}.txt").read_text()


@pytest.mark.parametrize(("name", "file", "scenario"), DRAWN, ids=[name for name, *_ in DRAWN])
def test_recorded_drawings_of_the_variants(at: Callable[..., Any], name: str, file: str, scenario: str) -> None:
    """Each viewer's drawing at the end of a scenario: market, ongoing cards, cards seen in hands, teams, captains."""
    scenarios = json.loads((DRAWINGS.parent / "scenarios" / f"{file}.json").read_text())["scenarios"]
    (found,) = [each for each in scenarios if each["name"] == scenario]
    position = at(found["start"]).act(*found["actions"])
    viewers = {"nobody": NOBODY} | {f"player_{seat}": seat for seat in range(position.game.num_players)}
    drawn = [f"=== {who} ===\n\n{position.drawing(viewer)}\n" for who, viewer in viewers.items()]
    assert "\n".join(drawn) == (DRAWINGS / f"{name}.txt").read_text()
    assert name.startswith(f"{position.mapping['mode']}_{position.mapping['players']}_")


def test_every_variant_is_drawn() -> None:
    drawn = {name.rpartition("_")[0] for name, *_ in DRAWN} | {"simple_2"}
    assert drawn == {f"{mode}_{players}" for mode in ("simple", "advanced") for players in (2, 3, 4)}
    names = {f"{what}_{who}" for what in ("offer", "end") for who in ("nobody", "player_0", "player_1")}
    assert {path.stem for path in DRAWINGS.glob("*.txt")} == names | {name for name, *_ in DRAWN}


@pytest.mark.rule("AA-9", "AA-12")
def test_drawings_hide_what_a_seat_cannot_know(game: Game, random_play: Callable[..., Iterator[Any]]) -> None:
    """The drawing does not depend on hidden cards."""
    changed = 0
    for i, position in enumerate(random_play(40, seed=5)):
        truth = position.states.copy()
        shown = [position.drawing(seat) for seat in (0, 1)]
        for seat in (0, 1):
            game.determinize(position.s, seat, np.uint64(i))
            assert position.drawing(seat) == shown[seat]
            changed += position.drawing(1 - seat) != shown[1 - seat]
            position.states[:] = truth
    assert changed > 500, "the determinized cards must differ for the test to mean anything"


def test_drawings_show_what_a_seat_knows(random_play: Callable[..., Iterator[Any]]) -> None:
    for position in random_play(10, seed=6):
        s, mapping = position.s, position.mapping
        for seat in (0, 1):
            text = " ".join(position.drawing(seat).split())
            hand = ", ".join(mapping["hands"][str(seat)]) or "none"
            discards = ", ".join(mapping["discarded"][str(seat)]) or "none"
            assert f"Your hand: {hand} Your discards: {discards} Agent deck: {s.deck_size} cards" in text
            assert f"player_{seat} (you)" in text
            for card, name in enumerate(AGENTS):
                row = next(line for line in position.drawing(seat).splitlines() if line.strip().startswith(name))
                assert [int(n) if n != "." else 0 for n in row.split()[-2:]] == s.in_play[:, card].tolist()
            if mapping["phase"] == "recruit":
                down = mapping["face_down"] if seat == mapping["active_side"] else "a hidden card"
                assert f": {mapping['face_up']} face up, {down} face down" in text
            else:
                assert "Offered" not in text
            lead = int(s.progress[0] - s.progress[1])
            assert (f"({int(lead < 0)}) leads by {abs(lead)}" if lead else "neither meeple leads") in text
        everything = " ".join(position.drawing(NOBODY).split())
        for seat in "01":
            assert f"player_{seat}'s hand: {', '.join(mapping['hands'][seat]) or 'none'}" in everything
        if mapping["deck"]:
            assert everything.endswith(", ".join(mapping["deck"]))


def test_drawings_are_at_most_80_columns_wide(random_play: Callable[..., Iterator[Any]]) -> None:
    for position in random_play(40, seed=7):
        for viewer in (0, 1, NOBODY):
            lines = position.drawing(viewer).splitlines()
            assert max(map(len, lines)) <= 80
            assert all(line.isascii() and line == line.rstrip() for line in lines)


@pytest.mark.rule("AA-2", "AA-15")
def test_the_board_is_a_loop_with_the_meeples_in_place(
    at: Callable[..., Any], make_mapping: Callable[..., Any]
) -> None:
    """The 14 cells, read back from the drawing, form a loop, and each meeple is in its cell."""
    for p0, p1 in [(0, 0), (3, 2), (13, 12), (-1, 3), (20, 26), (-15, -16), (7, 9), (6, 0)]:
        lines = at(make_mapping(HANDS, progress=[p0, p1])).drawing(0).splitlines()
        cells = {}
        for y, line in enumerate(lines):
            for x in range(3, 40, 8):
                number = line[x + 2 : x + 4].strip() if line[x : x + 1] == "|" else ""
                if number.isdigit():
                    cells[int(number)] = ((x - 3) // 8, y // 3, line[x + 4 : x + 8], lines[y + 1][x : x + 8])
        assert sorted(cells) == list(range(14))
        for space, (x, y, home, meeples) in cells.items():
            nx, ny, *_ = cells[(space + 1) % 14]
            assert abs(nx - x) + abs(ny - y) == 1, f"{space} must be next to the following space"
            assert ("home" in home) == (space in (0, 7))
            assert ("(0)" in meeples) == (space == p0 % 14)
            assert ("(1)" in meeples) == (space == (7 + p1) % 14)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"in_play": {"0": {"codebreaker": 3}}, "end_reason": "codebreakers"}, "it has three Codebreakers"),
        ({"in_play": {"1": {"daredevil": 3}}, "end_reason": "daredevils"}, "player_1 has three Daredevils"),
        ({"progress": [9, 1], "end_reason": "caught"}, "it has caught player_1, with a lead of 8"),
        (
            {"hands": {"0": []}, "rest": "in_play", "end_reason": "ran_out"},
            "the cards have run out, and it is level with player_1 in a turn of its own",
        ),
        (
            {"hands": {"1": []}, "active": 1, "progress": [4, 1], "rest": "in_play", "end_reason": "ran_out"},
            "the cards have run out, and it leads by 3",
        ),
    ],
)  # fmt: skip
@pytest.mark.rule("AA-17", "AA-19")
def test_the_result_is_shown_with_its_reason(
    at: Callable[..., Any], make_mapping: Callable[..., Any], changes: dict[str, Any], words: str
) -> None:
    start = make_mapping(**{"hands": HANDS, **changes}) | {"phase": "over", "to_move": None, "winner": 0}
    assert f"player_0 wins: {words}" in " ".join(at(start).drawing(1).split())


@pytest.mark.parametrize(
    ("changes", "won", "lost", "watched"),
    [
        (
            {"progress": [9, 1], "end_reason": "caught"},
            "You win: you caught player_1, with a lead of 8",
            "You lose: player_0 caught you, with a lead of 8",
            "player_0 wins: player_0 caught player_1, with a lead of 8",
        ),
        (
            {"in_play": {"1": {"daredevil": 3}}, "end_reason": "daredevils"},
            "You win: player_1 got 3 Daredevils",
            "You lose: you got 3 Daredevils",
            "player_0 wins: player_1 got 3 Daredevils",
        ),
    ],
)  # fmt: skip
def test_headlines_and_texts_say_who_has_caught_whom(
    at: Callable[..., Any], make_mapping: Callable[..., Any], changes: dict[str, Any], won: str, lost: str, watched: str
) -> None:
    start = make_mapping(**{"hands": HANDS, **changes}) | {"phase": "over", "to_move": None, "winner": 0}
    position = at(start)
    headlines = [position.game.headline(position.s, viewer) for viewer in (0, 1, NOBODY)]
    assert headlines == [won, lost, watched]
    for viewer, text in (
        (0, won.replace("player_1", "the other side")),
        (1, lost.replace("player_0", "the other side")),
    ):
        assert f"the game is over, and y{text[1:]}." in position.game.describe(position.s, viewer)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_each_result_fits_into_the_headline(players: int) -> None:
    """Every reason, for both sides, seen by each seat and by somebody who watches."""
    for winner, viewer, end_reason, ahead in product((0, 1), range(-1, players), END_REASONS, (0, 13)):
        progress = [ahead, 0] if winner == 0 else [0, ahead]
        seen = {"players": players, "winner": winner, "progress": progress, "end_reason": end_reason, "to_move": None}
        scene = Scene(Pen(), seen, Look(viewer))
        assert scene.headline.startswith(f"{scene.result}: {scene.why}")
        title_bar(pen := Pen(), "Agent Avenue", scene.headline)
        assert f">{scene.headline}</text>" in str(pen)


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_drawings_fit_and_show_what_is_known(options: dict[str, Any]) -> None:
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
