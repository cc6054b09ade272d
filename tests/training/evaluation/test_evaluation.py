"""Evaluation counts every game once, rotates players through all seats, and reports its uncertainty."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import scipy.stats

from spygames import heimlich
from spygames.agent_avenue import make_game
from spygames.core.game.game import Game, IllegalAction, as_record
from spygames.core.players.names import DecisionBatch, Player, make_player
from spygames.core.playing.batch import spread
from spygames.core.playing.session import play
from spygames_training.evaluation import evaluation, line_ups
from spygames_training.evaluation import play_games as lockstep
from spygames_training.evaluation.evaluation import (
    bootstrap,
    cross_play,
    evaluate,
    paired_differences,
    share_matrix,
    wilson,
)
from spygames_training.evaluation.line_ups import line_up
from spygames_training.evaluation.play_games import play_games
from spygames_training.evaluation.sequential import SequentialTest, compare
from tests.poker import kuhn, leduc
from tests.support import pennies

GAMES = {
    "agent_avenue": make_game(),
    "kuhn": kuhn.make_game(),
    "leduc": leduc.make_game(),
    "pennies": pennies.make_game(),
}


@dataclass
class Stubborn:
    """Always plays the n-th legal action, counted from the back if negative."""

    n: int
    name: str = "stubborn"

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        legal = [np.flatnonzero(decisions.mask[row]) for row in decisions.rows]
        return np.array([actions[min(self.n, len(actions) - 1)] for actions in legal], np.int64)


FIRST, LAST = Stubborn(0, "first"), Stubborn(-1, "last")
PASSER, BETTOR = Stubborn(0, "passer"), Stubborn(1, "bettor")  # in Kuhn poker


def alone(game: Game, players: list[Player], seats: np.ndarray, seed: np.uint64, stream: np.uint64) -> np.ndarray:
    """Play one game by itself and return its results, [P]."""
    states, streams = game.start(int(seed)), np.array([[stream]], np.uint64)
    for action in play(game, states, [players[who] for who in seats], streams):
        game.apply(as_record(states), action)
    out = np.zeros(game.num_players, np.float32)
    game.returns(as_record(states), out)
    return out


@pytest.mark.parametrize("name", GAMES)
def test_games_in_lockstep_equal_games_played_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game, n = GAMES[name], 60
    players = [make_player(game, "random"), FIRST, LAST]
    rng = np.random.default_rng(0)
    seating, seeds = rng.integers(0, 3, (n, game.num_players)), spread(np.uint64(7), n)
    ended: list[int] = []
    found = play_games(game, players, seating, seeds, 11, ended.append)
    assert (found.dtype, found.shape) == (np.float32, (n, game.num_players))
    assert sum(ended) == n
    expected = [alone(game, players, *row) for row in zip(seating, seeds, spread(np.uint64(11), n), strict=True)]
    np.testing.assert_array_equal(found, expected)
    assert len(np.unique(found, axis=0)) > 1
    monkeypatch.setattr(lockstep, "LOCKSTEP", 7)
    np.testing.assert_array_equal(play_games(game, players, seating, seeds, 11), found)


def test_a_game_that_does_not_end_is_stopped_without_a_winner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lockstep, "MAX_DECISIONS", 2)
    game, n, ended = GAMES["kuhn"], 300, []
    seating, seeds = np.tile([0, 1], (n, 1)), spread(np.uint64(7), n)
    players = [make_player(game, "random"), make_player(game, "random")]
    with pytest.warns(UserWarning, match=r"^\d+ of 300 games of random .* 2 decisions"):
        short = play_games(game, players, seating, seeds, 11, ended.append)
    assert sum(ended) == n
    monkeypatch.undo()
    whole = play_games(game, players, seating, seeds, 11)
    stopped = (short == 0).all(axis=1)
    assert 20 < stopped.sum() < 150  # pass, bet, and then an answer: a quarter
    np.testing.assert_array_equal(short[~stopped], whole[~stopped])


def test_the_end_of_a_stopped_game_is_its_last_state_and_the_players_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int, list[float]]] = []

    class Told(Stubborn):
        def ended(self, row: int, seat: int, returns: np.ndarray, notes: object) -> None:
            told.append((row, seat, returns.tolist()))

    monkeypatch.setattr(lockstep, "MAX_DECISIONS", 1)
    game, seeds = GAMES["kuhn"], spread(np.uint64(7), 3)
    finals, expected = game.new_states(3), np.concatenate([game.start(int(seed)) for seed in seeds])
    for k in range(3):
        game.apply(as_record(expected, k), 1)
    with pytest.warns(UserWarning, match="3 of 3 games of bettor were stopped"):
        play_games(game, [Told(1, "bettor")], np.zeros((3, 2), np.int64), seeds, 1, finals=finals)
    assert finals.tobytes() == expected.tobytes()
    assert sorted(told) == [(row, seat, [0.0, 0.0]) for row in range(3) for seat in range(2)]


def test_an_interval_of_returns_contains_those_above_the_largest_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between three sides a winner gets 1, and each loser pays a half."""

    def winning(game: Game, matches: list[lockstep.Match], *_: object) -> list[tuple[np.ndarray, None]]:
        return [(np.ones((len(match.seeds), 3), np.float32), None) for match in matches]

    game = replace(GAMES["pennies"], lowest_return=-0.5)
    for module in (evaluation, line_ups):
        monkeypatch.setattr(module, "settled_matches", winning)
    for result in (*evaluate(game, FIRST, LAST, 6, 1), *line_up(game, [FIRST] * 3, 6, 1)):
        assert result.return_interval == pytest.approx(wilson(1.0, 2, -1.0, 1.0))


