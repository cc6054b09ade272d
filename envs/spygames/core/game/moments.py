"""Moments of a game: states with the way to them, and what each seat has seen on this way."""

from typing import Any, Self

import numpy as np

from spygames.core.game.game import Game, as_record
from spygames.core.game.seen import first_digest, next_digest

__all__ = ["Moment"]


class Moment:
    """A state of a game and the way to it. It never changes, so copies share it.

    Args:
        raw: the bytes of the STATE.
        before: the moment before the last action; None: the game begins here.
        action: this action; -1 if the game begins here.
    """

    __slots__ = ("action", "before", "digests", "raw")

    def __init__(self, raw: bytes, before: "Moment | None" = None, action: int = -1):
        self.raw, self.before, self.action = raw, before, action
        self.digests: dict[int, bytes] = {}
        """What each seat has seen up to here, for the seats that were asked for."""

    def digest(self, game: Game, seat: int) -> bytes:
        """Return a digest of everything that a seat has seen and done up to here, in order.

        It is equal in two moments if and only if the seat cannot distinguish the ways to them: its views and mappings
        (`Game.seen_to_dict`) after each decision, who decided, what it saw of the action (`Game.seen_action`), and its
        own actions.
        """
        moment, later = self, list[Moment]()
        while seat not in moment.digests and moment.before is not None:
            later.append(moment)
            moment = moment.before
        if seat not in moment.digests:
            moment.digests[seat] = first_digest(seat, *moment._known(game, seat))
        digest = moment.digests[seat]
        for each in reversed(later):
            assert each.before is not None
            s = as_record(np.frombuffer(each.before.raw, game.state_dtype))
            mover = int(s.to_move)
            seen, own = game.seen_action(s, each.action, mover, seat), each.action if mover == seat else None
            digest = each.digests[seat] = next_digest(digest, *each._known(game, seat), mover, seen, own)
        return digest

    def _known(self, game: Game, seat: int) -> tuple[bytes, dict[str, Any]]:
        """Return what a seat may know now: the bytes of its view, and its mapping."""
        s, views = as_record(np.frombuffer(bytearray(self.raw), game.state_dtype)), game.new_views()
        game.observe(s, np.int64(seat), as_record(views))  # type: ignore[arg-type]
        return views.tobytes(), game.seen_to_dict(s, seat)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the whole way as one list. Moments within moments would be too deep."""
        way: list[Moment] = [self]
        while way[-1].before is not None:
            way.append(way[-1].before)
        return _on_the_way, ([(each.raw, each.action) for each in reversed(way)], way[-1].digests)


def _on_the_way(way: list[tuple[bytes, int]], digests: dict[int, bytes]) -> Moment:
    """Make a moment from the states and actions on the way to it, and the digests of its beginning."""
    moment = Moment(way[0][0])
    moment.digests = digests
    for raw, action in way[1:]:
        moment = Moment(raw, moment, action)
    return moment
