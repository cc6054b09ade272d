"""The promises that every game keeps, one test each, over every variant of every game."""

import copy
import json
import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.test import api_test, seed_test

from spygames.core.batch import Batch
from spygames.core.game import NOBODY, Game, IllegalAction, ImpossibleState, flat, record
from tests.games import CHECKS, VARIANTS, Variant, mask_of, play, returns_of, sums_to_zero, view_of
from tests.transcript import SEEDS, digests

every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)
seeds = st.integers(0, 2**64 - 1)
LONGEST = 10_000  # decisions after which a game would count as endless
MALFORMED = [
    None,
    0.0,
    1.5,
    "0",
    b"",
    True,
    np.bool_(True),
    np.float32(1),
    np.zeros(1, np.int64),
    [0],
    (),
    {},
    -1,
    2**70,
]


def examples(number: int, *strategies: Any) -> Callable[[Callable[..., None]], Callable[[Variant], None]]:
    """Calls a test with a variant and values of `strategies` so many times, fewer for further variants."""

    def decorate(check: Callable[..., None]) -> Callable[[Variant], None]:
        def test(variant: Variant) -> None:
            @settings(max_examples=variant.examples(number))
            @given(st.tuples(*strategies))
            def several(values: tuple[Any, ...]) -> None:
                check(variant, *values)

            several()

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return decorate


def luck(seed: int) -> Any:
    """For `play`: uniform choices."""
    rng = np.random.default_rng(seed)
    return lambda n: int(rng.integers(n))


# ---------------------------------------------------------------- form


@every_variant
def test_pettingzoo_accepts_it(variant: Variant) -> None:
    known = ("reset options", "Observation space for each agent probably", "Observation is not a NumPy array")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(variant.env(), num_cycles=200)
        seed_test(variant.env, num_cycles=200)
    # The remaining ones are about observations with a mask, which that test knows of a list of its own games only.
    assert [str(w.message) for w in caught if not str(w.message).startswith(known)] == []


@every_variant
def test_gymnasium_accepts_single(variant: Variant) -> None:
    known = ("is not legal", "is -infinity", "is infinity", "Not able to test alternative render modes")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(variant.single_env(render_mode="ansi"))
    assert [str(w.message) for w in caught if not any(k in str(w.message) for k in known)] == []


@every_variant
def test_layouts(variant: Variant) -> None:
    game = variant.make_game()
    for dtype in (game.state_dtype, game.view_dtype, game.packed.dtype):
        assert _has_no_padding(dtype)
    assert not _has_no_padding(np.dtype([("a", np.int8), ("b", np.int64)], align=True))
    assert game.state_dtype["rng"] == np.uint64
    assert game.state_dtype["to_move"].kind == "i"
    assert {game.view_dtype[name].base for name in game.view_dtype.names or ()} == {np.dtype(np.float32)}
    assert json.loads(json.dumps(dict(game.options))) == dict(game.options)
    assert "random" in game.bots
    states = game.start(5)
    assert len(flat(view_of(game, record(states), 0))[0]) == game.num_features


def _has_no_padding(dtype: np.dtype) -> bool:
    base = dtype.base
    if base.names is None:
        return True
    return base.itemsize == sum(base[n].itemsize for n in base.names) and all(
        _has_no_padding(base[n]) for n in base.names
    )


# ---------------------------------------------------------------- play


@every_variant
@examples(25, seeds, st.integers(0, 2**32))
def test_random_play_keeps_invariants_and_ends(variant: Variant, seed: int, choices: int) -> None:
    game, choose = variant.make_game(), luck(choices)
    states = game.start(seed)
    s = record(states)
    decisions = 0
    while True:
        CHECKS[game.name](s)
        _reads_back(game, states)
        legal = np.flatnonzero(mask_of(game, s))
        if s.to_move == NOBODY:
            break
        assert legal.size
        assert 0 <= s.to_move < game.num_players
        assert not returns_of(game, s).any()
        texts = [game.action_to_string(game, s, int(a), int(s.to_move)) for a in legal]
        assert [game.string_to_action(game, s, text, int(s.to_move)) for text in texts] == legal.tolist()
        game.apply(s, int(legal[choose(len(legal))]))
        decisions += 1
        assert decisions < LONGEST
    assert not legal.size
    assert returns_of(game, s).any() or game.name != "agent_avenue"
    assert sums_to_zero(game, returns_of(game, s))