def test_always_betting_wins_the_antes_of_always_passing() -> None:
    (result,) = evaluate(GAMES["kuhn"], BETTOR, [PASSER], 51, 0)
    assert (result.challenger, result.opponent, result.deals, result.games) == ("bettor", "passer", 26, 52)
    assert (result.win_share, result.by_side, result.mean_return) == (1.0, (1.0, 1.0), 1.0)
    (reverse,) = evaluate(GAMES["kuhn"], PASSER, [BETTOR], 51, 0)
    assert (reverse.win_share, reverse.by_side, reverse.mean_return) == (0.0, (0.0, 0.0), -1.0)


def test_intervals_are_computed_over_deals() -> None:
    """Two identical players win each deal from one side: exactly half of the games, with little uncertainty."""
    (result,) = evaluate(GAMES["kuhn"], BETTOR, [BETTOR], 200, 0)
    assert (result.win_share, result.mean_return) == (0.5, 0.0)
    assert result.interval == pytest.approx((0.5 - 0.0185, 0.5 + 0.0185), abs=1e-4)
    assert 0.3 < result.by_side[0] < 0.7
    assert result.by_side[0] != 0.5
    assert sum(result.by_side) == pytest.approx(1)


def test_a_game_without_a_winner_is_half_a_win() -> None:
    game = GAMES["leduc"]
    seating = np.tile([0, 1], (400, 1))
    returns = play_games(game, [BETTOR, BETTOR], seating, spread(np.uint64(0), 400), 1)
    drawn = (returns == 0).all(axis=1).mean()
    assert drawn > 0.02
    (result,) = evaluate(game, BETTOR, [BETTOR], 800, 0)
    assert result.by_side[0] == pytest.approx((returns[:, 0] > 0).mean() + drawn / 2)
    assert sum(result.by_side) == pytest.approx(1)


def test_with_more_seats_the_challenger_takes_each_seat_once_per_deal() -> None:
    game = GAMES["pennies"]
    seen = []

    class Watched(Stubborn):
        def act(self, decisions: DecisionBatch) -> np.ndarray:
            seen.append((self.name, set(decisions.states["to_move"][decisions.rows].tolist())))
            return super().act(decisions)

    random = make_player(game, "random")
    (result,) = evaluate(game, Watched(0, "me"), [random], 300, 0)
    assert (result.deals, result.games, len(result.by_side)) == (100, 300, 3)
    assert set().union(*(seats for _, seats in seen)) == {0, 1, 2}
    (other,) = evaluate(game, random, [Watched(0, "me")], 300, 0)
    assert result.win_share != pytest.approx(1 - other.win_share)  # one against two differs from two against one


