"""The rules of Agent DOG in short, for people and language models. Numbers come from the tables of the game."""

from spygames.agent_dog.board import COLOURS, PAWNS, Board
from spygames.agent_dog.cards import CARDS, DEAL, OFFERED, POINTS, Deck
from spygames.agent_dog.layout import Settings
from spygames.agent_dog.queries import seat_colour
from spygames.core.game.game import Game
from spygames.core.game.rulebook import RuleLine, RuleSection, rule, section


def short_rules(game: Game) -> tuple[RuleSection, ...]:
    """Return the rules of a variant in short sections; see `Game.short_rules`."""
    o = Settings.of(game)
    teams = bool(game.teams)
    return (
        _goal(game, o, teams),
        _board(o.get_board(), o.players),
        _turn(o, teams),
        _moves(teams),
        _hats(o, teams),
        _cards(o.get_deck(), teams),
    )


def _colours(players: int) -> list[str]:
    """The colors in play, by seat."""
    return [COLOURS[seat_colour(players, seat)] for seat in range(players)]


def _goal(game: Game, o: Settings, teams: bool) -> RuleSection:
    colours = _colours(o.players)
    named = ", ".join(f"{colour} (player_{seat})" for seat, colour in enumerate(colours))
    sides = [" and ".join(c for c, team in zip(colours, game.teams, strict=True) if team == k) for k in set(game.teams)]
    return section(
        "Goal",
        rule(f"Pawns race clockwise around the track into the goal of their color. Colors: {named}.", "AD-1", "AD-2"),
        rule(f"{' play against '.join(sides).capitalize()}. The first team with all its pawns home wins.",
             "AD-1", "AD-32")
        if teams
        else rule(f"The first player with all {PAWNS} pawns home wins.", "AD-32", "AD-34"),
        rule(f"Winners share +1, the others -1. After {o.max_turns} cards the game is cut off, and all get 0.",
             "AD-37", "AD-38"),
    )  # fmt: skip


