"""Agent DOG: pawns race home, some of them under hats. Four players play in two teams, two and three for themselves.

README.md states the rules by ID.
"""

import sys

import numpy as np

from spygames.agent_dog import (
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
from spygames.agent_dog.board import BOARDS, MAX_TRACK, Board
from spygames.agent_dog.bots import BOTS
from spygames.agent_dog.cards import DECKS, Deck
from spygames.agent_dog.layout import View
from spygames.agent_dog.picture import compact, draw, portrait
from spygames.agent_dog.texts import render, seen, short_rules, why_not, words
from spygames.core.game.game import Game, Texts
from spygames.core.game.layout import view_parts, view_ranges
from spygames.core.game.options import maker, packed

__all__ = ["BOARDS", "DECKS", "Board", "Deck", "make_game"]


def _game(o: layout.Settings) -> Game[View]:
    """Build the game for the given options."""
    board, deck = o.get_board(), o.get_deck()
    hole = np.full(MAX_TRACK // 4, layout.NONE, np.int8)
    hole[list(board.holes)] = range(len(board.holes))
    tracked = o.hidden_colours == "tracked"
    return Game(
        name="agent_dog",
        version=0,
        options=o.mapping,
        packed=packed(
            layout.Options,
            o,
            track=board.track,
            quarter=board.quarter,
            meeting=board.meeting,
            holes=len(board.holes),
            hole=hole,
            copies=deck.counts,
            tracked=tracked,
        ),
        num_players=o.players,
        num_actions=actions.num_actions(board.track, len(board.holes)),
        state_dtype=layout.STATE,
        view_dtype=layout.view_dtype(board.track),
        init=rules.init,
        legal=rules.legal,
        apply=rules.apply,
        returns=rules.returns,
        observe=observe.observe,
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
                "pass": ("Tap a card of your hand",),
                "discard": ("Tap a card of your hand",),
                "card": ("Tap a card of your hand",),
                "from": ("Tap a button; its letter marks the pawn",),
                "step": ("Tap a button; its letter marks the pawn",),
                "swap": ("Tap a button; its letter marks the pawn",),
                "meet": ("Tap a button; its letter marks the place",),
            },
            phrases={
                "card {} as {}": "play {} as {}",
                "card {}": "play {}",
                "from area": "bring a pawn from the area to the start space",
                "from track {}": "move the pawn on space {}",
                "from track {} into goal": "move the pawn on space {} into the goal",
                "from goal {}": "move the pawn in goal {}",
                "from goal {} {}": "move the pawn in goal {} {}",
                "step track {}": "step with the pawn on space {}",
                "step track {} into goal": "step with the pawn on space {} into the goal",
                "step goal {}": "step with the pawn in goal {}",
                "step goal {} {}": "step with the pawn in goal {} {}",
                "meet {}": "hold the meeting on space {}",
                "swap track {}": "swap the pawn on space {}",
            },
            short_rules=short_rules.short_rules,
            describe=words.describe,
            effects=words.effects,
            why_not=why_not.why_not,
        ),
        bots=BOTS,
        module=sys.modules[__name__],
        entities=layout.ENTITIES,
        view_ranges=view_ranges(View, copies=max(deck.counts), deck=deck.total),
        view_parts=view_parts(View),
        truncated=rules.truncated,
        is_known=validate.is_known,
        rewind=rewind.rewind,
        ways=rewind.ways,
        rewind_within="round_number",
        worlds_version=2,  # version 1 counted copies of one kind twice (`ways`)
        questions=belief_targets.questions(o.players, board.track, tracked),
        lowest_return=-1.0 if o.players == 2 else -0.5,
        teams=(0, 1, 0, 1) if o.players == 4 else (),
    )


make_game = maker(layout.Settings, _game)
