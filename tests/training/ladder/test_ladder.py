"""A ladder's lines record what was played and replay to the byte; ratings and lotteries agree with theory."""

import itertools
import json
import re
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from filelock import FileLock

from spygames import agent_avenue, heimlich
from spygames.core.game.game import Game
from spygames.core.game.rng import next_seed
from spygames.core.players.history import Notes
from spygames.core.players.mixture import MixturePlayer
from spygames.core.players.names import DecisionBatch, make_player
from spygames.core.players.program import CommandPlayer
from spygames.core.players.python_function import PythonPlayer
from spygames.core.playing.batch import spread
from spygames_training.agents.policy import from_network
from spygames_training.evaluation.blocks import DEALS, deal_seeds, play_block, scores
from spygames_training.evaluation.digests import player_digest
from spygames_training.evaluation.forfeits import Referee
from spygames_training.ladder.lines import (
    Entry,
    LadderError,
    Line,
    _fresh,
    appending,
    check_harmless,
    check_sides,
    entry_of,
    game_of,
    pairs,
    play_line,
    read_line,
    read_lines,
)
from spygames_training.ladder.page import cross_table, page, standings_table
from spygames_training.ladder.standings import maximal_lottery, standings
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.system.machine import instructions
from tests.poker import kuhn, leduc
from tests.support import pennies
from tests.training.evaluation.test_evaluation import BETTOR, FIRST, PASSER, Stubborn, alone

KUHN = kuhn.make_game()


def line_of(game: Game, first: str, second: str, wins: np.ndarray, number: int = 0) -> Line:
    """Return a line with the given wins, without playing."""
    about = {"id": game.id, "options": dict(game.options)}
    made = {"decisions": [10, 20], "cpu_seconds": [0.01, 0.04]}
    return Line(about, (Entry(first, "a"), Entry(second, "b")), 0, number, wins.astype(np.uint8), [], made)


# Blocks


def test_a_block_seats_the_first_player_on_each_side_of_each_deal() -> None:
    game = pennies.make_game()
    random = make_player(game, "random")  # its moves show which random stream each game has
    block = play_block(game, FIRST, random, 5, 2, deals=20)
    assert (block.wins.shape, block.wins.dtype) == ((20, 3, 2), np.uint8)
    seeds = deal_seeds(5, 2, 20)
    streams = spread(next_seed(seeds[0]), 60)
    for (deal, side), stream in zip(itertools.product(range(20), range(3)), streams, strict=True):
        seats = np.array([int(seat != side) for seat in range(3)])
        returns = alone(game, [FIRST, random], seats, seeds[deal], stream)
        expected = [(returns[seats == who] > 0).sum() for who in (0, 1)]
        assert block.wins[deal, side].tolist() == expected
    assert play_block(game, FIRST, FIRST, 5, 2, deals=20).wins[:, :, 0].max() == 0


def test_no_two_blocks_share_a_deal() -> None:
    seeds = np.concatenate([deal_seeds(3, number) for number in range(50)])
    assert len(np.unique(seeds)) == 50 * DEALS
    assert not np.isin(deal_seeds(4, 0), seeds).any()


def test_scores_are_win_shares() -> None:
    two = np.array([[[1, 0], [0, 1]], [[1, 0], [1, 0]], [[0, 0], [0, 1]]])
    assert scores(two).tolist() == [0.5, 1, 0.25]
    three = np.array([[[1, 0], [0, 2], [0, 0]], [[1, 1], [1, 0], [0, 1]]])
    assert scores(three).tolist() == [1 / 3, 2 / 3]


def test_a_block_does_not_depend_on_what_was_played_before() -> None:
    game = leduc.make_game()
    network = ActorCritic(game.num_features, game.num_actions, (16,))
    policy, random = from_network(game, network, "sample", "net"), make_player(game, "random")
    first = play_block(game, policy, random, 0, 3).wins
    play_block(game, policy, random, 0, 1, deals=7)
    np.testing.assert_array_equal(play_block(game, policy, make_player(game, "random"), 0, 3).wins, first)


