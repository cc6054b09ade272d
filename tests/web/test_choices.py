"""The choices that the page offers: games, variants and players."""

import dataclasses
import re
from pathlib import Path

import pytest

import spygames
from spygames.core.game.game import NOBODY, as_record
from spygames.core.players.names import make_player
from spygames_app.web import choices
from spygames_app.web.choices import Choices
from spygames_app.web.server import make_app
from spygames_app.web.store import Store
from tests.web.visitor import GAME, HOST, Visitor, actions, begin, new_store, revision


def test_choices_follow_the_options_of_the_game() -> None:
    found = {option.name: option for option in choices.options_of("heimlich_v0")}
    assert found["players"].values == (2, 3, 4, 5, 6, 7)
    assert found["players"].values[found["players"].default] == 4
    assert found["top_secret"].values == (False, True)
    assert {"mode", "players"} <= {option.name for option in choices.options_of("agent_avenue_v0")}
    game = choices.made(Choices(), 0, [option.default for option in choices.options_of("agent_avenue_v0")])
    assert game == GAME
    for number, picked in ((7, []), (0, [0]), (0, [99, 0, 0, 0])):
        with pytest.raises(ValueError, match=r"the game must be from 0 to|this variant does not exist"):
            choices.made(Choices(), number, picked)


def test_every_value_can_be_chosen_in_place_of_the_one_given_at_the_start() -> None:
    """None is a value, too, though it is the default of the game."""
    offered = Choices((), "agent_avenue_v0", {"mode": "advanced", "players": 4, "captain": "fixed"})
    options = offered.options_of("agent_avenue_v0")
    number = next(i for i, option in enumerate(options) if option.name == "captain")
    picked = [option.default for option in options]
    found = {}
    for k, value in enumerate(options[number].values):
        picked[number] = k
        found[value] = choices.made(offered, 0, picked).options["captain"]
    assert found == {None: "alternate", "alternate": "alternate", "fixed": "fixed"}


def test_a_table_as_an_option_is_offered_as_ones_own() -> None:
    deck = {"13": 20, "9": 30}
    offered = Choices((), "agent_dog_v0", {"deck": deck})
    visitor = Visitor(make_app(offered, [HOST]))
    assert ">your own</option>" in visitor.get("/").text
    assert "Cards: your own" not in visitor.get("/seats?game=0").text  # the default of this server
    standard = f"/seats?game=0&o{[o.name for o in offered.options_of('agent_dog_v0')].index('deck')}=0"
    assert "Cards: standard" in visitor.get(standard).text
    game = choices.made(offered, 0, [option.default for option in offered.options_of("agent_dog_v0")])
    assert game.options["deck"] == deck


@pytest.mark.parametrize("text", ["", "[]", '{"format": 1}', '{"format": 1, "layout": 3}', "[" * 100_000, "\0\0"])
def test_a_damaged_agent_does_not_break_the_list_of_players(tmp_path: Path, text: str) -> None:
    """The error is shown only when the player is made."""
    (tmp_path / "config.json").write_text(text)
    assert choices.fits(GAME, str(tmp_path))
    assert choices.fits(GAME, "x" * 300)


def test_agents_without_a_history_are_offered_in_a_game_with_one() -> None:
    given = ("agent_avenue/simple-2-first", "mix:agent_avenue/simple-2|greedy", "agent_avenue/advanced-2-first")
    found = Choices(players=given).players_of(spygames.make_game("agent_avenue_v0", history=3))
    assert {*given} - {*found} == {"agent_avenue/advanced-2-first"}
    assert {"agent_avenue/simple-2", "agent_avenue/simple-2-safe"} <= {*found}


def test_only_players_that_fit_the_game_are_offered() -> None:
    given = ("agent_dog/standard-4-first", "mc:50", "agent_avenue/simple-2-first@argmax", "best@0.5")
    specs = Choices(given).players_of(GAME)
    assert specs == [
        *GAME.bots, "mc:50", "agent_avenue/simple-2-first@argmax", "best@0.5",
        "best", "best@sample", "agent_avenue/simple-2", "best+search:64", "mcts:200",
    ]  # fmt: skip
    three = spygames.make_game("agent_avenue_v0", mode="advanced", players=3)  # it has the layout of four players
    assert Choices(("best",)).players_of(three) == [*three.bots, "agent_avenue/advanced-4", "mcts:200"]
    for spec in specs:
        make_player(GAME, spec)


