"""Games in lockstep, beyond the contract test, which shows that they equal single games."""

import copy
import os
import pickle
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numba
import numpy as np
import pytest

from spygames import make_batch, make_game
from spygames.core.compiling import kernel as core_kernel
from spygames.core.compiling.kernel import Record, kernel
from spygames.core.game.game import NOBODY, IllegalAction, as_record
from spygames.core.game.rng import next_seed
from spygames.core.players.names import Scripted
from spygames.core.playing.batch import Batch, spread
from spygames.core.playing.rows import Rows
from spygames.core.playing.threads import shared
from tests.poker import kuhn

GAME = make_game("agent_avenue_v0")
N = 700


def step(batch: Batch, steps: int) -> None:
    for i in range(steps):
        batch.step(np.array([np.flatnonzero(mask)[i % mask.sum()] for mask in batch.mask]))


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_results_do_not_depend_on_threads(threads: int) -> None:
    one, many = Batch(GAME, N, 5, threads=1), Batch(GAME, N, 5, threads=threads)
    for _ in range(30):
        step(one, 1)
        step(many, 1)
        for name in ("states", "observation", "mask", "rewards", "done", "seeds"):
            assert getattr(one, name).tobytes() == getattr(many, name).tobytes()


def test_rows_differ_and_seeds_repeat() -> None:
    batch = Batch(GAME, N, 5)
    assert len({state.tobytes() for state in batch.states}) == N
    assert batch.states.tobytes() == Batch(GAME, N, 5).states.tobytes()
    assert batch.states.tobytes() != Batch(GAME, N, 6).states.tobytes()
    assert Batch(GAME, 2).states.tobytes() != Batch(GAME, 2).states.tobytes()
    assert batch.seeds.tolist() == spread(np.uint64(5), N).tolist()


def test_games_restart_automatically() -> None:
    batch = Batch(GAME, N, 5)
    ended = np.zeros(N, int)
    for _ in range(80):
        step(batch, 1)
        ended += batch.done
        assert (np.abs(batch.rewards).sum(1) > 0).tolist() == batch.done.tolist()
        assert not batch.rewards.sum(1).any()
        assert (batch.seats != NOBODY).all()
        assert (batch.states["turn"][batch.done] == 1).all()
        assert batch.mask.any(1).all()
    assert (ended > 0).all()


def test_callers_own_the_buffers() -> None:
    buffers = {
        "observation": np.zeros((N, GAME.num_features), np.float32),
        "mask": np.zeros((N, GAME.num_actions), np.int8),
        "rewards": np.zeros((N, 2), np.float32),
        "done": np.zeros(N, np.bool_),
    }
    batch = make_batch("agent_avenue_v0", N, seed=5, **buffers)
    for name, buffer in buffers.items():
        assert getattr(batch, name) is buffer
    step(batch, 40)
    assert all(buffer.any() for buffer in buffers.values())
    plain = Batch(GAME, N, 5)
    step(plain, 40)
    assert plain.observation.tobytes() == buffers["observation"].tobytes()


def test_write_to_replaces_the_buffers() -> None:
    """A trainer's rollout replaces them at each step: each is one row of a bigger array."""
    batch, plain = Batch(GAME, N, 5), Batch(GAME, N, 5)
    observations = np.zeros((3, N, GAME.num_features), np.float32)
    masks = np.zeros((3, N, GAME.num_actions), np.int8)
    for observation, mask in zip(observations, masks, strict=True):
        actions = batch.mask.argmax(1)
        batch.write_to(observation, mask)
        batch.step(actions)
        plain.step(actions)
        assert observation.tobytes() == plain.observation.tobytes()
        assert mask.tobytes() == plain.mask.tobytes()
        assert batch.observation is observation


