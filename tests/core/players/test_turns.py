"""Decisions as texts: prompts, players that read them, programs that ask for them, and no leak in any of them."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import tests.poker.kuhn as kuhn
from spygames import make_game
from spygames.core.compiling.kernel import Record
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.game.seen import Event
from spygames.core.players.player import PlayerFailed
from spygames.core.players.program import CommandPlayer
from spygames.core.players.python_function import PythonPlayer
from spygames.core.records.record import GameRecord, play_record, replay
from spygames.testing import ContractError, check_game
from spygames.testing.hidden import differences
from spygames.testing.trial import determinized, mask_of, play, uniform_choice
from spygames.text import Turn, briefing, parse, prompt, question, rules, turn_of, unknowns
from tests.core.players.test_program import bot
from tests.games.agent_avenue.test_leaks import nothing_shown, other_world
from tests.support.position import Position, position_of
from tests.support.worlds import play_both

GAME = make_game("agent_avenue_v0")
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("agent_avenue_v0", {}),
    ("agent_avenue_v0", {"mode": "advanced", "players": 4}),
    ("heimlich_v0", {"players": 4, "top_secret": True, "secret_identities": True}),
    ("agent_dog_v0", {"max_turns": 60}),
]


class Reader:
    """A text player: the legal action whose text comes last in the alphabet, in other letters, at the end of prose."""

    turns: ClassVar[list[Turn]] = []

    def __init__(self, game: Game, seat: int, seed: int) -> None:
        self.seat, self.result = seat, None

    def act_text(self, turn: Turn) -> str:
        assert turn.seat == self.seat
        self.turns.append(turn)
        return f'So many moves! {{"action": "{max(turn.legal).replace("_", " ").upper()}"}}'


class Bare(Reader):
    def act_text(self, turn: Turn) -> str:
        return f" {max(turn.legal).replace('_', '  ')}\n"


class Talks(Reader):
    def act_text(self, turn: Turn) -> str:
        return f"I think that I {turn.legal[0]}."


class Silent(Reader):
    def act_text(self, turn: Turn) -> Any:
        return None


def turns_of(game: Game, record: GameRecord, seat: int) -> list[Turn]:
    """Return what a seat is told at each of its decisions in a recorded game."""
    states, turns, events = replay(record), [], []
    for i, text in enumerate(record.actions):
        s, mover = as_record(states, i), int(states["to_move"][i])
        if mover == seat:
            turns.append(turn_of(game, states[i : i + 1], events))
            events = []
        events.append(game.happened(s, game.string_to_action(s, text, mover), mover, seat))
    return turns


def test_a_class_decides_by_text() -> None:
    Reader.turns.clear()
    record = play_record(GAME, [PythonPlayer(GAME, Reader, "reader"), "random"], seed=3)
    assert Reader.turns == turns_of(GAME, record, 0)
    chosen = [text for text, s in zip(record.actions, replay(record), strict=False) if s["to_move"] == 0]
    assert chosen == [max(turn.legal) for turn in Reader.turns]
    assert any("and move +" in event for turn in Reader.turns for event in turn.events)
    assert record == play_record(GAME, [PythonPlayer(GAME, Bare, "reader"), "random"], seed=3)


@pytest.mark.parametrize(
    ("player", "what"),
    [
        (Talks, r"answered no legal action: 'I think that I discard \w+.' \(unparseable\); legal are discard"),
        (Silent, "act_text must return a text, not None"),
    ],
)
def test_an_answer_without_an_action_loses_the_game(player: type, what: str) -> None:
    with pytest.raises(PlayerFailed, match=what):
        play_record(GAME, [PythonPlayer(GAME, player, "reader"), "random"], seed=3)


def test_a_text_player_of_a_game_without_texts_of_its_own() -> None:
    game = kuhn.make_game()
    Reader.turns.clear()
    play_record(game, [PythonPlayer(game, Reader, "reader"), "random"], seed=3)
    turn = Reader.turns[0]
    assert turn.seen == {"text": turn.position}
    assert turn.position == game.to_text(as_record(game.start(3)), 0)
    assert "player_0" in prompt(turn)


def test_a_python_player_is_a_function_or_a_class() -> None:
    decide: Any = 3
    with pytest.raises(TypeError, match="a Python player must be a function or a class, not 3"):
        PythonPlayer(GAME, decide, "three")


def test_a_class_needs_one_way_to_decide() -> None:
    class Neither:
        def __init__(self, game: Game, seat: int, seed: int) -> None: ...

    class Wrong(Neither):
        def act_text(self) -> str:
            return ""

    with pytest.raises(TypeError, match=r"has no method act\(observation, mask\), and no act_text\(turn\)"):
        PythonPlayer(GAME, Neither, "neither")
    with pytest.raises(TypeError, match=r"act_text of the class .*Wrong must take \(turn\), not \(\)"):
        PythonPlayer(GAME, Wrong, "wrong")


def test_a_prompt_has_all_parts() -> None:
    states = play(GAME, 3, uniform_choice(3), 4)
    turn = turn_of(GAME, states, ["player_1 offers enforcer face up and a card face down"])
    text = prompt(turn)
    assert text == f"{briefing(GAME, turn.seat)}\n\n{question(turn)}"
    for part in (rules(GAME), turn.position, *(f"\n- {each}" for each in (*turn.legal, *turn.events))):
        assert part in text
    assert "\n- discard" not in question(turn, listed=False)
    assert turn.position in question(turn, listed=False)
    assert parse(text, turn.legal).action is None  # an answer that repeats the prompt is no move


def test_a_seat_is_told_who_it_is() -> None:
    team = make_game("agent_avenue_v0", mode="advanced", players=4)
    first = briefing(team, 1).splitlines()[:2]
    assert first == [
        "You are player_1 in a game of agent_avenue_v0. You win and lose together with player_0.",
        "You play against player_2 and player_3. Some things are hidden from you.",
    ]
    alone = briefing(replace(team, teams=(0, 0, 0, 0)), 3).splitlines()[1]
    assert alone == "Some things are hidden from you."
    for seat in (-1, 4):
        with pytest.raises(ValueError, match=f"seat must be an integer from 0 to 3, not {seat}"):
            briefing(team, seat)
    turn = turn_of(GAME, GAME.start(3))
    assert question(turn).splitlines()[1] == "- nothing yet"
    assert turn.why_not(turn.legal[0]) is turn.why_not("nonsense") is None


def test_a_position_of_another_variant_is_refused() -> None:
    """Its state has the same layout, and its legal actions would be written beyond the end of the mask."""
    simple, other = make_game("agent_avenue_v0"), make_game("agent_avenue_v0", mode="advanced").start(1)
    assert other.dtype == simple.state_dtype
    for asked in (turn_of, unknowns):
        with pytest.raises(ValueError, match="states must be positions of agent_avenue_v0, mode=simple"):
            asked(simple, other)
        for wrong in (
            make_game("heimlich_v0").start(1),
            np.zeros(3, np.uint8),
            simple.start(1)[0],
            simple.new_states(2),
        ):
            with pytest.raises(ValueError, match="states must be one position of agent_avenue_v0, mode=simple"):
                asked(simple, wrong)
    assert turn_of(simple, simple.start(1).view(np.uint8)).legal == turn_of(simple, simple.start(1)).legal


def test_the_end_of_a_game_is_no_decision() -> None:
    with pytest.raises(ValueError, match="states must hold a position in which a seat is to move"):
        turn_of(GAME, play(GAME, 3, uniform_choice(3)))


# ---------------------------------------------------------------- programs


WANTS = 'print(\'{"type": "hello", "protocol": 2, "want": WANT}\', flush=True)'


def asking(folder: Path, want: str, decide: str, log: Path) -> str:
    command = bot(folder, decide, log=f"open({str(log)!r}, 'a').write(line)")
    file = folder / "bot.py"
    hello = 'print(\'{"type": "hello", "protocol": 2}\', flush=True)'
    assert hello in file.read_text()
    file.write_text(file.read_text().replace(hello, WANTS.replace("WANT", want)))
    return command


def test_a_program_gets_texts_if_it_wants_them(tmp_path: Path) -> None:
    log = tmp_path / "log"
    decide = "action = 'Hm. {\"action\": \"' + max(told['legal']).upper().replace('_', ' ') + '\"}'"
    with_texts = CommandPlayer(GAME, asking(tmp_path, '[\\"text\\"]', decide, log))
    record = play_record(GAME, ["random", with_texts], seed=4)
    with_texts.close()
    turns = turns_of(GAME, record, 1)
    hello, start, *decisions, _ = [json.loads(line) for line in log.read_text().splitlines()]
    assert hello["offers"] == ["text"]
    assert start["briefing"] == briefing(GAME, 1)
    assert [each["text"] for each in decisions] == [question(turn) for turn in turns]
    assert [each["seen"] for each in decisions] == [turn.seen for turn in turns]
    assert [tuple(each["events"]) for each in decisions] == [turn.events for turn in turns]
    chosen = [text for text, s in zip(record.actions, replay(record), strict=False) if s["to_move"] == 1]
    assert chosen == [max(turn.legal) for turn in turns]


@pytest.mark.parametrize("want", ['[\\"pictures\\"]', "7", '\\"text\\"'])
def test_a_program_cannot_want_anything_else(tmp_path: Path, want: str) -> None:
    player = CommandPlayer(GAME, asking(tmp_path, want, "action = 'pass'", tmp_path / "log"))
    with pytest.raises(PlayerFailed, match=r'gave a wrong answer to hello: "want" must be \[\] or \["text"\], not'):
        play_record(GAME, [player, "random"], seed=4)
    player.close()


def test_a_program_without_texts_must_answer_exactly(tmp_path: Path) -> None:
    player = CommandPlayer(GAME, bot(tmp_path, "action = told['legal'][0].upper()"))
    with pytest.raises(PlayerFailed, match="answered an illegal action"):
        play_record(GAME, [player, "random"], seed=4)
    player.close()


# ---------------------------------------------------------------- leaks


def prompts_differ(game: Game, positions: Iterator[np.ndarray], pairs: int) -> tuple[int, int]:
    """Compare what each seat to move is told with what it is told in a world that it cannot tell apart.

    Each position is also the start of one decision, whose event is compared between the worlds if every seat but the
    mover sees the same.

    Returns:
        The number of pairs compared, and how many of them differ.
    """
    compared = differ = 0
    for states in positions:
        seat = int(states["to_move"][0])
        if seat == NOBODY:
            continue
        told = prompt(turn_of(game, states))
        for _ in range(4):
            differ += prompt(turn_of(game, determinized(game, states, seat, compared))) != told
            compared += 1
            if compared == pairs:
                return compared, differ
    return compared, differ


def positions_of(game: Game, seed: int) -> Iterator[np.ndarray]:
    """Yield positions of random games."""
    rng = np.random.default_rng(seed)
    while True:
        states = game.start(int(rng.integers(2**32)))
        while (s := as_record(states)).to_move != NOBODY:
            yield states
            game.apply(s, int(rng.choice(np.flatnonzero(mask_of(game, s)))))


@pytest.mark.parametrize(("game_id", "options"), VARIANTS)
@pytest.mark.parametrize("pairs", [200, pytest.param(25_000, marks=pytest.mark.slow)])
def test_prompts_are_the_same_in_worlds_that_the_seat_cannot_tell_apart(
    game_id: str, options: dict[str, Any], pairs: int
) -> None:
    game = make_game(game_id, **options)
    assert prompts_differ(game, positions_of(game, 5), pairs) == (pairs, 0)


def leaky(game: Game, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let a method of all games reveal the deck."""
    whole = getattr(Game, name)

    def telling(self: Game, s: Record, *arguments: Any) -> str:
        return f"{whole(self, s, *arguments)} {s.deck.tolist()}"

    monkeypatch.setattr(Game, name, telling)


