"""Agent DOG: pawns under hats on their way home, four players in teams, two and three alone. Rules by ID: README.md."""

import sys
from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np

from spygames.agent_dog import (
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
from spygames.agent_dog.board import BOARDS, Board, BoardName
from spygames.agent_dog.bots import BOTS
from spygames.agent_dog.cards import DEAL, DECKS, Deck, DeckName
from spygames.agent_dog.ranges import view_ranges
from spygames.agent_dog.types import View
from spygames.core.checks import choice, whole
from spygames.core.game import Game, Texts
from spygames.core.shown import one_line

__all__ = ["BOARDS", "DECKS", "Board", "Deck", "make_game"]

HiddenColours = Literal["table", "tracked"]


def make_game(
    players: int = 4,
    board: BoardName | Board | Mapping[str, Any] = "standard",
    deck: DeckName | Deck | Mapping[str, int] = "standard",
    hidden_colours: HiddenColours = "table",
    max_turns: int = 2000,
    first_player: int | Literal["random"] = 0,
) -> Game[View]:
    """The game with these options.

    Args:
        players: 2, 3 or 4.
        board: a name, or a `Board` or its data (AD-3).
        deck: a name, or a `Deck` or copies by card (AD-5).
        hidden_colours: "table" or "tracked" (AD-24).
        max_turns: cards played after which the game is cut off (AD-37).
        first_player: the first dealer, or "random": drawn from the seed (AD-7).

    Raises:
        ValueError: an option has a value that makes no sense.
    """
    players = choice("players", players, (2, 3, 4))
    board_name, the_board = _board(board)
    deck_name, the_deck = _deck(deck, players)
    max_turns = whole("max_turns", max_turns, 1, 10**9)
    options: dict[str, Any] = {
        "players": players,
        "board": board_name or {"track": the_board.track, "holes": list(the_board.holes), "meeting": the_board.meeting},
        "deck": deck_name or dict(the_deck.copies),
        "hidden_colours": choice("hidden_colours", hidden_colours, get_args(HiddenColours)),
        "max_turns": max_turns,
        "first_player": choice("first_player", first_player, (*range(players), "random")),
    }
    return Game(
        name="agent_dog",
        version=0,
        options=options,
        packed=_packed(options, the_board, the_deck),
        num_players=players,
        num_actions=actions.num_actions(the_board.track, len(the_board.holes)),
        state_dtype=layout.STATE,
        view_dtype=layout.view_dtype(the_board.track),
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
        ),
        bots=BOTS,
        module=sys.modules[__name__],
        entities=layout.ENTITIES,
        view_ranges=view_ranges(the_deck.counts),
        truncated=rules.truncated,
        is_known=validate.is_known,
        rewind=rewind.rewind,
        ways=rewind.ways,
        rewind_within="round_number",
        worlds_version=2,  # 1: copies of one kind were counted twice (`ways`)
        questions=questions.questions(players, the_board.track, hidden_colours == "tracked"),
        lowest_return=-1.0 if players == 2 else -0.5,
        teams=(0, 1, 0, 1) if players == 4 else (),
    )


def _packed(options: Mapping[str, Any], board: Board, deck: Deck) -> np.ndarray:
    """The options as one OPTIONS element, [1]."""
    packed = np.zeros(1, layout.OPTIONS)
    for name in ("players", "max_turns"):
        packed[name] = options[name]
    packed["first_player"] = layout.NONE if options["first_player"] == "random" else options["first_player"]
    packed["tracked"] = options["hidden_colours"] == "tracked"
    packed["track"], packed["quarter"], packed["meeting"] = board.track, board.quarter, board.meeting
    packed["holes"], packed["hole"] = len(board.holes), layout.NONE
    packed["hole"][0, list(board.holes)] = range(len(board.holes))
    packed["copies"] = deck.counts
    return packed


def _board(board: Any) -> tuple[str | None, Board]:
    """The board and its name, if it has one."""
    if isinstance(board, Mapping):
        if set(board) != {"holes", "meeting", "track"}:
            raise ValueError(f"a board has the keys track, holes, meeting, not {one_line(', '.join(map(str, board)))}")
        board = Board(**board)
    if not isinstance(board, Board):
        board = BOARDS[choice("board", board, tuple(BOARDS))]
    return next((name for name, known in BOARDS.items() if known == board), None), board


def _deck(deck: Any, players: int) -> tuple[str | None, Deck]:
    """The deck and its name, if it has one; ValueError where it has too few cards for one round."""
    if isinstance(deck, Mapping):
        deck = Deck(deck)
    if not isinstance(deck, Deck):
        deck = DECKS[choice("deck", deck, tuple(DECKS))]
    if deck.total < DEAL * players:
        raise ValueError(f"a deck for {players} players has at least {DEAL * players} cards, not {deck.total}")
    return next((name for name, known in DECKS.items() if known == deck), None), deck
