"""`check_game` finds each fault planted in Kuhn poker, with the check that is responsible for it."""

import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from spygames.core.compiling.digest import code_digest
from spygames.core.compiling.kernel import Record, kernel
from spygames.core.game.belief_targets import UNASKED, Questions
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.playing.batch import Batch
from spygames.core.svg.annotations import Look
from spygames.core.svg.pen import Pen
from spygames.testing import CHECKS, ContractError, check_game, transcript
from spygames.testing.hidden import check_no_leak
from spygames.testing.trial import Trial, play, uniform_choice
from tests.poker import kuhn
from tests.support import pennies
from tests.support.changed import changed
from tests.support.games import VARIANTS, Variant
from tests.support.suites import slow_but

KUHN = kuhn.make_game()
NUMBERS = count()
"""Numbers that are different at each call."""
IN_ORDER = [name for name in CHECKS if name != "pickle"]
"""Without the one check that no game passes whose parts are closures."""


# ---------------------------------------------------------------- faults in one function


def leak_in_view(s: Record, seat: int, view: Record) -> None:
    kuhn.observe(s, seat, view)
    view.first = s.cards[1 - seat]


def leak_in_mask(s: Record, mask: np.ndarray) -> None:
    kuhn.legal(s, mask)
    if s.to_move != NOBODY:
        mask[0] = s.cards[1 - s.to_move] != 0


def leak_in_text(game: Game, s: Record, action: int, seat: int) -> str:
    return f"{kuhn.ACTIONS[action]} against {s.cards[1 - seat]}"


def read_leaky(game: Game, s: Record, text: str, seat: int) -> int:
    return kuhn.string_to_action(game, s, (text.split() or [""])[0], seat)


def leak_in_drawing(game: Game, s: Record, viewer: int) -> str:
    return str(s.cards)


def seen(game: Game, s: Record, viewer: int) -> dict[str, Any]:
    """Kuhn poker as a viewer sees it."""
    cards = kuhn.to_text(game, s, viewer).split("   ")[:2]
    return {"cards": cards, "moves": [kuhn.ACTIONS[s.moves[i]] for i in range(s.num_moves)]}


def seen_with_rng(game: Game, s: Record, viewer: int) -> dict[str, Any]:
    return {**seen(game, s, viewer), "rng": int(s.rng)}


def seen_in_true_order(game: Game, s: Record, viewer: int) -> dict[str, Any]:
    """An equal mapping with its keys in the order of the cards."""
    mapping = seen(game, s, viewer)
    return dict(sorted(mapping.items(), reverse=bool(s.cards[0] > s.cards[1])))


def draw_mapping(pen: Pen, seen: Mapping[str, Any], look: Look) -> None:
    pen.words(30, 60, " ".join(f"{key} {value}" for key, value in seen.items()), 20)


def draw_number(pen: Pen, seen: Mapping[str, Any], look: Look) -> None:
    pen.words(30, 60, f"{next(NUMBERS)}", 20)


def move_that_tells(game: Game, s: Record, action: int, seat: int, viewer: int) -> str:
    return f"player_{seat}: {kuhn.ACTIONS[action]} with {kuhn.CARDS[s.cards[seat]]}"


def blind(s: Record, seat: int, view: Record) -> None:
    """Show the seat its own card and none of the moves."""
    kuhn.observe(s, seat, view)
    view.moves[:] = 0


def seen_without_moves(game: Game, s: Record, viewer: int) -> dict[str, Any]:
    return {"cards": seen(game, s, viewer)["cards"] if s.to_move != NOBODY else []}


def move_by_name(game: Game, s: Record, action: int, seat: int, viewer: int) -> str:
    return f"player_{seat}: {kuhn.ACTIONS[action]}"


def effects_by_number(game: Game, before: Mapping[str, Any], after: Mapping[str, Any], viewer: int) -> str:
    return f"effect {next(NUMBERS)}"


def leak_in_cut_off(s: Record) -> bool:
    return bool(s.to_move == NOBODY and s.cards[0] == 0)


def no_results(s: Record, out: np.ndarray) -> None:
    out[:] = 0


def leak_in_results(s: Record, out: np.ndarray) -> None:
    """Let the cards decide even after a fold."""
    kuhn.returns(s, out)
    if s.to_move == NOBODY:
        out /= 1 + s.cards[0]