@pytest.mark.parametrize("players", [3, 4])
def test_a_team_is_one_side(players: int) -> None:
    game = make_game(players=players)
    seatings = set()

    class Watched(Stubborn):
        def act(self, decisions: DecisionBatch) -> np.ndarray:
            seatings.update((self.name, int(seat)) for seat in decisions.states["to_move"][decisions.rows])
            return super().act(decisions)

    ended: list[int] = []
    greedy = make_player(game, "greedy")
    (result,) = evaluate(game, greedy, [FIRST], 200, 0, ended.append)
    assert (result.deals, result.games, len(result.by_side), result.fair_share) == (100, 200, 2, 0.5)
    assert sum(ended) == evaluation.total_games(game, 200, 1, 1) == 200
    (other,) = evaluate(game, FIRST, [greedy], 200, 0)
    assert result.win_share == pytest.approx(1 - other.win_share)
    # By hand: the team has seats 0 and 1 in one game of each deal and the other seats in the next one.
    seating = np.tile([[0, 0, 1, 1][:players], [1, 1, 0, 0][:players]], (100, 1))
    stream = int(evaluation.next_seed(np.uint64(0)))
    returns = play_games(game, [greedy, FIRST], seating, np.repeat(spread(np.uint64(0), 100), 2), stream)
    assert result.by_side[0] == (returns[::2, 0] > 0).mean() + (returns[::2, 0] == 0).mean() / 2
    assert result.by_side[1] == (returns[1::2, 2] > 0).mean() + (returns[1::2, 2] == 0).mean() / 2
    evaluate(game, Watched(0, "me"), [Watched(-1, "you")], 20, 0)
    assert seatings == {(name, seat) for name in ("me", "you") for seat in range(players)}


def test_the_fair_share_is_what_the_opponent_wins_in_all_seats() -> None:
    game = heimlich.make_game(players=3)
    greedy, random = make_player(game, "greedy"), make_player(game, "random")
    ended: list[int] = []
    (result,) = evaluate(game, greedy, [random], 300, 4, ended.append)
    assert sum(ended) == evaluation.total_games(game, 300, 1, 1) == 400
    returns = play_games(
        game, [random], np.zeros((100, 3), np.int64), spread(np.uint64(4), 100), int(evaluation.next_seed(np.uint64(4)))
    )
    assert result.fair_share == (returns > 0).mean()
    assert 0 < result.fair_share < 1 / 3 + 0.05  # a free agent may be ahead of all players
    assert result.win_share > result.fair_share


def test_the_fair_share_is_that_of_a_side_and_not_of_a_seat() -> None:
    game = replace(heimlich.make_game(players=4), teams=(0, 0, 1, 2))
    returns = np.array([[1, 1, -1, -1], [1, 1, -1, -1], [-1, -1, 1, -1]], np.float32)
    assert evaluation._fair_shares(game, [returns], 1) == [pytest.approx(1 / 3)]


def test_a_game_of_one_side_has_a_fair_share() -> None:
    """All seats are one team, as in a game against the rules. Nobody folds here, so both players win the same deals."""
    game = replace(kuhn.make_game(), teams=(0, 0))
    ended: list[int] = []
    (result,) = evaluate(game, PASSER, BETTOR, 50, 1, ended.append)
    assert (result.games, result.by_side) == (50, (result.win_share,))
    assert 0 < result.fair_share == result.win_share < 1
    assert sum(ended) == evaluation.total_games(game, 50, 1, 1) == 100
    first, _ = cross_play(game, [PASSER, BETTOR], 50, 1)
    assert first == result


def test_cross_play_agrees_with_evaluate() -> None:
    for name, players in (("leduc", [FIRST, BETTOR, LAST]), ("pennies", [FIRST, LAST, "random"])):
        game = GAMES[name]
        ended: list[int] = []
        results = cross_play(game, players, 90, 3, ended.append)
        expected = [evaluate(game, a, [b], 90, 3)[0] for a in players for b in players if a is not b]
        assert results == expected
        assert sum(ended) == evaluation.total_cross_games(game, 90, len(players))
        shares = share_matrix(results, len(players))
        assert np.isnan(np.diag(shares)).all()
        assert shares[0, 1] == expected[0].win_share
        assert shares[1, 0] == expected[len(players) - 1].win_share


