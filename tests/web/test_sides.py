"""Names and sentences of the page."""

from html import unescape

import pytest

from spygames import make_game
from spygames.core.game.game import NOBODY, as_record
from spygames.core.pictures.picture import picture
from spygames.core.svg.annotations import Advice
from spygames_app.sides import MAX_NAME, Sides, clean_name, sides_of
from spygames_app.web.pages import thoughts
from spygames_app.web.phrases import grouped, phrase


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("player_0 takes the face-up double_agent", "You take the face-up double agent"),
        ("player_0 offers mole face up and enforcer face down", "You offer mole face up and enforcer face down"),
        ("player_0 brings red from its area to 0", "You bring red from your area to 0"),
        ("player_0 and player_2 win: all pawns are home", "You and Bruno win: all pawns are home"),
        ("player_0 passes a card to player_2", "You pass a card to Bruno"),
        ("player_2 passes a card to player_0", "Bruno passes a card to you"),
        ("player_1 wins: player_1 caught player_0, with a lead of 9", "Ada wins: Ada caught you, with a lead of 9"),
        ("player_0 has player_1 resolve the mole", "You have Ada resolve the mole"),
        ("You: play a card", "You: play a card"),
        ("player_0 discards swap and draws a card", "You discard swap and draw a card"),
        ("player_1 discards swap and draws a card", "Ada discards swap and draws a card"),
    ],
)
def test_moves_are_sentences(text: str, said: str) -> None:
    assert sides_of(3, 0).words(text) == said


def test_names_are_cleaned_and_distinct() -> None:
    assert clean_name(" a\tb\x00  c ") == "ab c"
    assert len(clean_name("x" * 99)) == MAX_NAME
    assert sides_of(3, 1, "ada").names == ("Bruno", "You", "Clara")
    assert sides_of(2, NOBODY).names == ("Ada", "Bruno")
    assert len({*sides_of(12, NOBODY).names}) == len({*sides_of(12, 3, "Player 1").names}) == 12


def test_drawings_keep_the_texts_of_actions() -> None:
    picture = '<g data-action="guess red player_1" aria-label="guess red player_1"><text>player_1</text></g>'
    drawn = sides_of(2, 0).drawn(picture)
    assert drawn == '<g data-action="guess red player_1" aria-label="guess red Ada"><text>Ada</text></g>'
    record = Sides(("<i>", "random"))  # names of players in an uploaded record
    assert record.drawn("<text>player_0</text>") == "<text>&lt;i&gt;</text>"


def test_names_keep_their_underscores() -> None:
    names = Sides(("agent_avenue/base-1", "my_bot"), typed="M_a")
    assert names.words("my_bot: player_1 takes double_agent") == "My bot: my_bot takes double agent"
    for text, shown in {"player_0: play": "agent_avenue/base-1: play", "my_bot": "my_bot", "M_a": "M_a"}.items():
        assert names.drawn(f"<text>{text}</text>") == f"<text>{shown}</text>"


def test_positions_as_text_address_the_reader() -> None:
    """A screen reader reads them out with the board."""
    text = (
        "Co., turn 3: player_0 has rolled 5 and moves agents, 5 left\nRed 0 player_0 (you)\n"
        "player_0&#x27;s hand: swap; player_1&#x27;s hand: ?"
    )
    assert sides_of(2, 0).drawn(f"<desc>{text}</desc>") == (
        "<desc>Co., turn 3: you have rolled 5 and move agents, 5 left\nRed 0 you\n"
        "Your hand: swap; Ada&#x27;s hand: ?</desc>"
    )
    assert sides_of(2, 0).drawn("<desc>player_1 (you)</desc>", 1) == "<desc>Ada (you)</desc>"


def test_actions_name_the_seats() -> None:
    words = sides_of(3, 0).words
    game = make_game("heimlich_v0", players=3, secret_identities=True)
    legal = ["guess red player_1", "guess red player_2", "guess red free"]
    assert words(phrase(game, legal[0])) == "Red belongs to Ada"
    found = {words(title): [words(shown) for _, shown in texts] for title, texts in grouped(game, legal).items()}
    assert found == {"Red belongs to …": ["Ada", "Bruno"], "": ["Red belongs to nobody"]}


def test_beliefs_name_the_seats() -> None:
    advice = Advice(belief=[("player_1's hand", [("double_agent", 0.5)]), ("player_2's agent", [("red", 1.0)])])
    page = unescape(thoughts(advice, make_game("agent_avenue_v0"), "mcts:20", sides_of(3, 2)))
    assert "<b>Bruno's hand: </b>double agent 50%" in page
    assert "<b>Your agent: </b>red 100%" in page


def test_the_board_names_the_captains_choice() -> None:
    game = make_game("agent_avenue_v0", players=3)
    drawn = picture(game, as_record(game.start(1)), 0, legal=["lead player_1"], size="portrait")
    assert 'aria-label="lead Ada"' in sides_of(3, 0).drawn(drawn)


def test_the_reader_is_in_the_team_that_wins() -> None:
    text = "player_0 and player_1 win: they caught the rivals, with a lead of 8"
    assert sides_of(4, 1).drawn(f"<text>{text}</text>", NOBODY)[6:-7] == (
        "Ada and you win: you caught the rivals, with a lead of 8"
    )
    assert sides_of(4, 2).drawn(f"<text>{text}</text>", NOBODY)[6:-7] == text.replace("player_0", "Ada").replace(
        "player_1", "Bruno"
    )


@pytest.mark.parametrize(
    ("viewer", "text", "shown"),
    [
        (0, "player_0", ""),  # beside "You"
        (0, "player_1", "Ada"),
        (NOBODY, "player_0", "You"),
        (
            NOBODY,
            "player_0 wins: player_0 caught player_1, with a lead of 8",
            "You win: you caught Ada, with a lead of 8",
        ),
        (1, "You", "Ada"),  # somebody else's view
        (1, "You: play a card", "Ada: play a card"),
        (1, "player_0", "You"),
        (1, "you lead by 3", "Ada leads by 3"),
        (1, "You win: you caught player_0, with a lead of 8", "Ada wins: Ada caught you, with a lead of 8"),
        (1, "You lose: player_0 caught you, with a lead of 8", "Ada loses: you caught Ada, with a lead of 8"),
        (1, "You lose: the cards ran out, and player_0 led by 3", "Ada loses: the cards ran out, and you led by 3"),
        (1, "player_0 and You win: red and blue have 42 points", "You and Ada win: red and blue have 42 points"),
        (1, "Your team wins: all pawns are home", "Ada's team wins: all pawns are home"),
    ],
)
def test_the_reader_is_you_in_each_view(viewer: int, text: str, shown: str) -> None:
    assert sides_of(2, 0, "Mia").drawn(f"<text>{text}</text>", viewer) == f"<text>{shown}</text>"
