"""`spygames rules` and `spygames prompt`."""

from pathlib import Path

import pytest

from spygames import make_game
from spygames.core.game.game import as_record
from spygames.core.records.record import play_record, replay, save_games
from spygames.text import belief_question, belief_turn_of, prompt, question, turn_of
from spygames_app.rules import rules_of, short_rules_for_people
from tests.cli.command import run


def printed(capsys: pytest.CaptureFixture[str], *argv: object) -> str:
    capsys.readouterr()
    assert run(*argv) == 0
    return capsys.readouterr().out.removesuffix("\n")


def test_the_rules_fit_into_a_narrow_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for columns, most in ((44, 44), (300, 100), (10, 40)):
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = printed(capsys, "rules", "heimlich").splitlines()
        assert most - 15 < max(map(len, lines)) <= most
        table = printed(capsys, "rules", "HC-20").splitlines()
        assert (max(map(len, table)) <= 44) == ("  new_identity: copies: 1; effect: see" in table) == (columns < 100)


def test_the_rules_of_a_variant_begin_with_the_short_ones(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "rules", "heimlich", "--option", "top_secret=True")
    short = short_rules_for_people(make_game("heimlich_v0", top_secret=True))
    assert out.startswith(
        f"{short}\n\nAll rules by their IDs; type spygames rules heimlich and an ID, a chapter or a card"
    )
    assert "  Movement" in out
    assert "HC-8 to HC-11" in out


def test_tables_are_printed_with_their_rule(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "rules", "HC-20")
    assert out.startswith("heimlich\nHC-20: There are 26 cards.")
    assert "  id               copies  effect" in out
    assert "  new_identity     1       see HC-31" in out
    assert "agent         copies  1st icon" in printed(capsys, "rules", "AA-1")
    assert "distraction_device  ongoing" in printed(capsys, "rules", "agent_avenue", "aa-4")
    assert [rule.id for rule in rules_of(make_game("agent_avenue_v0")).values() if rule.table] == ["AA-1", "AA-4"]
    assert [rule.id for rule in rules_of(make_game("heimlich_v0")).values() if rule.table] == ["HC-20"]


def test_chapters_and_cards_are_found_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "rules", "agent_avenue", "course", "of")
    assert out.startswith("Course of the game\nAA-5: All 38 cards are shuffled")
    assert "AA-21: " in out
    assert "AA-22: " not in out
    assert printed(capsys, "rules", "Getaway_Car").startswith("agent_avenue\nAA-4: kind: ongoing; effect: if a move")
    assert printed(capsys, "rules", "agent_dog", "1/11").startswith("The 110 cards: 8 copies; 1 or 11 forward")
    both = printed(capsys, "rules", "swap")  # two games have such a card
    assert "agent_dog\n" in both
    assert "heimlich\n" in both


def test_a_prompt_is_what_a_seat_would_get(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    game = make_game("agent_avenue_v0")
    record = play_record(game, ["random", "random"], seed=1)
    file = tmp_path / "games.jsonl"
    save_games(file, [record])
    states = replay(record)
    at = next(i for i in range(4, len(states)) if states["to_move"][i] == 1)
    last = max((i for i in range(at) if states["to_move"][i] == 1), default=0)
    events = []
    for i in range(last, at):
        s, seat = as_record(states, i), int(states["to_move"][i])
        events.append(game.happened(s, game.string_to_action(s, record.actions[i], seat), seat, 1))
    turn = turn_of(game, states[at : at + 1], events)
    assert printed(capsys, "prompt", "--record", file, "--after", at, "--seat", 1) == prompt(turn)
    unlisted = printed(capsys, "prompt", "--record", file, "--after", at, "--unlisted")
    assert unlisted.endswith(question(turn, listed=False))
    beliefs = printed(capsys, "prompt", "--record", file, "--after", at, "--beliefs")
    first = game.happened(as_record(states, 0), game.string_to_action(as_record(states, 0), record.actions[0], 0), 0, 1)
    assert f"All that you have seen in this game so far:\n- {first}\n" in beliefs
    assert beliefs.endswith(belief_question(belief_turn_of(game, states[at : at + 1])).partition("You need not")[2])


def test_random_moves_depend_on_the_seed_alone(capsys: pytest.CaptureFixture[str]) -> None:
    one, again, other = (
        printed(capsys, "prompt", "agent_avenue", "--seed", seed, "--after", 5, "--seat", 0) for seed in (1, 1, 2)
    )
    assert one == again != other
    assert one.startswith("You are player_0 in a game of agent_avenue_v0.\n")
