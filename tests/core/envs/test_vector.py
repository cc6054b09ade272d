"""One seat of many games as a Gymnasium vector environment, whose rows equal single environments."""

import contextlib
import copy
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as wrappers

import spygames
from spygames.core.envs import vector
from spygames.core.envs.single_seat import SingleEnv
from spygames.core.envs.vector import SeatVectorEnv
from spygames.core.game.game import Game, IllegalAction
from spygames.core.pictures.render import draw
from spygames.core.players.player import DecisionBatch
from tests.poker import kuhn
from tests.support import pennies, recall

GAME = spygames.make_game("agent_avenue_v0")
NEXT, SAME, OFF = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED


def both(game: Game, n: int, mode: AutoresetMode = NEXT, **options: Any) -> tuple[SeatVectorEnv, SyncVectorEnv]:
    """Return our vector environment of `n` games, and Gymnasium's vector of single environments."""
    ours = SeatVectorEnv(game, n, autoreset_mode=mode, **options)
    return ours, SyncVectorEnv([lambda: SingleEnv(game, **options)] * n, autoreset_mode=mode)


def assert_same(ours: Any, theirs: Any, over: np.ndarray | None = None) -> None:
    """Check for equal values and types. `over`: rows in which any action is accepted, where our mask is all ones."""
    ours, theirs = copy.deepcopy(ours), copy.deepcopy(theirs)
    if over is not None and over.any():
        assert (ours[-1]["action_mask"][over] == 1).all()
        assert (theirs[-1]["action_mask"][over] == 0).all()
        theirs[-1]["action_mask"][over] = 1
    assert ours[-1].keys() == theirs[-1].keys()
    assert data_equivalence(ours, theirs, exact=True), (ours, theirs)


