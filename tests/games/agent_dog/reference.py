"""Independent, slow implementation of Agent DOG on state mappings, written from the rules.

`legal(state)` returns the set of legal texts, `act(state, text)` applies one decision to the mapping. Nothing is shared
with the kernels: pawns walk space by space, and the remaining moves of a companion are found by trying all of them.
"""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

State = dict[str, Any]
COLOURS = ["red", "blue", "green", "yellow"]
ORDER = ["2", "3", "5", "6", "7", "8", "9", "10", "12", "1/11", "13", "swap", "copy", "companion"]
BOARDS: dict[str, dict[str, Any]] = {"standard": {"track": 64, "holes": [3, 7, 11, 15], "meeting": 8}}
FUNCTIONS = {"1/11": ["1", "11", "start"], "13": ["13", "start"]}


class Shuffled(Exception):
    """A card is drawn from an empty deck, so a shuffle decides which one."""


class Pawn:
    """A pawn at a place: ("area",), ("track", space) or ("goal", color, index)."""

    def __init__(self, colour: str, place: tuple[Any, ...], hat: bool = False) -> None:
        self.colour, self.place, self.hat = colour, place, hat


class Position:
    """Board and pawns of a mapping, with the rules about them."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.players = state["players"]
        board = BOARDS[state["board"]] if isinstance(state["board"], str) else state["board"]
        self.track = board["track"]
        quarter = self.track // 4
        self.holes = {k * quarter + hole for k in range(4) for hole in board["holes"]}
        self.points = {k * quarter + board["meeting"] for k in range(4)}
        self.starts = {colour: k * quarter for k, colour in enumerate(COLOURS)}
        self.pawns = [
            Pawn(colour, parse(text, colour), place_name(parse(text, colour)) in state["hidden"])
            for colour, texts in state["pawns"].items()
            for text in texts
        ]

    def write(self) -> None:
        """Write the pawns back into the mapping."""
        for colour in self.state["pawns"]:
            places = [pawn.place for pawn in self.pawns if pawn.colour == colour]
            self.state["pawns"][colour] = [text(place, colour) for place in sorted(places, key=order)]
        hidden = sorted((pawn.place for pawn in self.pawns if pawn.hat), key=order)
        self.state["hidden"] = [place_name(place) for place in hidden]

    # seats, colors and partners

    def colour(self, seat: int) -> str:
        return COLOURS[{2: [0, 2], 3: [0, 1, 2], 4: [0, 1, 2, 3]}[self.players][seat]]

    def partner(self, colour: str) -> str | None:
        return COLOURS[(COLOURS.index(colour) + 2) % 4] if self.players == 4 else None

    def home(self, colour: str) -> bool:
        places = [p.place[0] for p in self.pawns if p.colour == colour and not p.hat]
        return places == ["goal"] * 4

    def own(self, seat: int) -> str:
        """AD-18."""
        colour = self.colour(seat)
        partner = self.partner(colour)
        return partner if partner and self.home(colour) else colour

    def at(self, place: tuple[Any, ...]) -> Pawn | None:
        found = [pawn for pawn in self.pawns if pawn.place == place]
        assert len(found) <= 1
        return found[0] if found else None

    def protected(self, space: int) -> bool:
        """AD-13."""
        pawn = self.at(("track", space))
        return pawn is not None and not pawn.hat and self.starts[pawn.colour] == space

    def capture(self, place: tuple[Any, ...], seat: int) -> None:
        """AD-12, AD-23."""
        pawn = self.at(place)
        if pawn:
            pawn.place, pawn.hat = ("area",), False
            if pawn.colour in (self.colour(seat), self.partner(self.colour(seat))):
                self.state["pending"]["penalty"] = True

    # moving

    def next(self, place: tuple[Any, ...], goal: str, may_enter: bool) -> Iterator[tuple[Any, ...]]:
        """The places one step ahead: along the track, or from the start space into the goal of color `goal`."""
        if place[0] == "goal":
            further = ("goal", place[1], place[2] + 1)
            if place[2] < 3 and not self.at(further):
                yield further
        elif place[0] == "track":
            space = (place[1] + 1) % self.track
            if not self.protected(space):
                yield "track", space
            if place[1] == self.starts[goal] and may_enter and not self.at(("goal", goal, 0)):
                yield "goal", goal, 0

    def ends(self, pawn: Pawn, steps: int, goal: str) -> set[tuple[Any, ...]]:
        """AD-12 to AD-16: the places that a pawn can reach with exactly `steps` steps."""
        places = {pawn.place}
        for step in range(steps):
            places = {further for place in places for further in self.next(place, goal, step > 0)}
        return places

    def movable(self, seat: int) -> list[Pawn]:
        """AD-11, AD-19, AD-20: the pawns that a number may move."""
        own = self.own(seat)
        blocked = any(p.place == ("track", self.starts[own]) and p.colour == own and not p.hat for p in self.pawns)
        return [p for p in self.pawns if (not blocked if p.hat else p.colour == own)]

    def moves(self, seat: int, steps: int) -> dict[str, tuple[Pawn, tuple[Any, ...]]]:
        """The texts of all moves by a number."""
        own, found = self.own(seat), {}
        for pawn in self.movable(seat):
            for end in self.ends(pawn, steps, own):
                into = " into goal" if end[0] == "goal" and pawn.place[0] == "track" else ""
                found[f"from {text(pawn.place, self.colour(seat))}{into}"] = (pawn, end)
        return found

    def steps(self, seat: int) -> dict[str, tuple[Pawn, tuple[Any, ...]]]:
        """AD-28, AD-29: single steps of a companion, even if the remaining points cannot be spent."""
        colour, own, found = self.colour(seat), self.own(seat), {}
        sides = [colour, self.partner(colour)]
        allowed = [colour, *sides[1:]]
        if self.players < 4 or any(side and self.home(side) for side in sides):
            allowed = COLOURS
        moved = self.state["pending"]["moved"]
        for pawn in self.pawns:
            if not pawn.hat and pawn.colour not in allowed:
                continue
            goes_on = bool(moved) and parse(moved[0], colour) == pawn.place
            for end in self.next(pawn.place, own if pawn.hat else pawn.colour, goes_on):
                into = " into goal" if end[0] == "goal" and pawn.place[0] == "track" else ""
                found[f"step {text(pawn.place, colour)}{into}"] = (pawn, end)
        return found

    def settle_goals(self) -> None:
        """AD-22."""
        for pawn in self.pawns:
            if pawn.hat and pawn.place[0] == "goal":
                goal, pawn.hat = pawn.place[1], False
                if pawn.colour == self.partner(goal):
                    pawn.place = ("area",)
                elif pawn.colour != goal:
                    free = [i for i in range(4) if not self.at(("goal", pawn.colour, i))]
                    pawn.place = ("goal", pawn.colour, max(free))

    def meet(self, point: int) -> None:
        """AD-30, AD-31."""
        meetings = self.state["pending"]["meetings"]
        meetings.remove(point)
        for back in range(1, self.track):
            space = (point - back) % self.track
            pawn = self.at(("track", space))
            if pawn:
                pawn.place, pawn.hat = ("track", (point - 1) % self.track), True
                if space in meetings:
                    meetings.remove(space)
                return


def parse(name: str, colour: str) -> tuple[Any, ...]:
    kind, *rest = name.split()
    if kind == "area":
        return ("area",)
    if kind == "track":
        return "track", int(rest[0])
    return "goal", rest[0] if len(rest) == 2 else colour, int(rest[-1])


def text(place: tuple[Any, ...], colour: str) -> str:
    if place[0] == "goal":
        return f"goal {place[2]}" if place[1] == colour else f"goal {place[1]} {place[2]}"
    return " ".join(map(str, place))


def place_name(place: tuple[Any, ...]) -> Any:
    """The place as named in the key `hidden`."""
    return place[1] if place[0] == "track" else text(place, "")


def order(place: tuple[Any, ...]) -> Any:
    kind = ["area", "track", "goal"].index(place[0])
    return (kind, *(COLOURS.index(x) if isinstance(x, str) else x for x in place[1:]))


def functions(state: State, card: str) -> list[str]:
    """AD-25 to AD-28."""
    if card == "copy":
        return functions(state, state["last_card"]) if state["last_card"] else []
    return FUNCTIONS.get(card, [card])


def can_be_spent(state: State, points: int) -> bool:
    """AD-29, by trying all moves."""
    if points == 0:
        return True
    position = Position(state)
    for name in position.steps(state["to_move"]):
        after = deepcopy(state)
        take_step(after, name)
        if can_be_spent(after, points - 1):
            return True
    return False


def can_be_played(state: State, function: str) -> bool:
    """AD-9."""
    position, seat = Position(state), state["to_move"]
    if function == "start":
        own = position.own(seat)
        pawn = position.at(("track", position.starts[own]))
        return "area" in state["pawns"][own] and not (pawn and pawn.colour == own and not pawn.hat)
    if function == "swap":
        return len(state["hidden"]) >= 2
    if function == "companion":
        trial = deepcopy(state)
        trial["pending"] = {"points": 4, "moved": [], "meetings": [], "penalty": False}
        return can_be_spent(trial, 4)
    return bool(position.moves(seat, int(function)))


def card_choices(state: State) -> set[str]:
    """The texts of all playable cards with their functions."""
    found = set()
    for card in set(state["hands"][str(state["to_move"])]):
        for function in functions(state, card):
            if can_be_played(state, function):
                found.add(f"card {card} as {function}" if card in ("1/11", "13", "copy") else f"card {card}")
    return found


def legal(state: State) -> set[str]:
    phase, seat = state["phase"], state["to_move"]
    if phase == "over":
        return set()
    hand = state["hands"][str(seat)]
    if phase == "exchange":
        return {f"pass {card}" for card in hand}
    if phase == "redraw":
        return {f"discard {card}" for card in hand}
    if phase == "card":
        return card_choices(state)
    position, pending = Position(state), state["pending"]
    if phase == "place":
        return {"from area"} if pending["as"] == "start" else set(position.moves(seat, int(pending["as"])))
    if phase == "swap":
        return {f"swap track {space}" for space in state["hidden"] if f"track {space}" != pending["first"]}
    if phase == "meeting":
        return {f"meet {point}" for point in pending["meetings"]}
    found = set()
    for name in position.steps(seat):
        after = deepcopy(state)
        take_step(after, name)
        if can_be_spent(after, pending["points"] - 1):
            found.add(name)
    return found


def take_step(state: State, name: str) -> None:
    """AD-28, AD-29, except for the number of points."""
    position, seat, pending = Position(state), state["to_move"], state["pending"]
    pawn, end = position.steps(seat)[name]
    before = pawn.place
    position.capture(end, seat)
    pawn.place = end
    if before[0] == "track" and before[1] in pending["meetings"]:
        pending["meetings"].remove(before[1])
    if end[0] == "track" and end[1] in position.points and end[1] not in pending["meetings"]:
        pending["meetings"] = sorted([*pending["meetings"], end[1]])
    pending["moved"] = [text(end, position.colour(seat))]
    position.write()


def act(state: State, name: str) -> None:
    """Apply one decision to the state; raises Shuffled when only the draw of cards is left to do."""
    verb, _, what = name.partition(" ")
    seat = state["to_move"]
    hand = state["hands"][str(seat)]
    if verb == "pass":
        hand.remove(what)
        state["passed"][str(seat)] = what
        state["to_move"] = (seat + 1) % state["players"]
        if state["to_move"] == state["dealer"]:
            for giver, card in state["passed"].items():
                step = 2 if state["players"] == 4 else 1
                state["hands"][str((int(giver) + step) % state["players"])].append(card)
            sort_hands(state)
            give_turn(state, state["dealer"])
    elif verb == "discard":
        hand.remove(what)
        state["discard"].insert(0, what)
        if state["redrawn"]:
            state["redrawn"] = False
            state["turn"] += 1
            give_turn(state, (seat + 1) % state["players"])
        else:
            state["redrawn"] = True
            draw(state, seat)
            state["phase"] = "card" if card_choices(state) else "redraw"
    elif verb == "card":
        card, _, function = what.partition(" as ")
        function = function or card
        hand.remove(card)
        state["pending"] = {
            "card": card,
            "as": function,
            "points": 4 if function == "companion" else 0,
            "moved": [],
            "first": None,
            "meetings": [],
            "penalty": False,
        }
        state["phase"] = {"swap": "swap", "companion": "step"}.get(function, "place")
    else:
        act_on_board(state, verb, name)


def act_on_board(state: State, verb: str, name: str) -> None:
    position, pending, seat = Position(state), state["pending"], state["to_move"]
    if verb == "from":
        if name == "from area":
            own = position.own(seat)
            end: tuple[Any, ...] = ("track", position.starts[own])
            pawn = next(p for p in position.pawns if p.colour == own and p.place == ("area",))
        else:
            pawn, end = position.moves(seat, int(pending["as"]))[name]
        position.capture(end, seat)
        pawn.place = end
        if end[0] == "track":
            pawn.hat = end[1] in position.holes
            if end[1] in position.points:
                pending["meetings"] = [end[1]]
        position.settle_goals()
    elif verb == "step":
        take_step(state, name)
        position = Position(state)
        pending["points"] -= 1
        if pending["points"] == 0:
            pending["moved"] = []
            position.settle_goals()
            for pawn in position.pawns:
                pawn.hat = pawn.place[0] == "track" and pawn.place[1] in position.holes
        else:
            return
    elif verb == "swap":
        place = name.removeprefix("swap ")
        if pending["first"] is None:
            pending["first"] = place
            return
        one, other = (position.at(parse(p, "")) for p in (pending["first"], place))
        assert one
        assert other
        one.place, other.place = other.place, one.place
    else:
        position.meet(int(name.removeprefix("meet ")))
    if len(pending["meetings"]) >= 2:
        state["phase"] = "meeting"
    elif pending["meetings"]:
        position.meet(pending["meetings"][0])
    position.write()
    if not pending["meetings"]:
        end_turn(state, position)


def end_turn(state: State, position: Position) -> None:
    """AD-32, AD-33, AD-23."""
    pending, seat = state["pending"], state["to_move"]
    state["pending"], state["redrawn"] = None, False
    state["turn"] += 1
    state["cards_played"] += 1
    for i in range(state["players"]):
        winner = (seat + i) % state["players"]
        side = [position.colour(winner)]
        if state["players"] == 4:
            side.append(str(position.partner(side[0])))
        if all(position.home(colour) for colour in side):
            state["winners"] = sorted({winner, (winner + 2) % 4} if state["players"] == 4 else {winner})
            state["end_reason"] = "home"
            break
    if not state["winners"] and state["cards_played"] >= state["max_turns"]:
        state["end_reason"] = "truncated"
    if pending["penalty"] and not state["end_reason"]:
        state["discard"].append(pending["card"])
        lay_down(state, seat)
    else:
        state["discard"].insert(0, pending["card"])
        state["last_card"] = state["last_card"] if pending["card"] == "copy" else pending["card"]
    if state["end_reason"]:
        state["phase"], state["to_move"] = "over", None
    else:
        give_turn(state, (seat + 1) % state["players"])


def lay_down(state: State, seat: int) -> None:
    """AD-10, AD-23."""
    state["discard"] += state["hands"][str(seat)]
    state["hands"][str(seat)] = []
    state["out"] = sorted([*state["out"], seat])


def give_turn(state: State, seat: int) -> None:
    """AD-7, AD-10, AD-35."""
    while any(state["hands"].values()):
        state["to_move"], state["phase"] = seat, "card"
        if state["hands"][str(seat)]:
            if card_choices(state):
                return
            if state["players"] < 4:
                state["phase"] = "redraw"
                return
            lay_down(state, seat)
        seat = (seat + 1) % state["players"]
    state["dealer"] = (state["dealer"] + 1) % state["players"]
    state["round"] += 1
    state["out"], state["last_card"] = [], None
    state["passed"] = dict.fromkeys(state["passed"])
    state["phase"], state["to_move"] = "exchange", state["dealer"]
    for i in range(state["players"]):
        for _ in range(5):
            draw(state, (state["dealer"] + i) % state["players"])


def draw(state: State, seat: int) -> None:
    """AD-8."""
    if not state["deck"]:
        raise Shuffled
    state["hands"][str(seat)].append(state["deck"].pop(0))
    sort_hands(state)


def sort_hands(state: State) -> None:
    for hand in state["hands"].values():
        hand.sort(key=ORDER.index)
