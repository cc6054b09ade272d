"""Why an action of Agent DOG is not legal: the reasons with their rules, found from what the seat has seen."""

from collections.abc import Mapping
from typing import Any

from spygames.agent_dog.board import COLOURS, GOAL, PAWNS, string_to_place
from spygames.agent_dog.cards import CARDS, FUNCTIONS, NUMBERS, OFFERED
from spygames.agent_dog.layout import Settings
from spygames.agent_dog.queries import seat_colour
from spygames.core.game.game import Game
from spygames.core.game.rulebook import Reason

REASONS: Mapping[str, Reason] = {
    "over": Reason("the game is over", "AD-32"),
    "waiting": Reason("it is not your decision", "AD-7"),
    "pass_now": Reason("cards are passed only at the start of a round", "AD-6"),
    "pass_first": Reason("first everybody passes a card", "AD-6"),
    "pass_held": Reason("you do not hold this card", "AD-6"),
    "discard_now": Reason("you discard a card only when no card of your hand is playable", "AD-35"),
    "discard_team": Reason("with four players nobody discards: without a playable card the whole hand goes", "AD-10"),
    "discard_first": Reason("none of your cards is playable, so you discard one", "AD-35"),
    "discard_held": Reason("you do not hold this card", "AD-35"),
    "finish": Reason("first carry out the card {card} completely", "AD-9"),
    "card_held": Reason("you do not hold this card", "AD-9"),
    "card_copy": Reason("a copy acts as the last card of this round, which is {last}", "AD-27"),
    "card_swap": Reason("a swap needs two hidden pawns", "AD-26"),
    "card_start": Reason("none of your pawns waits in the start area", "AD-14"),
    "card_start_taken": Reason("your own pawn is on your start space", "AD-14"),
    "card_companion": Reason("the four points of a companion cannot all be spent", "AD-28"),
    "card_number": Reason("none of your pawns and no hidden pawn can move by exactly {steps}", "AD-9"),
    "area_now": Reason("only a start card brings a pawn from the start area", "AD-14"),
    "move_now": Reason("you move a pawn by a number only after you have played a card with a number", "AD-11"),
    "move_pawn": Reason("a number moves your own pawns and hidden ones, and none of these is there", "AD-11"),
    "move_hidden": Reason("your own pawn is on your start space, so you may not move hidden pawns", "AD-20"),
    "move_blocked": Reason("a pawn on the start space of its own color cannot be jumped or captured", "AD-13"),
    "move_goal": Reason("a pawn moves in its own goal, by exact count and past no other pawn", "AD-15"),
    "step_now": Reason("pawns step only for a companion", "AD-28"),
    "step_pawn": Reason("a companion moves pawns of your team and hidden pawns, and none of these is there", "AD-28"),
    "step_blocked": Reason("a pawn on the start space of its own color cannot be jumped or captured", "AD-13"),
    "step_goal": Reason("in a goal no pawn is captured, and it cannot leave at the end", "AD-29"),
    "step_enter": Reason("only a pawn that came to its start space in this move enters its goal", "AD-29"),
    "step_rest": Reason("after this step the remaining points could not be spent", "AD-29"),
    "swap_now": Reason("only the card swap exchanges pawns", "AD-26"),
    "swap_hidden": Reason("a swap exchanges two hidden pawns, and there is none", "AD-26"),
    "swap_first": Reason("this pawn is the first of the swap; choose another one", "AD-26"),
    "meet_now": Reason("you choose a meeting only while two or more are due", "AD-31"),
    "meet_due": Reason("no meeting is due there", "AD-31"),
}
"""All reasons by name; names in braces are filled in."""

PHASES = {"pass": "exchange", "discard": "redraw", "card": "card", "step": "step", "swap": "swap", "meet": "meeting"}
"""The phase in which each kind of action may be legal; `from` has the phase `place`."""


def why_not(game: Game, seen: Mapping[str, Any], action: str, seat: int) -> Reason:
    """Return why an action, which is not legal, is not; see `Texts.why_not`."""
    found, words = _Table(game, seen, seat).reason(action), {}
    if seen["pending"]:
        words["card"] = seen["pending"]["card"]
    words["last"] = seen["last_card"] or "none"
    words["steps"] = action.split()[-1]
    return REASONS[found]._replace(text=REASONS[found].text.format(**words))