def determinize_nothing(s: Record, seat: int, seed: np.uint64) -> None:
    s.rng = seed


def determinize_what_is_known(s: Record, seat: int, seed: np.uint64) -> None:
    s.rng = seed
    s.cards[:] = [seed % 3, (seed + 1) % 3]


def determinize_by_truth(s: Record, seat: int, seed: np.uint64) -> None:
    """Exchange the opponent's card with the remaining one, for every seed."""
    s.rng = seed
    if not kuhn.showdown(s):
        s.cards[1 - seat] = 3 - s.cards.sum()


def no_mask(s: Record, mask: np.ndarray) -> None:
    mask[:] = 0


def mask_after_the_end(s: Record, mask: np.ndarray) -> None:
    mask[:] = 1


def mask_left_alone(s: Record, mask: np.ndarray) -> None:
    mask[0] = s.to_move != NOBODY


def results_too_early(s: Record, out: np.ndarray) -> None:
    kuhn.returns(s, out)
    out[0] += s.to_move == 1


def results_not_finite(s: Record, out: np.ndarray) -> None:
    out[:] = np.nan


def never_ending(s: Record, action: int) -> None:
    s.to_move = 1 - s.to_move


def nobody_knows_whose_turn(s: Record, action: int) -> None:
    s.to_move = 2


def wrapping_count(s: Record, action: int) -> None:
    s.num_moves, s.to_move = (127, 1) if s.to_move == 0 else (-128, NOBODY)


def count_that_wraps_below(s: Record, action: int) -> None:
    s.num_moves, s.to_move = (-127, 1) if s.to_move == 0 else (127, NOBODY)


def view_left_alone(s: Record, seat: int, view: Record) -> None:
    first = view.first
    kuhn.observe(s, seat, view)
    view.first = first


def looking_changes(s: Record, seat: int, view: Record) -> None:
    kuhn.observe(s, seat, view)
    s.rng += np.uint64(1)


def deaf_to_the_seed(s: Record, options: Record, seed: np.uint64) -> None:
    kuhn.init(s, options, np.uint64(1))


def start_by_number(s: Record, options: Record, seed: np.uint64) -> None:
    kuhn.init(s, options, seed)
    s.rng = np.uint64(next(NUMBERS))


def illegal_bot(view: Record, mask: np.ndarray, rng: np.ndarray) -> int:
    return int(2 * view.first)


def writing_bot(view: Record, mask: np.ndarray, rng: np.ndarray) -> int:
    mask[1] = 0
    return 0


def moody_bot(view: Record, mask: np.ndarray, rng: np.ndarray) -> int:
    return next(NUMBERS) % 2


def number_as_text(game: Game, s: Record, action: int, seat: int) -> int:
    return action


def one_text(game: Game, s: Record, action: int, seat: int) -> str:
    return "pass"


def text_of_another(game: Game, s: Record, text: str, seat: int) -> int:
    return 1 - kuhn.string_to_action(game, s, text, seat)


def text_of_words(game: Game, s: Record, text: str, seat: int) -> int:
    return kuhn.string_to_action(game, s, text.split()[0], seat)


def mapping_without_cards(game: Game, s: Record) -> dict[str, Any]:
    return {**kuhn.state_to_dict(game, s), "cards": ["J", "Q"]}


def mapping_of_arrays(game: Game, s: Record) -> dict[str, Any]:
    return {**kuhn.state_to_dict(game, s), "cards": s.cards}


def mapping_without_rng(game: Game, s: Record) -> dict[str, Any]:
    return {key: value for key, value in kuhn.state_to_dict(game, s).items() if key != "rng"}


def no_text(game: Game, s: Record, viewer: int) -> str:
    return ""


def no_mapping(game: Game, s: Record) -> dict[str, Any]:
    return {}


def rewind_to_the_truth(s: Record, past: Record, seat: int, action: int, rng: np.ndarray) -> int:
    s.cards[seat] = past.cards[seat]
    return int(kuhn.rewind(s, past, seat, action, rng))


def rewind_the_cards_alone(s: Record, past: Record, seat: int, action: int, rng: np.ndarray) -> int:
    return action


def rewind_to_no_action(s: Record, past: Record, seat: int, action: int, rng: np.ndarray) -> int:
    return 2 + int(kuhn.rewind(s, past, seat, action, rng))


def ways_of_none(s: Record, now: Record, viewer: int, seat: int, action: int) -> float:
    return 0.0


