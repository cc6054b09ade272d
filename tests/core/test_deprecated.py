"""Old public names work for one release, and each use says what to write instead."""

from dataclasses import replace

import numpy as np
import pytest

import tests.poker.kuhn as kuhn
from spygames.core.batch import Batch
from spygames.core.deprecated import moved
from spygames.core.game import Game, as_record
from spygames.core.players import make_player
from spygames.core.record import play_record
from spygames.core.single import SingleEnv

GAME = kuhn.make_game()


def test_a_name_that_moved() -> None:
    get = moved("some.module", old="spygames.core.game:as_record")
    with pytest.warns(DeprecationWarning, match=r"^some.module.old is .*: use spygames.core.game.as_record$") as found:
        assert get("old") is as_record
    assert found[0].filename == __file__
    with pytest.raises(AttributeError, match=r"^module 'some.module' has no attribute 'older'$"):
        get("older")


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("spygames.core.game", "record", "spygames.core.game.as_record"),
        ("spygames.core.batch", "bot_loop", "spygames.core.player.bot_loop"),
        ("spygames.core.registry", "load", "spygames.core.game.load"),
        ("spygames.core.players", "Decisions", "spygames.core.player.DecisionBatch"),
        ("spygames.agent_avenue_v0", "VARIANTS", "spygames.testing.variants.AGENT_AVENUE"),
        ("spygames.agent_dog_v0", "FURTHER_VARIANTS", "spygames.testing.variants.AGENT_DOG_FURTHER"),
        ("spygames.heimlich_v0", "VARIANTS", "spygames.testing.variants.HEIMLICH"),
        ("spygames.core.search", "Memory", "spygames.core.simulations.SearchBuffers"),
    ],
)
def test_old_names(module: str, old: str, new: str) -> None:
    home, _, name = new.rpartition(".")
    with pytest.warns(DeprecationWarning, match=f"^{module}.{old} is deprecated .*: use {new}$"):
        found = getattr(__import__(module, fromlist=["x"]), old)
    assert found is getattr(__import__(home, fromlist=["x"]), name)


def test_texts_of_a_game_as_keyword_arguments() -> None:
    def draw(game: Game, s: object, viewer: int) -> str:
        return f"{game.name} for {viewer}"

    with pytest.warns(DeprecationWarning, match=r"^Game\(to_text=\.\.\.\) is .*: use Game\(texts=Texts\(\.\.\.\)\)$"):
        game = replace(GAME, to_text=draw)  # type: ignore[call-arg]
    assert game.to_text(as_record(game.start(1)), 1) == "kuhn_poker for 1"
    assert game.texts == replace(GAME.texts, to_text=draw)
    fields = {**GAME.__dict__, **GAME.texts.__dict__}
    del fields["texts"]
    with pytest.warns(DeprecationWarning, match="string_to_action"):
        assert Game(**{k: v for k, v in fields.items() if k[0] != "_"}).texts == GAME.texts  # type: ignore[call-arg]


def test_texts_of_a_game_called_with_the_game() -> None:
    states = GAME.start(1)
    s, again = as_record(states), GAME.new_states()
    with pytest.warns(DeprecationWarning, match=r"first argument of Game.state_to_dict .*: use Game.state_to_dict wit"):
        mapping = GAME.state_to_dict(GAME, s)  # type: ignore[call-arg]
    with pytest.warns(DeprecationWarning, match="first argument"):
        GAME.state_from_dict(GAME, mapping, as_record(again))  # type: ignore[call-arg]
    assert again.tobytes() == states.tobytes()
    with pytest.warns(DeprecationWarning, match="first argument"):
        assert GAME.to_text(GAME, s, 0) == GAME.to_text(s, 0)  # type: ignore[call-arg]
    with pytest.warns(DeprecationWarning, match="first argument"):
        text = GAME.action_to_string(GAME, s, 1, 0)  # type: ignore[call-arg]
    with pytest.warns(DeprecationWarning, match="first argument"):
        assert GAME.string_to_action(GAME, s, text, 0) == 1  # type: ignore[call-arg]


def test_old_attributes() -> None:
    env = SingleEnv(GAME, "random", seat=0)
    with pytest.warns(DeprecationWarning, match=r"^SingleEnv.table is .*: use SingleEnv.env$"):
        assert str(env.table) == str(env.env)
    batch = Batch(GAME, 1, seed=1)
    rng = np.zeros((1, 1), np.uint64)
    asked = batch.decisions(rng, np.arange(1))
    with pytest.warns(DeprecationWarning, match=r"^DecisionBatch.luck is .*: use DecisionBatch.rng$"):
        assert asked.luck is rng


def test_the_random_stream_of_recorded_players_by_its_old_name() -> None:
    players = [make_player(GAME, "random")] * 2
    with pytest.warns(DeprecationWarning, match=r"play_record\(luck\) is .*: use .*play_record\(rng_seed\)$"):
        recorded = play_record(GAME, players, 3, luck=5)
    assert recorded == play_record(GAME, players, 3, rng_seed=5)
