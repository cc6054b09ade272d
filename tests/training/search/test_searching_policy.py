"""A policy with a search is a player like any other, and uses only what its seat may know."""

import copy
import pickle
import shutil
import warnings
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from spygames import make_game
from spygames.agent_avenue.actions import PLAY_PAIR, RECRUIT_UP, encode_pair
from spygames.agent_avenue.cards import KINDS
from spygames.agent_avenue.layout import NONE
from spygames.core.game.game import as_record
from spygames.core.game.rng import mix
from spygames.core.players.history import Noted, Notes
from spygames.core.players.mixture import MixturePlayer
from spygames.core.players.names import PlayerName, make_player
from spygames.core.players.player import DecisionBatch, Player, bot_loop
from spygames.core.playing.batch import Batch
from spygames.core.playing.session import play
from spygames_training.agents.checkpoint import save_checkpoint
from spygames_training.agents.policy import Policy
from spygames_training.config import Network
from spygames_training.evaluation.digests import player_digest
from spygames_training.evaluation.play_games import play_games
from spygames_training.networks.actor_critic import make_network
from spygames_training.search import SearchSettings
from spygames_training.search.player import SearchingPolicy
from spygames_training.search.settings import VERSION, read_settings
from tests.poker import leduc
from tests.support.asked import ask
from tests.support.exact import exact_network
from tests.support.first_stream import actions_of

AGENT = "agent_avenue/simple-2-first"
"""An agent that never changes."""
GAME = make_game("agent_avenue_v0")


def searching(settings: str = "8") -> SearchingPolicy:
    player = make_player(GAME, f"{AGENT}+search:{settings}")
    assert isinstance(player, SearchingPolicy)
    return player