class _Table:
    """The position as a seat sees it, with pawns by place."""

    def __init__(self, game: Game, seen: Mapping[str, Any], seat: int):
        self.seen, self.seat, self.players = seen, seat, game.num_players
        self.board = Settings.of(game).get_board()
        colour = int(seat_colour(self.players, seat))
        self.pawns: dict[int, str] = {}  # visible pawns: their colors by place
        for name, places in seen["pawns"].items():
            for place in places:
                if place not in ("area", "?"):
                    self.pawns[string_to_place(place, "pawns", self.board.track, COLOURS.index(name))] = name
        track = self.board.track
        self.hidden = {p if isinstance(p, int) else string_to_place(p, "hidden", track) for p in seen["hidden"]}
        for place in self.hidden:
            self.pawns.pop(place, None)
        self.own = colour
        if self.players == 4 and self._is_home(colour):
            self.own ^= 2
        self.colour = colour

    def reason(self, action: str) -> str:
        """Return the name of the reason."""
        verb, *words = action.split()
        phase = self.seen["phase"]
        if phase == "over":
            return "over"
        if self.seen["to_move"] != self.seat:
            return "waiting"
        if phase == PHASES.get(verb, "place"):
            return getattr(self, f"_{verb}")(words)
        if verb == "discard":
            return "discard_team" if self.players == 4 else "discard_now"
        if verb == "card":
            return {"exchange": "pass_first", "redraw": "discard_first"}.get(phase, "finish")
        return "area_now" if words == ["area"] else "move_now" if verb == "from" else f"{verb}_now"

    def _pass(self, words: list[str]) -> str:
        return "pass_held"

    def _discard(self, words: list[str]) -> str:
        return "discard_held"

    def _meet(self, words: list[str]) -> str:
        return "meet_due"

    def _swap(self, words: list[str]) -> str:
        return "swap_first" if self.seen["pending"]["first"] == " ".join(words) else "swap_hidden"

    def _card(self, words: list[str]) -> str:
        card, function = words[0], words[-1]
        if card not in self.seen["hands"][str(self.seat)]:
            return "card_held"
        last = self.seen["last_card"]
        if card == "copy" and (last is None or function not in OFFERED[CARDS.index(last)]):
            return "card_copy"
        if function == "start":
            return "card_start_taken" if "area" in self.seen["pawns"][COLOURS[self.own]] else "card_start"
        return {"swap": "card_swap", "companion": "card_companion"}.get(function, "card_number")

    def _from(self, words: list[str]) -> str:
        function = self.seen["pending"]["as"]
        if words == ["area"] or FUNCTIONS.index(function) >= NUMBERS:
            return "area_now" if words == ["area"] else "move_now"
        into = words[-2:] == ["into", "goal"]
        place = self._place(words[:-2] if into else words)
        if place in self.hidden:
            if self.pawns.get(self._start(self.own)) == COLOURS[self.own]:
                return "move_hidden"
        elif self.pawns.get(place) != COLOURS[self.own]:
            return "move_pawn"
        return "move_blocked" if place < GOAL and self._blocked(place, into) else "move_goal"

    def _step(self, words: list[str]) -> str:
        into = words[-2:] == ["into", "goal"]
        place = self._place(words[:-2] if into else words)
        if place not in self.hidden and self.pawns.get(place) not in self._movable():
            return "step_pawn"
        if place >= GOAL:
            last = place % PAWNS == PAWNS - 1
            return "step_goal" if last or place + 1 in self.pawns or place + 1 in self.hidden else "step_rest"
        if into:
            return self._step_into(place)
        return "step_blocked" if self._protected((place + 1) % self.board.track) else "step_rest"

    def _step_into(self, place: int) -> str:
        colour = self.own if place in self.hidden else COLOURS.index(self.pawns[place])
        came = [self._place(text.split()) for text in self.seen["pending"]["moved"]] == [place]
        if place != self._start(colour) or not came:
            return "step_enter"
        first = GOAL + PAWNS * colour
        return "step_goal" if first in self.pawns or first in self.hidden else "step_rest"

    def _movable(self) -> set[str]:
        """The colors whose visible pawns a companion may move (AD-28)."""
        own = (self.colour, self.colour ^ 2)
        if self.players != 4 or any(map(self._is_home, own)):
            return set(COLOURS)
        return {COLOURS[each] for each in own}

    def _place(self, words: list[str]) -> int:
        text = " ".join(words)
        return string_to_place(text, "action", self.board.track, self.colour)

    def _start(self, colour: int) -> int:
        return colour * self.board.quarter

    def _is_home(self, colour: int) -> bool:
        return all(self.pawns.get(GOAL + PAWNS * colour + k) == COLOURS[colour] for k in range(PAWNS))

    def _protected(self, place: int) -> bool:
        """Whether a pawn is on the start space of its own color (AD-13)."""
        colour, offset = divmod(place, self.board.quarter)
        return offset == 0 and self.pawns.get(place) == COLOURS[colour]

    def _blocked(self, place: int, into: bool) -> bool:
        """Whether a protected pawn is in the way; no number is longer than a quadrant, so only one start space is."""
        ahead = (place // self.board.quarter + 1) % 4
        return not into or (ahead == self.own and self._protected(self._start(ahead)))
