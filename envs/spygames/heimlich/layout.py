"""Layouts as data: OPTIONS, STATE (what is true), VIEW (what a seat may know), and the constants of their fields."""

from numpy import dtype, float32, int8, int16, int32, uint64

from spygames.heimlich.board import FACES, LOOP, MAX_AGENTS, MAX_PLAYERS
from spygames.heimlich.cards import ALL_CARDS, KINDS

NONE = -1  # no seat, no agent, no card, no reason; as an owner: a free agent
PHASES = ("move", "cards", "card_choice", "safe", "guess", "over")
MOVE, ROUND, CHOICE, SAFE, GUESS, OVER = range(6)
END_REASONS = ("finish",)
FINISHED = 0
UNASKED, FREE, FIRST_OWNER = range(3)
"""Values of `guesses`; FIRST_OWNER + seat stands for that seat."""

LOWEST, LARGEST = -1_000, 30_000
"""The range of the counts in the public record; they are clipped to it."""
LAST_TURN = 2**31 - 1
"""The count of turns stops here."""
POINTS, TIMES, GAINS = range(3)  # the last axis of the view's `record`
POINTS_UNIT, TIMES_UNIT, GAINS_UNIT = 20, 10, 20
"""The counts for which the view's `record` has 1."""

OPTIONS = dtype([
    ("players", int8),
    ("agents", int8),
    ("top_secret", int8),  # 1: with cards
    ("secret_identities", int8),  # 1: with predictions
    ("plain_die", int8),  # 1: the edition of 1984 (HC-36)
    ("first_player", int8),  # the seat that starts, or NONE: drawn from the seed (HC-6)
    ("active_opens", int8),  # 1: the active player opens card rounds (HC-25)
    ("new_identity", int8),  # copies of that card: 1 or 0 (HC-31)
    ("tie_to_player", int8),  # 1: owned tokens win level with free ones (HC-19)
    ("by_score", int8),  # 1: reward="score" (HC-37)
    ("nobody_wins", int8),  # reward of each if nobody wins: 0 or -1
    ("first_guess", int8),  # the first action that is a prediction
], align=True)  # fmt: skip
STATE = dtype([  # what is true; widest field first; agents and seats by their absolute numbers
    ("rng", uint64),  # HIDDEN: the random stream of the game
    ("turn", int32),  # 0..LAST_TURN
    ("points", int16, (MAX_AGENTS, MAX_PLAYERS)),  # [agent, seat]: points that it moved the agent, LOWEST..LARGEST
    ("times", int16, (MAX_AGENTS, MAX_PLAYERS)),  # [agent, seat]: how often it moved the agent, 0..LARGEST
    ("gains", int16, (MAX_AGENTS, MAX_PLAYERS)),  # [agent, seat]: score of the agent through it, LOWEST..LARGEST
    ("scorings", int16, MAX_PLAYERS),  # by seat: scorings that it caused, 0..LARGEST
    ("scores", int16, MAX_AGENTS),  # of the tokens, by agent
    ("positions", int8, MAX_AGENTS),  # building, by agent
    ("moved", int8, MAX_AGENTS),  # points by the die in this turn, by agent
    ("arrived_by", int8, MAX_AGENTS),  # the seat that moved it to the safe, NONE if that is no reason to score
    ("owner", int8, MAX_AGENTS),  # HIDDEN: seat by agent, NONE: free, or not in play
    ("passports", int8, MAX_PLAYERS),  # HIDDEN: agent by seat, known to the seat; NONE: no such seat
    ("hands", int8, (MAX_PLAYERS, KINDS)),  # HIDDEN: copies, known to the seat
    ("hand_sizes", int8, MAX_PLAYERS),
    ("cards_played", int8, MAX_PLAYERS),  # by seat, used_size in all at most
    ("deck", int8, ALL_CARDS),  # HIDDEN: kinds, the top one at deck_size - 1; NONE above
    ("used", int8, ALL_CARDS),  # kinds, oldest first, then NONE
    ("guesses", int8, (MAX_PLAYERS, MAX_AGENTS)),  # HIDDEN until the end: [seat, agent], see FREE
    ("deck_size", int8),
    ("used_size", int8),
    ("safe", int8),  # building
    ("die", int8),  # 1..6, ONE_TO_THREE
    ("points_left", int8),
    ("next_agent", int8),  # the lowest id that the die may still move: one beyond the last moved one
    ("phase", int8),  # index in PHASES
    ("to_move", int8),  # seat, NONE when over
    ("active", int8),  # seat whose turn it is
    ("passes", int8),  # in a row, 0 outside of card rounds
    ("pending", int8),  # kind of the card that asks, or NONE
    ("named", int8, 2),  # agents that were named for it, or NONE
    ("card_turn", int8),  # the seat whose card made everybody predict, while they do; else NONE
    ("guessed", int8),  # 1 once everybody has predicted
    ("swapped", int8),  # the seat that played `new_identity`, or NONE
    ("former", int8),  # HIDDEN: the agent that it put back, or NONE; known to that seat
    ("swapped_late", int8),  # 1: it had predicted before
    ("winners", int8),  # set of seats, bit by bit
    ("end_reason", int8),  # index in END_REASONS, or NONE
    ("options", OPTIONS),
    ("padding", int8, 3),  # 0; fills the record up to a multiple of 8 bytes
], align=True)  # fmt: skip