# Players that fail


class Failing(Stubborn):
    """Fails where `when` is true for the observation."""

    def __init__(self, when: Callable[[np.ndarray], np.ndarray], how: Any) -> None:
        super().__init__(1, "failing")
        self.when, self.how = when, how

    def act(self, decisions: DecisionBatch) -> Any:
        bad = self.when(decisions.observation[decisions.rows])
        decisions.mask[decisions.rows] = 1  # this does not change which actions are legal
        if self.how is Exception and bad.any():
            raise RuntimeError("out of order")
        right = np.ones(len(decisions.rows), np.int64)
        return np.where(bad, self.how, right) if isinstance(self.how, int) else right


@pytest.mark.parametrize("how", [Exception, 99, -1])
def test_a_player_that_fails_loses_only_that_game(how: Any) -> None:
    def when(observation: np.ndarray) -> np.ndarray:
        return observation[:, 0] == 1

    referee = Referee(60)
    found = play_block(KUHN, Failing(when, how), PASSER, 0, 0, deals=40, referee=referee)
    calm = play_block(
        KUHN, Stubborn(1, "calm"), PASSER, 0, 0, deals=40
    )  # it wins all games, since the other one passes
    assert calm.wins[..., 0].all()
    lost = sorted(found.forfeits)
    assert 5 < len(lost) < 70
    won = found.wins.reshape(-1, 2)
    assert (won[lost] == [0, 1]).all()
    others = np.setdiff1d(np.arange(80), lost)
    np.testing.assert_array_equal(won[others], calm.wins.reshape(-1, 2)[others])
    assert {(f.seat, f.reason) for f in found.forfeits.values()} == {(0, "failed"), (1, "failed")}
    with pytest.raises((RuntimeError, ValueError)):
        play_block(KUHN, Failing(when, how), PASSER, 0, 0, deals=40)


def test_a_player_that_is_too_slow_loses() -> None:
    found = play_block(KUHN, Stubborn(1, "slow"), PASSER, 0, 0, deals=5, referee=Referee(-1.0))
    assert {f.reason for f in found.forfeits.values()} == {"too slow"}
    assert len(found.forfeits) == 10


def test_members_of_a_mixture_are_copied_for_each_block_and_have_its_limit() -> None:
    member = PythonPlayer(KUHN, lambda observation, mask: int(np.flatnonzero(mask)[0]), "first")
    fresh = _fresh(MixturePlayer(KUHN, [member, PASSER]), 7.0)
    assert isinstance(fresh, MixturePlayer)
    copied, passer = fresh.members
    assert isinstance(copied, PythonPlayer)
    assert (copied is member, copied.decision_limit, passer is PASSER) == (False, 7.0, True)
    assert fresh.name == MixturePlayer(KUHN, [member, PASSER]).name


def test_programs_in_a_mixture_end_with_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[CommandPlayer] = []
    monkeypatch.setattr(CommandPlayer, "act", lambda _, decisions: decisions.mask[decisions.rows].argmax(axis=1))
    monkeypatch.setattr(CommandPlayer, "close", lambda self: ended.append(self))
    program = CommandPlayer(KUHN, shlex.quote(sys.executable))
    passer = PythonPlayer(KUHN, lambda observation, mask: int(np.flatnonzero(mask)[0]), "passer")
    mixture = MixturePlayer(KUHN, [program, passer])
    play_line(KUHN, (Entry("mixture", ""), mixture), (Entry("passer", ""), passer), 0, 0, None, deals=4)
    assert [type(each) for each in ended] == [CommandPlayer]
    assert ended[0] is not program  # but its copy for this block


def test_a_forfeited_game_against_oneself_has_no_winner() -> None:
    game = pennies.make_game()
    failing = Failing(lambda observation: np.ones(len(observation), bool), Exception)
    found = play_block(game, failing, failing, 0, 0, deals=4, referee=Referee(60))
    assert found.wins.max() == 0
    assert len(found.forfeits) == 4


# Lines


