"""The classifier that names agents reads nothing hidden, finds a signal in the record, and finds none in noise."""

import json
from pathlib import Path

import numpy as np
import pytest
from studies import heimlich_identities as naming

from spygames.core.game.game import as_record
from spygames.core.players.names import make_player
from spygames.core.playing.batch import spread
from spygames_training.evaluation.play_games import play_games
from tests.games.heimlich.conftest import game_of

FULL = {"players": 4, "top_secret": True, "secret_identities": True}
HIDDEN = ("rng", "owner", "passports", "hands", "deck", "guesses", "former", "scores", "winners")
"""`scores` and `winners` are public, but at the end they hold rewards for predictions, which follow from passports."""


@pytest.mark.parametrize("options", [{"players": 3}, FULL], ids=str)
def test_features_depend_on_nothing_hidden(options: dict[str, object]) -> None:
    game = game_of(**options)
    states = naming.final_states(game, "random", 40, 3)
    seen = naming.public_record(game, states)
    assert seen.shape == (40, options["players"], game.packed["agents"][0], options["players"], 3)
    rng = np.random.default_rng(1)
    other = states.copy()
    for name in HIDDEN:
        other[name] = rng.integers(0, 5, other[name].shape)
    assert (naming.answers(game, other) != naming.answers(game, states)).any()
    assert np.array_equal(naming.public_record(game, other), seen)
    for i in range(len(states)):  # other passports change nothing either
        players = options["players"]
        other["passports"][i, :players] = rng.permutation(int(game.packed["agents"][0]))[:players]
    assert naming.features(naming.public_record(game, other)).equal(naming.features(seen))


def test_features_and_answers_belong_to_their_seats() -> None:
    game = game_of(players=3)
    states = naming.final_states(game, "random", 20, 4)
    seen = naming.public_record(game, states)
    for seat in range(3):
        for places in range(3):
            other = (seat + places) % 3
            assert np.allclose(seen[:, seat, :, places, 0] * 20, states["points"][:, :6, other])
            assert np.allclose(seen[:, seat, :, places, 1] * 10, states["times"][:, :6, other])
            assert np.allclose(seen[:, seat, :, places, 2] * 20, states["gains"][:, :6, other])
    assert naming.answers(game, states).tolist() == states["passports"][:, :3].tolist()


def test_final_states_are_those_in_which_games_end() -> None:
    game = game_of(players=3)
    states, seats, seeds = game.new_states(30), np.zeros((30, 3), np.int64), spread(np.uint64(1), 30)
    players = [make_player(game, "random")]
    rewards = play_games(game, players, seats, seeds, 1, finals=states)
    assert np.array_equal(rewards, play_games(game, players, seats, seeds, 1))
    assert (states["to_move"] == -1).all()
    for i in range(30):
        out = np.zeros(3, np.float32)
        game.returns(as_record(states, i), out)
        assert np.array_equal(out, rewards[i])


def planted(strength: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a public record of noise in which each seat's own agent, out of six, has more movements."""
    rng = np.random.default_rng(seed)
    seen, owned = (
        rng.random((400, 3, 6, 3, 3), np.float32),
        rng.permuted(np.tile(np.arange(6), (400, 1)), axis=1)[:, :3],
    )
    for game, seat in np.ndindex(400, 3):
        seen[game, seat, owned[game, seat], 0, 1] += strength
    return seen, owned


def test_a_planted_signal_is_found_and_noise_is_not() -> None:
    for strength, low, high in ((2.0, 0.97, 1.0), (0.0, 0.08, 0.26)):
        found = naming.measured("planted", *planted(strength, 5), 10.0, 0)
        assert low <= found.accuracy <= high
        assert found.interval[0] <= found.accuracy <= found.interval[1]
        assert found.games == 100
        assert found.chance == 1 / 6
        assert found == naming.measured("planted", *planted(strength, 5), 10.0, 0)
    assert naming.measured("planted", *planted(2.0, 6), 10.0, 0).rules["times"] > 0.97


def test_expert_1_hides_better_than_greedy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "named.json"
    assert naming.main(["--games", "400", "--json", str(file)]) == 0
    found = {result["player"]: result for result in json.loads(file.read_text())["results"]}
    assert found["expert-1"]["interval"][1] < found["greedy"]["interval"][0]
    assert found["random"]["accuracy"] < 1 / 6 + 0.08
    assert "expert-1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--games", "99"], "--games must be at least 100"),
        (["--players", "8"], "players must be one of"),
        (["--players-named", "nobody"], "no player 'nobody'"),
        (["--json", "."], "cannot be written"),
    ],
)
def test_wrong_input_gives_one_line(argv: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert naming.main(argv) == 2
    out, err = capsys.readouterr()
    lines = [line for line in err.splitlines() if not line.startswith("spygames: compiling")]
    assert (out, len(lines)) == ("", 1)
    assert words in lines[0]
