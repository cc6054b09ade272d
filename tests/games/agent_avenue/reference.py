"""Independent, slow implementation of Agent Avenue for every mode and number of players, written from the rules.

It works on the state mapping only and shares no table or code with the package. `Slow` applies action texts to its
mapping. Each rule is implemented where it is needed, twice if the rulebooks state it for teams and single players.
"""

from collections import Counter
from typing import Any

State = dict[str, Any]
AGENTS = ["double_agent", "enforcer", "codebreaker", "saboteur", "daredevil", "sentinel", "sidekick", "mole"]
MARKET = [
    "distraction_device", "getaway_car", "leader_of_the_pack", "masterplan", "security_system", "sinister_twin",
    "supercomputer", "watchtower", "double_trouble", "mind_control", "outpost", "secret_recruit", "smoke_screen",
    "spycation", "surveillance_truck",
]  # fmt: skip
NEED_A_HAND = ["double_trouble", "mind_control", "outpost", "secret_recruit", "spycation"]
ICONS: dict[str, tuple[int | None, ...]] = {  # as printed; None: no number
    "double_agent": (-1, 6, -1),
    "enforcer": (1, 2, 3),
    "codebreaker": (0, 0, None),
    "saboteur": (-1, -1, -2),
    "daredevil": (2, 3, None),
    "sentinel": (0, 2, 6),
    "sidekick": (4,),
    "mole": (-3,),
}
REASONS = ["caught", "codebreakers", "daredevils", "masterplan", "security_system", "leader_of_the_pack", "ran_out"]
SIDES = {2: [["0"], ["1"]], 3: [["0", "1"], ["2"]], 4: [["0", "1"], ["2", "3"]]}


