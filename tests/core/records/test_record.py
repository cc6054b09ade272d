"""Recorded games, above all the golden ones, replay exactly; invalid records are refused with one line."""

import json
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spygames
from spygames.agent_avenue import make_game
from spygames.core.chat.transcripts import load_said
from spygames.core.game.game import Game, IllegalAction, ImpossibleState, as_record
from spygames.core.game.registry import game_ids
from spygames.core.game.rng import derived_seed
from spygames.core.players.names import DecisionBatch, make_player
from spygames.core.players.player import Scripted
from spygames.core.players.python_function import PythonPlayer
from spygames.core.records.dataset import chat_rows, decision_rows
from spygames.core.records.record import (
    GameRecord,
    RecordError,
    load_games,
    make_record,
    play_record,
    read_games,
    replay,
    save_games,
)
from tests.poker import kuhn
from tests.support import pennies
from tests.support.changed import changed

GOLDEN = Path(__file__).parents[2] / "golden"
FILES = sorted(GOLDEN.glob("*/*.jsonl"))
GAMES = sorted(game_id.rpartition("_v")[0] for game_id in game_ids())


def random_record(seed: int = 3, game: Game | None = None) -> GameRecord:
    game = game or make_game()
    return play_record(game, [make_player(game, "random")] * game.num_players, seed)


# Golden games


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_golden_games_replay(path: Path) -> None:
    games = load_games(path)
    assert games
    for game_record in games:
        assert game_record.game.startswith(path.parent.name)
        assert len(game_record.positions) == len(game_record.actions) + 1  # otherwise nothing would be compared
        states = replay(game_record)
        assert states["to_move"][-1] < 0


def test_every_game_has_golden_games() -> None:
    assert GAMES
    assert sorted({path.parent.name for path in FILES}) == GAMES


def test_golden_games_cover_agent_avenue() -> None:
    games = [r for path in FILES if path.parent.name == "agent_avenue" for r in load_games(path)]
    ends = {(r.end_reason, r.returns[0] > 0) for r in games}
    reasons = ("caught", "codebreakers", "daredevils", "ran_out")
    assert ends >= {(reason, first) for reason in reasons for first in (True, False)}
    kinds = {text.split()[0] for r in games for text in r.actions}
    assert kinds >= {"discard", "play", "recruit"}
    first = {int(replay(r)["active_side"][0]) for r in games if r.options["first_player"] == "random"}
    assert first == {0, 1}
    variants = {(r.options["mode"], r.options["players"]) for r in games}
    assert variants == {(mode, players) for mode in ("simple", "advanced") for players in (2, 3, 4)}
    assert any(r.state is not None for r in games)


# Recording and replaying


def test_a_record_holds_the_whole_game() -> None:
    r = random_record()
    states = replay(r)
    assert (r.game, r.seed, r.state) == ("agent_avenue_v0", 3, None)
    assert r.options == {"mode": "simple", "players": 2, "first_player": 0}
    assert r.players == ("random", "random")
    assert len(states) == len(r.actions) + 1
    assert states[0] == make_game().start(3)[0]
    end = make_game().state_to_dict(as_record(states, -1))
    assert r.returns == ((1.0, -1.0) if end["winner"] == 0 else (-1.0, 1.0))
    assert r.end_reason == end["end_reason"] is not None
    assert random_record() == r
    assert random_record(4) != r


def test_replay_gives_the_same_states() -> None:
    game = make_game()
    states = game.start(8)
    s, mask, rng = as_record(states), np.zeros(game.num_actions, np.int8), np.random.default_rng(1)
    history, actions = [states.copy()], []
    while s.to_move >= 0:
        game.legal(s, mask)
        actions.append(int(rng.choice(np.flatnonzero(mask))))
        game.apply(s, actions[-1])
        history.append(states.copy())
    r = make_record(game, actions, 8, players=["one", "two"])
    assert replay(r).tobytes() == np.concatenate(history).tobytes()
    assert r.players == ("one", "two")
    cut = make_record(game, actions[:5], 8)  # an unfinished game
    assert cut.returns == (0, 0)
    assert replay(cut).tobytes() == np.concatenate(history[:6]).tobytes()