def test_a_leak_in_a_position_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    states = play(GAME, 3, uniform_choice(3), 4)
    seat = int(states["to_move"][0])
    world = determinized(GAME, states, seat, 1)
    assert [*differences(GAME, states, world, seat)] == []
    leaky(GAME, monkeypatch, "describe")
    assert {name for name, _ in differences(GAME, states, world, seat)} == {"words", "prompt", "belief prompt"}
    assert prompts_differ(GAME, positions_of(GAME, 5), 40)[1] > 20


def test_a_leak_in_the_effects_of_a_move_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    check_game(GAME, checks=["moves"], effort=0.5)
    whole = Game.event

    def telling(self: Game, s: Record, *arguments: Any) -> Event:
        return {**whole(self, s, *arguments), "effects": str(s.deck.tolist())}

    monkeypatch.setattr(Game, "event", telling)
    with pytest.raises(ContractError, match="`effects` must return one text for both"):
        check_game(GAME, checks=["moves"], effort=0.5)


@pytest.mark.parametrize("name", ["describe", "happened"])
def test_a_leak_is_found_in_two_worlds_made_by_hand(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    leaky(GAME, monkeypatch, name)
    start = next(m for seed in range(20) if other_world(m := Position(GAME, GAME.start(seed)).mapping, 1))
    changed = other_world(start, 1)
    assert changed
    with pytest.raises(AssertionError):
        play_both(position_of(GAME, start), position_of(GAME, changed), 0, np.random.default_rng(0), nothing_shown)
