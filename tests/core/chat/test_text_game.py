"""Games whose seats answer in texts, alone and in TextArena's form."""

import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from gymnasium.error import ResetNeeded

from spygames import NOBODY, Game, make_game
from spygames.authoring import as_seed
from spygames.core.playing.batch import spread
from spygames.players import LanguageModel, PlayerFailed, PythonPlayer
from spygames.records import GameRecord, play_record, replay
from spygames.text import TextGame, Verdict, briefing, deals, prompt
from spygames.textarena import TextArenaEnv
from tests.support.chat_server import chat_server
from tests.support.text_games import (
    check_planted_leaks,
    check_same_games,
    hostile,
    legal_of,
    sensible,
    told_in_other_worlds,
)

GAME = make_game("agent_avenue_v0")


def by_table(
    game: Game, seed: int, seat: int | None, answer: Callable[[str], str]
) -> tuple[GameRecord, dict[int, list[str]]]:
    table, told = TextGame(game, () if seat is None else "random"), {}
    table.begin(seed, seat)
    while not table.over:
        told.setdefault(table.seat, []).append(table.told)
        table.answer(answer(table.told))
    return table.record(), told


def by_textarena(
    game: Game, seed: int, seat: int | None, answer: Callable[[str], str]
) -> tuple[GameRecord, dict[int, list[str]]]:
    env, told, done = TextArenaEnv(game), {}, False
    env.reset(num_players=game.num_players, seed=seed)
    while not done:
        player, text = env.get_observation()
        beginning = f"{briefing(game, player)}\n\n"
        assert text.startswith(beginning)
        told.setdefault(player, []).append(text.removeprefix(beginning))
        done, info = env.step(answer(told[player][-1]))
        assert info["verdict"] == "ok"
    rewards, info = env.close()
    record = env.table.record()
    assert tuple(rewards.values()) == record.returns
    assert not any(each["invalid_move"] for each in info.values())
    assert sum(each["decisions"] for each in info.values()) == len(record.actions)
    assert env.get_observation() == (NOBODY, "")
    return record, told


def test_games_are_the_same() -> None:
    check_same_games(by_table, self_play=True, seeds=[2**64 - 1])
    check_same_games(by_table, self_play=False, seeds=[7])
    check_same_games(by_textarena, self_play=True, seeds=[2**64 - 1])


def test_planted_leaks_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    check_planted_leaks(by_table, monkeypatch)
    check_planted_leaks(lambda game, seed, seat, answer: by_textarena(game, seed, None, answer), monkeypatch)


@pytest.mark.slow
def test_ten_thousand_prompts_do_not_leak() -> None:
    for options in ({}, {"mode": "advanced", "players": 4}):
        game, compared = make_game("agent_avenue_v0", **options), 0
        for seed in itertools.count():
            record, told = by_table(game, seed, None, sensible)
            assert all(each == told_in_other_worlds(game, record, seat) for seat, each in told.items())
            compared += len(record.actions)
            if compared >= 5_000:
                break


@pytest.mark.parametrize("mode", ["listed", "rules", "listed-on-retry"])
def test_the_conversation_is_that_of_a_language_model(mode: Any) -> None:
    """The same wrong and right answers give the same messages, counts and moves as those of `llm:` players."""
    pytest.importorskip("httpx", reason="needs the extra llm")
    table, wrong = TextGame(GAME, "random", mode=mode), itertools.cycle(["hm", "[play x]", "[a] [b]"])
    table.begin(5, 0)
    told, said = [table.briefing(0)], list[str]()
    while table.turn is not None:
        told.append(table.told)
        said.append(f"[{table.turn.legal[0]}]" if len(said) % 2 else next(wrong))
        assert bool(legal_of(table.told)) == (mode == "listed" or (mode != "rules" and len(said) % 2 == 0))
        assert [*table.listed] == legal_of(table.told)
        table.answer(said[-1])
    script = iter(said)
    with chat_server(lambda messages, number: next(script)) as server:
        model = LanguageModel(GAME, f"fake@{server.url},mode={mode}", pause=0.0)
        record = play_record(GAME, [model, "random"], seed=5)
        model.close()
    assert table.record().actions == record.actions
    asked = server.requests[-1]["messages"]
    assert [each["content"] for each in asked if each["role"] != "assistant"] == told
    counts, account = table.answers[0].as_dict(), model.account
    assert counts == {name: getattr(account, name) for name in counts}
    assert counts["ok"] == counts["decisions"] == len(said) // 2
    assert min(counts["unparseable"], counts["illegal"], counts["ambiguous"]) > 0


