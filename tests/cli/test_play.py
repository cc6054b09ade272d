"""Play in the terminal: it shows what the person may know, and accepts what the person types."""

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spygames
from spygames import heimlich
from spygames.agent_avenue import make_game
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.game.registry import game_ids
from spygames.core.players.names import DecisionBatch, Player, make_player
from spygames.core.records.film import Film
from spygames.core.records.record import load_games
from spygames_app.cli import play
from spygames_app.cli.arguments import fitted
from spygames_app.live import LiveGame
from spygames_app.rules import rules_of, short_rules_for_people
from tests.cli.command import complaint, run
from tests.poker import kuhn
from tests.support import pennies
from tests.support.changed import changed


def typing(*answers: str) -> Callable[[str], str]:
    """Return a person who types these answers, then nothing."""
    lines: Iterator[str] = iter(answers)

    def ask(prompt: str) -> str:
        for line in lines:
            return line
        raise EOFError

    return ask


def always(answer: str) -> Callable[[str], str]:
    return lambda prompt: answer


def alone(game: Game, opponent: Player, seat: int, seed: int) -> LiveGame:
    """Return a game of the person in `seat` against one player in all other seats."""
    return LiveGame(game, {other: opponent for other in range(game.num_players) if other != seat}, seed)


@pytest.mark.parametrize("make", [make_game, kuhn.make_game, pennies.make_game])
def test_only_the_persons_own_view_is_shown(make: Callable[[], Game], capsys: pytest.CaptureFixture[str]) -> None:
    """Until the game is over, positions and moves are shown as the person's seat sees them. Actions are named only
    when it is that seat's turn."""
    game = make()
    for seat in range(game.num_players):
        for seed in range(10):
            shown: list[str] = []

            def draw(game: Game, s: Any, viewer: int, seat: int = seat, shown: list[str] = shown) -> str:
                assert viewer == (NOBODY if s.to_move == NOBODY else seat)
                shown.append(f"<drawing {len(shown)}>")
                return shown[-1]

            def name(game: Game, s: Any, action: int, who: int, seat: int = seat) -> str:
                assert who == seat == s.to_move
                return f"<action {action}>"

            def see(game: Game, s: Any, action: int, who: int, viewer: int, seat: int = seat) -> str:
                assert viewer == seat
                return f"<move of {who}>"

            spied = changed(game, to_text=draw, action_to_string=name, seen_action=see, effects=None)
            live = alone(spied, make_player(game, "random"), seat, seed)
            play.play(live, seat, always("1"))
            printed = [line for line in capsys.readouterr().out.splitlines() if line]
            ends = ("The game is over: nothing is hidden.", live.outcome(seat))
            drawn = [line for line in printed if "  <action" not in line and line not in ends]
            assert [line for line in drawn if line.startswith("<drawing")] == shown
            moves = [line for line in drawn if line.startswith("<move")]
            assert [re.sub(r" \(.*\)$", "", move) for move in moves] == [
                f"<move of {made.seat}>" for made in live.decisions
            ]
            assert len(drawn) == len(shown) + len(moves)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_result_is_that_of_the_persons_seat(seat: int) -> None:
    """In Kuhn poker, a player who always bets takes the ante of one who always passes."""

    class Passer:
        name = "passer"

        def act(self, decisions: DecisionBatch) -> np.ndarray:
            assert len(decisions.rows) == 1
            assert decisions.mask[0, kuhn.PASS]
            assert decisions.states["to_move"][0] == 1 - seat
            np.testing.assert_array_equal(decisions.observation, decisions.views.view(np.float32)[None])
            return np.full(1, kuhn.PASS)

    game = kuhn.make_game()
    for seed in range(5):
        assert play.play(alone(game, Passer(), seat, seed), seat, always("bet")) == 1
        assert play.play(alone(game, Passer(), seat, seed), seat, always("2")) == 1


def test_a_seed_gives_the_same_game(capsys: pytest.CaptureFixture[str]) -> None:
    results = set()
    for seed in range(6):
        texts = []
        for _ in range(2):
            assert play.Play(("random",), seat=seed % 2, seed=seed).run(always("1")) == 0
            texts.append(capsys.readouterr().out)
        assert texts[0] == texts[1]  # the seed determines the game
        assert f"you are seat {seed % 2}, against random." in texts[0]
        before, _, _ = texts[0].partition("The game is over: nothing is hidden.")
        assert "--seed" not in before  # the seed determines the deck
        *_, result, last = texts[0].splitlines()
        assert last == f"The game was --seed {seed}."
        results.add(result)
    assert {result.partition(":")[0] for result in results} == {"You win", "You lose"}
    assert any("Codebreakers" in result or "lead of" in result for result in results)