def ways_by_the_truth(s: Record, now: Record, viewer: int, seat: int, action: int) -> float:
    return 1.0 + now.cards[seat]


def ways_that_change(s: Record, now: Record, viewer: int, seat: int, action: int) -> float:
    s.rng += np.uint64(1)
    return 1.0


def stratum_of_the_truth(s: Record, seat: int, seed: np.uint64, stratum: int) -> int:
    return 1


def stratum_that_shows(s: Record, seat: int, seed: np.uint64, stratum: int) -> int:
    kuhn.determinize(s, seat, seed)
    if not kuhn.showdown(s):
        s.cards[seat], s.cards[1 - seat] = 0, 1
    return 1


def strata_without_a_number(s: Record, seat: int, seed: np.uint64, stratum: int) -> int:
    kuhn.determinize(s, seat, seed)
    return 1 + stratum


def stratum_by_number(s: Record, seat: int, seed: np.uint64, stratum: int) -> int:
    """The correct strata: one for each of the two other cards."""
    s.rng = seed
    if kuhn.showdown(s):
        return 1
    s.cards[1 - seat] = (s.cards[seat] + 1 + stratum % 2) % 3
    return 2


def answer_beyond(s: Record, seat: int, out: np.ndarray) -> None:
    out[0] = s.cards[1 - seat] + 1


def no_answer(s: Record, seat: int, out: np.ndarray) -> None:
    pass


def answer_jacks_alone(s: Record, seat: int, out: np.ndarray) -> None:
    out[0] = 0 if s.cards[1 - seat] == 0 else UNASKED


def answer_and_peek(s: Record, seat: int, out: np.ndarray) -> None:
    kuhn.answer(s, seat, out)
    s.cards[1 - seat] = s.cards[seat]


def asked(answer: Any) -> dict[str, Any]:
    return {"questions": Questions((("card", 1, 3),), answer)}


def always(s: Record) -> bool:
    return True


@kernel
def knows_everything(s: Record, options: Record, mask: np.ndarray) -> bool:
    return True


@kernel
def knows_nothing(s: Record, options: Record, mask: np.ndarray) -> bool:
    return False


