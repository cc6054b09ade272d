"""Scores of beliefs, the rules alone, what could be known, and that no belief depends on what its seat cannot know."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from spygames import Game, make_game
from spygames.agent_avenue.belief_targets import answer
from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.belief_targets import UNASKED
from spygames.core.game.game import as_record, flat
from spygames.core.players.history import Noted
from spygames.core.players.names import make_player
from spygames.core.players.python_function import PythonPlayer
from spygames.core.players.turns import Unknown
from spygames.core.playing.batch import Batch
from spygames.core.records.record import GameRecord, make_record, play_record, replay
from spygames.testing.trial import mask_of, view_of
from spygames.text import Turn
from spygames_training import Policy
from spygames_training.agents.policy import PolicyPlayer
from spygames_training.config import Network
from spygames_training.evaluation.belief_positions import Asked, Position, positions_of
from spygames_training.evaluation.belief_probe import Found, Probe, ask, check_probe, sampling
from spygames_training.evaluation.belief_scores import FLOOR, Probabilities, nats, results
from spygames_training.evaluation.believers import (
    KNOWN,
    RULES,
    Answers,
    Believer,
    KnowsPlayers,
    RulesAlone,
    believer_of,
    models_of,
)
from spygames_training.evaluation.evaluation import wilson
from spygames_training.networks.actor_critic import make_network
from spygames_training.output.tables import broken, in_millions
from spygames_training.search.player import SearchingPolicy
from tests.games.agent_avenue.test_leaks import nothing_shown, other_world
from tests.support.position import Position as Played
from tests.support.position import position_of

AVENUE = make_game("agent_avenue_v0")
HEIMLICH = make_game("heimlich_v0", players=3)
EMPTY = Noted(AVENUE.new_states(0), np.zeros(0, np.int64))


class Fixed(Position):
    """A position with made-up questions."""

    unknowns: Any = (Unknown("a", ("x", "y"), "one"), Unknown("b", ("1", "2", "3", "4"), "two"))


def made_up(truths: Sequence[tuple[int, int]]) -> list[Asked]:
    states = AVENUE.start(1)
    return [Asked((Fixed(AVENUE, k, 0, states, EMPTY, 0),), (truth,)) for k, truth in enumerate(truths)]


def cost(probability: float, answers: int) -> float:
    return -math.log(0.999 * probability + 0.001 / answers)


def test_made_up_answers_have_exact_scores() -> None:
    asked = made_up([(0, 3), (1, 3)])
    half, even = [0.5, 0.5], [0.25] * 4
    answers: dict[str, list[list[list[list[float] | None]]]] = {
        RULES: [[[half, even]], [[half, even]]],
        KNOWN: [[[[0.8, 0.2], even]], [[[0.3, 0.7], even]]],
        "sure": [[[[1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]], [[[1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]]],
        "silent": [[[None, [0.1, 0.2, 0.3, 0.4]]], [[[0.4, 0.6], None]]],
    }
    found = {(r.player, r.group): r for r in results(asked, answers, 0)}
    assert nats(1.0, 2) == pytest.approx(-math.log(1 - FLOOR / 2))
    assert found[RULES, "one"].nats == pytest.approx(math.log(2))
    assert found[RULES, "two"].nats == pytest.approx(math.log(4))
    known = (cost(0.8, 2) + cost(0.7, 2)) / 2
    assert found[KNOWN, "one"].nats == pytest.approx(known)
    assert found[KNOWN, "one"].over_rules == pytest.approx(math.log(2) - known)
    sure = found["sure", "one"]
    assert sure.nats == pytest.approx((cost(1, 2) + cost(0, 2)) / 2)
    assert sure.excess == pytest.approx(sure.nats - known)
    assert (sure.certain, sure.right, found["sure", "two"].right) == (1.0, 0.5, 1.0)
    assert found[RULES, "one"].over_rules_interval == wilson(0.0, 2, -nats(0.0, 2), nats(0.0, 2))
    assert found[KNOWN, "one"].excess_interval == found[RULES, "one"].over_rules_interval
    low, high = found["sure", "two"].interval  # always right in two deals, and might have been wrong
    assert low == pytest.approx(cost(1, 4))
    assert cost(1, 4) + 1 < high < cost(0, 4)
    assert found[RULES, "two"].interval == pytest.approx((math.log(4), math.log(4)))  # whatever the truth
    one, two = found["silent", "one"], found["silent", "two"]
    assert one.nats == pytest.approx((math.log(2) + cost(0.6, 2)) / 2)  # the first deal counts as the rules alone
    assert (one.answered, one.nats_answered, one.rules_answered) == (
        1, pytest.approx(cost(0.6, 2)), pytest.approx(math.log(2))
    )  # fmt: skip
    assert one.answered_interval == pytest.approx(wilson(cost(0.6, 2), 1, cost(0.6, 2), cost(0.4, 2)))  # of one deal
    assert two.nats == pytest.approx((cost(0.4, 4) + math.log(4)) / 2)
    assert (two.certain, two.right, two.questions) == (0.0, None, 2)


def test_the_rules_are_scored_on_the_same_answered_questions() -> None:
    even = [0.25] * 4
    answers: dict[str, list[list[list[list[float] | None]]]] = {
        RULES: [[[[0.5, 0.5], even]], [[[0.25, 0.75], even]]],
        "silent": [[[None, even]], [[[0.4, 0.6], even]]],
    }
    found = results(made_up([(0, 3), (1, 3)]), answers, 0)
    (one,) = (each for each in found if (each.player, each.group) == ("silent", "one"))
    assert (one.answered, one.rules_answered) == (1, pytest.approx(cost(0.75, 2)))


def test_an_interval_contains_its_mean_if_no_drawn_world_has_the_truth() -> None:
    even, wrong = [0.25] * 4, [0.0, 1.0]
    drawn = {name: [[[wrong, even]]] for name in (RULES, KNOWN)}
    for one in results(made_up([(0, 3)]), drawn, 0):
        assert one.interval[0] <= one.nats <= one.interval[1], one


def test_a_sample_of_worlds_costs_more_the_more_answers_occur() -> None:
    """(a - 1) / 2m nats for a answers among m worlds; nothing in games with strata."""
    probe = Probe(AVENUE, (), 0, 1, worlds=8)
    answers: list[list[Probabilities]] = [[[[0.5, 0.5, 0.0], None], [[0.0, 1.0], [0.2, 0.3, 0.5]]]]
    found = Found([], {RULES: answers}, {})
    assert sampling(found, probe) == pytest.approx((1 + 0 + 2) / 3 / 16)
    assert sampling(found, replace(probe, game=HEIMLICH)) == 0


def test_answers_of_another_player_of_the_same_name_are_refused(tmp_path: Path) -> None:
    class Silent(Believer):
        resumes = True

        def believe(self, positions: Sequence[Position]) -> list[Answers]:
            return [Answers((None,) * len(each.unknowns)) for each in positions]

    probe = Probe(AVENUE, (make_player(AVENUE, "random"),) * 2, 0, 1, worlds=8)
    for _ in range(2):
        assert len(ask(probe, [Silent("me", "one")], 1, tmp_path).asked) == 1
    assert len((tmp_path / "answers.jsonl").read_text().splitlines()) == 1  # the same answers
    with pytest.raises(ValueError, match=r"has answers of another me \(digest 'one', here two\)"):
        ask(probe, [Silent("me", "two")], 1, tmp_path)


def test_other_questions_are_refused(tmp_path: Path) -> None:
    random, greedy = (make_player(AVENUE, name) for name in ("random", "greedy"))
    probe = Probe(AVENUE, (random, greedy), 0, 1, worlds=8)
    for _ in range(2):
        check_probe(tmp_path, probe)
    changes: list[dict[str, Any]] = [
        {"seed": 1},
        {"per_game": 2},
        {"worlds": 9},
        {"players": (greedy, random)},
        {"game": make_game("agent_avenue_v0", first_player=1)},
        {"game": replace(AVENUE, worlds_version=AVENUE.worlds_version + 1)},
    ]
    for change in changes:
        with pytest.raises(ValueError, match="holds other questions"):
            check_probe(tmp_path, replace(probe, **change))
    (tmp_path / "probe.json").write_text("")
    with pytest.raises(ValueError, match=r"probe[.]json is damaged: name another folder \(Expecting value"):
        check_probe(tmp_path, probe)


def test_stored_answers_that_are_no_probabilities_are_refused(tmp_path: Path) -> None:
    probe, rules = Probe(AVENUE, (make_player(AVENUE, "random"),) * 2, 0, 1, worlds=8), RulesAlone(AVENUE, 8)
    ask(probe, [rules], 1, tmp_path)
    file = tmp_path / "answers.jsonl"
    line = json.loads(file.read_text())
    for wrong in (-0.5, 1.5):
        line["positions"][0]["probabilities"][0][0] = wrong
        file.write_text(json.dumps(line) + "\n")
        with pytest.raises(ValueError, match=r"answers[.]jsonl: the answers of rules alone in game 0 do not fit"):
            ask(probe, [rules], 1, tmp_path)


def test_a_position_has_the_decisions_before_it_and_draws_of_its_own() -> None:
    record = play_record(AVENUE, ["greedy", "greedy"], 4)
    states = replay(record, AVENUE)
    asked = [positions_of(AVENUE, record, number, 1, 3).positions for number in (0, 1)]
    assert [len(each) for each in asked] == [3, 3]
    for each in (*asked[0], *asked[1]):
        assert each.past.states.tobytes() == states[: each.move].tobytes()
        texts = [
            AVENUE.action_to_string(as_record(states, k), int(action), int(states["to_move"][k]))
            for k, action in enumerate(each.past.actions)
        ]
        assert texts == list(record.actions[: each.move])
        assert view_of(AVENUE, as_record(each.states), each.seat) == view_of(
            AVENUE, as_record(states, each.move), each.seat
        )
    assert len({each.seed for positions in asked for each in positions}) == 6
    assert [each.move for each in asked[0]] != [each.move for each in asked[1]]


def position(game: Game, seed: int = 3) -> Position:
    return Position(game, 0, 0, game.start(seed), Noted(game.new_states(0), np.zeros(0, np.int64)), 7)


def test_the_rules_alone_are_the_posterior_by_hand() -> None:
    """Agent Avenue at the start: a hand of four of 34 unseen cards, so the counts are hypergeometric."""
    start, worlds = position(AVENUE), 20_000
    own = AVENUE.seen_to_dict(as_record(start.states), 0)["hands"]["0"]
    (found,) = RulesAlone(AVENUE, worlds).believe([start])
    assert len(found.probabilities) == 8
    for asked, chances in zip(start.unknowns, found.probabilities, strict=True):
        name = asked.about.removeprefix("copies of ").partition(" in ")[0].replace(" ", "_")
        left = (1 if name in ("mole", "sidekick") else 6) - own.count(name)
        exact = [comb(left, k) * comb(34 - left, 4 - k) / comb(34, 4) for k in range(5)]
        assert chances is not None
        assert chances == pytest.approx(exact, abs=5 * 0.5 / worlds**0.5)
        assert chances.sum() == pytest.approx(1)


def test_the_rules_alone_are_exact_with_strata() -> None:
    """Heimlich & Co.: each of the five other agents is equally likely."""
    start = position(HEIMLICH)
    (found,) = RulesAlone(HEIMLICH, 64).believe([start])
    for asked, chances in zip(start.unknowns, found.probabilities, strict=True):
        assert asked.answers[0] == HEIMLICH.seen_to_dict(as_record(start.states), 0)["passports"]["0"]
        assert chances == pytest.approx([0, 0.2, 0.2, 0.2, 0.2, 0.2])


def test_who_knows_the_players_is_better_than_the_rules_and_as_good_as_their_search() -> None:
    """In the base game of Heimlich & Co. both weights are exact."""
    agent = make_player(HEIMLICH, "heimlich/base-3@sample")
    models = models_of(HEIMLICH, [agent] * 3)
    assert models is not None
    rules, known = RulesAlone(HEIMLICH, 64), KnowsPlayers(HEIMLICH, models, 4096)
    search = believer_of(make_player(HEIMLICH, "heimlich/base-3+search:8"))
    asked = [positions_of(HEIMLICH, play_record(HEIMLICH, [agent] * 3, n), n, 1, 5) for n in range(5)]
    answers = {
        each.name: [[told.probabilities for told in each.believe(game.positions)] for game in asked]
        for each in (rules, known, search)
    }
    found = {r.player: r for r in results(asked, answers, 0)}  # type: ignore[arg-type]
    assert found[RULES].nats == pytest.approx(cost(0.2, 6), abs=1e-9)
    assert found[KNOWN].over_rules_interval[0] > 0.2
    excess = found[search.name].excess
    assert excess is not None
    assert abs(excess) < 0.1  # the search counts on a few slips


def test_exact_models_are_of_players_that_sample() -> None:
    def models(*names: str) -> Any:
        return models_of(AVENUE, [make_player(AVENUE, name) for name in names])

    assert models("random", "agent_avenue/simple-2@sample") is not None
    assert models("random", "greedy") is None
    assert models("agent_avenue/simple-2@argmax", "random") is None
    batch, rng = Batch(AVENUE, 4, 1), np.zeros((4, 1), np.uint64)
    views = batch.observation.view(AVENUE.view_dtype)[:, 0]
    both = models("agent_avenue/simple-2@sample", "agent_avenue/simple-2@0.5")
    usual, sharp = (each.model.ask(views, batch.mask, rng)[0] for each in both)
    np.testing.assert_allclose(sharp, 2 * usual, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("worlds", "drawn"), [(4096, 1024), (256, 256), (4, 16)])
def test_worlds_of_what_could_be_known_are_drawn_until_they_suffice(worlds: int, drawn: int) -> None:
    """A fraction of a quarter at a time until 200 of them are effective, and at most 16 times."""
    models = models_of(AVENUE, [make_player(AVENUE, "random")] * 2)
    assert models is not None
    (found,) = KnowsPlayers(AVENUE, models, worlds).believe([position(AVENUE)])
    assert found.about == {"effective": drawn}  # before the first decision all have the same weight


def test_a_head_with_memory_remembers_the_decisions_of_its_seat() -> None:
    torch.manual_seed(0)
    network = make_network(AVENUE, Network((8,), kind="recurrent", memory=4, belief="keep"))
    policy, memory = Policy(AVENUE, network), np.zeros(4, np.float32)
    record = play_record(AVENUE, [make_player(AVENUE, "random")] * 2, 1)
    position = positions_of(AVENUE, record, 0, 1, 100).positions[-1]
    (found,) = believer_of(PolicyPlayer(policy)).believe([position])
    own = position.past.states[position.past.states["to_move"] == position.seat]
    assert 1 < len(own) < len(position.past.states)
    for k in range(len(own)):
        s = as_record(own, k)
        policy.act(flat(view_of(AVENUE, s, position.seat))[0], mask_of(AVENUE, s), memory=memory)
    now = view_of(AVENUE, as_record(position.states), position.seat)
    expected = policy.belief(flat(now)[0], memory)
    answers = [row for group in expected.values() for row in group]
    for asked, chances in zip(position.unknowns, found.probabilities, strict=True):
        assert chances is not None
        np.testing.assert_allclose(chances, answers[asked.target], rtol=1e-5)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("greedy", "greedy has no belief: it cannot be asked"),
        ("mcts:20", "mcts:20 has no belief: it draws its worlds by the rules alone"),
        ("agent_avenue/simple-2", 'without a belief head .network.belief = "keep".; with a search'),
    ],
)
def test_other_players_have_no_belief(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        believer_of(make_player(AVENUE, name))


class Peeks(Believer):
    """A belief that reads the true state of the decision before: a leak."""

    def believe(self, positions: Sequence[Position]) -> list[Answers]:
        return [
            Answers(tuple(each.past.states["hands"][-1, 1 - each.seat].astype(float) for _ in each.unknowns))
            for each in positions
        ]


class Reads:
    """A Python class whose beliefs depend on all that it is told."""

    def __init__(self, game: Game, seat: int, seed: int) -> None:
        self.seed = seed

    def act_text(self, turn: Turn) -> str:
        return turn.legal[0]

    def beliefs(self, turn: Turn) -> Any:
        code = sum(f"{turn.position} {turn.events} {turn.seen} {turn.legal}".encode()) + self.seed
        return {each.about: {each.answers[code % len(each.answers)]: 1} for each in turn.unknowns}


def same_to_a_seat(seed: int) -> tuple[GameRecord, GameRecord, int] | None:
    """Return records of two games that seat 0 cannot tell apart: in one a card of seat 1 lies under the deck."""
    start = Played(AVENUE, AVENUE.start(seed)).mapping
    changed, rng = other_world(start, 1), np.random.default_rng(seed)
    if changed is None:
        return None
    one, two, actions = position_of(AVENUE, start), position_of(AVENUE, changed), []
    while nothing_shown(one.mapping, two.mapping) and one.s.to_move >= 0 and (both := sorted(one.legal & two.legal)):
        text = str(rng.choice(both))
        actions.append(AVENUE.string_to_action(one.s, text, int(one.s.to_move)))
        one.act(text)
        two.act(text)
    records = [make_record(AVENUE, actions, state=state) for state in (start, changed)]
    return records[0], records[1], len(actions)


def differing(believers: Sequence[Believer], games: int) -> tuple[int, set[str]]:
    """Return the number of positions at which all were asked in two such games, and whose answers differ."""
    compared, found = 0, set[str]()
    for seed in range(games):
        pair = same_to_a_seat(seed)
        if pair is None:
            continue
        told = []
        for record in pair[:2]:
            asked = positions_of(AVENUE, record, seed, 5, 50).positions
            mine = [each for each in asked if each.seat == 0 and each.move > 0]
            told.append((mine, {each.name: each.believe(mine) for each in believers}))
        (one, ones), (two, twos) = told
        assert [each.states.tobytes() for each in one] == [each.states.tobytes() for each in two]
        assert [each.turn for each in one] == [each.turn for each in two]
        compared += len(one)
        for name, answers in ones.items():
            for first, second in zip(answers, twos[name], strict=True):
                if any(
                    not np.array_equal(a, b) for a, b in zip(first.probabilities, second.probabilities, strict=True)
                ):
                    found.add(name)
    return compared, found


def test_beliefs_depend_only_on_what_the_seat_knows_and_a_leak_is_found() -> None:
    agent = make_player(AVENUE, "agent_avenue/simple-2@sample")
    models = models_of(AVENUE, [agent, agent])
    assert models is not None
    head = Policy(AVENUE, make_network(AVENUE, Network((16,), belief="keep")))
    believers: list[Believer] = [
        RulesAlone(AVENUE, 256),
        KnowsPlayers(AVENUE, models, 256),
        believer_of(make_player(AVENUE, "agent_avenue/simple-2+search:4")),
        believer_of(head.as_player(AVENUE)),
        believer_of(PythonPlayer(AVENUE, Reads, "reads")),
        Peeks("peeks"),
    ]
    compared, found = differing(believers, 5)
    assert compared > 8
    assert found == {"peeks"}


@kernel
def tells(s: Any, seat: Int, out: np.ndarray) -> None:
    answer(s, seat, out)
    if s.hands[1 - seat, 0] > 0:
        out[1] = UNASKED


def test_questions_that_tell_are_refused() -> None:
    """Whether a question is asked must not depend on the hand of the other seat."""
    assert AVENUE.questions is not None
    game = replace(AVENUE, questions=replace(AVENUE.questions, answer=tells))
    record = play_record(AVENUE, ["random", "random"], 1)
    with pytest.raises(ValueError, match="depends on what a seat cannot know"):
        positions_of(game, record, 0, 1, 50)


def test_a_search_is_asked_with_the_decisions_that_it_reads() -> None:
    """Its belief is that of `SearchingPolicy.believe` with the last `notes_size` decisions."""
    player = make_player(AVENUE, "agent_avenue/simple-2+search:4")
    assert isinstance(player, SearchingPolicy)
    asked = positions_of(AVENUE, play_record(AVENUE, ["greedy", "greedy"], 4), 0, 1, 1)
    (one,) = asked.positions
    (found,) = believer_of(player).believe([one])
    belief = player.believe(one.states, one.seed, one.past)
    hand = belief.distribution("hands")[1 - one.seat]
    first = [each.target for each in one.unknowns].index(1)
    for card in range(8):
        chances = found.probabilities[first + card]
        assert chances is not None
        assert chances == pytest.approx(np.append(hand[card], np.zeros(5 - len(hand[card]))))


def test_a_number_with_its_interval_is_broken_only_between_them() -> None:
    cell = "-0.041 (-0.182..+0.036)"
    assert broken(cell, 20, numbers=True) == "-0.041\n(-0.182..+0.036)"
    assert broken(cell, 23, numbers=True) == cell


@pytest.mark.parametrize(
    ("number", "text"),
    [(8192, "8,192"), (100_000, "0.1 M"), (6_029_312, "6.03 M"), (99_999_999, "100 M"), (1_614_086_144, "1,614 M")],
)
def test_decisions_are_given_in_millions(number: int, text: str) -> None:
    assert in_millions(number) == text


def test_each_deal_counts_the_same_however_many_questions_it_has() -> None:
    states = AVENUE.start(1)
    once, twice = (tuple(Fixed(AVENUE, k, move, states, EMPTY, 0) for move in range(n)) for k, n in ((0, 1), (1, 3)))
    asked = [Asked(once, ((0, 3),)), Asked(twice, ((1, 3),) * 3)]
    told = [[0.8, 0.2], [0.25] * 4]
    answers: dict[str, Any] = {RULES: [[told], [told] * 3]}
    found = {each.group: each for each in results(asked, answers, 0)}
    assert found["one"].nats == pytest.approx((cost(0.8, 2) + cost(0.2, 2)) / 2)
    assert (found["one"].deals, found["one"].questions) == (2, 4)
