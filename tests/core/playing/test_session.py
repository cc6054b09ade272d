"""Rows of games that stay finished, and sessions: games with their players."""

import copy
import pickle
from typing import Any, cast

import numpy as np
import pytest

import tests.poker.kuhn as kuhn
from spygames import make_game
from spygames.core.envs.single_seat import SingleEnv
from spygames.core.envs.vector import SeatVectorEnv
from spygames.core.game.game import NOBODY, IllegalAction, as_record
from spygames.core.players.history import Notes
from spygames.core.players.names import make_player
from spygames.core.players.player import DecisionBatch, PlayerFailed, Scripted
from spygames.core.playing.batch import Batch
from spygames.core.playing.rows import Rows, spread
from spygames.core.playing.session import ROW, SeatSession, Session, one_game, play
from spygames_training.config import PPO, Network, Opponents
from spygames_training.evaluation.play_games import play_games
from spygames_training.networks.actor_critic import make_network
from spygames_training.ppo.league import League
from spygames_training.ppo.rollout import Rollout

KUHN = kuhn.make_game()
GAME = make_game("agent_avenue_v0")


class Keeper:
    """A player that records each decision (row, seat, number of the game, count of notes) and each end of a game."""

    name, notes_size = "keeper", 64

    def __init__(self) -> None:
        self.decisions: list[tuple[int, int, int, int]] = []
        self.ends: list[tuple[int, int, float]] = []

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        d = decisions
        assert d.games is not None
        assert d.notes is not None
        for row in d.rows.tolist():
            self.decisions.append((row, int(d.states["to_move"][row]), int(d.games[row]), int(d.notes.count[row])))
        return d.mask[d.rows].argmax(axis=1)

    def ended(self, row: int, seat: int, returns: np.ndarray, notes: Notes | None) -> None:
        self.ends.append((row, seat, float(returns[seat])))

    def games(self) -> dict[tuple[int, int], list[int]]:
        """Return, by row and number of a game, the count of notes at each of its recorded decisions, in order."""
        found: dict[tuple[int, int], list[int]] = {}
        for row, _, number, count in self.decisions:
            found.setdefault((row, number), []).append(count)
        return found


def random_step(rows: Rows, rng: np.random.Generator) -> np.ndarray:
    """Return a legal action per game."""
    return (rows.mask * (1 + rng.random(rows.mask.shape))).argmax(axis=1)


def test_finished_games_stay_until_new_ones_begin() -> None:
    rows, rng, ends = Rows(GAME, 6, 3), np.random.default_rng(1), {}
    going = rows.all
    while len(going):
        before, viewers = rows.states.copy(), rows.seats.copy()
        rows.advance(going, random_step(rows, rng), viewers)
        waiting = np.setdiff1d(rows.all, going)
        assert before[waiting].tobytes() == rows.states[waiting].tobytes()
        ends |= {i: rows.states[i].tobytes() for i in going[rows.done[going]].tolist()}
        going = going[~rows.done[going]]
    assert (rows.seats == NOBODY).all()
    assert not rows.mask.any()
    assert [ends[i] for i in range(6)] == [state.tobytes() for state in rows.states]
    numbers = rows.serial.copy()
    rows.begin(np.array([2, 4]), np.array([7, 8], np.uint64))
    assert (rows.seats[[2, 4]] != NOBODY).all()
    assert rows.states[2].tobytes() == GAME.start(7)[0].tobytes()
    assert (rows.serial != numbers).nonzero()[0].tolist() == [2, 4]


