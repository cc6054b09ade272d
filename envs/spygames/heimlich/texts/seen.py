"""What one seat may know, as a mapping and as sentences. Pictures and logs are made from these."""

from typing import Any

from spygames.core.compiling.kernel import Record
from spygames.core.game.game import NOBODY, Game
from spygames.core.game.rulebook import counted
from spygames.heimlich.actions import action_to_string
from spygames.heimlich.board import AGENTS, BUILDINGS
from spygames.heimlich.cards import CARDS, EFFECT, GO_TO_AGENT
from spygames.heimlich.layout import CHOICE, NONE, OVER
from spygames.heimlich.state_dict import state_to_dict

HIDDEN = "?"
"""Placeholder for an agent that the viewer cannot know."""
_TITLES = {"score_3": "Score +3", "back_1_2": "Back 1-2", "step_1": "Step of 1", "forward_1_3": "Forward 1-3"}
_NOTEBOOK = ("points", "times", "gains", "scorings", "cards_played")


def seen_to_dict(game: Game, s: Record, viewer: int) -> dict[str, Any]:
    """Return what `viewer` (a seat) may know: the keys of `state_to_dict` without `rng` and `record`, and some more.

    Passports of others are "?"; their cards and predictions are counts. `notebook` is the public part of the record:
    `points`, `times` and `gains` {seat: {agent: n}}, `scorings` and `cards_played` [by seat]. The other new keys are
    `swapped`, `swapped_late`, and `former`, which only the seat that swapped can read. NOBODY (-1) sees everything.
    """
    m = state_to_dict(game, s)
    del m["rng"]
    record = m.pop("record")
    m["notebook"] = {key: record[key] for key in _NOTEBOOK}
    m |= {key: record[key] for key in ("swapped", "swapped_late", "former")}
    if viewer == NOBODY:
        return m
    open_to_all = s.phase == OVER  # passports and predictions are public at the end, HC-34
    for key, blind in (("passports", lambda _: HIDDEN), ("guesses", len)):
        if not open_to_all:
            m[key] = {seat: value if int(seat) == viewer else blind(value) for seat, value in m[key].items()}
    m["hands"] = {seat: cards if int(seat) == viewer else len(cards) for seat, cards in m["hands"].items()}
    m["deck"] = len(m["deck"])
    if m["former"] is not None and m["swapped"] != viewer:
        m["former"] = HIDDEN
    return m


def seen_action(game: Game, s: Record, action: int, seat: int, viewer: int) -> str:
    """Return what `viewer` sees `seat` do in state `s`, the state before the action.

    The viewer sees that other seats make predictions, but not the predictions. If an agent joins one of several agents
    in a building, others do not see which one was named, because the result is the same.
    """
    words = action_to_string(game, s, action, seat).split()
    return f"player_{seat} {_deed(s, words, viewer in (seat, NOBODY))}"


def _deed(s: Record, words: list[str], is_open: bool) -> str:
    """Return the action with these words as a predicate: a verb and its objects."""
    match words:
        case ["move", agent, points]:
            return f"moves {agent} by {points}"
        case ["draw"]:
            return "takes a card instead of moving"
        case ["done"] if s.phase == CHOICE:
            return "names no second agent"
        case ["done"]:
            return f"leaves {counted(int(s.points_left), 'step')} unused"
        case ["pass"]:
            return "passes"
        case ["card", card]:
            return f"plays {titled(card)}"
        case ["agent", agent] if not is_open and s.named[0] != NONE and EFFECT[s.pending] == GO_TO_AGENT:
            return f"names {_joined(s, AGENTS.index(agent))} for {titled(CARDS[s.pending])}"
        case ["agent", agent]:
            return f"names {agent} for {titled(CARDS[s.pending])}"
        case ["step", step]:
            named = next(AGENTS[a] for a in s.named if a != NONE)
            return f"moves {named} {'back' if int(step) < 0 else 'on'} by {abs(int(step))}"
        case ["guess", agent, owner] if is_open:
            return f"predicts that {agent} belongs to {'nobody' if owner == 'free' else owner}"
        case ["guess", _, _]:
            return "makes a prediction"
        case _:  # `safe` after a scoring, `building` for a card
            return f"moves the safe to {place(words[1])}"


def _joined(s: Record, agent: int) -> str:
    """Return the agent that another agent joins, or only its building if it is not alone there."""
    there = int(s.positions[agent])
    alone = s.positions[: s.options.agents].tolist().count(there) == 1
    return AGENTS[agent] if alone else f"an agent in {place(BUILDINGS[there])}"


def place(building: str) -> str:
    """Return the name of a building in a sentence: the Church, the Ruins, building 9."""
    return f"building {building}" if building.isdigit() else f"the {building.title()}"


def titled(card: str) -> str:
    """Return the name of a card in a sentence: New identity, Back 1-2."""
    return _TITLES.get(card, card.replace("_", " ").capitalize())
