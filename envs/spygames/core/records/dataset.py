"""Rows of datasets: what a seat knew at each decision of a recorded game, what it did, and how the game ended.

A row has only what its seat knows. What is hidden from it stands in the columns whose names begin with `truth_`, which
are made only on request.
"""

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.game.rng import derived_seed
from spygames.core.players.turns import briefing, question, turn_of
from spygames.core.playing.session import ROW, one_game
from spygames.core.records.film import Adviser
from spygames.core.records.record import GameRecord, game_of, replay
from spygames.core.svg.annotations import Advice

__all__ = ["Column", "chat_columns", "chat_rows", "decision_columns", "decision_rows"]

_DECISIONS = 1 << 24
"""Above the number of decisions of any game."""


class Column(NamedTuple):
    """A column of a dataset.

    Example:
        >>> from spygames import make_game
        >>> from spygames.records import decision_columns
        >>> decision_columns(make_game("agent_avenue_v0"))[0].name
        'game'
    """

    name: str
    """The name. A point separates a field from the column that it is in: `view.hand`."""
    dtype: str
    """A dtype of NumPy, `text`, or a mapping of names to dtypes."""
    shape: tuple[int | None, ...]
    """The lengths of the axes, None for a length that differs from row to row; () for a single value."""
    range: tuple[float, float] | None
    """The lowest and the highest value; None: there is no range."""
    meaning: str
    """What it is."""