@pytest.mark.parametrize("rows", [[1, 1], [3], [-1], [0.0], [[0]], [True, False, True], "0"])
def test_wrong_rows_are_refused_before_any_game_changes(rows: Any) -> None:
    games = Rows(KUHN, 3, 1)
    before, seeds = games.states.tobytes(), games.seeds.tobytes()
    session = SeatSession(games, [make_player(KUHN, "random")])
    calls = (
        games.begin,
        lambda given: games.advance(given, np.zeros(3, int), games.seats.copy()),
        lambda given: games.look(given, np.zeros(3, int)),
        lambda given: games.decisions(np.zeros((3, 1), np.uint64), given),
        lambda given: session.apply(given, np.zeros(3, int)),
        lambda given: session.decide(given, np.zeros(3, int)),
    )
    for call in calls:
        with pytest.raises(ValueError, match=r"rows must be different numbers from 0 to 2, int64 \[k\], not "):
            call(rows)
    assert (games.states.tobytes(), games.seeds.tobytes()) == (before, seeds)
    games.begin([2])  # pyright: ignore[reportArgumentType]
    assert games.states.tobytes() != before


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"seeds": [1.5]}, "seeds must be a uint64 array"),
        ({"seeds": [1, 2]}, "seeds must be a uint64 array"),
        ({"seeds": [-1]}, "seeds must be from 0"),
        ({"states": KUHN.new_states(2)}, "states must be 1 states of kuhn_poker_v0"),
        ({"states": [3]}, r"states must be 1 states of kuhn_poker_v0, not \[3\]"),
        ({"viewers": [0, 0, 2]}, "viewers must be 3 seats from 0 to 1"),
        ({"viewers": [0]}, "viewers must be 3 seats from 0 to 1"),
        ({"actions": [0.0, 0.0, 0.0]}, "actions must be integers of shape"),
        ({"actions": 0}, "actions must be integers of shape"),
        ({"actions": np.array([0, 0, 2**63], np.uint64)}, "action 9223372036854775808 in game 2 is too large"),
    ],
)
def test_wrong_arrays_are_refused_before_any_game_changes(given: dict[str, Any], message: str) -> None:
    games = Rows(KUHN, 3, 1)
    before = games.states.tobytes(), games.seeds.tobytes()
    begins = given.keys() & {"seeds", "states"}
    usual = {} if begins else {"actions": np.zeros(3, int), "viewers": games.seats}
    with pytest.raises(ValueError, match=message):
        (games.begin if begins else games.advance)(np.array([2]), **{**usual, **given})
    assert (games.states.tobytes(), games.seeds.tobytes()) == before


def test_arrays_may_have_gaps_and_any_integer_type() -> None:
    """Compiled loops read their arrays as contiguous int64."""
    table = np.array([[8, 0], [9, 1], [8, 2], [9, 3], [8, 4], [9, 5]])
    for kind in (np.int64, np.int16):
        one, two = (Session(Rows(GAME, 6, 3), [], np.zeros((6, 2), int)) for _ in range(2))
        gaps = np.stack([two.rows.mask.argmax(1), table[:, 0]], 1).astype(kind)[:, 0]
        assert not gaps.flags.c_contiguous
        one.apply(np.array([0, 2, 4]), gaps.astype(np.int64))
        two.apply(np.arange(6).astype(kind)[::2], gaps)
        assert one.rows.states.tobytes() == two.rows.states.tobytes()
        assert (two.rows.mask == one.rows.mask).all()
        two.rows.mask[:] = 7
        two.rows.look(np.arange(6).astype(kind)[::2], np.zeros(12, kind)[::2])
        assert (two.rows.mask[::2] == one.rows.mask[::2]).all()
        assert (two.rows.mask[1::2] == 7).all()


def test_sessions_refuse_what_they_cannot_apply() -> None:
    session = SeatSession(Rows(KUHN, 3, 1), [make_player(KUHN, "random")])
    before, rows = session.rows.states.tobytes(), session.rows.all
    for seats, message in (
        (np.full(3, 2, np.int8), "viewers must be 3 seats"),
        (np.zeros(3), "viewers must be 3 seats"),
    ):
        session.seats = cast(Any, seats)
        with pytest.raises(ValueError, match=message):
            session.decide(rows, np.zeros(3, int))
        with pytest.raises(ValueError, match=message):
            session.apply(rows, np.zeros(3, int), seats)
    with pytest.raises(IllegalAction, match="actions must be integers of shape"):
        session.apply(rows, np.zeros(3))
    session.seats = np.array([0, 0, 1], np.int8)
    with pytest.raises(ValueError, match="seat 0 is to move in game 2, not the caller's seat 1: call play_on"):
        session.decide(rows, np.zeros(3, int))
    for seating in (np.full((3, 2), NOBODY), np.ones((3, 2), int)):
        with pytest.raises(ValueError, match="no player sits in the seat to move, 0, of game 1"):
            Session(session.rows, [make_player(KUHN, "random")], seating).ask(np.array([1, 2]))
    with pytest.raises(ValueError, match="no player sits in the seat to move, 0, of game 0"):
        Session(session.rows, {1: make_player(KUHN, "random")}, np.zeros((3, 2), int)).ask(rows)
    for others in (Rows(KUHN, 1, 1), Rows(GAME, 3, 1)):
        with pytest.raises(ValueError, match="saved must be of 3 games of kuhn_poker_v0"):
            session.rows.restore(others.save(), np.zeros(3, np.int8))
    assert session.rows.states.tobytes() == before


