"""The game in the terminal: shows what the person may know, and takes what the person types."""

import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from spygames import heimlich
from spygames.agent_avenue import make_game
from spygames.core.game import NOBODY, Game
from spygames.core.players import DecisionBatch, make_player
from spygames_app.cli import play
from tests.cli.command import complaint, run
from tests.poker import kuhn
from tests.support import pennies
from tests.support.changed import changed


def typing(*answers: str) -> Callable[[str], str]:
    """A person who types this, and then nothing more."""
    lines: Iterator[str] = iter(answers)

    def ask(prompt: str) -> str:
        for line in lines:
            return line
        raise EOFError

    return ask


def always(answer: str) -> Callable[[str], str]:
    return lambda prompt: answer


@pytest.mark.parametrize("make", [make_game, kuhn.make_game, pennies.make_game])
def test_nothing_but_the_own_seat_is_shown(make: Callable[[], Game], capsys: pytest.CaptureFixture[str]) -> None:
    """Positions are drawn for the person's seat, actions named when the person may take them, and nothing else."""
    game = make()
    for seat in range(game.num_players):
        for seed in range(10):
            shown: list[str] = []

            def draw(game: Game, s: Any, viewer: int, seat: int = seat, shown: list[str] = shown) -> str:
                assert viewer == seat
                shown.append(f"<drawing {len(shown)}>")
                return shown[-1]

            def name(game: Game, s: Any, action: int, who: int, seat: int = seat) -> str:
                assert who == seat == s.to_move
                return f"<action {action}>"

            spied = changed(game, to_text=draw, action_to_string=name)
            play.play(spied, make_player(game, "random"), seat, seed, always("1"))
            printed = [line for line in capsys.readouterr().out.splitlines() if line]
            assert all(line in shown or "  <action" in line or line == "The game is over." for line in printed)
            assert [line for line in printed if line.startswith("<drawing")] == shown


@pytest.mark.parametrize("seat", [0, 1])
def test_the_result_is_the_seats_own(seat: int) -> None:
    """In Kuhn: who always bets takes the ante of who always passes."""

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
        assert play.play(game, Passer(), seat, seed, always("bet")) == 1
        assert play.play(game, Passer(), seat, seed, always("2")) == 1


def test_a_whole_game(capsys: pytest.CaptureFixture[str]) -> None:
    results = set()
    for seed in range(6):
        texts = []
        for _ in range(2):
            assert play.Play("random", seat=seed % 2, seed=seed).run(always("1")) == 0
            texts.append(capsys.readouterr().out)
        assert texts[0] == texts[1]  # the seed says it all
        assert f"you are seat {seed % 2}, against random. The game is --seed {seed}." in texts[0]
        results.add(texts[0].splitlines()[-1])
    assert results == {"You win. (return +1)", "You lose. (return -1)"}


def test_numbers_and_texts_name_actions() -> None:
    game = kuhn.make_game()
    state = game.start(0).view(np.recarray)[0]
    mask = np.array([1, 1], np.int8)
    asked_again = ["0", "3", "-1", "", "²", "raise"]
    for answers, action in (
        (["1"], kuhn.PASS),
        (["2"], kuhn.BET),
        (["  BET "], kuhn.BET),
        ([*asked_again, "pass"], kuhn.PASS),
    ):
        assert play.choose(game, state, mask, typing(*answers)) == action
    only = np.array([0, 1], np.int8)
    assert play.choose(game, state, only, typing("2", "pass", "1")) == kuhn.BET


def test_says_what_is_right(capsys: pytest.CaptureFixture[str]) -> None:
    game = make_game()
    mask = np.zeros(game.num_actions, np.int8)
    state = game.start(0).view(np.recarray)[0]
    game.legal(state, mask)
    play.choose(game, state, mask, typing("99", "nonsense", "help", "show", "1"))
    out = capsys.readouterr().out
    count = int(mask.sum())
    assert f"'99' is no action here: a number from 1 to {count} or the text, such as 'discard" in out
    assert "'nonsense' is no action here" in out
    assert play.HELP in out
    assert out.count("   1  discard") == 2
    assert game.to_text(state, 0) in out
    assert game.to_text(state, NOBODY) not in out


def test_a_search_tells_who_is_who(capsys: pytest.CaptureFixture[str]) -> None:
    """As far as the person's seat can know it; with any other opponent, that there is none."""
    assert play.Play("heimlich_3+search:2", seat=1, seed=5).run(typing("who", "1", "who", "quit")) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("player_")]
    assert [line.split(":")[0] for line in told] == ["player_0", "player_2"] * 2
    assert all(line.endswith(" %") for line in told)
    game, seen = heimlich.make_game(players=3), set()
    for seed in range(4):  # other passports of the others, and the same is told
        states = game.start(5)
        opponent = make_player(game, "heimlich_3+search:2")
        game.determinize(states.view(np.recarray)[0], 0, np.uint64(seed))
        seen.add(play.who_is_who(opponent, states, None))
    assert len(seen) == 1
    assert play.Play("random").run(typing("who", "quit")) == 0
    assert "Nobody finds out: play Heimlich & Co. against a search, such as" in capsys.readouterr().out


def test_leaving_is_always_possible(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(prompt: str) -> str:
        raise KeyboardInterrupt

    for ask in (typing("quit"), typing("help", "Q"), typing(), interrupt):
        assert play.Play("random").run(ask) == 0
        assert capsys.readouterr().out.endswith("Good-bye.\n")


def test_games_differ_without_a_seed(capsys: pytest.CaptureFixture[str]) -> None:
    seeds = set()
    for _ in range(3):
        play.Play("random").run(typing())
        seeds.add(capsys.readouterr().out.partition("--seed ")[2].partition(".")[0])
    assert len(seeds) == 3


def test_other_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert play.Play("random", game="tests.poker.kuhn", seed=1).run(always("bet")) == 0
    assert "kuhn_poker_v0: you are seat 0, against random." in capsys.readouterr().out


def test_answers_wrong_input_with_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for argv, text in (
        (["--against", "nobody"], "no player 'nobody'"),
        (["--seat", "2"], "--seat must be from 0 to 1, not 2"),
        (["--seat", "-1"], "--seat must be from 0 to 1, not -1"),
        (["--seat", "left"], "error parsing --seat"),
        (["--seed", str(1 << 64)], "not a whole number from 0"),
        (["--game", "nothing_v0"], "no game 'nothing_v0'"),
        (["--option", "players=17"], "players must be"),
        (["expert"], "unrecognized options: expert"),
    ):
        assert text in complaint(["play", *argv], capsys)


def test_leaves_at_the_end_of_the_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1\nquit\n"))
    assert run("play", "--against", "random") == 0
    assert "Good-bye." in capsys.readouterr().out
