"""`spygames prompt`."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import tyro
from tyro.conf import Positional

from spygames_app.cli.arguments import (
    AnyCount,
    AnyFile,
    AnyPositive,
    AnySeed,
    GameId,
    GameOptions,
    WrongArguments,
    counted,
    game_of_record,
    read_game,
    say,
    value,
)

if TYPE_CHECKING:
    import numpy as np

    from spygames.core.game.game import Game
    from spygames.core.records.record import GameRecord

    Course = Iterator[tuple[np.ndarray, int | None]]


@dataclass(frozen=True)
class Prompt:
    """Print what a text player, such as a language model, is told at a decision.

        spygames prompt agent_avenue
        spygames prompt heimlich --option players=3 --seed 4 --after 20 --seat 1
        spygames prompt --record games.jsonl --after 12
        spygames prompt agent_avenue --after 9 --beliefs

    The text has the short rules, what has happened since the seat's last decision, the position as the seat knows it,
    the legal actions, and the grammar of an answer. The moves before it are random, or those of a recorded game. With
    --seat the first decision of that seat after --after moves is printed.
    """

    name: Positional[Annotated[str | None, value(read_game, "GAME"), tyro.conf.arg(help_behavior_hint="")]] = None
    """The game, such as agent_avenue."""
    game: GameId = None
    """The same, given as an option."""
    option: GameOptions = ()
    """An option of the game, such as players=2."""
    seed: AnySeed = None
    """Seed of the game and of the random moves. (default: 0)"""
    after: AnyCount = None
    """Number of moves before the decision. (default: 0)"""
    seat: AnyCount = None
    """The seat that decides, from 0. (default: the seat to move)"""
    record: AnyFile = None
    """A file of recorded games whose moves are made, in place of random ones."""
    number: AnyPositive = None
    """The game of --record, from 1. (default: the first)"""
    unlisted: bool = False
    """Leave the list of legal actions out."""
    beliefs: bool = False
    """Print what a player is asked about hidden things at this decision (spygames beliefs)."""

    def run(self) -> int:
        from spygames.core.game.game import NOBODY, as_record
        from spygames.core.players.inquiry import belief_briefing, belief_question, belief_turn_of
        from spygames.core.players.turns import prompt, turn_of

        game, course = self._course()
        if self.seat is not None and self.seat >= game.num_players:
            raise ValueError(f"--seat must be from 0 to {game.num_players - 1}, not {self.seat}")
        after, events = self.after or 0, {seat: [] for seat in range(game.num_players)}
        for number, (states, action) in enumerate(course):
            s = as_record(states)
            seat = int(s.to_move)
            if seat == NOBODY:
                break
            if number >= after and self.seat in (None, seat):
                if self.beliefs:
                    asked = belief_turn_of(game, states, events[seat])
                    say(f"{belief_briefing(game, seat)}\n\n{belief_question(asked)}")
                else:
                    say(prompt(turn_of(game, states, events[seat]), listed=not self.unlisted))
                return 0
            if not self.beliefs:  # which come with all that the seat has seen
                events[seat].clear()
            if action is None:
                break
            for viewer, seen in events.items():
                seen.append(game.happened(s, action, seat, viewer))
        who = "no seat" if self.seat is None else f"seat {self.seat}"
        raise ValueError(f"{who} decides after {after} moves: the game has ended before")

    def _course(self) -> "tuple[Game, Course]":
        """Return the game, and its positions, each with the action that is made there."""
        from spygames.core.game.registry import make_game
        from spygames.core.records.record import RecordError, load_games

        name = self.name or self.game
        if self.name and self.game and (ids := [make_game(each).id for each in (self.name, self.game)])[0] != ids[1]:
            raise WrongArguments(f"name one game, not {ids[0]} and {ids[1]}")
        if self.record is None:
            if self.number is not None:
                raise WrongArguments("--number works only with --record")
            if name is None:
                raise WrongArguments("name a game, as in spygames prompt agent_avenue, or a file with --record")
            game = make_game(name, **dict(self.option))
            return game, _random(game, self.seed or 0)
        if self.option:
            raise WrongArguments("--option does not go with --record, which has the options of its games")
        if self.seed is not None:
            raise WrongArguments("--seed does not go with --record, which has the moves of its games")
        games = load_games(self.record)
        if (number := self.number or 1) > len(games):
            raise ValueError(f"{self.record} has {counted(len(games), 'game')}, no --number {number}")
        found = games[number - 1]
        try:
            game = game_of_record(found, name)
        except RecordError as error:
            raise RecordError(f"{self.record}, game {number}: {error}") from error
        return game, _recorded(game, found)


def _random(game: "Game", seed: int) -> "Course":
    """Yield the positions of a game with random moves, which depend only on `seed`."""
    import numpy as np

    from spygames.core.game.game import as_record
    from spygames.core.game.rng import derived_seed, uniform

    states, mask = game.start(seed), np.zeros(game.num_actions, np.int8)
    rng = np.array([derived_seed(seed, "players")], np.uint64)
    while True:
        s = as_record(states)
        game.legal(s, mask)
        legal = np.flatnonzero(mask)
        action = int(legal[uniform(rng, len(legal))]) if len(legal) else None
        yield states, action
        if action is None:
            return
        game.apply(s, action)


def _recorded(game: "Game", found: "GameRecord") -> "Course":
    """Yield the positions of a recorded game."""
    from spygames.core.game.game import as_record
    from spygames.core.records.record import replay

    states = replay(found, game)
    for i in range(len(states)):
        s, text = as_record(states, i), found.actions[i] if i < len(found.actions) else None
        yield states[i : i + 1], None if text is None else game.string_to_action(s, text, int(s.to_move))
