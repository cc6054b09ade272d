"""One seat of a game as a Gymnasium environment."""

import copy
import pickle
import traceback
import warnings
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import spygames
from spygames.core.envs.aec import GameEnv
from spygames.core.envs.single_seat import SingleEnv
from spygames.core.game.game import NOBODY, IllegalAction, ImpossibleState, as_record
from spygames.core.players.names import DecisionBatch
from spygames.core.players.player import PlayerTooSlow
from spygames.core.playing.session import ROW


def make(**options: Any) -> SingleEnv:
    env = gymnasium.make("spygames/AgentAvenue-v0", **options).unwrapped
    assert isinstance(env, SingleEnv)
    return env


def play(env: SingleEnv, seed: int | None = None, choices: int = 0) -> list[bytes]:
    """Play a game of random decisions; return the observations, the seat and the rewards."""
    rng = np.random.default_rng(choices)
    observation, info = env.reset(seed=seed)
    seen, terminated, reward = [observation.tobytes(), bytes([info["seat"]])], False, 0.0
    while not terminated:
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        observation, reward, terminated, truncated, info = env.step(action)
        assert not truncated
        assert terminated == bool(reward)
        assert terminated != info["action_mask"].any()
        seen += [observation.tobytes(), np.float32(reward).tobytes()]
    assert reward in (-1, 1)
    return seen


def test_equal_seeds_give_equal_games() -> None:
    """This includes the opponents' random stream, the seat, and the games that follow."""
    one, other = make(opponents="random"), make(opponents="random")
    for seed in (3, None, None, 3, None):
        assert play(one, seed) == play(other, seed)
    assert play(one, 3) != play(one, 4)
    assert play(one, 3) == play(other, 3)


@pytest.mark.parametrize("opponents", ["random", "greedy", "mcts:3"])
def test_copies_continue_equally(opponents: str) -> None:
    env = make(opponents=opponents)
    env.reset(seed=3)
    env.step(int(env.action_masks().argmax()))
    ends = []
    for each in (copy.copy(env), copy.deepcopy(env), pickle.loads(pickle.dumps(env)), env):
        terminated = False
        while not terminated:
            *_, terminated, _, _ = each.step(int(each.action_masks().argmax()))
        ends.append((each.env.save(), each.reset()[0].tobytes()))
    assert ends[0] == ends[1] == ends[2] == ends[3]


def test_environments_have_their_own_random_stream() -> None:
    """Streams depend on the seed alone, neither on Gymnasium's generator nor on the chosen seat."""
    envs = [make(opponents="random", seat=seat) for seat in ("random", 0, 1)]
    for env in envs:
        env.reset(seed=3)
        assert env.np_random.integers(2**62) == np.random.default_rng(3).integers(2**62)
    for _ in range(3):
        assert len({env._session.streams.tobytes() + env._session.rows.seeds.tobytes() for env in envs}) == 1
        for k, env in enumerate(envs):
            env.np_random.random(k)
            env.reset()
    fresh = [make() for _ in range(2)]
    # Without a seed, the system seeds the environment.
    assert len({env.reset()[0].tobytes() + env._session.rows.seeds.tobytes() for env in fresh}) == 2


def test_seat_is_fixed_or_random() -> None:
    assert {int(make(seat=seat).reset(seed=1)[1]["seat"]) for seat in (1, "player_1", np.int64(1))} == {1}
    env = make(seat="random")
    drawn = [env.reset(seed=s)[1]["seat"] for s in range(200)]
    assert 60 < sum(drawn) < 140
    assert env.reset(seed=1, options={"seat": "player_0"})[1]["seat"] == 0
    for bad in (2, -1, "player_2", True, 0.0):
        with pytest.raises(ValueError, match="seat must be"):
            make(seat=bad)


def test_only_the_seats_own_decisions_are_steps() -> None:
    env = make(seat=1, opponents="random")
    for seed in range(20):
        _, info = env.reset(seed=seed)
        terminated, reward = False, 0.0
        while not terminated:
            assert env.env.agent_selection == "player_1"
            assert np.array_equal(env.action_masks(), info["action_mask"].astype(bool))
            assert env.action_masks().dtype == np.bool_
            _, reward, terminated, _, info = env.step(int(env.action_masks().argmax()))
        assert reward == env.env.rewards["player_1"]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


