"""The OpenSpiel bridge follows OpenSpiel's conventions, and its games and information are those of spygames."""

import doctest
import json
import pickle
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from spygames.core.envs.aec import GameEnv
from spygames.core.game.game import IllegalAction, as_record
from spygames.core.game.registry import make_game
from tests.core.game.test_seen import seen_in_kuhn, seen_in_leduc
from tests.poker import kuhn, leduc
from tests.poker.nashconv import PolicyFunction, Tree, uniform
from tests.support.changed import changed
from tests.support.games import VARIANTS, Variant

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed: make test-bridges")
bridge = pytest.importorskip("spygames.openspiel")
exploitability = pytest.importorskip("open_spiel.python.algorithms.exploitability")

MAIN = [
    variant
    for variant in VARIANTS
    if not variant.further
    and variant.game_id.endswith("_v0")
    and not any(isinstance(value, dict) for value in variant.options.values())  # not possible in OpenSpiel
]
POKER = {"kuhn": kuhn, "leduc": leduc}
each_variant = pytest.mark.parametrize("variant", MAIN, ids=str)
each_poker = pytest.mark.parametrize("name", POKER)


def load(variant: Variant, **more: Any) -> Any:
    """Load the variant with its deal as eight explicit chance bytes, unless `more` says otherwise."""
    options = {name: -1 if value == "random" else value for name, value in variant.options.items()}
    return pyspiel.load_game(f"spygames_{variant.game_id}", {**options, "chance": "explicit", **more})


def test_examples_run() -> None:
    tried = doctest.testmod(bridge)
    assert tried.attempted
    assert not tried.failed


def poker(name: str) -> Any:
    return pyspiel.load_game(bridge.register(f"tests.poker.{name}"))


def deal(game: Any, seed: int) -> Any:
    """Return the state at the first decision of the game with this seed."""
    state = game.new_initial_state()
    for byte in seed.to_bytes(8, "little"):
        assert state.is_chance_node()
        state.apply_action(byte)
    return state


