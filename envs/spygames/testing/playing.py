"""What holds in random play: masks, results, texts, mappings, bots."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.game.validation import some_legal
from spygames.testing.trial import (
    Trial,
    at_path,
    difference,
    few,
    leaves,
    mask_of,
    returns_of,
    short,
    vector,
    view_of,
)

_TEXTS = 40  # actions of a position whose texts are read back


def play(trial: Trial) -> None:
    """Random games end; masks, views and results are what they should be at every decision; no count wraps."""
    game = trial.game
    counts = [path for path, dtype in leaves(game.state_dtype) if dtype.kind == "i" and dtype.itemsize < 8]
    before: np.ndarray | None = None
    for n, states in enumerate(trial.games(25, 3000)):
        s = as_record(states)
        if _looked_at(n, states):
            trial.look(states)
        mask = np.full(game.num_actions, 7, np.int8)
        game.legal(s, mask)
        if not ((mask == 0) | (mask == 1)).all():
            action = int(np.flatnonzero((mask != 0) & (mask != 1))[0])
            trial.fail(f"the mask is {mask[action]} at action {action}, where it held 7 before; `legal` writes 0 or 1")
        results = np.full(game.num_players, np.nan, np.float32)
        game.returns(s, results)
        if not np.isfinite(results).all():
            trial.fail(f"results are {results}; `returns` writes a finite number for each seat")
        if before is not None and "decision 0" not in trial.at:
            _no_wrap(trial, before, states, counts)
        before = states.copy()
        if s.to_move == NOBODY:
            _over(trial, states, mask, results)
        else:
            trial.legal(states)
            if results.any():
                trial.fail(f"results are {results} while the game goes on; they are 0 until it is over")
    if before is not None and game.start(3).tobytes() != game.start(3).tobytes():
        trial.fail("seed 3 starts two different games; init depends on its arguments alone")


def _over(trial: Trial, states: np.ndarray, mask: np.ndarray, results: np.ndarray) -> None:
    """Nothing is legal any more, members of a team have one result, none is too low, and one cut off has none."""
    game = trial.game
    if mask.any():
        trial.fail(f"action {int(mask.argmax())} is legal, but the game is over: the mask is all 0 then")
    for seat, team in enumerate(game.side_of):
        partner = game.side_of.index(team)
        if results[seat] != results[partner]:
            trial.fail(f"results are {results}, but seats {partner} and {seat} are one team: it has one result")
    if results.min() < np.float32(game.lowest_return):
        trial.fail(f"results are {results}, but lowest_return says that none is below {game.lowest_return:g}")
    if game.truncated is not None and game.truncated(as_record(states)) and results.any():
        trial.fail(f"results are {results} in a game that was cut off (Game.truncated); they are 0 there")


def _no_wrap(trial: Trial, before: np.ndarray, after: np.ndarray, counts: list[tuple[str, ...]]) -> None:
    """No signed integer went over the end of its type: from near one end to near the other one."""
    for path in counts:
        a, b = at_path(before, path).ravel(), at_path(after, path).ravel()
        top = np.iinfo(a.dtype).max // 8 * 7
        wrapped = ((a > top) & (b < -top)) | ((a < -top) & (b > top))
        if wrapped.any():
            i = int(wrapped.argmax())
            kind, ends = a.dtype, np.iinfo(a.dtype)
            trial.fail(
                f"the field {'.'.join(path)} went from {a[i]} to {b[i]}: {kind} holds {ends.min}..{ends.max} and wraps"
            )


def texts(trial: Trial) -> None:
    """Legal actions have different texts, and each reads back as its action."""
    game = trial.game
    for n, states in enumerate(trial.games(25, 1500)):
        s = as_record(states)
        if s.to_move == NOBODY or n % 2:
            continue
        seat, known = int(s.to_move), {}
        for action in few(trial.legal(states), _TEXTS):
            text = game.action_to_string(s, action, seat)
            if not isinstance(text, str):
                trial.fail(f"the text of action {action} is {short(repr(text))}; it is a str")
            if known.setdefault(text, action) != action:
                trial.fail(f"actions {known[text]} and {action} of seat {seat} have one text, {text!r:.100}")
            again = game.string_to_action(s, text, seat)
            if again != action:
                trial.fail(f"the text {text!r:.100} of action {action} reads back as {again!r:.40}")
    trial.at = ""
    s = as_record(game.start(0))
    try:
        found = game.string_to_action(s, "no action's text \N{SNOWMAN}", int(s.to_move))
    except ValueError:
        return
    trial.fail(f"a text that is no action reads as {found!r:.40}; string_to_action raises ValueError")


def mapping(trial: Trial) -> None:
    """The state's mapping is JSON, holds `rng` and `record`, and reads back as the same bytes."""
    for n, states in enumerate(trial.games(25, 1500)):
        if _looked_at(n, states):
            reads_back(trial, states)