class Recorder:
    """A player that records its decisions and takes the last legal action."""

    name = "recorder"

    def __init__(self) -> None:
        self.decisions_seen: list[DecisionBatch] = []

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        self.decisions_seen.append(decisions)
        decisions.states["progress"] = 100  # a copy: the game is not affected
        return np.array([np.flatnonzero(decisions.mask[0])[-1]])


def test_an_opponent_can_be_a_player_object() -> None:
    recorder = Recorder()
    env = make(seat=0, opponents=recorder)
    play(env, 5)
    assert recorder.decisions_seen
    for decisions in recorder.decisions_seen:
        assert decisions.states["to_move"][0] == 1
        assert decisions.views["decides"][0] == 1
        assert decisions.observation.tobytes() == decisions.views.tobytes()
        assert decisions.rows.tolist() == [0]
    assert play(make(seat=0, opponents=[recorder]), 5) == play(env, 5)


def test_opponents_are_checked() -> None:
    with pytest.raises(ValueError, match="no player 'nobody'"):
        make(opponents="nobody")
    with pytest.raises(ValueError, match=r"each other seat \(1\), not 2"):
        make(opponents=["random", "random"])
    for long in ("x" * 300, "x" * 300 + "@argmax", "a\0b"):
        with pytest.raises(ValueError, match="no player '"):
            make(opponents=long)
    for nobody in (None, 5, b"random", {"random"}, [None], [5], [["random"]], Recorder, object()):
        with pytest.raises((TypeError, ValueError), match=r"player must be a name .*, not|opponents must be"):
            make(opponents=nobody)
    with pytest.raises(ValueError, match=r"illegal must be one of .*'raise', not 'explode'"):
        make(illegal="explode")
    for limit in (0, -1, 1.0, True, "3"):
        with pytest.raises(ValueError, match="max_ignored must be an integer >= 1, not"):
            make(max_ignored=limit)


def test_stronger_opponents_win_more() -> None:
    """The named opponent is the one that plays."""
    wins = {}
    for opponent in ("random", "greedy"):
        env = make(opponents=opponent)
        wins[opponent] = sum(play(env, seed, seed)[-1] == np.float32(1).tobytes() for seed in range(150))
    assert wins["greedy"] < wins["random"] - 20


class Faulty:
    """A player that raises `answer` if it is an exception, else answers it; 0 stands for the first legal action."""

    name = "faulty"

    def __init__(self) -> None:
        self.answer: Any = 0

    def act(self, decisions: DecisionBatch) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return [decisions.mask[0].argmax()] if self.answer == 0 else [self.answer]


def everything(env: SingleEnv) -> tuple[Any, ...]:
    """Return everything that an environment shows or that decides its future."""
    observation, info = env._seen()
    shown = (
        observation.tobytes(),
        info["seat"],
        info["action_mask"].tobytes(),
        env.action_masks().tobytes(),
        env.render(),
    )
    own, gymnasiums = env._session, (str(env.np_random.bit_generator.state), env.np_random_seed)
    streams = own.rng.tobytes(), own.streams.tobytes(), *gymnasiums
    return *shown, *streams, env.seat, env.env.save(), env.env.agent_selection, env.env.infos.keys()


@pytest.mark.parametrize("answer", [ZeroDivisionError("a fault"), KeyboardInterrupt(), -1, 10**6, 1.5, None])
def test_a_player_that_fails_changes_nothing(answer: Any) -> None:
    player = Faulty()
    env = make(seat=0, opponents=player, render_mode="ansi")
    env.reset(seed=3)
    for _ in range(4):  # the rival decides next
        env.step(int(env.action_masks().argmax()))
    before, action = everything(env), int(env.action_masks().argmax())
    player.answer = answer
    expected = type(answer) if isinstance(answer, BaseException) else IllegalAction
    for call in (lambda: env.step(action), lambda: env.reset(seed=8, options={"seat": 1})):
        with pytest.raises(expected) as error:
            call()
        if expected is IllegalAction:
            assert str(error.value) in (  # the cards of the player stay hidden
                "the player faulty answered an illegal action",
                "the player faulty must answer 1 actions, int64 [1], one for each decision",
            )
        assert everything(env) == before
    player.answer = 0
    twin = make(seat=0, opponents=player)
    twin.reset(seed=3)
    for _ in range(5):
        twin.step(int(twin.action_masks().argmax()))
    env.step(action)
    assert env.env.save() == twin.env.save()