def states(game: Any, games: int, seed: int) -> Iterator[Any]:
    """Yield the states of random games, including chance nodes and terminal states."""
    rng = random.Random(seed)
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            yield state
            actions = [a for a, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
            state.apply_action(rng.choice(actions))
        yield state


@each_variant
@pytest.mark.parametrize("chance", ["sampled", "explicit"])
def test_openspiels_random_simulation_passes(variant: Variant, chance: str) -> None:
    """OpenSpiel checks legal actions, texts, copies, observations, returns and, if possible, serialization."""
    pyspiel.random_sim_test(load(variant, chance=chance), num_sims=1, serialize=chance == "explicit", verbose=False)


@each_poker
def test_openspiels_random_simulation_passes_with_listed_deals(name: str) -> None:
    pyspiel.random_sim_test(poker(name), num_sims=20, serialize=True, verbose=False)


def same_games(variant: Variant, seeds: range) -> int:
    """Play the seeds' games at random in OpenSpiel and in an AEC environment; return the number of decisions."""
    game, env, rng, decisions = load(variant), GameEnv(variant.make_game()), random.Random(seeds.start), 0
    for seed in seeds:
        state = deal(game, seed)
        env.reset(seed=seed)
        while not state.is_terminal():
            agent = env.agent_selection
            seen, player = env.observe(agent), env.possible_agents.index(agent)
            legal = np.flatnonzero(seen["action_mask"]).tolist()
            assert state.current_player() == player
            assert state.legal_actions() == legal
            action = rng.choice(legal)
            if decisions % 10 == 0:
                assert np.array_equal(state.observation_tensor(player), seen["observation"])
                assert state.action_to_string(action) == env.action_to_string(action)
            state.apply_action(action)
            env.step(action)
            decisions += 1
        assert state.returns() == [env.rewards[agent] for agent in env.possible_agents]
    return decisions


@each_variant
def test_games_are_the_same(variant: Variant) -> None:
    assert same_games(variant, range(10)) > 100


@pytest.mark.slow
def test_ten_thousand_games_are_the_same() -> None:
    assert sum(same_games(variant, range(100, 100 + 10_000 // len(MAIN) + 1)) for variant in MAIN) > 100_000


@each_variant
def test_openspiels_api_rules_hold(variant: Variant) -> None:
    """Check part of OpenSpiel's api_test, which the package does not contain."""
    game = load(variant)
    kind, players = game.get_type(), game.num_players()
    assert kind.min_num_players <= players <= kind.max_num_players
    assert game.max_chance_nodes_in_history() == 8
    assert game.observation_tensor_size() == variant.make_game().num_features
    for state in states(game, 1, seed=3):
        assert len(state.full_history()) <= game.max_history_length()
        assert state.move_number() <= game.max_move_number()
        for look in (state.information_state_string, state.observation_string, state.observation_tensor):
            with pytest.raises(RuntimeError, match="player >= 0"):
                look(-1)
            with pytest.raises(RuntimeError, match="player <"):
                look(players)
        if state.is_chance_node():
            with pytest.raises(RuntimeError):
                state.information_state_string()
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            assert outcomes == (*range(256),)
            assert sum(chances) == pytest.approx(1)
            continue
        current = state.current_player()
        assert all(state.legal_actions(p) == [] for p in range(players) if p != current)
        if state.is_terminal():
            assert current == pyspiel.PlayerId.TERMINAL
            assert state.legal_actions() == []
            assert all(game.min_utility() <= value <= game.max_utility() for value in state.returns())
        else:
            texts = [state.action_to_string(current, action) for action in state.legal_actions()]
            assert len({*texts}) == len(texts) > 0


@pytest.mark.parametrize(
    ("name", "least", "most", "zero_sum"),
    [
        ("agent_avenue_v0(players=4)", -1, 1, False),
        ("agent_dog_v0(players=2)", -1, 1, True),
        ("agent_dog_v0(players=3)", -0.5, 1, False),
        ("agent_dog_v0(players=4)", -0.5, 0.5, False),
        ("heimlich_v0(players=2)", -1, 1, True),
        ("heimlich_v0(players=2,nobody_wins=-1)", -1, 1, False),
    ],
)
def test_utilities_are_those_of_the_sides(name: str, least: float, most: float, zero_sum: bool) -> None:
    game = pyspiel.load_game(f"spygames_{name}")
    assert (game.min_utility(), game.max_utility()) == (least, most)
    assert (game.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM) == zero_sum


def test_minus_one_stays_where_an_option_has_this_value() -> None:
    def make_game(first: int | str = 0, limit: int = -1, nobody_wins: Literal[-1, 0] = 0) -> None: ...

    def of_text(first: "int | str" = 0, limit: "int" = -1, nobody_wins: "Literal[-1, 0]" = 0) -> None: ...

    for make in (make_game, of_text):
        assert bridge._drawn(make, {"first": -1, "limit": -1, "nobody_wins": -1, "rng_seed": -1}) == ["first"]
        assert not bridge._drawn(make, {"first": 0})


def test_a_make_game_of_any_options_has_those_of_its_game() -> None:
    found = bridge._parameters(lambda **options: make_game("agent_avenue_v0", **options))
    assert found == {"mode": "simple", "players": 2, "first_player": 0, "chance": "sampled", "rng_seed": -1}


def test_an_option_that_cannot_be_drawn_says_what_minus_one_is() -> None:
    with pytest.raises(ValueError, match="players must be one of") as failure:
        pyspiel.load_game("spygames_agent_avenue_v0(players=-1)")
    assert failure.value.__notes__ == ["players: -1 stands for 'random'"]


@each_variant
def test_copies_pickles_and_histories_continue_the_same(variant: Variant) -> None:
    game, rng = load(variant), random.Random(5)
    state = deal(game, 77)
    for _ in range(6):
        state.apply_action(rng.choice(state.legal_actions()))
    again = game.new_initial_state()
    for action in state.history():
        again.apply_action(action)
    others = [state.clone(), pickle.loads(pickle.dumps(state)), again]
    for _ in range(6):
        if state.is_terminal():
            break
        action = rng.choice(state.legal_actions())
        for each in (state, *others):
            each.apply_action(action)
        for each in others:
            assert str(each) == str(state)
            assert each.history() == state.history()
            assert each.legal_actions() == state.legal_actions()
            for player in range(game.num_players()):
                assert each.information_state_string(player) == state.information_state_string(player)


@each_variant
def test_resampled_states_look_the_same_to_that_seat_only(variant: Variant) -> None:
    game, differ = load(variant), 0
    for k, state in enumerate(states(game, 2, seed=8)):
        if state.is_chance_node() or state.is_terminal() or k % 5:
            continue
        player = k % game.num_players()
        before = str(state)
        other = state.resample_from_infostate(player, random.Random(k).random)
        same = state.resample_from_infostate(player, random.Random(k).random)
        assert str(state) == before
        assert str(same) == str(other)
        for look in ("information_state_string", "observation_string", "observation_tensor"):
            assert getattr(other, look)(player) == getattr(state, look)(player)
        assert other.legal_actions(player) == state.legal_actions(player)
        differ += str(other) != before
    assert differ > 0


@each_variant
def test_information_states_are_what_a_seat_has_seen(variant: Variant) -> None:
    """They are equal if and only if the views after each decision, the events and the own actions are equal.

    Random games from few seeds have equal beginnings, in which a seat cannot distinguish some of them.
    """
    game, env = load(variant), GameEnv(variant.make_game())
    found: dict[Any, str] = {}
    repeated = 0
    for number in range(12):
        state, rng = deal(game, number % 3), random.Random(number)
        env.reset(seed=number % 3)
        seats = range(game.num_players())
        past: list[Any] = [(seat, tuple(state.observation_tensor(seat))) for seat in seats]
        for _ in range(12):
            for seat in seats:
                name = state.information_state_string(seat)
                repeated += past[seat] in found
                assert found.setdefault(past[seat], name) == name
            if state.is_terminal():
                break
            action = rng.choice(state.legal_actions())
            state.apply_action(action)
            env.step(action)
            for seat in seats:
                event = env.history(f"player_{seat}")[-1]
                seen = event["agent"], event["seen"], event["action"], env.game.seen_to_dict(env._states[0], seat)
                past[seat] = (past[seat], tuple(state.observation_tensor(seat)), json.dumps(seen))
    assert len({*found.values()}) == len(found) > 100
    assert repeated > 0


@each_variant
def test_information_state_tensors_are_as_exact_as_strings(variant: Variant) -> None:
    """The view comes first, then the bits of the digest. Before the deal there is nothing."""
    game, of_tensor, of_string = load(variant), {}, {}
    size = variant.make_game().num_features
    assert game.information_state_tensor_shape() == [size + 128]
    for number in range(4):
        state = game.new_initial_state()
        rng = random.Random(number)
        for byte in (number % 2).to_bytes(8, "little"):
            state.apply_action(byte)
        for _ in range(8):
            for seat in range(game.num_players()):
                name, tensor = state.information_state_string(seat), tuple(state.information_state_tensor(seat))
                assert tensor[:size] == tuple(state.observation_tensor(seat))
                assert {*tensor[size:]} == {0.0, 1.0}
                assert of_tensor.setdefault((seat, tensor), name) == name
                assert of_string.setdefault(name, tensor) == tensor
            if state.is_terminal():
                break
            state.apply_action(rng.choice(state.legal_actions()))
    assert len(of_string) > 20


def mistakes(name: str, every: int = 1, **changes: Any) -> tuple[int, int, int]:
    """Compare information states of a poker game with what its rules show, in all histories of some deals.

    Args:
        name: the game.
        every: one deal in this many is used.
        changes: changed fields of the game.

    Returns:
        The number of information states by the rules; of strings and tensors that stand for more than one of them; and
        of those that have more than one string or tensor.
    """
    game, known = poker(name), {"kuhn": seen_in_kuhn, "leduc": seen_in_leduc}[name]
    game.game = changed(game.game, **changes)
    of_text: dict[str, set[Any]] = {}
    of_tensor: dict[Any, set[Any]] = {}
    of_truth: dict[Any, set[Any]] = {}

    def walk(state: Any) -> None:
        drawn, *moves = state.history()
        for seat in range(2):
            truth = seat, known(POKER[name].deals()[drawn], moves, seat)
            text, tensor = state.information_state_string(seat), tuple(state.information_state_tensor(seat))
            of_text.setdefault(text, set()).add(truth)
            of_tensor.setdefault((seat, tensor), set()).add(truth)
            of_truth.setdefault(truth, set()).add((text, tensor))
        for action in state.legal_actions():
            walk(state.child(action))

    for outcome in range(0, len(POKER[name].deals()), every):
        walk(game.new_initial_state().child(outcome))
    coarse = sum(len(each) > 1 for found in (of_text, of_tensor) for each in found.values())
    return len(of_truth), coarse, sum(len(each) > 1 for each in of_truth.values())


@each_poker
def test_information_states_are_exact_in_poker(name: str) -> None:
    """For both seats, after each action: one information state for what the rules show."""
    states, coarse, fine = mistakes(name, every=1 if name == "kuhn" else 11)
    assert states == 72 if name == "kuhn" else states > 500
    assert (coarse, fine) == (0, 0)


def test_information_states_that_tell_too_much_are_found() -> None:
    def tells(game: Any, s: Any, action: int, seat: int, viewer: int) -> str:
        return f"player_{seat} moves with {kuhn.CARDS[s.cards[seat]]}"

    _, coarse, fine = mistakes("kuhn", seen_action=tells)
    assert coarse == 0
    assert fine > 0


def test_resampled_worlds_are_told_apart_once_they_show_a_difference() -> None:
    """A seat has one information state in the true and a resampled world until it sees something else in one."""
    game, equal, differ = load(MAIN[0]), 0, 0
    for number in range(30):
        state, rng = deal(game, number), random.Random(number)
        player = number % 2
        for _ in range(number % 7):
            state.apply_action(rng.choice(state.legal_actions()))
        other = state.resample_from_infostate(player, rng.random)
        for _ in range(6):
            both = {*state.legal_actions()} & {*other.legal_actions()}
            if state.is_terminal() or not both:
                break
            action = rng.choice(sorted(both))
            shown = []
            for each in (state, other):
                before, mover = each._state().copy(), each.current_player()
                each.apply_action(action)
                seen = game.game.seen_action(as_record(before), action, mover, player)
                shown.append((each.observation_tensor(player), each.text(player), seen))
            names = {each.information_state_string(player) for each in (state, other)}
            assert len(names) == 1 + (shown[0] != shown[1])
            equal, differ = equal + (len(names) == 1), differ + (len(names) == 2)
            if len(names) == 2:
                break
    assert equal > 5
    assert differ > 5


def test_sampled_deals_follow_from_the_seed_of_the_game() -> None:
    def opening(rng_seed: int) -> list[str]:
        game = pyspiel.load_game("spygames_agent_avenue_v0", {"rng_seed": rng_seed})
        found = []
        for _ in range(3):
            state = game.new_initial_state()
            assert state.chance_outcomes() == [(0, 1.0)]
            state.apply_action(0)
            found.append(str(state))
        return found

    assert opening(1) == opening(1)
    assert opening(1) != opening(2)
    assert len({*opening(-1)}) > 1


def test_errors_are_reported_and_change_nothing() -> None:
    variant = MAIN[0]
    state = deal(load(variant), 1)
    illegal = next(a for a in range(variant.make_game().num_actions) if a not in state.legal_actions())
    for action in (illegal, 10**6):
        with pytest.raises(IllegalAction, match=f"action {action} is not legal for seat 0"):
            state.clone().apply_action(action)
    with pytest.raises(IllegalAction, match=r"chance outcome .*0\.\.255.*256"):
        load(variant).new_initial_state().apply_action(256)
    with pytest.raises(ValueError, match=r"mode .*'simple', 'advanced'.*'easy'"):
        load(variant, mode="easy")
    with pytest.raises(ValueError, match=r"chance .*'sampled', 'explicit'.*'none'"):
        load(variant, chance="none")
    with pytest.raises(ValueError, match="no game 'chess_v0'"):
        bridge.register("chess_v0")
    for seat in (-1, 2):
        with pytest.raises(ValueError, match=f"player_id must be an integer from 0 to 1, not {seat}"):
            state.resample_from_infostate(seat, lambda: 0.5)
        for perfect_recall in (False, True):
            observer = load(variant).make_py_observer(pyspiel.IIGObservationType(perfect_recall=perfect_recall))
            for look in (observer.set_from, observer.string_from):
                with pytest.raises(ValueError, match=f"player must be an integer from 0 to 1, not {seat}"):
                    look(state, seat)


def test_two_games_have_not_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bridge.register("tests.poker.kuhn") == bridge.register("tests.poker.kuhn") == "spygames_kuhn_poker_v0"
    (tmp_path / "my_kuhn.py").write_text(
        "from tests.poker import kuhn\n\n\ndef make_game():\n    return kuhn.make_game()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match=r"'my_kuhn' has the id kuhn_poker_v0, which a game of tests\.poker\.kuhn has"):
        bridge.register("my_kuhn")


def test_a_process_that_imports_the_bridge_exits_cleanly() -> None:
    """OpenSpiel keeps game factories until after Python's shutdown; a Python function among them aborts the process."""
    code = "import spygames.openspiel, pyspiel; print(pyspiel.load_game('spygames_agent_avenue_v0').num_players())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "2\n"), done.stderr


class AsPolicy:
    """A spygames policy with OpenSpiel's policy interface."""

    def __init__(self, policy: PolicyFunction, actions: int) -> None:
        self.policy, self.actions = policy, actions

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        mask = np.zeros((1, self.actions), np.int8)
        mask[0, state.legal_actions()] = 1
        seen = np.array([state.observation_tensor(state.current_player())], np.float32)
        p = np.asarray(self.policy(seen, mask)[0], np.float64)
        return {action: p[action] / p.sum() for action in state.legal_actions()}


def uneven(observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """A fixed policy that differs between information sets."""
    weights = np.random.default_rng(3).random((observation.shape[1], mask.shape[1]))
    p = np.exp(np.sin(observation @ weights * 5)) * mask
    return p / p.sum(1, keepdims=True)


@each_poker
@pytest.mark.parametrize("policy", [uniform, uneven], ids=["uniform", "uneven"])
def test_openspiels_exploitability_equals_ours(name: str, policy: PolicyFunction) -> None:
    game = POKER[name].make_game()
    theirs = exploitability.exploitability(poker(name), AsPolicy(policy, game.num_actions))
    assert theirs == pytest.approx(Tree(game).nash_conv(policy) / 2, abs=1e-9)


@each_poker
def test_exploitability_equals_that_of_openspiels_own_game(name: str) -> None:
    """The uniform policy is equally exploitable in OpenSpiel's own Kuhn and Leduc poker."""
    own = pyspiel.load_game(f"{name}_poker")
    theirs = exploitability.exploitability(own, AsUniform())
    assert theirs == pytest.approx(Tree(POKER[name].make_game()).nash_conv(uniform) / 2, abs=1e-9)


class AsUniform:
    """OpenSpiel's own uniform policy, written without its base class."""

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        legal = state.legal_actions()
        return {action: 1 / len(legal) for action in legal}


@each_poker
def test_views_with_perfect_recall_are_information_states(name: str) -> None:
    """Equal tensors have equal strings, and there is one per information set; chance is explicit."""
    game, found = poker(name), {}
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    for state in states(game, 3000 if name == "leduc" else 300, seed=2):
        if not state.is_chance_node() and not state.is_terminal():
            seat = state.current_player()
            tensor = seat, *state.information_state_tensor(seat)
            assert found.setdefault(tensor, state.information_state_string(seat)) == state.information_state_string(
                seat
            )
    assert len({*found.values()}) == len(found)
    assert len(found) == 12 if name == "kuhn" else 700 < len(found) <= 936


def test_cfr_solves_kuhn_poker() -> None:
    cfr = pytest.importorskip("open_spiel.python.algorithms.cfr")
    game = poker("kuhn")
    solver = cfr.CFRSolver(game)
    for _ in range(100):
        solver.evaluate_and_update_policy()
    assert exploitability.exploitability(game, solver.average_policy()) < 0.02


def test_nfsp_learns_on_agent_avenue() -> None:
    """Neural fictitious self-play of OpenSpiel runs: both networks take gradient steps, and all actions are legal."""
    pytest.importorskip("torch")
    nfsp = pytest.importorskip("open_spiel.python.pytorch.nfsp")
    rl_environment = pytest.importorskip("open_spiel.python.rl_environment")
    observation = rl_environment.ObservationType.OBSERVATION  # without the digest of the past
    env = rl_environment.Environment(pyspiel.load_game("spygames_agent_avenue_v0"), observation_type=observation)
    size, actions = env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]
    assert (size, actions) == (make_game("agent_avenue_v0").num_features, make_game("agent_avenue_v0").num_actions)
    agents = [
        nfsp.NFSP(
            player,
            size,
            actions,
            hidden_layers_sizes=[32],
            reservoir_buffer_capacity=10_000,
            anticipatory_param=0.5,
            batch_size=32,
            min_buffer_size_to_learn=64,
            learn_every=16,
            replay_buffer_capacity=10_000,
            epsilon_decay_duration=1000,
            epsilon_start=0.2,
            epsilon_end=0.01,
        )
        for player in range(2)
    ]
    for _ in range(40):
        step = env.reset()
        while not step.last():
            action = agents[step.observations["current_player"]].step(step).action
            assert action in step.observations["legal_actions"][step.observations["current_player"]]
            step = env.step([action])
        for agent in agents:
            agent.step(step)
    assert all(np.isfinite(float(loss)) for agent in agents for loss in agent.loss)
