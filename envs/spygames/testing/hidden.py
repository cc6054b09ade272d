"""What a seat cannot know does not reach it, and is drawn anew by `determinize`."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from spygames.core.envs.aec import GameEnv
from spygames.core.game.belief_targets import UNASKED
from spygames.core.game.game import NOBODY, Game, IllegalAction, as_record
from spygames.core.game.rewinding import IMPOSSIBLE, TELLS_NOTHING
from spygames.core.pictures.picture import draw_seen
from spygames.core.svg.annotations import Look
from spygames.testing.playing import reads_back
from spygames.testing.trial import (
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
_REFUSED = 12  # illegal actions tried in a position
_MOVES = 24  # actions of a position whose outcomes are compared
_DECISIONS, _REWOUND = 40, 4  # of a game that is rewound, and decisions of a seat to which it is


def channels(game: Game, states: np.ndarray, seat: int, pictures: bool = True, moves: int = _MOVES) -> dict[str, Any]:
    """All that a seat can reach: its view, its mask and the texts of its actions, who is to move, results, drawing and
    what that is drawn from, what it sees happen when somebody acts (in so many `moves`), and `pictures`.

    An environment adds nothing: observation, mask, info and view are these (`equal_bytes`), rewards and terminations
    follow from the results.
    """
    s = as_record(states)
    legal = mask_of(game, s)
    mask = legal if s.to_move == seat else np.zeros(game.num_actions, np.int8)
    texts = [game.action_to_string(s, action, seat) for action in range(game.num_actions)]
    drawing, seen = game.to_text(s, seat), game.seen_to_dict(s, seat)
    targets = tuple(texts[action] for action in np.flatnonzero(mask))
    drawn: dict[str, str] = {}
    if pictures:
        drawn["picture"] = draw_seen(game, seen, Look(seat, alt=drawing))
        if targets:
            drawn["picture with targets"] = draw_seen(game, seen, Look(seat, legal=targets, alt=drawing))
    return {
        "view": view_of(game, s, seat),
        "mask": mask,
        "texts": texts,
        "to_move": int(s.to_move),
        "results": returns_of(game, s),
        "drawing": drawing,
        "cut off": bool(game.truncated(s)) if game.truncated is not None and s.to_move == NOBODY else None,
        "mapping": seen,
        # Of others' actions there is a text only where they are legal, and that depends on what they hold. Their
        # numbers may count from the mover's own things, so the same action is the one with the same text.
        "moves": {
            game.action_to_string(s, action, int(s.to_move)): game.seen_action(s, action, int(s.to_move), seat)
            for action in few(np.flatnonzero(legal), moves)
        },
    } | drawn


def check_no_leak(trial: Trial, states: np.ndarray, seat: int, seed: int, pictures: bool = True) -> np.ndarray:
    """Determinizes for `seat`; fails where a channel changes, or where what was true decides the result.

    Pictures, which take longer than all else together, are compared with those of one world: the mappings that they are
    drawn from are compared with all.
    """
    game = trial.game
    before = channels(game, states, seat, pictures)
    drawn = [determinized(game, states, seat, seed + i) for i in range(3)]
    for each in drawn:
        for name, how in differences(game, states, each, seat, pictures and each is drawn[0], before):
            trial.fail(
                f"the {name} of seat {seat} differs between states that `determinize` gives for it: {how}; either the "
                f"{name} leaks what is hidden, or `determinize` changes what the seat knows"
            )
        trial.look(each)
    reads_back(trial, drawn[0])
    for truth in drawn[1:]:
        again = determinized(game, truth, seat, seed)
        if again.tobytes() != drawn[0].tobytes():
            found = difference(drawn[0], again, ("from one world", "from another"))
            trial.fail(
                f"what was true decides what `determinize` gives; seat {seat}'s view and the seed decide it: {found}"
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
    """By which channels, and how, a seat can tell two worlds apart.

    Args:
        game: what is played.
        one, other: the worlds, STATE [1] each.
        seat: who looks.
        pictures: whether the pictures are compared, too.
        of_one: the `channels` of `one`, where they are at hand; None: they are computed.
        moves: how many actions of the seat to move are compared.
    """
    before = channels(game, one, seat, pictures, moves) if of_one is None else of_one
    for name, now in channels(game, other, seat, pictures, moves).items():
        then = before.get(name)
        if then is None or (now is None) != (then is None):
            if now is not then:
                yield name, "is there in one world only"
        elif isinstance(now, np.ndarray):
            if now.tobytes() != then.tobytes():
                values = f"{then.tolist()} in one world, {now.tolist()} in another"
                yield name, difference(then, now, ("in one world", "in another")) if now.dtype.names else values
        elif name == "moves":
            for action in now.keys() & then.keys():
                if now[action] != then[action] and not shows(game, one, other, seat, action):
                    yield name, _first(then[action], now[action])
        elif now != then:
            yield name, _first(then, now)
        elif name == "mapping" and json.dumps(now) != json.dumps(then):
            yield name, "has its keys in different orders"


def shows(game: Game, one: np.ndarray, other: np.ndarray, seat: int, move: str) -> bool:
    """Whether `seat` can tell two worlds, STATE [1], apart once a move (its text) is made in both, with one luck."""
    known = []
    for each in (one, other):
        after = each.copy()
        after["rng"] = one["rng"]
        s = as_record(after)
        game.apply(s, game.string_to_action(s, move, int(s.to_move)))
        known.append(_known(game, after, seat))
    return known[0] != known[1]


def _first(then: object, now: object) -> str:
    """Two values, or the first of their items, that differ."""
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
    """No view, mask, text, drawing, order or result tells a seat what it cannot know."""
    for states in trial.positions(40):
        seed = int(trial.rng.integers(2**32))
        for seat in range(trial.game.num_players):
            check_no_leak(trial, states, seat, seed)


def moves(trial: Trial) -> None:
    """Moves of others that a seat cannot tell apart have one text, in all worlds that it can imagine.

    What tells moves apart is what the seat sees afterwards: its view, and the mapping that its picture is drawn from.
    Moves that nobody could tell apart, as `is_no_secret` has it, may have a text each, for who watched them.
    """
    game = trial.game
    for states in trial.positions(12):
        mover = int(as_record(states).to_move)
        for seat in range(game.num_players):
            if seat == mover or mover == NOBODY:
                continue
            texts: dict[bytes, tuple[str, str]] = {}
            worlds = [states, *(determinized(game, states, seat, int(trial.rng.integers(2**32))) for _ in range(2))]
            for world in worlds:
                s = as_record(world)
                for action in few(np.flatnonzero(mask_of(game, s)), _MOVES):
                    after = world.copy()
                    game.apply(as_record(after), action)
                    name, text = game.action_to_string(s, action, mover), game.seen_action(s, action, mover, seat)
                    known = texts.setdefault(_known(game, after, seat), (name, text))
                    if known[1] != text and not is_no_secret(game, world, known[0], name):
                        trial.fail(
                            f"seat {seat} cannot tell {known[0]!r:.60} from {name!r:.60} of seat {mover}, but reads "
                            f"{known[1]!r:.80} and {text!r:.80}; `seen_action` has one text for both"
                        )


def is_no_secret(game: Game, states: np.ndarray, one: str, other: str) -> bool:
    """Whether two moves, by their texts, leave one and the same state to who makes them, STATE [1], with all redrawn
    that it cannot know itself. So which one it was is no secret that it keeps, and a viewer may have watched it: a swap
    of cards that lie face down, say. False where one of them is not legal.
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
    """What a seat knows of a position, as bytes: equal where it cannot tell positions apart."""
    s = as_record(states)
    return view_of(game, s, seat).tobytes() + json.dumps(game.seen_to_dict(s, seat)).encode()