PADDED = np.dtype([("rng", np.uint64), ("to_move", np.int8)], align=True)
FAULTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "leak in the view": ("leaks", {"observe": leak_in_view}, r"seed \d+.*the view of seat \d differs.*first is"),
    "leak in the mask": ("leaks", {"legal": leak_in_mask}, "the mask of seat . differs"),
    "leak in a text": (
        "leaks",
        {"action_to_string": leak_in_text, "string_to_action": read_leaky},
        "the texts of seat . differs.*'pass against",
    ),
    "leak in the drawing": ("leaks", {"to_text": leak_in_drawing}, "the drawing of seat . differs"),
    "rng in what is seen": ("leaks", {"seen_to_dict": seen_with_rng}, "the mapping of seat . differs.*'rng'"),
    "order of what is seen": (
        "leaks",
        {"seen_to_dict": seen_in_true_order, "draw": draw_mapping},
        "the mapping of seat . differs",
    ),
    "leak in the picture": ("leaks", {"seen_to_dict": seen, "draw": draw_number}, "the picture of seat . differs"),
    "leak in a move": ("leaks", {"seen_action": move_that_tells}, "the moves of seat . differs.*with"),
    "moves that look alike": (
        "moves",
        {"observe": blind, "seen_to_dict": seen_without_moves, "seen_action": move_by_name},
        "seat . cannot tell 'pass' from 'bet' of seat ., but reads 'player_.: pass' and 'player_.: bet'",
    ),
    "effects of moves that look alike": (
        "moves",
        {"observe": blind, "seen_to_dict": seen_without_moves, "effects": effects_by_number},
        "seat . sees the same before and after 'pass' and 'bet' of seat ., but the event .* `effects` must return one",
    ),
    "leak in the cut": ("leaks", {"truncated": leak_in_cut_off, "returns": no_results}, "cut off of seat . differs"),
    "leak in the results": ("leaks", {"returns": leak_in_results}, "the results of seat . differs"),
    "a public field that is private": (
        "parts",
        {"view_parts": {**(KUHN.view_parts or {}), "own": "public"}},
        "field own in the view of seat . must be 'private' or 'mixed' .*, not 'public': it differs between worlds",
    ),
    "a field without a part": ("parts", {"view_parts": {"own": "private"}}, "each field of VIEW, but lacks shown"),
    "a part of another name": (
        "layout",
        {"view_parts": dict.fromkeys(KUHN.view_dtype.names or (), "secret")},
        "view_parts must have values of public, private, mixed, not .*secret",
    ),
    "determinize returns the truth": ("redraws", {"determinize": determinize_nothing}, "returned the true state"),
    "determinize knows too much": ("leaks", {"determinize": determinize_what_is_known}, "changes what the seat"),
    "determinize follows the truth": ("leaks", {"determinize": determinize_by_truth}, "must depend only on its view"),
    "rewind tells the truth": ("rewinds", {"rewind": rewind_to_the_truth}, "reads what seat . cannot know of the past"),
    "rewind takes nothing back": ("rewinds", {"rewind": rewind_the_cards_alone}, "to_move .* must be seat ., .* not ."),
    "rewind returns no action": ("rewinds", {"rewind": rewind_to_no_action}, r"an action, 0\.\.1, .* not [23]"),
    "ways that are none": ("rewinds", {"ways": ways_of_none}, "`ways` .* must be a finite number above 0, not 0"),
    "ways by the truth": ("rewinds", {"ways": ways_by_the_truth}, "reads what seat . cannot know of the present"),
    "ways that change": ("rewinds", {"ways": ways_that_change}, "`ways` changes the state"),
    "ways without a way back": ("rewinds", {"ways": ways_of_none, "rewind": None}, "has `ways` but no `rewind`"),
    "a stratum of the truth": ("strata", {"determinize_stratum": stratum_of_the_truth}, "not depend on the true state"),
    "a stratum that shows": ("strata", {"determinize_stratum": stratum_that_shows}, "stratum 0 of seat . changes what"),
    "strata without a number": ("strata", {"determinize_stratum": strata_without_a_number}, r"one .*, not \[1, 2, 3\]"),
    "an answer beyond its range": ("questions", asked(answer_beyond), "target 0 .* must be from -1 to 2, not 3"),
    "no answer": ("questions", asked(no_answer), "target 0 .* must be from -1 to 2, not left unwritten"),
    "a question that tells": ("questions", asked(answer_jacks_alone), "whether belief target 0 is UNASKED for seat ."),
    "an answer that changes": ("questions", asked(answer_and_peek), "`Questions.answer` changes the state"),
    "no mask": ("play", {"legal": no_mask}, "decision 0: no action is legal for seat 0"),
    "a mask after the end": ("play", {"legal": mask_after_the_end}, "action 0 is legal, but the game is over"),
    "a mask not written": ("play", {"legal": mask_left_alone}, "the mask is 7 at action 1"),
    "results before the end": ("play", {"returns": results_too_early}, "must be 0 until the game is over"),
    "results below the lowest": ("play", {"lowest_return": -0.5}, r"must be at least -0\.5 \(Game\.lowest_return\)"),
    "results that are no numbers": ("play", {"returns": results_not_finite}, "a finite number for each seat"),
    "no end": ("play", {"apply": never_ending}, "no end after 10,000 random decisions"),
    "no such seat": ("play", {"apply": nobody_knows_whose_turn}, r"to_move must be a seat, 0\.\.1, or -1 .*, not 2"),
    "a count that wraps": ("play", {"apply": wrapping_count}, "num_moves went from 127 to -128: int8 holds -128..127"),
    "a count that wraps below": ("play", {"apply": count_that_wraps_below}, "num_moves went from -127 to 127: int8"),
    "results of a game that was cut off": ("play", {"truncated": always}, "in a game that was cut off"),
    "two results in a team": ("play", {"teams": (0, 0)}, "seats 0 and 1 are one team"),
    "a view not written": ("views", {"observe": view_left_alone}, "the view of seat 0 is not finite in first"),
    "a look that changes": ("views", {"observe": looking_changes}, "they must only read it"),
    "a text that is a number": ("texts", {"action_to_string": number_as_text}, "action 0 must be a str, not 0"),
    "two actions with one text": ("texts", {"action_to_string": one_text}, "actions 0 and 1 of seat 0 have the same"),
    "a text that reads as another": ("texts", {"string_to_action": text_of_another}, "reads back as 1"),
    "a text that crashes": ("texts", {"string_to_action": text_of_words}, "must raise ValueError .*not raise IndexE"),
    "a mapping that is another state": ("mapping", {"state_to_dict": mapping_without_cards}, r"cards\[.\] is . before"),
    "a mapping without rng": ("mapping", {"state_to_dict": mapping_without_rng}, "must have the key 'rng'"),
    "a mapping of arrays": ("mapping", {"state_to_dict": mapping_of_arrays}, "must return plain JSON"),
    "two starts from one seed": ("play", {"init": start_by_number}, "seed 3 starts two different games"),
    "seeds that do not matter": ("seeds", {"init": deaf_to_the_seed}, "seeds 0 and 1 start the same game"),
    "an illegal bot": ("bots", {"bots": {**KUHN.bots, "bad": illegal_bot}}, "bad must return a legal action .*, not 2"),
    "a bot that writes": ("bots", {"bots": {**KUHN.bots, "bad": writing_bot}}, "bad writes into its view or mask"),
    "a bot of its own chance": ("bots", {"bots": {**KUHN.bots, "bad": moody_bot}}, "must return one action for"),
    "options that are no JSON": ("layout", {"options": {"seats": (0, 1)}}, r"options must be plain JSON.*\(0, 1\)"),
    "teams with a gap": ("layout", {"teams": (0, 2)}, r"teams must be numbers from 0 on, .*, not \(0, 2\)"),
    "no bot random": ("layout", {"bots": {"other": illegal_bot}}, "random"),
    "a view of float64": ("layout", {"view_dtype": np.dtype([("first", np.float64)])}, "float32"),
    "a state without rng": ("layout", {"state_dtype": np.dtype([("to_move", np.int8)])}, "rng"),
    "a state with padding": ("layout", {"state_dtype": PADDED}, "padding"),
    "any bytes are a position": ("known", {"is_known": knows_everything}, "is_known accepts a state.*changed bytes: "),
    "no bytes are a position": ("copies", {"is_known": knows_nothing}, "must hold a position"),
    "not picklable": ("pickle", {"module": ModuleType("nowhere")}, "make_game"),
}  # fmt: skip
"""By name: the check that finds it, what differs from Kuhn poker, and what the message says."""


