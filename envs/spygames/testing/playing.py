"""Checks of random play: masks, results, texts, mappings and bots."""

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

_TEXTS = 40  # actions per position whose texts are read back


def play(trial: Trial) -> None:
    """Random games end, masks and results are right at every decision, and no integer overflows."""
    game = trial.game
    counts = [path for path, dtype in leaves(game.state_dtype) if dtype.kind == "i" and dtype.itemsize < 8]
    before: np.ndarray | None = None
    noted = False
    for n, states in enumerate(trial.games(25, 3000)):
        s = as_record(states)
        if _looked_at(n, states):
            trial.look(states)
        mask = np.full(game.num_actions, 7, np.int8)
        game.legal(s, mask)
        if not ((mask == 0) | (mask == 1)).all():
            action = int(np.flatnonzero((mask != 0) & (mask != 1))[0])
            trial.fail(f"`legal` must write 0 or 1 for each action; the mask is {mask[action]} at action {action}")
        results = np.full(game.num_players, np.nan, np.float32)
        game.returns(s, results)
        if not np.isfinite(results).all():
            trial.fail(f"`returns` must write a finite number for each seat, not {results}")
        if before is not None and "decision 0" not in trial.at:
            _no_wrap(trial, before, states, counts)
        before = states.copy()
        if s.to_move == NOBODY:
            _over(trial, states, mask, results)
            noted = noted or _note_sum(trial, results)
        else:
            trial.legal(states)
            if results.any():
                trial.fail(f"results must be 0 until the game is over, not {results}")
    if before is not None and game.start(3).tobytes() != game.start(3).tobytes():
        trial.fail("seed 3 starts two different games; init must depend only on its arguments")


def _over(trial: Trial, states: np.ndarray, mask: np.ndarray, results: np.ndarray) -> None:
    """After the end no action is legal, and the results are right.

    Results are equal within a team, at least `lowest_return`, and 0 in a game that was cut off.
    """
    game = trial.game
    if mask.any():
        trial.fail(f"action {int(mask.argmax())} is legal, but the game is over: the mask must be all 0 then")
    for seat, team in enumerate(game.side_of):
        partner = game.side_of.index(team)
        if results[seat] != results[partner]:
            trial.fail(f"seats {partner} and {seat} are one team and must have the same result, not {results}")
    if results.min() < np.float32(game.lowest_return):
        trial.fail(f"results must be at least {game.lowest_return:g} (Game.lowest_return), not {results}")
    if game.truncated is not None and game.truncated(as_record(states)) and results.any():
        trial.fail(f"results must be 0 in a game that was cut off (Game.truncated), not {results}")


def _note_sum(trial: Trial, results: np.ndarray) -> bool:
    """Add a note if the results of the sides of a finished game do not add up to 0; return whether they do not."""
    by_side = dict(zip(trial.game.side_of, results.tolist(), strict=True))
    total = sum(by_side.values())
    if abs(total) <= 1e-5 * max(1.0, *map(abs, by_side.values())):
        return False
    trial.notes.append(
        f"the results of the sides add up to {total:g}, not to 0 ({trial.at}): those of a forfeited game add up to 0, "
        "and OpenSpiel and a search on an agent take a game of two sides for zero-sum"
    )
    return True


def _no_wrap(trial: Trial, before: np.ndarray, after: np.ndarray, counts: list[tuple[str, ...]]) -> None:
    """Fail if a signed integer overflowed, that is, went from near one end of its type to near the other end."""
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
                trial.fail(f"the text of action {action} must be a str, not {short(repr(text))}")
            if known.setdefault(text, action) != action:
                trial.fail(f"actions {known[text]} and {action} of seat {seat} have the same text, {text!r:.100}")
            again = game.string_to_action(s, text, seat)
            if again != action:
                trial.fail(f"the text {text!r:.100} of action {action} reads back as {again!r:.40}")
    trial.at = ""
    s = as_record(game.start(0))
    for wrong in ("no action's text \N{SNOWMAN}", "", " ", "{", "\N{SNOWMAN} 0 0"):
        try:
            found = f"return {game.string_to_action(s, wrong, int(s.to_move))!r:.40}"
        except ValueError:
            continue
        except Exception as error:
            found = f"raise {type(error).__name__}"
        trial.fail(f"string_to_action must raise ValueError for a text that is not an action, {wrong!r}, not {found}")


def mapping(trial: Trial) -> None:
    """The state's mapping is JSON, has the keys `rng` and `record`, and reads back as the same bytes."""
    for n, states in enumerate(trial.games(25, 1500)):
        if _looked_at(n, states):
            reads_back(trial, states)


def _looked_at(n: int, states: np.ndarray) -> bool:
    """Whether to check the n-th position closely. True for the first eight, every fourth, and the ends of games."""
    return n < 8 or n % 4 == 0 or as_record(states).to_move == NOBODY


def reads_back(trial: Trial, states: np.ndarray) -> None:
    """Fail if the mapping of `state_to_dict` does not read back as the same bytes."""
    game, again = trial.game, trial.game.new_states()
    given = game.state_to_dict(as_record(states))
    try:
        text = json.dumps(given)
    except (TypeError, ValueError) as error:
        trial.fail(f"state_to_dict must return plain JSON values ({short(error)})")
    for key in ("rng", "record"):
        if key not in given:
            trial.fail(f"state_to_dict must have the key {key!r}")
    try:
        # Integers are rounded to doubles, as in JavaScript or jq.
        game.state_from_dict(json.loads(text, parse_int=lambda digits: int(float(digits))), as_record(again))
    except Exception as error:
        trial.fail(
            f"state_from_dict must accept the result of state_to_dict, not raise {type(error).__name__}: {short(error)}"
        )
    if again.tobytes() != states.tobytes():
        found = difference(states, again, ("before", "read back"))
        trial.fail(f"the state's mapping reads back as another state: {found}")


def read(game: Game, given: Mapping[str, Any]) -> np.ndarray:
    """Return the STATE [1] that a mapping describes."""
    states = game.new_states()
    game.state_from_dict(given, as_record(states))
    return states


def seeds(trial: Trial) -> None:
    """Fifty seeds start fifty different games."""
    found: dict[bytes, int] = {}
    for seed in range(50):
        state = trial.game.start(seed).tobytes()
        if state in found:
            trial.fail(f"seeds {found[state]} and {seed} start the same game; init must store the seed (s.rng = seed)")
        found[state] = seed


def bots(trial: Trial) -> None:
    """Every bot returns a legal action, the same one for the same random stream, and does not change its arguments."""
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
                    trial.fail(f"the bot {name} writes into its view or mask, which it must only read")
            if not 0 <= answers[0] < game.num_actions or not mask[answers[0]]:
                trial.fail(f"the bot {name} must return a legal action ({some_legal(mask)}), not {answers[0]}")
            if answers[0] != answers[1]:
                trial.fail(
                    f"the bot {name} must return one action for the same view, mask and random stream, "
                    f"not {answers[0]} and {answers[1]}"
                )


def views(trial: Trial) -> None:
    """`observe` writes every field of the view with finite numbers within `view_ranges`.

    None of `observe`, `legal`, `returns`, `to_text` and `state_to_dict` changes the state.
    """
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
                        f"Game.view_ranges allows {ends}"
                    )
        mask_of(game, s)
        returns_of(game, s)
        game.to_text(s, NOBODY)
        game.state_to_dict(s)
        if states.tobytes() != before:
            trial.fail("legal, returns, observe, to_text or state_to_dict changed the state; they must only read it")