def scrambled(states: np.ndarray, noted: Noted, seat: int, seed: int) -> tuple[np.ndarray, Noted]:
    """Redraw everything that `seat` does not know, in the state and in the notes."""
    states, past, actions = states.copy(), noted.states.copy(), noted.actions.copy()
    GAME.determinize(as_record(states), seat, np.uint64(seed))
    last = np.flatnonzero(past["to_move"] != seat)[-1:]
    for k in range(len(past)):
        if past["to_move"][k] == seat:
            continue
        GAME.determinize(as_record(past, k), seat, np.uint64(seed + k + 1))
        if actions[k] < PLAY_PAIR:
            actions[k] = (actions[k] + seed) % KINDS
        elif actions[k] < RECRUIT_UP and k in last and states["face_down"][0] != NONE:
            actions[k] = encode_pair((actions[k] - PLAY_PAIR) // KINDS, (actions[k] + seed) % KINDS)
    return states, Noted(past, actions)


@pytest.mark.parametrize("settings", ["8", "8,rivals=policy|greedy|agent_avenue/simple-2"])
def test_hidden_information_changes_nothing(settings: str) -> None:
    """Redrawing it in the state and in the notes keeps the findings the same to the last bit."""
    player, games = searching(settings), 12
    batch, notes, choose = Batch(GAME, games, 4, threads=1), Notes(GAME, games, 64), bot_loop(GAME, "greedy")
    rng, actions, looked = np.arange(games, dtype=np.uint64).reshape(-1, 1), np.zeros(games, np.int64), 0
    for step in range(14):
        choose(batch.views, batch.mask, rng, np.arange(games), actions, 0, games)
        for row in range(games):
            state, noted, seat = batch.states[row : row + 1], notes.of(row), int(batch.seats[row])
            if (batch.mask[row].sum() > 1) and row % 3 == step % 3:
                here = player.find(state, 7 * row + step, noted)
                there = player.find(*scrambled(state, noted, seat, 3 * row + step)[:1], 7 * row + step,
                                    scrambled(state, noted, seat, 3 * row + step)[1])  # fmt: skip
                assert here.action == there.action
                np.testing.assert_array_equal(here.policy, there.policy)
                np.testing.assert_array_equal(here.weights, there.weights)
                assert here.rivals == there.rivals
                looked += 1
        notes.add(batch.states, actions)
        batch.step(actions)
        notes.clear(batch.done)
    assert looked > 40


def test_a_position_of_another_variant_is_refused() -> None:
    """Its state has the same layout, and its legal actions would be written beyond the end of the mask."""
    player, other = searching(), make_game("agent_avenue_v0", mode="advanced").start(1)
    assert other.dtype == GAME.state_dtype
    for search in (player.find, player.believe):
        with pytest.raises(ValueError, match="states must be positions of agent_avenue_v0, mode=simple"):
            search(other, 1)


def test_the_notes_change_the_weights() -> None:
    """A rival's discards and offers reveal part of its hand, so the weights are not uniform."""
    player, states = searching("16"), GAME.start(8)
    s, past, actions = as_record(states), [], []
    rng = np.array([[3]], np.uint64)
    bot = make_player(GAME, "greedy")
    while len(actions) < 3:
        action = ask(GAME, states, bot, rng)
        past.append(states.copy())
        actions.append(action)
        GAME.apply(s, action)
    noted = Noted(np.concatenate(past), np.array(actions))
    found, blind = (player.find(states, 5, each) for each in (noted, None))
    assert np.ptp(blind.weights) < 1e-12
    assert np.ptp(found.weights) > 1e-3
    forgetful = SearchingPolicy(player.policy, SearchSettings(16, memory=0))
    assert np.ptp(forgetful.find(states, 5, noted).weights) < 1e-12
    assert found.weights.sum() == pytest.approx(1)
    assert found.policy.sum() == pytest.approx(found.prior.sum()) == pytest.approx(1)
    assert np.isnan(found.values[found.prior < 0.02]).all()
    assert found.worlds.shape == (64,)


def test_equal_seeds_give_equal_games_in_any_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Alone or among other games, and by the player, a copy, and a pickled copy.

    A network whose sums are not exact may round differently among other rows.
    """
    player = SearchingPolicy(Policy(GAME, exact_network(GAME, "space")), SearchSettings(4, mode="safe"))
    players: list[list[Player]] = [
        [each, make_player(GAME, "greedy")]
        for each in (player, copy.deepcopy(player), pickle.loads(pickle.dumps(player)))
    ]
    seeds, seating = np.arange(6, dtype=np.uint64), np.tile([0, 1], (6, 1))
    finals = [GAME.new_states(6) for _ in range(4)]
    for k in range(3):
        play_games(GAME, players[k], seating, seeds, 1, finals=finals[k])
    monkeypatch.setattr("spygames_training.evaluation.play_games.LOCKSTEP", 2)
    play_games(GAME, players[0], seating, seeds, 1, finals=finals[3])
    assert len({each.tobytes() for each in finals}) == 1


GAME_OF_VERSION_1 = """
play saboteur sentinel, recruit down, play codebreaker sentinel, recruit down, play codebreaker enforcer, recruit down,
play enforcer daredevil, recruit down, play saboteur codebreaker, recruit down, play double_agent enforcer,
recruit down, play sidekick daredevil, recruit up, play daredevil sentinel, recruit down, discard saboteur,
discard codebreaker, discard codebreaker, play double_agent enforcer, recruit up, play saboteur daredevil,
recruit down"""


def test_a_change_of_decisions_requires_a_new_version() -> None:
    """A change of the search or of its game's worlds must raise a version and record the game again.

    On every processor the network's outputs are the same to the last bit.
    """
    assert (VERSION, GAME.worlds_version) == (1, 3)
    player = SearchingPolicy(Policy(GAME, exact_network(GAME, "space")), SearchSettings(8))
    actions = actions_of(GAME, [player, make_player(GAME, "greedy")], 1)
    assert actions == tuple(" ".join(GAME_OF_VERSION_1.split()).split(", "))


def test_a_digest_contains_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Version 1 is left out in bfloat16, since its results are older than the version number."""
    player, alone = searching("8,rivals=policy|greedy,precision=bfloat16"), make_player(GAME, AGENT)
    parts = [player_digest(GAME, alone), player_digest(GAME, make_player(GAME, "greedy"))]
    digests = {sha256("\n".join(map(str, parts)).encode()).hexdigest()[:16]}
    assert {player_digest(GAME, player, worlds=1)} == digests
    for version in (2, 3):
        monkeypatch.setattr("spygames_training.search.player.VERSION", version)
        digests.add(str(player_digest(GAME, player, worlds=1)))
        assert player_digest(GAME, alone) == parts[0]
        digests.add(str(player_digest(GAME, searching("8,rivals=policy|greedy"))))
    assert len(digests) == 5


def test_a_digest_contains_the_settings_that_the_name_leaves_out() -> None:
    policy = Policy.load(AGENT, game=GAME)
    others: list[dict[str, Any]] = [{}, {"tau": 0.5}, {"lam": 0.5}, {"least": 0.5}, {"most": 2}, {"memory": 0}]
    searches = [SearchingPolicy(policy, SearchSettings(8, **each)) for each in others]
    assert len({each.name for each in searches}) == 1
    assert len({player_digest(GAME, each) for each in searches}) == len(searches)
    assert player_digest(GAME, searches[0]) == player_digest(GAME, searching("8"))


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_the_name_determines_a_searchs_precision(precision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The processor's capabilities do not matter."""
    found: set[torch.dtype] = set()
    for fast in (False, True):
        monkeypatch.setattr("spygames_training.networks.device.has_fast_bfloat16", lambda _, fast=fast: fast)
        player = searching(f"2,precision={precision}")
        trunk = player.search.policy._trunk  # type: ignore[attr-defined]
        trunk.register_forward_hook(lambda _, inputs, output: found.update((inputs[0].dtype, output.dtype)))
        assert player.find(GAME.start(1), 1).policy.sum() == pytest.approx(1)
        assert found == {getattr(torch, precision)}
        assert player.name.endswith("+search:2" if precision == "float32" else "+search:2,precision=bfloat16")
        assert pickle.loads(pickle.dumps(player)).settings == player.settings


def test_a_digest_contains_the_version_of_the_worlds() -> None:
    """Version 1 is left out, since its results are older than the version number. The policy alone draws no worlds."""
    player, alone = searching(), make_player(GAME, AGENT)
    first, other = (replace(GAME, worlds_version=version) for version in (1, 2))
    assert player_digest(other, player) != player_digest(first, player) == player_digest(other, player, worlds=1)
    assert player_digest(other, alone) == player_digest(first, alone)
    both = MixturePlayer(GAME, [alone, player])
    assert player_digest(other, both) != player_digest(first, both) == player_digest(other, both, worlds=1)
    assert pickle.loads(pickle.dumps(other)).worlds_version == 2


ANCHOR = "agent_avenue/simple-2-first@argmax"
"""An agent that never changes."""


@pytest.mark.parametrize(
    ("rivals", "name", "taken"),
    [
        ("policy|expert", "expert", "expert"),
        ("policy|expert|random", "greedy", "random"),
        (f"{ANCHOR}|greedy", ANCHOR, ANCHOR),
    ],
)
def test_beliefs_about_the_rivals_type(rivals: str, name: str, taken: str) -> None:
    """A rival that plays like none of the given bots is taken for one that may do anything."""
    player, number = searching(f"8,rivals={rivals}"), rivals.count("|") + 1
    states, rng = GAME.start(5), np.array([[1]], np.uint64)
    rival = make_player(GAME, name)
    told: list[dict[str, float]] = []

    class Asked:
        name, notes_size = "asked", 64

        def act(self, decisions: DecisionBatch) -> np.ndarray:
            assert decisions.notes is not None
            told.append(player.find(decisions.states[:1], 3, decisions.notes.of(0)).rivals)
            return rival.act(decisions)

    play(GAME, states, [Asked(), rival], rng)
    assert told[0] == pytest.approx(dict.fromkeys(rivals.split("|"), 1 / number))
    assert told[-1][taken] > 0.6
    assert all(sum(each.values()) == pytest.approx(1) for each in told)


@pytest.mark.parametrize(
    ("spec", "parts"),
    [
        ("greedy", ("greedy", "", None)),
        ("some/where@0.5+search:64,mode=safe", ("some/where", "0.5", "64,mode=safe")),
        ("x+search:8", ("x", "", "8")),
        ("kind:a@b", ("kind:a", "b", None)),
        ("a/b@0.5+search:8,rivals=c/d@argmax|e/f,mode=safe", ("a/b", "0.5", "8,rivals=c/d@argmax|e/f,mode=safe")),
        ("x/y,rivals=z/a@argmax+search:8", ("x/y,rivals=z/a", "argmax", "8")),
    ],
)
def test_a_name_has_three_parts(spec: str, parts: tuple[str, str, str | None]) -> None:
    assert PlayerName.parse(spec) == PlayerName(*parts)
    assert str(PlayerName.parse(spec)) == spec


@pytest.mark.parametrize("exists", [True, False])
def test_a_name_does_not_depend_on_existing_folders(
    exists: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("best", "greedy", "agent_avenue/simple-2", "a@b+search:5", "greedy@0.5"):
        if exists:
            (tmp_path / name).mkdir(parents=True)
    assert PlayerName.parse("a@b+search:5") == PlayerName("a", "b", "5")
    assert PlayerName.parse("x@y/a@b+search:5/") == PlayerName("x@y/a@b+search:5/")  # a path, by its slash
    assert PlayerName.parse("x@y/a+search:5") == PlayerName("x@y/a", "", "5")
    assert make_player(GAME, "greedy").name == "greedy"
    assert make_player(GAME, "best").name == "agent_avenue/simple-2@argmax"
    assert make_player(GAME, "agent_avenue/simple-2").name == "agent_avenue/simple-2@argmax"
    with pytest.raises(ValueError, match=r"no @0[.]5"):
        make_player(GAME, "greedy@0.5")


def fresh_checkpoint(tmp_path: Path, **config: object) -> str:
    """Save a checkpoint with fresh weights and return its path."""
    torch.manual_seed(1)
    network = make_network(GAME, Network((16,), **config))  # type: ignore[arg-type]
    save_checkpoint(tmp_path / "agent", GAME, network, 0)
    return str(tmp_path / "agent")


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        (f"{AGENT}+search:0", "a search must .*1 to 100000 worlds.*, not 0$"),
        (f"{AGENT}+search:", "a search must .*1 to 100000 worlds.*, not ''$"),
        (f"{AGENT}+search:64,rivals=policy|nobody", "the rivals of a search .*agent_avenue_v0 must be .*policy, "),
        (f"{AGENT}+search:64,rivals=policy|no/body", "'no/body': there is no such checkpoint"),
        (f"{AGENT}+search:64,rivals=heimlich/base-2", "heimlich/base-2 was trained on 'heimlich_v0', not on agent_"),
        (f"{AGENT}+search:64,rivals=policy|policy", "the rivals of a search .* different .*, not 'policy[|]policy'$"),
        (f"{AGENT}+search:64,rivals=mix:{AGENT}|x", f"a mixture is no rival .*: name its players.*not 'mix:{AGENT}'"),
        (f"{AGENT}+search:64,rivals={AGENT}+search:8", f"a rival .*no search itself.*not '{AGENT}[+]search:8'"),
        (f"{AGENT}+search:64,mode=bold", "the mode of a search .*strong or safe.*'bold'"),
        (f"{AGENT}+search:64,deep=3", "a search .*rivals=A[|]B, mode=safe and precision=bfloat16.*not 'd"),
        (f"{AGENT}+search:64,precision=half", "the precision of a search .*float32 or bfloat16.*'half'"),
        (f"{AGENT}@argmax+search:64", f"{AGENT}@argmax has no probabilities.*use @sample"),
        ("greedy+search:64", "'greedy[+]search:64'.*a policy with a value, not 'greedy'"),
        ("nobody+search:64", "no player 'nobody': .*others are mcts:N, mc:N, mix:A[|]B, a rel.*onnx:[.]{3}"),
    ],
)  # fmt: skip
def test_wrong_names_get_one_line(spec: str, line: str) -> None:
    with pytest.raises(ValueError, match=f"^{line}") as error:
        make_player(GAME, spec)
    assert "\n" not in str(error.value)


def test_a_recurrent_network_cannot_be_searched(tmp_path: Path) -> None:
    spec = fresh_checkpoint(tmp_path, kind="recurrent", memory=8)
    with pytest.raises(ValueError, match=r"^agent@sample has memory.* search"):
        make_player(GAME, f"{spec}+search:8")


def test_a_rival_that_is_a_checkpoint_is_part_of_the_player(tmp_path: Path) -> None:
    spec = fresh_checkpoint(tmp_path)
    player = searching(f"4,rivals={spec}|greedy")
    assert player.name == f"{AGENT}@sample+search:4,rivals={spec}|greedy"
    same = make_player(GAME, player.name)
    assert isinstance(same, SearchingPolicy)
    digest = player_digest(GAME, player)
    assert digest == player_digest(GAME, same) == player_digest(GAME, pickle.loads(pickle.dumps(player)))
    found = player.find(GAME.start(1), 1)
    assert found.rivals == pytest.approx({spec: 0.5, "greedy": 0.5})
    np.testing.assert_array_equal(same.find(GAME.start(1), 1).policy, found.policy)
    others = {player_digest(GAME, searching(f"4,rivals={rivals}")) for rivals in ("greedy", f"greedy|{spec}")}
    shutil.rmtree(spec)
    assert player_digest(GAME, pickle.loads(pickle.dumps(player))) == digest  # a copy needs no folder
    torch.manual_seed(2)
    save_checkpoint(spec, GAME, make_network(GAME, Network((16,))), 0)
    others.add(player_digest(GAME, searching(f"4,rivals={spec}|greedy")))
    assert len(others - {digest}) == 3


def test_several_known_rivals_are_told_apart() -> None:
    """A policy that is listed twice is twice as likely at first."""
    policy = Policy.load(AGENT)
    known = [Policy.load(name) for name in ("agent_avenue/simple-2@argmax", AGENT, AGENT)]
    player = SearchingPolicy(policy, SearchSettings(4), known)
    assert player.name == f"{AGENT}@sample+search:4 against agent_avenue/simple-2@argmax|{AGENT}@sample|{AGENT}@sample"
    found = player.find(GAME.start(1), 1).rivals
    assert [*found.values()] == pytest.approx([1 / 3] * 3)
    copied = pickle.loads(pickle.dumps(player))
    assert player_digest(GAME, copied) == player_digest(GAME, player)
    assert player_digest(GAME, player) != player_digest(GAME, SearchingPolicy(policy, SearchSettings(4), known[:2]))


def test_a_searchs_models_play_at_the_temperatures_of_their_policies() -> None:
    game = leduc.make_game()
    torch.manual_seed(2)
    network = make_network(game, Network((16,)))
    own, known = (Policy(game, network, how) for how in ("0.5", "0.25"))
    search, batch = SearchingPolicy(own, SearchSettings(2), known).search, Batch(game, 4, 1)
    with torch.inference_mode():
        expected = network(torch.from_numpy(batch.observation))[0].numpy()
    views, rng = batch.observation.view(game.view_dtype)[:, 0], np.zeros((4, 1), np.uint64)
    for model, temperature in ((search.policy, 0.5), (search.rivals[0].model, 0.25)):
        logits, _ = model.ask(views, batch.mask, rng)
        np.testing.assert_allclose(logits, expected / temperature, rtol=1e-4, atol=1e-6)


def test_a_game_without_rewind_is_searched_in_uniform_worlds_with_a_warning() -> None:
    game = replace(make_game("agent_avenue_v0", mode="advanced"), rewind=None)
    with pytest.warns(UserWarning, match=r"cannot be rewound.* equally likely"):
        player = make_player(game, "agent_avenue/advanced-2+search:2")
    assert isinstance(player, SearchingPolicy)
    assert player.notes_size == 0
    found = player.find(game.start(1), 1)
    assert np.ptp(found.weights) < 1e-12


def test_states_that_cannot_be_searched_are_refused() -> None:
    player = searching()
    over = GAME.start(1)
    over["to_move"] = over["phase"] = NONE
    with pytest.raises(ValueError, match="no action is legal"):
        player.find(over, 1)
    with pytest.raises(ValueError, match="state must be an array"):
        player.find(GAME.new_states(2), 1)


def test_settings_and_their_names() -> None:
    game = leduc.make_game()
    assert read_settings(game, "8,precision=float32") == read_settings(game, "8")
    for text in (
        "1",
        "64",
        "16,mode=safe",
        "8,rivals=random",
        "8,rivals=policy|random,mode=safe",
        "8,precision=bfloat16",
        "8,mode=safe,precision=bfloat16",
    ):
        assert read_settings(game, text).name == text
    assert SearchSettings(rivals=["policy"]) == SearchSettings()  # type: ignore[arg-type]
    wrong: Any
    for wrong in ("random", None, (1,)):
        with pytest.raises(ValueError, match="the rivals of a search must be a tuple of names, as in "):
            SearchSettings(rivals=wrong)
    assert (SearchSettings().step_tau, SearchSettings().step_lam) == (0.1, 0.7)
    assert (SearchSettings(mode="safe").step_tau, SearchSettings(rivals=("random",)).step_lam) == (0.3, 0.9)


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        ("tau", -1, "a number of at least 0"),
        ("lam", 2.0, "a number from 0 to 1"),
        ("lam", float("nan"), "a number from 0 to 1"),
        ("least", "0.1", "a number from 0 to 1"),
        ("most", 0, "an integer of at least 1"),
        ("most", 1.5, "an integer of at least 1"),
        ("memory", -1, "an integer of at least 0"),
        ("slip", True, "a number from 0 to 1"),
        ("bot_slip", None, "a number from 0 to 1"),
        ("effective", 5, "a number from 0 to 1"),
    ],
)
def test_settings_out_of_range_are_refused(name: str, wrong: Any, right: str) -> None:
    with pytest.raises(ValueError, match=f"{name} of a search must be {right}, not "):
        SearchSettings(**{name: wrong})
    assert SearchSettings(tau=None, lam=None, most=1, memory=0, least=0, slip=1).most == 1