@pytest.mark.parametrize("fault", FAULTS)
def test_finds(fault: str) -> None:
    check, changes, message = FAULTS[fault]
    before = [] if check == "pickle" else IN_ORDER[: IN_ORDER.index(check)]
    if check == "questions":  # the leak test finds some of these faults, too, in the texts of the questions
        before.remove("leaks")
    with pytest.raises((ContractError, ValueError), match=message) as found:  # the Game constructor refuses some faults
        check_game(changed(KUHN, **changes), checks=[*before, check])
    if found.type is ContractError:
        assert f": {check}: " in str(found.value)
    assert "\n" not in str(found.value)


def pass_whatever(s: Record, action: int) -> None:
    kuhn.apply(s, 0)


def test_correct_strata_pass() -> None:
    check_game(changed(KUHN, determinize_stratum=stratum_by_number), checks=["strata"])


def test_moves_that_lead_to_the_same_state_may_have_different_texts() -> None:
    """Such texts reveal nothing about the state. The same texts fail in a game whose moves lead to different states."""
    game = changed(KUHN, observe=blind, seen_to_dict=seen_without_moves, seen_action=move_by_name)
    check_game(changed(game, apply=pass_whatever), checks=["moves"])
    with pytest.raises(ContractError, match="cannot tell"):
        check_game(game, checks=["moves"])


# ---------------------------------------------------------------- faults in source files


def game_in(folder: Path, name: str, *edits: tuple[str, str]) -> Game:
    """Kuhn poker from a copy of its source with some texts replaced."""
    source = Path(str(kuhn.__file__)).read_text(encoding="utf-8")
    for old, new in edits:
        assert old in source
        source = source.replace(old, new, 1)
    (folder / f"{name}.py").write_text(source, encoding="utf-8")
    sys.modules.pop(name, None)
    return import_module(name).make_game()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose modules can be imported."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_finds_an_overflow(folder: Path) -> None:
    game = game_in(
        folder, "overflowing", ("view.first = seat == 0", "view.first = s.cards[seat] + int8(100) + int8(100)")
    )
    with pytest.raises(ContractError, match=r"decision 0: view: first is 20\d.0 compiled, -5\d.0 interpreted"):
        check_game(game, checks=["interpreted"])


