"""Character drawing of a position of Agent DOG, at most 80 columns wide."""

from textwrap import wrap

import numpy as np

from spygames.agent_dog.board import COLOURS, PAWNS, place_to_string
from spygames.agent_dog.cards import CARDS, FUNCTIONS, KINDS
from spygames.agent_dog.layout import EMPTY, EXCHANGE, HAT, NONE, OVER, PHASES, TRUNCATED, State
from spygames.agent_dog.queries import goal_of, hand_size, seat_colour, taker
from spygames.core.game.game import NOBODY, Game
from spygames.core.game.rulebook import counted

_WIDTH, _ROW = 80, 16


def to_text(game: Game, s: State, viewer: int) -> str:
    """Draw the track, the goals and the cards as `viewer` (a seat) may see them. NOBODY sees everything.

    Lines have at most 80 columns. The last line has no newline.
    """
    open_hats = viewer == NOBODY or bool(s.options.tracked)
    return "\n".join([
        *_wrapped(f"Agent DOG, round {s.round_number + 1}, turn {s.turn + 1}: {_headline(game, s)}"),
        "",
        *_track(s, open_hats),
        "",
        *(_side(game, s, seat, open_hats) for seat in range(game.num_players)),
        "",
        *(line for text in _cards(game, s, viewer) for line in _wrapped(text)),
    ])  # fmt: skip


def _headline(game: Game, s: State) -> str:
    """Return the decision to be made, or how the game ended."""
    if s.phase == OVER:
        if s.end_reason == TRUNCATED:
            return "cut off, nobody wins"
        winners = " and ".join(f"player_{seat}" for seat in range(game.num_players) if s.winners >> seat & 1)
        return f"{winners} {'win' if ' and ' in winners else 'wins'}: all pawns are home"
    what = {
        "exchange": "passes a card",
        "card": "plays a card",
        "place": "moves a pawn",
        "step": f"has {counted(int(s.points), 'point')} left",
        "swap": "swaps two hidden pawns",
        "meeting": "chooses the next meeting",
        "redraw": "has no playable card and discards one",
    }
    return f"player_{s.to_move} ({COLOURS[seat_colour(game.num_players, int(s.to_move))]}) {what[PHASES[s.phase]]}"


def _track(s: State, open_hats: bool) -> list[str]:
    """Draw the spaces in rows of sixteen with the pawns below: S start, o hole, M meeting point."""
    quarter, board, lines = int(s.options.quarter), s.board.tolist(), []
    features = _features(s)
    for k in range(4):
        for first in range(k * quarter, (k + 1) * quarter, _ROW):
            spaces = range(first, min(first + _ROW, (k + 1) * quarter))
            name = COLOURS[k] if first == k * quarter else ""
            lines.append(f"{name:<8}" + "".join(f"{f'{p}{features[p % quarter]}':>4}" for p in spaces))
            lines.append(" " * 8 + "".join(f"{_pawn(board[p], open_hats):>4}" for p in spaces))
    return [line.rstrip() for line in lines] + ["S start space, o hole, M meeting point; ^ a pawn under its hat"]


def _features(s: State) -> list[str]:
    """Return the letter of each space of a quadrant: S, o, M or a blank."""
    letters = ["o" if hole != NONE else " " for hole in s.options.hole[: int(s.options.quarter)].tolist()]
    letters[0] = "S"
    meeting = int(s.options.meeting)
    if letters[meeting] == " ":
        letters[meeting] = "M"
    return letters


def _pawn(pawn: int, open_hats: bool) -> str:
    """Return `r` for a red pawn, `^` for a hidden pawn, and `^r` if its color is known."""
    if pawn == EMPTY:
        return ". "
    letter = COLOURS[pawn % HAT][0]
    return f"{letter} " if pawn < HAT else f"^{letter}" if open_hats else "^ "


def _side(game: Game, s: State, seat: int, open_hats: bool) -> str:
    """Draw the start area and the goal of a seat's color."""
    colour = seat_colour(game.num_players, seat)
    goal = "".join(f" {_pawn(int(s.board[goal_of(colour) + i]), open_hats)}" for i in range(PAWNS))
    return f"{COLOURS[colour]:<8}player_{seat}   start area {s.area[colour]}   goal{goal}".rstrip()


def _cards(game: Game, s: State, viewer: int) -> list[str]:
    """Return the hands that the viewer knows, the sizes of the others, the piles, and the card being played."""
    lines = []
    if s.card != NONE:
        played = f"Played: {CARDS[s.card]} as {FUNCTIONS[s.function]}"
        if s.first != NONE:
            played += f", swapping {place_to_string(int(s.first))}"
        if s.moved != NONE:
            played += f", the last step led to {place_to_string(int(s.moved))}"
        points = [f"{k * s.options.quarter + s.options.meeting}" for k in range(4) if s.meetings >> k & 1]
        if points:
            played += f", a meeting is due at {' and '.join(points)}"
        lines.append(played + (", it has captured a pawn of the own team" if s.penalty else ""))
    for seat in range(game.num_players):
        whose = "Your" if seat == viewer else f"player_{seat}'s"
        known = viewer in (NOBODY, seat)
        cards = _names(s.hands[seat]) if known else f"{hand_size(s, seat)} cards"
        passed = int(s.passed[seat])
        if passed != NONE and known:
            cards += f"; passed {CARDS[passed]} to player_{taker(s, seat)}"
        elif passed != NONE and s.phase != EXCHANGE and taker(s, seat) == viewer:
            cards += f"; passed you {CARDS[passed]}"
        lines.append(f"{whose} hand: {cards}{', out of the round' if s.out[seat] else ''}")
    deck = f"Deck: {s.deck_size} cards"
    if viewer == NOBODY and s.deck_size:
        deck += ", top first: " + ", ".join(CARDS[s.deck[i]] for i in reversed(range(s.deck_size)))
    copied = "nothing" if s.last_card == NONE else CARDS[s.last_card]
    return [*lines, deck, f"Discards: {_names(s.discarded)}", f"Dealer: player_{s.dealer}; a copy would copy {copied}"]


def _names(counts: np.ndarray) -> str:
    """Return the counted cards, in the order of CARDS."""
    listed = [(CARDS[card], int(counts[card])) for card in range(KINDS)]
    return ", ".join(f"{n} x {card}" if n > 1 else card for card, n in listed if n) or "none"


def _wrapped(text: str) -> list[str]:
    """Return the lines of a text, wrapped to _WIDTH columns."""
    return wrap(text, _WIDTH, subsequent_indent="   ")