def test_numbers_and_texts_name_actions() -> None:
    live = alone(kuhn.make_game(), make_player(kuhn.make_game(), "random"), 0, 0)
    asked_again = ["0", "3", "-1", "", "²", "9" * 5000, "raise"]
    for answers, action in (
        (["1"], kuhn.PASS),
        (["2"], kuhn.BET),
        (["  BET "], kuhn.BET),
        ([*asked_again, "pass"], kuhn.PASS),
    ):
        assert play.choose(live, 0, typing(*answers)) == action


def test_an_invalid_answer_gets_help(capsys: pytest.CaptureFixture[str]) -> None:
    game = make_game()
    live = alone(game, make_player(game, "random"), 0, 0)
    play.choose(live, 0, typing("99", "nonsense", "Recruit_Up", "help", "show", "1"))
    out = capsys.readouterr().out
    count = len(live.legal())
    assert f"'99' is not a legal action: type a number from 1 to {count} or a text such as 'discard" in out
    assert "'nonsense' is not a legal action" in out
    refused = " ".join(out.split())
    assert "Not possible: you recruit a card only when the other side has offered two. See AA-12: type" in refused
    assert "`spygames rules agent_avenue AA-12`" in refused
    assert play.HELP in out
    assert out.count("   1  discard") == 2
    assert game.to_text(live.state, 0) in out
    assert game.to_text(live.state, NOBODY) not in out


def test_a_narrow_terminal_gets_no_wider_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only drawings keep their lines. A wrapped line continues under its text."""
    monkeypatch.setenv("COLUMNS", "40")
    game = changed(make_game(), to_text=lambda game, s, viewer: "<drawing>")
    live = alone(game, make_player(game, "greedy"), 1, 4)
    with pytest.raises(play.Left):
        play.play(live, 1, typing("help", "hint", "nonsense", "recruit up", "rules", "1", "words", "undo", "quit"))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 40
    assert "  show, words        show the position" in lines
    long = "   1  swap one two three four five six seven"
    assert fitted(f"{long[:40]}\n{long}") == f"{long[:40]}\n{long[:38]}\n      seven"


def test_the_moves_of_others_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """The screen shows what the person saw of each decision, once and in order."""
    game = make_game()
    live = alone(game, make_player(game, "greedy"), 1, 4)
    play.play(live, 1, always("1"))
    out = capsys.readouterr().out
    moves = [line for line in out.splitlines() if re.match(r"player_\d (offers|takes|discards|plays)", line)]
    assert moves == [live.happened(number, 1) for number in range(len(live.decisions))]
    assert any("a card face down" in line for line in moves)
    assert any("they get" in line for line in moves)


def test_scores_and_rolls_are_announced(capsys: pytest.CaptureFixture[str]) -> None:
    """In Heimlich & Co., the announced changes add up to the final scores, and each turn's roll is announced."""
    game = heimlich.make_game()
    live = alone(game, make_player(game, "random"), 0, 1)
    play.play(live, 0, always("1"))
    out = capsys.readouterr().out
    total = dict.fromkeys(game.state_to_dict(live.state)["scores"], 0)
    for agent, points in re.findall(r"\b(\w+) scores ([+-]\d+)", out):
        total[agent] += int(points)
    assert total == game.state_to_dict(live.state)["scores"]
    assert any(total.values())
    turns = {int(states["turn"][0]) for states in live.positions[:-1]}
    rolls = re.findall(r"(?:player_\d rolls|you roll) (?:[1-6]|1-3)\)$", out, re.MULTILINE)
    assert len(rolls) == len(turns) - 1  # the first is in the headline
    assert play.LEGENDS["heimlich"][:40] in play.help_text(game).replace("\n", " ")
    assert "Agents move in the order of the table" in out


def test_the_result_is_a_sentence() -> None:
    """The sentence fits the results of all seats; nobody wins or all do in a draw."""
    game = heimlich.make_game()
    live = alone(game, make_player(game, "random"), 0, 0)
    for returns, says in (
        ([1, -1, 0, 0], "You come 1 of 4 by score."),
        ([1, 1, 0, -2], "You come 1 of 4 by score."),
        ([-1, 1, -1, -1], "You lose."),
        ([0.5, 0.5, -1, -1], "You win."),
        ([0, 0, 0, 0], "The game is a draw."),
        ([-1, -1, -1, -1], "Nobody wins."),
    ):
        live.returns = lambda returns=returns: np.array(returns, np.float32)  # type: ignore[method-assign]
        assert live.outcome(0) == says


