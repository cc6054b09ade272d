"""Independent, slow implementation of Heimlich & Co. on state mappings, written from the rules.

Dice and the free agent of `new_identity` are taken from the game under test; everything else is computed here.
"""

from typing import Any

State = dict[str, Any]
RING = ["church", *map(str, range(1, 11)), "ruins"]
WORTH = [*range(11), -3]
STEPS = {"back_1_2": (-1, -2), "step_1": (-1, 1), "off_safe": (-1, 1), "forward_1_3": (1, 2, 3)}
SINGLE = (*STEPS, "to_ruins", "to_safe")
DOUBLE = ("score_3", "two_back", "two_forward", "swap", "join")
ORDER = [
    "move_safe", "score_3", "back_1_2", "step_1", "two_back", "two_forward", "off_safe", "to_ruins", "all_to_church",
    "swap", "join", "ruins_to_church", "forward_1_3", "to_safe", "new_identity",
]  # fmt: skip


def may_be_named(state: State, card: str, named: list[str]) -> list[str]:
    """HC-20, HC-32: agents that can be named next for a card so that it can be carried out."""
    at, safe, low = state["positions"], state["safe"], [a for a, n in state["scores"].items() if n < 40]
    some = {
        "score_3": low if len(low) > 1 or named else [],
        "off_safe": [a for a in at if at[a] == safe],
        "to_safe": [a for a in at if at[a] != safe],
        "to_ruins": [a for a in at if at[a] != 11],
        "ruins_to_church": [a for a in at if at[a] == 11],
        "swap": [a for a in at if any(at[b] != at[a] for b in (named or at))],
        "join": [a for a in at if any(at[b] != at[a] for b in (named or at))],
    }
    return [a for a in some.get(card, list(at)) if a not in named]


def legal(state: State, options: State) -> set[str]:
    """HC-9 to HC-11, HC-15, HC-20 to HC-25, HC-32, HC-33, HC-36."""
    phase, agents, seat = state["phase"], state["agents"], str(state["to_move"])
    if phase == "move":
        later = agents[max((agents.index(a) + 1 for a in state["moved"]), default=0) :]
        left, free = state["points_left"], state["die"] == "1-3"
        texts = {f"move {a} {n}" for a in later for n in range(1, left + 1) if free or n == left or a != agents[-1]}
        if free and state["moved"]:
            texts.add("done")
        if free and not state["moved"] and options["top_secret"] and state["deck"] and len(state["hands"][seat]) < 4:
            texts.add("draw")
        return texts
    if phase == "safe":
        taken = set(state["positions"].values()) if options["edition"] == "ravensburger" else set()
        return {f"safe {RING[b]}" for b in range(12) if b != state["safe"] and b not in taken}
    if phase == "cards":
        always = ("move_safe", "all_to_church", "new_identity")
        return {"pass"} | {f"card {c}" for c in state["hands"][seat] if c in always or may_be_named(state, c, [])}
    if phase == "card_choice":
        card, named = state["pending_card"]["card"], state["pending_card"]["agents"]
        if card == "move_safe":
            return {f"building {RING[b]}" for b in range(12) if b != state["safe"]}
        if named and card in STEPS:
            return {f"step {n}" for n in STEPS[card]}
        texts = {f"agent {a}" for a in may_be_named(state, card, named)}
        return texts | ({"done"} if card == "ruins_to_church" and named else set())
    if phase == "guess":
        made = state["guesses"][seat]
        asked = [a for a in agents if a != state["passports"][seat] and a not in made]
        others = {f"player_{p}" for p in range(state["players"]) if str(p) != seat} - set(made.values())
        return {f"guess {asked[0]} {o}" for o in others | ({"free"} if len(asked) > len(others) else set())}
    return set()


def put(state: State, agent: str, building: int) -> None:
    """HC-26."""
    if state["positions"][agent] != building % 12:
        state["positions"][agent] = building % 12
        state["arrived"] = [
            a
            for a in state["agents"]
            if (a == agent and building % 12 == state["safe"]) or (a != agent and a in state["arrived"])
        ]


def act(state: State, text: str, options: State, real: State) -> None:
    """Apply one action to the state; `real` is the state of the game after it."""
    verb, *rest = text.split()
    seat = str(state["to_move"])
    at = state["positions"]
    if verb == "move":
        agent, points = rest[0], int(rest[1])
        put(state, agent, at[agent] + points)
        state["moved"][agent] = points
        state["points_left"] -= points
        if state["points_left"] == 0:
            end_movement(state, options, real)
    elif verb == "draw":
        take(state, seat)
        state["points_left"] = 0
        end_movement(state, options, real)
    elif verb == "done" and state["phase"] == "move":
        state["points_left"] = 0
        end_movement(state, options, real)
    elif verb == "safe":
        state["safe"] = RING.index(rest[0])
        next_turn(state, real)
    elif verb == "pass":
        state["passes"] += 1
        ask(state, (int(seat) + 1) % state["players"], options, real)
    elif verb == "card":
        state["hands"][seat].remove(rest[0])
        state["used"].append(rest[0])
        state["pending_card"] = {"card": rest[0], "agents": []}
        state["passes"], state["phase"] = 0, "card_choice"
        if rest[0] in ("all_to_church", "new_identity"):
            carry_out(state, 0, options, real)
    elif verb == "guess":
        predict(state, seat, rest[0], rest[1], options, real)
    elif verb == "agent":
        pending = state["pending_card"]
        pending["agents"].append(rest[0])
        if pending["card"] not in STEPS and (pending["card"] in SINGLE or len(pending["agents"]) == 2):
            carry_out(state, 0, options, real)
    else:
        carry_out(state, RING.index(rest[0]) if verb == "building" else int((rest or [0])[0]), options, real)