def test_values_are_in_the_games_units(tmp_path: Path) -> None:
    """For one observation and for many; the run's reward scale is taken into account."""
    torch.manual_seed(2)
    network = make_network(GAME, Network((16,)))
    save_checkpoint(tmp_path / "one", GAME, network, 0)
    save_checkpoint(tmp_path / "four", GAME, network, 0, extra={"config": {"ppo": {"reward_scale": 4.0}}})
    batch = Batch(GAME, 5, 1)
    one, four = (Policy.load(tmp_path / name) for name in ("one", "four"))
    values = one.value(batch.observation)
    with torch.inference_mode():
        expected = network(torch.from_numpy(batch.observation))[1].numpy()
    np.testing.assert_allclose(values, expected, rtol=1e-5)
    np.testing.assert_allclose(four.value(batch.observation), expected / 4, rtol=1e-5)
    assert isinstance(one.value(batch.observation[0]), float)
    with pytest.raises(ValueError, match="must be"):
        one.value(batch.observation[:, :3])


def test_a_valid_search_gives_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        searching()


def test_it_gives_advice_as_an_adviser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Advice has the probabilities after the step and the value as in `find`, and beliefs as in `believe`.

    It is the same if everything hidden is redrawn.
    """
    search, states = searching("8"), GAME.start(5)
    mask, views = np.zeros((1, GAME.num_actions), np.int8), GAME.new_views()
    GAME.legal(as_record(states), mask[0])
    GAME.observe(as_record(states), 0, as_record(views))
    rng = np.array([[np.uint64(9)]])
    redrawn = states.copy()
    GAME.determinize(as_record(redrawn), 0, np.uint64(3))
    advice = [
        search.advise(DecisionBatch(GAME, s, views, views.view(np.float32)[None], mask, rng, np.zeros(1, int)))[0]
        for s in (states, redrawn)
    ]
    assert advice[0] == advice[1]
    found = search.find(states, int(mix(rng[0, 0])))
    texts = [GAME.action_to_string(as_record(states), int(a), 0) for a in np.flatnonzero(mask[0])]
    assert dict(advice[0].actions) == pytest.approx(dict(zip(texts, found.policy[mask[0] != 0], strict=True)))
    assert advice[0].value == pytest.approx(found.values[found.action])
    believed = dict(dict(advice[0].belief)["player_1's hand"])
    belief = search.believe(states, int(mix(rng[0, 0])))
    codebreaker = float(belief.weights[0] @ (belief.worlds["hands"][:, 1, 2] > 0))
    assert believed["codebreaker"] == pytest.approx(codebreaker)
    assert rng[0, 0] == 9
    # In safe mode the action may be one that was not played out.
    monkeypatch.setattr(search, "find", lambda *_: replace(found, action=int(np.isnan(found.values).argmax())))
    (one,) = search.advise(
        DecisionBatch(GAME, states, views, views.view(np.float32)[None], mask, rng, np.zeros(1, int))
    )
    assert (one.value, one.share) == (None, None)