def decision_rows(
    game_record: GameRecord,
    game: Game | None = None,
    *,
    number: int = 0,
    adviser: Adviser | None = None,
    texts: bool = True,
    truth: bool = False,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each decision of a recorded game, as plain JSON values (see `decision_columns`).

    Example:
        >>> from spygames import make_game
        >>> from spygames.records import decision_rows, play_record
        >>> record = play_record(make_game("agent_avenue_v0"), ["greedy", "random"], seed=1)
        >>> row = next(decision_rows(record))
        >>> row["seat"], row["action_text"] == row["legal"][sum(row["mask"][:row["action"]])]
        (0, True)

    Args:
        game_record: the game.
        game: the game to replay it with; None: the game that the record names (see `replay`).
        number: the value of the column `game`.
        adviser: a player that analyzes each decision, from what the seat knows.
        texts: whether the rows have the columns of texts.
        truth: whether the rows have what is hidden from the seat.

    Raises:
        RecordError: the record does not fit the game.
    """
    game = game or game_of(game_record)
    states = replay(game_record, game)
    asked: Any = [] if adviser is None else [adviser]  # only its `memory_size` and `notes_size` are read
    session = one_game(game, asked, states[:1])
    events: dict[int, list[str]] = {seat: [] for seat in range(game.num_players)}
    for place, text in enumerate(game_record.actions):
        s, seat = as_record(states, place), int(states["to_move"][place])
        action = game.string_to_action(s, text, seat)
        decisions = session.decisions(ROW)
        row: dict[str, Any] = {
            "game": number,
            "decision": place,
            "seat": seat,
            "player": game_record.players[seat] if game_record.players else "",
            "view": {name: _short(decisions.views[name][0]) for name in game.view_dtype.names or ()},
            "mask": decisions.mask[0].tolist(),
            "action": action,
            "action_text": text,
        }
        if texts:
            turn = turn_of(game, states[place : place + 1], events[seat])
            row |= {"events": [*turn.events], "position": turn.position, "legal": [*turn.legal]}
        row["result"] = game_record.returns[seat]
        if adviser is not None:
            # Not from the seed of the game, which decides what is hidden.
            session.rng[:] = derived_seed(number * _DECISIONS + place, "advice")
            row |= _advice(game, decisions.mask[0], row["mask"], adviser.advise(decisions)[0], s, seat)
        if truth:
            row["truth_seed"] = None if game_record.seed is None else str(game_record.seed)
            row["truth_position"] = json.dumps(game.seen_to_dict(s, NOBODY))
        yield row
        if texts:
            events[seat].clear()
            for viewer, seen in events.items():
                seen.append(game.happened(s, action, seat, viewer))
        session.apply(ROW, np.array([action]))


def _advice(
    game: Game, mask: np.ndarray, listed: list[int], advice: Advice | None, s: Any, seat: int
) -> dict[str, Any]:
    """Return the columns of an analysis; None in each if there is none."""
    if advice is None:
        return {"advice_policy": None, "advice_value": None, "advice_beliefs": None}
    shares = dict(advice.actions)
    policy = [_number(shares.get(game.action_to_string(s, a, seat), 0.0)) if legal else 0.0
              for a, legal in enumerate(listed)]  # fmt: skip
    beliefs = [
        {"what": what, "value": value, "probability": _number(share)}
        for what, values in advice.belief
        for value, share in values
    ]
    return {
        "advice_policy": policy if advice.actions else None,
        "advice_value": None if advice.value is None else _number(advice.value),
        "advice_beliefs": beliefs,
    }


def chat_rows(game_record: GameRecord, game: Game | None = None, *, number: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the conversation of each seat of a recorded game, for fine-tuning of language models.

    The messages are those of a language model that plays the seat (`llm:MODEL`, mode `listed`): the briefing, and for
    each decision the question and the action as an answer in the grammar. Seats without a decision have none.

    Example:
        >>> from spygames import make_game
        >>> from spygames.records import chat_rows, play_record
        >>> record = play_record(make_game("agent_avenue_v0"), ["greedy", "random"], seed=1)
        >>> row = next(chat_rows(record))
        >>> [message["role"] for message in row["messages"][:3]], row["player"]
        (['system', 'user', 'assistant'], 'greedy')

    Args:
        game_record: the game.
        game: the game to replay it with; None: the game that the record names (see `replay`).
        number: the value of the column `game`.

    Raises:
        RecordError: the record does not fit the game.
    """
    game = game or game_of(game_record)
    states = replay(game_record, game)
    events: dict[int, list[str]] = {seat: [] for seat in range(game.num_players)}
    talks: dict[int, list[dict[str, str]]] = {}
    for place, text in enumerate(game_record.actions):
        s, seat = as_record(states, place), int(states["to_move"][place])
        talk = talks.setdefault(seat, [{"role": "system", "content": briefing(game, seat)}])
        asked = question(turn_of(game, states[place : place + 1], events[seat]))
        talk += [{"role": "user", "content": asked}, {"role": "assistant", "content": json.dumps({"action": text})}]
        action = game.string_to_action(s, text, seat)
        events[seat].clear()
        for viewer, seen in events.items():
            seen.append(game.happened(s, action, seat, viewer))
    for seat, talk in sorted(talks.items()):
        yield {
            "game": number,
            "seat": seat,
            "player": game_record.players[seat] if game_record.players else "",
            "result": game_record.returns[seat],
            "messages": talk,
        }


def decision_columns(game: Game, texts: bool = True, advice: bool = False, truth: bool = False) -> list[Column]:
    """Return the columns of `decision_rows`; the arguments are its arguments."""
    seats, results = (0, game.num_players - 1), _results(game)
    view = []
    for name in game.view_dtype.names or ():
        part = "" if game.view_parts is None else f", {game.view_parts[name]}"
        known = None if game.view_ranges is None else game.view_ranges.get(name, (0, 1))
        meaning = f"field of the observation{part}"
        view.append(Column(f"view.{name}", "float32", game.view_dtype[name].shape, known, meaning))
    mask = (game.num_actions,)
    return [
        Column("game", "int64", (), None, "number of the game, from 0, and of its line in `games.jsonl`"),
        Column("decision", "int64", (), None, "number of the decision in the game, of any seat, from 0"),
        Column("seat", "int64", (), seats, "the seat that decides"),
        Column("player", "text", (), None, "the player in this seat"),
        *view,
        Column("mask", "int8", mask, (0, 1), "1 where an action is legal"),
        Column("action", "int64", (), (0, game.num_actions - 1), "the action taken, an index of `mask`"),
        Column("action_text", "text", (), None, "the action taken"),
        *([
            Column("events", "text", (None,), None, "what the seat has seen since its last decision, oldest first"),
            Column("position", "text", (), None, "the position as the seat knows it"),
            Column("legal", "text", (None,), None, "the legal actions, in the order of `mask`"),
        ] if texts else []),
        Column("result", "float64", (), results, "the result of the seat at the end of the game"),
        *([
            Column("advice_policy", "float32", mask, (0, 1), "how likely the adviser takes each action; null: unknown"),
            Column("advice_value", "float32", (), results, "result that the adviser expects; null: unknown"),
            Column("advice_beliefs", "{what: text, value: text, probability: float32}", (None,), None,
                   "what the adviser believes about hidden things; from 0.5 %, several cards: at least one of them"),
        ] if advice else []),
        *([
            Column("truth_seed", "text", (), None, "HIDDEN from the seat: the seed of the deal"),
            Column("truth_position", "text", (), None, "HIDDEN from the seat: the whole position, as JSON"),
        ] if truth else []),
    ]  # fmt: skip


def chat_columns(game: Game) -> list[Column]:
    """Return the columns of `chat_rows`."""
    return [
        Column("game", "int64", (), None, "number of the game, from 0, and of its line in `games.jsonl`"),
        Column("seat", "int64", (), (0, game.num_players - 1), "the seat"),
        Column("player", "text", (), None, "the player in this seat"),
        Column("result", "float64", (), _results(game), "the result of the seat at the end of the game"),
        Column("messages", "{role: text, content: text}", (None,), None, "briefing, then question and answer in turn"),
    ]


def _results(game: Game) -> tuple[float, float]:
    """Return bounds of all results. At most, one side gets everything that the others lose."""
    return game.lowest_return, max(1.0, -game.lowest_return * (game.num_sides - 1))


def _short(values: Any) -> Any:
    """Return float32 values as the shortest decimal numbers that read back as the same float32 values."""
    return _each(np.asarray(values).tolist())


def _each(found: Any) -> Any:
    return [_each(one) for one in found] if isinstance(found, list) else _number(found)


@lru_cache(1 << 16)
def _number(value: float) -> float:
    return float(str(np.float32(value)))