def _board(board: Board, players: int) -> RuleSection:
    starts = ", ".join(f"{colour} {COLOURS.index(colour) * board.quarter}" for colour in _colours(players))
    quadrants = [k * board.quarter for k in range(board.track // board.quarter)]
    holes = ", ".join(map(str, sorted(start + hole for start in quadrants for hole in board.holes)))
    meetings = ", ".join(str(start + board.meeting) for start in quadrants)
    return section(
        "Board",
        rule(f"A loop of {board.track} spaces, from 0. Start spaces: {starts}.", "AD-1"),
        rule(f"Holes: {holes}.", "AD-3"),
        rule(f"Meeting points: {meetings}.", "AD-3"),
        rule(
            f"A goal has {PAWNS} spaces, `goal` 0 to {PAWNS - 1}, behind the start space. Each color begins with "
            f"{PAWNS - 1} pawns in its area, one on its start.", "AD-2", "AD-4",
        ),
    )  # fmt: skip


def _turn(o: Settings, teams: bool) -> RuleSection:
    dealer = "is drawn" if o.first_player == "random" else f"is player_{o.first_player}"
    unplayable = (
        rule("Without a playable card your whole hand goes under the pile, and you are out of the round.", "AD-10")
        if teams
        else rule(
            "Without a playable card you `discard CARD` and draw; if that does not help, you discard again.", "AD-35"
        )
    )
    return section(
        "Rounds and turns",
        rule(
            f"In a round everybody gets {DEAL} cards and passes one to "
            f"{'the partner' if teams else 'the next seat'}: `pass CARD`.", "AD-6",
        ),
        rule(
            f"The first dealer {dealer}. The dealer leads, then clockwise, one card a turn, until all hands are empty.",
            "AD-7",
        ),
        rule("You must play a card if you can carry one out in full: `card CARD` or `card CARD as FUNCTION`.", "AD-9"),
        unplayable,
    )  # fmt: skip


def _moves(teams: bool) -> RuleSection:
    return section(
        "Moves",
        rule("A number moves one visible pawn of your color or one hidden pawn: `from track SPACE`.", "AD-11"),
        rule("Pawns may be jumped. A pawn that ends on an occupied space sends the pawn there back to its area.",
             "AD-12"),
        rule("A pawn on the start space of its own color can be neither jumped nor captured.", "AD-13"),
        rule("A start card may put a pawn from the area on your start space: `from area`.", "AD-14"),
        rule(
            "Pawns enter the goal through their start space, by exact count (`from track SPACE into goal`), not in a "
            "move that begins there.", "AD-15",
        ),
        rule("In a goal pawns move on (`from goal SPACE`), and are neither jumped nor captured. Entering is a choice.",
             "AD-15", "AD-16"),
        rule("If a move ends on a meeting point, the nearest pawn behind it is pulled to the hole before it, hidden.",
             "AD-30"),
        rule("If several meetings are due, you choose the order: `meet SPACE`.", "AD-31"),
        rule("With all your pawns home you play your partner's.", "AD-18") if teams else None,
    )  # fmt: skip


def _hats(o: Settings, teams: bool) -> RuleSection:
    known = {
        "table": "Nobody sees its color any more; remember it",
        "tracked": "Everybody still sees its color here",
    }[o.hidden_colours]
    others = "a partner's back to its area, an opponent's to its own goal" if teams else "another's to its own goal"
    return section(
        "Hidden pawns",
        rule(f"A pawn that ends on a hole is hidden under a hat, and anybody may move it. {known}.", "AD-19", "AD-24"),
        rule("While a pawn of your color is on your start space, you may move hidden pawns only by swap and companion.",
             "AD-20"),
        rule("On a normal space it becomes visible.", "AD-21"),
        rule(f"It can enter your goal only. There it is turned over: your color stays, {others}.", "AD-22"),
        rule(
            f"If you capture a pawn of {'your team' if teams else 'your own'}, even by mistake, you are out of the "
            "round.", "AD-23", *([] if teams else ["AD-36"]),
        ),
    )  # fmt: skip


def _cards(deck: Deck, teams: bool) -> RuleSection:
    pawns = "your own, your partner's and hidden pawns" if teams else "any pawns"
    numbers = [card for card in CARDS if len(OFFERED[CARDS.index(card)]) == 1 and card.isdecimal()]
    copies = [deck.copies.get(card, 0) for card in numbers]
    each = f"{copies[0]} copies each" if len(set(copies)) == 1 else f"{', '.join(map(str, copies))} copies"
    return section(
        "Cards",
        rule(f"{deck.total} cards in all. An empty deck is made anew from the discards.", "AD-5", "AD-8"),
        rule(f"{each}; as many spaces forward", "AD-5", "AD-11", name=", ".join(numbers)),
        *(_start_card(deck, card) for card in ("1/11", "13")),
        _card(deck, "swap", "exchange two hidden pawns without looking: `swap track SPACE`, twice", "AD-26"),
        _card(deck, "copy", "acts as the last card played in this round: `card copy as FUNCTION`", "AD-27"),
        _card(
            deck, "companion",
            f"{POINTS} single steps split over {pawns}: `step track SPACE`, `step goal SPACE`, `step track SPACE into "
            "goal`; passed pawns are captured", "AD-28", "AD-29", *([] if teams else ["AD-34"]),
        ),
    )  # fmt: skip


def _start_card(deck: Deck, card: str) -> RuleLine:
    spaces = [name for name in OFFERED[CARDS.index(card)] if name.isdecimal()]
    return _card(deck, card, f"{' or '.join(spaces)} forward, or start", "AD-14", "AD-25")


def _card(deck: Deck, card: str, text: str, *ids: str) -> RuleLine:
    return rule(f"{deck.copies.get(card, 0)} copies; {text}", "AD-5", *ids, name=card)
