"""Transcripts of language models: games, what was said, and runs that continue from them."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from spygames import SingleEnv, make_game
from spygames.core.chat.account import Budget
from spygames.core.chat.player import CONCURRENT
from spygames.players import LanguageModel, Limits, PlayerFailed, PlayerUnavailable, Transcripts
from spygames.records import (
    Film,
    GameRecord,
    RecordError,
    Said,
    load_games,
    load_said,
    play_record,
    read_games,
    replay,
    save_games,
)
from spygames.text import Verdict, parse
from tests.core.players.test_python_function import last_decision
from tests.support.chat_server import chat_server, listed, model_of, sensible

pytest.importorskip("httpx", reason="needs the extra llm")

GAME = make_game("agent_avenue_v0")


def games_in(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]


def record_of(line: dict[str, Any]) -> GameRecord:
    (record,) = read_games(json.dumps(line["game"]))
    return record


def test_transcripts_replay_and_have_each_prompt_answer_and_verdict(tmp_path: Path) -> None:
    with chat_server(lambda m, n: "hm" if n == 1 else sensible(m, n)) as server:
        model = model_of(server, transcripts=Transcripts(tmp_path))
        record = play_record(GAME, [model, model], seed=1)
        model.close()
    (line,) = games_in(tmp_path)
    assert line["ended"] == "played"
    found = record_of(line)
    assert (found.actions, found.returns) == (record.actions, record.returns)
    assert len(replay(found)) == len(record.actions) + 1
    exchanges = [each for seat in line["seats"].values() for turn in seat["decisions"] for each in turn["exchanges"]]
    asked = Counter(request["messages"][-1]["content"] for request in server.requests)
    assert Counter(each["prompt"] for each in exchanges) == asked
    assert Counter(each["verdict"] for each in exchanges) == {"ok": len(record.actions), "unparseable": 1}
    for seat in line["seats"].values():
        for turn in seat["decisions"]:
            last = turn["exchanges"][-1]
            assert parse(last["answer"], turn["legal"]).verdict is Verdict.OK


def test_films_of_transcripts_have_what_was_said(tmp_path: Path) -> None:
    with chat_server(lambda m, n: "hm\x00\ud800 " * 300 if n in (1, 4, 5, 6) else sensible(m, n)) as server:
        model = model_of(server, transcripts=Transcripts(tmp_path))
        with pytest.raises(PlayerFailed):
            play_record(GAME, ["random", model], seed=1)
        model.close()
    file = tmp_path / "games.jsonl"
    save_games(tmp_path / "plain.jsonl", load_games(file))
    assert load_said(tmp_path / "plain.jsonl") == [{}]
    (record,), (said,) = load_games(file), load_said(file)
    film = Film(record, said=said)
    own = [i for i, seat in enumerate(film.states["to_move"]) if seat == 1]
    assert [*film.said] == own
    assert [[verdict for verdict, _ in said[i].answers] for i in own] == [
        ["ok"], ["unparseable", "ok"], ["ok"], ["unparseable"] * 3,
    ]  # fmt: skip
    assert {each.title for each in said.values()} == {"What llm:fake said"}
    for position in range(len(film)):
        for viewer in (-1, 0, 1):
            scene = film.scene(position, viewer)
            assert scene.said == (said.get(position) if viewer != 0 else None)
            shown = [text for each in ElementTree.fromstring(scene.picture) for text in each.itertext()]
            assert ("What llm:fake said" in shown) == (scene.said is not None)
            assert ("I think." in " ".join(shown)) == (scene.said is not None and position != own[-1])
    assert len({re.search("viewBox=.*?>", film.scene(i, 0).picture)[0] for i in range(len(film))}) == 1  # type: ignore[index]
    for size in ("portrait", "compact"):
        assert "What llm:fake said" in film.scene(own[0], size=size).picture


def test_transcripts_of_two_models_are_one_game_with_what_both_said(tmp_path: Path) -> None:
    """Also where one of them loses the game, so that the other knows it only up to its own last decision."""
    folder = Transcripts(tmp_path)
    with chat_server(lambda m, n: "hm" if n in (28, 29, 30) else sensible(m, n)) as server:
        both = [LanguageModel(GAME, f"{name}@{server.url}", transcripts=folder, pause=0.0) for name in "ab"]
        records = []
        for seats in (both, both[::-1]):  # the same deal twice
            records.append(play_record(GAME, seats, seed=1, forfeits=True))
            for model in both:
                model.close()
    assert [record.forfeit is None for record in records] == [True, False]
    file = tmp_path / "games.jsonl"
    assert len(games_in(tmp_path)) == 4
    games, told = load_games(file), load_said(file)
    assert [(game.actions, game.returns, game.forfeit) for game in games] == [
        (record.actions, record.returns, record.forfeit) for record in records
    ]
    for game, said, names in zip(games, told, ("ab", "ba"), strict=True):
        seats = Film(game, said=said).states["to_move"].tolist()
        assert {i: each.title for i, each in said.items()} == {
            i: f"What llm:{names[seat]} said" for i, seat in enumerate(seats) if seat >= 0
        }
    shuffled = file.read_text().splitlines()[::-1]
    (tmp_path / "shuffled.jsonl").write_text("\n".join(shuffled))
    assert load_said(tmp_path / "shuffled.jsonl") == told[::-1]


def test_a_game_that_was_broken_off_is_not_the_one_that_was_played_later(tmp_path: Path) -> None:
    folder, file = Transcripts(tmp_path), tmp_path / "games.jsonl"
    with chat_server(sensible) as server:
        both = [LanguageModel(GAME, f"{name}@{server.url}", transcripts=folder, pause=0.0) for name in "ab"]
        moves = len(play_record(GAME, both, seed=1).actions)
        for model in both:
            model.close()
    played = games_in(tmp_path)
    (first,) = [line for line in played if "0" in line["seats"]]
    begun = {"actions": first["game"]["actions"][:1], "positions": first["game"]["positions"][:2]}
    broken = {**first, "ended": "broken off", "game": {**first["game"], **begun, "returns": [0, 0], "end_reason": None}}
    file.write_text("\n".join(map(json.dumps, [broken, *played])))
    assert [len(game.actions) for game in load_games(file)] == [1, moves]
    assert sorted(load_said(file)[1]) == [*range(moves)]


def test_what_was_said_must_fit_the_game(tmp_path: Path) -> None:
    record = play_record(GAME, ["random", "random"], seed=1)
    with pytest.raises(RecordError, match=f"something is said at position {len(record.actions)}, where no seat"):
        Film(record, said={len(record.actions): Said("llm:m", ())})
    line = {"model": "llm:m", "game": json.loads(record.to_line()), "seats": {"0": {"decisions": [{"exchanges": []}]}}}
    (tmp_path / "games.jsonl").write_text(json.dumps(line))
    assert load_games(tmp_path / "games.jsonl") == [record]
    with pytest.raises(RecordError, match=r"games.jsonl, line 1 is not a transcript: 'position'"):
        load_said(tmp_path / "games.jsonl")
    with pytest.raises(RecordError, match="line 1: the transcript has no game to replay"):
        read_games(json.dumps({**line, "game": None}))


def test_transcripts_have_games_that_are_longer_than_the_notes(tmp_path: Path) -> None:
    with chat_server(sensible) as server:
        model = model_of(server, transcripts=Transcripts(tmp_path))
        model.notes_size = 4
        record = play_record(GAME, ["random", model], seed=1)
        model.close()
    (found,) = load_games(tmp_path / "games.jsonl")
    assert len(record.actions) > model.notes_size
    assert (found.actions, found.returns) == (record.actions, record.returns)


def test_transcripts_have_lost_games_from_their_beginning(tmp_path: Path) -> None:
    for bad in (0, 2):  # at the first decision, and at a later one
        folder = tmp_path / str(bad)
        with chat_server(lambda m, n, bad=bad: "hm" if n >= bad else sensible(m, n)) as server:
            model = model_of(server, transcripts=Transcripts(folder))
            with pytest.raises(PlayerFailed):
                play_record(GAME, [model, "random"], seed=1)
            model.close()
        (line,) = games_in(folder)
        assert (line["ended"], line["forfeit"]["seat"]) == ("forfeit", 0)
        assert len(replay(record_of(line))) >= 1 + bad


def test_a_stopped_run_continues_without_asking_again(tmp_path: Path) -> None:
    def run(**options: Any) -> tuple[list[str], LanguageModel]:
        model = model_of(server, transcripts=Transcripts(tmp_path), **options)
        try:
            return [play_record(GAME, [model, "random"], seed=seed).to_line() for seed in range(3)], model
        finally:
            model.close()

    with chat_server(sensible) as server:
        with pytest.raises(PlayerUnavailable, match="same transcripts continues"):
            run(limits=Limits(tokens=900))
        paid = len(server.requests)
        with open(tmp_path / "answers.jsonl", "ab") as file:
            file.write(b'{"key": "cut by a ki')
        records, model = run()
        assert model.account.resumed == paid
        assert len(server.requests) == model.account.answers
        before = len(games_in(tmp_path))
        assert run()[0] == records
        assert len(server.requests) == model.account.answers  # nothing was asked
        assert len(games_in(tmp_path)) == before
        assert len({line["id"] for line in games_in(tmp_path)}) == before


def test_equal_games_of_one_run_have_a_line_each(tmp_path: Path) -> None:
    for lines in (1, 2, 2):  # a later run writes only those that are not there yet
        folder = Transcripts(tmp_path)
        for _ in range(lines):
            folder.add_game({"model": "llm:fake"})
        assert len(games_in(tmp_path)) == lines


def test_games_that_are_broken_off_have_a_line(tmp_path: Path) -> None:
    with chat_server(sensible) as server:
        model = model_of(server, transcripts=Transcripts(tmp_path))
        env = SingleEnv(GAME, model, seat=1)
        for seed in range(3):
            env.reset(seed=seed)
            env.step(int(env.action_masks().argmax()))
        assert [line["ended"] for line in games_in(tmp_path)] == ["broken off"] * 2
        model.close(unfinished=False)  # a later run continues the game
        assert len(games_in(tmp_path)) == 2
        env.reset(seed=3)
        model.close()
    assert len(games_in(tmp_path)) == 3
    assert all(replay(record_of(line)).size for line in games_in(tmp_path))


def test_the_end_of_a_later_game_is_not_that_of_a_broken_one(tmp_path: Path) -> None:
    """The later game ends before the model is asked in it."""
    game = make_game("agent_avenue_v0", first_player=1)
    start, action = last_decision(game, 0)
    with chat_server(lambda messages, number: f"[{listed(messages)[-1]}]") as server:
        model = model_of(server, game=game, transcripts=Transcripts(tmp_path))
        env = SingleEnv(game, model, seat=0)
        env.reset(seed=1)  # the model has decided first
        env.reset(options={"state": start})
        assert env.step(action)[2]
        model.close()
    (line,) = games_in(tmp_path)
    assert line["ended"] == "broken off"
    assert len(record_of(line).actions) <= len(line["seats"]["1"]["decisions"]) == 1


def test_a_running_game_belongs_to_the_transcripts_that_it_began_with(tmp_path: Path) -> None:
    folders = [tmp_path / "a", tmp_path / "b"]
    with chat_server(sensible) as server:
        model = model_of(server, transcripts=Transcripts(folders[0]))
        env = SingleEnv(GAME, model, seat=1)
        env.reset(seed=1)  # the model has decided
        with pytest.raises(ValueError, match="patience must be"):
            model.use(Budget(), None, 3, 0)
        assert model.concurrent == CONCURRENT
        model.use(Budget(), Transcripts(folders[1]), 3, 60)
        model.close()
    assert [line["ended"] for line in games_in(folders[0])] == ["broken off"]
    assert not (folders[1] / "games.jsonl").exists()


def test_transcripts_of_another_kind_are_refused(tmp_path: Path) -> None:
    for name in ("answers.jsonl", "games.jsonl"):
        for text in ("[]\n", "no\n", '{"key": "a", "text": 1}\n'):
            (tmp_path / name).write_text(text)
            with pytest.raises(ValueError, match=rf"{name}, line 1 is not"):
                Transcripts(tmp_path)
        (tmp_path / name).unlink()
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="file must be a folder, not a file"):
        Transcripts(tmp_path / "file")
