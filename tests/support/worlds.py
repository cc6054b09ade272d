"""Two worlds that a seat cannot tell apart: the same decisions are played in both, and it must see the same in both.

The worlds are made by hand, from what the rules call hidden: `determinize` is not used.
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
    """A program in one seat of a game that others play: what is written into its pipe."""

    def __init__(self, position: Position, seat: int) -> None:
        super().__init__(position.game, "sh")
        self.position, self.seat = position, seat
        self.lines: list[dict[str, Any]] = []
        self.session = one_game(position.game, {seat: self}, position.states)

    def send(self, message: dict[str, Any]) -> None:
        """Stands for that of its pipe."""
        self.lines.append(message)

    def receive(self, limit: float) -> dict[str, Any]:
        """The first legal action, which nobody plays."""
        asked = self.lines[-1]
        return {"type": "action", "id": asked["id"], "decision": asked["decision"], "action": asked["legal"][0]}

    def _pipe(self, seat: int) -> Pipe:
        return self._pipes.setdefault(seat, cast(Pipe, self))

    def before(self, text: str) -> None:
        """Hears of a decision that is about to be made, and is asked if it is its own."""
        s = self.position.s
        if s.to_move == self.seat:
            self.session.rng[:] = 1
            self.session.ask(ROW)
        self.session.apply(ROW, np.array([self.game.string_to_action(s, text, int(s.to_move))]))


def seen(position: Position, seat: int) -> tuple[Any, ...]:
    """What reaches a seat, whoever is to move: its view, mask and texts, whose decision it is, results, drawing."""
    asked = position.s.to_move == seat
    texts = [position.game.action_to_string(position.s, a, seat) for a in range(position.game.num_actions)]
    mask = position.mask.tobytes() if asked else b""
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
    """Plays random decisions that are legal in both worlds, and looks at what reaches the watcher, also by the pipe
    of a program.

    Returns:
        After how many decisions the games were over, the worlds had been told apart as the rules allow (`goes_on` of
        both mappings is false), or there was no decision that both worlds allow.
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
