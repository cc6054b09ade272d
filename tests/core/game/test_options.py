"""Options of games: unknown ones are named at every entry point, and help, signatures and NumPy values work."""

import inspect
import json
import pydoc
from collections.abc import Callable
from typing import Any, Literal, cast

import gymnasium
import numpy as np
import pettingzoo
import pytest

import spygames
from spygames.core.envs.entry_points import entry_points
from spygames.core.game.game import as_record
from spygames.core.game.registry import game_ids, game_module, option_types

ENTRIES: dict[str, Callable[..., Any]] = {
    "make_game": lambda game_id: spygames.make_game(game_id, nothing=9),
    "make_batch": lambda game_id: spygames.make_batch(game_id, 4, threads=1, nothing=9),
    "env": lambda game_id: game_module(game_id).env(render_mode="ansi", nothing=9),
    "raw_env": lambda game_id: game_module(game_id).raw_env(nothing=9),
    "single_env": lambda game_id: game_module(game_id).single_env(seat=0, nothing=9),
    "vector_env": lambda game_id: game_module(game_id).vector_env(num_envs=2, nothing=9),
    "pettingzoo": lambda game_id: pettingzoo.make("aec", f"spygames/{game_id.replace('_v', '-v')}", nothing=9),
    "gymnasium": lambda game_id: gymnasium.make(
        f"spygames/{''.join(map(str.capitalize, game_id.split('_')[:-1]))}-v0", nothing=9
    ),
}


@pytest.mark.parametrize("game_id", game_ids())
@pytest.mark.parametrize("entry", ENTRIES)
def test_an_unknown_option_is_named_with_the_available_ones(entry: str, game_id: str) -> None:
    known = ", ".join(spygames.make_game(game_id).options)
    name = game_id.rpartition("_")[0]
    with pytest.raises(TypeError, match=rf"{name}\w* got an unexpected keyword argument 'nothing'; .*: {known}"):
        ENTRIES[entry](game_id)


@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_a_misspelled_argument_of_an_environment_is_suggested(make: Callable[..., object]) -> None:
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'opponent'; did you mean opponents\?"):
        make("spygames/AgentAvenue-v0", opponent="greedy")
    with pytest.raises(TypeError, match=r"'nothing'; available options: mode, .*, opponents, seat, illegal"):
        make("spygames/AgentAvenue-v0", nothing=9)


