"""The printed cards: agents and the Black Market, as tables (AA-1, AA-4)."""

import numpy as np

AGENTS = ("double_agent", "enforcer", "codebreaker", "saboteur", "daredevil", "sentinel", "sidekick", "mole")
DOUBLE_AGENT, ENFORCER, CODEBREAKER, SABOTEUR, DAREDEVIL, SENTINEL, SIDEKICK, MOLE = range(8)
KINDS = len(AGENTS)

COPIES = np.array([6, 6, 6, 6, 6, 6, 1, 1], np.int8)
"""Copies of each agent in the deck; 38 cards."""
CARDS = 38

ICONS = np.array(
    [  # 1st, 2nd, 3rd icon: spaces moved by the 1st, 2nd and every later copy that a side recruits
        [-1, +6, -1],  # double_agent
        [+1, +2, +3],  # enforcer
        [0, 0, 0],  # codebreaker: no number on the 3rd icon, three of them win
        [-1, -1, -2],  # saboteur
        [+2, +3, 0],  # daredevil: no number on the 3rd icon, three of them lose
        [0, +2, +6],  # sentinel
        [+4, 0, 0],  # sidekick: one copy, one icon
        [-3, 0, 0],  # mole: one copy, one icon
    ],
    np.int8,
)

_ = -1  # none, or any
ONGOING_KIND, INSTANT_KIND = 0, 1
OWN_PLAY, OTHER_PLAY = 0, 1  # the side that loses an agent in play to an instant card
# Effects of market cards, by column:
#   ongoing   An `agent` that the owner recruits moves the meeple by `times` the icon plus `plus` spaces.
#   instant   Take one agent in play `from` a side. Recruit an agent of which the hand holds at least `min` copies:
#             only `agent` if it is given, and if `new` only a name that the side does not have in play.
#             `open`: the card needs no choice.
# Comments describe effects that have no column; they name the kernel in backquotes.
_MARKET = (
    # card                 kind           agent         times plus  from        min   new  open
    ("distraction_device", ONGOING_KIND,  SABOTEUR,     -1,   0,    _,          0,    0,   0),
    ("getaway_car",        ONGOING_KIND,  _,             1,   0,    _,          0,    0,   0),  # +3 from a home: `move`
    ("leader_of_the_pack", ONGOING_KIND,  _,             1,   0,    _,          0,    0,   0),  # wins: `claim`
    ("masterplan",         ONGOING_KIND,  _,             1,   0,    _,          0,    0,   0),  # wins: `claim`
    ("security_system",    ONGOING_KIND,  _,             1,   0,    _,          0,    0,   0),  # wins: `claim`
    ("sinister_twin",      ONGOING_KIND,  DOUBLE_AGENT,  2,   0,    _,          0,    0,   0),
    ("supercomputer",      ONGOING_KIND,  CODEBREAKER,   1,   3,    _,          0,    0,   0),
    ("watchtower",         ONGOING_KIND,  ENFORCER,      1,   2,    _,          0,    0,   0),
    ("double_trouble",     INSTANT_KIND,  _,             1,   0,    _,          2,    0,   0),
    ("mind_control",       INSTANT_KIND,  _,             1,   0,    OTHER_PLAY, 0,    0,   0),
    ("outpost",            INSTANT_KIND,  SENTINEL,      1,   0,    _,          1,    0,   0),
    ("secret_recruit",     INSTANT_KIND,  _,             1,   0,    _,          1,    1,   0),
    ("smoke_screen",       INSTANT_KIND,  _,             1,   0,    _,          0,    0,   1),  # the top card
    ("spycation",          INSTANT_KIND,  _,             1,   0,    OWN_PLAY,   1,    0,   0),  # the agent taken
    ("surveillance_truck", INSTANT_KIND,  _,             1,   1,    _,          0,    0,   1),  # moves by `plus`
)  # fmt: skip
MARKET_CARDS = tuple(str(row[0]) for row in _MARKET)
(
    DISTRACTION_DEVICE, GETAWAY_CAR, LEADER_OF_THE_PACK, MASTERPLAN, SECURITY_SYSTEM, SINISTER_TWIN, SUPERCOMPUTER,
    WATCHTOWER, DOUBLE_TROUBLE, MIND_CONTROL, OUTPOST, SECRET_RECRUIT, SMOKE_SCREEN, SPYCATION, SURVEILLANCE_TRUCK,
) = range(15)  # fmt: skip
MARKET_SIZE = len(MARKET_CARDS)
SUPPLY = 3
"""Market cards that lie face up."""
ONGOING = 8
"""Market cards below this number are ongoing, the others instant."""
GETAWAY_SPACES = 3
"""Additional spaces that the Getaway Car moves from a home."""
MASTERPLAN_NAMES = 7
"""Different agents in play that the Masterplan requires."""

_COLUMNS = np.array([row[1:] for row in _MARKET], np.int8)
AGENT, TIMES, PLUS, FROM, MIN_COPIES, NEW, OPEN = (np.ascontiguousarray(_COLUMNS[:, i]) for i in range(1, 8))
BOOST = np.array([next((m for m in range(ONGOING) if AGENT[m] == agent), _) for agent in range(KINDS)], np.int8)
"""The ongoing card that changes how far each agent moves, or -1."""
assert COPIES.sum() == CARDS
