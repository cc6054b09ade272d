"""Asking the player to move: in one game, in the rows of a batch, to the end of a game."""

from collections.abc import Mapping, Sequence

import numpy as np

from spygames.core.batch import Batch
from spygames.core.game import NOBODY, Game, as_record, flat
from spygames.core.notes import Notes, new_notes
from spygames.core.player import DecisionBatch, Player, answers, tell_end

__all__ = ["ask", "ask_rows", "play"]

_ROW = np.zeros(1, np.int64)


def ask(
    game: Game,
    states: np.ndarray,
    player: Player,
    rng: np.ndarray,
    memory: np.ndarray | None = None,
    *,
    notes: Notes | None = None,
    seen: tuple[np.ndarray, np.ndarray] | None = None,
    secret: bool = False,
) -> int:
    """The legal action of `player` for the seat to move in one game.

    Args:
        game: what is played.
        states: STATE [1]; the player gets a copy.
        player: who decides.
        rng: uint64 [1, 1], the players' random stream, which the player advances.
        memory: float32 [1, P, M], what players keep (`new_memory`); None: nothing.
        notes: the decisions so far (`new_notes`), to which the caller adds this one; None: nobody wants them.
        seen: observation float32 [F] and mask int8 [A] of the seat, of a caller who has them.
        secret: an error does not say which actions are legal.

    Raises:
        PlayerFailed: the player answered something else. Whatever `player.act` raises.
    """
    if seen is None:
        s, views, mask = as_record(states), game.new_views(), np.zeros(game.num_actions, np.int8)
        game.legal(s, mask)
        game.observe(s, int(s.to_move), as_record(views))
    else:
        views, mask = seen[0].view(game.view_dtype), seen[1]
    asked = DecisionBatch(game, states.copy(), views, flat(views), mask[None], rng, _ROW, memory, notes)
    return int(answers(player, asked, secret=secret)[0])


def play(
    game: Game, states: np.ndarray, players: Sequence[Player], rng: np.ndarray, memory: np.ndarray | None = None
) -> list[int]:
    """Plays one game to its end, `players[i]` in seat i.

    Args:
        game: what is played.
        states: STATE [1], which moves.
        players: one a seat; the same one may sit in several seats.
        rng: uint64 [1, 1], the players' random stream.
        memory: float32 [1, P, M], what players keep (`new_memory`); None: nothing.

    Returns:
        The actions, in order.

    Raises:
        PlayerFailed: a player answered what is not legal, or no action; the message names it.
    """
    s, actions, notes = as_record(states), [], new_notes(game, players)
    while s.to_move != NOBODY:
        actions.append(ask(game, states, players[s.to_move], rng, memory, notes=notes))
        if notes is not None:
            notes.add(states, np.array(actions[-1:]))
        game.apply(s, actions[-1])
    results = np.zeros(game.num_players, np.float32)
    game.returns(s, results)
    tell_end(dict(enumerate(players)), results, notes=notes)
    return actions


def ask_rows(
    batch: Batch,
    players: Sequence[Player] | Mapping[int, Player],
    who: np.ndarray,
    rows: np.ndarray,
    actions: np.ndarray,
    rng: np.ndarray,
    memory: np.ndarray | None = None,
    *,
    notes: Notes | None = None,
    secret: bool = False,
) -> None:
    """Asks the players of some games of a batch, each player once.

    Args:
        batch: the games; the seat to move decides in each.
        players: by index or number.
        who: int [k], whose decision it is in each of `rows`, of `players`.
        rows: int64 [k], the games.
        actions: int64 [n], written at `rows`.
        rng: uint64 [n, 1], the players' random streams, one a game.
        memory: float32 [n, P, M], what players keep (`new_memory`); None: nothing.
        notes: the decisions so far (`new_notes`), to which the caller adds these; None: nobody wants them.
        secret: an error does not say which actions are legal.

    Raises:
        PlayerFailed: a player answered what is not legal, or no action; the message names it.
    """
    for k in np.unique(who).tolist():
        asked = rows[who == k]
        actions[asked] = answers(players[k], batch.decisions(rng, asked, memory, notes), secret=secret)
