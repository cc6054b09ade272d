"""The options of the games in the words of the page. Other games have the texts of their `make_game`."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class OptionWords(NamedTuple):
    """An option as the page shows it."""

    label: str
    about: str = ""
    """A sentence; empty if the label says everything."""
    values: Mapping[Any, str] = {}
    """The texts of values; others are shown as they are."""


_PLAYERS = OptionWords("Players")
WORDS: Mapping[str, Mapping[str, OptionWords]] = {
    "agent_avenue": {
        "mode": OptionWords("Game", "The advanced game adds the cards of the Black Market."),
        "players": _PLAYERS._replace(
            about="Three: two against one. Four: two against two.", values={3: "3, two teams", 4: "4, two teams"}
        ),
        "first_player": OptionWords("Who begins", values={0: "the first seat", "random": "drawn by lot"}),
        "captain": OptionWords(
            "Captain of a team",
            "The captain decides which card a team takes. Only for three or four players.",
            {None: "in turn", "alternate": "in turn", "fixed": "always the first seat"},
        ),
    },
    "agent_dog": {
        "players": _PLAYERS._replace(about="Four play in two teams.", values={4: "4, two teams"}),
        "deck": OptionWords("Cards", "The royal deck has another mix of cards."),
        "hidden_colours": OptionWords(
            "Pawns under hats",
            "At a table nobody sees whose pawn is under a hat. Here the page can keep track for all players.",
            {"table": "hidden", "tracked": "colors shown"},
        ),
        "first_player": OptionWords("Who deals first", values={0: "the first seat", "random": "drawn by lot"}),
    },
    "heimlich": {
        "players": _PLAYERS,
        "top_secret": OptionWords("Top Secret cards", "Before each scoring, players may play cards from their hands."),
        "secret_identities": OptionWords(
            "Predictions", "Late in the game everybody predicts who owns which agent, for extra points."
        ),
        "edition": OptionWords(
            "Edition",
            "The edition of 1984 has a plain die, 1 to 6, and agents that depend on the number of players.",
            {"amigo": "Amigo", "ravensburger": "Ravensburger, 1984"},
        ),
        "first_player": OptionWords("Who begins", values={0: "the first seat", "random": "drawn by lot"}),
        "card_round_opens": OptionWords(
            "First to play a card",
            "After a move, who is asked first for a card.",
            {"left": "left neighbor", "active": "player in turn"},
        ),
        "new_identity": OptionWords(
            "Card New identity", "It exchanges your agent for a free one.", {"swap": "in the deck", "none": "left out"}
        ),
        "tie_with_free": OptionWords(
            "A tie with a free agent",
            "A free agent has no owner.",
            {"player": "the player wins", "nobody": "nobody wins"},
        ),
        "reward": OptionWords("Result", values={"win": "who wins", "score": "points of each player"}),
        "nobody_wins": OptionWords("If nobody wins", values={0: "counts as a draw", -1: "everybody loses"}),
    },
}


def words_of(game: str, option: str) -> OptionWords | None:
    """Return the words for an option of a game (`heimlich_v0` or `heimlich`); None for another game."""
    return WORDS.get(game.rpartition("_v")[0] or game, {}).get(option)