def test_finds_machine_code_older_than_a_helper(folder: Path) -> None:
    helper = folder / "planted_helper.py"
    text = "from spygames.core.compiling.kernel import kernel\n\n@kernel\ndef bonus(seat):\n    return seat + {}\n"
    helper.write_text(text.format(0), encoding="utf-8")
    game = game_in(
        folder,
        "with_helper",
        ("SEATS = 2", "from planted_helper import bonus\nSEATS = 2"),
        ("view.first = seat == 0", "view.first = bonus(seat)"),
    )
    check_game(game, checks=["interpreted"])
    # The text has another length, because Python would reuse its bytecode for a file of the same size and time.
    helper.write_text(text.format("0 + 5"), encoding="utf-8")
    with pytest.raises(ContractError, match=r"view: first is 0.0 compiled, 5.0 interpreted.*older than the sources"):
        check_game(game, checks=["interpreted"])


def test_a_copy_of_a_game_does_not_share_machine_code(folder: Path) -> None:
    """Kernels of equal games in different modules have different digests."""
    game = game_in(folder, "copied")
    for name in ("init", "legal", "apply", "returns", "observe", "determinize"):
        assert code_digest(getattr(game, name)) != code_digest(getattr(KUHN, name))


class Unzeroed(Batch):
    """A faulty batch: new games start in the memory of the previous ones, without zeroing it."""

    def step(self, actions: np.ndarray) -> None:
        before = self.states.copy()
        super().step(actions)
        for row in np.flatnonzero(self.done):
            s = as_record(before, int(row))
            self.game.apply(s, int(actions[row]))
            self.game.init(s, as_record(self.game.packed), self.seeds[row])
            self.states[row] = before[row]


def test_finds_used_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`init` may leave a field unwritten, because states are zeroed before; this batch does not zero them."""
    count = (
        ('("num_moves", int8),', '("num_moves", int8), ("left", int8),'),
        ("s.num_moves += 1", "s.num_moves += 1; s.left += 1"),
    )
    game = game_in(folder, "leaving_fields", *count)
    monkeypatch.setattr(transcript, "Batch", Unzeroed)
    with pytest.raises(ContractError, match=r"decision \d+: state: left is 0 by the kernels alone, [123] in the batch"):
        check_game(game, checks=["equal_bytes"])


# ---------------------------------------------------------------- games without faults


def test_teams_results_of_any_sum_and_long_games_pass() -> None:
    """A game of three seats with arbitrary sums of results passes with a note, and so does a game of thousands of
    decisions."""
    game = changed(pennies.make_game(), name="other_pennies", to_text=no_text, state_to_dict=no_mapping)
    report = check_game(game, checks=["layout", "play", "views", "texts", "seeds", "bots", "redraws"])
    (note,) = report.notes
    assert re.match(r"the results of the sides add up to \S+, not to 0 \(seed \d+, decision \d+\)", note)
    assert f"\nnote: {note}" in str(report)

    def slowly(s: Record, action: int) -> None:
        """Ignore all decisions except every 1,500th, so a game ends after about 3,000."""
        s.rng += np.uint64(1)
        if s.rng % np.uint64(1500) == 0:
            kuhn.apply(s, action)

    report = check_game(replace(KUHN, apply=slowly), checks=["play"], effort=0.1)
    assert list(report.seconds) == ["play"]
    assert not report.notes


def test_truncated_games_pass() -> None:
    def nothing(s: Record, out: np.ndarray) -> None:
        out[:] = 0

    assert check_game(replace(KUHN, truncated=always, returns=nothing), checks=["play", "leaks"]).seconds


def test_games_without_hidden_information_pass() -> None:
    """If seats know the whole state, determinized states are equal to the true one."""
    game = replace(KUHN, determinize=determinize_nothing)
    report = check_game(game, checks=["leaks", "redraws"], hidden=False)
    assert list(report.seconds) == ["leaks"]
    assert report.skipped == {"redraws": "the game has no hidden information"}


def test_a_game_from_a_notebook_skips_checks_in_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes cannot import the game; the report gives the reason."""
    report = check_game(replace(KUHN, module=ModuleType("__main__")), checks=["seeds", "interpreted"])
    assert list(report.seconds) == ["seeds"]
    assert "another process" in report.skipped["interpreted"]
    assert "skipped: interpreted: the game is not in a module" in str(report)


