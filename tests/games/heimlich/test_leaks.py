"""No owner of an agent leaks: the same game is played in two worlds that differ only in the others' passports.

The contract test uses `determinize`; here the worlds are constructed, and the same decisions, given as texts, are
played in both. At every decision the viewer must see the same, the same seat must be to move, and it must have the
same legal actions.
"""

from typing import Any

import numpy as np
import pytest
from tests.games.heimlich.conftest import Position, game_of, make_mapping
from tests.support.suites import slow_but
from tests.support.worlds import seen

from spygames.core.game.game import as_record

WORLDS: list[dict[str, Any]] = [
    {"players": 2},
    {"players": 3, "top_secret": True, "secret_identities": True},
    *({"players": n} for n in (3, 4, 5, 6)),
    *({"players": n, "top_secret": True} for n in (3, 5)),
    *({"players": n, "secret_identities": True} for n in (3, 5, 7)),
    *({"players": n, "top_secret": True, "secret_identities": True} for n in (5, 7)),
]


def world(options: dict[str, Any], mapping: dict[str, Any]) -> Position:
    game = game_of(**options)
    states = game.new_states()
    game.state_from_dict(mapping, as_record(states))
    return Position(game, states)


def other_world(mapping: dict[str, Any], seat: int, rng: np.random.Generator) -> dict[str, Any]:
    """The same position with different passports of the other seats."""
    own = mapping["passports"][str(seat)]
    others = [a for a in mapping["agents"] if a != own]
    while True:
        given = iter(rng.permutation(others).tolist())
        passports = {s: own if s == str(seat) else next(given) for s in mapping["passports"]}
        if passports != mapping["passports"]:
            return mapping | {"passports": passports}


@pytest.mark.rule("HC-5", "HC-11", "HC-25", "HC-31", "HC-33")
@pytest.mark.parametrize("options", slow_but(WORLDS, 0, 1), ids=str)
def test_two_worlds_look_the_same(options: dict[str, Any]) -> None:
    rng = np.random.default_rng(4)
    steps = moves = 0
    for seed in range(3):
        start = Position(game_of(**options), game_of(**options).start(seed)).mapping
        watcher = seed % options["players"]
        one, two = world(options, start), world(options, other_world(start, watcher, rng))
        while True:
            assert one.s.to_move == two.s.to_move
            if one.s.to_move < 0:
                break
            assert seen(one, watcher) == seen(two, watcher)
            mover = int(one.s.to_move)
            legal = sorted(one.legal)
            if one.mapping["phase"] != "guess" or mover == watcher:
                assert legal == sorted(two.legal)
                text = str(rng.choice(legal))
                one.act(text)
                two.act(text)
                moves += 1
            else:  # a prediction omits the seat's own agent, so the worlds have different ones
                assert len(one.mapping["guesses"][str(mover)]) == len(two.mapping["guesses"][str(mover)])
                one.act(str(rng.choice(legal)))
                two.act(str(rng.choice(sorted(two.legal))))
            if "new_identity" in one.mapping["used"] and one.mapping["record"]["swapped"] == watcher:
                break  # from now on the watcher knows which agent was free
            steps += 1
    assert steps > 100
    assert moves > 100


@pytest.mark.rule("HC-11", "HC-32")
def test_legal_actions_reveal_nothing_about_the_own_agent() -> None:
    """In every phase except predictions, the legal texts do not depend on the mover's agent."""
    options = {"players": 3, "top_secret": True}
    rng = np.random.default_rng(5)
    phases = set()
    for seed in range(2):
        position = Position(game_of(**options), game_of(**options).start(seed))
        while position.s.to_move >= 0:
            mapping, mover = position.mapping, str(position.s.to_move)
            phases.add(mapping["phase"])
            for agent in mapping["agents"]:
                passports = {
                    s: (mapping["passports"][mover] if a == agent else a) for s, a in mapping["passports"].items()
                }
                again = world(options, mapping | {"passports": passports | {mover: agent}, "record": {}})
                assert again.legal == position.legal
            position.act(str(rng.choice(sorted(position.legal))))
    assert phases == {"move", "cards", "card_choice", "safe"}


@pytest.mark.rule("HC-5")
def test_the_own_agent_is_agent_0_of_the_view() -> None:
    """Views begin with the seat's own agent, and the others keep their order."""
    options = {"players": 3}
    agents = ["red", "yellow", "green", "blue", "purple", "orange"]
    for own in agents:
        others = [a for a in agents if a != own]
        passports = {"0": others[0], "1": own, "2": others[1]}
        position = world(
            options, make_mapping(options, passports=passports, scores=dict(zip(agents, range(1, 7), strict=True)))
        )
        order = [own, *others]
        assert np.allclose(position.view(1)["score"][0] * 42, [agents.index(a) + 1 for a in order])
        assert agents[int(position.view(1)["own"][0].argmax())] == own
        assert position.game.action_to_string(position.s, 2, 1) == f"move {own} 3"
        assert position.game.action_to_string(position.s, 6, 1) == f"move {others[0]} 1"
