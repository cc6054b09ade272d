"""Names and sentences of the page."""

import pytest

import spygames
from spygames.core.game.game import NOBODY, as_record
from spygames_app.live import LiveGame
from spygames_app.sides import MAX_NAME, clean_name, sides_of


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("player_0 takes the open double_agent", "You take the open double agent"),
        ("player_0 offers mole, hides enforcer", "You offer mole, hide enforcer"),
        ("player_0 keeps mole in its hand", "You keep mole in your hand"),
        ("player_0 passes a card to player_2", "You pass a card to Bruno"),
        ("player_2 passes a card to player_0", "Bruno passes a card to you"),
        ("player_1 wins: caught with a lead of 9", "Ada wins: caught with a lead of 9"),
        ("player_0 has player_1 resolve the mole", "You have Ada resolve the mole"),
        ("You: play a card", "You: play a card"),
    ],
)
def test_moves_are_sentences(text: str, said: str) -> None:
    assert sides_of(3, 0).words(text) == said


def test_names_are_cleaned_and_distinct() -> None:
    assert clean_name(" a\tb\x00  c ") == "ab c"
    assert len(clean_name("x" * 99)) == MAX_NAME
    assert sides_of(3, 1, "ada").names == ("Bruno", "ada", "Clara")
    assert sides_of(2, NOBODY).names == ("Ada", "Bruno")


def test_drawings_keep_the_texts_of_actions() -> None:
    picture = '<g data-action="guess red player_1" aria-label="guess red player_1"><text>player_1</text></g>'
    drawn = sides_of(2, 0).drawn(picture)
    assert drawn == '<g data-action="guess red player_1" aria-label="guess red Ada"><text>Ada</text></g>'
    hostile = sides_of(2, 0, "<i>").drawn("<text>player_0</text>")
    assert hostile == "<text>&lt;i&gt;</text>"


@pytest.mark.parametrize(
    ("game_id", "options"), [("agent_avenue_v0", {"players": 3, "mode": "advanced"}), ("heimlich_v0", {})]
)
def test_effects_add_up(game_id: str, options: dict[str, object]) -> None:
    """Every change of the public standing is said once: the sums of all effects are the standing at the end."""
    game = spygames.make_game(game_id, **options)
    live = LiveGame(game, {}, seed=5)
    totals: dict[str, int] = {}
    while live.mover != NOBODY:
        live.act([*live.legal().values()][-1])
        for part in live.effect(len(live.decisions) - 1, 0).partition(";")[0].split(", "):
            name, _, step = part.rpartition(" ")
            if name:
                totals[name] = totals.get(name, 0) + int(step)
    seen = game.seen_to_dict(as_record(live.states), 0)
    standing = (
        seen["scores"]
        if "scores" in seen
        else dict(zip(("player_0 and player_1", "player_2"), seen["progress"], strict=True))
    )
    assert {name: total for name, total in totals.items() if total} == {name: n for name, n in standing.items() if n}
