"""The scripted players: what they recruit, refuse, offer and discard, and how often they win."""

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from tests.games.agent_avenue.conftest import VARIANTS
from tests.support.suites import slow_but

from spygames.agent_avenue import make_game
from spygames.agent_avenue.actions import PLAY_PAIR, RECRUIT_DOWN, RECRUIT_UP
from spygames.agent_avenue.cards import AGENTS
from spygames.core.game.game import Game, as_record
from spygames.core.players.names import Scripted
from spygames.core.players.player import bot_loop
from spygames.core.playing.batch import Batch

THINKING = ("greedy", "expert")


def decide(position: Any, bot: str) -> int:
    """The action of `bot` for the seat to move."""
    view = as_record(position.view(int(position.s.to_move)))
    return int(position.game.bots[bot](view, position.mask, np.zeros(1, np.uint64)))


def says(position: Any, bot: str) -> str:
    """The action of `bot` for the seat to move, as text."""
    return position.game.action_to_string(position.s, decide(position, bot), 0)


def halves(position: Any, action: int) -> list[float]:
    """The active seat's results (+1, -1, or 0 without an end) if the face-up or the face-down card is taken."""
    results = []
    for choice in (RECRUIT_UP, RECRUIT_DOWN):
        states, out = position.states.copy(), np.zeros(2, np.float32)
        position.game.apply(as_record(states), action)
        position.game.apply(as_record(states), choice)
        position.game.returns(as_record(states), out)
        results.append(float(out[position.s.to_move]))
    return results


def offers(position: Any) -> list[int]:
    """The legal offers."""
    return [int(a) for a in np.flatnonzero(position.mask) if PLAY_PAIR <= a < RECRUIT_UP]


@pytest.fixture(scope="module")
def mixed_play(game: Game, fresh: Callable[[int], Any]) -> Callable[[int], Iterator[Any]]:
    """Every position of games in which a randomly drawn scripted player takes each decision."""

    def positions(games: int) -> Iterator[Any]:
        rng = np.random.default_rng(7)
        for seed in range(games):
            position = fresh(seed)
            while position.s.to_move >= 0:
                yield position
                stream = rng.integers(2**63, size=1, dtype=np.uint64)
                bot = game.bots[str(rng.choice(list(game.bots)))]
                game.apply(
                    position.s, int(bot(as_record(position.view(int(position.s.to_move))), position.mask, stream))
                )

    return positions


@pytest.mark.parametrize("bot", THINKING)
@pytest.mark.parametrize(
    ("in_play", "progress", "face_up", "choice"),
    [
        ({"1": {"codebreaker": 2}}, [0, 0], "codebreaker", "recruit up"),  # three of them win
        ({"0": {"codebreaker": 2}}, [0, 0], "codebreaker", "recruit up"),  # else the other side wins with it
        ({"1": {"daredevil": 2}}, [0, 0], "daredevil", "recruit down"),  # three of them lose
        ({"0": {"daredevil": 2}}, [0, 0], "daredevil", "recruit down"),  # leaves the other side its third
        ({"1": {"double_agent": 1}}, [0, 2], "double_agent", "recruit up"),  # +6 catches
        ({"0": {"sentinel": 2}}, [3, 0], "sentinel", "recruit up"),  # else +6 catches us
    ],
)
def test_the_deciding_card_is_taken_or_refused(
    bot: str,
    in_play: dict[str, Any],
    progress: list[int],
    face_up: str,
    choice: str,
    at: Callable[..., Any],
    make_mapping: Callable[..., Any],
) -> None:
    hands = {"0": ["enforcer"] * 4, "1": ["saboteur"] * 4}
    position = at(make_mapping(hands, in_play, progress=progress, face_up=face_up, face_down="mole"))
    assert says(position, bot) == choice


@pytest.mark.parametrize("bot", THINKING)
def test_the_hidden_card_is_counted(bot: str, at: Callable[..., Any], make_mapping: Callable[..., Any]) -> None:
    """A bot compares the open card with the average of all possible hidden cards."""
    hands = {"0": [], "1": ["saboteur", "saboteur"]}
    many = at(make_mapping({"0": ["enforcer"] * 4, "1": ["saboteur"] * 4}, face_up="daredevil", face_down="saboteur"))
    one = make_mapping(hands, rest="in_play", face_up="enforcer", face_down="sidekick")
    one["in_play"] = {"0": {"mole": 1, "saboteur": 2, "enforcer": 3, "sentinel": 3}, "1": {"saboteur": 2}}
    one["in_play"]["1"] |= {"enforcer": 2, "sentinel": 3, "double_agent": 3}
    one["in_play"]["0"] |= {"double_agent": 3, "codebreaker": 2, "daredevil": 2}
    one["in_play"]["1"] |= {"codebreaker": 2, "daredevil": 2}
    one["discarded"] = {"0": [], "1": ["codebreaker", "codebreaker", "daredevil", "daredevil"]}
    one["discards_left"] = {"0": 4, "1": 0}
    assert says(many, "greedy") == "recruit up"
    assert says(at(one), bot) == "recruit down"