def test_the_private_part_of_a_failure_stays_private() -> None:
    player = Faulty()
    player.answer = PlayerTooSlow("faulty", 1, [0], "failed in seat 1", "it holds the mole")
    with pytest.raises(PlayerTooSlow, match=r"^the player faulty failed in seat 1$") as failed:
        make(seat=1, opponents=[player]).reset(seed=3)
    assert (failed.value.seat, failed.value.rows, failed.value.detail) == (1, (0,), "")
    assert "mole" not in "".join(traceback.format_exception(failed.value))


def finished() -> dict[str, Any]:
    """Return the mapping of a finished game."""
    aec = spygames.agent_avenue_v0.env()
    aec.reset(seed=1)
    while aec.to_move >= 0:
        aec.step(int(aec.infos[aec.agent_selection]["action_mask"].argmax()))
    return aec.state_to_dict()


@pytest.mark.parametrize("seed", [None, 9])
@pytest.mark.parametrize(
    "options",
    [
        {"state": {}},
        {"state": 5},
        {"seat": 7},
        {"seat": 0, "state": {}},
        {"seat": 1, "state": {}},
        {"state": finished},
    ],
    ids=["empty", "number", "seat 7", "seat 0", "seat 1", "over"],
)
def test_a_reset_that_fails_changes_nothing(options: dict[str, Any], seed: int | None) -> None:
    options = {name: value() if callable(value) else value for name, value in options.items()}
    env = make(render_mode="ansi")
    env.reset(seed=4)
    env.step(int(env.action_masks().argmax()))
    before, twin = everything(env), copy.deepcopy(env)
    for _ in range(8):  # a random seat may be the same by chance
        with pytest.raises(ValueError, match=r"state|seat"):
            env.reset(seed=seed, options=options)
        assert everything(env) == before
    for each in (None, 5, None):
        while not env.step(int(env.action_masks().argmax()))[2]:
            twin.step(int(twin.action_masks().argmax()))
        assert everything(env)[0] != before[0]
        assert env.reset(seed=each)[0].tobytes() == twin.reset(seed=each)[0].tobytes()
        assert everything(env) == everything(twin)


def test_a_first_reset_that_fails_says_why() -> None:
    player, twin = Faulty(), make(seat=1, opponents=Faulty())
    env = make(seat=1, opponents=player)
    player.answer = ZeroDivisionError("a fault")
    with pytest.raises(ZeroDivisionError, match="a fault"):
        env.reset(seed=3)
    with pytest.raises(ImpossibleState, match="the state lacks"):
        env.reset(options={"state": {}})
    assert env.seat == NOBODY
    with pytest.raises(gymnasium.error.ResetNeeded, match="no game has begun"):
        env.step(0)
    player.answer = 0
    assert env.reset(seed=3)[0].tobytes() == twin.reset(seed=3)[0].tobytes()


def test_invalid_seeds_are_refused() -> None:
    env = make(render_mode="ansi")
    env.reset(seed=2**64 - 1)
    assert env.np_random_seed == 2**64 - 1
    before = everything(env)
    for bad in (-1, 2**64, 1.5, True, "1"):
        with pytest.raises(ValueError, match="seed must be"):
            env.reset(seed=bad)  # type: ignore[arg-type]
        assert everything(env) == before


def test_unknown_options_warn_and_others_are_refused() -> None:
    env = make(render_mode="ansi")
    env.reset(seed=1)
    before = everything(env)
    for bad in (5, "x", [], {"seat"}):
        with pytest.raises(ValueError, match="reset options must be a mapping such as"):
            env.reset(options=bad)  # type: ignore[arg-type]
        assert everything(env) == before
    with pytest.warns(UserWarning, match=r"unknown reset options \['foo'\] are ignored; known: state, seat$") as caught:
        assert env.reset(options={"foo": 1, "seat": 1})[1]["seat"] == 1
    assert [warning.filename for warning in caught] == [__file__]


def test_hidden_information_does_not_leak() -> None:
    """Two truths that look the same to the seat look the same through the environment, including its errors."""
    env, rng = make(opponents="random", render_mode="ansi"), np.random.default_rng(1)
    game, other_truths = env.game, 0
    for seed in range(12):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            other = copy.deepcopy(env)
            game.determinize(as_record(other._session.rows.states), env.seat, np.uint64(rng.integers(2**63)))
            other._session.rows.look(ROW, other._session.seats)
            # These differ in more than the future: in a card of the rival or of the pile.
            mine, theirs = env.env.state_to_dict(), other.env.state_to_dict()
            other_truths += any(mine[key] != theirs[key] for key in mine if key not in ("rng", "record"))
            illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
            shown = []
            for each in (env, other):
                observation, info = each._seen()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    again, reward, *_, complaint = each.step(illegal)
                assert again.tobytes() == observation.tobytes()
                shown.append((
                    observation.tobytes(), info["action_mask"].tobytes(), info["seat"], sorted(info), reward,
                    each.action_masks().tobytes(), each.render(), complaint["illegal_action"],
                ))  # fmt: skip
            assert shown[0] == shown[1]
            *_, over, _, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
    assert other_truths > 50


