"""Convert a STATE to a mapping of plain JSON values, and back. README.md lists the keys.

`state_from_dict` checks the form and the range of each value, `validate` the consistency of the whole.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from spygames.core.basics.text import shown
from spygames.core.game.game import Game, ImpossibleState, as_record
from spygames.core.game.layout import bounds, plain_fields, read_fields
from spygames.core.game.validation import check_keys, integer, member, sequence, table
from spygames.heimlich.board import AGENTS, FACES, FINISH, LOOP, ONE_TO_THREE
from spygames.heimlich.cards import ALL_CARDS, CARDS, FIRST, HAND, KINDS, NEW_IDENTITY, NO_AGENT, SECOND
from spygames.heimlich.layout import (
    CHOICE,
    FIRST_OWNER,
    FREE,
    GUESS,
    HIGHEST_SCORE,
    MOVE,
    NONE,
    OVER,
    PHASES,
    ROUND,
    UNASKED,
    Settings,
    State,
)
from spygames.heimlich.queries import copies_of, left_of, still_to_predict
from spygames.heimlich.rules.play import clear
from spygames.heimlich.validate import check_end, check_phase, check_variant

_KEYS = (
    "edition", "players", "agents", "phase", "to_move", "active", "turn", "die", "points_left", "positions", "safe",
    "scores", "passports",
)  # fmt: skip
_EMPTY: dict[str, Any] = {
    "moved": {}, "hands": {}, "deck": [], "used": [], "arrived": [], "passes": 0, "pending_card": None,
    "card_turn": None, "guesses": {}, "guessed": False, "guessing": [], "winners": [], "end_reason": None,
}  # fmt: skip
_RECORD = ("points", "times", "gains", "scorings", "cards_played", "arrived_by", "swapped", "former", "swapped_late")


def state_to_dict(game: Game, s: State) -> dict[str, Any]:
    """Return the state as plain JSON values with all keys that README.md lists, `rng` and `record` included."""
    players, agents = game.num_players, AGENTS[: s.options.agents]
    seats = range(players)
    asked = still_to_predict(s) if s.phase == GUESS else 0
    return {
        "edition": Settings.of(game).edition,
        "players": players,
        "agents": list(agents),
        **plain_fields(State, s, "phase", "to_move", "active", "turn"),
        "die": "1-3" if s.die == ONE_TO_THREE else int(s.die),
        "points_left": int(s.points_left),
        "moved": {name: n for name, n in zip(agents, s.moved.tolist(), strict=False) if n},
        "positions": dict(zip(agents, s.positions.tolist(), strict=False)),
        "safe": int(s.safe),
        "scores": dict(zip(agents, s.scores.tolist(), strict=False)),
        "passports": {str(seat): AGENTS[s.passports[seat]] for seat in seats},
        "hands": {str(seat): _card_names(s.hands[seat]) for seat in seats} if s.options.top_secret else {},
        "deck": [CARDS[card] for card in s.deck[: s.deck_size][::-1].tolist()],
        "used": [CARDS[card] for card in s.used[: s.used_size].tolist()],
        "arrived": [name for name, seat in zip(agents, s.arrived_by.tolist(), strict=False) if seat != NONE],
        "passes": int(s.passes),
        "pending_card": None
        if s.pending == NONE
        else {"card": CARDS[s.pending], "agents": [AGENTS[a] for a in s.named if a != NONE]},
        **plain_fields(State, s, "card_turn"),
        "guesses": {str(seat): dict(_guesses(s.guesses[seat])) for seat in seats}
        if s.options.secret_identities
        else {},
        **plain_fields(State, s, "guessed"),
        "guessing": [int(left_of(s, int(s.to_move), i)) for i in range(asked)],
        "winners": [seat for seat in seats if s.winners >> seat & 1],
        **plain_fields(State, s, "end_reason"),
        "rng": int(s.rng),
        "record": _public_record(s),
    }


def _public_record(s: State) -> dict[str, Any]:
    """Return the public record, and other facts that the rest of the game does not depend on."""
    counts = {"points": s.points, "times": s.times, "gains": s.gains}
    seats = range(int(s.options.players))
    return {
        **{
            key: {str(seat): {AGENTS[a]: n for a, n in enumerate(by_seat[seat]) if n} for seat in seats}
            for key, by_seat in ((key, by_agent.T.tolist()) for key, by_agent in counts.items())
        },
        "scorings": s.scorings[: len(seats)].tolist(),
        "cards_played": s.cards_played[: len(seats)].tolist(),
        "arrived_by": {AGENTS[a]: seat for a, seat in enumerate(s.arrived_by.tolist()) if seat != NONE},
        **plain_fields(State, s, "swapped", "former", "swapped_late"),
    }


def _card_names(counts: np.ndarray) -> list[str]:
    return [CARDS[kind] for kind, count in enumerate(counts.tolist()) for _ in range(count)]


def _guesses(guesses: np.ndarray) -> Iterator[tuple[str, str]]:
    for agent, guess in enumerate(guesses.tolist()):
        if guess != UNASKED:
            yield AGENTS[agent], "free" if guess == FREE else f"player_{guess - FIRST_OWNER}"


def state_from_dict(game: Game, mapping: Mapping[str, Any], s: State) -> None:
    """Write `mapping` into the zeroed state `s`.

    The checks cover cards (each copy in one place), passports, the decision of the phase, predictions, and the result.
    Pieces, tokens, hand sizes and the public record may have any value in their ranges, so that a scenario can place
    them freely.

    Raises:
        ImpossibleState: A key is missing, unknown or wrong. The message names the key and the right value.
    """
    check_keys(mapping, _KEYS, (*_EMPTY, "rng", "record"))
    full = {key: mapping[key] if mapping.get(key) is not None else empty for key, empty in _EMPTY.items()}
    full |= {key: mapping[key] for key in _KEYS}
    s.options = as_record(game.packed)
    clear(s)
    check_variant(game, full, _EMPTY, s)
    s.rng = np.uint64(integer(mapping.get("rng", 0), "rng", 0, 2**64 - 1))
    _read_turn(full, s)
    _read_board(full, s)
    _read_cards(full, s)
    _read_predictions(full, s)
    _read_record(mapping.get("record") or {}, s)
    check_phase(full, s)
    check_end(full, s)


def _read_turn(m: Mapping[str, Any], s: State) -> None:
    """Read phase, seats, die and points."""
    read_fields(State, s, m, "phase", "to_move", "active", "turn")
    if m["die"] == "1-3" and not s.options.plain_die:
        s.die = ONE_TO_THREE
    else:
        lowest = 1 if s.options.plain_die else 2
        if isinstance(m["die"], str):
            allowed = "" if s.options.plain_die else "'1-3' or "
            raise ImpossibleState(f"die must be {allowed}an integer from {lowest} to {FACES}, not {shown(m['die'])}")
        s.die = integer(m["die"], "die", lowest, FACES)
    most = 3 if s.die == ONE_TO_THREE else int(s.die)
    s.points_left = integer(m["points_left"], "points_left", 0, most)
    for agent, points in _by_agent(m["moved"], "moved", s):
        s.moved[agent] = integer(points, f"moved of {AGENTS[agent]}", 1, most)
        s.next_agent = max(int(s.next_agent), agent + 1)
    if s.moved.sum() + s.points_left > most:
        raise ImpossibleState(f"moved and points_left must not sum to more than the {most} points of the die")


def _read_board(m: Mapping[str, Any], s: State) -> None:
    """Read agents, safe, tokens and passports."""
    agents, over = int(s.options.agents), s.phase == OVER
    for key, values, highest in (
        ("positions", s.positions, LOOP - 1),
        ("scores", s.scores, HIGHEST_SCORE if over else FINISH - 1),
    ):
        given = dict(_by_agent(m[key], key, s))
        if missing := [AGENTS[a] for a in range(agents) if a not in given]:
            raise ImpossibleState(f"{key} lacks {', '.join(missing)}")
        for agent, value in given.items():
            values[agent] = integer(value, f"{key} of {AGENTS[agent]}", 0, highest)
    s.safe = integer(m["safe"], "safe", 0, LOOP - 1)
    for seat, name in table(m["passports"], "passports", int(s.options.players)):
        agent = member(name, "passports", AGENTS[:agents])
        if s.owner[agent] != NONE:
            raise ImpossibleState(f"passports must give each agent to one seat, but two seats have {name}")
        s.owner[agent], s.passports[seat] = seat, agent
    for name in sequence(m["arrived"], "arrived"):
        agent = member(name, "arrived", AGENTS[:agents])
        if s.positions[agent] != s.safe:
            raise ImpossibleState(f"arrived must name agents in the safe's building, not {name}")
        if s.phase not in (MOVE, ROUND, CHOICE) and m["card_turn"] is None:
            raise ImpossibleState(f"arrived must be empty in phase {PHASES[s.phase]}")
        s.arrived_by[agent] = s.active


def _read_cards(m: Mapping[str, Any], s: State) -> None:
    """Read hands, deck, used cards and the pending card, and check that each copy is in one place."""
    if not s.options.top_secret:
        return
    players = int(s.options.players)
    for seat, cards in table(m["hands"], "hands", players):
        for kind in _kinds(cards, f"hands of seat {seat}", HAND):
            s.hands[seat, kind] += 1
            s.hand_sizes[seat] += 1
    deck = _kinds(m["deck"], "deck", ALL_CARDS)[::-1]
    used = _kinds(m["used"], "used", ALL_CARDS)
    s.deck[: len(deck)], s.deck_size = deck, len(deck)
    s.used[: len(used)], s.used_size = used, len(used)
    for kind in range(KINDS):
        copies = int(copies_of(s, kind))
        there = int(s.hands[:, kind].sum()) + deck.count(kind) + used.count(kind)
        if there != copies:
            raise ImpossibleState(
                f"hands, deck and used must hold {copies} of the card {CARDS[kind]} in this game, not {there}"
            )
    read_fields(State, s, m, "passes", "card_turn")
    if (card := m["pending_card"]) is not None:
        check_keys(card, ("card", "agents"), (), "pending_card")
        s.pending = member(card["card"], "pending_card", CARDS)
        if s.pending not in used:
            raise ImpossibleState(f"used must contain the pending_card {card['card']}")
        names = sequence(card["agents"], "agents of pending_card")
        most = int(FIRST[s.pending] != NO_AGENT) + int(SECOND[s.pending] != NO_AGENT)
        if len(names) > most:
            raise ImpossibleState(f"pending_card {card['card']} must name at most {most} agents, not {shown(names)}")
        for i, name in enumerate(names):
            agent = member(name, "agents of pending_card", AGENTS[: s.options.agents])
            if agent in s.named:
                raise ImpossibleState(f"agents of pending_card must not name {name} twice")
            s.named[i] = agent


def _read_predictions(m: Mapping[str, Any], s: State) -> None:
    """Read the predictions of each seat."""
    if not s.options.secret_identities:
        return
    players = int(s.options.players)
    read_fields(State, s, m, "guessed")
    owners = ["free", *(f"player_{seat}" for seat in range(players))]
    for seat, guesses in table(m["guesses"] or {str(seat): {} for seat in range(players)}, "guesses", players):
        for agent, owner in _by_agent(guesses, f"guesses of seat {seat}", s):
            s.guesses[seat, agent] = FREE + member(owner, f"guesses of seat {seat}", owners)


def _read_record(remembered: Any, s: State) -> None:
    """Read the public record. Counts of missing keys are 0."""
    check_keys(remembered, (), _RECORD, "record")
    players, last = int(s.options.players), int(s.options.players) - 1
    for key in ("points", "times", "gains"):
        if key in remembered:
            for seat, numbers in table(remembered[key], f"record {key}", players):
                for agent, n in _by_agent(numbers, f"record {key}", s):
                    s[key][agent, seat] = integer(n, f"record {key}", *bounds(State, key, s))
    for key in ("scorings", "cards_played"):
        if key in remembered:
            numbers = sequence(remembered[key], f"record {key}", players)
            s[key][:players] = [integer(n, f"record {key}", *bounds(State, key, s)) for n in numbers]
    if (played := int(s.cards_played.sum())) > s.used_size:
        raise ImpossibleState(
            f"record cards_played must not sum to more than the {s.used_size} cards in used, not {played}"
        )
    for agent, seat in _by_agent(remembered.get("arrived_by", {}), "record arrived_by", s):
        if s.arrived_by[agent] == NONE:
            raise ImpossibleState(f"record arrived_by must name agents in arrived, not {AGENTS[agent]}")
        s.arrived_by[agent] = integer(seat, "record arrived_by", 0, last)
    read_fields(State, s, {"swapped_late": False, **remembered}, "swapped", "former", "swapped_late", within="record")
    if s.swapped_late and not s.guessed:
        raise ImpossibleState("record swapped_late must be false until everybody has predicted")
    if s.swapped != NONE and (NEW_IDENTITY not in s.used or s.former == NONE or s.owner[s.former] != NONE):
        raise ImpossibleState("record swapped needs new_identity in used, and a free agent as former")
    if s.swapped == NONE and (s.former != NONE or s.swapped_late):
        raise ImpossibleState("record former and swapped_late must be null and false unless record swapped is a seat")


def _by_agent(value: object, key: str, s: State) -> list[tuple[int, Any]]:
    """Return (agent, value) for each item of a mapping by agent name."""
    if not isinstance(value, Mapping):
        raise ImpossibleState(f"{key} must map agents to values, not {shown(value)}")
    return [(member(name, key, AGENTS[: s.options.agents]), content) for name, content in value.items()]


def _kinds(cards: object, key: str, most: int) -> list[int]:
    """Return the kinds of a list of cards."""
    cards = sequence(cards, key)
    if len(cards) > most:
        raise ImpossibleState(f"{key} must hold at most {most} cards, not {len(cards)}")
    return [member(card, key, CARDS) for card in cards]
