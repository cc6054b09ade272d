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
        _opening(game, o.players, teams),
        _parts(o),
        _cards(o.get_deck(), teams),
        _board(o, o.get_board()),
        _turn(o, teams),
        _moves(teams),
        _hats(o, teams),
        _end(o, teams),
    )


def _colours(players: int) -> list[str]:
    """The colors in play, by seat."""
    return [COLOURS[seat_colour(players, seat)] for seat in range(players)]


def _opening(game: Game, players: int, teams: bool) -> RuleSection:
    colours = _colours(players)
    sides = [" and ".join(c for c, team in zip(colours, game.teams, strict=True) if team == k) for k in set(game.teams)]
    taker = "your partner" if teams else "your opponent" if players == 2 else "the next player"
    against = f": {' play against '.join(sides)}" if teams else ""
    return section(
        "In short",
        rule(f"Bring {'the pawns of your team' if teams else 'your pawns'} around the track and home{against}.",
             "AD-1", "AD-2", name="Goal"),
        rule(
            f"Of {DEAL} cards you pass one to {taker}, then play one a turn, to move your own "
            "pawns or those under hats.", "AD-6", "AD-7", "AD-11", name="Your turn",
        ),
        rule(f"The first {'team with all its' if teams else f'player with all {PAWNS}'} pawns home wins.", "AD-32",
             *([] if teams else ["AD-34"]), name="The end"),
    )  # fmt: skip


def _parts(o: Settings) -> RuleSection:
    known = {"table": "nobody sees its color any more", "tracked": "this game still shows its color"}[o.hidden_colours]
    return section(
        "On the board",
        rule(f"a pawn that stops here gets a hat: everybody may move it, and {known}", "AD-19", "AD-24", name="hole"),
        rule("may be jumped over; a pawn that stops on it captures it, and it goes back to its start area",
             "AD-12", name="another pawn"),
        rule("where pawns enter the track; a pawn on that of its own color can be neither jumped nor captured",
             "AD-13", name="start space"),
        rule("home; a pawn enters that of its color through its start space, by exact count", "AD-15", name="goal"),
        rule("a pawn that stops here pulls the nearest pawn behind it into the hole before it", "AD-30",
             name="meeting point"),
    )  # fmt: skip


def _board(o: Settings, board: Board) -> RuleSection:
    starts = ", ".join(
        f"{colour} {COLOURS.index(colour) * board.quarter} (player_{seat})"
        for seat, colour in enumerate(_colours(o.players))
    )
    quadrants = [k * board.quarter for k in range(board.track // board.quarter)]
    holes = ", ".join(map(str, sorted(start + hole for start in quadrants for hole in board.holes)))
    meetings = ", ".join(str(start + board.meeting) for start in quadrants)
    return section(
        "The board",
        rule(f"A loop of {board.track} spaces, from 0. Start spaces: {starts}.", "AD-1"),
        rule(f"Holes: {holes}.", "AD-3"),
        rule(f"Meeting points: {meetings}.", "AD-3"),
        rule(
            f"A goal has {PAWNS} spaces, `goal` 0 to {PAWNS - 1}, behind the start space. Each color begins with "
            f"{PAWNS - 1} pawns in its area, one on its start.", "AD-2", "AD-4",
        ),
        details=True,
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
        rule("When the deck runs out, the discard pile is shuffled into a new one.", "AD-8"),
        rule("You must play a card if you can carry one out in full: `card CARD` or `card CARD as FUNCTION`.", "AD-9"),
        unplayable,
        details=True,
    )  # fmt: skip


def _moves(teams: bool) -> RuleSection:
    return section(
        "Moves",
        rule("A number moves one visible pawn of your color or one hidden pawn: `from track SPACE`.", "AD-11"),
        rule("A start card may put a pawn from the area on your start space: `from area`.", "AD-14"),
        rule(
            "Pawns enter the goal through their start space, by exact count (`from track SPACE into goal`), not in a "
            "move that begins there.", "AD-15",
        ),
        rule("In a goal pawns move on (`from goal SPACE`), and are neither jumped nor captured. Entering is a choice.",
             "AD-15", "AD-16"),
        rule("If several meetings are due, you choose the order: `meet SPACE`.", "AD-31"),
        rule("With all your pawns home you play your partner's.", "AD-18") if teams else None,
        rule("A swap names two hidden pawns, one after the other: `swap track SPACE`.", "AD-26"),
        rule(
            f"A companion is {POINTS} steps, one by one: `step track SPACE`, `step goal SPACE`, `step track SPACE into "
            "goal`. Pawns that it passes are captured.", "AD-28", "AD-29",
        ),
        details=True,
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
        details=True,
    )  # fmt: skip


def _end(o: Settings, teams: bool) -> RuleSection:
    return section(
        "The end of the game",
        rule(f"Winners share +1, the others -1. After {o.max_turns} cards the game is cut off, and all get 0.",
             "AD-37", "AD-38"),
        details=True,
    )  # fmt: skip


def _cards(deck: Deck, teams: bool) -> RuleSection:
    pawns = (
        "your own, your partner's and hidden pawns, or over any once your or your partner's pawns are all home"
        if teams
        else "any pawns"
    )
    numbers = [card for card in CARDS if len(OFFERED[CARDS.index(card)]) == 1 and card.isdecimal()]
    copies = [deck.copies.get(card, 0) for card in numbers]
    each = f"{copies[0]} copies each" if len(set(copies)) == 1 else f"{', '.join(map(str, copies))} copies"
    return section(
        f"The {deck.total} cards",
        rule(f"{each}; as many spaces forward", "AD-5", "AD-11", name=", ".join(numbers)),
        *(_start_card(deck, card) for card in ("1/11", "13")),
        _card(deck, "swap", "exchange two hidden pawns without looking under the hats", "AD-26"),
        _card(deck, "copy", "acts as the last card played in this round", "AD-27"),
        _card(deck, "companion", f"{POINTS} single steps split over {pawns}; passed pawns are captured",
              "AD-28", *([] if teams else ["AD-34"])),
    )  # fmt: skip


def _start_card(deck: Deck, card: str) -> RuleLine:
    spaces = [name for name in OFFERED[CARDS.index(card)] if name.isdecimal()]
    return _card(
        deck,
        card,
        f"{' or '.join(spaces)} forward, or a pawn from the start area to your start space",
        "AD-14",
        "AD-25",
    )


def _card(deck: Deck, card: str, text: str, *ids: str) -> RuleLine:
    return rule(f"{deck.copies.get(card, 0)} copies; {text}", "AD-5", *ids, name=card)
