"""Checks of hidden information: no seat can learn what it must not know, and `determinize` redraws it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np

from spygames.core.envs.aec import GameEnv
from spygames.core.game.belief_targets import UNASKED
from spygames.core.game.game import NOBODY, Game, IllegalAction, as_record
from spygames.core.game.rewinding import IMPOSSIBLE, TELLS_NOTHING
from spygames.core.pictures.picture import draw_seen
from spygames.core.players.inquiry import belief_question, unknowns
from spygames.core.players.turns import question, turn_of
from spygames.core.svg.annotations import Look
from spygames.core.svg.pen import Size
from spygames.testing.playing import reads_back
from spygames.testing.trial import (
    Skip,
    Trial,
    determinized,
    difference,
    few,
    mask_of,
    play,
    returns_of,
    uniform_choice,
    view_of,
)

_UNWRITTEN = np.int8(-128)
_REFUSED = 12  # illegal actions tried per position
_MOVES = 24  # actions per position whose outcomes are compared
_DECISIONS, _REWOUND = 40, 4  # decisions played per game, and decisions of a seat that are rewound


def channels(game: Game, states: np.ndarray, seat: int, pictures: bool = True, moves: int = _MOVES) -> dict[str, Any]:
    """Return everything that a seat can see, by the name of the channel.

    - `view`, `mask`, `to_move`, `results`, `cut off`: the numbers that an environment shows.
    - `texts`: the text of each action.
    - `drawing`, `mapping`, `words`: the results of `to_text`, `seen_to_dict` and `describe`.
    - `prompt`: what a text player is told (`spygames.text.question`), if the seat is to move.
    - `belief prompt`: what it is asked about hidden things (`spygames.text.belief_question`), if also the game has
      questions.
    - `moves`: what the seat sees when the seat to move acts (`seen_action`), by the text of the action.
    - `picture`, `picture with targets`: the SVG, without and with legal actions as targets.
    - `portrait picture`, `compact picture`: the other forms of the SVG, if the game has them, with the legal actions.

    An environment adds no channels: its observation, mask, info and view equal these (see `equal_bytes`), and rewards
    and terminations follow from the results.

    Args:
        game: the game.
        states: the position, STATE [1].
        seat: the seat.
        pictures: whether to include the pictures. One is in the dark theme, the other in the light theme.
        moves: the maximum number of actions whose texts (`seen_action`) are included.
    """
    s = as_record(states)
    legal = mask_of(game, s)
    mask = legal if s.to_move == seat else np.zeros(game.num_actions, np.int8)
    texts = [game.action_to_string(s, action, seat) for action in range(game.num_actions)]
    drawing, seen = game.to_text(s, seat), game.seen_to_dict(s, seat)
    targets = tuple(texts[action] for action in np.flatnonzero(mask))
    drawn: dict[str, str] = {}
    if pictures:
        theme, other = ("light", "dark") if seat % 2 else ("dark", "light")
        drawn["picture"] = draw_seen(game, seen, Look(seat, alt=drawing), theme)
        if targets:
            drawn["picture with targets"] = draw_seen(game, seen, Look(seat, legal=targets, alt=drawing), other)
        small: dict[Size, object] = {"portrait": game.texts.draw_portrait, "compact": game.texts.draw_compact}
        for size, own in small.items():
            if own is not None:
                look = Look(seat, legal=targets, alt=drawing)
                drawn[f"{size} picture"] = draw_seen(game, seen, look, theme if size == "portrait" else other, size)
    if s.to_move == seat:
        turn = turn_of(game, states)
        drawn["prompt"] = question(turn)
        if game.questions is not None:
            drawn["belief prompt"] = belief_question(replace(turn, unknowns=unknowns(game, states)))
    return {
        "view": view_of(game, s, seat),
        "mask": mask,
        "texts": texts,
        "to_move": int(s.to_move),
        "results": returns_of(game, s),
        "drawing": drawing,
        "cut off": bool(game.truncated(s)) if game.truncated is not None and s.to_move == NOBODY else None,
        "mapping": seen,
        "words": game.describe(s, seat),
        # Only legal actions of other seats have a text here, and legality depends on hidden cards. Action numbers may
        # be relative to the mover, so actions are identified by their texts.
        "moves": {
            game.action_to_string(s, action, int(s.to_move)): game.seen_action(s, action, int(s.to_move), seat)
            for action in few(np.flatnonzero(legal), moves)
        },
    } | drawn


def check_no_leak(trial: Trial, states: np.ndarray, seat: int, seed: int, pictures: bool = True) -> np.ndarray:
    """Determinize for `seat`; fail if a channel changes or if the result depends on the true state.

    Pictures take longer than everything else together, so they are compared for one world only. The mappings from which
    they are drawn are compared for all worlds.

    Returns:
        A determinized state, STATE [1].
    """
    game = trial.game
    before = channels(game, states, seat, pictures)
    drawn = [determinized(game, states, seat, seed + i) for i in range(3)]
    for each in drawn:
        for name, how in differences(game, states, each, seat, pictures and each is drawn[0], before):
            trial.fail(
                f"the {name} of seat {seat} differs between worlds that `determinize` makes for it: {how}; either the "
                f"{name} leaks hidden information, or `determinize` changes what the seat knows"
            )
        trial.look(each)
    reads_back(trial, drawn[0])
    for truth in drawn[1:]:
        again = determinized(game, truth, seat, seed)
        if again.tobytes() != drawn[0].tobytes():
            found = difference(drawn[0], again, ("from one world", "from another"))
            trial.fail(
                f"`determinize` for seat {seat} must depend only on its view and the seed, not the true state: {found}"
            )
    return drawn[0]


def differences(
    game: Game,
    one: np.ndarray,
    other: np.ndarray,
    seat: int,
    pictures: bool = True,
    of_one: Mapping[str, Any] | None = None,
    moves: int = _MOVES,
) -> Iterator[tuple[str, str]]:
    """Yield the channels by which a seat can tell two worlds apart, each with a description of the difference.

    Args:
        game: the game.
        one, other: the worlds, STATE [1] each.
        seat: the seat.
        pictures: whether the pictures are compared, too.
        of_one: the `channels` of `one`, if they are known; None computes them.
        moves: the maximum number of actions of the seat to move that are compared.
    """
    before = channels(game, one, seat, pictures, moves) if of_one is None else of_one
    for name, now in channels(game, other, seat, pictures, moves).items():
        then = before.get(name)
        if then is None or (now is None) != (then is None):
            if now is not then:
                yield name, "exists in one world only"
        elif isinstance(now, np.ndarray):
            if now.tobytes() != then.tobytes():
                values = f"{then.tolist()} in one world, {now.tolist()} in another"
                yield name, difference(then, now, ("in one world", "in another")) if now.dtype.names else values
        elif name == "moves":
            for action in filter(then.__contains__, now):  # in the same order each time
                if now[action] != then[action] and not can_tell_apart(game, one, other, seat, action):
                    yield name, _first(then[action], now[action])
        elif now != then:
            yield name, _first(then, now)
        elif name == "mapping" and json.dumps(now) != json.dumps(then):
            yield name, "has its keys in different orders"


def can_tell_apart(game: Game, one: np.ndarray, other: np.ndarray, seat: int, move: str) -> bool:
    """Whether `seat` can tell two worlds, STATE [1], apart after a move (given by its text) is made in both.

    Both worlds get the same random stream.
    """
    known = []
    for each in (one, other):
        after = each.copy()
        after["rng"] = one["rng"]
        s = as_record(after)
        game.apply(s, game.string_to_action(s, move, int(s.to_move)))
        known.append(_known(game, after, seat))
    return known[0] != known[1]


def _first(then: object, now: object) -> str:
    """Describe how two values differ, or their first items that do."""
    if isinstance(then, list) and isinstance(now, list):
        i = next(i for i, (a, b) in enumerate(zip(then, now, strict=True)) if a != b)
        return f"of action {i} is {then[i]!r:.60} in one world, {now[i]!r:.60} in another"
    if isinstance(then, Mapping) and isinstance(now, Mapping) and then.keys() == now.keys():
        key = next(key for key in then if then[key] != now[key])
        then, now = {key: then[key]}, {key: now[key]}
    if isinstance(then, str) and isinstance(now, str):
        at = next((i for i, (a, b) in enumerate(zip(then, now, strict=False)) if a != b), min(len(then), len(now)))
        start = max(0, at - 30) if max(len(then), len(now)) > 80 else 0
        then, now = then[start:], now[start:]
    return f"is {then!r:.80} in one world, {now!r:.80} in another"


def leaks(trial: Trial) -> None:
    """No view, mask, text, drawing, order or result reveals to a seat what it cannot know."""
    for states in trial.positions(40):
        seed = int(trial.rng.integers(2**32))
        for seat in range(trial.game.num_players):
            check_no_leak(trial, states, seat, seed)


def moves(trial: Trial) -> None:
    """Moves of other seats that a seat cannot tell apart are the same events, in all worlds that are possible for it.

    Two moves can be told apart by what the seat sees afterwards: its view, and the mapping from which its picture is
    drawn. Moves that lead to the same state (`is_no_secret`) may have different texts, since a viewer may have watched
    them.
    """
    game = trial.game
    for states in trial.positions(12):
        mover = int(as_record(states).to_move)
        for seat in range(game.num_players):
            if seat == mover or mover == NOBODY:
                continue
            texts: dict[bytes, tuple[str, str, str]] = {}
            worlds = [states, *(determinized(game, states, seat, int(trial.rng.integers(2**32))) for _ in range(2))]
            for world in worlds:
                s = as_record(world)
                for action in few(np.flatnonzero(mask_of(game, s)), _MOVES):
                    after = world.copy()
                    game.apply(as_record(after), action)
                    name, text = game.action_to_string(s, action, mover), game.seen_action(s, action, mover, seat)
                    whole = json.dumps(game.event(s, action, mover, seat, as_record(after)))
                    known = texts.setdefault(_known(game, after, seat), (name, text, whole))
                    if known[1] == text and known[2] != whole:
                        trial.fail(
                            f"seat {seat} sees the same before and after {known[0]!r:.60} and {name!r:.60} of seat "
                            f"{mover}, but the event {_first(json.loads(known[2]), json.loads(whole))}; `effects` must "
                            "return one text for both"
                        )
                    if known[1] != text and not is_no_secret(game, world, known[0], name):
                        trial.fail(
                            f"seat {seat} cannot tell {known[0]!r:.60} from {name!r:.60} of seat {mover}, but reads "
                            f"{known[1]!r:.80} and {text!r:.80}; `seen_action` must return one text for both"
                        )


def parts(trial: Trial) -> None:
    """Each field of a view has a part, and public fields are the same in all worlds possible for another seat."""
    game = trial.game
    if game.view_parts is None:
        raise Skip("the game has no `view_parts`")
    names = game.view_dtype.names or ()
    if missing := [name for name in names if name not in game.view_parts]:
        trial.fail(f"view_parts must have each field of VIEW, but lacks {missing[0]}")
    public = [name for name in names if game.view_parts[name] == "public"]
    for states in trial.positions(24):
        for seat, other in permutations(range(game.num_players), 2):
            world = determinized(game, states, other, int(trial.rng.integers(2**32)))
            then, now = (view_of(game, as_record(each), seat) for each in (states, world))
            for name in public:
                if then[name].tobytes() != now[name].tobytes():
                    trial.fail(
                        f"field {name} in the view of seat {seat} must be 'private' or 'mixed' in view_parts, not "
                        f"'public': it differs between worlds that seat {other} cannot tell apart"
                    )


def is_no_secret(game: Game, states: np.ndarray, one: str, other: str) -> bool:
    """Whether two moves, given by their texts, lead to the same state for the seat that makes them.

    The states are compared after everything that this seat cannot know is redrawn. If they are equal, it is no secret
    which of the two moves was made: a viewer may have watched a swap of face-down cards, for example. False if one of
    the moves is not legal.
    """
    s, ends = as_record(states), []
    mover, legal = int(s.to_move), mask_of(game, s)
    for text in (one, other):
        try:
            action = game.string_to_action(s, text, mover)
        except ValueError:
            return False
        if not legal[action]:
            return False
        after = states.copy()
        game.apply(as_record(after), action)
        ends.append(determinized(game, after, mover, 0).tobytes())
    return ends[0] == ends[1]


def _known(game: Game, states: np.ndarray, seat: int) -> bytes:
    """Return what a seat knows of a position, as bytes: equal for positions that it cannot tell apart."""
    s = as_record(states)
    return view_of(game, s, seat).tobytes() + json.dumps(game.seen_to_dict(s, seat)).encode()


def environment(trial: Trial) -> None:
    """What an environment shows to a seat, errors included, is the same in all worlds possible for the seat."""
    game = trial.game
    for states in trial.positions(30):
        seat = int(as_record(states).to_move)
        if seat == NOBODY:
            continue
        shown = []
        for each in (states, check_no_leak(trial, states, seat, trial.seed % 2**63, pictures=False)):
            env = GameEnv(game)
            env.reset(seed=0, options={"state": game.state_to_dict(as_record(each))})
            if env.state().tobytes() != each.tobytes():
                trial.fail("reset(options={'state': ...}) must start from this state, but starts from another one")
            shown.append(list(_answers(trial, env, seat)))
        for one, other in zip(*shown, strict=True):
            if one != other:
                trial.fail(f"an environment reveals to seat {seat} which world is true: {one!r:.80} or {other!r:.80}")


def _answers(trial: Trial, env: GameEnv, seat: int) -> Iterator[Any]:
    """Yield what an environment shows to the seat to move, including the errors for illegal actions."""
    agent = env.possible_agents[seat]
    yield from (env.view(agent).tobytes(), env.to_text(agent), env.to_svg(agent))
    yield from (repr(env.rewards), repr(env.terminations))
    for action in few(np.flatnonzero(env.infos[agent]["action_mask"] == 0), _REFUSED):
        try:
            env.step(action)
        except IllegalAction as error:
            yield str(error)
        else:
            trial.fail(f"the environment accepts action {action}, which its mask forbids")


def rewinds(trial: Trial) -> None:
    """A world rewound to an earlier decision of another seat shows that seat only what was public, nothing of the
    true state."""
    game = trial.game
    if game.rewind is None:
        if game.ways is not None:
            trial.fail("the game has `ways` but no `rewind`: `ways` counts decisions of a rewound world")
        raise Skip("the game has no `rewind`")
    for seed in trial.seeds(trial.times(12)):
        states, past = game.start(seed), []
        while as_record(states).to_move != NOBODY and len(past) < _DECISIONS:
            trial.at = f"seed {seed}, decision {len(past)}"
            viewer, seen = int(as_record(states).to_move), int(trial.rng.integers(2**32))
            for seat in set(range(game.num_players)) - {viewer}:
                _check_rewind(trial, states, viewer, [p for p in past if int(p[0]["to_move"][0]) == seat], seen)
            legal = trial.legal(states)
            past.append((states.copy(), int(legal[trial.rng.integers(len(legal))])))
            game.apply(as_record(states), past[-1][1])


def indistinguishable_decision(
    game: Game, states: np.ndarray, action: int, viewer: int, seed: int, tries: int = 64
) -> tuple[np.ndarray, int] | None:
    """Find a decision that `viewer` cannot tell from the true one of another seat, not even by its outcome.

    Everything hidden from the viewer is redrawn until the action with the same text is legal and leads to the same
    view. Future chance is that of the true state.

    Args:
        game: the game.
        states: STATE [1], before the decision.
        action: the true action.
        viewer: another seat than the one that decides.
        seed: the seed of the draws, 0..2^64-1.
        tries: the maximum number of draws.

    Returns:
        The state, STATE [1], and the action; None if none was found.
    """
    mover, after = int(as_record(states).to_move), states.copy()
    text = game.action_to_string(as_record(states), action, mover)
    game.apply(as_record(after), action)
    seen = view_of(game, as_record(after), viewer).tobytes()
    for i in range(tries):
        found = determinized(game, states, viewer, (seed + i) % 2**64)
        found["rng"] = states["rng"]
        try:
            same = game.string_to_action(as_record(found), text, mover)
        except ValueError:  # no such action in this world
            continue
        if mask_of(game, as_record(found))[same]:
            after = found.copy()
            game.apply(as_record(after), same)
            if view_of(game, as_record(after), viewer).tobytes() == seen:
                return found, same
    return None


def _check_rewind(trial: Trial, states: np.ndarray, viewer: int, past: list[tuple[np.ndarray, int]], seed: int) -> None:
    """Check `rewind` and `ways` for one seat and its decisions `past`, oldest first."""
    game = trial.game
    worlds = [determinized(game, states, viewer, seed) for _ in range(2)]
    nows = [states.copy(), determinized(game, states, viewer, seed + 2)]
    rngs = [np.array([seed], np.uint64) for _ in range(2)]
    for true, action in reversed(past[-_REWOUND:]):
        seat = int(true["to_move"][0])
        actions, shown = [], []
        # The true past, and another one that the viewer cannot tell from it.
        pasts = ((true, action), indistinguishable_decision(game, true, action, viewer, seed + 1) or (true, action))
        for world, rng, (then, did) in zip(worlds, rngs, pasts, strict=True):
            assert game.rewind is not None
            actions.append(int(game.rewind(as_record(world), as_record(then), seat, did, rng)))
            shown.append((view_of(game, as_record(world), seat).tobytes(), mask_of(game, as_record(world)).tobytes()))
        if actions[0] >= 0 and as_record(worlds[0]).to_move != seat:
            mover = as_record(worlds[0]).to_move
            trial.fail(f"to_move of a rewound world must be seat {seat}, which made the decision, not {mover}")
        if not 0 <= actions[0] < game.num_actions and actions[0] not in (IMPOSSIBLE, TELLS_NOTHING):
            trial.fail(
                f"`rewind` must return an action, 0..{game.num_actions - 1}, IMPOSSIBLE or TELLS_NOTHING, "
                f"not {actions[0]}"
            )
        if actions[0] != actions[1] or (actions[0] >= 0 and shown[0] != shown[1]):
            trial.fail(
                f"`rewind` reads what seat {viewer} cannot know of the past: it changes the action, view or mask of "
                f"seat {seat}"
            )
        if game.ways is not None and actions[0] >= 0:
            _check_ways(trial, worlds[0], nows, viewer, seat, actions[0])


def _check_ways(trial: Trial, world: np.ndarray, nows: list[np.ndarray], viewer: int, seat: int, action: int) -> None:
    """`ways` is a number above 0, and the same for all present states that the viewer cannot tell apart."""
    ways, before = trial.game.ways, world.tobytes()
    assert ways is not None
    found = [float(ways(as_record(world), as_record(now), viewer, seat, action)) for now in nows]
    if not all(np.isfinite(each) and each > 0 for each in found):
        trial.fail(f"`ways` of action {action} of seat {seat} must be a finite number above 0, not {found[0]:g}")
    if found[0] != found[1]:
        trial.fail(f"`ways` of action {action} of seat {seat} reads what seat {viewer} cannot know of the present")
    if world.tobytes() != before:
        trial.fail("`ways` changes the state; it must only read it")


def strata(trial: Trial) -> None:
    """`determinize_stratum` makes a possible world of a seat, which depends only on its view, the seed and the number
    of the stratum."""
    game = trial.game
    if game.determinize_stratum is None:
        raise Skip("the game has no `determinize_stratum`")
    for states in trial.positions(16):
        for seat in range(game.num_players):
            found, view = set(), view_of(game, as_record(states), seat).tobytes()
            for stratum in range(3):
                worlds = [states.copy(), determinized(game, states, seat, stratum)]
                for world in worlds:
                    s = as_record(world)
                    found.add(int(game.determinize_stratum(s, np.int64(seat), np.uint64(stratum), np.int64(stratum))))
                if worlds[0].tobytes() != worlds[1].tobytes():
                    trial.fail(f"stratum {stratum} of seat {seat} must not depend on the true state")
                if view_of(game, as_record(worlds[0]), seat).tobytes() != view:
                    trial.fail(f"stratum {stratum} of seat {seat} changes what the seat sees")
                reads_back(trial, worlds[0])
            if len(found) > 1 or min(found) < 1:
                trial.fail(
                    f"`determinize_stratum` must return one number of strata, at least 1, for seat {seat} in a "
                    f"position, not {sorted(found)}"
                )


def questions(trial: Trial) -> None:
    """The answer of each belief target is in range or UNASKED, and the seat can tell which targets are UNASKED."""
    game = trial.game
    if game.questions is None:
        raise Skip("the game has no `questions`")
    sizes = game.questions.sizes
    for states in trial.positions(32):
        for seat in range(game.num_players):
            previous = None
            for world in (states, *(determinized(game, states, seat, k) for k in range(3))):
                before, out = world.tobytes(), np.full(len(sizes), _UNWRITTEN, np.int8)
                game.questions.answer(as_record(world), np.int64(seat), out)
                if world.tobytes() != before:
                    trial.fail("`Questions.answer` changes the state; it must only read it")
                if len(wrong := np.flatnonzero((out < UNASKED) | (out >= sizes))):
                    q, highest = wrong[0], sizes[wrong[0]] - 1
                    got = "left unwritten" if out[q] == _UNWRITTEN else out[q]
                    right = f"from {UNASKED} to {highest}"
                    trial.fail(f"the answer of belief target {q} for seat {seat} must be {right}, not {got}")
                if previous is not None and len(differ := np.flatnonzero((out == UNASKED) != (previous == UNASKED))):
                    trial.fail(
                        f"whether belief target {differ[0]} is UNASKED for seat {seat} must depend only on what the "
                        "seat knows"
                    )
                previous = out


def differing(game: Game, seats: int | None = None, positions: int = 30) -> int:
    """Count the positions in which determinized states of a seat differ from each other in more than future chance.

    Args:
        game: the game.
        seats: the number of seats to try, from seat 0; None tries all. A position counts if any of them qualifies.
        positions: the number of positions.
    """
    count = 0
    for n in range(positions):
        states = play(game, n, uniform_choice(n), n % 6)
        worlds = [
            {_without_chance(determinized(game, states, seat, k)) for k in range(8)}
            for seat in range(seats or game.num_players)
        ]
        count += max(map(len, worlds)) > 1
    return count


def _without_chance(states: np.ndarray) -> bytes:
    states["rng"] = 0
    return states.tobytes()


def redraws(trial: Trial) -> None:
    """`determinize` redraws something. Its distribution is left to tests of the game."""
    if not trial.hidden:
        raise Skip("the game has no hidden information")
    if differing(trial.game) == 0:
        trial.fail(
            "determinize returned the true state in each of 30 positions, for every seat; it must redraw everything "
            "that a seat cannot know (for a game without hidden information, use check_game(..., hidden=False))"
        )