def legal(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a legal action per row."""
    return (masks * (0.5 + rng.random(masks.shape))).argmax(axis=1)


class Counter:
    """A player whose action depends on its memory, a count of its decisions, and on the number of notes."""

    name, memory_size, notes_size = "counter", 1, 3

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """Return a legal action per row."""
        d, chosen = decisions, []
        assert d.memory is not None
        assert d.notes is not None
        for row in d.rows.tolist():
            d.memory[row, d.states["to_move"][row], 0] += 1
            number = int(d.memory[row, d.states["to_move"][row], 0] + d.notes.count[row])
            legal = np.flatnonzero(d.mask[row])
            chosen.append(legal[number % len(legal)])
        return np.array(chosen)


MEETINGS: list[Any] = [
    (GAME, {"opponents": "greedy"}),
    (GAME, {"opponents": ["mcts:4"], "seat": 1}),
    pytest.param(
        spygames.make_game("agent_avenue_v0", players=3),
        {"opponents": ["random", "greedy"], "illegal": "random"},
        marks=pytest.mark.slow,
    ),
    (GAME, {"opponents": Counter()}),
    (kuhn.make_game(), {"seat": "random"}),
    (recall.make_game(), {"illegal": "lose"}),
]


@pytest.mark.filterwarnings("ignore:action")
@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize(("game", "options"), MEETINGS, ids=lambda x: getattr(x, "id", None))
def test_rows_equal_single_environments(game: Game, options: dict[str, Any], mode: AutoresetMode) -> None:
    n, rng, ended = 5, np.random.default_rng(3), 0
    ours, theirs = both(game, n, mode, **options)
    assert ours.action_space == theirs.action_space
    assert ours.observation_space == theirs.observation_space
    assert ours.single_action_space == theirs.single_action_space
    assert_same(ours.reset(seed=7), theirs.reset(seed=7))
    masks = ours.action_masks()
    for step in range(100):
        actions = legal(masks, rng)
        if step % 4 == 0:
            actions[rng.integers(n)] = rng.integers(game.num_actions)  # perhaps illegal
        found, expected = ours.step(actions), theirs.step(actions)
        over = found[2] | found[3]
        assert_same(found, expected, over if mode is NEXT else None)
        ended += over.sum()
        if mode is OFF and over.any():
            assert_same(
                ours.reset(options={"reset_mask": over.copy()}), theirs.reset(options={"reset_mask": over.copy()})
            )
        masks = ours.action_masks()
        assert masks.any(axis=1).all()
    assert ended > 2 * n
    assert_same(ours.reset(seed=[5, None, 2**64 - 1, None, 0]), theirs.reset(seed=[5, None, 2**64 - 1, None, 0]))
    assert_same(ours.reset(), theirs.reset())


@pytest.mark.filterwarnings("ignore:action")
@pytest.mark.parametrize("mode", AutoresetMode)
def test_max_episode_steps_is_as_in_gymnasium(mode: AutoresetMode) -> None:
    name = "spygames/AgentAvenue-v0"
    limit: dict[str, Any] = {"max_episode_steps": 3}
    rng, cut_off, n = np.random.default_rng(3), 0, 4
    ours = gymnasium.make_vec(name, n, opponents="greedy", autoreset_mode=mode, **limit)
    given = {"autoreset_mode": mode}
    theirs = gymnasium.make_vec(name, n, "sync", vector_kwargs=given, opponents="greedy", **limit)
    found, expected = ours.reset(seed=7), theirs.reset(seed=7)
    for step in range(40):
        masks = found[-1]["action_mask"]
        assert np.array_equal(masks.any(axis=1), np.ones(n))
        actions = legal(masks, rng)
        if step % 4 == 0:
            actions[rng.integers(n)] = rng.integers(GAME.num_actions)  # perhaps illegal, which also counts as a step
        found, expected = ours.step(actions), theirs.step(actions)
        over = found[2] | found[3]
        cut_off += found[3].sum()
        # Gymnasium's mask does not show that a game was cut off; ours is the usual mask of a finished game.
        for infos in (found[-1], expected[-1]):
            for each in (infos, infos.get("final_info", {})):
                if "action_mask" in each and (mode is not SAME or each is not infos):
                    each["action_mask"][over] = 1
        assert_same(found, expected)
        if mode is OFF and over.any():
            again = {"reset_mask": over}
            found, expected = ours.reset(options=dict(again)), theirs.reset(options=dict(again))
            assert_same(found, expected)
            found[-1]["action_mask"][:] = ours.action_masks()  # type: ignore[attr-defined]
    assert cut_off > 10


@pytest.mark.filterwarnings("ignore:action")
@pytest.mark.parametrize("mode", AutoresetMode)
def test_ignored_actions_count_from_the_beginning_of_a_game(mode: AutoresetMode) -> None:
    ours, theirs = both(GAME, 2, mode, max_ignored=2)
    ours.reset(seed=7)
    theirs.reset(seed=7)
    cut_off = 0
    for _ in range(7):
        actions = ours.action_masks().argmin(axis=1)  # illegal, except where a new game begins
        found, expected = ours.step(actions), theirs.step(actions)
        assert_same(found, expected, found[3] if mode is NEXT else None)
        cut_off += found[3].sum()
        if mode is OFF and found[3].any():
            again = {"reset_mask": found[3]}
            assert_same(ours.reset(options=dict(again)), theirs.reset(options=dict(again)))
    assert cut_off >= 4
    assert ours._ignored.tolist() == [1, 1]
    assert_same(ours.reset(seed=8), theirs.reset(seed=8))
    actions = ours.action_masks().argmin(axis=1)
    assert_same(ours.step(actions), theirs.step(actions))


@pytest.mark.parametrize("steps", [0, -2, True, 2.0, "3"])
def test_an_invalid_max_episode_steps_is_refused(steps: Any) -> None:
    with pytest.raises(ValueError, match="max_episode_steps must be an integer >= 1, not"):
        SeatVectorEnv(GAME, 2, max_episode_steps=steps)
    assert SeatVectorEnv(GAME, 2, max_episode_steps=-1).max_episode_steps is None


def test_reset_options_set_the_position_and_the_seat() -> None:
    aec = spygames.agent_avenue_v0.env()
    aec.reset(seed=3)
    aec.step(int(aec.infos["player_0"]["action_mask"].nonzero()[0][-1]))
    state = aec.state_to_dict()
    ours, theirs = both(GAME, 3, opponents="greedy")
    for options in ({"state": state, "seat": 1}, {"seat": "player_0"}, {"state": {**state, "rng": None}, "seat": 1}):
        assert_same(ours.reset(seed=4, options=options), theirs.reset(seed=4, options=dict(options)))
        singles: Any = theirs.envs
        assert [each.tobytes() for each in ours.games.states] == [each.env.state().tobytes() for each in singles]
        assert_same(ours.reset(), theirs.reset())
    with pytest.warns(UserWarning, match=r"options \['sate'\] are ignored; known: state, seat, reset_mask"):
        ours.reset(options={"sate": {}})


def test_make_vec_makes_it() -> None:
    made = gymnasium.make_vec(
        "spygames/AgentAvenue-v0",
        4,
        "vector_entry_point",
        opponents="greedy",
        first_player=1,
        autoreset_mode="SameStep",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        by_default = gymnasium.make_vec("spygames/AgentAvenue-v0", num_envs=2)
    assert isinstance(made, SeatVectorEnv)
    assert isinstance(by_default, SeatVectorEnv)
    assert made.metadata["autoreset_mode"] is SAME
    assert by_default.metadata["autoreset_mode"] is NEXT
    assert made.game.options["first_player"] == 1
    assert made.reset(seed=1)[0].shape == (4, made.game.num_features)
    made.close()


def test_the_entry_point_passes_all_arguments_on() -> None:
    made = spygames.agent_avenue_v0.vector_env(
        num_envs=3, opponents="greedy", seat=1, illegal="lose", render_mode="ansi", max_ignored=4,
        autoreset_mode="Disabled", max_episode_steps=5, first_player=1,
    )  # fmt: skip
    assert (made.num_envs, made.illegal, made.render_mode, made.max_ignored) == (3, "lose", "ansi", 4)
    assert (made.autoreset_mode, made.max_episode_steps) == (OFF, 5)
    assert made.game.options["first_player"] == 1
    assert made.reset(seed=1)[1]["seat"].tolist() == [1, 1, 1]


def test_the_prefix_of_an_id_imports_the_games_without_torch() -> None:
    code = """if True:
        import sys, gymnasium
        gymnasium.make("spygames:spygames/AgentAvenue-v0").reset(seed=1)
        gymnasium.make_vec("spygames/AgentAvenue-v0", num_envs=2).reset(seed=1)
        assert "torch" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", code], check=True)


def test_gymnasiums_wrappers_accept_it() -> None:
    rng = np.random.default_rng(0)
    env = wrappers.DictInfoToList(wrappers.RecordEpisodeStatistics(SeatVectorEnv(GAME, 6)))
    observations, infos = env.reset(seed=2)
    lengths: list[int] = []
    for _ in range(60):
        masks = np.array([info["action_mask"] for info in infos])
        observations, _, terminations, _, infos = env.step(legal(masks, rng))
        lengths += [int(info["episode"]["l"]) for info, end in zip(infos, terminations, strict=True) if end]
    assert len(lengths) > 6
    assert min(lengths) > 1
    assert observations.dtype == np.float32


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_continue_equally(again: Callable[[SeatVectorEnv], SeatVectorEnv]) -> None:
    env, rng = SeatVectorEnv(GAME, 4, "greedy"), np.random.default_rng(5)
    _, infos = env.reset(seed=1)
    for _ in range(20):
        *_, infos = env.step(legal(infos["action_mask"], rng))
    twin = again(env)
    for _ in range(60):
        actions = legal(infos["action_mask"], rng)
        found = env.step(actions)
        assert data_equivalence(found, twin.step(actions), exact=True)
        infos = found[-1]


class Faulty:
    """A player that takes the first legal action, until it fails."""

    name, fails = "faulty", False

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """Return the first legal action per row."""
        if self.fails:
            raise ZeroDivisionError("a fault")
        return decisions.mask[decisions.rows].argmax(axis=1)


@pytest.mark.parametrize("mode", [NEXT, SAME])
def test_a_step_or_reset_that_fails_changes_nothing(mode: AutoresetMode) -> None:
    player, rng = Faulty(), np.random.default_rng(1)
    limit: dict[str, Any] = {"autoreset_mode": mode, "max_episode_steps": 9}
    env, twin = (SeatVectorEnv(GAME, 5, who, **limit) for who in (player, Faulty()))
    infos = env.reset(seed=3)[1]
    twin.reset(seed=3)
    failed = 0
    for step in range(120):
        actions = legal(infos["action_mask"], rng)
        found = None
        if step % 3 == 0:
            player.fails = True
            with contextlib.suppress(ZeroDivisionError):
                found = env.step(actions)
            player.fails = False
            failed += found is None
        found = found or env.step(actions)
        assert data_equivalence(found, twin.step(actions), exact=True)
        infos = found[-1]
        if step % 30 == 0 or (found[2] | found[3]).any():
            player.fails = True
            calls: list[dict[str, Any]] = [{"seed": 8, "options": {"seat": 1}}, {"options": {"seat": 1}}]
            for options in calls:
                with pytest.raises(ZeroDivisionError):
                    env.reset(**options)
            player.fails = False
        if step % 30 == 0:
            found = env.reset(seed=[None, 1, None, 2, None])
            assert data_equivalence(found, twin.reset(seed=[None, 1, None, 2, None]), exact=True)
            infos = found[-1]
    assert failed > 20


@pytest.mark.filterwarnings("ignore:action")
def test_a_step_that_fails_keeps_the_number_of_ignored_actions() -> None:
    player = Faulty()
    env = SeatVectorEnv(GAME, 2, player, seat=0, max_ignored=2)
    masks = env.reset(seed=3)[1]["action_mask"]
    env.step(masks.argmin(axis=1))
    player.fails = True
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            env.step(np.array([masks[0].argmin(), np.flatnonzero(masks[1])[-1]]))
    assert env.step(masks.argmin(axis=1))[-1]["ignored"].tolist() == [2, 2]


def test_callers_own_what_they_get() -> None:
    env = SeatVectorEnv(GAME, 3, "greedy", illegal="raise")
    observations, infos = env.reset(seed=[1, 2, 3])
    again, _ = env.reset(seed=np.array([1, 2, 3]))  # pyright: ignore[reportArgumentType]
    assert observations.tobytes() == again.tobytes()
    for _ in range(3):
        kept, masks = observations.copy(), infos["action_mask"].copy()
        infos["action_mask"][:] = 1
        assert np.array_equal(env.action_masks(), masks == 1)
        with pytest.raises(IllegalAction):
            env.step(masks.argmin(axis=1))
        found, *_, infos = env.step(masks.argmax(axis=1))
        assert observations.tobytes() == kept.tobytes() != found.tobytes()
        observations = found


def test_a_seed_seeds_the_generator_of_wrappers() -> None:
    env = SeatVectorEnv(GAME, 2)
    env.reset(seed=5)
    assert env.np_random.integers(2**62) == np.random.default_rng(5).integers(2**62)


def test_a_warning_that_is_an_error_changes_nothing() -> None:
    env = SeatVectorEnv(GAME, 2, "greedy", max_episode_steps=3)
    masks = env.reset(seed=1)[1]["action_mask"]
    twin = copy.deepcopy(env)
    actions = np.array([masks[0].argmin(), masks[1].argmax()])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="was ignored"):
            env.step(actions)
        found = env.step(actions)  # only the first one warns
    with pytest.warns(UserWarning, match="was ignored"):
        assert_same(found, twin.step(actions))
    assert env.games.states.tobytes() == twin.games.states.tobytes()


