"""What a seat has seen: digests are equal exactly if the seat cannot distinguish the histories, and histories reveal
nothing."""

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from spygames.core.compiling.kernel import Record
from spygames.core.game.game import Game, as_record
from spygames.core.game.moments import Moment
from spygames.testing.trial import mask_of
from tests.poker import kuhn, leduc
from tests.support import pennies
from tests.support.changed import changed
from tests.support.games import VARIANTS
from tests.support.two_worlds import known, pairs

KUHN, LEDUC = kuhn.make_game(), leduc.make_game()
PENNIES = changed(pennies.make_game(), to_text=lambda game, s, viewer: "")
QUICK = [variant for variant in VARIANTS if variant.quick and not variant.game_id.startswith("tests.")]

Truth = Callable[[dict[str, Any], list[int], int], Any]


def moments(game: Game, begin: Moment, actions: tuple[int, ...] = ()) -> Iterator[tuple[Moment, tuple[int, ...]]]:
    """Yield every moment that follows a moment, itself included, with the actions up to it."""
    yield begin, actions
    s = as_record(np.frombuffer(begin.raw, game.state_dtype))
    for action in np.flatnonzero(mask_of(game, s)).tolist():
        after = np.frombuffer(bytearray(begin.raw), game.state_dtype)
        game.apply(as_record(after), action)
        yield from moments(game, Moment(after.tobytes(), begin, action), (*actions, action))


def dealt(game: Game, deals: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], Moment]]:
    """Yield each deal with the moment at which its game begins."""
    for deal in deals:
        states = game.new_states()
        game.state_from_dict(deal, as_record(states))
        yield deal, Moment(states.tobytes())


def mistakes(game: Game, begins: list[tuple[dict[str, Any], Moment]], seen: Truth) -> tuple[int, int, int]:
    """Compare digests with an independent statement of what a seat has seen, in all histories of a game.

    Returns:
        The number of information states; of digests that stand for more than one of them; and of information states
        that have more than one digest.
    """
    of_digest: dict[bytes, set[Any]] = {}
    of_known: dict[Any, set[bytes]] = {}
    for deal, begin in begins:
        for moment, actions in moments(game, begin):
            for seat in range(game.num_players):
                digest, truth = moment.digest(game, seat), (seat, seen(deal, list(actions), seat))
                of_digest.setdefault(digest, set()).add(truth)
                of_known.setdefault(truth, set()).add(digest)
    coarse = sum(len(each) > 1 for each in of_digest.values())
    fine = sum(len(each) > 1 for each in of_known.values())
    return len(of_known), coarse, fine


def seen_in_kuhn(deal: dict[str, Any], actions: list[int], seat: int) -> Any:
    """Return what the rules of Kuhn poker show: the own card, all actions, and both cards at a showdown."""
    shown = actions in ([0, 0], [1, 1], [0, 1, 1])
    return deal["cards"][seat], tuple(actions), shown and deal["cards"][1 - seat]


def seen_in_leduc(deal: dict[str, Any], actions: list[int], seat: int) -> Any:
    """Return what the rules of Leduc poker show: also the public card, once the first round is over."""
    rounds, calls, this = 0, 0, 0
    for action in actions:
        this += 1
        calls = calls + 1 if action == leduc.CALL else 0
        if action == leduc.CALL and this > 1:  # a call ends a round, except for the first check
            rounds, this = rounds + 1, 0
    shown = rounds == 2
    return deal["cards"][seat], tuple(actions), rounds > 0 and deal["public"], shown and deal["cards"][1 - seat]


def seen_in_pennies(deal: dict[str, Any], actions: list[int], seat: int) -> Any:
    """Return what the rules show: seat 2 sees neither the coin nor the guess, seat 0 not the coin."""
    shown: list[int | None] = [*actions]
    if len(actions) > 1 and seat != 1:
        shown[1] = None
    if len(actions) > 2 and seat == 2:
        shown[2] = None
    if len(actions) > 3 and seat != 2:
        shown[3] = None  # nobody but seat 2 sees what it gave
    return tuple(shown)


def kuhn_deals(game: Game = KUHN) -> list[tuple[dict[str, Any], Moment]]:
    return [*dealt(game, kuhn.deals())]


def test_digests_are_exact_in_kuhn_poker() -> None:
    """Each seat has 3 cards and 9 histories, of which 3 end in a showdown against one of 2 cards."""
    assert mistakes(KUHN, kuhn_deals(), seen_in_kuhn) == (2 * 3 * (9 + 3), 0, 0)


def test_digests_are_exact_in_leduc_poker() -> None:
    deals = [deal for deal in leduc.deals() if {*deal["cards"], deal["public"]} <= {"Js", "Jh", "Ks"}]
    states, coarse, fine = mistakes(LEDUC, [*dealt(LEDUC, deals)], seen_in_leduc)
    assert states > 500
    assert (coarse, fine) == (0, 0)