def view_dtype(players: int, agents: int, top_secret: bool, secret_identities: bool) -> dtype:
    """VIEW, what one seat may know: agents from the own one on, seats from the own one leftward.

    Args:
        players: P.
        agents: A, those in play.
        top_secret: whether it has the fields of the cards.
        secret_identities: whether it has the fields of the predictions.
    """
    p, a = players, agents
    base = [
        ("own", float32, a),  # the id of the own agent, one-hot: the die moves agents in the order of their ids
        ("position", float32, (a, LOOP)),  # building, one-hot
        ("to_safe", float32, (a, FACES)),  # 1 to 6 points bring the agent to the safe, one-hot
        ("score", float32, a),  # of the token, / 42
        ("moved", float32, a),  # points by the die in this turn, / 6
        ("safe", float32, LOOP),  # building, one-hot
        ("points_left", float32, FACES),  # one-hot, zeros: the movement is over
        ("one_to_three", float32),  # 1: the die shows "1-3"
        ("phase", float32, 2),  # one-hot: move, safe
        ("decides", float32),  # 1 if the viewer is to move
        ("active", float32, p),  # whose turn it is, one-hot
        ("record", float32, (a, p, 3)),  # points moved / 20, times moved / 10, score through that seat / 20
        ("scorings", float32, p),  # that the seat caused, / 10
        ("revealed", float32, p),  # 0 until the end, then the seat's agent (relative) / 7
    ]
    cards = [
        ("card_phase", float32, 2),  # one-hot: cards, card_choice
        ("hand", float32, KINDS),  # own copies / 2
        ("hand_sizes", float32, p),  # / 4
        ("deck_size", float32),  # / 26
        ("used", float32, KINDS),  # copies / 2
        ("cards_played", float32, p),  # / 4
        ("card_mover", float32, p),  # whose decision it is, one-hot
        ("passes", float32),  # in a row, / players
        ("pending", float32, KINDS),  # the card that asks, one-hot
        ("named", float32, a),  # 1: named for it
        ("arrived", float32, a),  # 1: would cause a scoring now
        ("swapped", float32, p),  # who has changed its identity, one-hot
        ("former", float32, a),  # the viewer's former agent, one-hot
    ]
    predictions = [
        ("guess_phase", float32),  # 1: predictions are asked
        ("guess_mover", float32, p),  # from whom, one-hot
        ("guessed", float32),  # 1: everybody has predicted
        ("card_turn", float32, p),  # the seat whose card caused them, while they are asked, one-hot
        ("swapped_late", float32),  # 1: an identity was changed after the predictions
        ("guesses_made", float32, p),  # answers / (agents - 1)
        ("asked", float32, a),  # the agent that the viewer is asked about, one-hot
        ("guesses", float32, (p, a)),  # own, at the end all: -1: free, (1 + the owner's relative seat) / 7, 0: none
    ]
    # The board comes last: Numba would take a view that only has more fields at its end for the smaller one, and warn.
    return dtype([*(cards if top_secret else []), *(predictions if secret_identities else []), *base], align=True)


ENTITIES = {
    "agents": ("score", "position", "to_safe", "moved", "own", "record", "named", "arrived", "former", "asked"),
    "cards": ("hand", "used", "pending"),
}
"""Fields of VIEW with an axis for agents or kinds of card; a variant has some of them."""