def test_a_seed_determines_the_result() -> None:
    game = GAMES["agent_avenue"]
    greedy, random = make_player(game, "greedy"), make_player(game, "random")
    first = evaluate(game, greedy, [random], 100, 5)
    assert first == evaluate(game, greedy, [random], 100, 5)
    others = [evaluate(game, greedy, [random], 100, seed)[0] for seed in (6, 7, 2**64 - 1)]
    assert len({(r.win_share, r.by_side) for r in [*first, *others]}) > 1
    with pytest.raises(ValueError, match=r"games .*>= 1"):
        evaluate(game, greedy, [random], 0, 5)


def test_differences_are_paired_by_deal() -> None:
    """Two players with mostly the same luck differ by less than the width of their own intervals."""
    game = GAMES["agent_avenue"]
    greedy, random = make_player(game, "greedy"), make_player(game, "random")
    results = [r for player in (greedy, FIRST) for r in evaluate(game, player, [random, LAST], 400, 2)]
    assert [len(r.by_deal) for r in results] == [200] * 4
    assert all(np.mean(r.by_deal) == pytest.approx(r.win_share) for r in results)
    found = paired_differences(results, 2)
    assert [(d.challenger, d.than, d.opponent) for d in found] == [
        ("greedy", "first", "random"),
        ("greedy", "first", "last"),
    ]
    for d, (one, other) in zip(found, ((0, 2), (1, 3)), strict=True):
        values = np.subtract(results[one].by_deal, results[other].by_deal)
        assert d.win_share == pytest.approx(results[one].win_share - results[other].win_share)
        assert d.interval == bootstrap(values, 2)
    (same,) = paired_differences([results[0], results[0]], 2)
    assert same.win_share == 0
    assert same.interval[0] < 0 < same.interval[1]
    assert same.interval_method == "Wilson over deals"


def test_bootstrap_is_as_wide_as_theory_says() -> None:
    rng = np.random.default_rng(0)
    for values in (rng.random(1000) < 0.3, rng.normal(5, 2, 400)):
        low, high = bootstrap(values.astype(np.float64), 1)
        error = values.std() / len(values) ** 0.5
        assert low == pytest.approx(values.mean() - 1.96 * error, abs=0.2 * error)
        assert high == pytest.approx(values.mean() + 1.96 * error, abs=0.2 * error)


@pytest.mark.parametrize("deals", [1, 7, 100, 1 << 16, (1 << 16) + 1])
def test_bootstrap_draws_resamples_one_after_another(deals: int) -> None:
    values = (np.random.default_rng(0).random(deals) < 0.3).astype(np.float64)  # sums of these values are exact
    rng = np.random.default_rng(1)
    means = [values[rng.integers(0, deals, deals)].mean() for _ in range(40)]
    assert bootstrap(values, 1, 40) == tuple(np.quantile(means, (0.025, 0.975)))


def test_the_interval_has_a_width_if_all_deals_agree() -> None:
    """The interval is Wilson's over deals; for 100 of 100 his formula gives 96.3 to 100 %."""
    game = GAMES["kuhn"]
    for challenger, opponent, share in ((BETTOR, PASSER, 1.0), (PASSER, BETTOR, 0.0)):
        for deals in (1, 2, 100):
            (result,) = evaluate(game, challenger, [opponent], 2 * deals, 0)
            test = scipy.stats.binomtest(round(share * deals), deals).proportion_ci(0.95, "wilson")
            assert result.interval == pytest.approx((test.low, test.high))
            assert result.interval_method == result.return_interval_method == "Wilson over deals"
            low, high = result.return_interval  # for results from -2 to 2
            assert (low, high) == pytest.approx(wilson(2 * share - 1, deals, -2, 2))
            assert low < result.mean_return < high
    assert wilson(0.5, 100, 0, 1) == pytest.approx((0.5 - 0.0185, 0.5 + 0.0185), abs=1e-4)
    (usual,) = evaluate(game, make_player(game, "random"), [BETTOR], 200, 0)
    assert usual.interval_method == usual.return_interval_method == "bootstrap over deals"