def test_actions_may_be_any_integer_array() -> None:
    batches = [Batch(GAME, N, 1) for _ in range(6)]
    actions = batches[0].mask.argmax(1)
    read_only = actions.copy()
    read_only.flags.writeable = False
    askew = np.zeros(N * 8 + 1, np.uint8)[1:].view(np.int64)
    askew[:] = actions
    every_other = np.zeros(2 * N, np.int64)[::2]
    every_other[:] = actions
    for batch, each in zip(
        batches, (actions, read_only, askew, every_other, actions.astype(np.uint8), actions.astype(">i4")), strict=True
    ):
        batch.step(each)
        assert batch.states.tobytes() == batches[0].states.tobytes()


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="n must be an integer >= 1, not 0"):
        Batch(GAME, 0)
    with pytest.raises(ValueError, match="threads must be an integer >= 1, not 0"):
        Batch(GAME, 2, threads=0)
    strided = np.zeros((N, GAME.num_features * 2), np.float32)[:, ::2]
    askew = np.zeros(N * GAME.num_features * 4 + 1, np.uint8)[1:].view(np.float32).reshape(N, -1)
    read_only = np.zeros((N, GAME.num_features), np.float32)
    read_only.flags.writeable = False
    for wrong, given in (
        (np.zeros((N, 3), np.float32), rf"float32 of shape \({N}, 3\)"),
        (np.zeros((N, GAME.num_features)), "float64 of shape .*"),
        (strided, "float32 .*, strided"),
        (askew, "float32 .*, not aligned"),
        (read_only, "float32 .*, read-only"),
        ([[0.0]], r"\[\[0.0\]\]"),
    ):
        with pytest.raises(ValueError, match=rf"observation must be a writeable, .* float32 array of .*, not {given}$"):
            Batch(GAME, N, observation=wrong)  # type: ignore[arg-type]
    batch = Batch(GAME, 3, 1)
    for streams in (np.zeros(3, np.uint64), np.zeros((3, 1), np.int64), np.zeros((1, 1), np.uint64)):
        with pytest.raises(ValueError, match=r"^rng must be a writeable, .* uint64 array of shape \(3, 1\), not "):
            batch.decisions(streams, np.arange(3))
    for malformed in (
        np.zeros(2, int),
        np.zeros((3, 1), int),
        batch.mask.argmax(1) + 0.5,
        np.zeros(3, bool),
        [None] * 3,
    ):
        with pytest.raises(IllegalAction, match="actions must be integers of shape"):
            batch.step(np.asarray(malformed))
    with pytest.raises(IllegalAction, match="action 99 is not legal for seat 0 in game 1"):
        batch.step(np.array([batch.mask[0].argmax(), 99, batch.mask[2].argmax()]))


def test_reset_takes_one_seed_per_game() -> None:
    batch = Batch(GAME, 3, 1)
    batch.reset(seeds=np.array([7, 8, 2**64 - 1], np.uint64))
    for state, seed in zip(batch.states, (7, 8, 2**64 - 1), strict=True):
        assert state.tobytes() == GAME.start(seed).tobytes()
    with pytest.raises(ValueError, match=r"seeds must be .*\(3,\), not .*\(2,\)"):
        batch.reset(seeds=np.zeros(2, np.uint64))


def test_writing_into_the_mask_cannot_make_an_action_legal() -> None:
    mask = np.zeros((N, GAME.num_actions), np.int8)
    batch = Batch(GAME, N, 5, mask=mask)
    bad = np.array([np.flatnonzero(row == 0)[0] for row in mask])
    states = batch.states.tobytes()
    mask[:] = 1
    with pytest.raises(IllegalAction, match=r"action .* is not legal for seat 0"):
        batch.step(bad)
    assert batch.states.tobytes() == states


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, lambda b: pickle.loads(pickle.dumps(b))])
def test_copies_continue_equally_and_independently(copied: Callable[[Batch], Batch], threads: int) -> None:
    batch = Batch(GAME, N, 5, threads=threads)
    step(batch, 9)
    other = copied(batch)
    assert np.shares_memory(other.views, other.observation)
    for _ in range(20):
        before = other.states.tobytes()
        step(batch, 1)
        assert other.states.tobytes() == before
        step(other, 1)
        for name in ("states", "observation", "mask", "rewards", "done", "seeds"):
            assert getattr(batch, name).tobytes() == getattr(other, name).tobytes()
    batch.reset()
    other.reset()
    assert batch.states.tobytes() == other.states.tobytes()


def test_new_buffers_keep_the_values_of_games_that_do_not_change() -> None:
    batch, other = Batch(GAME, 3, 5), Batch(GAME, 3, 5)
    saved = batch.save()
    for change in (
        lambda games: games.begin(np.array([1])),
        lambda games: games.advance(np.array([0, 2]), games.mask.argmax(1), games.seats.copy()),
        lambda games: games.begin(games.all),
        lambda games: games.look(np.array([2]), np.zeros(3, np.int8)),
        lambda games: games.restore(saved, np.zeros(3, np.int8)),
    ):
        observation, mask = np.full_like(batch.observation, 7), np.full_like(batch.mask, 7)
        batch.write_to(observation, mask)
        change(batch)
        change(other)
        assert batch.observation is observation
        assert (observation.tobytes(), mask.tobytes()) == (other.observation.tobytes(), other.mask.tobytes())
        step(batch, 1)
        step(other, 1)


