"""What seats that answer in texts should be told, and what the environments of other libraries told them."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from spygames import Game, make_game
from spygames.core.game.game import as_record
from spygames.core.game.played import Played
from spygames.players import PythonPlayer
from spygames.records import GameRecord, play_record, replay
from spygames.testing.trial import determinized
from spygames.text import Turn, question, turn_of

SEATED: list[tuple[str, dict[str, Any]]] = [("agent_avenue_v0", {}), ("heimlich_v0", {"players": 3})]
"""Games that the tests of each environment play."""


def choice(told: str, legal: Sequence[str]) -> str:
    """A legal action that depends on all that is said at a decision."""
    return legal[sum(told.encode()) % len(legal)]


def legal_of(told: str) -> list[str]:
    """The legal actions that a text lists last; none if it lists none."""
    listed = told.rpartition("Your legal actions:\n")[2].splitlines() if "Your legal actions:\n" in told else []
    return [line.removeprefix("- ") for line in listed if line.startswith("- ")]


def sensible(told: str) -> str:
    """Answer a question with `choice` in the grammar."""
    return f'I think. {{"action": "{choice(told, legal_of(told))}"}}'


class Sensible:
    """The same choices as a Python player."""

    def __init__(self, game: Game, seat: int, seed: int) -> None:
        pass

    def act_text(self, turn: Turn) -> str:
        return choice(question(turn), turn.legal)


def expected(game: Game, seed: int, seat: int | None, opponents: str = "random") -> GameRecord:
    """The game of this deal in which `Sensible` plays `seat` (None: all seats) and others have the rest."""
    text = PythonPlayer(game, Sensible, "text")
    return play_record(game, [text if seat in (None, k) else opponents for k in range(game.num_players)], seed)


def own_moves(game: Game, record: GameRecord, seat: int) -> list[str]:
    """The actions of a seat in a game, in order."""
    movers = replay(record, game)["to_move"]
    return [text for text, mover in zip(record.actions, movers.tolist(), strict=False) if mover == seat]


def told_in_other_worlds(game: Game, record: GameRecord, seat: int, listed: bool = True) -> list[str]:
    """What a seat is told in a game, written from worlds that it cannot tell from the true one."""
    states, told, events = replay(record, game), [], []
    for i, text in enumerate(record.actions):
        s, mover = as_record(states, i), int(states["to_move"][i])
        if mover == seat:
            world = determinized(game, states[i : i + 1], seat, i)
            told.append(question(turn_of(game, world, events), listed))
            events = []
        events.append(game.happened(s, game.string_to_action(s, text, mover), mover, seat))
    return told


LEAKS = ["the deck", "another seat's events"]
"""Leaks that `plant` makes."""


def plant(leak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all texts of positions reveal the deck of Agent Avenue, or tell each seat what another one has seen."""
    if leak == "the deck":
        describe = Game.describe
        monkeypatch.setattr(Game, "describe", lambda self, s, seat: f"{describe(self, s, seat)} {s.deck.tolist()}")
    else:
        events = Played.events
        monkeypatch.setattr(
            Played,
            "events",
            lambda self, game, viewer, since_own=False: events(self, game, 1 - viewer, since_own),
        )


def hostile(seed: int) -> Iterator[str]:
    """Endless answers that a model may give, none of which is a legal action in the grammar."""
    draw = random.Random(seed)
    names = ["recruit up", "recruit down", "play double agent mole", "discard sidekick"]
    while True:
        one, two = draw.sample(names, 2)
        yield draw.choice([
            f"I would {one}, not {two}.",
            f"{one}.",
            f"[{one}] or [{two}]",
            f'{{"action": "{one}", "why": "{two}"}}',
            f'{{"action": ["{one}"]}}',
            f'{{"action": "{one} now"}}',
            f'{{"action": "{one}"',
            f'{{"move": "{one}"}}',
            f"```json\n{{action: {one}}}\n```",
            "-",
            "合法的なムーブ: 上を採用する",
            "[" * draw.randrange(1, 3000),
            '{"action":' * draw.randrange(1, 1000),
            "\x1b[31m" + one,
            '{"action": "\\ud83d"}',
            "9" * 5000,
            "x" * 70_000 + f'{{"action": "{one}"}}',
        ])  # fmt: skip


Playing = Callable[[Game, int, int | None, Callable[[str], str]], tuple[GameRecord, dict[int, list[str]]]]
"""(game, seed of the deal, the seat in texts or None for all, a function from what is told to an answer): plays a game,
and returns its record and what each seat was told."""


def check_same_games(play: Playing, self_play: bool, seeds: Sequence[int] = (2**64 - 1, 7)) -> None:
    """Random legal answers give the games of `random`, and other answers those of a Python player that gives them."""
    for game_id, options in SEATED:
        game = make_game(game_id, **options)
        for seed in seeds:
            if self_play:
                drawn = play_record(game, ["random"] * game.num_players, seed)
                moves = iter(drawn.actions)
                record, _ = play(game, seed, None, lambda told, moves=moves: f"[{next(moves)}]")
                assert (record.actions, record.returns) == (drawn.actions, drawn.returns)
            for seat in [None] if self_play else range(game.num_players):
                record, told = play(game, seed, seat, sensible)
                wanted = expected(game, seed, seat)
                assert record.actions == wanted.actions
                assert record.returns == wanted.returns
                assert record.to_line() == wanted.to_line()
                assert all(each == told_in_other_worlds(game, record, k) for k, each in told.items())


def check_planted_leaks(play: Playing, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison with other worlds finds leaks."""
    game = make_game("agent_avenue_v0")
    for leak in LEAKS:
        with monkeypatch.context() as patch:
            plant(leak, patch)
            record, told = play(game, 3, 1, sensible)
            assert told[1] != told_in_other_worlds(game, record, 1), leak