def test_the_last_wrong_answer_forfeits_the_game() -> None:
    for opponents, seat in (("random", 1), ((), None)):
        table = TextGame(GAME, opponents, retries=1)
        table.begin(5, seat)
        loser = table.seat
        whole = table.prompt
        assert whole == prompt(table.turn) if table.turn else False
        assert table.answer("what?").verdict is Verdict.UNPARSEABLE
        assert table.prompt == f"{whole}\n\n{table.told}"
        assert not table.over
        assert table.results == (0.0, 0.0)
        assert table.answer("[pass]").verdict is Verdict.ILLEGAL
        assert (table.over, table.seat, table.told, table.prompt) == (True, NOBODY, "", "")
        assert table.forfeited == loser
        assert table.results == ((-1.0, 1.0) if loser == 0 else (1.0, -1.0))
        record = table.record()
        assert (record.returns, record.forfeit) == (table.results, loser)
        assert replay(record)["to_move"][-1] == loser
        with pytest.raises(ResetNeeded, match="the game is over: begin a new one first"):
            table.answer("[pass]")
        table.begin(6, seat)
        assert (table.forfeited, table.over, table.results) == (NOBODY, False, (0.0, 0.0))


def test_results_of_a_forfeit_sum_to_zero_over_the_sides() -> None:
    for options, results in (({"players": 3}, {-1.0, 0.5}), ({"players": 4}, {-1.0, 1 / 3})):
        table = TextGame(make_game("heimlich_v0", **options))
        table.begin(1)
        table.forfeit()
        assert {*table.results} == results
        assert abs(sum(table.results)) < 1e-12
    game = make_game("agent_avenue_v0", mode="advanced", players=3)  # a team of two against one
    table = TextGame(game)
    table.begin(1)
    lost = game.side_of[table.seat]
    table.forfeit()
    assert table.results == tuple(-1.0 if side == lost else 1.0 for side in game.side_of)


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_hostile_answers_play_no_move(count: int) -> None:
    table, answers, given = TextGame(GAME, retries=1), hostile(1), 0
    verdicts: Counter[str] = Counter()
    for seed in itertools.count():
        table.begin(seed)
        while not table.over:
            verdicts[table.answer(next(answers), bare=bool(given % 3)).verdict] += 1
            given += 1
        assert not table.record().actions
        assert sum(each.forfeits for each in table.answers) == 1
        if given >= count:
            break
    assert verdicts["ok"] == 0
    assert verdicts.total() == given
    assert min(verdicts["unparseable"], verdicts["illegal"], verdicts["ambiguous"]) > 0


def test_bare_texts_count_where_they_are_asked_for() -> None:
    table = TextGame(GAME, "random", retries=5)
    table.begin(5, 0)
    assert table.turn is not None
    first = table.turn.legal[0]
    bare = first.upper()
    assert table.answer(bare).verdict is Verdict.UNPARSEABLE
    assert table.answer(f"I {bare}", bare=True).verdict is Verdict.UNPARSEABLE
    assert table.answer(bare, bare=True).action == first


def test_deals_are_those_of_the_protocol() -> None:
    for seed in (0, 2**64 - 1):
        assert [*itertools.islice(deals(seed), 5)] == spread(as_seed(seed), 5).tolist()