def test_invalid_input_raises_and_changes_nothing() -> None:
    env = SeatVectorEnv(GAME, 3, illegal="raise", autoreset_mode=OFF)
    with pytest.raises(ResetNeeded, match="no game has begun"):
        env.step(np.zeros(3, np.int64))
    for call in (env.action_masks, SeatVectorEnv(GAME, 3, render_mode="ansi").render):
        with pytest.raises(ResetNeeded, match="no game has begun"):
            call()
    with pytest.raises(ResetNeeded, match="without a reset_mask first"):
        env.reset(options={"reset_mask": np.array([True, False, False])})
    _, infos = env.reset(seed=1)
    states = env.games.states.copy()
    good = infos["action_mask"].argmax(axis=1)
    illegal = int(infos["action_mask"][1].argmin())
    bad = [
        (np.array([0, 0]), r"integers of shape \(3,\), not int64 of shape \(2,\)"),
        (good.astype(float), "not float64"),
        (np.array([*good[:2], 999]), r"^row 2: action must be 0\.\.73, not 999$"),
        (np.array([-1, *good[1:]]), r"^row 0: action must be 0\.\.73, not -1$"),
        (
            np.array([good[0], illegal, good[2]]),
            rf"^row 1: action {illegal} \('[a-z_ ]*'\) is not legal: you .* \(AA-\d+\); legal for player_\d: ",
        ),
    ]
    for actions, message in bad:
        with pytest.raises(IllegalAction, match=message):
            env.step(actions)
    for seed in (-1, 2**64 - 1, "1", [1, 2], 1.5):
        with pytest.raises(ValueError, match="seed must be"):
            env.reset(seed=seed)  # type: ignore[arg-type]
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"reset_mask": [True] * 3}, "reset_mask must"),
        ({"reset_mask": np.zeros(3, bool)}, "reset_mask must"),
        ({"seat": 2}, "seat must be"),
        ({"state": {}}, "the state lacks"),
    ]
    for options, message in wrong:
        with pytest.raises(ValueError, match=message):
            env.reset(options=options)
    with pytest.raises(ValueError, match=r"autoreset_mode must be one of .*'Disabled', not 'now'"):
        SeatVectorEnv(GAME, 3, autoreset_mode="now")
    with pytest.raises(ValueError, match="num_envs must be an integer >= 1, not 0"):
        SeatVectorEnv(GAME, 0)
    for given in (5, "x", [], {"seat"}):
        with pytest.raises(ValueError, match="reset options must be a mapping such as"):
            env.reset(options=given)  # type: ignore[arg-type]
    np.testing.assert_array_equal(env.games.states, states)
    over = np.zeros(3, bool)
    rng = np.random.default_rng(0)
    while not over.any():
        *_, over, _, infos = env.step(legal(infos["action_mask"], rng))
    assert not infos["action_mask"][over].any()
    with pytest.raises(ResetNeeded, match=r"row \d is over"):
        env.step(good)


