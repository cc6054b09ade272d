"""Mixtures: one of several players is drawn for each game and side."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spygames import make_game
from spygames.core.game.game import Game, as_record
from spygames.core.players.mixture import MixturePlayer
from spygames.core.players.names import PlayerName, make_player, runs_code
from spygames.core.players.player import DecisionBatch, Player, PlayerFailed, new_memory
from spygames.core.playing.batch import Batch
from spygames.core.playing.session import Session
from spygames_training import evaluate
from spygames_training.config import PPO, Config, Network, Opponents
from spygames_training.evaluation.digests import full_name, player_digest, trained_against
from spygames_training.runs.run import Run
from tests.poker import kuhn

GAME = kuhn.make_game()


class Fixed:
    """A player that always takes one legal action, by its rank among them, and counts its decisions in its memory."""

    memory_size = 1

    def __init__(self, rank: int) -> None:
        self.name, self.rank = f"fixed {rank}", rank
        self.asked: list[tuple[int, int, float]] = []
        self.told: list[tuple[int, int]] = []

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        d, actions = decisions, []
        assert d.memory is not None
        for row in d.rows.tolist():
            seat = int(d.states["to_move"][row])
            d.memory[row, seat, 0] += 1
            self.asked.append((row, seat, float(d.memory[row, seat, 0])))
            actions.append(np.flatnonzero(d.mask[row])[min(self.rank, d.mask[row].sum() - 1)])
        return np.array(actions)

    def ended(self, row: int, seat: int, returns: np.ndarray, notes: Any) -> None:
        self.told.append((row, seat))


def played(game: Game, players: list[Player], seating: list[int], n: int, seed: int = 0) -> Iterator[np.ndarray]:
    """Play n games to their ends; yield the rows and seats that are asked, int64 [2, k], before each decision."""
    batch = Batch(game, n, 1)
    rng = np.random.default_rng(seed).integers(2**64, size=(n, 1), dtype=np.uint64)
    session = Session(batch, players, np.tile(seating, (n, 1)), rng)
    running = batch.all
    while len(running):
        yield np.stack([running, batch.seats[running]])
        running = np.setdiff1d(running, session.apply(running, session.ask(running)))


def drawn(game: Game, seating: list[int], others: list[Player], n: int = 300) -> tuple[np.ndarray, list[Fixed]]:
    """Play with a mixture as player 0; return the member of each seat, int64 [n, P], -1 if it was not asked."""
    members = [Fixed(0), Fixed(1), Fixed(2)]
    for _ in played(game, [MixturePlayer(game, members), *others], seating, n):
        pass
    found = np.full((n, game.num_players), -1)
    for k, member in enumerate(members):
        for row, seat, _ in member.asked:
            assert found[row, seat] in (-1, k)  # the same member to the end of the game
            found[row, seat] = k
    return found, members


def test_each_game_and_side_draws_its_member_once() -> None:
    game = make_game("agent_avenue_v0")
    found, members = drawn(game, [0, 0], [])
    both = found[(found >= 0).all(axis=1)]
    assert len(both) > 250
    for a in range(3):
        for b in range(3):  # 9 equally likely pairs
            assert 10 < (both == (a, b)).all(axis=1).sum() < 70
    for member in members:
        counts = {}
        for row, seat, count in member.asked:  # a member has its own memory, from zeros
            counts[row, seat] = counts.get((row, seat), 0) + 1
            assert count == counts[row, seat]
        assert len(member.told) == 600  # every member is told about the end of every game


def test_a_team_draws_together() -> None:
    game = make_game("agent_avenue_v0", players=4)
    side = [seat for seat in range(4) if game.side_of[seat] == 0]
    seating = [0 if seat in side else 1 for seat in range(4)]
    found, _ = drawn(game, seating, [make_player(game, "random")])
    one, other = found[:, side].T
    asked = (one >= 0) & (other >= 0)
    assert asked.sum() > 100
    np.testing.assert_array_equal(one[asked], other[asked])
    assert len(np.unique(one[asked])) == 3


def test_a_partner_with_other_memory_is_left_alone() -> None:
    """The partner's memory is neither changed nor taken for a draw."""
    game = make_game("agent_avenue_v0", players=4)
    partner = Fixed(0)
    seating = [2, 2, 2, 2]
    mine, theirs = [seat for seat in range(4) if game.side_of[seat] == 0]
    seating[mine], seating[theirs] = 0, 1
    found, _ = drawn(game, seating, [partner, make_player(game, "random")])
    assert {*np.unique(found[:, mine])} >= {0, 1, 2}
    counts: dict[int, int] = {}
    for row, _, count in partner.asked:
        counts[row] = counts.get(row, 0) + 1
        assert count == counts[row]