@pytest.mark.parametrize("action", [[[1], [1, 2]], [1], None, 1.0, True, np.array([1]), np.bool_(True), -1, 2**70, "1"])
def test_malformed_actions_raise(action: Any) -> None:
    env = make(render_mode="ansi")
    env.reset(seed=1)
    before = everything(env)
    with pytest.raises(IllegalAction):
        env.step(action)
    assert everything(env) == before


def test_illegal_actions_are_ignored_or_raise() -> None:
    env = make()
    observation, info = env.reset(seed=1)
    action = int(np.flatnonzero(info["action_mask"] == 0)[0])
    with pytest.warns(UserWarning, match="was ignored"):
        again, reward, terminated, _, info = env.step(action)
    assert np.array_equal(again, observation)
    assert (reward, terminated) == (0.0, False)
    assert "not legal" in info["illegal_action"]
    strict = make(illegal="raise")
    strict.reset(seed=1)
    with pytest.raises(IllegalAction, match=r"legal for player_\d: "):
        strict.step(action)


def test_reset_starts_from_a_mapping() -> None:
    aec = spygames.agent_avenue_v0.env()
    aec.reset(seed=3)
    aec.step(int(aec.infos["player_0"]["action_mask"].nonzero()[0][-1]))  # offers two cards
    env = make(seat=1)
    observation, _ = env.reset(seed=0, options={"state": aec.state_to_dict()})
    assert np.array_equal(observation, aec.observe("player_1")["observation"])
    while aec.to_move >= 0:
        aec.step(int(aec.infos[aec.agent_selection]["action_mask"].argmax()))
    with pytest.raises(ValueError, match="seat 1 has no decision from this state"):
        env.reset(options={"state": aec.state_to_dict()})


def test_games_without_a_decision_start_over(monkeypatch: pytest.MonkeyPatch) -> None:
    env = make(seat=1)
    reset = GameEnv.reset
    over = {"state": finished()}
    seeds = []

    def over_at_once(aec: GameEnv, seed: int, options: dict[str, Any]) -> None:
        seeds.append(seed)
        reset(aec, seed, over if len(seeds) < 3 else options)

    monkeypatch.setattr(GameEnv, "reset", over_at_once)
    _, info = env.reset(seed=1)
    assert info["action_mask"].any()
    assert len(set(seeds)) == len(seeds) == 3

    monkeypatch.setattr(GameEnv, "reset", lambda aec, seed, options: reset(aec, seed, over))
    with pytest.raises(ValueError, match="had no decision in"):
        env.reset(seed=1)