def test_a_variant_is_said_by_its_players_and_what_differs() -> None:
    offered = Choices().options_of("heimlich_v0")
    assert choices.differences(spygames.make_game("heimlich_v0", players=4).options, offered) == ["4 players"]
    players, cards = choices.differences(spygames.make_game("heimlich_v0", players=3, top_secret=True).options, offered)
    assert players == "3 players"
    assert cards.endswith(": yes")


def test_levels_go_from_beginner_to_strongest(server: tuple[Store, Visitor]) -> None:
    assert choices.levels_of(GAME) == [
        ("Beginner", "random"), ("Easy", "greedy"), ("Hard", "expert"), ("Strongest", "best"),
    ]  # fmt: skip
    page = server[1].get("/seats?game=0").text
    assert re.findall(r'name="level" value="(\w+)"( checked)?', page) == [
        ("0", ""), ("1", " checked"), ("2", ""), ("3", ""), ("custom", ""),
    ]  # fmt: skip
    assert re.search(r'<option value="\d+">Strongest: best \(agent_avenue/simple-2@argmax\)</option>', page)
    three = spygames.make_game("agent_avenue_v0", mode="advanced", players=3)  # no released agent
    assert choices.levels_of(three)[-1] == ("Strongest", "expert")


def test_a_game_with_one_bot_has_one_level() -> None:
    kuhn = spygames.make_game("tests.poker.kuhn")
    levels = choices.levels_of(kuhn)
    assert [spec for _, spec in levels] == [*kuhn.bots][: len(levels)]
    assert levels[-1][0] == "Strongest"


@pytest.mark.parametrize(
    ("bots", "names"),
    [
        (("random", "bold"), ("Beginner", "Strongest")),
        (("random", "shy", "bold", "calm", "sly"), ("Beginner", "Easy", "Hard", "Strongest")),
    ],
)
def test_levels_of_a_game_of_ones_own_are_its_bots(bots: tuple[str, ...], names: tuple[str, ...]) -> None:
    kuhn = spygames.make_game("tests.poker.kuhn")
    game = dataclasses.replace(kuhn, bots=dict.fromkeys(bots, kuhn.bots["random"]))
    wanted = [*bots[:3], bots[-1]] if len(bots) > 3 else [*bots]
    assert choices.levels_of(game) == list(zip(names, wanted, strict=True))


def test_a_game_of_another_module_without_pictures_is_played() -> None:
    """Kuhn poker has no picture, no README and no texts of moves; the page plays it nevertheless."""
    offered = Choices((), "tests.poker.kuhn")
    assert offered.options_of("tests.poker.kuhn") == []
    kept = new_store()
    visitor = Visitor(make_app(offered, [HOST], store=kept))
    assert "tests.poker.kuhn" in visitor.get("/").text
    visitor.get("/seats?game=0")
    answer = visitor.post("/games", {"game": 0, "s0": 0, "s1": 1})
    made = kept.games[answer.where.rpartition("/")[2]]
    made.wait(60)
    assert actions(visitor.get(answer.where).text) == ["pass", "bet"]
    for number in range(3):
        if not made.over:
            visitor.post(f"{answer.where}/act", {"revision": 2 * number, "action": "pass"})
            made.wait(20)
    assert made.live is not None
    assert made.live.mover == NOBODY
    assert "The seed of the deal was" in visitor.get(answer.where).text
    assert visitor.get("/rules?game=0").text.count("This game has no list of rules.") == 1