def test_a_new_mask_alone_is_a_new_buffer() -> None:
    batch, other = Batch(GAME, 3, 5), Batch(GAME, 3, 5)
    mask = np.full_like(batch.mask, 7)
    batch.write_to(batch.observation, mask)
    for games in (batch, other):
        games.begin(np.array([1]))
    assert batch.mask is mask
    assert mask.tobytes() == other.mask.tobytes()


def test_new_and_resumed_games_have_no_results() -> None:
    batch = Batch(kuhn.make_game(), 4, 5)
    for begin in (lambda: batch.reset(1), lambda: batch.resume(batch.states.copy(), batch.seeds.copy())):
        for _ in range(2):  # both seats pass
            batch.step(np.zeros(4, np.int64))
        assert batch.done.all()
        assert batch.rewards.all()
        begin()
        assert not batch.done.any()
        assert not batch.rewards.any()


def test_resume_continues_games() -> None:
    batch, other = Batch(GAME, N, 5), Batch(GAME, N, 6)
    step(batch, 9)
    other.resume(batch.states, batch.seeds)
    for _ in range(20):
        for name in ("states", "observation", "mask", "seeds"):
            assert getattr(batch, name).tobytes() == getattr(other, name).tobytes()
        step(batch, 1)
        step(other, 1)


def test_a_batch_tells_games_that_were_cut_off() -> None:
    for turns, truncated in ((1, True), (2000, False)):
        game = make_game("agent_dog_v0", players=2, max_turns=turns)
        batch = Batch(game, 3, 5)
        while not batch.done.any():
            batch.step(batch.mask.argmax(1))
        assert (batch.cut_off == (batch.done & truncated)).all()
        batch.resume(batch.states.copy(), batch.seeds.copy())
        assert not batch.cut_off.any()


def test_games_with_another_end_are_other_games() -> None:
    """Compiled loops are shared by equal games, so equal games must agree about it."""
    game = make_game("agent_dog_v0", players=2, max_turns=1)
    other = replace(game, truncated=None)
    assert game != other
    for each, cut_off in ((game, True), (other, False)):
        rows = Rows(each, 2, 1)
        while not rows.done.any():
            rows.advance(rows.all, rows.mask.argmax(1), np.zeros(2, np.int8))
        assert rows.cut_off.any() == cut_off


@kernel
def init_without_zeros(s: Record, options: Record, seed: np.uint64) -> None:
    """Initialize Kuhn poker, relying on a zeroed state where a new game has zeros."""
    s.rng = seed
    s.cards[1] = 1 + seed % 2


def test_games_start_on_zeroed_states() -> None:
    game = replace(kuhn.make_game(), init=init_without_zeros)
    batch = Batch(game, 5, 1)
    ended = np.zeros(5, int)
    for _ in range(12):
        batch.step(batch.mask.argmax(1))
        ended += batch.done
        for row in np.flatnonzero(batch.done):
            assert batch.states[row].tobytes() == game.start(batch.seeds[row]).tobytes()
    assert ended.min() > 2
    step(batch, 1)
    batch.reset(seed=7)
    assert [state.tobytes() for state in batch.states] == [game.start(seed).tobytes() for seed in batch.seeds]


