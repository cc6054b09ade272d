"""Line-ups: every player has every seat, partners stay together, and the results equal those of the games."""

import json
from pathlib import Path

import numpy as np
import pytest

import tests.poker.kuhn as kuhn
from spygames import make_game
from spygames.core.players.names import make_player
from spygames_training.evaluation.digests import player_digest
from spygames_training.evaluation.evaluation import evaluate
from spygames_training.evaluation.line_ups import line_up, rotations
from tests.cli.command import complaint, run

KUHN = kuhn.make_game()


def test_two_players_get_the_same_result_as_by_evaluate() -> None:
    first, second = line_up(KUHN, ["random", make_player(KUHN, "random")], 40, 3)
    expected = evaluate(KUHN, "random", "random", 40, 3)[0]
    assert (first.win_share, first.mean_return) == (expected.win_share, expected.mean_return)
    assert (first.interval, first.return_interval) == (expected.interval, expected.return_interval)
    assert (first.games, first.deals, first.rotations) == (40, 20, (0, 1))
    assert second.win_share == pytest.approx(1 - first.win_share)
    assert first.line_up == ("random", "random")


def test_players_with_equal_names_are_counted_as_one() -> None:
    game = make_game("heimlich_v0", players=3)
    greedy, others = line_up(game, ["greedy", "random", "random"], 31, 1)
    assert (greedy.player, greedy.seats, others.player, others.seats) == ("greedy", 1, "random", 2)
    assert (greedy.deals, greedy.games) == (11, 33)
    assert greedy.win_share > others.win_share
    again = line_up(game, ["greedy", "random", "random"], 31, 1)
    assert again == [greedy, others]


def test_two_names_of_one_agent_are_one_player() -> None:
    game = make_game("agent_avenue_v0")
    (both,) = line_up(game, ["best", "agent_avenue/simple-2"], games=20, seed=1)
    assert (both.player, both.seats, both.win_share) == ("agent_avenue/simple-2@argmax", 2, 0.5)
    assert len(line_up(game, ["best", "agent_avenue/simple-2@sample"], games=20, seed=1)) == 2


@pytest.mark.parametrize(
    ("name", "options", "moves"),
    [
        ("heimlich_v0", {"players": 4}, (0, 1, 2, 3)),
        ("agent_avenue_v0", {"players": 2}, (0, 1)),
        ("agent_avenue_v0", {"players": 3}, (0,)),  # two against one
        ("agent_avenue_v0", {"players": 4}, (0, 2)),  # seats 0 and 1 against 2 and 3
    ],
)
def test_partners_stay_together(name: str, options: dict[str, int], moves: tuple[int, ...]) -> None:
    game = make_game(name, **options)
    assert rotations(game) == moves
    for move in moves:
        moved = np.roll(np.arange(game.num_players), move).tolist()
        for a in range(game.num_players):
            for b in range(game.num_players):
                partners = game.side_of[a] == game.side_of[b]
                assert partners == (game.side_of[moved.index(a)] == game.side_of[moved.index(b)])


def test_the_wrong_number_of_players_is_refused() -> None:
    with pytest.raises(ValueError, match=r"line-up must have 2 players, .* not 3"):
        line_up(KUHN, ["random"] * 3, 10, 1)
    with pytest.raises(ValueError, match=r"line-up must have 2 players, .* not 1"):
        line_up(KUHN, "random", 10, 1)
    with pytest.raises(TypeError, match=r"game must be a Game, as spygames\.make_game"):
        line_up("kuhn", ["random"] * 2, 10, 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"games .*>= 1, not 0"):
        line_up(KUHN, ["random"] * 2, 0, 1)


def test_the_command_evaluates_a_line_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["--seats", "greedy", "random", "random", "--game", "heimlich_v0", "--option", "players=3", "--games", "30"]
    assert run("evaluate", *argv, "--seed", "1", "--json", tmp_path / "a.json") == 0
    assert "10 deals, each played in 3 rotations" in capsys.readouterr().out
    found = json.loads((tmp_path / "a.json").read_text())
    game = make_game("heimlich_v0", players=3)
    assert [r["win_share"] for r in found["results"]] == [
        r.win_share for r in line_up(game, ["greedy", "random", "random"], 30, 1)
    ]
    assert found["unit"] == "a deal, played once for each rotation of the line-up"
    digests = {name: player_digest(game, make_player(game, name)) for name in ("greedy", "random")}
    assert found["players"] == {name: {"digest": digest} for name, digest in digests.items()}
    assert "must have 3 players, one for each seat, not 2" in complaint(
        ["evaluate", "--seats", "random", "random", *argv[4:]], capsys
    )
    assert "the line-up must have 3 players, one for each seat, not 4" in complaint(
        ["evaluate", "random", *argv], capsys
    )