def environment(trial: Trial) -> None:
    """What an environment says to a seat, refusals included, is the same in all worlds that the seat can imagine."""
    game = trial.game
    for states in trial.positions(30):
        seat = int(as_record(states).to_move)
        if seat == NOBODY:
            continue
        said = []
        for each in (states, check_no_leak(trial, states, seat, trial.seed, pictures=False)):
            env = GameEnv(game)
            env.reset(seed=0, options={"state": game.state_to_dict(as_record(each))})
            if env.state().tobytes() != each.tobytes():
                trial.fail("reset(options={'state': ...}) begins from another state")
            said.append(list(_answers(trial, env, seat)))
        for one, other in zip(*said, strict=True):
            if one != other:
                trial.fail(f"an environment tells seat {seat} in which world it is: {one!r:.80} or {other!r:.80}")


def _answers(trial: Trial, env: GameEnv, seat: int) -> Iterator[Any]:
    """What an environment says to the seat to move, what it refuses included."""
    agent = env.possible_agents[seat]
    yield from (env.view(agent).tobytes(), env.to_text(agent), env.to_svg(agent))
    yield from (repr(env.rewards), repr(env.terminations))
    for action in few(np.flatnonzero(env.infos[agent]["action_mask"] == 0), _REFUSED):
        try:
            env.step(action)
        except IllegalAction as error:
            yield str(error)
        else:
            trial.fail(f"the environment takes action {action}, which its mask forbids")