def test_one_row_plays_like_many() -> None:
    """The loops for one row run as Python, those for several are compiled."""
    many, rng = Rows(GAME, 3, 5), np.random.default_rng(0)
    ones = [Rows(GAME, 1) for _ in range(3)]
    for i, one in enumerate(ones):
        one.begin(ROW, many.seeds[i : i + 1])
    for step in range(200):
        actions, going = random_step(many, rng), np.flatnonzero(many.seats != NOBODY)
        viewers = np.full(3, step % 2, np.int8)
        many.advance(going, actions, viewers)
        for i in going.tolist():
            ones[i].advance(ROW, actions[i : i + 1], viewers[i : i + 1])
        for i, one in enumerate(ones):
            for name in ("states", "observation", "mask", "rewards", "done", "cut_off", "seeds"):
                assert getattr(one, name)[0].tobytes() == getattr(many, name)[i].tobytes(), name
        if len(over := np.flatnonzero(many.seats == NOBODY)) == 3:
            many.begin(over)
            for one in ones:
                one.begin(ROW)


def test_an_illegal_action_moves_no_game() -> None:
    session = Session(Rows(KUHN, 3, 1), [Keeper()], np.zeros((3, 2), np.int64))
    before = session.rows.states.tobytes()
    for row, action in ((0, 9), (1, -1)):
        actions = np.zeros(3, np.int64)
        actions[row] = action
        with pytest.raises(IllegalAction, match=f"action {action} is not legal for seat 0 in game {row}"):
            session.apply(session.rows.all, actions)
        assert session.rows.states.tobytes() == before
        assert session.notes is not None
        assert not session.notes.count.any()


@pytest.mark.parametrize("actions", [[0.0, 0.0, 0.0], [0, 0, 0, 0], [0, 9, 0]])
def test_a_step_that_is_refused_is_not_noted(actions: Any) -> None:
    session = Session(Batch(KUHN, 3, 1), [Keeper()], np.zeros((3, 2), np.int64))
    before = session.rows.states.tobytes()
    with pytest.raises(IllegalAction, match=r"actions must be integers of shape|action 9 is not legal"):
        session.step(actions)
    assert session.rows.states.tobytes() == before
    assert session.notes is not None
    assert session.notes.count.tolist() == [0, 0, 0]
    session.step([0, 0, 0])  # pyright: ignore[reportArgumentType]
    assert session.notes.count.tolist() == [1, 1, 1]


def test_a_step_of_a_batch_tells_the_ends_and_clears_what_players_keep() -> None:
    class Remembers(Keeper):
        memory_size = 1

        def act(self, decisions: DecisionBatch) -> np.ndarray:
            assert decisions.memory is not None
            decisions.memory[decisions.rows] += 1
            return super().act(decisions)

        def ended(self, row: int, seat: int, returns: np.ndarray, notes: Notes | None) -> None:
            assert notes is not None
            self.ends.append((row, seat, float(notes.count[row])))

    player = Remembers()
    session = Session(Batch(KUHN, 3, 1), [player], np.zeros((3, 2), np.int64))
    for step in range(2):  # both seats pass
        session.step(session.ask(session.rows.all))
        assert session.notes is not None
        assert session.notes.count.tolist() == [1 - step] * 3
        assert (session.memory == 1 - step).all()
    assert player.ends == [(row, seat, 2.0) for row in range(3) for seat in range(2)]


class Spoiler:
    """A player that marks every action as legal for the next player, and takes the first legal one."""

    name = "spoiler"

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        actions = decisions.mask[decisions.rows].argmax(1)
        decisions.mask[:] = 1
        return actions


class Last:
    """A player that takes the last action that its mask allows."""

    name = "last"

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        legal = decisions.mask[decisions.rows]
        return legal.shape[1] - 1 - legal[:, ::-1].argmax(1)


def test_a_player_cannot_make_illegal_actions_of_another_legal() -> None:
    env = SeatVectorEnv(make_game("heimlich_v0", players=3), 8, [Spoiler(), Last()], seat=0)

    def play_on() -> None:
        env.reset(seed=3)
        for _ in range(30):
            env.step(env.action_masks().argmax(1))

    with pytest.raises(IllegalAction, match=r"action \d+ is not legal for seat 2"):
        play_on()