def test_digests_are_exact_where_actions_are_hidden() -> None:
    """In a game of three seats: whether and when a seat acts is seen, but not always how."""
    begin = PENNIES.start(0).tobytes()
    states, coarse, fine = mistakes(PENNIES, [({}, Moment(begin))], seen_in_pennies)
    assert states > 20
    assert (coarse, fine) == (0, 0)


def blind(s: Record, seat: int, view: Record) -> None:
    """Show the seat its own card and none of the moves."""
    kuhn.observe(s, seat, view)
    view.moves[:] = 0


def card_only(game: Game, s: Record, viewer: int) -> dict[str, Any]:
    """Return the own card, and both cards at a showdown."""
    shown = kuhn.showdown(s)
    return {"cards": [kuhn.CARDS[s.cards[seat]] if shown or seat == viewer else "?" for seat in range(2)]}


def move_by_name(game: Game, s: Record, action: int, seat: int, viewer: int) -> str:
    return f"player_{seat}: {kuhn.ACTIONS[action]}"


def test_digests_remember_what_a_view_forgets() -> None:
    """A game whose views and mappings show no moves has the same information states, if the texts of moves do."""
    game = changed(KUHN, observe=blind, seen_to_dict=card_only, seen_action=move_by_name)
    assert mistakes(game, kuhn_deals(game), seen_in_kuhn) == (72, 0, 0)


def test_enumeration_finds_planted_faults() -> None:
    """Information states that know too little or too much are found."""
    game = changed(KUHN, observe=blind, seen_to_dict=card_only)  # others "have moved"
    _, coarse, fine = mistakes(game, kuhn_deals(game), seen_in_kuhn)
    assert coarse > 0
    assert fine == 0

    def tells(game: Game, s: Record, action: int, seat: int, viewer: int) -> str:
        return f"player_{seat} moves with {kuhn.CARDS[s.cards[seat]]}"

    game = changed(KUHN, seen_action=tells)
    _, coarse, fine = mistakes(game, kuhn_deals(game), seen_in_kuhn)
    assert coarse == 0
    assert fine > 0


# ---------------------------------------------------------------- two worlds


def compare(game: Game, games: int = 24, steps: int = 8) -> tuple[int, int, list[str]]:
    """Return the numbers of equal and of distinguishable pairs, and what is wrong with them."""
    equal, different, wrong = 0, 0, []
    for seat, one, other, ways in pairs(game, games, steps):
        agent = f"player_{seat}"
        digests = [way.digest(game, seat) for way in ways]
        if known(game, one.state(), seat) == known(game, other.state(), seat):
            equal += 1
            wrong += ["history"] * (one.history(agent) != other.history(agent)) + ["digest"] * (len({*digests}) > 1)
        else:
            different += 1
            wrong += ["same digest"] * (len({*digests}) == 1)
    return equal, different, wrong


@pytest.mark.parametrize("variant", QUICK, ids=str)
def test_worlds_that_a_seat_cannot_distinguish_have_equal_histories_and_digests(variant: Any) -> None:
    equal, different, wrong = compare(variant.make_game())
    assert not wrong
    assert equal > 40
    assert different > 0


def test_histories_that_tell_are_found() -> None:
    def tells(game: Game, s: Record, action: int, seat: int, viewer: int) -> str:
        return f"player_{seat} acts, and the deck is {s.deck.tolist()}"

    game = changed(QUICK[0].make_game(), seen_action=tells)
    assert {*compare(game, games=4)[2]} == {"history", "digest"}


def test_digests_differ_once_a_seat_knows_more() -> None:
    """Two histories with equal present views have different digests if the seat saw different moves."""
    game = changed(KUHN, observe=blind, seen_to_dict=card_only, seen_action=move_by_name)
    begin = kuhn_deals(game)[0][1]
    found = {moment.digest(game, 0) for moment, actions in moments(game, begin) if len(actions) == 1}
    assert len(found) == 2


def test_moments_are_shared_and_pickled_with_their_way() -> None:
    game, states = QUICK[0].make_game(), QUICK[0].make_game().start(1)
    moment = Moment(states.tobytes())
    for _ in range(3000):  # deeper than Python's limit of recursion; only the way matters here
        moment = Moment(states.tobytes(), moment, 0)
    assert copy.deepcopy(moment) is moment
    again = pickle.loads(pickle.dumps(moment))
    depth = 0
    while again.before is not None:
        again, depth = again.before, depth + 1
    assert depth == 3000
    redrawn = Moment(states.tobytes())
    redrawn.digests[1] = b"what seat 1 has seen"
    assert pickle.loads(pickle.dumps(redrawn)).digest(game, 1) == b"what seat 1 has seen"