def test_seats_are_drawn_by_the_seed() -> None:
    table, seats = TextGame(make_game("heimlich_v0", players=3), "random"), []
    for seed in range(60):
        table.begin(seed)
        seats.append(table.text_seats)
        table.begin(seed)
        assert table.text_seats == seats[-1]
    assert {*seats} == {(0,), (1,), (2,)}
    table = TextGame(GAME)
    table.begin(1)
    assert table.text_seats == (0, 1)


class Failing:
    """A player that fails at its second decision."""

    def __init__(self, game: Game, seat: int, seed: int) -> None:
        self.asked = 0

    def act_text(self, turn: Any) -> str:
        self.asked += 1
        if self.asked == 2:
            raise ValueError(f"my hand is {turn.seen}")
        return turn.legal[-1]


def answer_all(table: TextGame) -> None:
    while table.turn is not None:
        table.answer(f"[{table.turn.legal[-1]}]")


def test_an_opponent_that_fails_ends_the_game_without_a_result() -> None:
    table = TextGame(GAME, PythonPlayer(GAME, Failing, "failing"))
    for _ in range(2):
        table.begin(5, 0)
        with pytest.raises(PlayerFailed, match="the player failing failed") as failed:
            answer_all(table)
        assert "hand" not in str(failed.value)
        assert (table.over, table.seat, table.results) == (False, NOBODY, (0.0, 0.0))
        with pytest.raises(ResetNeeded, match="no game has begun: begin a new one first"):
            table.answer("[pass]")


def test_a_game_that_is_cut_off_has_no_result() -> None:
    table = TextGame(make_game("agent_dog_v0", players=2, max_turns=1))
    table.begin(1)
    answer_all(table)
    assert (table.over, table.truncated, table.results) == (True, True, (0.0, 0.0))
    table.begin(1)
    table.forfeit()
    assert (table.over, table.truncated, table.results) == (True, False, (-1.0, 1.0))


def test_wrong_values_are_refused() -> None:
    for message, wrong in {
        "mode must be one of 'listed', 'rules', 'listed-on-retry', not 'none'": {"mode": "none"},
        "retries must be an integer from 0 to 5, not 6": {"retries": 6},
        r"opponents must be one player or one for each other seat \(1\), not 2": {"opponents": ["random", "greedy"]},
        "radnom": {"opponents": "radnom"},
    }.items():
        with pytest.raises(ValueError, match=message):
            TextGame(GAME, **wrong)
    with pytest.raises(TypeError, match="game must be a Game, as"):
        TextGame("agent_avenue_v0")  # type: ignore[arg-type]
    table = TextGame(GAME)
    with pytest.raises(ValueError, match="seat must be None where all seats answer in texts, not 1"):
        table.begin(1, 1)
    with pytest.raises(ResetNeeded, match="no game has begun"):
        table.record()
    with pytest.raises(ResetNeeded, match="no decision is due"):
        table.forfeit()
    table.begin(1)
    with pytest.raises(TypeError, match="an answer must be a text, not None"):
        table.answer(None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"seat must be an integer from 0 to 1, not 2"):
        TextGame(GAME, "random").begin(1, 2)
    with pytest.raises(ValueError, match="num_players must be 2 in this variant, not 3"):
        TextArenaEnv(GAME).reset(num_players=3)


def test_a_textarena_game_that_is_forfeited() -> None:
    env, done = TextArenaEnv(GAME, retries=0), False
    env.reset(2, seed=5)
    player, _ = env.get_observation()
    done, info = env.step("I do not know.")
    assert (done, info) == (True, {"verdict": "unparseable", "action": None})
    rewards, about = env.close()
    assert rewards[player] == -1.0 == -rewards[1 - player]
    assert [each["invalid_move"] for each in about.values()] == [player == 0, player == 1]