class Answering:
    """Returns `change` of the correct answer."""

    name = "answering"

    def __init__(self, change: Callable[[np.ndarray], Any]) -> None:
        self.change = change

    def act(self, decisions: DecisionBatch) -> Any:
        right = FIRST.act(decisions)
        decisions.mask[decisions.rows] = 1  # must not change which actions are legal
        return self.change(right)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda right: right.astype(np.float64), r"5 actions, int64 \[5\], not array"),
        (lambda right: right.astype(bool), "5 actions, int64"),
        (lambda right: right[:1], "5 actions, int64"),
        (lambda right: right[:-1], "5 actions, int64"),
        (lambda right: right[:, None], "5 actions, int64"),
        (lambda right: int(right[0]), "5 actions, int64"),
        (lambda right: None, "5 actions, int64"),
        (lambda right: [[0], [0, 1]], "5 actions, int64"),
        (lambda right: right * 0 - 1, "an illegal action: -1 for seat 0; legal are "),
        (lambda right: right * 0 + 10**6, "an illegal action: 1000000 for seat 0; legal are "),
        (lambda right: right * 0 + 73, "an illegal action: 73 for seat 0; legal are "),
    ],
)
def test_an_invalid_answer_names_the_player(change: Callable[[np.ndarray], Any], what: str) -> None:
    game = GAMES["agent_avenue"]
    with pytest.raises(IllegalAction, match=f"the player answering .*{what}") as error:
        evaluate(game, Answering(change), [FIRST], 10, 0)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("limit", [0, -1, np.nan, "1", True])
def test_a_limit_is_a_time(limit: Any) -> None:
    game = GAMES["kuhn"]
    for run in (
        lambda: evaluate(game, "random", FIRST, 10, 0, limit=limit),
        lambda: cross_play(game, ["random", FIRST], 10, 0, limit=limit),
        lambda: line_up(game, ["random", FIRST], 10, 0, limit=limit),
        lambda: compare(game, "random", FIRST, SequentialTest(0.5, 0.6), max_games=10, seed=0, limit=limit),
    ):
        with pytest.raises(ValueError, match=r"limit must be a number from 0\.001 to 1e"):
            run()


def test_deals_have_a_seed_and_a_challenger_is_one_player() -> None:
    game = GAMES["kuhn"]
    for wrong in (None, -1, 2**64, 1.0, True):
        with pytest.raises(ValueError, match="seed must be an integer from 0"):
            evaluate(game, "random", ["random", "random"], 10, wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="challenger must be one player; cross_play takes several"):
        evaluate(game, ["random"], "random", 10, 0)  # type: ignore[arg-type]
    for name in (None, 1):
        with pytest.raises(TypeError, match="name of a player must be a text such as 'greedy', not "):
            make_player(game, name)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"game must be a Game, as spygames\.make_game"):
        make_player("agent_avenue_v0", "greedy")  # type: ignore[arg-type]


def test_answers_of_other_integer_types_are_accepted() -> None:
    game = GAMES["agent_avenue"]
    same = [Answering(lambda right: right.astype(np.uint8)), Answering(lambda right: right.tolist())]
    shares = {evaluate(game, player, [LAST], 10, 0)[0].by_side for player in (FIRST, *same)}
    assert len(shares) == 1


def test_players_by_name() -> None:
    game = GAMES["kuhn"]
    by_name = evaluate(game, "random", ["random"], 20, 0)
    assert by_name == evaluate(game, make_player(game, "random"), "random", 20, 0)
    assert cross_play(game, ["random", BETTOR], 20, 0)[0].opponent == "bettor"
    with pytest.raises(ValueError, match=r"no player 'greedy'.*kuhn_poker_v0.* random"):
        evaluate(game, "greedy", [BETTOR], 20, 0)
    nobody: Any
    for nobody in (None, 5, Stubborn):
        with pytest.raises(TypeError, match=r"player must be .* Player, not "):
            evaluate(game, BETTOR, [nobody], 20, 0)


def test_bootstrap_covers_the_truth() -> None:
    """The 95 % interval contains the true mean in about 95 % of 300 samples; 271 to 297 fails once in ten thousand."""
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(300):
        low, high = bootstrap((rng.random(200) < 0.7).astype(np.float64), 1, 400)
        inside += low <= 0.7 <= high
    assert 268 <= inside <= 297