def test_render_shows_the_view_of_the_seat() -> None:
    env = make(seat=1, render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == env.env.to_text("player_1")
    assert make().render() is None


def test_gymnasium_vectorizes_it() -> None:
    """Gymnasium's own vector environment accepts it."""
    many = gymnasium.make_vec("spygames/AgentAvenue-v0", num_envs=3, opponents="random")
    observations, infos = many.reset(seed=1)
    assert observations.shape == (3, spygames.make_game("agent_avenue_v0").num_features)
    for _ in range(40):
        observations, *_, infos = many.step(np.array([mask.argmax() for mask in infos["action_mask"]]))
    assert observations.shape[0] == 3
    many.close()


# Policies without masks


def illegal_action(info: dict[str, Any]) -> int:
    return int(np.flatnonzero(info["action_mask"] == 0)[0])


@pytest.mark.filterwarnings("ignore:action")
def test_max_ignored_actions_in_a_row_truncate_the_game() -> None:
    env = make(max_ignored=3)
    _, info = env.reset(seed=1)
    bad = illegal_action(info)
    for count in (1, 2):
        *_, terminated, truncated, info = env.step(bad)
        assert (terminated, truncated, info["ignored"]) == (False, False, count)
    *_, info = env.step(int(info["action_mask"].argmax()))  # a legal action restarts the count
    assert "ignored" not in info
    bad = illegal_action(info)
    answers = [env.step(bad)[1:] for _ in range(3)]
    assert [(r, over, cut, i["ignored"]) for r, over, cut, i in answers] == [
        (0.0, False, False, 1), (0.0, False, False, 2), (0.0, False, True, 3),
    ]  # fmt: skip
    assert not answers[-1][3]["action_mask"].any()
    assert not env.action_masks().any()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(bad)
    _, info = env.reset()
    assert env.step(illegal_action(info))[4]["ignored"] == 1
    usual = make()
    usual.reset(seed=1)
    assert [usual.step(bad)[3] for _ in range(100)] == [False] * 99 + [True]


@pytest.mark.filterwarnings("ignore:action")
@pytest.mark.parametrize("lowest", [-1.0, -0.5])
def test_an_illegal_action_can_lose_the_game(lowest: float) -> None:
    env = SingleEnv(replace(spygames.make_game("agent_avenue_v0"), lowest_return=lowest), illegal="lose", seat=0)
    _, info = env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(illegal_action(info))
    assert (reward, terminated, truncated) == (lowest, True, False)
    assert "not legal" in info["illegal_action"]
    assert not info["action_mask"].any()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset()
    assert env.action_masks().any()


@pytest.mark.filterwarnings("ignore:action")
def test_an_illegal_action_can_be_replaced_by_a_random_one() -> None:
    """It comes from the environment's own stream: equal seeds and actions give equal games, whatever else draws."""

    def play_always(action: int, noise: int) -> list[tuple[Any, ...]]:
        np.random.seed(noise)
        env, seen, over = make(illegal="random", opponents="random"), [], False
        env.reset(seed=5)
        while not over:
            observation, reward, over, truncated, info = env.step(action)
            assert not truncated
            seen.append((observation.tobytes(), reward, "illegal_action" in info))
        return seen

    first = play_always(0, 1)
    assert first == play_always(0, 2)
    assert sum(illegal for *_, illegal in first) > len(first) / 2
    openings = set()
    for seed in range(12):
        env = make(illegal="random", seat=0)
        _, info = env.reset(seed=seed)
        env.step(illegal_action(info))
        openings.add(env.env.save())
    assert len(openings) == 12


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("illegal", ["ignore", "lose", "random"])
def test_gymnasiums_check_passes(illegal: str) -> None:
    check_env(gymnasium.make("spygames/AgentAvenue-v0", illegal=illegal).unwrapped, skip_render_check=True)


def test_determinize_keeps_the_view_of_the_seat() -> None:
    """Cards, and the opponents' streams and memory, which the seat cannot know, are redrawn."""
    env = make(opponents="random", seat=1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.determinize(seed=1)
    env.reset(seed=3)
    for _ in range(3):
        env.step(int(env.action_masks().argmax()))
    before = everything(env)
    worlds = [env.determinize(seed) for seed in range(6)]
    assert len({world.env.save() for world in worlds}) == 6
    assert len({world._session.rng.tobytes() for world in worlds}) == 6
    for world in worlds:
        assert [world._seen()[0].tobytes(), world._seen()[1].keys()] == [before[0], env._seen()[1].keys()]
        # The same seed gives the same world, and the same games in it, from any truth that looks the same.
        assert play_on(world.determinize(9)) == play_on(env.determinize(9))
        world.np_random.random()
    assert [world.np_random_seed for world in worlds] == [*range(6)]
    assert everything(env) == before
    with pytest.raises(ValueError, match="seed must be"):
        env.determinize(-1)


def test_determinize_keeps_the_end_of_a_game() -> None:
    env = make(opponents="random", seat=1)
    observation, info = env.reset(seed=3)
    over = False
    while not over:
        observation, _, over, _, info = env.step(int(info["action_mask"].argmax()))
    world = env.determinize(1)
    found, info = world._seen()
    assert found.tobytes() == observation.tobytes()
    assert not info["action_mask"].any()
    with pytest.raises(gymnasium.error.ResetNeeded):
        world.step(0)


def play_on(env: SingleEnv) -> list[bytes]:
    """Play first legal actions to the end; return what was seen, and the start of the next game."""
    seen, over = [env.env.save()], False
    while not over:
        observation, _, over, _, _ = env.step(int(env.action_masks().argmax()))
        seen += [observation.tobytes(), env.env.save()]
    return [*seen, env.reset()[0].tobytes()]
