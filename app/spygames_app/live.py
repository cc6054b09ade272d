"""A game between people and players: its history, what each seat may know of it, and undo."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from spygames.core.compiling.kernel import Record
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.game.rng import derived_seed
from spygames.core.game.rulebook import Reason
from spygames.core.players.player import Player
from spygames.core.players.replies import match
from spygames.core.players.turns import turn_of
from spygames.core.playing.session import ROW, answers_in_secret, one_game
from spygames.core.records.record import GameRecord, make_record

PERSON = "you"
"""Name of the user in records."""


@dataclass(frozen=True)
class Decision:
    """A past decision."""

    states: np.ndarray
    """STATE [1] before the decision."""
    seat: int
    action: int
    """0..A-1"""
    rng: np.ndarray
    """uint64 [1, 1], the players' random stream before the decision."""
    memory: np.ndarray
    """float32 [1, P, M], the players' memory before the decision."""


class LiveGame:
    """One game. A user plays the seats that have no player.

    Args:
        game: the game.
        players: players by seat. A user plays every missing seat.
        seed: seed of the game and of the players' random stream, 0..2^64-1; see `play_record`.
        states: STATE [1] to start from instead. It is copied.
    """

    def __init__(self, game: Game, players: Mapping[int, Player], seed: int, states: np.ndarray | None = None):
        self.game, self.players, self.seed = game, dict(players), seed
        self.first = game.start(seed) if states is None else states.copy()
        self._given = states is not None
        self.positions = [self.first.copy()]
        """STATE [1] after each decision; the last is the current one. The list only grows, except in `take_back`, so
        other threads may read it while a player thinks."""
        self.decisions: list[Decision] = []
        self.taken_back = 0
        """Number of decisions that users took back."""
        rng = np.array([[derived_seed(seed, "players")]], np.uint64)
        self._session = one_game(game, self.players, self.first, rng, answers_in_secret)

    @property
    def states(self) -> np.ndarray:
        """The current STATE [1]."""
        return self.positions[-1]

    @property
    def state(self) -> Record:
        """The current state as a record."""
        return as_record(self.states)

    @property
    def mover(self) -> int:
        """The seat to move, NOBODY at the end."""
        return int(self.state.to_move)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the players, by seat."""
        return tuple(self.players[i].name if i in self.players else PERSON for i in range(self.game.num_players))

    @property
    def course(self) -> list[tuple[np.ndarray, int]]:
        """The decisions so far: STATE [1] before each, and the action."""
        return [(made.states, made.action) for made in self.decisions]

    def legal_at(self, number: int) -> dict[str, int]:
        """Return the legal actions after `number` decisions; see `legal`."""
        states, mask = self.positions[number], np.zeros(self.game.num_actions, np.int8)
        s = as_record(states)
        self.game.legal(s, mask)
        return {self.game.action_to_string(s, int(a), int(s.to_move)): int(a) for a in np.flatnonzero(mask)}

    def named(self, text: str) -> int | None:
        """Look up a legal action by its text, ignoring case and underscores; None if there is none."""
        legal = self.legal()
        found = match(text, legal)
        return None if found is None else legal[found]

    def legal(self) -> dict[str, int]:
        """Return the legal actions of the seat to move, by their texts. Empty at the end of the game."""
        return self.legal_at(-1)

    def why_not(self, text: str) -> Reason | None:
        """Return why the seat to move may not take an action, by its text; see `Turn.why_not`."""
        return turn_of(self.game, self.states).why_not(text)

    def ask(self) -> int:
        """Return the action that the player to move chooses, and advance its random stream and memory.

        If the player raises an error, the game is unchanged and the player can be asked again.
        """
        kept = self._kept()
        try:
            return int(self._session.ask(ROW)[0])
        except BaseException:
            self._put_back(*kept)
            raise

    def play_on(self, before: Callable[[], None] = lambda: None) -> None:
        """Play one decision of the player to move. `before` is called between its answer and its move."""
        kept = self._kept()
        action = self.ask()
        before()
        self._apply(action, *kept)

    def act(self, action: int) -> None:
        """Play a legal action of the user to move."""
        self._apply(action, *self._kept())

    def seen(self, number: int, viewer: int) -> str:
        """Return what `viewer` saw of a decision, counted from 0."""
        made = self.decisions[number]
        return self.game.seen_action(as_record(made.states), made.action, made.seat, viewer)

    def happened(self, number: int, viewer: int) -> str:
        """Return what `viewer` saw of a decision, counted from 0, with its effects."""
        made = self.decisions[number]
        return self.game.happened(as_record(made.states), made.action, made.seat, viewer)

    def since(self, viewer: int) -> int:
        """Return the number, from 0, of the first decision after the last one of `viewer`."""
        mine = [number for number, made in enumerate(self.decisions) if made.seat == viewer]
        return mine[-1] + 1 if mine else 0

    def take_back(self, seat: int) -> bool:
        """Undo the last decision of a seat and all later ones; return False if there is none.

        Chance and the players' random stream are restored too, so the same decision has the same consequences.

        Raises:
            ValueError: a player follows the moves itself and cannot forget them.
        """
        told = [player.name for player in self.players.values() if hasattr(player, "ended")]
        if told:
            raise ValueError(f"{told[0]} remembers every move and cannot forget, so no move can be taken back")
        mine = [number for number, made in enumerate(self.decisions) if made.seat == seat]
        if not mine:
            return False
        made = self.decisions[mine[-1]]
        del self.decisions[mine[-1] :], self.positions[mine[-1] + 1 :]
        self._session.begin(ROW, states=made.states)
        self._put_back(made.rng, made.memory)
        self.taken_back += 1
        if self._session.notes is not None:
            for each in self.decisions:
                self._session.notes.add(each.states, np.array([each.action]))
        return True

    def returns(self) -> np.ndarray:
        """Return the result of each seat, float32 [P]; zeros until the game ends."""
        out = np.zeros(self.game.num_players, np.float32)
        self.game.returns(self.state, out)
        return out

    def outcome(self, seat: int) -> str:
        """Return the result of the game for a seat as a sentence, with the reason if the game gives one."""
        returns = self.returns()
        if len(set(returns.tolist())) > 2:  # a reward by score
            return f"You come {1 + int((returns > returns[seat]).sum())} of {len(returns)} by score."
        over = self.mover == NOBODY and self.game.texts.headline is not None
        reason = self.game.headline(self.state, seat) if over else ""
        if reason.startswith(("You", "Nobody")):
            return f"{reason}."
        if (returns == returns[0]).all():
            outcome = "Nobody wins." if returns[0] < 0 else "The game is a draw."
        else:
            outcome = "You win." if returns[seat] > 0 else "You lose."
        return f"{outcome} {reason}." if reason else outcome

    def record(self) -> GameRecord:
        """Return the game so far as a record."""
        actions = [made.action for made in self.decisions]
        if self._given:
            state = self.game.state_to_dict(as_record(self.first))
            return make_record(self.game, actions, state=state, players=self.names)
        return make_record(self.game, actions, self.seed, players=self.names)

    def _kept(self) -> tuple[np.ndarray, np.ndarray]:
        """Return copies of the players' random stream and memory."""
        return self._session.rng.copy(), self._session.memory.copy()

    def _put_back(self, rng: np.ndarray, memory: np.ndarray) -> None:
        self._session.rng[...], self._session.memory[...] = rng, memory

    def _apply(self, action: int, rng: np.ndarray, memory: np.ndarray) -> None:
        before = self.states
        try:
            self._session.apply(ROW, np.array([action]))
        finally:  # a player that is told the result may raise an error, after the decision
            after = self._session.rows.states.copy()
            if after.tobytes() != before.tobytes():
                self.decisions.append(Decision(before.copy(), int(before["to_move"][0]), action, rng, memory))
                self.positions.append(after)