def test_rng_seed_changes_the_players_but_not_the_deal() -> None:
    game = make_game()
    players = [make_player(game, "random")] * 2
    one, two = (play_record(game, players, 3, rng_seed=seed) for seed in (1, 2))
    assert one.positions[0] == two.positions[0]
    assert one.actions != two.actions
    assert play_record(game, players, 3, rng_seed=1) == one
    assert play_record(game, players, 3, rng_seed=0).actions != play_record(game, players, 3).actions


def test_the_stream_of_players_does_not_reveal_the_deal() -> None:
    """It starts from a one-way hash of the seed, since SplitMix64 can be inverted."""
    started: list[int] = []

    class Watching(Scripted):
        def act(self, decisions: DecisionBatch) -> np.ndarray:
            started.extend(decisions.rng[:, 0].tolist())
            return super().act(decisions)

    game = make_game()
    play_record(game, [Watching(game, "random"), Watching(game, "random")], 3)
    assert started[0] == derived_seed(3, "players")


def test_a_game_from_a_state_is_recorded_and_replayed() -> None:
    game = make_game()
    middle = game.state_to_dict(as_record(replay(random_record(2)), 6))
    r = play_record(game, [make_player(game, "random")] * 2, state=middle)
    assert (r.seed, r.state) == (None, middle)
    assert game.state_to_dict(as_record(replay(r))) == middle


def test_games_of_other_modules_are_recorded() -> None:
    r = random_record(5, kuhn.make_game())
    assert (r.game, r.end_reason) == ("tests.poker.kuhn", None)
    assert len(replay(r, kuhn.make_game())) == len(r.actions) + 1
    # A game of three seats that no module has: replay needs the game itself.
    by_hand = changed(
        pennies.make_game(), module=np, state_to_dict=lambda g, s: {"rng": int(s.rng), "phase": int(s.phase)}
    )
    r = random_record(5, by_hand)
    assert (r.game, len(r.returns)) == ("pennies_v0", 3)
    assert len(replay(r, by_hand)) == len(r.actions) + 1
    assert "no game 'pennies_v0'" in refusal(r)


def test_a_record_needs_exactly_one_of_seed_and_state() -> None:
    game = make_game()
    with pytest.raises(ValueError, match="exactly one of seed and state"):
        make_record(game, [])
    with pytest.raises(ValueError, match="exactly one of seed and state"):
        make_record(game, [], 1, state={})
    with pytest.raises(ValueError, match=r"players must .*2 seats, not 1"):
        play_record(game, [make_player(game, "random")], 1)
    for one in ("random", make_player(game, "random")):
        with pytest.raises(ValueError, match=r"players must .*2 seats, not 1"):
            play_record(game, one, 1)  # type: ignore[arg-type]
    with pytest.raises(ImpossibleState):
        make_record(game, [], state={})
    with pytest.raises(ValueError, match="seed must be"):
        make_record(game, [], -1)


def test_a_game_is_not_given_by_its_id() -> None:
    record = random_record(5)
    for call in (
        lambda name: play_record(name, ["random", "random"], 1),
        lambda name: make_record(name, [], 1, players=["a", "b"]),
        lambda name: replay(record, name),
    ):
        with pytest.raises(TypeError, match="game must be a Game, as"):
            call("agent_avenue_v0")