def test_another_mixture_in_the_team_draws_by_itself() -> None:
    """The draw of a partner's mixture, which may have fewer members, is not taken for its own."""
    game = make_game("agent_avenue_v0", players=4)
    mine, theirs = [seat for seat in range(4) if game.side_of[seat] == 0]
    for first, second in ((mine, theirs), (theirs, mine)):
        partner, seating = MixturePlayer(game, [Fixed(0), Fixed(0)]), [2, 2, 2, 2]
        seating[first], seating[second] = 1, 0
        found, _ = drawn(game, seating, [partner, make_player(game, "random")], n=100)
        counts = np.bincount(found[found[:, second] >= 0, second], minlength=3)
        assert counts.min() > 15


def test_a_wrong_answer_names_the_member() -> None:
    class Single(Fixed):
        def act(self, decisions: DecisionBatch) -> np.ndarray:
            return np.int64(0)  # type: ignore[return-value]

    with pytest.raises(PlayerFailed, match=r"^the player fixed 1 must answer \d actions"):
        for _ in played(GAME, [MixturePlayer(GAME, [Single(1), Single(1)])], [0, 0], 9):
            pass


def test_games_do_not_depend_on_their_grouping_and_are_repeatable() -> None:
    game = make_game("agent_avenue_v0")
    player, spec = "mix:greedy|random|expert", "random"
    shares = [evaluate(game, player, spec, games=40, seed=seed)[0].win_share for seed in (1, 1)]
    assert shares[0] == shares[1]
    n, mixture = 32, make_player(game, player)
    batch = Batch(game, n, 5)
    rng = np.random.default_rng(3).integers(2**64, size=(n, 1), dtype=np.uint64)

    def actions(groups: list[np.ndarray]) -> np.ndarray:
        streams, memory, found = rng.copy(), new_memory(game, [mixture], n), np.zeros(n, np.int64)
        for rows in groups:
            found[rows] = mixture.act(batch.decisions(streams, rows, memory))
        return found

    np.testing.assert_array_equal(actions([batch.all]), actions([batch.all[k::4] for k in range(4)]))


def test_hidden_truth_makes_no_difference() -> None:
    """Actions stay the same if everything that the seat to move cannot know is drawn again."""
    game = make_game("agent_avenue_v0")
    mixture = make_player(game, "mix:greedy|agent_avenue/simple-2|expert")
    n = 64
    batch, other = Batch(game, n, 5), Batch(game, n, 5)
    rng = np.random.default_rng(3)
    for _ in range(9):
        actions = (rng.random(batch.mask.shape) * batch.mask).argmax(axis=1)
        batch.step(actions)
        other.step(actions)
    for i in range(n):
        game.determinize(as_record(other.states, i), int(other.seats[i]), np.uint64(i))
    other.resume(other.states.copy(), other.seeds)
    streams = rng.integers(2**64, size=(n, 1), dtype=np.uint64)
    found = []
    for each in (batch, other):
        memory = new_memory(game, [mixture], n)
        found.append((mixture.act(each.decisions(streams.copy(), each.all, memory)), memory))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])


def test_it_trains_as_an_opponent(tmp_path: Path) -> None:
    bots = ("mix:random|mcts:1",)
    config = Config(
        network=Network((8,)), ppo=PPO(games=8, steps=8, minibatch=16), workers=1, opponents=Opponents(0.5, bots),
        evaluate_against=bots, evaluate_games=4, decisions=128,
    )  # fmt: skip
    run = Run.create(config, tmp_path, game=GAME)
    run.update()
    run.save()
    run.close()
    again = Run.resume(tmp_path, game=GAME)
    assert "won_at_tables/mix:random|mcts:1" in again.update()
    assert "win_share/mix:random|mcts:1" in again.evaluate()
    again.close()


