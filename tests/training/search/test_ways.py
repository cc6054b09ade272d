"""Weighted worlds are calibrated: the search's probabilities are correct on average (`Game.ways`).

All seats choose a legal card name with equal probability, and the search knows that. Its weights then give the
distribution of what is hidden. So in every position, a fact is on average as often true in play as in the weighted
worlds.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from spygames import make_game
from spygames.agent_avenue.queries import face_down_seat
from spygames.agent_dog.layout import EXCHANGE
from spygames.agent_dog.queries import taker
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.players.history import Noted
from spygames.heimlich.actions import ACT_CARD, ACT_PASS
from spygames.heimlich.cards import KINDS as HEIMLICH_KINDS
from spygames.heimlich.layout import NONE, ROUND
from spygames.heimlich.rules.top_secret import playable
from spygames_training.search import belief
from spygames_training.search.array_kernels import log_told
from spygames_training.search.belief import believe
from spygames_training.search.draws import Sampled
from spygames_training.search.models import Rival
from tests.support.calibration import ENOUGH, Found, Luck, check, one_hot

ADVANCED: tuple[str, dict[str, Any]] = ("agent_avenue_v0", {"mode": "advanced"})
DOG: tuple[str, dict[str, Any]] = ("agent_dog_v0", {"players": 2})
FULL = {"top_secret": True, "secret_identities": True}
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ADVANCED,
    DOG,
    ("heimlich_v0", {"players": 2, "top_secret": True}),
    ("agent_avenue_v0", {}),
    ("agent_avenue_v0", {"players": 3, "mode": "advanced"}),
    ("agent_avenue_v0", {"players": 4, "mode": "advanced"}),
    ("agent_dog_v0", {"players": 4}),
    ("heimlich_v0", {"players": 4} | FULL),
]
MANY = {"agent_avenue_v0": 600, "agent_dog_v0": 300, "heimlich_v0": 2_000}
"""Games that make errors visible. Few hands of Heimlich & Co. hold two cards of a kind."""
OF_COPIES = {
    "agent_avenue_v0": ("more of what lies down", "more of the open name", "of names in play"),
    "agent_dog_v0": ("of kinds that left the hand", "pairs in hands"),
    "heimlich_v0": ("of kinds that the seat played", "pairs in hands"),
}
"""Facts about cards of one name, of which one may have left the hand."""
NOT_RARE = 20
"""Facts that are expected to be true less often are not tested: their standard error is unreliable."""
WORLDS = 256
"""With this number of worlds, the error of a weighted mean is far below that of the mean over the games."""


class Names:
    """A model that chooses each legal name with equal probability.

    In a card round of Heimlich & Co. it passes a quarter of the time, so that passing reveals nothing about the hand,
    as in `rewind`.
    """

    def __init__(self, game: Game) -> None:
        self._passes = game.name == "heimlich"

    def ask(self, views: np.ndarray, mask: np.ndarray, rng: np.ndarray, values: bool = True) -> tuple[np.ndarray, None]:
        """Return zeros, except for a pass."""
        logits = np.zeros(mask.shape)
        if self._passes:
            logits[:, ACT_PASS] = np.log(np.maximum(mask[:, ACT_CARD:ACT_PASS].sum(axis=1), 1) / 3)
        return logits, None


def decide(game: Game, states: np.ndarray, legal: np.ndarray, luck: Luck) -> int:
    """Decide like `Names`. If any kind of card of Heimlich & Co. is not playable, all pass."""
    s = as_record(states)
    if game.name == "heimlich" and s.phase == ROUND:
        cards = legal[(legal >= ACT_CARD) & (legal < ACT_PASS)]
        if luck.below(4) == 0 or not len(cards) or not all(playable(s, kind) for kind in range(HEIMLICH_KINDS)):
            return ACT_PASS
        legal = cards
    return int(legal[luck.below(len(legal))])


def positions(game: Game, luck: Luck, every: int, most: int) -> Iterator[tuple[np.ndarray, Noted]]:
    """Yield every `every`-th decision of a game, up to `most`: the state, STATE [1], and the earlier decisions."""
    states, mask = game.start(int(luck.seed())), np.zeros(game.num_actions, np.int8)
    s, past, actions = as_record(states), list[np.ndarray](), list[int]()
    skip, made = luck.below(every), 0
    while s.to_move != NOBODY and made < most:
        game.legal(s, mask)
        legal = np.flatnonzero(mask)
        if past and (made + skip) % every == 0:
            yield states.copy(), Noted(np.concatenate(past), np.array(actions))
        action = decide(game, states, legal, luck)
        if game.name != "heimlich" or (
            s.phase == ROUND and action != ACT_PASS
        ):  # other actions reveal nothing about hands
            past.append(states.copy())
            actions.append(action)
        game.apply(s, action)
        made += 1


def facts(game: Game, states: np.ndarray, viewer: int, noted: Noted) -> dict[str, np.ndarray]:
    """Return numbers that the viewer cannot know, each float64 [k], for STATE [k]; the first state is true."""
    here = as_record(states)
    others = [(viewer + i) % game.num_players for i in range(1, game.num_players)]
    hands = states["hands"][:, others].astype(np.int64)
    found = {
        "names in hands": (hands > 0).sum(axis=(1, 2)),
        "pairs in hands": (hands * (hands - 1) // 2).sum(axis=(1, 2)),
    }
    found |= {f"hands: {name}": hands[:, :, name].sum(axis=1) for name in range(hands.shape[2])}
    if game.name == "agent_avenue":
        found |= of_agents(states, viewer, others)
    elif game.name == "agent_dog":
        found["of kinds that left the hand"] = (hands * (states["lost"][:, others] > 0)).sum(axis=(1, 2))
        for i, other in enumerate(others):
            hidden = here.phase == EXCHANGE or taker(here, other) != viewer
            passed = one_hot(states["passed"][:, other], hands.shape[2]) * (hidden and not here.redrawn)
            found |= {f"passed by {i + 1}: {name}": passed[:, name] for name in range(hands.shape[2])}
    else:
        held = np.zeros(len(states), np.int64)
        for i, other in enumerate(others):
            played = np.isin(np.arange(hands.shape[2]), noted.actions[noted.states["to_move"] == other] - ACT_CARD)
            held += (hands[:, i] * played).sum(axis=1)
        found["of kinds that the seat played"] = held
        found |= {f"agent of {i + 1}": states["passports"][:, other] for i, other in enumerate(others)}
    return {name: each.astype(np.float64) for name, each in found.items()}


def of_agents(states: np.ndarray, viewer: int, others: list[int]) -> dict[str, np.ndarray]:
    """Return the hidden facts about offers, discards and cards in play of Agent Avenue."""
    here, rows, hands = as_record(states), np.arange(len(states)), states["hands"].astype(np.int64)
    discards = states["discarded"][:, others].sum(axis=1, dtype=np.int64)
    found = {f"discards: {name}": discards[:, name] for name in range(hands.shape[2])}
    in_play = states["in_play"].sum(axis=1) > 0
    found["of names in play"] = (hands[:, others].sum(axis=1) * in_play).sum(axis=1)
    seen = states["seen"][:, others] > 0
    found["of seen names"] = (hands[:, others] * seen).sum(axis=(1, 2))
    offerer = int(face_down_seat(here))
    if offerer not in (NONE, viewer):
        down, up = states["face_down"].astype(np.int64), int(here.face_up)
        found |= {
            "a seen name lies down": states["seen"][rows, offerer, down] > 0,
            "the open name lies down": down == up,
            "more of what lies down": hands[rows, offerer, down],
            "more of the open name": hands[rows, offerer, up],
        }
        found |= {f"face down: {name}": down == name for name in range(hands.shape[2])}
    return found


def calibration(variant: tuple[str, dict[str, Any]], number: int, seed: int) -> dict[str, Found]:
    """Return each fact's statistics over `number` games."""
    game, luck = make_game(variant[0], **variant[1]), Luck(seed)
    every, most = {"agent_avenue": (3, 200), "agent_dog": (5, 60), "heimlich": (9, 200)}[game.name]
    rivals = [Rival("names", Names(game), 0.0)]
    sums: dict[str, np.ndarray] = {}  # true, believed, difference, its square, games in doubt
    for _ in range(number):
        of_game: dict[str, np.ndarray] = {}
        for states, noted in positions(game, luck, every, most):
            viewer = int(states["to_move"][0])
            draws = Sampled(game, luck.seed())
            found = believe(game, states, noted, rivals[0].model, rivals, draws, WORLDS, 10**6)
            for name, each in facts(game, np.concatenate([states, found.worlds]), viewer, noted).items():
                believed = float(found.weights[0] @ each[1:])
                of_game[name] = of_game.get(name, np.zeros(2)) + np.array([each[0], believed])
        for name, (true, believed) in of_game.items():
            off = true - believed
            row = np.array([true, believed, off, off**2, abs(off) > 1e-9])
            sums[name] = sums.get(name, np.zeros(5)) + row
    return {
        name: Found(int(true), believed, int(games), off / max(squares, 1e-12) ** 0.5)
        for name, (true, believed, off, squares, games) in sums.items()
    }


