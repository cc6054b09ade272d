"""The recorded games of Heimlich & Co. cover all kinds of actions and options."""

from pathlib import Path

from tests.games.heimlich.reference import ORDER

from spygames.core.records.record import load_games

FILES = sorted((Path(__file__).parents[2] / "golden" / "heimlich").glob("*.jsonl"))


def test_golden_games_cover_heimlich() -> None:
    games = [game for path in FILES for game in load_games(path)]
    texts = {text for game in games for text in game.actions}
    kinds = {"move", "done", "safe", "draw", "pass", "card", "agent", "step", "building", "guess"}
    assert {text.split()[0] for text in texts} == kinds
    assert {text for text in texts if text.startswith("card")} == {f"card {card}" for card in ORDER}
    assert {text for text in texts if text.startswith("step")} == {f"step {n}" for n in (-2, -1, 1, 2, 3)}
    assert {game.options["players"] for game in games} == {2, 3, 4, 7}
    switches = {(game.options["top_secret"], game.options["secret_identities"]) for game in games}
    assert switches == {(cards, predictions) for cards in (False, True) for predictions in (False, True)}
    for name, values in {
        "edition": {"amigo", "ravensburger"},
        "card_round_opens": {"left", "active"},
        "tie_with_free": {"player", "nobody"},
        "reward": {"win", "score"},
    }.items():
        assert {game.options[name] for game in games} == values
    assert {game.end_reason for game in games} == {"finish"}
    assert any(game.state is not None for game in games)