def test_a_forfeited_game_is_recorded_with_its_result(tmp_path: Path) -> None:
    class Gives:
        """A player that gives up at its third decision."""

        def __init__(self, game: Game, seat: int, seed: int) -> None:
            self.asked = 0

        def act(self, observation: np.ndarray, mask: np.ndarray) -> int:
            self.asked += 1
            return int(mask.argmax()) if self.asked < 3 else -1

    game = spygames.make_game("heimlich_v0", players=3)
    gives = PythonPlayer(game, Gives, "gives")
    with pytest.raises(IllegalAction):
        play_record(game, ["random", gives, "random"], 3)
    record = play_record(game, ["random", gives, "random"], 3, forfeits=True)
    assert (record.forfeit, record.returns, record.end_reason) == (1, (0.5, -1.0, 0.5), None)
    states = replay(record, game)
    assert states["to_move"].tolist().count(1) == 3
    assert int(states["to_move"][-1]) == 1
    save_games(tmp_path / "games.jsonl", [record, random_record()])
    assert load_games(tmp_path / "games.jsonl") == [record, random_record()]
    assert ["forfeit" in line for line in (tmp_path / "games.jsonl").read_text().splitlines()] == [True, False]
    assert {row["result"] for row in decision_rows(record) if row["seat"] == 1} == {-1.0}
    assert [row["result"] for row in chat_rows(record)] == [0.5, -1.0]  # the third seat has made no decision
    assert refusal(replace(record, forfeit=None)).startswith("returns must be (0.0, 0.0, 0.0)")
    assert "forfeit must be the seat to move" in refusal(replace(record, forfeit=0))


def test_seeds_may_be_any_integer_type_in_range(tmp_path: Path) -> None:
    game = make_game()
    players = [make_player(game, "random")] * 2
    for bad in (True, 1.5, -1, 2**64, "7"):
        with pytest.raises(ValueError, match="seed must be"):
            make_record(game, [], bad)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="seed must be"):
            play_record(game, players, bad)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="seed must be"):
            play_record(game, players, 1, rng_seed=bad)  # type: ignore[arg-type]
    path = tmp_path / "games.jsonl"
    kinds: list[Any] = [int, np.int64, np.uint64]
    games = [play_record(game, players, kind(7), rng_seed=kind(8)) for kind in kinds]
    save_games(path, games)
    assert load_games(path) == games
    assert games[0] == games[1] == games[2]


def test_illegal_actions_are_refused() -> None:
    game = make_game()
    for action in (-1, game.num_actions, 2**70, 0, 9.0, None, True, "9"):
        with pytest.raises(
            IllegalAction, match=r"not legal for seat 0(: your hand does not hold this card \(AA-8\))?; legal are"
        ):
            make_record(game, [action], 31)  # type: ignore[list-item]


def test_names_and_forfeits_are_plain_values() -> None:
    game = make_game()
    for players in ("greedy", [1, None]):
        with pytest.raises(TypeError, match="players must be a list of names"):
            make_record(game, [], 31, players=players)  # type: ignore[arg-type]
    for forfeit in (-1, 7, "0"):
        with pytest.raises(ValueError, match="forfeit must be an integer"):
            make_record(game, [], 31, forfeit=forfeit)  # type: ignore[arg-type]
    one = make_record(game, [], 31, forfeit=np.int64(0))  # type: ignore[arg-type]
    assert one.to_line() == make_record(game, [], 31, forfeit=0).to_line()
    assert [each.forfeit for each in read_games(one.to_line())] == [0]


class Cheat:
    """A player that always gives the same answer."""

    name = "cheat"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        decisions.mask[:] = 1  # the check uses the game's own mask
        return np.array([self.answer])


@pytest.mark.parametrize("answer", [-1, 10**6, 0, 9.0, True, None])
def test_invalid_answers_of_players_are_refused(answer: Any) -> None:
    game = make_game()
    what = "answered an illegal action: .* for seat 1" if type(answer) is int else r"must answer 1 actions, .*, not arr"
    with pytest.raises(IllegalAction, match=f"the player cheat {what}"):
        play_record(game, [make_player(game, "random"), Cheat(answer)], 31)
    record = play_record(game, [make_player(game, "random"), Cheat(answer)], 31, forfeits=True)
    assert (record.forfeit, record.returns) == (1, (1.0, -1.0))


