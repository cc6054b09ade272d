"""An option that a game does not have is named, with those that it has, wherever it is given."""

from collections.abc import Callable
from typing import Any

import gymnasium
import pettingzoo
import pytest

import spygames
from spygames.core.registry import game_ids, game_module

ENTRIES: dict[str, Callable[..., Any]] = {
    "make_game": lambda game_id: spygames.make_game(game_id, colour=9),
    "make_batch": lambda game_id: spygames.make_batch(game_id, 4, threads=1, colour=9),
    "env": lambda game_id: game_module(game_id).env(render_mode="ansi", colour=9),
    "raw_env": lambda game_id: game_module(game_id).raw_env(colour=9),
    "single_env": lambda game_id: game_module(game_id).single_env(seat=0, colour=9),
    "pettingzoo": lambda game_id: pettingzoo.make("aec", f"spygames/{game_id.replace('_v', '-v')}", colour=9),
    "gymnasium": lambda game_id: gymnasium.make(
        f"spygames/{''.join(map(str.capitalize, game_id.split('_')[:-1]))}-v0", colour=9
    ),
}


@pytest.mark.parametrize("game_id", game_ids())
@pytest.mark.parametrize("entry", ENTRIES)
def test_an_unknown_option_is_named_with_those_that_there_are(entry: str, game_id: str) -> None:
    known = ", ".join(spygames.make_game(game_id).options)
    name = game_id.rpartition("_")[0]
    with pytest.raises(TypeError, match=rf"{name}\w* got an unexpected keyword argument 'colour'; there are {known}"):
        ENTRIES[entry](game_id)


def test_torchrl_may_leave_out_the_argument_that_it_tries() -> None:
    """Its GymEnv tries `frameskip=1` first, and goes on without where a TypeError has these words."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'"):
        gymnasium.make("spygames/AgentAvenue-v0", frameskip=1)


@pytest.mark.parametrize("entry", ["env", "raw_env", "single_env"])
def test_an_option_without_its_name(entry: str) -> None:
    with pytest.raises(TypeError, match=rf"options need their names, as in {entry}\(.*; there are render_mode, mode"):
        getattr(game_module("agent_avenue_v0"), entry)("advanced")
