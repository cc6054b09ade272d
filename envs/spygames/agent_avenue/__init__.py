"""Agent Avenue: two neighboring spies recruit agents to unmask each other. README.md has the rules by ID."""

import sys

from spygames.agent_avenue import (
    actions,
    belief_targets,
    determinize,
    layout,
    observe,
    rewind,
    rules,
    state_dict,
    validate,
)
from spygames.agent_avenue.bots import BOTS, MARKET_BOTS, TEAM_BOTS
from spygames.agent_avenue.layout import Mode as Mode
from spygames.agent_avenue.layout import View
from spygames.agent_avenue.picture import compact, draw, portrait
from spygames.agent_avenue.texts import render, seen, short_rules, why_not, words
from spygames.core.game.game import Game, Texts
from spygames.core.game.layout import dtype, view_parts, view_ranges
from spygames.core.game.options import maker, packed

_OBSERVE = {
    (False, False): (observe.observe, observe.observe_with_history),
    (True, False): (observe.observe_with_market, observe.observe_market_with_history),
    (False, True): (observe.observe_with_teams, observe.observe_teams_with_history),
    (True, True): (observe.observe_all, observe.observe_all_with_history),
}
"""The kernels that write a view, by market and teams: without and with earlier offers."""


def _game(o: layout.Settings) -> Game[View]:
    """The game with these options."""
    teams, advanced, history = o.players > 2, o.mode == "advanced", o.history > 0
    view = layout.variant(advanced, teams, o.history)
    return Game(
        name="agent_avenue",
        version=0,
        options=o.mapping,
        packed=packed(layout.Options, o, advanced=advanced, captain_fixed=o.captain == "fixed"),
        num_players=o.players,
        num_actions=_num_actions(advanced, teams),
        state_dtype=layout.STATE_WITH_OFFERS if history else layout.STATE,
        view_dtype=dtype(View, **view),
        init=rules.init_with_history if history else rules.init,
        legal=rules.legal,
        apply=rules.apply_with_history if history else rules.apply,
        returns=rules.returns,
        observe=_OBSERVE[advanced, teams][history],
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
            draw_portrait=portrait.draw,
            draw_compact=compact.draw,
            headline=draw.headline,
            asks={
                "play": ("Choose the card to offer face up", "Now choose the card to offer face down"),
                "recruit": ("Tap the card that you want",),
                "market": ("Tap the card that you want",),
                "take": ("Tap an agent in play",),
                "up": ("Tap a card of your hand",),
                "down": ("Tap a card of your hand",),
                "lead": ("Tap a name",),
                "resolver": ("Tap a name",),
                "discard": ("discard one",),
            },
            phrases={
                "play {} {}": "{} face up, {} face down",
                "recruit up": "take the face-up card",
                "recruit down": "take the face-down card",
                "market {}": "take {}",
                "take {}": "take {} from play",
                "recruit {}": "recruit {} from your hand",
                "decline": "keep it in your hand",
                "lead {}": "face up: {}",
                "up {}": "{} face up",
                "down {}": "{} face down",
                "resolver {}": "to carry it out: {}",
            },
            short_rules=short_rules.short_rules,
            describe=words.describe,
            effects=words.effects,
            why_not=why_not.why_not,
        ),
        bots=MARKET_BOTS if advanced else TEAM_BOTS if teams else BOTS,
        module=sys.modules[__name__],
        teams=(0, 0, 1, 1)[: o.players] if teams else (),
        is_known=validate.is_known_with_history if history else validate.is_known,
        rewind=rewind.rewind_with_history if history else rewind.rewind,
        ways=rewind.ways,
        # In version 1 a card drawn after the offer could lie face down. Version 2 counted copies of one name twice.
        worlds_version=3,
        questions=belief_targets.questions(teams),
        entities=layout.ENTITIES_WITH_OFFERS if history else layout.ENTITIES,
        extra_fields=layout.extra_fields(teams, o.history),
        view_ranges=view_ranges(View, **view),
        view_parts=view_parts(View, **view),
    )


make_game = maker(layout.Settings, _game)


def _num_actions(advanced: bool, teams: bool) -> int:
    if teams:
        return actions.NUM_TEAM_ACTIONS
    return actions.NUM_MARKET_ACTIONS if advanced else actions.NUM_ACTIONS
