"""Rows of datasets: what the seat knew, what it did, how the game ended; and nothing that it cannot know."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest

from spygames import make_game
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.players.player import DecisionBatch
from spygames.core.records.dataset import chat_columns, chat_rows, decision_columns, decision_rows
from spygames.core.records.record import GameRecord, make_record, play_record, replay
from spygames.core.svg.annotations import Advice
from spygames.players import SearchPlayer
from spygames.testing.trial import mask_of
from spygames.text import Turn, Verdict, briefing, parse, question
from tests.core.players.test_turns import VARIANTS, leaky, turns_of
from tests.poker import kuhn
from tests.support.twins import twins

GAME = make_game("agent_avenue_v0")
RECORD = play_record(GAME, ["greedy", "random"], seed=3)


class Oracle:
    """An adviser that bets on the first legal action, with a random value and a belief."""

    name = "oracle"

    def advise(self, decisions: DecisionBatch) -> list[Advice]:
        (row,) = decisions.rows.tolist()
        s, seat = as_record(decisions.states, row), int(decisions.states["to_move"][row])
        first = decisions.game.action_to_string(s, int(decisions.mask[row].argmax()), seat)
        return [Advice([(first, 1.0)], value=float(decisions.rng[row, 0] % 1000) / 1000, belief=[("x", [("y", 0.1)])])]


def begun(game: Game) -> GameRecord:
    """A game, broken off after its first decisions."""
    whole, blank = play_record(game, ["random"] * game.num_players, seed=2), (0.0,) * game.num_players
    if len(whole.actions) <= 20:
        return whole
    actions, positions = whole.actions[:20], whole.positions[:21]
    return replace(whole, actions=actions, positions=positions, returns=blank, end_reason=None)


@pytest.mark.parametrize(("game_id", "options"), VARIANTS)
def test_rows_have_what_the_seat_knew_and_did(game_id: str, options: dict[str, Any]) -> None:
    game = make_game(game_id, **options)
    record = begun(game)
    states, rows = replay(record), [json.loads(json.dumps(row)) for row in decision_rows(record, number=7)]
    assert [row["action_text"] for row in rows] == [*record.actions]
    told = {seat: iter(turns_of(game, record, seat)) for seat in range(game.num_players)}
    for place, row in enumerate(rows):
        s, seat = as_record(states, place), row["seat"]
        assert (row["game"], row["decision"], seat) == (7, place, s.to_move)
        assert (row["player"], row["result"]) == ("random", record.returns[seat])
        views = game.new_views()
        game.observe(s, seat, as_record(views))
        for name in game.view_dtype.names or ():
            assert np.array_equal(np.array(row["view"][name], np.float32), views[name][0])
        assert [*row["view"]] == [*(game.view_dtype.names or ())]
        mask = mask_of(game, s)
        assert row["mask"] == mask.tolist()
        assert row["action"] == game.string_to_action(s, row["action_text"], seat)
        turn = next(told[seat])
        assert row["legal"] == [game.action_to_string(s, int(a), seat) for a in np.flatnonzero(mask)]
        same = Turn(game, seat, row["position"], {}, tuple(row["events"]), tuple(row["legal"]))
        assert question(same) == question(turn)


def test_rows_and_seeds_give_the_same_games() -> None:
    actions = [row["action"] for row in decision_rows(RECORD)]
    assert make_record(GAME, actions, RECORD.seed, players=RECORD.players) == RECORD


def test_rows_have_the_columns_that_are_described() -> None:
    for texts in (True, False):
        row = next(decision_rows(RECORD, texts=texts, adviser=Oracle(), truth=True))
        columns = decision_columns(GAME, texts, advice=True, truth=True)
        assert [*row] == [*dict.fromkeys(column.name.partition(".")[0] for column in columns)]
        for name, _, shape, bounds, _ in columns:
            outer, _, inner = name.partition(".")
            found = row[outer][inner] if inner else row[outer]
            if None not in shape:
                assert np.shape(found) == shape, name
            if bounds is not None:
                assert bounds[0] <= np.min(found) <= np.max(found) <= bounds[1], name
    (row, _), columns = chat_rows(RECORD), chat_columns(GAME)
    assert [*row] == [column.name for column in columns]


def test_rows_of_a_game_without_texts_of_its_own() -> None:
    game = kuhn.make_game()
    row = next(decision_rows(play_record(game, ["random"] * 2, seed=1), game))
    assert row["position"] == game.to_text(as_record(game.start(1)), 0)


def test_advice_is_a_policy_over_the_mask_a_value_and_beliefs() -> None:
    search = SearchPlayer(GAME, "mcts", 8)
    for row in islice(decision_rows(RECORD, adviser=search), 6):
        policy, legal = np.array(row["advice_policy"]), np.array(row["mask"])
        assert policy.sum() == pytest.approx(1, abs=1e-5)
        assert (policy[legal == 0] == 0).all()
        assert -1 <= row["advice_value"] <= 1
        shares = {each["value"]: each["probability"] for each in row["advice_beliefs"]}
        assert all(0 < share <= 1 for share in shares.values())
    first, again = (next(decision_rows(RECORD, adviser=Oracle(), number=1))["advice_value"] for _ in range(2))
    assert first == again != next(decision_rows(RECORD, adviser=Oracle(), number=2))["advice_value"]
    one, two = islice(decision_rows(RECORD, adviser=Oracle()), 2)
    assert one["advice_value"] != two["advice_value"]


class Doubtful(Oracle):
    """An adviser that knows no action and no value, and nothing at all after its first decision."""

    name, asked = "doubtful", 0

    def advise(self, decisions: DecisionBatch) -> Any:
        self.asked += 1
        return [Advice([], belief=[("x", [("y", 0.5)])]) if self.asked == 1 else None]


def test_what_an_adviser_does_not_know_is_null() -> None:
    one, two = islice(decision_rows(RECORD, adviser=Doubtful()), 2)
    names = ("advice_policy", "advice_value", "advice_beliefs")
    assert [one[name] for name in names] == [None, None, [{"what": "x", "value": "y", "probability": 0.5}]]
    assert [two[name] for name in names] == [None, None, None]


def test_the_winner_of_three_may_get_what_both_others_lose() -> None:
    columns = chat_columns(replace(make_game("heimlich_v0", players=3), lowest_return=-1.0))
    assert {column.name: column.range for column in columns}["result"] == (-1, 2)


def test_truth_comes_only_on_request() -> None:
    assert not any(name.startswith("truth") for name in next(decision_rows(RECORD)))
    row = next(decision_rows(RECORD, truth=True))
    assert row["truth_seed"] == "3"
    assert json.loads(row["truth_position"]) == GAME.seen_to_dict(as_record(GAME.start(3)), NOBODY)


@pytest.mark.parametrize(("game_id", "options"), VARIANTS)
def test_conversations_are_those_of_a_language_model(game_id: str, options: dict[str, Any]) -> None:
    game = make_game(game_id, **options)
    record = begun(game)
    for row in chat_rows(record, number=7):
        assert (row["game"], row["player"], row["result"]) == (7, "random", record.returns[row["seat"]])
        turns = turns_of(game, record, row["seat"])
        system, *rest = row["messages"]
        assert system == {"role": "system", "content": briefing(game, row["seat"])}
        assert [each["content"] for each in rest[::2]] == [question(turn) for turn in turns]
        assert {(each["role"], other["role"]) for each, other in zip(rest[::2], rest[1::2], strict=True)} == {
            ("user", "assistant")
        }
        replies = [parse(each["content"], turn.legal) for each, turn in zip(rest[1::2], turns, strict=True)]
        assert all(reply.verdict is Verdict.OK for reply in replies)
        chosen = [text for text, s in zip(record.actions, replay(record), strict=False) if s["to_move"] == row["seat"]]
        assert [reply.action for reply in replies] == chosen


def test_conversations_are_in_the_order_of_the_seats() -> None:
    record = play_record(make_game("agent_avenue_v0", first_player=1), ["greedy", "random"], seed=3)
    assert [row["seat"] for row in chat_rows(record)] == [0, 1]


# ---------------------------------------------------------------- leaks


LABELS = {"result"}
"""Columns of what comes later."""


def rows_of(record: GameRecord, game: Game, seat: int, **options: Any) -> Iterator[dict[str, Any]]:
    for row in decision_rows(record, game, adviser=Oracle(), **options):
        if row["seat"] == seat:
            yield {name: value for name, value in row.items() if name not in LABELS}
    for row in chat_rows(record, game):
        if row["seat"] == seat:
            yield {"messages": row["messages"]}


def compared(game: Game, pairs: int, seed: int = 1, **options: Any) -> tuple[int, int]:
    """Return the number of rows that were compared in two worlds, and of those that differ."""
    rows = differ = 0
    for one, two, seat in islice(twins(game, seed), pairs):
        for a, b in zip(rows_of(one, game, seat, **options), rows_of(two, game, seat, **options), strict=True):
            rows += 1
            differ += a != b
    return rows, differ


@pytest.mark.parametrize(("game_id", "options"), VARIANTS)
@pytest.mark.parametrize("pairs", [4, pytest.param(600, marks=pytest.mark.slow)])
def test_rows_are_the_same_in_worlds_that_the_seat_cannot_tell_apart(
    game_id: str, options: dict[str, Any], pairs: int
) -> None:
    rows, differ = compared(make_game(game_id, **options), pairs)
    assert rows >= 1.5 * pairs
    assert differ == 0


@pytest.mark.parametrize("name", ["describe", "happened"])
def test_a_leak_in_a_text_is_found(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    leaky(GAME, monkeypatch, name)
    assert compared(GAME, 10)[1] > 0


def test_columns_that_are_not_for_the_seat_differ() -> None:
    rows, differ = compared(GAME, 10, truth=True)
    assert differ > rows // 3
