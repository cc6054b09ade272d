"""Character drawing of a position of Heimlich & Co., at most 80 columns wide."""

from collections.abc import Iterator
from textwrap import wrap

from spygames.core.game.game import NOBODY, Game
from spygames.heimlich.board import AGENTS, BUILDINGS, FINISH, LOOP, MARK, ONE_TO_THREE, VALUES
from spygames.heimlich.cards import CARDS, KINDS
from spygames.heimlich.layout import CHOICE, FIRST_OWNER, FREE, GUESS, MOVE, NONE, OVER, ROUND, SAFE, UNASKED, State

# The loop, clockwise from the Church in the lower left corner. `middle` holds the legend.
_BOARD = """\
   +---------+---------+---------+---------+
   |{n3}|{n4}|{n5}|{n6}|
   |{a3}|{a4}|{a5}|{a6}|
   +---------+---------+---------+---------+
   |{n2}|{middle[0]:^19}|{n7}|
   |{a2}|{middle[1]:^19}|{a7}|
   +---------+{middle[2]:^19}+---------+
   |{n1}|{middle[3]:^19}|{n8}|
   |{a1}|{middle[4]:^19}|{a8}|
   +---------+---------+---------+---------+
   |{n0}|{n11}|{n10}|{n9}|
   |{a0}|{a11}|{a10}|{a9}|
   +---------+---------+---------+---------+"""
_LETTERS = "RYGBPOA"  # by agent; A, for ash, is grey
_LEGEND = ("agents go", "clockwise;", "the safe is", "in the building", "with the *")
_WIDTH = 80


def to_text(game: Game, s: State, viewer: int) -> str:
    """Draw board, tokens and cards as `viewer` (a seat) may see them. NOBODY sees everything.

    Lines have at most 80 columns. The last line has no newline.
    """
    return "\n".join([
        *_wrapped(f"Heimlich & Co., turn {s.turn + 1}: {_headline(s)}"),
        "",
        _board(s),
        "",
        *_tokens(s, viewer),
        "",
        *(line for text in _notes(s, viewer) for line in _wrapped(text)),
    ])  # fmt: skip


def _headline(s: State) -> str:
    """Return the decision to be made, or the winners."""
    mover = f"player_{s.to_move}"
    if s.phase == MOVE:
        die = "1-3" if s.die == ONE_TO_THREE else str(s.die)
        return f"player_{s.active} has rolled {die} and moves agents, {s.points_left} left"
    if s.phase == SAFE:
        return f"{mover} moves the safe"
    if s.phase == ROUND:
        return f"card round in the turn of player_{s.active}, {mover} plays a card or passes"
    if s.phase == CHOICE:
        named = ", ".join(AGENTS[a] for a in s.named if a != NONE)
        return f"{mover} has played {CARDS[s.pending]}{f' on {named}' if named else ''} and chooses"
    if s.phase == GUESS:
        return f"{mover} predicts who is who"
    winners = [f"player_{seat}" for seat in range(s.options.players) if s.winners >> seat & 1]
    return f"{' and '.join(winners)} {'wins' if len(winners) == 1 else 'win'}" if winners else "nobody wins"


def _board(s: State) -> str:
    """Draw the loop of buildings with their names, the agents in them, and the safe."""
    cells = {}
    for building, name in enumerate(BUILDINGS):
        title = f"{name} {VALUES[building]:+d}" if building == LOOP - 1 else name
        title = f" {title}"[-8:]  # without the space if the name fills the cell
        cells[f"n{building}"] = f"{title:<8}{'*' if s.safe == building else ' '}"
        here = "".join(_LETTERS[a] for a in range(s.options.agents) if s.positions[a] == building)
        cells[f"a{building}"] = f" {here:<8}"
    return _BOARD.format(**cells, middle=_LEGEND)


def _tokens(s: State, viewer: int) -> Iterator[str]:
    """Yield a line for each agent: its token on the score track, and its owner if the viewer knows it."""
    yield f"   {'agent':<10}{'score':>5}  {'track':<{FINISH}} owner"
    for agent in range(s.options.agents):
        bar = ["."] * FINISH
        bar[MARK - 1] = ":"
        points = int(s.scores[agent])
        bar[: min(points, FINISH)] = "=" * min(points, FINISH)
        moved = f" +{s.moved[agent]}" if s.moved[agent] else ""
        yield f"   {_LETTERS[agent]} {AGENTS[agent]:<8}{points:>5}  {''.join(bar)} {_owner(s, agent, viewer)}{moved}"


def _owner(s: State, agent: int, viewer: int) -> str:
    """Return the owner of an agent if the viewer knows it, else `?`."""
    owner = int(s.owner[agent])
    if viewer == NOBODY or s.phase == OVER or owner == viewer:
        return "free" if owner == NONE else f"player_{owner}" + (" (you)" if owner == viewer else "")
    return "free" if s.swapped == viewer and s.former == agent else "?"


def _notes(s: State, viewer: int) -> Iterator[str]:
    """Yield the cards and predictions that the viewer knows, and public counts."""
    players = range(int(s.options.players))
    if s.options.top_secret:
        yield "Cards in hand: " + ", ".join(f"player_{seat} {s.hand_sizes[seat]}" for seat in players)
        for seat in players:
            if viewer in (NOBODY, seat):
                cards = ", ".join(CARDS[kind] for kind in range(KINDS) for _ in range(s.hands[seat, kind]))
                yield f"{_whose(seat, viewer)} hand: {cards or 'none'}"
        used = ", ".join(CARDS[s.used[i]] for i in range(s.used_size))
        yield f"Deck: {s.deck_size} cards. Used: {used or 'none'}"
        if viewer == NOBODY and s.deck_size:
            yield "Deck, top first: " + ", ".join(CARDS[s.deck[i]] for i in reversed(range(s.deck_size)))
        if s.swapped != NONE:
            yield f"player_{s.swapped} has a new identity"
    for seat in players:
        if s.options.secret_identities and (viewer in (NOBODY, seat) or s.phase == OVER):
            guesses = [(AGENTS[a], int(g)) for a, g in enumerate(s.guesses[seat]) if g != UNASKED]
            names = ", ".join(f"{a} {'free' if g == FREE else f'player_{g - FIRST_OWNER}'}" for a, g in guesses)
            yield f"{_whose(seat, viewer)} predictions: {names or 'none'}"
    if s.options.secret_identities and s.phase != GUESS:
        yield "Everybody has predicted" if s.guessed else f"Predictions are made when a token reaches {MARK}"
    if viewer not in (NOBODY, s.to_move) and s.phase != OVER:
        yield f"You are player_{viewer}"


def _whose(seat: int, viewer: int) -> str:
    return "Your" if viewer == seat else f"player_{seat}'s"


def _wrapped(text: str) -> list[str]:
    return wrap(text, _WIDTH, subsequent_indent="   ")
