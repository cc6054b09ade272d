"""Heimlich & Co.: secret agents race around a small town, and each player hides which one it owns.

README.md states the rules by ID.
"""

import sys

from spygames.core.game.game import Game, Texts
from spygames.core.game.layout import view_parts, view_ranges
from spygames.core.game.options import maker, packed
from spygames.heimlich import actions, belief_targets, determinize, observe, rewind, rules, state_dict, validate
from spygames.heimlich.actions import BASE_ACTIONS, CARD_ACTIONS
from spygames.heimlich.board import FINISH, IN_PLAY, VALUES
from spygames.heimlich.bots import BOTS
from spygames.heimlich.layout import ENTITIES, STATE, Options, Settings, View, view_dtype
from spygames.heimlich.picture import compact, draw, facts, portrait
from spygames.heimlich.rules.predictions import BONUS
from spygames.heimlich.texts import render, seen, short_rules, why_not, words


def _game(o: Settings) -> Game[View]:
    """Build the game for the given options."""
    agents = IN_PLAY[o.edition][o.players - 2]
    first_guess = CARD_ACTIONS if o.top_secret else BASE_ACTIONS
    view = {
        "players": o.players, "agents": agents, "top_secret": o.top_secret, "secret_identities": o.secret_identities,
    }  # fmt: skip
    return Game(
        name="heimlich",
        version=0,
        options=o.mapping,
        packed=packed(
            Options,
            o,
            agents=agents,
            plain_die=o.edition == "ravensburger",
            active_opens=o.card_round_opens == "active",
            new_identity=o.top_secret and o.new_identity == "swap" and o.players < agents,
            tie_to_player=o.tie_with_free == "player",
            by_score=o.reward == "score",
            first_guess=first_guess,
        ),
        num_players=o.players,
        num_actions=first_guess + (o.players * (agents - 1) if o.secret_identities else 0),
        state_dtype=STATE,
        view_dtype=view_dtype(**view),
        init=rules.init,
        legal=rules.legal,
        apply=rules.apply,
        returns=rules.returns,
        observe=observe.OBSERVE[o.top_secret, o.secret_identities],
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
            headline=facts.headline,
            asks={
                "move": ("Choose the agent to move", "Now choose its steps"),
                "draw": ("take a card",),
                "safe": ("Tap a building",),
                "building": ("Tap a building",),
                "agent": ("Tap an agent below the town",),
                "step": ("Tap a number",),
                "card": ("Tap a card of your hand, or pass",),
                "guess": ("Tap a name",),
            },
            phrases={
                "move {} {}": "move {} by {}",
                "done": "leave it at that",
                "safe {}": "move the safe to {}",
                "draw": "take a card instead of moving",
                "card {}": "play {}",
                "pass": "play no card",
                "agent {}": "choose {}",
                "step {}": "move it by {}",
                "building {}": "move the safe to {}",
                "guess {} free": "{} belongs to nobody",
                "guess {} {}": "{} belongs to {}",
            },
            short_rules=short_rules.short_rules,
            describe=words.describe,
            effects=words.effects,
            why_not=why_not.why_not,
        ),
        bots=BOTS[o.top_secret, o.secret_identities],
        module=sys.modules[__name__],
        lowest_return=-_max_score(agents, o.secret_identities) / FINISH if o.reward == "score" else -1.0,
        is_known=validate.is_known,
        rewind=rewind.rewind,
        ways=rewind.ways if o.top_secret else None,
        worlds_version=2
        if o.top_secret
        else 1,  # version 1 counted copies of one kind twice in games with cards (`ways`)
        determinize_stratum=determinize.determinize_stratum,
        questions=belief_targets.questions(o.players, agents),
        entities=ENTITIES,
        view_ranges=view_ranges(View, **view),
        view_parts=view_parts(View, **view),
    )


make_game = maker(Settings, _game)


def _max_score(agents: int, secret_identities: bool) -> int:
    """Upper bound of a score: a last scoring from one space before the finish, and all predictions right (HC-34)."""
    return FINISH - 1 + int(VALUES.max()) + secret_identities * BONUS * (agents - 1)
