"""Mixtures of players: one of several players is drawn for each game."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from zlib import crc32

import numpy as np

from spygames.core.basics.text import shown
from spygames.core.game.game import NOBODY, Game
from spygames.core.game.rng import uniform
from spygames.core.players.history import Notes
from spygames.core.players.player import DecisionBatch, HasPlayer, Player, PlayerFailed, name_of, tell_end

__all__ = ["MIX", "MixturePlayer"]

MIX = "mix"
"""The kind of a mixture's name, `mix:A|B`."""
DRAWN, PLACES = 1 << 20, 1 << 23
"""The memory of a seat whose member is drawn begins with a number from `DRAWN` on, below `DRAWN` + `PLACES`. All of
these are exact as float32. Which mixture has drawn which member follows from it, up to a rare coincidence."""


def members_of(player: Player) -> tuple[Player, ...]:
    """Return the members of a mixture, or the player itself."""
    return player.members if isinstance(player, MixturePlayer) else (player,)


def check_number(members: int) -> None:
    """Raise ValueError if a mixture has fewer than two members."""
    if members < 2:
        raise ValueError(f"a mixture must have at least two players, as in {MIX}:A|B, not {members}")


class MixturePlayer:
    """A player that draws one of its members for each game and side, and plays as this member to the end.

    Seats of a team that the mixture plays together have the same member. The draw comes from the game's random stream
    and is kept in the seat's memory.

    Example:
        >>> from spygames import make_game
        >>> from spygames.players import MixturePlayer, as_players
        >>> game = make_game("agent_avenue_v0")
        >>> MixturePlayer(game, as_players(game, ["greedy", "random"])).name
        'mix:greedy|random'

    Args:
        game: the game to play.
        members: at least two players; a player that is listed twice is drawn twice as often.

    Raises:
        TypeError: a member is not a Player.
        ValueError: there are fewer than two members.
    """

    def __init__(self, game: Game, members: Sequence[Player]):
        check_number(len(members))
        for member in members:
            # A policy also has `act`, with other arguments.
            if isinstance(member, HasPlayer | type) or not callable(getattr(member, "act", None)):
                raise TypeError(f"members must be players, as as_players(game, names) makes them, not {shown(member)}")
        self.game, self.members = game, tuple(members)
        self.name = f"{MIX}:{'|'.join(map(name_of, members))}"
        self.memory_size = 1 + max(getattr(member, "memory_size", 0) for member in members)
        """Number of floats in `DecisionBatch.memory`: one for the member's index, then the member's own memory."""
        own = crc32(self.name.encode()) % (PLACES // len(members))
        self._first = np.float32(DRAWN + own * len(members))  # in the memory, for the member with index 0
        self.notes_size = max(getattr(member, "notes_size", 0) for member in members)
        """Number of past decisions that the members need to know."""

    def __repr__(self) -> str:
        return f"MixturePlayer({self.game.id}, {self.name!r})"

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """Return the action of each game's member for each of `decisions.rows`, int64 [k].

        Raises:
            PlayerFailed: a member gave no legal action.
        """
        d = decisions
        if d.memory is None or d.memory.shape[2] < self.memory_size:
            raise ValueError(f"{self.name} has memory: make the `DecisionBatch` with `new_memory`")
        drawn, actions = self._draw(d, d.memory), np.zeros(len(d.rows), np.int64)
        for k in np.unique(drawn).tolist():
            own = drawn == k
            actions[own] = self._ask(self.members[k], replace(d, rows=d.rows[own], memory=d.memory[:, :, 1:]))
        return actions

    @property
    def ended(self) -> Callable[[int, int, np.ndarray, Notes | None], None]:
        """Method that tells the members that a game is over (see `Player`).

        A player with this attribute counts as one that remembers its games, so it is missing if no member has it.
        """
        if not any(hasattr(member, "ended") for member in self.members):
            raise AttributeError(f"no member of {self.name} has the method ended")
        return self._ended

    def _ended(self, row: int, seat: int, returns: np.ndarray, notes: Notes | None) -> None:
        for member in {id(member): member for member in self.members}.values():
            tell_end({seat: member}, returns, row, notes)

    def _ask(self, member: Player, d: DecisionBatch) -> np.ndarray:
        """Return a member's actions, int64 [k]; the caller of the mixture checks whether they are legal."""
        actions, k = np.asarray(member.act(d)), len(d.rows)
        if actions.dtype.kind not in "iu" or actions.shape != (k,):
            raise PlayerFailed(name_of(member), NOBODY, d.rows.tolist(), f"must answer {k} actions, int64 [{k}]")
        return actions

    def _draw(self, d: DecisionBatch, memory: np.ndarray) -> np.ndarray:
        """Return the index of each row's member, int64 [k], drawn at the first decision of a side."""
        seats, side_of = d.states["to_move"][d.rows], np.asarray(self.game.side_of)
        noted = memory[d.rows, :, 0] - self._first  # of all seats
        # A partner may be another player, also another mixture, whose memory has other numbers.
        known = (noted == np.floor(noted)) & (noted >= 0) & (noted < len(self.members))
        known &= side_of[seats][:, None] == side_of
        found = noted[np.arange(len(seats)), known.argmax(axis=1)]
        drawn = np.where(known.any(axis=1), found, -1).astype(np.int64)
        for k in np.flatnonzero(drawn < 0).tolist():
            with np.errstate(over="ignore"):
                drawn[k] = uniform(d.rng[d.rows[k]], len(self.members))
        memory[d.rows, seats, 0] = self._first + drawn
        return drawn
