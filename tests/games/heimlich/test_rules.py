"""Rules that scenarios do not cover: printed data, set-up, chance, new identities, options."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.games.heimlich.conftest import AGENTS, COPIES, IN_PLAY

from spygames.heimlich import board, cards, make_game

ALARM = 1e-4  # a correct implementation falls below this once in 10,000 tests
Fresh = Callable[..., Any]


def even(counts: Counter[Any], kinds: int) -> bool:
    """Whether all `kinds` outcomes are equally frequent, by a chi-square test."""
    assert len(counts) == kinds, counts
    return stats.chisquare(list(counts.values())).pvalue > ALARM


@pytest.mark.rule("HC-1")
def test_twelve_buildings_on_a_loop() -> None:
    assert board.BUILDINGS == ("church", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "ruins")
    assert board.VALUES.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -3]
    assert board.LOOP == 12


@pytest.mark.rule("HC-2")
def test_score_track() -> None:
    assert (board.FINISH, board.MARK) == (42, 29)


@pytest.mark.rule("HC-3", "HC-36")
@pytest.mark.parametrize("edition", ["amigo", "ravensburger"])
@pytest.mark.parametrize("players", range(2, 8))
def test_agents_in_play(fresh: Fresh, edition: str, players: int) -> None:
    agents = {"amigo": {2: 5, 3: 6}, "ravensburger": {2: 4, 3: 5, 4: 6}}[edition].get(players, 7)
    assert IN_PLAY[edition][players] == agents
    mapping = fresh(1, players=players, edition=edition).mapping
    assert mapping["agents"] == list(AGENTS[:agents])
    assert list(mapping["positions"]) == list(mapping["scores"]) == list(AGENTS[:agents])
    assert len(set(mapping["passports"].values())) == players


@pytest.mark.rule("HC-4", "HC-6", "HC-8", "HC-10")
def test_set_up(fresh: Fresh) -> None:
    for seed in range(20):
        mapping = fresh(seed, players=4).mapping
        assert set(mapping["positions"].values()) == set(mapping["scores"].values()) == {0}
        assert (mapping["safe"], mapping["turn"], mapping["phase"]) == (7, 0, "move")
        assert mapping["active"] == mapping["to_move"] == 0
        assert mapping["points_left"] == (3 if mapping["die"] == "1-3" else mapping["die"])
        assert mapping["moved"] == mapping["hands"] == mapping["guesses"] == {}
        assert mapping["arrived"] == mapping["winners"] == mapping["deck"] == []


@pytest.mark.rule("HC-5")
def test_passports_are_a_uniform_shuffle(fresh: Fresh) -> None:
    games = [fresh(seed, players=2).mapping["passports"] for seed in range(4000)]
    assert even(Counter((p["0"], p["1"]) for p in games), 20)


@pytest.mark.rule("HC-6")
def test_first_player(fresh: Fresh) -> None:
    assert fresh(1, players=3, first_player=2).mapping["active"] == 2
    starts = [fresh(seed, players=3, first_player="random").mapping["to_move"] for seed in range(1500)]
    assert even(Counter(starts), 3)


@pytest.mark.rule("HC-7")
def test_agents_in_the_order_of_their_ids(fresh: Fresh) -> None:
    assert board.AGENTS == ("red", "yellow", "green", "blue", "purple", "orange", "grey")
    assert fresh(0, players=2).mapping["agents"] == ["red", "yellow", "green", "blue", "purple"]


@pytest.mark.rule("HC-8", "HC-36")
def test_dice(fresh: Fresh, at: Callable[..., Any]) -> None:
    assert {fresh(s, players=2).mapping["die"] for s in range(100)} == {"1-3", 2, 3, 4, 5, 6}
    for edition, faces in (("amigo", {"1-3", 2, 3, 4, 5, 6}), ("ravensburger", {1, 2, 3, 4, 5, 6})):
        rolls: Counter[Any] = Counter()
        options = {"players": 2, "edition": edition}
        for seed in range(900):
            rolls[at(options, die=2, safe=11, rng=seed).act("move red 2").mapping["die"]] += 1
        assert set(rolls) == faces
        assert even(rolls, 6)


@pytest.mark.rule("HC-20", "HC-21")
def test_cards_are_the_printed_ones_and_dealt_two_each(fresh: Fresh) -> None:
    assert dict(zip(cards.CARDS, cards.COPIES.tolist(), strict=True)) == COPIES
    assert sum(COPIES.values()) == cards.ALL_CARDS == 26
    for players in range(2, 8):
        mapping = fresh(3, players=players, top_secret=True).mapping
        assert [len(hand) for hand in mapping["hands"].values()] == [2] * players
        there = Counter([*mapping["deck"], *(card for hand in mapping["hands"].values() for card in hand)])
        assert there == COPIES | {"new_identity": 1} if players < 7 else "new_identity" not in there
        assert sum(there.values()) == (26 if players < 7 else 25)


@pytest.mark.rule("HC-20")
def test_the_deck_is_a_uniform_shuffle(fresh: Fresh) -> None:
    tops = Counter(fresh(seed, players=3, top_secret=True).mapping["deck"][0] for seed in range(2600))
    assert stats.chisquare([tops[card] for card in COPIES], [100 * n for n in COPIES.values()]).pvalue > ALARM


@pytest.mark.rule("HC-31")
def test_new_identity_is_absent_with_seven_players_or_by_option(fresh: Fresh) -> None:
    for options in ({"players": 7}, {"players": 3, "new_identity": "none"}):
        mapping = fresh(5, top_secret=True, **options).mapping
        assert len(mapping["deck"]) + 2 * options["players"] == 25
        assert "new_identity" not in [*mapping["deck"], *(c for hand in mapping["hands"].values() for c in hand)]


@pytest.mark.rule("HC-31")
def test_a_new_identity_is_a_random_free_agent(at: Callable[..., Any]) -> None:
    options = {"players": 4, "top_secret": True}
    found: Counter[str] = Counter()
    for seed in range(450):
        position = at(options, die=2, hands={"1": ["new_identity"]}, rng=seed).act("move red 2", "card new_identity")
        passports = position.mapping["passports"]
        assert (passports["0"], passports["2"], passports["3"]) == ("red", "green", "blue")
        found[passports["1"]] += 1
        assert position.mapping["record"]["former"] == "yellow"
        assert position.mapping["phase"] == "move"
    assert even(found, 3)
    assert set(found) == {"purple", "orange", "grey"}


@pytest.mark.rule("HC-31")
def test_only_its_owner_knows_a_new_identity(at: Callable[..., Any]) -> None:
    """Only the owner sees which agents were taken and put back."""
    options = {"players": 3, "top_secret": True}
    shown = set()
    own = set()
    for seed in range(40):
        position = at(options, die=2, hands={"1": ["new_identity"], "2": ["swap"]}, rng=seed)
        position.act("move red 2", "card new_identity")
        assert position.mapping["to_move"] == 2
        shown.add((position.view(0).tobytes(), position.view(2).tobytes(), position.drawing(0), position.drawing(2)))
        view = position.view(1)[0]
        passport = position.mapping["passports"]["1"]
        assert AGENTS[int(view["own"].argmax())] == passport
        former = [a for a in position.mapping["agents"] if a != passport][int(view["former"].argmax()) - 1]
        assert former == "yellow"
        assert view["former"].sum() == 1
        own.add(passport)
    assert len(shown) == 1
    assert own == {"blue", "purple", "orange"}


@pytest.mark.rule("HC-35")
@pytest.mark.parametrize("players", range(2, 8))
@pytest.mark.parametrize("top_secret", [False, True])
@pytest.mark.parametrize("secret_identities", [False, True])
def test_variants_can_be_combined(fresh: Fresh, players: int, top_secret: bool, secret_identities: bool) -> None:
    rng = np.random.default_rng(players)
    position = fresh(1, players=players, top_secret=top_secret, secret_identities=secret_identities)
    phases = set()
    while position.s.to_move >= 0:
        phases.add(position.mapping["phase"])
        position.game.apply(position.s, int(rng.choice(np.flatnonzero(position.mask))))
    assert ("guess" in phases) == secret_identities
    assert ("cards" in phases) == top_secret
    assert position.mapping["end_reason"] == "finish"


@pytest.mark.rule("HC-36")
def test_top_secret_requires_the_amigo_edition() -> None:
    with pytest.raises(ValueError, match=r"top_secret.*edition='amigo'"):
        make_game(players=3, top_secret=True, edition="ravensburger")


@pytest.mark.rule("HC-6", "HC-19", "HC-25", "HC-31", "HC-37")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("players", 1),
        ("players", 8),
        ("players", True),
        ("players", 2.0),
        ("top_secret", 1),
        ("secret_identities", "yes"),
        ("edition", "english"),
        ("first_player", 4),
        ("first_player", "last"),
        ("card_round_opens", "right"),
        ("new_identity", True),
        ("tie_with_free", None),
        ("reward", "points"),
        ("nobody_wins", 1),
    ],
)
def test_invalid_options_are_refused(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name} must be one of"):
        make_game(**{name: value})  # type: ignore[arg-type]


@pytest.mark.rule("HC-37")
@pytest.mark.parametrize("reward", ["win", "score"])
def test_rewards_sum_to_zero(fresh: Fresh, reward: str) -> None:
    rng = np.random.default_rng(2)
    for seed in range(12):
        position = fresh(seed, players=3 + seed % 3, reward=reward)
        while position.s.to_move >= 0:
            assert position.returns() == [0] * position.game.num_players
            position.game.apply(position.s, int(rng.choice(np.flatnonzero(position.mask))))
        assert abs(sum(position.returns())) < 1e-4
        if reward == "win":
            winners = position.mapping["winners"]
            assert [r > 0 for r in position.returns()] == [s in winners for s in range(position.game.num_players)]


@pytest.mark.rule("HC-20")
def test_the_public_record(at: Callable[..., Any]) -> None:
    """Points moved, times moved and score gained, by player and agent; scorings and cards by player."""
    options = {"players": 3, "top_secret": True}
    hands = {"0": ["back_1_2"], "1": ["score_3", "all_to_church"], "2": ["join"]}
    position = at(options, die=5, active=0, hands=hands)
    position.act(
        "move purple 5",
        "card score_3",
        "agent red",
        "agent blue",
        "pass",
        "pass",
        "card back_1_2",
        "agent red",
        "step -1",
    )
    position.act("pass", "pass")
    record = position.mapping["record"]
    assert record["points"] == {"0": {"red": -1, "purple": 5}, "1": {}, "2": {}}
    assert record["times"] == {"0": {"red": 1, "purple": 1}, "1": {}, "2": {}}
    gains = {"yellow": 2, "green": 3, "blue": 4, "purple": 10, "orange": 6}
    assert record["gains"] == {"0": gains, "1": {"red": 3, "blue": 3}, "2": {}}
    assert record["scorings"] == [1, 0, 0]
    assert record["cards_played"] == [1, 1, 0]
    view = position.view(1)[0]  # own seat and agent first: yellow, red, green ...; players 1, 2, 0
    assert np.allclose(view["record"][1, 2], [-1 / 20, 1 / 10, 0])
    assert np.allclose(view["record"][4, 2], [5 / 20, 1 / 10, 10 / 20])
    assert np.allclose(view["record"][1, 0], [0, 0, 3 / 20])
    assert np.allclose(view["scorings"], [0, 0, 0.1])
    assert np.allclose(view["cards_played"], [0.25, 0, 0.25])


@pytest.mark.rule("HC-37")
@pytest.mark.parametrize(("identities", "most"), [(False, 51), (True, 51 + 5 * 4)])
def test_lowest_return_is_a_lower_bound(identities: bool, most: int) -> None:
    """A token is below 42 before the last scoring, which is worth up to 10; predictions add 5 for each of 4 agents."""
    game = make_game(players=2, reward="score", secret_identities=identities)
    assert game.lowest_return == pytest.approx(-most / 42)
    assert make_game(players=2, reward="win", secret_identities=identities).lowest_return == -1
