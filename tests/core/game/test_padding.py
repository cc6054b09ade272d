"""Records are aligned in memory, and files hold their fields without padding."""

import copy
import pickle
from itertools import chain

import numpy as np
import pytest

from spygames import make_game
from spygames.core.game.game import Game
from spygames.core.game.padding import from_fields, to_fields, without_padding
from spygames.core.game.registry import game_ids
from spygames.core.playing.batch import Batch
from spygames.testing.trial import has_no_padding
from spygames.testing.variants import VARIANTS
from tests.poker import kuhn, leduc
from tests.support import pennies, recall

RECORD = np.dtype(
    [
        ("wide", np.uint64),
        ("inner", np.dtype([("count", np.int32), ("flag", np.int8, 2), ("padding", np.int8, 2)], align=True), 2),
        ("small", np.int16, (2, 2)),
        ("padding", np.int8, 8),
    ],
    align=True,
)
EMPTY = np.dtype([], align=True)


def games() -> list[Game]:
    variants = [make_game(game_id, **options) for game_id in game_ids() for options in chain(*VARIANTS[game_id])]
    return [*variants, *(module.make_game() for module in (kuhn, leduc, recall, pennies))]


def test_records_of_all_games_are_aligned_and_fully_named() -> None:
    for game in games():
        for dtype in (game.state_dtype, game.view_dtype, game.packed.dtype):
            assert dtype.isalignedstruct, game.title
            assert has_no_padding(dtype), game.title
            for name in dtype.names or ():
                assert dtype[name].base.names is None or dtype[name].base.isalignedstruct, game.title


def test_without_padding_fields_are_adjacent() -> None:
    packed = without_padding(RECORD)
    assert packed.names == ("wide", "inner", "small")
    assert packed["inner"].base.names == ("count", "flag")
    assert packed.itemsize == 8 + 2 * (4 + 2) + 2 * 2 * 2
    assert without_padding(EMPTY).itemsize == 0
    assert len(to_fields(np.zeros(3, np.dtype([("a", np.int8), ("none", EMPTY)])))[0]) == 1


def test_fields_are_read_back_by_name() -> None:
    rng = np.random.default_rng(0)
    packed = rng.integers(0, 256, 3 * without_padding(RECORD).itemsize, np.uint8).view(without_padding(RECORD))
    records = from_fields(RECORD, packed.view(np.uint8).reshape(3, -1))
    for name in ("wide", "small"):
        np.testing.assert_array_equal(records[name], packed[name])
    for name in ("count", "flag"):
        np.testing.assert_array_equal(records["inner"][name], packed["inner"][name])
    assert not records["padding"].any()
    assert not records["inner"]["padding"].any()
    assert to_fields(records).tobytes() == packed.tobytes()
    with pytest.raises(ValueError, match="must have 28 bytes, not 27"):
        from_fields(RECORD, np.zeros((3, 27), np.uint8))


@pytest.mark.parametrize("copied", [copy.deepcopy, np.array, lambda a: pickle.loads(pickle.dumps(a))])
def test_copies_of_states_are_equal_in_bytes(copied) -> None:  # noqa: ANN001
    """NumPy does not copy bytes that belong to no field, so every byte must belong to one."""
    batch = Batch(kuhn.make_game(), 64, 1)
    for _ in range(7):
        batch.step(batch.mask.argmax(1))
        dirty = [np.full(batch.states.nbytes, 0xAB, np.uint8) for _ in range(9)]
        del dirty
        assert copied(batch.states).tobytes() == batch.states.tobytes()


@pytest.mark.parametrize("game_id", game_ids())
def test_a_state_with_nonzero_padding_is_not_possible(game_id: str) -> None:
    game = make_game(game_id)
    states = game.start(1)
    assert game.is_possible(states)
    record = states if "padding" in (states.dtype.names or ()) else states["options"]
    for byte in range(record["padding"].shape[1]):
        other = states.copy()
        (other if record is states else other["options"])["padding"][0, byte] = 1
        assert not game.is_possible(other)
