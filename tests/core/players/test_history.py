"""Players with notes receive the earlier decisions of their game, wherever and however games are played."""

import contextlib
import copy
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch

from spygames import make_game
from spygames.core.envs.single_seat import SingleEnv
from spygames.core.game.game import Game, as_record
from spygames.core.game.rng import mix
from spygames.core.players.history import Notes, new_notes
from spygames.core.players.player import DecisionBatch, Scripted
from spygames.core.playing.batch import Batch
from spygames.core.playing.session import play
from spygames_app.cli import play as cli_play
from spygames_app.live import LiveGame
from spygames_training.bridges.sb3 import LearnerSeatVecEnv
from spygames_training.config import PPO, Network, Opponents
from spygames_training.evaluation.play_games import play_games
from spygames_training.networks.actor_critic import make_network
from spygames_training.ppo.league import League
from spygames_training.ppo.rollout import Rollout
from tests.poker import kuhn

GAME = kuhn.make_game()


class Historian:
    """A player that decides by a digest of the actions and states in its notes, and records the actions."""

    name = "historian"

    def __init__(self, size: int = 8) -> None:
        self.notes_size = size
        self.received: list[list[int]] = []

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        d, found = decisions, []
        for row in d.rows.tolist():
            assert d.notes is not None
            noted = d.notes.of(row)
            self.received.append(noted.actions.tolist())
            key = np.uint64(len(noted.actions))
            with np.errstate(over="ignore"):
                for state, action in zip(noted.states, noted.actions, strict=True):
                    key = mix(key + np.uint64(int(state["to_move"]) + 3 * int(action) + state.tobytes()[8]))
            legal = np.flatnonzero(d.mask[row])
            found.append(int(legal[int(key % np.uint64(len(legal)))]))
        return np.array(found)


def test_notes_hold_the_earlier_decisions_in_order() -> None:
    player = Historian()
    actions = play(GAME, GAME.start(3), [player, player], np.zeros((1, 1), np.uint64))
    assert player.received == [actions[:k] for k in range(len(actions))]


def test_only_the_latest_decisions_are_kept() -> None:
    notes = Notes(GAME, 2, 3)
    for k in range(5):
        states = GAME.new_states(2)
        states["num_moves"] = k
        notes.add(states, np.full(2, k), np.array([1]))
    assert notes.of(0).actions.tolist() == []
    assert notes.of(1).actions.tolist() == notes.of(1).states["num_moves"].tolist() == [2, 3, 4]
    notes.clear(np.array([False, True]))
    assert notes.of(1).actions.tolist() == []
    with pytest.raises(ValueError, match="size must be at least 1, not 0"):
        Notes(GAME, 2, 0)


def test_decisions_that_were_dropped_are_not_reported() -> None:
    notes, states = Notes(GAME, 1, 2), GAME.start(1)
    for action in (kuhn.PASS, kuhn.BET, kuhn.PASS):
        notes.add(states, np.array([action]))
        GAME.apply(as_record(states), action)
    assert notes.seen(0, 0, since=0) == notes.seen(0, 0, since=1) == ["player_1 has moved", "player_0: pass"]


def test_notes_exist_only_for_players_that_request_them() -> None:
    assert new_notes(GAME, [Scripted(GAME, "random")]) is None
    assert SingleEnv(GAME)._session.notes is None
    found = new_notes(GAME, [Scripted(GAME, "random"), Historian(4), Historian(2)], 7)
    assert found is not None
    assert found.states.shape == (7, 4)