def test_broken_invariants_are_reported() -> None:
    def broken(s: Record) -> None:
        assert s.num_moves < 2, "too many moves"

    with pytest.raises(ContractError, match=r"kuhn_poker_v0: play: seed 0, decision 2: .*invariant.*: too many moves"):
        check_game(KUHN, checks=["play"], invariants=broken)


def test_unknown_checks_are_refused() -> None:
    with pytest.raises(ValueError, match=r"'leeks'.*: layout, pickle"):
        check_game(KUHN, checks=["leeks"])


def test_wrong_arguments_are_no_faults_of_the_game() -> None:
    with pytest.raises(TypeError, match="game must be a Game, as"):
        check_game("agent_avenue_v0")  # pyright: ignore[reportArgumentType]
    for given, message in (
        ({"seed": -1}, "seed must be an integer >= 0, not -1"),
        ({"effort": -1}, "effort must be a finite number >= 0, not -1"),
        ({"effort": "1"}, "effort must be a finite number >= 0, not '1'"),
        ({"checks": "leaks"}, r"checks must be a list of names, such as \['leaks'\], not 'leaks'"),
    ):
        with pytest.raises(ValueError, match=message):
            check_game(KUHN, **given)  # pyright: ignore[reportArgumentType]


def test_any_seed_can_be_checked() -> None:
    for seed in (2**64 - 1, 2**64):
        check_game(KUHN, seed=seed, checks=["environment"], effort=0.1)


def test_equal_seeds_check_equal_positions() -> None:
    def seen(seed: int) -> list[bytes]:
        return [states.tobytes() for states in Trial(KUHN, "play", seed=seed).games(5, 100)]

    assert seen(1) == seen(1) != seen(2)


def test_testing_needs_no_optional_package() -> None:
    """`spygames.testing` imports neither pytest nor another package of the extras, even if they are installed."""
    extras = ("pytest", "hypothesis", "scipy", "torch", "PIL", "pygame")
    code = f"import sys\nfor name in {extras}: sys.modules[name] = None\nimport spygames.testing"
    run = [sys.executable, "-c", code]
    subprocess.run(run, check=True)
    subprocess.run(
        [sys.executable, "-c", "import sys, spygames; assert 'spygames.testing' not in sys.modules"], check=True
    )


# ---------------------------------------------------------------- games of the package


@pytest.mark.parametrize("variant", slow_but([*{v.game_id: v for v in reversed(VARIANTS)}.values()], 0, 1, -1), ids=str)
def test_the_leak_test_finds_leaks(variant: Variant) -> None:
    """A bit of the random state is found in each channel, and so is a `determinize` that keeps a part of it."""
    game = variant.make_game()

    def observe(s: Any, seat: int, view: Any) -> None:
        game.observe(s, seat, view)
        first = np.asarray(view).reshape(1).view(np.float32)
        first[0] += np.float32(int(s.rng) % 2)

    def legal(s: Any, mask: np.ndarray) -> None:
        game.legal(s, mask)
        mask[0] ^= np.int8(int(s.rng) % 2)

    def determinize(s: Any, seat: int, seed: Any) -> None:
        truth = int(s.rng)
        game.determinize(s, seat, seed)
        s.rng = np.uint64(truth // 2 + int(seed) % 2)

    leaky: list[dict[str, Callable[..., Any] | None]] = [
        {"observe": observe},
        {"legal": legal},
        {"to_text": lambda game, s, viewer: str(s.rng)},
        {"action_to_string": lambda game, s, action, seat: str(s.rng)},
        {
            "seen_to_dict": lambda game, s, viewer: {"text": str(s.rng)},
            **dict.fromkeys(("draw", "draw_portrait", "draw_compact", "describe", "effects", "headline", "questions")),
        },
        {"seen_action": lambda game, s, action, seat, viewer: str(s.rng)},
        {"determinize": determinize},
    ]
    positions = [play(game, n, uniform_choice(n), 1) for n in range(20)]
    for changes in leaky:
        changed_game = changed(game, **changes)
        assert any(_leaks(changed_game, states, n) for n, states in enumerate(positions)), changes
    assert not any(_leaks(game, states, n) for n, states in enumerate(positions[:5]))


def _leaks(game: Game, states: np.ndarray, n: int) -> bool:
    try:
        check_no_leak(Trial(game, "leaks"), states.copy(), int(as_record(states).to_move), n)
    except ContractError:
        return True
    return False
