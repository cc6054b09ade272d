"""The recorded games of Agent DOG cover every kind of action and every variant."""

from pathlib import Path

from spygames.core.records.record import load_games

FILES = sorted((Path(__file__).parents[2] / "golden" / "agent_dog").glob("*.jsonl"))


def test_golden_games_cover_agent_dog() -> None:
    games = [game for path in FILES for game in load_games(path)]
    texts = {text for game in games for text in game.actions}
    assert {text.split()[0] for text in texts} == {"pass", "card", "from", "step", "swap", "meet", "discard"}
    for start in ("from track", "step track"):
        assert any(text.startswith(start) and text.endswith("into goal") for text in texts)
    assert {game.options["players"] for game in games} == {2, 3, 4}
    assert {game.options["deck"] for game in games} == {"standard", "royal"}
    assert {game.options["hidden_colours"] for game in games} == {"table", "tracked"}
    assert {game.end_reason for game in games} == {"home", "truncated"}
    assert any(game.state is not None for game in games)