def judged(variant: tuple[str, dict[str, Any]], number: int, seed: int) -> dict[str, Found]:
    """Return the facts that are frequent enough to test."""
    found = calibration(variant, number, seed)
    return {name: each for name, each in found.items() if each.drawn >= NOT_RARE and each.games >= ENOUGH}


def check_all(variant: tuple[str, dict[str, Any]], number: int, seed: int) -> None:
    """Check that no fact is off, and that facts about copies were in doubt."""
    found = judged(variant, number, seed)
    check(found)
    assert set(OF_COPIES[variant[0]]) <= set(found)


def counted_once(
    logits: np.ndarray, mask: np.ndarray, place: np.ndarray, told: np.ndarray, counted: np.ndarray, *rest: Any
) -> None:
    """`log_told`, as if each action could be made in only one way."""
    log_told(logits, mask, place, told, np.ones_like(counted), *rest)


@pytest.mark.parametrize(("variant", "number"), [(ADVANCED, 120), (DOG, 50)], ids=str)
def test_beliefs_are_calibrated(variant: tuple[str, dict[str, Any]], number: int) -> None:
    check_all(variant, number, 1)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_beliefs_are_calibrated_in_many_games_of_each_variant(variant: tuple[str, dict[str, Any]]) -> None:
    check_all(variant, MANY[variant[0]], 2)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS[:3], ids=str)
def test_counting_copies_twice_is_detected(
    variant: tuple[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hand would then too often have cards that its seat has also played (`test_ways_exact` tests this, too)."""
    monkeypatch.setattr(belief, "log_told", counted_once)
    with pytest.raises(AssertionError):
        check(judged(variant, MANY[variant[0]], 2))
