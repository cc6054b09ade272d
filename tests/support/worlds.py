"""Two worlds that a seat cannot tell apart: the same decisions are played in both, and the seat must see the same.

The worlds are made by hand, from what the rules call hidden, without `determinize`.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np

from spygames.core.game.game import NOBODY
from spygames.core.players.json_lines import Pipe
from spygames.core.players.program import CommandPlayer
from spygames.core.playing.session import ROW, one_game
from tests.support.position import Position


class Listener(CommandPlayer):
    """A program in one seat of a game that others play, which wants texts; keeps the lines written into its pipe."""

    def __init__(self, position: Position, seat: int) -> None:
        super().__init__(position.game, "sh")
        self.position, self.seat = position, seat
        self._wants_text[seat] = True
        self.lines: list[dict[str, Any]] = []
        self.session = one_game(position.game, {seat: self}, position.states)

    def send(self, message: dict[str, Any]) -> None:
        """Keep a message instead of sending it."""
        self.lines.append(message)

    def receive(self, limit: float) -> dict[str, Any]:
        """Answer with the first legal action, which is never played."""
        asked = self.lines[-1]
        return {"type": "action", "id": asked["id"], "decision": asked["decision"], "action": asked["legal"][0]}

    def _pipe(self, seat: int) -> Pipe:
        return self._pipes.setdefault(seat, cast(Pipe, self))

    def before(self, text: str) -> None:
        """Receive a decision that is about to be made, and be asked first if the decision is its own."""
        s = self.position.s
        if s.to_move == self.seat:
            self.session.rng[:] = 1
            self.session.ask(ROW)
        self.session.apply(ROW, np.array([self.game.string_to_action(s, text, int(s.to_move))]))


def seen(position: Position, seat: int) -> tuple[Any, ...]:
    """Return what reaches a seat: view, mask and texts, the seat to move, results, drawing."""
    decides = position.s.to_move == seat
    texts = [position.game.action_to_string(position.s, a, seat) for a in range(position.game.num_actions)]
    mask = position.mask.tobytes() if decides else b""
    return (
        position.view(seat).tobytes(),
        mask,
        texts,
        int(position.s.to_move),
        position.returns(),
        position.drawing(seat),
    )


def play_both(
    one: Position,
    two: Position,
    watcher: int,
    rng: np.random.Generator,
    goes_on: Callable[[Mapping[str, Any], Mapping[str, Any]], bool],
) -> int:
    """Play random decisions that are legal in both worlds, and compare what reaches the watcher, also by a program's
    pipe.

    Returns:
        The number of decisions until the games were over, the worlds could be told apart as the rules allow (`goes_on`
        of both mappings is false), or no decision was legal in both worlds.
    """
    decisions, pipes = 0, [Listener(world, watcher) for world in (one, two)]
    while goes_on(one.mapping, two.mapping):
        assert seen(one, watcher) == seen(two, watcher)
        mover = int(one.s.to_move)
        if mover == NOBODY:
            break
        both = sorted(one.legal & two.legal)
        assert mover != watcher or one.legal == two.legal
        if not both:
            break
        text = str(rng.choice(both))
        for pipe in pipes:
            pipe.before(text)
        assert pipes[0].lines == pipes[1].lines
        one.act(text)
        two.act(text)
        decisions += 1
    return decisions