def take(state: State, seat: str) -> None:
    """HC-21."""
    state["hands"][seat] = sorted([*state["hands"][seat], state["deck"].pop(0)], key=ORDER.index)


def carry_out(state: State, number: int, options: State, real: State) -> None:
    """HC-20."""
    card, named, at = state["pending_card"]["card"], state["pending_card"]["agents"], state["positions"]
    seat = str(state["to_move"])
    state["pending_card"] = None
    if card == "move_safe":
        state["safe"], state["arrived"] = number, []
    elif card == "new_identity":
        old, new = state["passports"][seat], real["passports"][seat]
        assert new not in state["passports"].values()
        assert old != new
        state["passports"][seat] = new
    elif card == "swap":
        one, two = (at[a] for a in named)
        put(state, named[0], two)
        put(state, named[1], one)
    elif card == "join":
        put(state, named[0], at[named[1]])
    else:
        for agent in state["agents"] if card == "all_to_church" else named:
            if card == "score_3":
                state["scores"][agent] = min(state["scores"][agent] + 3, 40)
            else:
                fixed = {"to_ruins": 11, "to_safe": state["safe"], "all_to_church": 0, "ruins_to_church": 0}
                put(state, agent, fixed.get(card, at[agent] + {"two_back": -1, "two_forward": 1}.get(card, number)))
    if crossed(state, options):
        ask_all(state, int(seat))
    else:
        ask(state, int(seat), options, real)


def crossed(state: State, options: State) -> bool:
    """HC-33."""
    return options["secret_identities"] and not state["guessed"] and max(state["scores"].values()) >= 29


def ask_all(state: State, card_turn: int | None) -> None:
    """HC-33."""
    players, active = state["players"], state["active"]
    state.update(phase="guess", to_move=active, card_turn=card_turn)
    state["guessing"] = [(active + i) % players for i in range(players)]


def predict(state: State, seat: str, agent: str, owner: str, options: State, real: State) -> None:
    """HC-33."""
    state["guesses"][seat][agent] = owner
    if len(state["guesses"][seat]) < len(state["agents"]) - 1:
        return
    state["guessing"].pop(0)
    if state["guessing"]:
        state["to_move"] = state["guessing"][0]
        return
    state["guessed"], card_turn, state["card_turn"] = True, state["card_turn"], None
    if card_turn is None:
        state.update(phase="safe", to_move=state["active"])
    else:
        ask(state, card_turn, options, real)


def end_movement(state: State, options: State, real: State) -> None:
    """HC-22, HC-24, HC-25."""
    seat = str(state["active"])
    if not options["top_secret"]:
        judge(state, options, real)
        return
    if any(state["positions"][a] == 11 for a in state["moved"]) and state["deck"] and len(state["hands"][seat]) < 4:
        take(state, seat)
    opens = state["active"] + (options["card_round_opens"] == "left")
    ask(state, opens % state["players"], options, real)


def ask(state: State, seat: int, options: State, real: State) -> None:
    """HC-25."""
    while state["passes"] < state["players"] and not state["hands"][str(seat)]:
        seat = (seat + 1) % state["players"]
        state["passes"] += 1
    if state["passes"] == state["players"]:
        state["passes"] = 0
        judge(state, options, real)
    else:
        state.update(phase="cards", to_move=seat)


def judge(state: State, options: State, real: State) -> None:
    """HC-12 to HC-19, HC-33, HC-34."""
    scores = state["scores"]
    if not state["arrived"]:
        next_turn(state, real)
        return
    state["arrived"] = []
    for agent, building in state["positions"].items():
        scores[agent] = max(scores[agent] + WORTH[building], 0)
    if max(scores.values()) < 42:
        if crossed(state, options):
            ask_all(state, None)
        else:
            state.update(phase="safe", to_move=state["active"])
        return
    owners = {agent: f"player_{seat}" for seat, agent in state["passports"].items()}
    if state["guessed"]:
        for seat, own in state["passports"].items():
            scores[own] += 5 * sum(o == owners.get(a, "free") for a, o in state["guesses"][seat].items() if a != own)
    best = [agent for agent, n in scores.items() if n == max(scores.values())]
    winners = [int(owners[a][7:]) for a in best if a in owners]
    if options["tie_with_free"] == "nobody" and len(winners) < len(best):
        winners = []
    state.update(winners=sorted(winners), end_reason="finish", phase="over", to_move=None)


def next_turn(state: State, real: State) -> None:
    """HC-6, HC-8."""
    active = (state["active"] + 1) % state["players"]
    state.update(arrived=[], moved={}, active=active, to_move=active, phase="move", turn=state["turn"] + 1)
    state["die"] = real["die"]
    state["points_left"] = 3 if real["die"] == "1-3" else real["die"]


def without_chance(mapping: State) -> State:
    """The mapping without the random stream and the public record, which the reference does not keep."""
    return {key: value for key, value in mapping.items() if key not in ("rng", "record")}