def test_a_position_without_a_decision_is_refused() -> None:
    aec = spygames.agent_avenue_v0.env()
    aec.reset(seed=1)
    while aec.to_move >= 0:
        aec.step(int(aec.infos[aec.agent_selection]["action_mask"].argmax()))
    env = SeatVectorEnv(GAME, 2)
    env.reset(seed=1)
    states = env.games.states.copy()
    with pytest.raises(ValueError, match="has no decision from this state on"):
        env.reset(options={"state": aec.state_to_dict()})
    np.testing.assert_array_equal(env.games.states, states)


def test_render_shows_the_view_of_each_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = both(GAME, 3, render_mode="ansi")
    ours.reset(seed=1)
    theirs.reset(seed=1)
    assert ours.render() == theirs.render()
    pictures = SeatVectorEnv(GAME, 2, render_mode="rgb_array")
    pictures.reset(seed=1)
    assert [picture.shape for picture in pictures.render() or ()] == [(600, 800, 3)] * 2  # type: ignore[union-attr]
    pictures.reset(seed=1, options={"seat": 1})
    monkeypatch.setattr(vector, "pixels", lambda picture: picture)
    assert pictures.render() == tuple(draw(GAME, pictures.games.states[i : i + 1], 1) for i in range(2))
    assert SeatVectorEnv(GAME, 2).render() is None


def test_only_successive_games_without_a_decision_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """A seat that has no decision in half of its games plays on for ever."""
    monkeypatch.setattr(vector, "MAX_STARTS", 20)
    env = SeatVectorEnv(pennies.make_game(), 2, "random", seat=1)
    env.reset(seed=1)
    for _ in range(150):
        env.step(np.zeros(2, np.int64))