def test_deals_and_players_have_separate_streams() -> None:
    """Equal seeds of any type give equal streams, and the players' numbers reveal nothing about the deals."""
    sessions = [SeatSession(Rows(KUHN, 2, 1), [Keeper()]) for _ in range(4)]
    for session, seeds in zip(sessions, ([0, 1], np.array([0, 1]), np.array([0, 1], np.uint64), [0, 2]), strict=True):
        session.seed(session.rows.all, seeds)
    one, two, three, other = (session.streams for session in sessions)
    assert one.tobytes() == two.tobytes() == three.tobytes()
    assert len({*one.ravel().tolist(), *other[1].tolist()}) == 6
    with pytest.raises(ValueError, match=r"seed must be .*0 to 2\*\*64 - 1, not -1"):
        sessions[0].seed(ROW, [-1])
    deals = sessions[0].streams[:, 0].copy()
    sessions[0].streams[:, 1] += np.uint64(1)  # the players draw other numbers, but the deals stay the same
    first, second = sessions[0], sessions[1]
    assert first.streams[:, 0].tobytes() == deals.tobytes()
    fixed = np.zeros(2, np.int64)
    assert first.draw(first.rows.all, fixed).tobytes() == second.draw(second.rows.all, fixed).tobytes()
    assert first.rng.tobytes() != second.rng.tobytes()


def by_lockstep(keeper: Keeper) -> int:
    for seed in range(2):
        play_games(KUHN, [keeper], np.zeros((4, 2), np.int64), spread(np.uint64(seed), 4), 1)
    return 8


def by_itself(keeper: Keeper) -> int:
    for seed in range(5):
        play(KUHN, KUHN.start(seed), [keeper, keeper], np.ones((1, 1), np.uint64))
    return 5


def by_training(keeper: Keeper) -> int:
    rollout = Rollout(KUHN, 4, 40, seed=1, share=1.0, players=[keeper])
    league = League(KUHN, Opponents(share=1.0, bots=("random",), snapshots=0))
    league.players[1] = keeper
    rollout.opponents.join(league)
    rollout.opponents.players = {1: keeper}
    rollout.play(make_network(KUHN, Network((8,))), PPO(precision="float32"))
    return len(keeper.games())


def by_vector(keeper: Keeper) -> int:
    env = SeatVectorEnv(KUHN, 4, keeper, seat=0)
    env.reset(seed=1)
    for _ in range(12):
        env.step(env.action_masks().argmax(axis=1))
    return len(keeper.games())


@pytest.mark.parametrize("loop", [by_lockstep, by_itself, by_training, by_vector])
def test_players_get_the_number_and_the_end_of_each_game(loop: Any) -> None:
    keeper = Keeper()
    games = loop(keeper)
    found = keeper.games()
    assert len(found) == games >= 5
    assert all(counts == sorted(set(counts)) for counts in found.values())
    assert len(keeper.ends) >= len(found) - len({row for row, _ in found})  # games that continue have no end
    assert {result for *_, result in keeper.ends} <= {-2, -1, 1, 2}


def test_a_restored_game_is_a_new_game_to_its_players() -> None:
    """Nothing else changes, and games that have not moved keep their numbers."""
    session = Session(Rows(GAME, 4, 1), [Scripted(GAME, "random"), Keeper()], np.tile([0, 1], (4, 1)), history=16)
    session.rng[:] = spread(np.uint64(2), 4)[:, None]
    some, numbers = np.array([1, 3]), session.rows.serial.copy()
    for _ in range(5):
        session.apply(some, session.ask(some))
    saved, numbers = session.save(), session.rows.serial.copy()
    assert saved.notes is not None
    noted = saved.notes.of(1).actions.tolist()
    chosen = [session.ask(session.rows.all).tolist()]
    session.restore(saved)
    assert session.rows.serial.tolist() == numbers.tolist()  # asking does not move a game
    for _ in range(3):
        actions = session.ask(some)
        session.apply(some, actions)
    after = session.rows.states.tobytes(), session.rng.tobytes()
    session.restore(saved)
    assert (session.rows.serial != numbers).nonzero()[0].tolist() == some.tolist()
    assert session.notes is not None
    assert session.notes.of(1).actions.tolist() == noted
    chosen.append(session.ask(session.rows.all).tolist())
    assert chosen[0] == chosen[1]
    session.restore(saved)
    for _ in range(3):
        session.apply(some, session.ask(some))
    assert after == (session.rows.states.tobytes(), session.rng.tobytes())


def test_saved_games_come_back_with_their_results() -> None:
    names = ("states", "seeds", "rewards", "done", "cut_off", "observation", "mask")
    rows, seats = Rows(KUHN, 2, 1), np.ones(2, np.int8)
    for _ in range(2):  # both pass
        rows.advance(rows.all, np.full(2, kuhn.PASS), seats)
    rows.cut_off[1] = True
    before, saved = {name: getattr(rows, name).tobytes() for name in names}, rows.save()
    rows.begin(rows.all)
    rows.advance(rows.all, np.full(2, kuhn.BET), seats)
    assert all(getattr(rows, name).tobytes() != before[name] for name in names)
    rows.restore(saved, seats)
    assert {name: getattr(rows, name).tobytes() for name in names} == before