class Slow:
    """One game. `state` is its mapping, without `rng` and `record`."""

    def __init__(self, state: State, captain: str = "alternate") -> None:
        self.state, self.captain = state, captain
        self.sides = SIDES[state["players"]]
        self.advanced = state["mode"] == "advanced"
        self.log: list[tuple[str, str, str]] = []
        """Everything that all see happen to a hand: (what, seat, card); of a hidden card only that it was played."""

    # ------------------------------------------------------------ seats and sides

    def side_of(self, seat: str) -> int:
        return 0 if seat in self.sides[0] else 1

    def captain_of(self, side: int) -> int:
        """AA-41: the captain of a side; a seat without a partner decides alone."""
        if len(self.sides[side]) == 1:
            return int(self.sides[side][0])
        return self.state["captain"][str(side)]

    def partner(self, seat: str) -> str:
        (mate,) = [each for each in self.sides[self.side_of(seat)] if each != seat]
        return mate

    def space(self, side: int) -> int:
        return ([0, 7][side] + self.state["progress"][side]) % 14

    # ------------------------------------------------------------ legal actions

    def legal(self) -> set[str]:
        s = self.state
        phase, seat = s["phase"], str(s["to_move"])
        if phase == "over":
            return set()
        if phase == "recruit":
            return {"recruit up", "recruit down"}
        if phase in ("lead", "resolver"):
            return {f"{phase} player_{member}" for member in self.sides[self.side_of(seat)]}
        if phase == "market":
            return {f"market {card}" for card in s["market_supply"]}
        if phase == "ability":
            return self.choices(s["ability"]["card"], seat, s["ability"]["taken"])
        hand = s["hands"][seat]
        texts = {f"discard {card}" for card in hand} if s["deck"] and s["discards_left"][seat] else set()
        if phase == "up":
            return texts | {f"up {card}" for card in hand}
        if phase == "down":
            different = [card for card in hand if card != s["face_up"]]
            return texts | {f"down {card}" for card in different or hand}
        pairs = {(a, b) for i, a in enumerate(hand) for j, b in enumerate(hand) if i != j}
        different = {(a, b) for a, b in pairs if a != b}
        return texts | {f"play {a} {b}" for a, b in different or pairs}

    def choices(self, card: str, seat: str, taken: str | None) -> set[str]:
        """The choices that an instant card gives to `seat`; empty if it cannot be carried out."""
        hand, side = self.state["hands"][seat], self.side_of(seat)
        own, rival = self.state["in_play"][str(side)], self.state["in_play"][str(1 - side)]
        if card == "double_trouble":
            return {f"recruit {name}" for name in hand if hand.count(name) >= 2}
        if card == "mind_control":
            return {f"take {name}" for name in rival}
        if card == "outpost":
            return {"recruit sentinel"} if "sentinel" in hand else set()
        if card == "secret_recruit":
            return {f"recruit {name}" for name in hand if name not in own}
        assert card == "spycation"
        if taken is not None:
            return {f"recruit {taken}", "decline"}
        return {f"take {name}" for name in own}

    # ------------------------------------------------------------ decisions

    def act(self, text: str) -> None:
        """Apply one action to the state, and sort the lists without an order."""
        s = self.state
        verb, *words = text.split()
        do = {
            ("discard", 1): self.discard, ("play", 2): self.play, ("lead", 1): self.lead, ("up", 1): self.up,
            ("down", 1): self.down, ("market", 1): self.market, ("resolver", 1): self.resolver, ("take", 1): self.take,
            ("decline", 0): lambda: self.done(False),
        }  # fmt: skip
        if verb == "recruit":
            self.recruit_offer(words[0]) if words[0] in ("up", "down") else self.recruit_from_hand(words[0])
        else:
            do[verb, len(words)](*words)
        for key in ("hands", "discarded"):
            for place in s[key].values():
                place.sort(key=AGENTS.index)
        for place in (s["market_supply"], s["market_discard"], *s["market_in_play"].values()):
            place.sort(key=MARKET.index)
        if self.advanced:
            s["seen_in_hand"] = {seat: seen_in_hand(self.log, seat, True) for seat in s["hands"]}

    def draw_up(self, seat: str) -> None:
        hand = self.state["hands"][seat]
        while self.state["deck"] and len(hand) < 4:
            hand.append(self.state["deck"].pop(0))

    def discard(self, card: str) -> None:
        s, seat = self.state, str(self.state["to_move"])
        s["hands"][seat].remove(card)
        s["discarded"][seat].append(card)
        s["discards_left"][seat] -= 1
        s["hands"][seat].append(s["deck"].pop(0))
        self.log.append(("discard", seat, "?"))

    def play(self, up: str, down: str) -> None:
        s, seat = self.state, str(self.state["to_move"])
        for card in (up, down):
            s["hands"][seat].remove(card)
        s["face_up"], s["face_down"] = up, down
        self.log += [("open", seat, up), ("hide", seat, "?")]
        self.draw_up(seat)
        s["phase"], s["to_move"] = "recruit", self.captain_of(1 - s["active_side"])

    def lead(self, player: str) -> None:
        self.state["lead"] = self.state["to_move"] = int(player.removeprefix("player_"))
        self.state["phase"] = "up"

    def up(self, card: str) -> None:
        s, seat = self.state, str(self.state["to_move"])
        s["hands"][seat].remove(card)
        s["face_up"] = card
        self.log.append(("open", seat, card))
        s["phase"], s["to_move"] = "down", int(self.partner(seat))

    def down(self, card: str) -> None:
        s, seat = self.state, str(self.state["to_move"])
        s["hands"][seat].remove(card)
        s["face_down"] = card
        self.log.append(("hide", seat, "?"))
        self.draw_up(self.partner(seat))
        self.draw_up(seat)
        s["phase"], s["to_move"] = "recruit", self.captain_of(1 - s["active_side"])

    def recruit_offer(self, which: str) -> None:
        s, active = self.state, self.state["active_side"]
        up, down = s["face_up"], s["face_down"]
        hider = self.sides[active][0] if len(self.sides[active]) == 1 else self.partner(str(s["lead"]))
        self.log.append(("reveal", hider, down))
        s["face_up"] = s["face_down"] = None
        cards = {1 - active: up if which == "up" else down, active: down if which == "up" else up}
        landed = {side: self.recruit(side, cards[side]) for side in (active, 1 - active)}
        s["pending"] = [{"side": side, "do": "market"} for side in (active, 1 - active) if landed[side]]
        self.next_pending()

    def next_pending(self) -> None:
        """AA-24, AA-25: the next pending side takes its market card; if there is none, the turn ends."""
        s = self.state
        while s["pending"]:
            side = s["pending"].pop(0)["side"]
            if s["market_supply"]:
                s["phase"], s["to_move"] = "market", self.captain_of(side)
                return
        self.end()

    def recruit(self, side: int, card: str) -> bool:
        """AA-13, AA-14 and ongoing cards that change a move. Returns whether the meeple lands on a market space."""
        stack = self.state["in_play"][str(side)]
        stack[card] = stack.get(card, 0) + 1
        stack.update({name: stack.pop(name) for name in AGENTS if name in stack})
        icons, ongoing = ICONS[card], self.state["market_in_play"][str(side)]
        steps = icons[min(stack[card], len(icons)) - 1] or 0
        if card == "saboteur" and "distraction_device" in ongoing:
            steps = [1, 1, 2][min(stack[card], 3) - 1]
        if card == "double_agent" and "sinister_twin" in ongoing:
            steps = [-2, 12, -2][min(stack[card], 3) - 1]
        if card == "codebreaker" and "supercomputer" in ongoing:
            steps = 3
        if card == "enforcer" and "watchtower" in ongoing:
            steps = [3, 4, 5][min(stack[card], 3) - 1]
        return self.move(side, steps)

    def move(self, side: int, steps: int) -> bool:
        if steps == 0:
            return False
        self.state["progress"][side] += steps
        if self.space(side) in (0, 7) and "getaway_car" in self.state["market_in_play"][str(side)]:
            self.state["progress"][side] += 3
        return self.advanced and self.space(side) in (2, 5, 9, 12)

    # ------------------------------------------------------------ the Black Market

    def market(self, card: str) -> None:
        s, seat = self.state, self.state["to_move"]
        side = self.side_of(str(seat))
        s["market_supply"].remove(card)
        if s["market_deck"]:
            s["market_supply"].append(s["market_deck"].pop(0))
        if card in MARKET[:8]:
            s["market_in_play"][str(side)].append(card)
            self.next_pending()
            return
        s["ability"] = {"side": side, "card": card, "seat": None, "taken": None}
        if card == "surveillance_truck":
            self.done(self.move(side, 1))
        elif card == "smoke_screen":
            self.done(bool(s["deck"]) and self.recruit(side, s["deck"].pop(0)))
        elif len(self.sides[side]) == 2:
            s["phase"] = "resolver"
        else:
            self.resolve(str(seat))

    def resolver(self, player: str) -> None:
        self.resolve(player.removeprefix("player_"))

    def resolve(self, seat: str) -> None:
        s = self.state
        s["ability"]["seat"] = int(seat)
        if self.choices(s["ability"]["card"], seat, None):
            s["phase"], s["to_move"] = "ability", int(seat)
        else:
            self.done(False)

    def take(self, card: str) -> None:
        s, seat = self.state, str(self.state["to_move"])
        side = self.side_of(seat)
        spycation = s["ability"]["card"] == "spycation"
        stack = s["in_play"][str(side if spycation else 1 - side)]
        stack[card] -= 1
        if stack[card] == 0:
            del stack[card]
        s["hands"][seat].append(card)
        self.log.append(("enter", seat, card))
        if spycation:
            s["ability"]["taken"] = card
        else:
            self.done(False)

    def recruit_from_hand(self, card: str) -> None:
        s, seat = self.state, str(self.state["to_move"])
        s["hands"][seat].remove(card)
        if s["ability"]["card"] == "double_trouble":
            self.log.append(("two", seat, card))
        self.log.append(("open", seat, card))
        self.done(self.recruit(self.side_of(seat), card))

    def done(self, landed: bool) -> None:
        """The ability is resolved: AA-26, AA-31, AA-29."""
        s = self.state
        ability, s["ability"] = s["ability"], None
        s["market_discard"].append(ability["card"])
        if ability["seat"] is not None:
            self.draw_up(str(ability["seat"]))
        if landed:
            s["pending"].insert(0, {"side": ability["side"], "do": "market"})
        self.next_pending()

    # ------------------------------------------------------------ the End step

    def end(self) -> None:
        """AA-17 to AA-19, AA-34, AA-35, AA-45: the cases in the order of the rulebooks."""
        s, active = self.state, self.state["active_side"]
        ahead = [s["progress"][0] - s["progress"][1], s["progress"][1] - s["progress"][0]]
        wins, loses = [], []
        for side in (0, 1):
            has, ongoing = Counter(s["in_play"][str(side)]), s["market_in_play"][str(side)]
            reckless, pack = has["daredevil"] >= 3, "leader_of_the_pack" in ongoing
            reasons = {
                "caught": ahead[side] >= 7,
                "codebreakers": has["codebreaker"] >= 3,
                "masterplan": "masterplan" in ongoing and len(+has) >= 7,
                "security_system": "security_system" in ongoing and self.space(1 - side) == [0, 7][side],
                "leader_of_the_pack": pack and reckless,
            }
            wins.append([reason for reason in REASONS if reasons.get(reason)])
            loses.append(reckless and not pack)
        winner, reason = None, None
        if (wins[0] and wins[1]) or all(loses) or any(wins[side] and loses[side] for side in (0, 1)):
            winner = active
        elif wins[0] or wins[1]:
            winner = 0 if wins[0] else 1
        elif any(loses):
            winner = 1 if loses[0] else 0
        if winner is not None:
            found = [*wins[winner], *(["daredevils"] if loses[1 - winner] else [])]
            reason = next(each for each in REASONS if each in found)
        else:
            sizes = [len(s["hands"][seat]) for seat in self.sides[1 - active]]
            if not s["deck"] and (0 in sizes if len(sizes) == 2 else sizes[0] < 2):
                winner, reason = active if ahead[active] >= 0 else 1 - active, "ran_out"
        if winner is not None:
            s.update(winner=winner, end_reason=reason, phase="over", to_move=None)
            return
        if len(self.sides[active]) == 2 and self.captain == "alternate":
            s["captain"][str(active)] = int(self.partner(str(s["captain"][str(active)])))
        s["turn"] += 1
        s["active_side"], s["lead"] = 1 - active, None
        s["phase"] = "play" if len(self.sides[1 - active]) == 1 else "lead"
        s["to_move"] = self.captain_of(1 - active)