def test_the_rules_of_a_variant_begin_with_its_short_rules() -> None:
    offered = Choices(())
    number = [*offered.games].index("agent_avenue_v0")
    modes = next(i for i, option in enumerate(offered.options_of("agent_avenue_v0")) if option.name == "mode")
    visitor = Visitor(make_app(offered, [HOST]))
    simple, advanced = (visitor.get(f"/rules?game={number}&o{modes}={k}").text for k in range(2))
    line = "<strong>getaway car: </strong>ongoing"
    assert line not in simple
    assert line in advanced
    assert '<a href="#AA-28">AA-28</a>' in advanced
    assert '<dt id="AA-4">AA-4</dt>' in simple
    assert "<td>getaway_car</td>" in simple  # the table of the rule
    assert "<code>recruit up</code>" in simple
    short = simple.partition("<summary>Details")[0]
    assert "<strong>Goal: </strong>Recruit agents" in short
    assert "AA-" not in short
    details = simple.partition("<summary>All rules")[0]
    assert "the others are the deck. Seat 1 begins." in details
    assert "player_" not in details
    shown = re.findall(r'src="(/static/games/[^"]+)"', short)
    assert [visitor.get(each).status for each in shown] == [200, 200]


def test_a_tap_on_a_card_that_cannot_be_chosen_is_refused_with_a_reason(server: tuple[Store, Visitor]) -> None:
    """The cards of the hand carry an action while the other side's offer is due, and none when they can be chosen."""
    store, visitor = server
    made = begin(visitor, store)
    where = f"/games/{made.id}"
    page = visitor.get(where).text
    assert "data-refused" not in page
    offer = next(text for text in actions(page) if text.startswith("play "))
    visitor.post(f"{where}/act", {"revision": revision(page), "action": offer})
    made.wait(60)
    page = visitor.get(where).text
    while "recruit up" not in actions(page):
        visitor.post(f"{where}/act", {"revision": revision(page), "action": actions(page)[0]})
        made.wait(60)
        page = visitor.get(where).text
    assert made.live is not None
    hand = made.game.seen_to_dict(as_record(made.live.states), 0)["hands"]["0"]
    refused = re.findall('<g data-refused="([^"]*)">', page)
    assert [text.split()[1] for text in refused] == 2 * hand  # in both forms of the picture
    assert page.count("data-refused") == len(refused)  # nothing else, and no role for the keyboard
    fields = {"revision": revision(page), "action": refused[0]}
    answer = visitor.post(f"{where}/act", {**fields, "tapped": 1})
    assert (answer.status, answer.problem.partition(".")[0]) == (
        409,
        "You offer two cards only at the start of your own turn",
    )
    assert ">Rule AA-10</a>" in answer.problem
    assert visitor.post(f"{where}/act", fields).problem.startswith(f"'{refused[0]}' is not possible: you offer")
    assert visitor.get(where).text == page


def test_a_refused_move_links_to_its_rule(server: tuple[Store, Visitor]) -> None:
    store, visitor = server
    made = begin(visitor, store)
    answer = visitor.post(f"/games/{made.id}/act", {"revision": 0, "action": "recruit up"})
    link = re.search(
        r'role="alert" class="problem">[^<]+ <a href="([^"]+)" target="_blank">Rule AA-12</a>', answer.text
    )
    assert link
    address, _, rule = link[1].replace("&amp;", "&").partition("#")
    rules = visitor.get(address).text
    assert f'<dt id="{rule}">AA-12</dt>' in rules
    assert "<details open><summary>All rules by their IDs" in rules
    assert "<details open>" not in visitor.get(made.rules).text
    assert "<details open>" not in visitor.get(f"{made.rules}&rule=none").text


def test_a_decision_is_explained_in_words(server: tuple[Store, Visitor]) -> None:
    """The numbers of a card come with what they count, and nobody is called a side or a seat."""
    store, visitor = server
    page = visitor.get(f"/games/{begin(visitor, store).id}").text
    meanings = page.partition("<summary>Cards and words of this decision")[2].partition("</details>")[0]
    assert "<h3>Agents: how far the first, second and every later copy moves your meeple</h3><ul" in meanings
    position = page.partition("<summary>The position in words")[2].partition("</details>")[0]
    assert "<li>Turn 1: you play two cards (or discard first).</li>" in position
    assert re.search(r"side \d|seat \d|player_", position) is None
    assert "<noscript><p" in page