@pytest.mark.parametrize("bot", THINKING)
def test_an_offer_that_loses_either_way_is_the_last_resort(
    bot: str, at: Callable[..., Any], make_mapping: Callable[..., Any]
) -> None:
    hands = {"0": ["double_agent", "sentinel", "saboteur", "codebreaker"], "1": ["enforcer"] * 4}
    in_play = {"1": {"double_agent": 1, "sentinel": 2}}
    position = at(make_mapping(hands, in_play, progress=[0, 5]))
    lost = {
        position.game.action_to_string(position.s, a, 0) for a in offers(position) if halves(position, a) == [-1, -1]
    }
    assert lost == {"play double_agent sentinel", "play sentinel double_agent"}
    assert says(position, bot) not in lost


@pytest.mark.parametrize("bot", THINKING)
def test_offers_win_if_possible_and_lose_only_if_forced(bot: str, mixed_play: Callable[[int], Iterator[Any]]) -> None:
    """A bot makes an offer that wins either way if there is one; an offer that loses either way only if all do."""
    won = lost = 0
    for position in mixed_play(100):
        pairs = {action: halves(position, action) for action in offers(position)}
        if not pairs:
            continue
        action = decide(position, bot)
        if any(pair == [1, 1] for pair in pairs.values()):
            assert pairs.get(action) == [1, 1]
            won += 1
        if any(pair == [-1, -1] for pair in pairs.values()) and action in pairs:
            assert pairs[action] != [-1, -1] or all(pair == [-1, -1] for pair in pairs.values())
            lost += 1
    assert min(won, lost) > 8


def test_greedy_discards_only_where_every_offer_may_lose(mixed_play: Callable[[int], Iterator[Any]]) -> None:
    discards = 0
    for position in mixed_play(250):
        if pairs := offers(position):
            action = decide(position, "greedy")
            unsafe = all(-1 in halves(position, pair) for pair in pairs)
            may_discard = bool(position.mask[:PLAY_PAIR].any())
            assert (action < PLAY_PAIR) == (unsafe and may_discard)
            discards += action < PLAY_PAIR
    assert discards > 10


def test_expert_discards_cards_that_only_help_the_opponent(
    at: Callable[..., Any], make_mapping: Callable[..., Any]
) -> None:
    """With only codebreakers in hand and two in play for the opponent, every offer loses, so discarding is better."""
    hands = {"0": ["codebreaker"] * 4, "1": ["enforcer"] * 4}
    position = at(make_mapping(hands, {"1": {"codebreaker": 2}}))
    assert says(position, "expert") == "discard codebreaker"


def test_choices_are_legal_and_depend_on_the_view_only(game: Game, mixed_play: Callable[[int], Iterator[Any]]) -> None:
    """Bots change neither view nor mask. All except random ignore the rng and anything hidden from the seat."""
    for number, position in enumerate(mixed_play(60)):
        seat = int(position.s.to_move)
        determinized = position.states.copy()
        game.determinize(as_record(determinized), seat, np.uint64(number))
        other_view = game.new_views()
        game.observe(as_record(determinized), seat, as_record(other_view))
        for name, bot in game.bots.items():
            view, mask, stream = position.view(seat), position.mask, np.array([number], np.uint64)
            action = bot(as_record(view), mask, stream)
            assert position.mask[action] == 1
            assert view.tobytes() == position.view(seat).tobytes()
            assert mask.tobytes() == position.mask.tobytes()
            if name in THINKING:
                assert stream.tolist() == [number]
                assert bot(as_record(other_view), mask, np.array([number + 1], np.uint64)) == action


_INTERPRETED = """
import numpy as np
from spygames.agent_avenue import make_game
from spygames.core.game.game import as_record
game, rng = make_game(), np.random.default_rng(3)
actions, mask, views = [], np.zeros(game.num_actions, np.int8), game.new_views()
for seed in range({games}):
    s = as_record(states := game.start(seed))
    while s.to_move >= 0:
        game.legal(s, mask)
        game.observe(s, int(s.to_move), as_record(views))
        for bot in game.bots.values():
            actions.append(int(bot(as_record(views), mask, np.array([seed], np.uint64))))
        game.apply(s, int(rng.choice(np.flatnonzero(mask))))
print(*actions)
"""