def rewinds(trial: Trial) -> None:
    """A world turned back to an earlier decision of another seat shows it what was public, and nothing of the truth."""
    game = trial.game
    if game.rewind is None:  # it need not have one
        if game.ways is not None:
            trial.fail("the game has `ways` but no `rewind`: `ways` counts decisions of a world that was turned back")
        return
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


def retold(
    game: Game, states: np.ndarray, action: int, viewer: int, seed: int, tries: int = 64
) -> tuple[np.ndarray, int] | None:
    """A decision that `viewer` could not tell from one of another seat, with what it saw come of it.

    What is hidden from the viewer is drawn again until the action of the same text is legal and leads to what led the
    true one to; chance to come is that of the truth.

    Args:
        game: what is played.
        states: STATE [1], before the decision.
        action: what its mover did.
        viewer: another seat.
        seed: of what is drawn, 0..2^64-1.
        tries: how often it is drawn.

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
        except ValueError:  # there is no such action
            continue
        if mask_of(game, as_record(found))[same]:
            after = found.copy()
            game.apply(as_record(after), same)
            if view_of(game, as_record(after), viewer).tobytes() == seen:
                return found, same
    return None


def _check_rewind(trial: Trial, states: np.ndarray, viewer: int, past: list[tuple[np.ndarray, int]], seed: int) -> None:
    """The same for one seat, whose decisions `past` are, oldest first."""
    game = trial.game
    worlds = [determinized(game, states, viewer, seed) for _ in range(2)]
    nows = [states.copy(), determinized(game, states, viewer, seed + 2)]
    rngs = [np.array([seed], np.uint64) for _ in range(2)]
    for true, action in reversed(past[-_REWOUND:]):
        seat = int(true["to_move"][0])
        told, shown = [], []
        # What was true, and what the viewer may take for true.
        pasts = ((true, action), retold(game, true, action, viewer, seed + 1) or (true, action))
        for world, rng, (then, did) in zip(worlds, rngs, pasts, strict=True):
            assert game.rewind is not None
            told.append(int(game.rewind(as_record(world), as_record(then), seat, did, rng)))
            shown.append((view_of(game, as_record(world), seat).tobytes(), mask_of(game, as_record(world)).tobytes()))
        if told[0] >= 0 and as_record(worlds[0]).to_move != seat:
            mover = as_record(worlds[0]).to_move
            trial.fail(f"a world that was turned back has seat {mover} to move, not {seat}, who decided there")
        if not 0 <= told[0] < game.num_actions and told[0] not in (IMPOSSIBLE, TELLS_NOTHING):
            trial.fail(f"`rewind` returns {told[0]}, which is no action, 0..{game.num_actions - 1}")
        if told[0] != told[1] or (told[0] >= 0 and shown[0] != shown[1]):
            trial.fail(
                f"`rewind` reads what seat {viewer} cannot know of the past: seat {seat} sees or does something else"
            )
        if game.ways is not None and told[0] >= 0:
            _check_ways(trial, worlds[0], nows, viewer, seat, told[0])


def _check_ways(trial: Trial, world: np.ndarray, nows: list[np.ndarray], viewer: int, seat: int, action: int) -> None:
    """`ways` is a number above 0, the same from all states that the viewer cannot tell from the true one."""
    ways, before = trial.game.ways, world.tobytes()
    assert ways is not None
    found = [float(ways(as_record(world), as_record(now), viewer, seat, action)) for now in nows]
    if not all(np.isfinite(each) and each > 0 for each in found):
        trial.fail(f"`ways` of action {action} of seat {seat} is {found[0]:g}; it must be a finite number above 0")
    if found[0] != found[1]:
        trial.fail(f"`ways` of action {action} of seat {seat} reads what seat {viewer} cannot know of the present")
    if world.tobytes() != before:
        trial.fail("`ways` changes the state; it must only look at it")


def strata(trial: Trial) -> None:
    """A stratum is a possible world of a seat, decided by its view, the seed and its number alone."""
    game = trial.game
    if game.determinize_stratum is None:  # it need not have any
        return
    for states in trial.positions(16):
        for seat in range(game.num_players):
            found, view = set(), view_of(game, as_record(states), seat).tobytes()
            for stratum in range(3):
                worlds = [states.copy(), determinized(game, states, seat, stratum)]
                for world in worlds:
                    s = as_record(world)
                    found.add(int(game.determinize_stratum(s, np.int64(seat), np.uint64(stratum), np.int64(stratum))))
                if worlds[0].tobytes() != worlds[1].tobytes():
                    trial.fail(f"what was true decides what stratum {stratum} of seat {seat} is")
                if view_of(game, as_record(worlds[0]), seat).tobytes() != view:
                    trial.fail(f"stratum {stratum} of seat {seat} changes what the seat sees")
                reads_back(trial, worlds[0])
            if len(found) > 1 or min(found) < 1:
                trial.fail(f"`determinize_stratum` says that there are {sorted(found)} strata for seat {seat} at once")


def questions(trial: Trial) -> None:
    """Each question has an answer that it may have, or is not asked, which the seat itself can tell."""
    game = trial.game
    if game.questions is None:  # it need not have any
        return
    sizes = game.questions.sizes
    for states in trial.positions(32):
        for seat in range(game.num_players):
            asked = None
            for world in (states, *(determinized(game, states, seat, k) for k in range(3))):
                before, out = world.tobytes(), np.full(len(sizes), _UNWRITTEN, np.int8)
                game.questions.answer(as_record(world), np.int64(seat), out)
                if world.tobytes() != before:
                    trial.fail("answering questions changes the state")
                if len(wrong := np.flatnonzero((out < UNASKED) | (out >= sizes))):
                    q, most = wrong[0], sizes[wrong[0]] - 1
                    what = "is not written" if out[q] == _UNWRITTEN else f"is {out[q]}; it is from {UNASKED} to {most}"
                    trial.fail(f"the answer to question {q} of seat {seat} {what}")
                if asked is not None and len(differ := np.flatnonzero((out == UNASKED) != (asked == UNASKED))):
                    trial.fail(f"what seat {seat} cannot know decides whether question {differ[0]} is asked")
                asked = out


def differing(game: Game, seats: int | None = None, positions: int = 30) -> int:
    """In how many positions determinized states of one of the first `seats` (None: all) differ from each other in more
    than future chance."""
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
    """What is hidden is drawn anew at all; its distribution is for tests of the game."""
    if not trial.hidden:
        return
    if differing(trial.game) == 0:
        trial.fail(
            "determinize returned the true state in each of 30 positions, for every seat; it draws anew "
            "all that a seat cannot know (for a game without secrets say check_game(..., hidden=False))"
        )