def test_torchrl_recognizes_the_error_of_frameskip() -> None:
    """Its GymEnv first tries `frameskip=1`, and continues without it after a TypeError with these words."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'"):
        gymnasium.make("spygames/AgentAvenue-v0", frameskip=1)


@pytest.mark.parametrize("entry", ["env", "raw_env", "single_env", "vector_env"])
def test_a_positional_option_is_refused(entry: str) -> None:
    with pytest.raises(TypeError, match=rf"{entry} takes keyword arguments only, .*available: mode, .*render_mode"):
        getattr(game_module("agent_avenue_v0"), entry)("advanced")


@pytest.mark.parametrize("entry", ["env", "raw_env", "single_env", "vector_env"])
@pytest.mark.parametrize("game_id", game_ids())
def test_signature_and_help_have_the_options_with_their_values(entry: str, game_id: str) -> None:
    module = game_module(game_id)
    call = getattr(module, entry)
    parameters = inspect.signature(call).parameters
    shown = pydoc.plain(pydoc.render_doc(call))
    for name, option in inspect.signature(module.make_game).parameters.items():
        assert parameters[name].default == option.default
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert f"        {name}: " in shown
    assert "render_mode" in parameters
    assert parameters["players"].default == module.make_game().options["players"]


def test_options_without_annotations_are_in_the_signature() -> None:
    def make_game(size=3, **others):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN003, ANN202
        return spygames.make_game("agent_avenue_v0")

    env, _, single_env = entry_points(make_game)
    assert str(inspect.signature(env)).startswith("(*, size=3, render_mode: ")
    assert str(inspect.signature(env)).partition(" ->")[0].endswith("**others)")
    assert env(anything=1).game.id == single_env().game.id == "agent_avenue_v0"


def test_states_and_views_print_and_complete_their_fields() -> None:
    game, batch = spygames.make_game("agent_avenue_v0"), spygames.make_batch("agent_avenue_v0", 2, seed=1, threads=1)
    for each in (
        batch.views[1],
        batch.states[1],
        as_record(game.start(1)),
        as_record(game.new_views()),
        game.packed[0],
    ):
        names = each.dtype.names
        assert set(names) <= set(dir(each))
        lines = str(each).splitlines()
        assert all(any(line.startswith(f"{name}: ") for line in lines) for name in names)
        with pytest.raises(AttributeError, match=rf"no field 'nosuch'; available fields: {names[0]}"):
            each.nosuch  # noqa: B018
    state = as_record(batch.states, 1)
    state.turn = 7
    assert batch.states["turn"].tolist() == [1, 7]
    assert repr(game) == "Game(agent_avenue_v0, mode=simple, players=2, first_player=0)"


NUMPY: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("agent_avenue_v0", {"mode": np.str_("advanced"), "players": np.int64(3), "first_player": np.uint8(1),
                         "captain": np.array(["fixed"])[0]},
     {"mode": "advanced", "players": 3, "first_player": 1, "captain": "fixed"}),
    ("heimlich_v0", {"players": np.int8(5), "top_secret": np.bool_(True), "nobody_wins": np.int64(-1)},
     {"players": 5, "top_secret": True, "nobody_wins": -1}),
    ("agent_dog_v0", {"players": np.int32(3), "max_turns": np.int64(90), "first_player": np.str_("random"),
                      "board": {"track": np.int64(64), "holes": np.array([3, 7, 11, 15]), "meeting": np.int64(8)},
                      "deck": {np.str_("13"): np.int64(20), "9": 30}},
     {"players": 3, "max_turns": 90, "first_player": "random", "board": "standard", "deck": {"9": 30, "13": 20}}),
]  # fmt: skip
"""Options with NumPy values, and the same options with plain values."""


@pytest.mark.parametrize(("game_id", "given", "plain"), NUMPY, ids=lambda x: x if isinstance(x, str) else "")
def test_values_of_numpy_are_options(game_id: str, given: dict[str, Any], plain: dict[str, Any]) -> None:
    for made in (spygames.make_game(game_id, **given), game_module(game_id).env(**given).game):
        assert made == spygames.make_game(game_id, **plain)
        assert json.dumps(dict(made.options)) == json.dumps(dict(spygames.make_game(game_id, **plain).options))
        assert type(made.num_players) is int


def test_values_of_numpy_are_arguments_of_environments() -> None:
    given: dict[str, Any] = {"illegal": np.str_("lose"), "render_mode": np.str_("ansi"), "max_ignored": np.int64(3)}
    one = gymnasium.make("spygames/AgentAvenue-v0", seat=np.int64(1), players=np.int64(2), **given)
    many = gymnasium.make_vec(
        "spygames/AgentAvenue-v0", num_envs=cast(int, np.int64(2)), max_episode_steps=np.int64(9), **given
    )
    found = one.unwrapped, many, game_module("agent_avenue_v0").env(render_mode=np.str_("ansi"))
    for env, name in ((env, name) for env in found[:2] for name in given):
        assert type(getattr(env, name)) in (str, int)
    assert [type(env.render_mode) for env in found] == [str] * 3


@pytest.mark.parametrize("value", [np.float32(3), np.bool_(True), np.int64(5), np.array([3])], ids=repr)
def test_other_values_of_numpy_are_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="players must be one of 2, 3, 4, not "):
        spygames.make_game("agent_avenue_v0", players=value)


def test_types_of_options_may_be_written_as_text() -> None:
    """As they are in a module with `from __future__ import annotations`, also beside types for type checkers only."""

    def make_game(mode: "Literal[1, -1]" = 1, size: int = 3, other: "Absent" = 0, untyped=None) -> "Absent":  # type: ignore  # noqa: ANN001, F821
        return mode, size, other, untyped

    assert option_types(make_game) == {"mode": Literal[1, -1], "size": int}