def test_compiled_and_interpreted_players_agree() -> None:
    program, compiled = _INTERPRETED.format(games=2), io.StringIO()
    with contextlib.redirect_stdout(compiled):
        exec(program, {})
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout == compiled.getvalue()
    assert len(run.stdout.split()) > 50


def share(a: str, b: str, games: int) -> float:
    """The fraction of games that `a` wins against `b`, over the first two games of each row, seats balanced."""
    game = make_game()
    rows = games // 2
    batch, left = Batch(game, rows, seed=1, threads=1), np.full(rows, 2)
    streams = np.arange(rows, dtype=np.uint64)[:, None].copy()
    seat, won = np.arange(rows) % 2, 0
    while left.any():
        actions = np.zeros(rows, np.int64)
        for player, mine in ((a, batch.seats == seat), (b, batch.seats != seat)):
            chosen = np.flatnonzero(mine)
            asked = batch.decisions(streams, chosen)
            actions[chosen] = Scripted(game, player).act(asked)
        batch.step(actions)
        counted = batch.done & (left > 0)
        won += int((batch.rewards[np.arange(rows), seat] > 0)[counted].sum())
        left[counted] -= 1
    return won / games


@pytest.mark.parametrize(
    ("a", "b", "least"), [("greedy", "random", 0.83), ("expert", "random", 0.92), ("expert", "greedy", 0.85)]
)
def test_strength(a: str, b: str, least: float) -> None:
    """The thresholds are well below the results of 10,000 games, so 2,000 games with this seed pass reliably."""
    assert share(a, b, 2000) >= least


# ---------------------------------------------------------------- the Black Market and teams


def share_of_sides(game: Game, one: str, other: str, games: int = 600) -> float:
    """The fraction of games that a side of `one` wins against a side of `other`, sides balanced."""
    sides = np.array([0, 1] if game.num_players == 2 else [0, 0, 1, 1][: game.num_players])
    won = played = 0
    for first in (0, 1):
        batch = Batch(game, games // 2, seed=5, threads=1)
        streams = np.random.default_rng(1).integers(2**64, size=(batch.n, 1), dtype=np.uint64)
        actions, going = np.zeros(batch.n, np.int64), np.ones(batch.n, bool)
        while going.any():
            movers = sides[batch.seats]
            for side, name in ((first, one), (1 - first, other)):
                rows = np.flatnonzero(movers == side)
                bot_loop(game, name)(batch.views, batch.mask, streams, rows, actions, 0, len(rows))
            batch.step(actions)
            over = batch.done & going
            won += int((batch.rewards[over][:, np.flatnonzero(sides == first)[0]] > 0).sum())
            played += int(over.sum())
            going &= ~batch.done
    return won / played


@pytest.mark.parametrize("options", slow_but(VARIANTS, 4), ids=str)
def test_expert_beats_greedy_and_random_and_greedy_beats_random(options: dict[str, Any]) -> None:
    game = make_game(**options)
    assert share_of_sides(game, "expert", "random") > 0.84
    assert share_of_sides(game, "expert", "greedy") > 0.56
    assert share_of_sides(game, "greedy", "random") > 0.75


@pytest.mark.parametrize("bot", ["greedy", "expert"])
def test_scripted_players_win_at_once_and_depend_on_the_view_only(bot: str) -> None:
    """They take a third Codebreaker and leave a third Daredevil; anything hidden from the seat changes nothing."""
    for options in VARIANTS:
        game, rng = make_game(**options), np.random.default_rng(1)
        mask, views, again = np.zeros(game.num_actions, np.int8), game.new_views(), game.new_views()
        for seed in range(4):
            states = game.start(seed)
            s = as_record(states)
            while s.to_move >= 0:
                seat = int(s.to_move)
                game.legal(s, mask)
                game.observe(s, seat, as_record(views))
                before = views.tobytes(), mask.tobytes()
                action = int(game.bots[bot](as_record(views), mask, np.zeros(1, np.uint64)))
                assert mask[action]
                assert (views.tobytes(), mask.tobytes()) == before
                determinized = states.copy()
                game.determinize(as_record(determinized), seat, np.uint64(seed))
                game.observe(as_record(determinized), seat, as_record(again))
                assert int(game.bots[bot](as_record(again), mask, np.ones(1, np.uint64))) == action
                if s.phase == 1:
                    side = seat if game.num_players == 2 else seat >> 1
                    up = AGENTS[s.face_up]
                    if up == "codebreaker" and s.in_play[side, s.face_up] == 2:
                        assert game.action_to_string(s, action, seat) == "recruit up"
                game.apply(s, int(rng.choice(np.flatnonzero(mask))))
