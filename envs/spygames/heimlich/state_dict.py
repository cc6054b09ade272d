"""Reading a state of Heimlich & Co. from a mapping, and refusing what contradicts itself."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from spygames.core.game import Game, ImpossibleState, record
from spygames.core.kernel import Record
from spygames.core.mapping import check_keys, integer, member, sequence, table
from spygames.core.shown import shown
from spygames.heimlich import identities, rules, top_secret
from spygames.heimlich.board import (
    AGENTS,
    ALL_CARDS,
    CARDS,
    COPIES,
    FACES,
    FINISH,
    FIRST,
    HAND,
    KINDS,
    LOOP,
    NEW_IDENTITY,
    NO_AGENT,
    ONE_TO_THREE,
    SECOND,
)
from spygames.heimlich.identities import FIRST_OWNER, FREE, UNASKED
from spygames.heimlich.state import (
    CHOICE,
    END_REASONS,
    GUESS,
    LARGEST,
    LAST_TURN,
    LOWEST,
    MOVE,
    NONE,
    OVER,
    PHASES,
    ROUND,
    SAFE,
)

_KEYS = (
    "edition", "players", "agents", "phase", "to_move", "active", "turn", "die", "points_left", "positions", "safe",
    "scores", "passports",
)  # fmt: skip
_EMPTY: dict[str, Any] = {
    "moved": {}, "hands": {}, "deck": [], "used": [], "arrived": [], "passes": 0, "pending_card": None,
    "card_turn": None, "guesses": {}, "guessed": False, "guessing": [], "winners": [], "end_reason": None,
}  # fmt: skip
_OF_CARDS = ("hands", "deck", "used", "passes", "pending_card", "card_turn")
_OF_PREDICTIONS = ("guesses", "guessed", "guessing", "card_turn")
_RECORD = ("points", "times", "gains", "scorings", "cards_played", "arrived_by", "swapped", "former", "swapped_late")


def state_from_dict(game: Game, mapping: Mapping[str, Any], s: Record) -> None:
    """Writes `mapping` into the zeroed state `s`; ImpossibleState says what is wrong with it.

    Checked are cards (each copy in one place), passports, the phase against what is asked in it, predictions, and the
    result. Pieces, tokens, hand sizes and the record of what happened are free within their ranges, so that a
    scenario can place them as it likes.
    """
    check_keys(mapping, _KEYS, (*_EMPTY, "rng", "record"))
    full = {key: mapping[key] if mapping.get(key) is not None else empty for key, empty in _EMPTY.items()}
    full |= {key: mapping[key] for key in _KEYS}
    rules.copy_options(s, record(game.packed))
    rules.clear(s)
    _check_variant(game, full, s)
    s.rng = np.uint64(integer(mapping.get("rng", 0), "rng", 0, 2**64 - 1))
    _read_turn(full, s)
    _read_board(full, s)
    _read_cards(full, s)
    _read_predictions(full, s)
    _read_record(mapping.get("record") or {}, s)
    _check_phase(full, s)
    _check_end(full, s)


def _check_variant(game: Game, m: Mapping[str, Any], s: Record) -> None:
    """The mapping is of this game, and keys of switches that are off are empty."""
    for key in ("edition", "players"):
        if m[key] != game.options[key] or isinstance(m[key], bool):
            raise ImpossibleState(f"{key} is {shown(m[key])}, but this game is played with {game.options[key]!r}")
    agents = list(AGENTS[: s.options.agents])
    if not isinstance(m["agents"], list) or m["agents"] != agents:
        raise ImpossibleState(f"agents must be {agents} with these players, not {shown(m['agents'])}")
    off = {key for key in _OF_CARDS if not s.options.top_secret}
    off |= {key for key in _OF_PREDICTIONS if not s.options.secret_identities}
    for key in off:
        value = m[key]
        if isinstance(value, Mapping) and not any(value.values()):
            continue  # every seat with nothing
        if value != _EMPTY[key]:
            raise ImpossibleState(f"{key} must be {_EMPTY[key]!r} or left out in this variant, not {shown(value)}")


def _read_turn(m: Mapping[str, Any], s: Record) -> None:
    """Phase, seats, die and points."""
    last = int(s.options.players) - 1
    s.phase = member(m["phase"], "phase", PHASES)
    s.to_move = _seat_or_none(m["to_move"], "to_move", s)
    s.active = integer(m["active"], "active", 0, last)
    s.turn = integer(m["turn"], "turn", 0, LAST_TURN)
    if m["die"] == "1-3" and not s.options.plain_die:
        s.die = ONE_TO_THREE
    else:
        lowest = 1 if s.options.plain_die else 2
        if isinstance(m["die"], str):
            allowed = "" if s.options.plain_die else "'1-3' or "
            raise ImpossibleState(
                f"die must be {allowed}a whole number from {lowest} to {FACES}, not {shown(m['die'])}"
            )
        s.die = integer(m["die"], "die", lowest, FACES)
    most = 3 if s.die == ONE_TO_THREE else int(s.die)
    s.points_left = integer(m["points_left"], "points_left", 0, most)
    for agent, points in _by_agent(m["moved"], "moved", s):
        s.moved[agent] = integer(points, f"moved of {AGENTS[agent]}", 1, most)
        s.next_agent = max(int(s.next_agent), agent + 1)
    if s.moved.sum() + s.points_left > most:
        raise ImpossibleState(f"moved and points_left make more than the {most} points of the die")


def _read_board(m: Mapping[str, Any], s: Record) -> None:
    """Agents, safe, tokens and passports."""
    agents, over = int(s.options.agents), s.phase == OVER
    for key, values, highest in (
        ("positions", s.positions, LOOP - 1),
        ("scores", s.scores, 200 if over else FINISH - 1),
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
            raise ImpossibleState(f"passports gives {name} to two seats")
        s.owner[agent], s.passports[seat] = seat, agent
    for name in sequence(m["arrived"], "arrived"):
        agent = member(name, "arrived", AGENTS[:agents])
        if s.positions[agent] != s.safe:
            raise ImpossibleState(f"arrived names {name}, which does not stand in the safe's building")
        if s.phase not in (MOVE, ROUND, CHOICE) and m["card_turn"] is None:
            raise ImpossibleState(f"arrived must be empty in phase {PHASES[s.phase]}")
        s.arrived_by[agent] = s.active


def _read_cards(m: Mapping[str, Any], s: Record) -> None:
    """Hands, deck, used cards and the card that asks; each copy is in one place."""
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
        copies = int(s.options.new_identity) if kind == NEW_IDENTITY else int(COPIES[kind])
        there = int(s.hands[:, kind].sum()) + deck.count(kind) + used.count(kind)
        if there != copies:
            raise ImpossibleState(
                f"this game has {copies} {CARDS[kind]} among its cards, but hands, deck and used hold {there}"
            )
    s.passes = integer(m["passes"], "passes", 0, players - 1)
    s.card_turn = _seat_or_none(m["card_turn"], "card_turn", s)
    if (card := m["pending_card"]) is not None:
        check_keys(card, ("card", "agents"), (), "pending_card")
        s.pending = member(card["card"], "pending_card", CARDS)
        if s.pending not in used:
            raise ImpossibleState(f"used lacks the pending_card {card['card']}")
        names = sequence(card["agents"], "agents of pending_card")
        most = int(FIRST[s.pending] != NO_AGENT) + int(SECOND[s.pending] != NO_AGENT)
        if len(names) > most:
            raise ImpossibleState(f"agents of pending_card can be {most} at most, not {shown(names)}")
        for i, name in enumerate(names):
            agent = member(name, "agents of pending_card", AGENTS[: s.options.agents])
            if agent in s.named:
                raise ImpossibleState(f"agents of pending_card names {name} twice")
            s.named[i] = agent


def _read_predictions(m: Mapping[str, Any], s: Record) -> None:
    """Who is said to own what."""
    if not s.options.secret_identities:
        return
    players = int(s.options.players)
    if not isinstance(m["guessed"], bool):
        raise ImpossibleState(f"guessed must be true or false, not {shown(m['guessed'])}")
    s.guessed = m["guessed"]
    owners = ["free", *(f"player_{seat}" for seat in range(players))]
    for seat, guesses in table(m["guesses"] or {str(seat): {} for seat in range(players)}, "guesses", players):
        for agent, owner in _by_agent(guesses, f"guesses of seat {seat}", s):
            s.guesses[seat, agent] = FREE + member(owner, f"guesses of seat {seat}", owners)


def _read_record(remembered: Any, s: Record) -> None:
    """What happened before, as far as it is known."""
    check_keys(remembered, (), _RECORD, "record")
    players, last = int(s.options.players), int(s.options.players) - 1
    for key, values, lowest in (("points", s.points, LOWEST), ("times", s.times, 0), ("gains", s.gains, LOWEST)):
        if key in remembered:
            for seat, numbers in table(remembered[key], f"record {key}", players):
                for agent, n in _by_agent(numbers, f"record {key}", s):
                    values[agent, seat] = integer(n, f"record {key}", lowest, LARGEST)
    for key, values, most in (("scorings", s.scorings, LARGEST), ("cards_played", s.cards_played, ALL_CARDS)):
        if key in remembered:
            numbers = sequence(remembered[key], f"record {key}", players)
            values[:players] = [integer(n, f"record {key}", 0, most) for n in numbers]
    if (played := int(s.cards_played.sum())) > s.used_size:
        raise ImpossibleState(f"record cards_played makes {played} in all, but used holds {s.used_size} cards")
    for agent, seat in _by_agent(remembered.get("arrived_by", {}), "record arrived_by", s):
        if s.arrived_by[agent] == NONE:
            raise ImpossibleState(f"record arrived_by names {AGENTS[agent]}, which arrived does not")
        s.arrived_by[agent] = integer(seat, "record arrived_by", 0, last)
    s.swapped = _seat_or_none(remembered.get("swapped"), "record swapped", s)
    name = remembered.get("former")
    s.former = NONE if name is None else member(name, "record former", AGENTS[: s.options.agents])
    late = remembered.get("swapped_late", False)
    if not isinstance(late, bool) or (late and not s.guessed):
        raise ImpossibleState(
            f"record swapped_late must be false, or true once everybody has predicted, not {shown(late)}"
        )
    s.swapped_late = late
    if s.swapped != NONE and (NEW_IDENTITY not in s.used or s.former == NONE or s.owner[s.former] != NONE):
        raise ImpossibleState("record swapped needs new_identity among used, and as former a free agent")
    if s.swapped == NONE and (s.former != NONE or s.swapped_late):
        raise ImpossibleState("record former and swapped_late belong to a seat in record swapped")


def _check_phase(m: Mapping[str, Any], s: Record) -> None:
    """Who is asked for what fits what lies on the table."""
    phase = PHASES[s.phase]
    if (s.phase in (ROUND, CHOICE) and not s.options.top_secret) or (
        s.phase == GUESS and not s.options.secret_identities
    ):
        raise ImpossibleState(f"phase {phase} does not occur in this variant")
    if (s.phase == OVER) != (s.to_move == NONE):
        raise ImpossibleState("to_move must be a seat, and null in phase over")
    if s.phase in (MOVE, SAFE) and s.to_move != s.active:
        raise ImpossibleState(f"to_move must be {s.active}, the active seat, in phase {phase}")
    if (s.phase == MOVE) != (s.points_left > 0):
        raise ImpossibleState("points_left must be above 0 in phase move, and 0 in any other")
    if (s.phase == CHOICE) != (s.pending != NONE):
        raise ImpossibleState("pending_card belongs to phase card_choice, and to no other")
    if s.phase == CHOICE:
        _check_pending(s)
    if s.phase != ROUND and s.passes:
        raise ImpossibleState(f"passes must be 0 in phase {phase}")
    if s.phase == ROUND and s.hand_sizes[s.to_move] == 0:
        raise ImpossibleState(f"hands of seat {s.to_move} is empty, so it is not asked in phase cards")
    if s.card_turn != NONE and s.phase != GUESS:
        raise ImpossibleState(f"card_turn must be null in phase {phase}")
    _check_predictions(s)
    left = identities.still_to_predict(s) if s.phase == GUESS else 0
    expected = [(int(s.to_move) + i) % int(s.options.players) for i in range(left)]
    if list(sequence(m["guessing"], "guessing")) != expected:
        raise ImpossibleState(f"guessing must be {expected} here, not {shown(m['guessing'])}")
    mask = np.zeros(256, np.int8)
    rules.legal(s, mask)
    if s.phase != OVER and not mask.any():
        raise ImpossibleState(f"seat {s.to_move} has nothing to choose from in phase {phase}")


def _check_pending(s: Record) -> None:
    """The agents that were named are such as the card asks for, and all that it asks for can be named."""
    kind = int(s.pending)
    for agent, which in zip(s.named.tolist(), (FIRST[kind], SECOND[kind]), strict=True):
        if agent != NONE and not top_secret.fits(s, which, agent):
            raise ImpossibleState(f"agents of pending_card: {AGENTS[agent]} is none that {CARDS[kind]} can name here")
    if s.named[0] == NONE and not top_secret.playable(s, kind):
        raise ImpossibleState(f"pending_card: here is not all that {CARDS[kind]} must name")


def _check_predictions(s: Record) -> None:
    """Everybody has predicted, or nobody, or while they are asked those before the seat to move."""
    players = int(s.options.players)
    left = identities.still_to_predict(s) if s.phase == GUESS else 0
    if s.phase == GUESS and s.guessed:
        raise ImpossibleState("guessed must be false in phase guess")
    for places in range(players):
        seat = (int(s.active) + places) % players
        done = bool(s.guessed) or (s.phase == GUESS and places < players - left)
        asked = s.phase == GUESS and places == players - left
        guesses = s.guesses[seat, : s.options.agents]
        unasked = np.flatnonzero(guesses == UNASKED).tolist()
        named = guesses[guesses >= FIRST_OWNER].tolist()
        if not (done or asked) and len(unasked) < len(guesses):
            raise ImpossibleState(f"guesses of seat {seat} must be empty: it has not predicted")
        if FIRST_OWNER + seat in named or len(named) > len(set(named)):
            raise ImpossibleState(f"guesses of seat {seat} can give each other player one agent only")
        if done and (len(unasked) != 1 or len(named) != players - 1):
            raise ImpossibleState(
                f"guesses of seat {seat} must leave out its own agent alone and give every other player one"
            )
        own = int(s.passports[seat])
        if asked and (own not in unasked or len(unasked) == 1 or _not_in_order(unasked, own)):
            raise ImpossibleState(
                f"guesses of seat {seat} must be about the first agents, its own left out, but not all"
            )
        if asked and len(unasked) - 1 < players - 1 - len(named):
            raise ImpossibleState(f"guesses of seat {seat} leave no agent for some player")


def _not_in_order(unasked: list[int], own: int) -> bool:
    """Whether an agent was answered for before one with a lower id."""
    left = [agent for agent in unasked if agent != own]
    lowest = left[0]
    return left != [agent for agent in range(lowest, left[-1] + 1) if agent != own]


def _check_end(m: Mapping[str, Any], s: Record) -> None:
    """The result is what the position says, and there is none before."""
    winners = {integer(seat, "winners", 0, int(s.options.players) - 1) for seat in sequence(m["winners"], "winners")}
    reason = m["end_reason"]
    if s.phase != OVER:
        if winners or reason is not None:
            raise ImpossibleState("winners and end_reason belong to phase over, and to no other")
        return
    s.end_reason = member(reason, "end_reason", END_REASONS)
    s.winners = rules.furthest(s)
    if winners != (found := {seat for seat in range(int(s.options.players)) if s.winners >> seat & 1}):
        raise ImpossibleState(f"winners must be {sorted(found)} with these scores and passports, not {sorted(winners)}")
    if not rules.is_finished(s):
        raise ImpossibleState(f"phase is over, but no token is at {FINISH} or more")


def _by_agent(value: object, key: str, s: Record) -> list[tuple[int, Any]]:
    """The values of a mapping by agent."""
    if not isinstance(value, Mapping):
        raise ImpossibleState(f"{key} must map agents to values, not {shown(value)}")
    return [(member(name, key, AGENTS[: s.options.agents]), content) for name, content in value.items()]


def _kinds(cards: object, key: str, most: int) -> list[int]:
    """A list of cards, as kinds."""
    cards = sequence(cards, key)
    if len(cards) > most:
        raise ImpossibleState(f"{key} holds {len(cards)} cards, {most} at most")
    return [member(card, key, CARDS) for card in cards]


def _seat_or_none(value: object, key: str, s: Record) -> int:
    return NONE if value is None else integer(value, key, 0, int(s.options.players) - 1)