# Records that do not match


def refusal(game_record: GameRecord) -> str:
    with pytest.raises(RecordError) as error:
        replay(game_record)
    assert "\n" not in str(error.value)
    return str(error.value)


def with_action(r: GameRecord, number: int, text: str) -> GameRecord:
    return replace(r, actions=(*r.actions[:number], text, *r.actions[number + 1 :]))


def test_each_changed_action_is_refused() -> None:
    game, r = make_game(), random_record()
    states = replay(r)
    mask = np.zeros(game.num_actions, np.int8)
    legal_ones = 0
    for number, was in enumerate(r.actions):
        s = as_record(states, number)
        game.legal(s, mask)
        for action in np.flatnonzero(mask):
            text = game.action_to_string(s, int(action), int(s.to_move))
            if text != was:
                legal_ones += 1
                assert f"after move {number + 1} ({text}) the position is not" in refusal(with_action(r, number, text))
    assert legal_ones > 20


def test_changed_action_is_refused_by_its_result_alone() -> None:
    r = replace(random_record(), positions=())
    flipped = {"recruit up": "recruit down", "recruit down": "recruit up"}
    refused = 0
    for number, text in enumerate(r.actions):
        if text in flipped:
            try:
                replay(with_action(r, number, flipped[text]))
            except RecordError:
                refused += 1
    assert refused
    replay(r)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "spygames.agent_avenue"}, "name the game of another module (--game, in Python `game`)"),
        ({"game": "bridge_v0"}, "the game of this record cannot be made: no game 'bridge_v0'; available: agent"),
        ({"game": "agent_avenue_v99"}, "the game of this record cannot be made: no game 'agent_avenue_v99'"),
        ({"options": {"mode": "hard"}}, "the game of this record cannot be made: mode must be"),
        ({"options": {"colour": 1}}, "the game of this record cannot be made: "),
        ({"options": {"first_player": 1}}, "at the start the position is not the recorded one"),
        ({"seed": 4}, "at the start the position is not the recorded one"),
        ({"seed": None}, "the record cannot begin: "),
        ({"seed": None, "state": {"mode": "simple"}}, "the record cannot begin: the state lacks"),
        ({"players": ("random",)}, "players must be 2 names, one for each seat, not 1"),
        ({"players": ("a", "b", "c")}, "players must be 2 names, one for each seat, not 3"),
        ({"positions": ("aa",)}, " entries, one more than actions, not 1"),
        ({"returns": (0.0, 0.0)}, "returns must be ("),
        ({"end_reason": "masterplan"}, "end_reason must be '"),
        ({"forfeit": 1}, "forfeit must be the seat to move after the last action, not 1"),
    ],
)
def test_records_that_do_not_match_are_refused(change: dict[str, Any], message: str) -> None:
    assert message in refusal(replace(random_record(), **change))


def test_invalid_moves_are_refused() -> None:
    r = random_record()
    assert refusal(with_action(r, 1, "play mole mole")).startswith(
        "move 2 does not fit: 'play mole mole' is not legal for seat"
    )
    assert "legal are" in refusal(with_action(r, 1, "play mole mole"))
    assert refusal(with_action(r, 2, "sing")).startswith("move 3 does not fit: 'sing' is not an action")
    longer = replace(r, actions=(*r.actions, "recruit up"), positions=())
    assert refusal(longer).endswith("'recruit up' comes after the end of the game")
    shorter = replace(r, actions=r.actions[:-1], positions=r.positions[:-1])
    assert refusal(shorter).startswith("returns must be (0.0, 0.0)")


def test_another_version_is_named_in_the_error() -> None:
    old = replace(random_record(), spygames="0.0.1")
    replay(old)  # an older version alone is not an error
    assert refusal(replace(old, seed=9)).endswith(f"(recorded with spygames 0.0.1, this is {spygames.__version__})")