def test_rules_are_found_by_id(capsys: pytest.CaptureFixture[str]) -> None:
    live = alone(make_game(), make_player(make_game(), "random"), 0, 0)
    asked = ("aa-12", "teams", "players", "Smoke_Screen", "AA-999")
    words = typing("rules", *(f"rules {each}" for each in asked), "words", "1")
    play.choose(live, 0, words)
    out = capsys.readouterr().out
    assert short_rules_for_people(live.game) in out
    short, _, details = short_rules_for_people(live.game).partition("\n\nDetails, with the IDs of the rules\n")
    assert "AA-" not in short
    assert "(AA-12)" in details
    assert "AA-4: kind: instant; effect: recruit the top card of the agent deck" in out
    assert "AA-46: A team wins and loses together" in out
    assert live.game.describe(live.state, 0) in out
    assert "Course of the game               AA-5 to AA-21" in out
    assert "AA-12: The other side takes either card" in out
    assert "No rule, chapter or card 'aa-999': the rules are AA-1 to AA-46." in out
    assert "No rule, chapter or card 'players'" in out  # a chapter is found by its first words
    for game_id in game_ids():
        rules = rules_of(spygames.make_game(game_id))
        numbers = [int(each.partition("-")[2]) for each in rules]
        assert numbers == [*range(1, len(rules) + 1)]
        assert all(rule.text and rule.chapter for rule in rules.values())
        assert not [rule.id for rule in rules.values() if "](" in rule.text]
    play.choose(alone(kuhn.make_game(), make_player(kuhn.make_game(), "random"), 0, 0), 0, typing("rules", "1"))
    assert "kuhn_poker_v0 has no list of rules." in capsys.readouterr().out


def test_a_hint_neither_changes_the_game_nor_uses_hidden_cards(capsys: pytest.CaptureFixture[str]) -> None:
    """A hint is the same in worlds that the seat cannot tell apart, and the game continues as it would without it."""
    game = make_game()
    for adviser in ("greedy", "mcts:16"):
        player, hints = make_player(game, adviser), set()
        for world in range(3):
            live = alone(game, make_player(game, "random"), 0, 6)
            if world:
                game.determinize(live.state, 0, np.uint64(world))
            before = live.states.tobytes()
            play.choose(live, 0, typing("hint", "1"), adviser=player)
            assert live.states.tobytes() == before
            hints.add(capsys.readouterr().out.partition("would do:")[2])
        assert len(hints) == 1
    texts = []
    for answers in (["1"] * 99, ["hint", "1"] * 99):
        play.play(alone(game, make_player(game, "random"), 0, 6), 0, typing(*answers), make_player(game, "greedy"))
        texts.append(re.sub(r"What greedy would do:\n.*\n", "", capsys.readouterr().out))
    assert texts[0] == texts[1]
    play.choose(alone(game, make_player(game, "random"), 0, 6), 0, typing("hint", "1"))
    assert "No player gives hints here." in capsys.readouterr().out


def test_undo_restores_everything(capsys: pytest.CaptureFixture[str]) -> None:
    """Undo restores the position and the players' random streams and memory: the same decision has the same effects."""
    game = make_game()
    one, two = (alone(game, make_player(game, "random"), 0, 8) for _ in range(2))
    play.play(one, 0, always("1"))
    typed = iter(["undo", "1", "undo", "1", "2", "undo", *["1"] * 99])
    play.play(two, 0, lambda prompt: next(typed))
    assert one.states.tobytes() == two.states.tobytes()
    assert [made.action for made in one.decisions] == [made.action for made in two.decisions]
    assert two.taken_back == 2
    assert "No decision to take back." in capsys.readouterr().out
    assert one.record() == two.record()


def test_undo_takes_decisions_out_of_the_notes_of_players() -> None:
    counts: list[tuple[int, int]] = []

    class Noting:
        name, notes_size = "noting", 64

        def act(self, decisions: DecisionBatch) -> np.ndarray:
            assert decisions.notes is not None
            counts.append((int(decisions.notes.count[0]), len(live.decisions)))
            return decisions.mask[decisions.rows].argmax(axis=1)

    live = alone(make_game(), Noting(), 0, 8)
    with pytest.raises(EOFError):
        play.play(live, 0, typing(*"111111", "undo", *"111"))
    assert live.taken_back == 1
    assert counts
    assert all(noted == made for noted, made in counts)


def test_undo_is_refused_against_a_player_that_remembers(capsys: pytest.CaptureFixture[str]) -> None:
    class Listener:
        name = "listener"

        def act(self, decisions: DecisionBatch) -> np.ndarray:
            return decisions.mask[decisions.rows].argmax(axis=1)

        def ended(self, row: int, seat: int, returns: np.ndarray, notes: object) -> None: ...

    live = alone(make_game(), Listener(), 0, 8)
    play.play(live, 0, typing("1", "undo", *["1"] * 99))
    assert "listener remembers every move and cannot forget" in capsys.readouterr().out
    assert live.taken_back == 0


