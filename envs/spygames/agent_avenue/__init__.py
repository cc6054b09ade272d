"""Agent Avenue: two neighbours, both spies, recruit agents to unmask each other. Rules by ID: README.md."""

from typing import Any

import numpy as np

from spygames.agent_avenue import render, rules, text
from spygames.agent_avenue.bots import BOTS
from spygames.core.game import Game
from spygames.core.options import choice


def make_game(mode: str = "simple", players: int = 2, first_player: int | str = 0) -> Game:
    """The game with these options; ValueError for a value that makes no sense.

    mode: "simple". players: 2. first_player: the seat that begins, or "random": drawn from the seed (AA-6).
    """
    options: dict[str, Any] = {
        "mode": choice("mode", mode, ("simple",)),
        "players": choice("players", players, (2,)),
        "first_player": choice("first_player", first_player, (0, 1, "random")),
    }
    packed = np.zeros(1, rules.OPTIONS)
    packed["first_player"] = rules.NONE if first_player == "random" else first_player
    return Game(
        name="agent_avenue",
        version=0,
        options=options,
        packed=packed,
        num_players=rules.SEATS,
        num_actions=rules.NUM_ACTIONS,
        state_dtype=rules.STATE,
        view_dtype=rules.VIEW,
        init=rules.init,
        legal=rules.legal,
        apply=rules.apply,
        returns=rules.returns,
        observe=rules.observe,
        determinize=rules.determinize,
        action_to_string=text.action_to_string,
        string_to_action=text.string_to_action,
        state_to_dict=text.state_to_dict,
        state_from_dict=text.state_from_dict,
        to_text=render.to_text,
        bots=BOTS,
        module=rules,
    )