def test_digest_and_name_are_made_of_the_members(tmp_path: Path) -> None:
    game = make_game("agent_avenue_v0")

    def digest(name: str) -> str | None:
        return player_digest(game, make_player(game, name))

    one = digest("mix:greedy|agent_avenue/simple-2")
    assert one == digest("mix:greedy|best@sample")
    assert one not in (digest("mix:agent_avenue/simple-2|greedy"), digest("mix:expert|agent_avenue/simple-2"), None)
    name = "mix:greedy|best|agent_avenue/simple-2@sample"
    expected = "mix:greedy|agent_avenue/simple-2@argmax|agent_avenue/simple-2@sample"
    assert str(full_name(game, name, make_player(game, name))) == expected
    unknown = MixturePlayer(game, [make_player(game, "greedy"), Fixed(0)])
    assert player_digest(game, unknown) is None
    agent, mixture = make_player(game, "agent_avenue/simple-2"), make_player(game, "mix:greedy|mcts:5")
    assert trained_against(game, agent, mixture) is True
    assert trained_against(game, mixture, make_player(game, "greedy")) is False
    assert trained_against(game, unknown, make_player(game, "greedy")) is None


def test_names_of_mixtures() -> None:
    name = PlayerName.parse("mix:a/b@argmax|c/d+search:8|greedy")
    assert (name.kind, name.play, name.search, str(name)) == ("mix", "", None, "mix:a/b@argmax|c/d+search:8|greedy")
    assert [(each.source, each.play, each.search) for each in name.members] == [
        ("a/b", "argmax", None), ("c/d", "", "8"), ("greedy", "", None),
    ]  # fmt: skip
    assert name.searches
    assert not PlayerName.parse("mix:greedy|random").searches
    assert PlayerName.parse("greedy").members == (PlayerName("greedy"),)


def test_a_mixture_runs_code_if_a_member_does() -> None:
    assert not runs_code("mix:random|onnx:model.onnx|mcts:5|runs/a")
    for member in ("python:my_bot.act", "command:./bot", "network:a.B:runs/a"):
        assert runs_code(f"mix:random|{member}")
    with pytest.raises(ValueError, match=r"must not run code, but 'mix:random\|python:x\.y' does"):
        make_player(GAME, "mix:random|python:x.y", allow_code=False)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("mix:random", "a mixture must have at least two players, as in mix:A|B, not 1"),
        ("mix:", "a player of a mixture is missing in 'mix:'"),
        ("mix:random|", "a player of a mixture is missing in 'mix:random|'"),
        ("mix:|", "a player of a mixture is missing in 'mix:|'"),
        ("mix:random|zebra", "no player 'zebra'"),
        (
            "mix:random|mix:random",
            "a player of a mixture must be no mixture and no search with rivals, not 'mix:random'",
        ),
        ("mix:runs/a+search:8,rivals=policy|random", "no search with rivals, not 'runs/a+search:8,rivals=policy'"),
        (PlayerName("mix:random|random", "argmax"), "a mixture takes no @argmax: write it behind each of its players"),
    ],
)
def test_invalid_mixtures_are_refused(spec: str | PlayerName, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        make_player(GAME, spec)
    assert "\n" not in str(error.value)


def test_only_members_that_follow_games_are_told_the_end() -> None:
    assert hasattr(MixturePlayer(GAME, [Fixed(0), make_player(GAME, "random")]), "ended")
    assert not hasattr(MixturePlayer(GAME, [make_player(GAME, "random")] * 2), "ended")
    twice = Fixed(0)
    MixturePlayer(GAME, [twice, Fixed(1), twice]).ended(3, 1, np.zeros(2), None)
    assert twice.told == [(3, 1)]


def test_members_that_compare_equal_are_different_players() -> None:
    """Such as data classes, which have no hash."""

    class Equal(Fixed):
        def __eq__(self, other: object) -> bool:
            return True

    one, other = Equal(0), Equal(0)
    MixturePlayer(GAME, [one, other, one]).ended(3, 1, np.zeros(2), None)
    assert one.told == other.told == [(3, 1)]


def test_members_must_be_players() -> None:
    player = make_player(GAME, "random")
    for wrong in ("random", PlayerName("random"), None):
        with pytest.raises(TypeError, match=r"^members must be players, as as_players\(game, names\) makes them, not "):
            MixturePlayer(GAME, [player, wrong])  # type: ignore[list-item]