def played(game: Game, first: str, second: str, number: int = 0) -> Line:
    players = {name: make_player(game, name) for name in {first, second}}
    entries = {name: (entry_of(game, name, player), player) for name, player in players.items()}
    return play_line(game, entries[first], entries[second], 0, number, 60)


def test_a_line_replays_to_the_byte() -> None:
    game = heimlich.make_game(players=3)
    for pair in (("greedy", "random"), ("random", "random")):
        line = played(game, *pair)
        back = read_line(line.text())
        assert back.text() == line.text()
        assert line.text().count("\n") == 1
        again = played(game_of(back), back.players[0].name, back.players[1].name, back.number)
        assert again.compared() == line.compared()
        assert set(json.loads(line.text())) == {"block", "made"}
        assert not {"date", "seconds", "machine", "instructions"} & set(json.loads(line.compared()))
        assert line.made["instructions"] == instructions()
    assert played(game, "greedy", "random", 1).compared() != played(game, "greedy", "random").compared()


def test_a_file_continues_after_its_last_complete_line(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    assert read_lines(file) == []
    lines = [played(KUHN, "random", "random", number) for number in range(3)]
    with appending(file) as append:
        append(lines[0])
        append(lines[1])
    whole = file.read_bytes()
    file.write_bytes(whole[:-20])  # as after a kill
    assert [line.text() for line in read_lines(file)] == [lines[0].text()]
    with appending(file) as append:
        append(lines[2])
    assert [line.number for line in read_lines(file)] == [0, 2]
    lock = FileLock(tmp_path / ".x.jsonl.lock")
    with lock, pytest.raises(LadderError, match="another process writes"), appending(file):
        pass


def test_a_damaged_file_gets_one_line(tmp_path: Path) -> None:
    good = played(KUHN, "random", "random").text()
    file = tmp_path / "x.jsonl"
    for text, words in (
        ("{}\n", "line 1 is not a line of a ladder .it must have an object with block.; each line is one block"),
        (good + "nonsense\n", "line 2 is not a line"),
        (good + good, "line 2 repeats"),
        (good + good.replace('"seed": 0', '"seed": 1'), "line 2 has another game, seed"),
        (good.replace('"protocol": 1', '"protocol": 0'), "protocol must be 1, not 0"),
        (good.replace('"wins": "', '"wins": "?'), "wins must be digits"),
        (good.replace('"wins": "', '"wins": "1'), "wins must be digits"),
        (good.replace('"forfeits": []', '"forfeits": [[999999, 0, "x"]]'), "a forfeit must be"),
        (good.replace('"name": "random"', '"name": "a\\nb"'), "a name and a digest of one line"),
        (good.replace('"name": "random"', '"name": ["random"]'), "a name and a digest of one line"),
        (good.replace('"digest": "', '"digest": 1, "other": "'), "a name and a digest of one line"),
        (good.replace('"cpu_seconds": [', '"cpu_seconds": ["x", '), "the decisions and cpu_seconds of two players"),
        (good.replace('"decisions": [', '"decisions": 3, "others": ['), "line 1 is not a line"),
        (
            good + good.replace('"block": 0, ', '"block": 1, ').replace('"digest": "', '"digest": "0', 5),
            "line 2",
        ),
        (good + "[" * 100_000 + "\n", "line 2 is not a line of a ladder .* nested deeper"),
        (good.replace('"options": {}', '"options": ' + '{"a": ' * 60 + "1" + "}" * 60), "line 1 .* nested deeper"),
        (good.replace('"seed": 0', '"seed": Infinity'), "line 1.*Infinity is not a number"),
        (good.replace('"seed": 0', '"seed": 1' + "0" * 400), "line 1 .* is too large"),
        (good.replace('"seed": 0', '"seed": 1' + "0" * 5000), "line 1 .* is too large"),
        (good.replace('"seed": 0', '"seed": false'), "seed and block must be integers"),
        (good.replace('"seed": 0', '"seed": 0.0'), "seed and block must be integers"),
        (good.replace('"block": 0,', '"block": 1e400,'), "line 1 .* is too large"),
        (good.replace('"block": 0,', '"block": false,'), "seed and block must be integers"),
        (good.replace('"block": 0,', '"block": -1,'), "seed and block must be integers"),
        (good.replace('"protocol": 1', '"protocol": true'), "protocol must be 1, not True"),
        (good.replace('"deals": 256', '"deals": 256.0'), "deals must be an integer from 1 to 256, not 256.0"),
        (good.replace('"forfeits": []', '"forfeits": [[0, true, "x"]]'), "a forfeit must be"),
        (good.replace('"forfeits": []', '"forfeits": [3]'), "a forfeit must be"),
        (good.replace('"cpu_seconds": [', '"cpu_seconds": [NaN, 1], "x": ['), "NaN is not a number"),
        (good.replace('"cpu_seconds": [', '"cpu_seconds": [1e300, 1], "x": ['), "the decisions and cpu_seconds"),
        (good.replace('"decisions": [', '"decisions": [true, 1], "x": ['), "the decisions and cpu_seconds"),
        ("[]\n", "line 1 .* must have an object with block"),
    ):
        file.write_text(text)
        with pytest.raises(LadderError, match=words) as error:
            read_lines(file)
        assert "\n" not in str(error.value)


def test_files_of_windows_editors_are_read_or_named(tmp_path: Path) -> None:
    good, file = played(KUHN, "random", "random").text(), tmp_path / "x.jsonl"
    file.write_bytes(good.replace("\n", "\r\n").encode("utf-8-sig"))
    assert read_lines(file)[0].text() == good
    file.write_bytes(good.encode("utf-16"))
    with pytest.raises(LadderError, match=r"x\.jsonl .*UTF-16"):
        read_lines(file)


def test_a_long_seed_is_written_as_text() -> None:
    line = replace(played(KUHN, "random", "random"), seed=2**64 - 1)
    assert json.loads(line.text())["block"]["seed"] == "18446744073709551615"
    assert read_line(line.text()).seed == 2**64 - 1


def test_a_line_that_does_not_fit_its_games_sides_is_refused() -> None:
    line = played(KUHN, "random", "random")
    check_sides(KUHN, [line])
    for wrong in (np.repeat(line.wins, 2, axis=1), np.full_like(line.wins, 3)):
        with pytest.raises(LadderError, match=r"line 2 .*2 sides"):
            check_sides(KUHN, [line, replace(line, wins=wrong)])


def test_players_receive_the_ends_of_their_games() -> None:
    class Hears(Stubborn):
        heard: list[list[float]]

        def ended(self, row: int, seat: int, returns: np.ndarray, notes: Notes | None) -> None:
            self.heard.append(returns.tolist())

    hears = Hears(1, "hears")
    hears.heard = []
    play_line(KUHN, (Entry("hears", None), hears), (Entry("passer", None), PASSER), 0, 0, 60)
    assert len(hears.heard) == 2 * DEALS


def test_names_in_a_file_run_no_code() -> None:
    for name in ("command:./bot", "python:os.system"):
        with pytest.raises(LadderError, match="--allow-code"):
            check_harmless(name)
    for name in ("greedy", "mcts:200", "mc:5", "checkpoint:runs/x", "runs/x@argmax", "a/b+search:64,rivals=policy"):
        check_harmless(name)
    with pytest.raises(LadderError, match="not a game of spygames"):
        game_of(played(KUHN, "random", "random"))


def test_pairs_of_players() -> None:
    assert pairs(KUHN, ["c", "a", "b"], ["a", "b", "c"]) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert pairs(KUHN, ["c", "a", "b"], ["b"]) == [("a", "b"), ("b", "c")]
    game = pennies.make_game()
    assert pairs(game, ["b", "a"], ["b"]) == [("a", "b"), ("b", "a"), ("b", "b")]


def test_an_entrys_name_states_how_a_policy_plays() -> None:
    game = leduc.make_game()
    policy = from_network(game, ActorCritic(game.num_features, game.num_actions, (4,)))
    for name, written in (
        ("net", "net@sample"),
        ("net@argmax", "net@argmax"),
        ("net+search:8,mode=safe", "net@sample+search:8,mode=safe"),
        ("net@0.5+search:8", "net@0.5+search:8"),
    ):
        assert entry_of(game, name, policy).name == written
    assert entry_of(game, "random", make_player(game, "random")).name == "random"
    assert entry_of(game, "onnx:a.onnx", BETTOR).name == "onnx:a.onnx@sample"
    assert entry_of(game, "onnx:a.onnx@0.5", BETTOR).name == "onnx:a.onnx@0.5"


def test_a_player_is_identified_by_its_digest() -> None:
    game = leduc.make_game()
    networks = [ActorCritic(game.num_features, game.num_actions, (4,)) for _ in range(2)]
    digests = [player_digest(game, from_network(game, network, how)) for network in networks for how in ("", "argmax")]
    assert digests[0] == digests[1]
    assert digests[0] != digests[2]
    heimlich_game = heimlich.make_game(players=3)
    bots = {player_digest(heimlich_game, make_player(heimlich_game, name)) for name in ("random", "greedy", "mcts:3")}
    assert len(bots) == 3
    assert None not in bots
    assert player_digest(game, BETTOR) is None


# Standings


def blocks(shares: dict[tuple[str, str], float], game: Game, sides: int) -> list[Line]:
    """Return lines in which each pair has this win share, and one side wins each game."""
    rng, lines = np.random.default_rng(0), []
    for (a, b), share in shares.items():
        for number in range(4):
            own = (rng.random((DEALS, sides)) < share).astype(np.int64)
            lines.append(line_of(game, a, b, np.stack([own, 1 - own], axis=2), number))
    return lines


def test_ratings_recover_the_true_strengths() -> None:
    truth = {"expert-1": 0.0, "weak": -1.0, "strong": 0.7}
    shares = {(a, b): 1 / (1 + np.exp(truth[b] - truth[a])) for a, b in itertools.combinations(sorted(truth), 2)}
    lines = [replace_digests(line) for line in blocks(shares, KUHN, 2)]
    found = standings(lines, 2)
    assert [entry.name for entry in found.entries] == ["strong", "expert-1", "weak"]
    assert found.anchor == "expert-1"
    for entry, rating in zip(found.entries, found.ratings, strict=True):
        expected = truth[entry.name] * 400 / np.log(10)
        assert rating.low - 1 <= expected <= rating.high + 1
        assert rating.value == pytest.approx(expected, abs=25)
    assert 10 < found.ratings[0].high - found.ratings[0].low < 80
    assert found.shares[0, 2] == pytest.approx(1 - found.shares[2, 0])
    assert [each.value for each in found.lottery] == pytest.approx([1, 0, 0])
    assert found.deals[0, 1] == found.deals[1, 0] == 4 * DEALS
    assert found.milliseconds == pytest.approx([5 / 3, 1, 2])


def replace_digests(line: Line) -> Line:
    """Return the same line with the names as digests."""
    first, second = (Entry(entry.name, entry.name) for entry in line.players)
    return Line(line.game, (first, second), line.seed, line.number, line.wins, [], line.made)


def test_one_against_several_is_rated_by_luces_choice() -> None:
    """A seat of twice the strength wins half of the games against two others; equal seats win a third."""
    game = pennies.make_game()
    shares = {("a", "b"): 0.5, ("b", "a"): 0.2, ("a", "a"): 1 / 3, ("b", "b"): 1 / 3}
    lines = [replace_digests(line) for line in blocks(shares, game, 3) if line.players[0].name != line.players[1].name]
    found = standings(lines, 3)
    difference = found.ratings[0].value - found.ratings[1].value
    assert difference == pytest.approx(400 * np.log10(2), abs=25)
    assert found.shares[0, 1] == pytest.approx(0.5, abs=0.03)
    assert found.shares[1, 0] == pytest.approx(0.2, abs=0.03)
    assert found.anchor == ""


def test_a_new_entry_changes_no_old_share() -> None:
    old = [replace_digests(line) for line in blocks({("a", "b"): 0.6}, KUHN, 2)]
    new = [replace_digests(line) for line in blocks({("a", "c"): 0.9, ("b", "c"): 0.8}, KUHN, 2)]
    before, after = standings(old, 2), standings([*old, *new], 2)
    place = [entry.name for entry in after.entries]
    assert after.shares[place.index("a"), place.index("b")] == before.shares[0, 1]


def test_the_lottery_of_a_cycle_is_its_equilibrium() -> None:
    """Rock, paper and scissors with margins a, b, c: each is drawn in proportion to the margin of the two others."""
    a, b, c = 0.1, 0.2, 0.3  # rock over scissors, scissors over paper, paper over rock
    margins = np.array([[0, -c, a], [c, 0, -b], [-a, b, 0]])
    assert maximal_lottery(0.5 + margins) == pytest.approx(np.array([b, a, c]) / (a + b + c), abs=1e-6)
    # A player that loses to all three gets nothing and changes nothing; a clone of rock shares rock's probability.
    worse = np.pad(margins, (0, 1), constant_values=0.4)
    worse[3, :] = -0.4
    worse[3, 3] = 0
    assert maximal_lottery(0.5 + worse)[:3] == pytest.approx(np.array([b, a, c]) / (a + b + c), abs=1e-6)
    cloned = margins[np.ix_([0, 1, 2, 0], [0, 1, 2, 0])]
    lottery = maximal_lottery(0.5 + cloned)
    assert lottery[1:3] == pytest.approx(np.array([a, c]) / (a + b + c), abs=1e-6)
    unknown = np.full((2, 2), np.nan)
    assert maximal_lottery(unknown).sum() == pytest.approx(1)


def test_a_bar_in_a_name_is_escaped_in_tables() -> None:
    found = standings(blocks({("a+search:8,rivals=policy|expert", "b"): 0.7}, KUHN, 2), 2)
    for table in (standings_table(found), cross_table(found)):
        text = table.markdown()
        assert r"`a+search:8,rivals=policy\|expert`" in text
        assert {len(re.findall(r"(?<!\\)\|", row)) for row in text.splitlines()} == {len(table.head) + 1}


def test_a_page_says_if_some_pairs_have_not_met(tmp_path: Path) -> None:
    game, shares = agent_avenue.make_game(), {("a", "b"): 0.6, ("a", "c"): 0.6}
    for met, says in ((shares, True), ({**shares, ("b", "c"): 0.5}, False)):
        lines = [replace_digests(line) for line in blocks(met, game, 2)]
        text = page(game, tmp_path / "x.jsonl", lines, standings(lines, 2))
        assert ("Nearly every pair has played" in text, "a pair that has not met" in text) == (says, says)


def test_a_page_says_if_searches_drew_other_worlds(tmp_path: Path) -> None:
    game, later = (replace(agent_avenue.make_game(), worlds_version=version) for version in (1, 3))
    for names, said in ((("a", "b"), []), (("a", "b+search:8"), ["1"]), (("a", "mcts:20"), ["1"])):
        lines = [replace_digests(line) for line in blocks({names: 0.6}, game, 2)]
        for made, versions in (({}, said), ({"worlds": 2}, ["1 and 2"] if said else []), ({"worlds": 3}, said)):
            last = replace(lines[-1], made=lines[-1].made | made)
            text = page(later, tmp_path / "x.jsonl", [*lines[:-1], last], standings(lines, 2))
            assert re.findall(r"worlds of version (.*), which", text) == versions
            assert "worlds" not in page(game, tmp_path / "x.jsonl", lines, standings(lines, 2))


def test_forfeited_games_are_counted() -> None:
    line = replace_digests(line_of(KUHN, "a", "b", np.tile([[1, 0], [0, 1]], (DEALS, 1, 1))))
    line.forfeits.extend([[3, 0, "failed"], [5, 1, "too slow"], [9, 1, "failed"]])
    found = standings([line], 2)
    assert dict(zip((e.name for e in found.entries), found.forfeits, strict=True)) == {"a": 1, "b": 2}