def test_a_file_cannot_import_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "module_named_in_a_file.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "no game 'module_named_in_a_file'" in refusal(replace(random_record(), game="module_named_in_a_file"))
    assert "module_named_in_a_file" not in sys.modules


# Files


def test_files_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    middle = make_game().state_to_dict(as_record(replay(random_record(2)), 6))
    from_state = play_record(make_game(), [make_player(make_game(), "random")] * 2, state=middle)
    games = [random_record(2**64 - 1), random_record(1), from_state]
    save_games(path, games)
    assert load_games(path) == games
    assert len(path.read_text().splitlines()) == 3
    assert [p.name for p in tmp_path.iterdir()] == ["games.jsonl"]


def test_large_numbers_survive_programs_that_use_doubles(tmp_path: Path) -> None:
    """JavaScript and jq 1.6 are examples."""
    path = tmp_path / "games.jsonl"
    middle = make_game().state_to_dict(as_record(replay(random_record(2)), 6))
    random = [make_player(make_game(), "random")] * 2
    games = [random_record(seed) for seed in (2**64 - 1, 2**53, 2**53 - 1)] + [
        play_record(make_game(), random, state=middle)
    ]
    save_games(path, games)
    lines = [json.loads(line, parse_int=lambda digits: int(float(digits))) for line in path.read_text().splitlines()]
    assert [line["seed"] for line in lines] == ["18446744073709551615", "9007199254740992", 9007199254740991, None]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert load_games(path) == games


def test_numbers_in_older_files_are_read_and_rewritten_as_texts(tmp_path: Path) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    middle = make_game().state_to_dict(as_record(replay(random_record(2)), 6))
    from_state = play_record(make_game(), [make_player(make_game(), "random")] * 2, state=middle)
    numbers = {**middle, "rng": int(middle["rng"])}
    old.write_text(
        json.dumps(asdict(random_record(2**64 - 1))) + "\n" + json.dumps({**asdict(from_state), "state": numbers})
    )
    found = load_games(old)
    assert [game.seed for game in found] == [2**64 - 1, None]
    assert replay(found[1]).tobytes() == replay(from_state).tobytes()
    save_games(new, found)
    assert load_games(new) == [random_record(2**64 - 1), from_state]


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    save_games(path, [random_record()])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert load_games(path) == [random_record()]


@pytest.mark.skipif(sys.platform == "win32", reason="needs pipes and devices of POSIX")
def test_only_regular_files_up_to_a_size_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, path = tmp_path / "pipe", tmp_path / "games.jsonl"
    os.mkfifo(pipe)
    save_games(path, [random_record()])
    monkeypatch.setattr("spygames.core.records.record.MAX_BYTES", 100)
    for file, what in ((pipe, "not a regular"), ("/dev/zero", "not a regular"), (path, "longer than 100 bytes")):
        with pytest.raises(OSError, match=what):
            load_games(file)


def test_a_file_is_written_atomically(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.jsonl"
    save_games(path, [random_record(1)])
    before = path.read_bytes()

    def full(*args: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space left"):
        save_games(path, [random_record(2), random_record(3)])
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["games.jsonl"]


def test_saving_into_a_missing_folder_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "games.jsonl"
    with pytest.raises(FileNotFoundError) as caught:
        save_games(path, [])
    assert caught.value.filename == str(path)


@pytest.mark.skipif(sys.platform == "win32", reason="needs links, pipes and permissions of POSIX")
def test_files_are_saved_through_links_and_pipes_and_permissions_stay(tmp_path: Path) -> None:
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(target)
    os.mkfifo(pipe)
    usual = tmp_path / "usual"
    usual.touch()
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()), daemon=True)
    reader.start()
    for path in (pipe, link):
        save_games(path, [random_record()])
    reader.join(60)  # if the pipe was replaced, the reader waits forever
    assert link.is_symlink()
    assert pipe.is_fifo()
    assert found == [target.read_text()]
    assert load_games(target) == [random_record()]
    assert target.stat().st_mode == usual.stat().st_mode
    target.chmod(0o640)
    save_games(link, [random_record()])
    assert target.stat().st_mode & 0o777 == 0o640