@pytest.mark.parametrize(("viewers", "seat"), [(None, 1), (np.zeros(3, np.int8), 0)])
def test_the_seat_that_moved_sees_the_end_unless_another_is_named(viewers: np.ndarray | None, seat: int) -> None:
    session = Session(Rows(KUHN, 3, 1), [], np.zeros((3, 2), np.int64))
    for _ in range(2):
        session.apply(session.rows.all, np.full(3, kuhn.PASS), viewers)
    views = KUHN.new_views(3)
    for row in range(3):
        KUHN.observe(as_record(session.rows.states, row), seat, as_record(views, row))
    assert session.rows.observation.tobytes() == views.tobytes()


def test_failures_and_ends_name_their_rows() -> None:
    class Wrong(Keeper):
        def act(self, decisions: DecisionBatch) -> np.ndarray:
            return np.where(decisions.rows == 2, 9, super().act(decisions))

    keeper = Keeper()
    wrong, right = (Session(Rows(KUHN, 4, 1), [each], np.zeros((4, 2), np.int64)) for each in (Wrong(), keeper))
    with pytest.raises(PlayerFailed, match="answered an illegal action: 9 for seat 0") as failed:
        wrong.ask(np.array([1, 2]))
    assert (failed.value.seat, failed.value.rows) == (0, (2,))
    for _ in range(2):
        right.apply(np.array([1, 3]), right.ask(np.array([1, 3])))
    assert [(row, seat) for row, seat, _ in keeper.ends] == [(1, 0), (1, 1), (3, 0), (3, 1)]


def test_games_of_a_row_have_unique_numbers() -> None:
    rows, batch = Rows(KUHN, 3, 1), Batch(KUHN, 3, 1)
    copies: list[Rows] = [copy.deepcopy(rows), pickle.loads(pickle.dumps(batch))]
    numbers: list[int] = []  # numbers of row 0
    for each in (rows, batch, *copies):
        numbers.append(int(each.serial[0]))
        each.reset(2)
        numbers.append(int(each.serial[0]))
    rows.begin(rows.all, states=rows.states.copy())
    numbers.append(int(rows.serial[0]))
    for _ in range(8):
        before = batch.serial.copy()
        batch.step(batch.mask.argmax(axis=1))
        assert ((batch.serial != before) == batch.done).all()
        numbers += batch.serial[:1][batch.done[:1]].tolist()
    assert len(set(numbers)) == len(numbers) > 8


def test_a_copy_of_rows_has_its_own_games() -> None:
    rows = Rows(KUHN, 3, 1)
    before, twin = rows.states.copy(), copy.copy(rows)
    twin.advance(twin.all, twin.mask.argmax(axis=1), twin.seats.copy())
    np.testing.assert_array_equal(rows.states, before)
    assert (twin.states != before).all()


def test_a_player_cannot_change_its_only_game() -> None:
    class Meddler(Keeper):
        def act(self, decisions: DecisionBatch) -> np.ndarray:
            chosen = super().act(decisions)
            decisions.states["to_move"], decisions.observation[:], decisions.mask[:] = 0, 7, 1
            return chosen

    meddler, honest = Meddler(), Keeper()
    sessions = [one_game(GAME, [player, player], GAME.start(3)) for player in (meddler, honest)]
    for _ in range(20):
        for session in sessions:
            session.apply(ROW, session.ask(ROW))
    assert sessions[0].rows.states.tobytes() == sessions[1].rows.states.tobytes()


def test_a_redrawn_world_has_no_history() -> None:
    """What an opponent has seen would reveal what it holds."""
    keeper = Keeper()
    env = SingleEnv(GAME, keeper, seat=0)
    env.reset(seed=1)
    while len(keeper.decisions) < 3:
        env.step(int(env.action_masks().argmax()))
    before, world = keeper.decisions[-1], env.determinize(1)
    keeper.decisions.clear()
    while not keeper.decisions:
        world.step(int(world.action_masks().argmax()))
    assert keeper.decisions[0][3] <= 2 < before[3]
    assert keeper.decisions[0][2] != before[2]


def test_a_player_that_receives_moves_needs_notes() -> None:
    player = make_player(KUHN, "command:sh")
    batch = Batch(KUHN, 2, 1)
    with pytest.raises(ValueError, match="receives moves needs `notes`"):
        player.act(batch.decisions(np.zeros((2, 1), np.uint64), np.arange(2)))