def test_a_finished_game_is_shown_openly_and_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "games.jsonl"
    for number in (1, 2):
        assert play.Play(("random",), seed=number, save=out).run(always("1")) == 0
        shown = capsys.readouterr().out
        assert f"The game is game {number} of {out}." in shown
        (*_, record) = load_games(out)
        assert record.seed == number
        assert record.players == ("you", "random")
        last = as_record(Film(record).states, len(record.actions))
        assert make_game().to_text(last, NOBODY) in shown
    assert len(load_games(out)) == 2
    assert run("replay", out) == 0
    assert play.Play(("random",), seed=3, save=out).run(typing("1")) == 0  # then the person leaves
    assert len(load_games(out)) == 3
    out.write_text("no record")
    capsys.readouterr()
    assert "not JSON" in complaint(["play", "--save", str(out)], capsys)
    out.unlink()
    three = {"game": "heimlich", "option": (("players", 3),), "seat": 1, "save": out}
    assert play.Play(("greedy", "random"), **three).run(typing()) == 0  # the person leaves after the first turn
    assert load_games(out)[0].players == ("greedy", "you", "random")


def test_the_person_can_leave_at_any_time(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(prompt: str) -> str:
        raise KeyboardInterrupt

    for ask in (typing("quit"), typing("help", "Q"), typing(), interrupt):
        assert play.Play(("random",), seed=7).run(ask) == 0
        assert capsys.readouterr().out.endswith("Good-bye.\nThe game was --seed 7.\n")


def test_games_differ_without_a_seed(capsys: pytest.CaptureFixture[str]) -> None:
    seeds = set()
    for _ in range(3):
        play.Play(("random",)).run(typing())
        seeds.add(capsys.readouterr().out.partition("--seed ")[2].partition(".")[0])
    assert len(seeds) == 3


def test_games_of_other_modules_are_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert play.Play(("random",), game="tests.poker.kuhn", seed=1).run(always("bet")) == 0
    assert "kuhn_poker_v0: you are seat 0, against random." in capsys.readouterr().out


def test_invalid_arguments_give_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for argv, text in (
        (["--against", "nobody"], "no player 'nobody'"),
        (["--seat", "2"], "--seat must be from 0 to 1, not 2"),
        (["--seat", "-1"], "--seat must be from 0 to 1, not -1"),
        (["--seat", "left"], "error parsing --seat"),
        (["--seed", str(1 << 64)], "not an integer from 0"),
        (["--game", "nothing_v0"], "no game 'nothing_v0'"),
        (["--option", "players=17"], "players must be"),
        (["greedy", "expert"], "has 1 other seat: name one opponent, or one for each of them, not 2"),
        (["--hint", "nobody"], "no player 'nobody'"),
        (["--save", "nowhere/games.jsonl"], "cannot be written"),
        (["--port", "1"], "--port needs --browser"),
        (["--browser", "--seat", "1"], "--seat is chosen on the page"),
    ):
        assert text in complaint(["play", *argv], capsys)


def test_input_is_read_from_stdin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1\nquit\n"))
    assert run("play", "--against", "random") == 0
    assert "Good-bye." in capsys.readouterr().out


def test_a_search_shows_its_beliefs(capsys: pytest.CaptureFixture[str]) -> None:
    """A search, as opponent or adviser, has beliefs from what the person's seat knows; other players have none."""
    agent = "heimlich/base-3+search:2"
    assert play.Play((agent,), seat=1, seed=5).run(typing("who", "1", "who", "quit")) == 0
    beliefs = re.findall(r"^(.*'s passport): .*\d%$", capsys.readouterr().out, re.MULTILINE)
    assert beliefs == ["player_0's passport", "player_2's passport"] * 2
    game, seen = heimlich.make_game(players=3), set()
    for seed in range(4):  # the others have other passports, but the beliefs stay the same
        states = game.start(5)
        game.determinize(as_record(states), 0, np.uint64(seed))
        bot = make_player(game, "random")
        live = LiveGame(game, {1: bot, 2: bot}, 5, states)
        seen.add(play.hint(live, make_player(game, agent), play.who_is_who))
    assert len(seen) == 1
    assert "player_1's passport: " in seen.pop()
    assert play.Play(("random",)).run(typing("who", "quit")) == 0
    assert "This player reports no beliefs: ask a search, such as --hint best+search:64." in capsys.readouterr().out
