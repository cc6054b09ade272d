"""The recorded games of Agent Avenue cover all kinds of actions and all variants."""

from pathlib import Path

from tests.games.agent_avenue.reference import AGENTS, MARKET, REASONS

from spygames.core.records.record import load_games

FILES = sorted((Path(__file__).parents[2] / "golden" / "agent_avenue").glob("*.jsonl"))


def test_golden_games_cover_agent_avenue() -> None:
    games = [game for path in FILES for game in load_games(path)]
    texts = {text for game in games for text in game.actions}
    kinds = {"play", "discard", "recruit", "lead", "up", "down", "market", "resolver", "take", "decline"}
    assert {text.split()[0] for text in texts} == kinds
    assert {f"market {card}" for card in MARKET} <= texts
    assert {text.split()[1] for text in texts if text.startswith("play")} == set(AGENTS)
    variants = {(game.options["mode"], game.options["players"]) for game in games}
    assert variants == {(mode, players) for mode in ("simple", "advanced") for players in (2, 3, 4)}
    assert {game.options["captain"] for game in games if game.options["players"] > 2} == {"alternate", "fixed"}
    assert {str(game.options["first_player"]) for game in games} >= {"0", "1", "2", "random"}
    assert {game.end_reason for game in games} == set(REASONS)
    assert any(game.state is not None for game in games)
