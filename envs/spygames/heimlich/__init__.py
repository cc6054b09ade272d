"""Heimlich & Co.: secret agents race round a small town; whose agent is whose is the secret. Rules by ID: README.md."""

import sys
from typing import Any, Literal, get_args

import numpy as np

from spygames.core.checks import choice
from spygames.core.game import Game, Texts
from spygames.heimlich import (
    actions,
    determinize,
    draw,
    observe,
    questions,
    render,
    rewind,
    rules,
    seen,
    state_dict,
    validate,
)
from spygames.heimlich.actions import BASE_ACTIONS, CARD_ACTIONS
from spygames.heimlich.board import EDITIONS, FINISH, IN_PLAY, MAX_PLAYERS, VALUES, Edition
from spygames.heimlich.bots import BOTS
from spygames.heimlich.layout import ENTITIES, NONE, OPTIONS, STATE, view_dtype
from spygames.heimlich.ranges import VIEW_RANGES
from spygames.heimlich.rules.predictions import BONUS
from spygames.heimlich.types import View

CardRoundOpens = Literal["left", "active"]
NewIdentity = Literal["swap", "none"]
TieWithFree = Literal["player", "nobody"]
Reward = Literal["win", "score"]
NobodyWins = Literal[0, -1]


def make_game(
    players: int = 4,
    top_secret: bool = False,
    secret_identities: bool = False,
    edition: Edition = "amigo",
    first_player: int | Literal["random"] = 0,
    card_round_opens: CardRoundOpens = "left",
    new_identity: NewIdentity = "swap",
    tie_with_free: TieWithFree = "player",
    reward: Reward = "win",
    nobody_wins: NobodyWins = 0,
) -> Game[View]:
    """The game with these options.

    Args:
        players: 2 to 7.
        top_secret: whether to play with the 26 cards.
        secret_identities: whether to play with predictions.
        edition: "amigo" or "ravensburger" (HC-36).
        first_player: the seat that starts, or "random": drawn from the seed (HC-6).
        card_round_opens: "left" or "active" (HC-25).
        new_identity: "swap", or "none": without that card (HC-31).
        tie_with_free: "player" or "nobody" (HC-19).
        reward: "win" or "score" (HC-37).
        nobody_wins: the reward of each player when nobody wins, 0 or -1.

    Raises:
        ValueError: an option has a value that makes no sense.
    """
    players = choice("players", players, range(2, MAX_PLAYERS + 1))
    top_secret = choice("top_secret", top_secret, (False, True))
    secret_identities = choice("secret_identities", secret_identities, (False, True))
    edition = choice("edition", edition, EDITIONS)
    options: dict[str, Any] = {
        "players": players,
        "top_secret": top_secret,
        "secret_identities": secret_identities,
        "edition": edition,
        "first_player": choice("first_player", first_player, (*range(players), "random")),
        "card_round_opens": choice("card_round_opens", card_round_opens, get_args(CardRoundOpens)),
        "new_identity": choice("new_identity", new_identity, get_args(NewIdentity)),
        "tie_with_free": choice("tie_with_free", tie_with_free, get_args(TieWithFree)),
        "reward": choice("reward", reward, get_args(Reward)),
        "nobody_wins": choice("nobody_wins", nobody_wins, get_args(NobodyWins)),
    }
    if top_secret and edition == "ravensburger":
        raise ValueError("top_secret=True needs edition='amigo': the edition of 1984 ('ravensburger') has no cards")
    agents = IN_PLAY[edition][players - 2]
    first_guess = CARD_ACTIONS if top_secret else BASE_ACTIONS
    packed = np.zeros(1, OPTIONS)
    packed[0] = (
        players,
        agents,
        top_secret,
        secret_identities,
        edition == "ravensburger",
        NONE if first_player == "random" else first_player,
        card_round_opens == "active",
        top_secret and new_identity == "swap" and players < agents,
        tie_with_free == "player",
        reward == "score",
        nobody_wins,
        first_guess,
    )
    return Game(
        name="heimlich",
        version=0,
        options=options,
        packed=packed,
        num_players=players,
        num_actions=first_guess + (players * (agents - 1) if secret_identities else 0),
        state_dtype=STATE,
        view_dtype=view_dtype(players, agents, top_secret, secret_identities),
        init=rules.init,
        legal=rules.legal,
        apply=rules.apply,
        returns=rules.returns,
        observe=observe.OBSERVE[top_secret, secret_identities],
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
        bots=BOTS[top_secret, secret_identities],
        module=sys.modules[__name__],
        lowest_return=-_most_points(agents, secret_identities) / FINISH if reward == "score" else -1.0,
        is_known=validate.is_known,
        rewind=rewind.rewind,
        ways=rewind.ways if top_secret else None,
        worlds_version=2 if top_secret else 1,  # 1: with cards, copies of one kind were counted twice (`ways`)
        determinize_stratum=determinize.determinize_stratum,
        questions=questions.questions(players, agents),
        entities=ENTITIES,
        view_ranges=VIEW_RANGES,
    )


def _most_points(agents: int, secret_identities: bool) -> int:
    """What no score exceeds: a last scoring from one space before the finish, and all predictions right (HC-34)."""
    return FINISH - 1 + int(VALUES.max()) + secret_identities * BONUS * (agents - 1)