def test_resume_refuses_impossible_and_finished_games() -> None:
    game = kuhn.make_game()
    batch, other = Batch(game, 4, 5), Batch(game, 4, 6)
    before = batch.states.tobytes(), batch.seeds.tobytes(), batch.observation.tobytes()
    states = other.states.copy()
    states["cards"][2] = 1  # both hands have the same card
    with pytest.raises(ValueError, match="row 2 of states must be a position of kuhn_poker_v0"):
        batch.resume(states, other.seeds)
    over = other.states.copy()
    for _ in range(2):
        game.apply(as_record(over, 3), kuhn.PASS)
    for checked in (False, True):
        with pytest.raises(ValueError, match="row 3 of states must be a running game"):
            batch.resume(over, other.seeds, checked=checked)
    with pytest.raises(ValueError, match="row 0 of states must be a running game"):
        batch.begin(np.array([1]), states=over[3:])
    assert (batch.states.tobytes(), batch.seeds.tobytes(), batch.observation.tobytes()) == before
    batch.resume(states, other.seeds, checked=True)
    assert batch.states.tobytes() == states.tobytes()


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")  # type: ignore[attr-defined]
def test_one_line_reports_that_a_variant_is_compiled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def use(table: int) -> None:
        """Call loops of every kind for a variant that has used none of them in this process."""
        monkeypatch.setattr(core_kernel, "_bound", {})
        monkeypatch.setattr(core_kernel, "_announced", set())
        game = replace(kuhn.make_game(), options={"table": table})
        player = Scripted(game, "random")
        assert capsys.readouterr().err == ""  # no loop was called yet
        for threads in (1, 2):
            batch = Batch(game, 2, 1, threads=threads)
            player.act(batch.decisions(np.zeros((2, 1), np.uint64), np.arange(2)))
            batch.step(np.zeros(2, int))
            batch.observe_all(np.zeros((2, 2, game.num_features), np.float32))

    use(0)
    capsys.readouterr()
    use(1)  # everything is cached on disk by now
    assert capsys.readouterr().err == ""

    monkeypatch.setattr(core_kernel, "is_cached", lambda function: False)
    monkeypatch.setattr(core_kernel.LinkedKernel, "has_part", lambda self: False)
    monkeypatch.setattr(core_kernel, "_SECONDS_A_BYTE", 1.0)
    use(2)
    line = r"spygames: compiling kuhn_poker_v0, table=2 \(scripted players, batches\) to machine code: about (\d+) s "
    line += r"of one core, once on this machine, since the result is kept \.\.\.\n"
    match = re.fullmatch(line, capsys.readouterr().err)
    assert match is not None
    # The first loop called is that of `init`; the line counts everything that was bound with it.
    called: list[Any] = [kuhn.init, kuhn.legal, kuhn.apply, kuhn.returns, kuhn.observe]
    assert int(match[1]) > sum(len(kernel.py_func.__code__.co_code) for kernel in called)


def test_reset_without_a_seed_continues_the_chain_of_seeds() -> None:
    batch = Batch(GAME, N, 5)
    expected = [next_seed(seed) for seed in batch.seeds]
    batch.reset()
    assert batch.seeds.tolist() == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_can_step() -> None:
    batch = Batch(GAME, N, 5, threads=2)
    step(batch, 1)
    child = os.fork()
    if child == 0:
        step(batch, 3)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0


@pytest.mark.parametrize("seeds", [[-1] * N, [1.5] * N, [2**64] * N, [True] * N, [1, 2]])
def test_invalid_seeds_are_refused(seeds: list) -> None:
    batch = Batch(GAME, N, 5)
    before = batch.states.tobytes()
    with pytest.raises(ValueError, match=r"seeds? must be .*, not"):
        batch.reset(seeds=seeds)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="seed and seeds must not both"):
        batch.reset(3, seeds=np.arange(N))
    assert batch.states.tobytes() == before


@pytest.mark.parametrize("n", [0, -1, 2.5, None])
def test_an_invalid_number_of_games_is_refused(n: Any) -> None:
    with pytest.raises(ValueError, match="n must be an integer >= 1, not"):
        Batch(GAME, n, 5)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_number_of_games_of_another_type_changes_no_later_batch(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first batch of a process decides for which types the loops are compiled."""
    numbers: tuple[Any, ...] = np.int8(4), 300
    one, many = (Batch(GAME, n, 5, threads=threads) for n in numbers)
    for loop in (one._step_loop, shared(one._step_loop)):
        monkeypatch.setattr(loop, "_entry", None, raising=False)
    step(one, 1)
    step(many, 1)
    assert (many.states != Batch(GAME, 300, 5).states).all()


def test_variants_with_the_same_kernels_have_separate_thread_loops() -> None:
    """The loop for threads is compiled per layout, even for games with the same kernels."""
    for options in ({}, {"players": 3}):
        one, two = (Batch(make_game("agent_avenue_v0", **options), 8, seed=1, threads=threads) for threads in (1, 2))
        assert one.states.tobytes() == two.states.tobytes()
        assert one.observation.tobytes() == two.observation.tobytes()


def test_new_games_are_not_cut_off() -> None:
    batch = Batch(make_game("agent_dog_v0", players=2, max_turns=1), 2, 5)
    while not batch.cut_off.all():
        batch.step(batch.mask.argmax(1))
    batch.reset(1)
    assert not batch.cut_off.any()