def test_texts_may_have_separators_of_lines() -> None:
    """JSON escapes line feeds only, and programs may write other characters as they are."""
    record = replace(random_record(), players=("one\u2028two", "three\x85"))
    line = json.dumps(json.loads(record.to_line()), ensure_ascii=False)
    assert read_games(f"{line}\n{line}\n") == [record, record]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda line: line[:-30], "line 2: not JSON"),
        (lambda line: "[1]", "line 2: a record must be a mapping, not list"),
        (lambda line: line.replace('"seed"', '"sead"'), "line 2: not a game record (key 'seed' is missing)"),
        (lambda line: line.replace('"seed"', '"se\\nad"'), "line 2: not a game record (key 'seed' is missing)"),
        (lambda line: line[:-1] + ', "x": 1}', "line 2: not a game record (key 'x' is unknown)"),
        (lambda line: line[:-1] + ', "x": ' + "[" * 10**5 + "]" * 10**5 + "}", "line 2: not JSON"),
        (lambda line: line.replace('"seed": 3', '"seed": "' + "3" * 10**5 + '"'), "line 2: seed must be an integer"),
        (lambda line: line.replace('"seed": 3', '"seed": 3.0'), "line 2: seed must be an integer"),
        (lambda line: line.replace('"seed": 3', f'"seed": "{2**64}"'), "line 2: seed must be an integer"),
        (lambda line: line.replace('"seed": 3', '"seed": -3'), "line 2: seed must be an integer"),
        (lambda line: line.replace('"seed": 3', '"seed": true'), "line 2: seed must be an integer"),
        (lambda line: line.replace('"random", "random"', '"random", 1'), "line 2: players must be a list of texts"),
        (lambda line: line.replace('"random", "random"', '"\\ud800", "b"'), "line 2: a text is not valid Unicode"),
        (
            lambda line: line[:-1] + ', "forfeit": true}',
            "line 2: forfeit must be the number of a seat or null, not True",
        ),
    ],
)
def test_invalid_files_are_refused(tmp_path: Path, change: Callable[[str], str], message: str) -> None:
    path = tmp_path / "games.jsonl"
    save_games(path, [random_record(), random_record()])
    first, second = path.read_text().splitlines()
    assert change(second) != second
    path.write_text(f"{first}\n{change(second)}\n")
    with pytest.raises(RecordError) as error:
        load_games(path)
    assert f"games.jsonl, {message}" in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 1000


@pytest.mark.parametrize("key", ["state", "options"])
def test_deeply_nested_values_are_refused(tmp_path: Path, key: str) -> None:
    path = tmp_path / "games.jsonl"
    save_games(path, [random_record()])
    line = json.loads(path.read_text())
    line.update({key: 0, **({"seed": None} if key == "state" else {})})
    name = "mode" if key == "options" else "rng"
    for depth in (10, 200, 400, 600, 800, 900, 940, 960, 970, 980, 990, 1000, 2000):
        nested = json.dumps(line).replace(f'"{key}": 0', f'"{key}": {{"{name}": {"[" * depth}{"]" * depth}}}')
        path.write_text(nested + "\n")
        with pytest.raises(RecordError):
            replay(load_games(path)[0])


def test_files_that_are_not_utf_8_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    for load in (load_games, load_said):
        path.write_bytes(b"\x80")
        with pytest.raises(RecordError, match=r"games.jsonl is not a file of recorded games"):
            load(path)
        path.write_text("{}", "utf-16")
        with pytest.raises(RecordError, match="is UTF-16, and must be UTF-8"):
            load(path)