def results(game: Game, order: np.ndarray, sizes: int, monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    monkeypatch.setattr("spygames_training.evaluation.play_games.LOCKSTEP", sizes)
    players = [Historian(64), Scripted(game, "greedy" if "greedy" in game.bots else "random")]
    out = np.zeros((len(order), game.num_players, 2))
    for k, i in enumerate(order.tolist()):
        seeds, seating = np.array([i], np.uint64), np.array([[0, 1]])
        out[k, :, 0] = play_games(game, players, seating, seeds, i)[0]
    seating = np.tile([0, 1], (len(order), 1))
    out[:, :, 1] = play_games(game, players, seating, order.astype(np.uint64), 9)
    return out


def test_results_do_not_depend_on_how_games_are_grouped(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game("agent_avenue_v0")
    order = np.arange(40)
    one, many = (results(game, order, size, monkeypatch) for size in (7, 1024))
    assert (one == many).all()


def env_results(env: SingleEnv, steps: int) -> list[float]:
    """Return observations and rewards of the next steps, always with the first legal action."""
    found = []
    for _ in range(steps):
        mask = env.action_masks()
        observation, reward, over, _, _ = env.step(int(mask.argmax()))
        found += [float(observation.sum()), float(reward)]
        if over:
            env.reset()
    return found


def test_copies_of_an_environment_continue_equally() -> None:
    env = SingleEnv(make_game("agent_avenue_v0"), Historian(), seat=0)
    env.reset(seed=5)
    env_results(env, 3)
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    here = env_results(env, 12)
    assert all(env_results(other, 12) == here for other in others)


def test_a_game_from_a_position_starts_without_notes() -> None:
    player = Historian()
    env = SingleEnv(GAME, player, seat=0)
    env.reset(seed=1)
    state = {"cards": ["J", "K"], "moves": ["pass"], "to_move": 1}
    with pytest.raises(ValueError, match="has no decision from this state"):
        env.reset(options={"state": {"cards": ["J", "K"], "moves": ["bet"], "to_move": 1}, "seat": 0})
    player.received.clear()
    with contextlib.suppress(ValueError):  # the historian may pass, too
        env.reset(options={"state": state, "seat": 0})
    assert player.received == [[]]


def test_a_decision_that_fails_is_not_noted() -> None:
    class Angry(Historian):
        angry = False

        def act(self, decisions: DecisionBatch) -> np.ndarray:
            if self.angry:
                raise RuntimeError("no")
            return super().act(decisions)

    player = Angry()
    env = SingleEnv(make_game("agent_avenue_v0"), player, seat=0)
    env.reset(seed=2)
    player.angry = True
    assert env._session.notes is not None
    for _ in range(20):
        before = env._session.notes.of(0).actions.tolist()
        try:
            env.step(int(env.action_masks().argmax()))
        except RuntimeError:
            break
    else:
        raise AssertionError("the player never failed")
    assert env._session.notes.of(0).actions.tolist() == before


def test_an_opponent_of_a_person_receives_the_persons_decisions() -> None:
    player = Historian()
    cli_play.play(LiveGame(GAME, {0: player}, 4), 1, lambda prompt: "2")  # the person bets
    assert {tuple(received) for received in player.received} == {(), (0, 1)}


def test_opponents_of_vectorized_learners_receive_notes() -> None:
    player = Historian()
    env = LearnerSeatVecEnv(GAME, 6, [player], seat=1, seed=3)
    env.reset()
    for _ in range(30):
        env.step(np.ones(6, np.int64))  # a bet
    assert {len(received) for received in player.received} == {0, 2}


def new_rollout() -> Rollout:
    return Rollout(GAME, 8, 5, seed=1, share=1.0, players=[Historian()])


def joined(rollout: Rollout) -> Rollout:
    """Return the rollout with a historian as its only opponent."""
    league = League(GAME, Opponents(share=1.0, bots=("random",), snapshots=0))
    league.players[1] = Historian()
    rollout.opponents.join(league)
    return rollout


def received(rollout: Rollout) -> list[list[int]]:
    player = rollout.opponents.players[1]
    assert isinstance(player, Historian)
    return player.received


def test_a_resumed_rollout_continues_equally() -> None:
    torch.manual_seed(0)
    network, ppo = make_network(GAME, Network((8,))), PPO(precision="float32")
    rollout = joined(new_rollout())
    rollout.play(network, ppo)
    saved = copy.deepcopy(rollout.state_dict())
    rollout.play(network, ppo)
    other = joined(new_rollout())
    other.load_state_dict(saved, [1])
    other.play(network, ppo)
    assert (other.trajectories.actions == rollout.trajectories.actions).all()
    assert {len(each) for each in received(other)} >= {0, 1}


def test_damaged_notes_are_refused(tmp_path: Path) -> None:
    notes = Notes(GAME, 1, 4)
    notes.add(GAME.start(1), np.array([1]))
    for name, value in (("states", 77), ("actions", 9), ("count", -1)):
        arrays = copy.deepcopy(notes.arrays())
        arrays[name][...] = value
        fresh = Notes(GAME, 1, 4)
        with pytest.raises(ValueError, match="notes"):
            fresh.load(arrays)
        assert fresh.of(0).actions.tolist() == []
    fresh = Notes(GAME, 1, 4)
    fresh.load(notes.arrays())
    assert fresh.of(0).states.tobytes() == notes.of(0).states.tobytes()


def test_a_batch_passes_notes_on() -> None:
    batch = Batch(GAME, 3, 1)
    notes = Notes(GAME, 3, 2)
    rng = np.zeros((3, 1), np.uint64)
    assert batch.decisions(rng, np.arange(3), notes=notes).notes is notes
    assert batch.decisions(rng, np.arange(3)).notes is None


class Follows:
    """Plays the first legal action. Records what it gets: earlier actions, its memory and its random stream."""

    name, notes_size, memory_size = "follows", 64, 1

    def __init__(self) -> None:
        self.got: list[tuple[list[int], float, int]] = []

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        d, row = decisions, int(decisions.rows[0])
        assert d.notes is not None
        assert d.memory is not None
        seat = int(d.states["to_move"][row])
        self.got.append((d.notes.of(row).actions.tolist(), float(d.memory[row, seat, 0]), int(d.rng[row, 0])))
        d.memory[row, seat, 0] += 1
        d.rng[row] += np.uint64(1)
        return d.mask[d.rows].argmax(axis=1)


def test_after_an_undo_a_player_gets_the_same_notes_and_memory() -> None:
    player = Follows()
    live = LiveGame(make_game("agent_avenue_v0"), {1: player}, 3)

    def turn() -> None:
        while live.mover == 0:
            live.act(next(iter(live.legal().values())))
        while live.mover == 1:
            live.play_on()

    for _ in range(3):
        turn()
    before = [*player.got]
    player.got.clear()
    assert live.take_back(0)
    turn()
    assert player.got
    assert player.got == before[-len(player.got) :]