def _reads_back(game: Game, states: np.ndarray) -> None:
    """The state's mapping is JSON and reads back as the same bytes."""
    mapping = json.loads(json.dumps(game.state_to_dict(game, record(states))))
    again = game.new_states()
    game.state_from_dict(game, mapping, record(again))
    assert again.tobytes() == states.tobytes()


@every_variant
def test_checks_find_a_wrong_state(variant: Variant) -> None:
    """The invariants above are worth something: a changed state does not pass for a state of the game."""
    game = variant.make_game()
    start, caught = play(game, 3, luck(3), 1), 0
    for byte in range(8, start.view(np.uint8).size):
        states = start.copy()
        states.view(np.uint8)[byte] ^= 1
        try:
            CHECKS[game.name](record(states))
            _reads_back(game, states)
        except (AssertionError, ImpossibleState, LookupError):
            caught += 1
    assert caught > 0.5 * (start.view(np.uint8).size - 8)


@every_variant
def test_equal_seeds_equal_games(variant: Variant) -> None:
    """Byte for byte: batch, AEC environment and bare kernels, compiled and interpreted, also into used memory."""
    seeds = SEEDS[-variant.examples(len(SEEDS)) :]
    compiled = digests(variant.make_game(), seeds)
    assert compiled[0] == compiled[1] == compiled[2]
    arguments = variant.game_id, json.dumps(dict(variant.options)), json.dumps(seeds)
    program = [sys.executable, "-m", "tests.transcript", *arguments]
    run = subprocess.run(program, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == compiled


@every_variant
def test_seeds_matter(variant: Variant) -> None:
    game = variant.make_game()
    assert len({game.start(seed).tobytes() for seed in range(50)}) == 50


# ---------------------------------------------------------------- copies


def trace(env: Any, games: int = 2) -> Iterator[bytes]:
    """All that an environment shows from here on, over the end and into the next game."""
    step = 0
    while True:
        while env.agents:
            observation, reward, termination, truncation, info = env.last()
            shown = (env.agent_selection, env.agents, env.rewards, reward, termination, truncation)
            yield repr(shown).encode() + env.state().tobytes()
            yield observation["observation"].tobytes() + observation["action_mask"].tobytes()
            assert np.array_equal(info["action_mask"], observation["action_mask"])
            for agent, other in env.infos.items():
                assert agent == env.agent_selection or not other["action_mask"].any()
            legal = np.flatnonzero(info["action_mask"])
            env.step(None if termination or truncation else int(legal[step % len(legal)]))
            step += 1
        games -= 1
        if games == 0:
            return
        env.reset()


@every_variant
@examples(20, seeds, st.integers(0, 40), st.integers(0, 2**32))
def test_copies_replay(variant: Variant, seed: int, steps: int, choices: int) -> None:
    """Copied, cloned, pickled, saved and restored at any point, also while the dead are stepped."""
    env, choose = variant.env(), luck(choices)
    env.reset(seed=seed)
    for _ in range(steps):
        if not env.agents:
            break
        *_, termination, truncation, info = env.last()
        legal = np.flatnonzero(info["action_mask"])
        env.step(None if termination or truncation else int(legal[choose(len(legal))]))
    restored, saved = variant.env(), env.save()
    restored.restore(saved)
    copies = [copy.copy(env), copy.deepcopy(env), env.clone(), pickle.loads(pickle.dumps(env)), restored, env]
    traces = [list(trace(each)) for each in copies]  # one after the other: they share nothing
    assert all(t == traces[0] for t in traces)
    assert len(traces[0]) > 2
    env.restore(saved)
    assert list(trace(env)) == traces[0]


@every_variant
def test_restore_refuses(variant: Variant) -> None:
    env = variant.env()
    env.reset(seed=1)
    saved, before = env.save(), env.save()
    bad = [
        b"",
        b"x",
        saved[:-1],
        saved[:40],
        saved + b"x",
        saved[:-20] + bytes([saved[-20] ^ 1]) + saved[-19:],
        "x",
        None,
    ]
    for blob in bad:
        with pytest.raises(ValueError, match="saved"):
            env.restore(blob)
        assert env.save() == before


@every_variant
def test_what_users_hold_is_theirs(variant: Variant) -> None:
    """Arrays handed out never change afterwards, and changing them does nothing to the game."""
    one, other = variant.env(), variant.env()
    one.reset(seed=6)
    other.reset(seed=6)
    held = []
    while one.to_move != NOBODY:
        seen = [one.last() for _ in range(2)] + [other.last()]
        held += [(array, array.copy()) for array in seen[0][0].values()]
        action = int(np.flatnonzero(seen[0][4]["action_mask"])[-1])
        assert seen[2][0]["action_mask"][action]
        for values in (seen[2][0], {"info": seen[2][4]["action_mask"]}):
            for array in values.values():
                array[:] = 1 - array
        assert np.array_equal(seen[0][0]["observation"], one.observe(one.agent_selection)["observation"])
        one.step(action)
        other.step(action)
        assert one.save() == other.save()
    assert all(np.array_equal(array, then) for array, then in held)


# ---------------------------------------------------------------- no leak


def channels(game: Game, states: np.ndarray, seat: int) -> list[Any]:
    """All that a seat can reach: its view, its mask and the texts of its actions, who is to move, results and drawing.

    An environment adds nothing: observation, mask, info and view are these (`test_equal_seeds_equal_games`), rewards
    and terminations follow from the results.
    """
    s = record(states)
    asked = s.to_move == seat
    mask = mask_of(game, s) if asked else np.zeros(game.num_actions, np.int8)
    texts = [game.action_to_string(game, s, a, seat) for a in range(game.num_actions)]
    return [
        view_of(game, s, seat).tobytes(),
        mask.tobytes(),
        texts,
        int(s.to_move),
        returns_of(game, s).tobytes(),
        game.to_text(game, s, seat),
    ]


def check_no_leak(game: Game, states: np.ndarray, seat: int, seed: int) -> np.ndarray:
    """Redraws what `seat` cannot know; fails where a channel changes, or where what was true decides the redraw."""
    before = channels(game, states, seat)
    drawn = [states.copy() for _ in range(3)]
    for i, each in enumerate(drawn):
        game.determinize(record(each), seat, np.uint64(seed + i))
        assert channels(game, each, seat) == before
        CHECKS[game.name](record(each))
        _reads_back(game, each)
    for truth in drawn[1:]:
        game.determinize(record(truth), seat, np.uint64(seed))
        assert truth.tobytes() == drawn[0].tobytes()
    return drawn[0]


@every_variant
@examples(40, seeds, st.integers(0, 60), st.integers(0, 2**32))
def test_nothing_leaks(variant: Variant, seed: int, decisions: int, choices: int) -> None:
    game = variant.make_game()
    states = play(game, seed, luck(choices), decisions)
    for seat in range(game.num_players):
        check_no_leak(game, states, seat, choices)


@every_variant
def test_environments_add_no_channel(variant: Variant) -> None:
    """What an environment says to a seat, refusals included, is the same in all worlds that the seat can imagine."""
    game = variant.make_game()
    refused = 0
    for n in range(30):
        states = play(game, n, luck(n), n % 12)
        seat = int(record(states).to_move)
        if seat == NOBODY:
            continue
        redrawn = check_no_leak(game, states, seat, n)
        said = []
        for each in (states, redrawn):
            env = variant.env()
            env.reset(seed=0, options={"state": game.state_to_dict(game, record(each))})
            assert env.state().tobytes() == each.tobytes()
            agent = env.possible_agents[seat]
            answers = [env.view(agent).tobytes(), env.to_text(agent), repr(env.rewards), repr(env.terminations)]
            for action in np.flatnonzero(env.infos[agent]["action_mask"] == 0):
                with pytest.raises(IllegalAction) as error:
                    env.step(action)
                answers.append(str(error.value))
                refused += 1
            said.append(answers)
        assert said[0] == said[1]
    assert refused or game.name == "kuhn_poker"  # where everything is legal at all times


@every_variant
def test_the_leak_test_finds_leaks(variant: Variant) -> None:
    """One bit of the luck to come, in any channel, is found; and so are redraws that return or depend on the truth."""
    game = variant.make_game()

    def observe(s: Any, seat: int, view: Any) -> None:
        game.observe(s, seat, view)
        first = flat(np.asarray(view).reshape(1))
        first[0, 0] += np.float32(int(s.rng) % 2)

    def legal(s: Any, mask: np.ndarray) -> None:
        game.legal(s, mask)
        mask[0] ^= np.int8(int(s.rng) % 2)

    def determinize(s: Any, seat: int, seed: Any) -> None:
        truth = int(s.rng)
        game.determinize(s, seat, seed)
        s.rng = np.uint64(truth // 2 + int(seed) % 2)

    leaky = [
        replace(game, observe=observe),
        replace(game, legal=legal),
        replace(game, to_text=lambda game, s, viewer: str(s.rng)),
        replace(game, action_to_string=lambda game, s, action, seat: str(s.rng)),
        replace(game, determinize=determinize),
    ]
    for each in leaky:
        assert any(_leaks(each, play(game, n, luck(n), 1), n) for n in range(20))
    assert not any(_leaks(game, play(game, n, luck(n), 1), n) for n in range(20))


def _leaks(game: Game, states: np.ndarray, seed: int) -> bool:
    try:
        check_no_leak(game, states, int(record(states).to_move), seed)
    except AssertionError:
        return True
    return False


def differing(game: Game) -> int:
    """In how many of some positions redraws differ from each other in more than the luck to come."""
    count = 0
    for n in range(30):
        states = play(game, n, luck(n), n % 6)
        worlds = set()
        for seed in range(8):
            world = states.copy()
            game.determinize(record(world), 0, np.uint64(seed))
            world["rng"] = 0
            worlds.add(world.tobytes())
        count += len(worlds) > 1
    return count


@every_variant
def test_redraws_are_not_the_truth(variant: Variant) -> None:
    """What is hidden is redrawn at all (its distribution is tested with each game)."""
    game = variant.make_game()

    def truth(s: Any, seat: int, seed: Any) -> None:
        s.rng = seed

    assert differing(game) >= 10
    assert differing(replace(game, determinize=truth)) == 0


# ---------------------------------------------------------------- refusals


@every_variant
@examples(10, seeds, st.integers(0, 25))
def test_refused_actions_change_nothing(variant: Variant, seed: int, steps: int) -> None:
    env = variant.env()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset(seed=seed)
    for step in range(steps):
        mask = env.observe(env.agent_selection)["action_mask"]
        if not mask.any():
            break
        env.step(int(np.flatnonzero(mask)[step % mask.sum()]))
    before, shown = env.save(), repr((env.rewards, env.terminations, env.agent_selection, env.agents))
    over = env.to_move == NOBODY
    illegal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0).tolist()
    for action in [*MALFORMED, env.game.num_actions, *illegal]:
        if over and action is None:
            continue
        with pytest.raises(IllegalAction):
            env.step(action)
        assert env.save() == before
        assert repr((env.rewards, env.terminations, env.agent_selection, env.agents)) == shown
    assert list(trace(env))  # it goes on
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(None)


@every_variant
def test_refused_resets_change_nothing(variant: Variant) -> None:
    env = variant.env()
    env.reset(seed=4)
    before, position = env.save(), env.state_to_dict()
    for seed in (-1, 2**64, 1.0, "1", True):
        with pytest.raises(ValueError, match="seed must be"):
            env.reset(seed=seed)
    for mapping in ({}, [], "x", {**position, "nonsense": 1}, {**position, "to_move": 99}, {**position, "rng": -1}):
        with pytest.raises(ImpossibleState):
            env.reset(seed=9, options={"state": mapping})
    assert env.save() == before


@every_variant
def test_batch_refuses_and_stands_still(variant: Variant) -> None:
    game = variant.make_game()
    batch = Batch(game, 3, seed=2)
    before = batch.states.tobytes(), batch.observation.tobytes(), batch.mask.tobytes()
    legal = batch.mask.argmax(1)
    bad = [game.num_actions, -1, *np.flatnonzero(batch.mask[1] == 0)[:3]]
    for action in bad:
        with pytest.raises(IllegalAction):
            batch.step(np.array([legal[0], action, legal[2]]))
        assert (batch.states.tobytes(), batch.observation.tobytes(), batch.mask.tobytes()) == before
    batch.step(legal)
    assert batch.states.tobytes() != before[0]


@every_variant
@pytest.mark.parametrize("illegal", ["ignore", "raise"])
def test_single_refuses_and_stands_still(variant: Variant, illegal: str) -> None:
    env = variant.single_env(illegal=illegal)
    env.reset(seed=8)
    before = env.table.save()
    for action in [*MALFORMED, env.game.num_actions]:
        with pytest.raises(IllegalAction):
            env.step(action)
        assert env.table.save() == before
    for action in np.flatnonzero(~env.action_masks()):
        if illegal == "raise":
            with pytest.raises(IllegalAction):
                env.step(action)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                *_, reward, terminated, truncated, info = env.step(action)
            assert (reward, terminated, truncated) == (0.0, False, False)
            assert "not legal" in info["illegal_action"]
        assert env.table.save() == before
    env.step(int(env.action_masks().argmax()))
    assert env.table.save() != before
