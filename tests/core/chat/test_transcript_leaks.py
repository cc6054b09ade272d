"""Transcripts of language models: what a seat is told and what its answers count as, in worlds that look the same."""

import random
from itertools import islice
from typing import Any

import numpy as np
import pytest

from spygames import make_game
from spygames.core.chat.client import Completion
from spygames.core.game.game import Game, as_record
from spygames.core.playing.session import ROW, one_game
from spygames.core.records.record import GameRecord, replay
from spygames.players import LanguageModel, PlayerFailed
from spygames.text import Verdict
from tests.core.players.test_turns import VARIANTS, leaky
from tests.support.chat_server import listed
from tests.support.twins import twins

GAME = make_game("agent_avenue_v0")


class Scripted:
    """A client whose model answers with the next move of a recorded game, after answers without a legal action."""

    def __init__(self, seed: int) -> None:
        self.draw, self.move = random.Random(seed), ""

    def ask(self, messages: list[dict[str, str]], count: Any) -> Completion:
        wrong = f"Not {self.move}.", '{"action": "resign"}', f"[{self.move}] [pass]", "[" + " ".join(listed(messages))
        answer = self.draw.choice([f'{{"action": "{self.move}"}}'] * 3 + [*wrong[: 1 + self.draw.randrange(4)]])
        return Completion(answer, False, False, 1, 1, 0.0)

    def close(self) -> None:
        pass


def told(game: Game, record: GameRecord, seat: int, seed: int, mode: str) -> dict[str, Any]:
    """Play a recorded game with a model in one seat, until it fails, and return what the transcript has of the seat."""
    lines: list[dict[str, Any]] = []
    model, client = LanguageModel(game, f"m,mode={mode}"), Scripted(seed)
    model._client, model.on_game = client, lines.append  # type: ignore[assignment]
    states = replay(record, game)
    session = one_game(game, {seat: model}, states[:1])
    for place, text in enumerate(record.actions):
        mover = int(states["to_move"][place])
        if mover == seat:
            session.rng[:], client.move = 1, text
            try:
                session.ask(ROW)
            except PlayerFailed:
                break
        session.apply(ROW, np.array([game.string_to_action(as_record(states, place), text, mover)]))
    model.close()
    (line,) = lines or [{"seats": {}, "forfeit": None}]
    return {"seats": line["seats"], "forfeit": line["forfeit"]}


def compared(game: Game, pairs: int, seed: int = 1) -> tuple[int, int]:
    """Return the number of prompts that were compared in two worlds, and of transcripts that differ."""
    prompts = differ = 0
    for number, (one, two, seat) in enumerate(islice(twins(game, seed), pairs)):
        mode = ("listed", "rules", "listed-on-retry")[number % 3]
        mine, other = (told(game, record, seat, number, mode) for record in (one, two))
        differ += mine != other
        for turn in mine["seats"].get(str(seat), {"decisions": []})["decisions"]:
            prompts += len(turn["exchanges"])
            assert {each["verdict"] for each in turn["exchanges"]} <= {str(verdict) for verdict in Verdict}
    return prompts, differ


@pytest.mark.parametrize(("game_id", "options"), VARIANTS)
@pytest.mark.parametrize("pairs", [8, pytest.param(1200, marks=pytest.mark.slow)])
def test_transcripts_are_the_same_in_worlds_that_the_seat_cannot_tell_apart(
    game_id: str, options: dict[str, Any], pairs: int
) -> None:
    prompts, differ = compared(make_game(game_id, **options), pairs)
    print(f"{prompts} prompts")
    assert prompts > 1.5 * pairs
    assert differ == 0


@pytest.mark.parametrize("name", ["describe", "happened"])
def test_a_leak_in_a_transcript_is_found(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    leaky(GAME, monkeypatch, name)
    assert compared(GAME, 12)[1] > 0