def seen_in_hand(log: list[tuple[str, str, str]], seat: str, face_down_counts: bool) -> dict[str, int]:
    """AA-37 from the public events of a hand: cards certainly in it or, with `face_down_counts`, in it or face down."""
    known: Counter[str] = Counter()
    hidden = False
    for what, who, card in log:
        if who != seat:
            continue
        if what == "enter":
            known[card] += 1
        elif what == "two":
            known[card] = max(known[card], 2)
        elif what in ("open", "reveal"):
            known[card] -= 1
        elif what == "discard":
            known.subtract(list(known))
        hidden = what == "hide" if what in ("hide", "reveal") else hidden
        known = +known
    if hidden and not face_down_counts:
        known.subtract(list(known))
    return {card: known[card] for card in AGENTS if known[card] > 0}


def certain(log: list[tuple[str, str, str]], seat: str) -> dict[str, int]:
    """Brute-force `seen_in_hand`: the minimum count of each card over all possible identities of the hidden cards.

    A world is the multiset of seen cards that are still in the hand. A hidden card that left it was one of these or
    an unseen one.
    """
    worlds: set[tuple[tuple[str, int], ...]] = {()}
    hiding: list[tuple[str, Counter[str]]] | None = None

    def without(world: Counter[str], card: str) -> Counter[str]:
        return +(world - Counter([card]))

    for what, who, card in log:
        if who != seat:
            continue
        counters = [Counter(dict(world)) for world in worlds]
        if what == "enter":
            counters = [world + Counter([card]) for world in counters]
        elif what == "two":
            counters = [world | Counter({card: 2}) for world in counters]
        elif what == "open":
            counters = [without(world, card) for world in counters]
        elif what == "discard":
            counters = [without(world, name) for world in counters for name in AGENTS]
        elif what == "hide":
            hiding = [(name, without(world, name)) for world in counters for name in AGENTS]
            continue
        elif what == "reveal":
            assert hiding is not None
            counters = [world for name, world in hiding if name == card]
            hiding = None
        worlds = {tuple(sorted(world.items())) for world in counters}
    possible = [world for _, world in hiding] if hiding else [Counter(dict(world)) for world in worlds]
    least = {card: min(world[card] for world in possible) for card in AGENTS}
    return {card: n for card, n in least.items() if n}