def _looked_at(n: int, states: np.ndarray) -> bool:
    """Whether the n-th position is one that is looked at closely: the first few, every fourth, and every end."""
    return n < 8 or n % 4 == 0 or as_record(states).to_move == NOBODY


def reads_back(trial: Trial, states: np.ndarray) -> None:
    """Fails where `state_from_dict` does not make the bytes again of what `state_to_dict` gave."""
    game, again = trial.game, trial.game.new_states()
    given = game.state_to_dict(as_record(states))
    try:
        text = json.dumps(given)
    except (TypeError, ValueError) as error:
        trial.fail(f"state_to_dict gives what is not plain JSON ({short(error)})")
    for key in ("rng", "record"):
        if key not in given:
            trial.fail(f"state_to_dict lacks the key {key}")
    try:
        # As a program reads it whose numbers are doubles, JavaScript or jq, say.
        game.state_from_dict(json.loads(text, parse_int=lambda digits: int(float(digits))), as_record(again))
    except Exception as error:
        trial.fail(f"state_from_dict refuses what state_to_dict gave: {type(error).__name__}: {short(error)}")
    if again.tobytes() != states.tobytes():
        trial.fail(f"the state's mapping reads back as another state: {difference(states, again, ('', 'read back'))}")


def read(game: Game, given: Mapping[str, Any]) -> np.ndarray:
    """The state [1] of a mapping."""
    states = game.new_states()
    game.state_from_dict(given, as_record(states))
    return states


def seeds(trial: Trial) -> None:
    """Fifty seeds start fifty different games."""
    found: dict[bytes, int] = {}
    for seed in range(50):
        state = trial.game.start(seed).tobytes()
        if state in found:
            trial.fail(f"seeds {found[state]} and {seed} start the same game; init keeps the seed (s.rng = seed)")
        found[state] = seed


def bots(trial: Trial) -> None:
    """Every scripted player answers a legal action, the same to the same stream, and changes nothing that it sees."""
    game = trial.game
    for n, states in enumerate(trial.games(12, 600)):
        s = as_record(states)
        if s.to_move == NOBODY:
            continue
        views, mask = view_of(game, s, int(s.to_move)), mask_of(game, s)
        for name in list(game.bots)[n % 2 :] if len(game.bots) > 1 else game.bots:
            answers = []
            for _ in range(2):
                shown, allowed, rng = views.copy(), mask.copy(), np.array([n], np.uint64)
                answers.append(int(game.bots[name](as_record(shown), allowed, rng)))
                if shown.tobytes() != views.tobytes() or allowed.tobytes() != mask.tobytes():
                    trial.fail(f"the bot {name} writes into its view or mask")
            if not 0 <= answers[0] < game.num_actions or not mask[answers[0]]:
                trial.fail(f"the bot {name} answers {answers[0]}, which is not legal; legal are {some_legal(mask)}")
            if answers[0] != answers[1]:
                trial.fail(
                    f"the bot {name} answers {answers[0]} and {answers[1]} to the same view, mask and random stream"
                )


def views(trial: Trial) -> None:
    """`observe` writes every field of the view, finite numbers within `view_ranges`, and changes nothing in the state;
    nor do the others."""
    game = trial.game
    low, high = (ends.view(game.view_dtype) for ends in game.feature_ranges())
    for states in trial.positions(30):
        s, before = as_record(states), states.tobytes()
        for seat in range(game.num_players):
            shown = game.new_views()
            vector(shown)[:] = np.nan
            game.observe(s, np.int64(seat), as_record(shown))  # type: ignore[arg-type]
            wrong = [".".join(p) for p, _ in leaves(shown.dtype) if not np.isfinite(at_path(shown, p)).all()]
            if wrong:
                trial.fail(f"the view of seat {seat} is not finite in {wrong[0]}, or `observe` did not write all of it")
            for path, _ in leaves(shown.dtype):
                values = at_path(shown, path)
                if ((values < at_path(low, path)) | (values > at_path(high, path))).any():
                    ends = f"{at_path(low, path).min():g} to {at_path(high, path).max():g}"
                    trial.fail(
                        f"the view of seat {seat} has {values.min():g} to {values.max():g} in {'.'.join(path)}, where "
                        f"Game.view_ranges says {ends}"
                    )
        mask_of(game, s)
        returns_of(game, s)
        game.to_text(s, NOBODY)
        game.state_to_dict(s)
        if states.tobytes() != before:
            trial.fail("legal, returns, observe, to_text or state_to_dict changed the state; they only look")
