"""Agent Avenue: two neighbours, both spies, recruit agents to unmask each other. Rules by ID: README.md."""

import sys
from typing import Any, Literal, get_args

import numpy as np

from spygames.agent_avenue import (
    actions,
    determinize,
    draw,
    layout,
    observe,
    questions,
    render,
    rewind,
    rules,
    seen,
    state_dict,
    validate,
)
from spygames.agent_avenue.bots import BOTS, MARKET_BOTS, TEAM_BOTS
from spygames.agent_avenue.ranges import VIEW_RANGES
from spygames.agent_avenue.types import View
from spygames.core.checks import choice
from spygames.core.game import Game, Texts
from spygames.core.shown import shown

_OBSERVE = {
    (False, False): observe.observe,
    (True, False): observe.observe_with_market,
    (False, True): observe.observe_with_teams,
    (True, True): observe.observe_all,
}

Mode = Literal["simple", "advanced"]
Captain = Literal["alternate", "fixed"]


def make_game(
    mode: Mode = "simple", players: int = 2, first_player: int | Literal["random"] = 0, captain: Captain | None = None
) -> Game[View]:
    """Make the game with these options.

    Args:
        mode: "simple", or "advanced": with the Black Market.
        players: 2, 3 (seats 0 and 1 against 2) or 4 (0 and 1 against 2 and 3).
        first_player: the seat whose side begins, or "random": the side is drawn from the seed (AA-6).
        captain: for teams only: "alternate" (what None means there), or "fixed": always the lower seat (AA-41).

    Raises:
        ValueError: an option has a value that it does not take, or `captain` is given with two players.
    """
    mode, players = choice("mode", mode, get_args(Mode)), choice("players", players, (2, 3, 4))
    first_player = choice("first_player", first_player, (*range(players), "random"))
    options: dict[str, Any] = {"mode": mode, "players": players, "first_player": first_player}
    teams, advanced = players > 2, mode == "advanced"
    if teams:
        captain = choice("captain", "alternate" if captain is None else captain, get_args(Captain))
        options["captain"] = captain
    elif captain is not None:
        raise ValueError(f"captain is for teams of three or four players; leave it out with two, not {shown(captain)}")
    packed = np.zeros(1, layout.OPTIONS)
    packed["first_player"] = layout.NONE if first_player == "random" else first_player
    packed["players"], packed["advanced"], packed["captain_fixed"] = players, advanced, captain == "fixed"
    return Game(
        name="agent_avenue",
        version=0,
        options=options,
        packed=packed,
        num_players=players,
        num_actions=_num_actions(advanced, teams),
        state_dtype=layout.STATE,
        view_dtype=layout.view_dtype(advanced, teams),
        init=rules.init,
        legal=rules.legal,
        apply=rules.apply,
        returns=rules.returns,
        observe=_OBSERVE[advanced, teams],
        determinize=determinize.determinize,
        texts=Texts(
            action_to_string=actions.action_to_string,
            string_to_action=actions.string_to_action,
            state_to_dict=state_dict.state_to_dict,
            state_from_dict=state_dict.state_from_dict,
            to_text=render.to_text,
            seen_to_dict=seen.seen_to_dict,
            seen_action=seen.seen_action,
            draw=draw.draw,
        ),
        bots=MARKET_BOTS if advanced else TEAM_BOTS if teams else BOTS,
        module=sys.modules[__name__],
        teams=(0, 0, 1, 1)[:players] if teams else (),
        is_known=validate.is_known,
        rewind=rewind.rewind,
        ways=rewind.ways,
        # 1: a card that was drawn after an offer could lie face down. 2: copies of one name were counted twice.
        worlds_version=3,
        questions=questions.questions(teams),
        entities=layout.ENTITIES,
        view_ranges=VIEW_RANGES,
    )


def _num_actions(advanced: bool, teams: bool) -> int:
    if teams:
        return actions.NUM_TEAM_ACTIONS
    return actions.NUM_MARKET_ACTIONS if advanced else actions.NUM_ACTIONS
