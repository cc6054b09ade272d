"""Benchmarks of games of other libraries. Each game is driven as its documentation shows."""

import importlib
import random
from collections.abc import Callable
from typing import Any

from benchmarks.loops import GAMES, chosen, replay
from benchmarks.tools import Bench, NotHere, Run, rate

EXTRA = "needs the extra: pip install 'spygames[bench]'"


def pettingzoo(module: str, measure: Callable[[Any], Run]) -> Run:
    try:
        env = importlib.import_module(f"pettingzoo.classic.{module}").env()
    except ImportError as error:
        raise NotHere(EXTRA) from error
    return measure(env)


def openspiel(name: str, measure: Callable[[Any], Run]) -> Run:
    try:
        game = importlib.import_module("pyspiel").load_game(name)
    except ImportError as error:
        raise NotHere(EXTRA) from error
    return measure(game)


def spiel_random(game: Any) -> list[tuple[bool, int]]:
    """Play one random game; return for each step whether a player decided (not chance), and the action."""
    state = game.new_initial_state()
    actions = []
    while not state.is_terminal():
        chance = state.is_chance_node()
        if chance:
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            action = random.choices(outcomes, weights)[0]
        else:
            state.observation_tensor()
            action = random.choice(state.legal_actions())
        actions.append((not chance, action))
        state.apply_action(action)
    return actions


def spiel_replay(game: Any, actions: list[tuple[bool, int]]) -> int:
    """Replay a game with known actions and chance outcomes; read tensor and legal actions at each decision."""
    state = game.new_initial_state()
    decisions = 0
    for decided, action in actions:
        if decided:
            state.observation_tensor()
            state.legal_actions()
            decisions += 1
        state.apply_action(action)
    state.returns()
    return decisions


def spiel_replayed(game: Any) -> Run:
    games = [spiel_random(game) for _ in range(GAMES)]
    return rate(lambda: sum(spiel_replay(game, actions) for actions in games))


def spiel_chosen(game: Any) -> Run:
    return rate(lambda: sum(decided for decided, _ in spiel_random(game)))


def _rows() -> list[Bench]:
    rows = []
    for title, name, library, game, known, choosing in (
        ("PettingZoo connect_four", "pz_connect_four", pettingzoo, "connect_four_v3", replay, chosen),
        ("PettingZoo leduc_holdem", "pz_leduc", pettingzoo, "leduc_holdem_v4", replay, chosen),
        ("OpenSpiel leduc_poker", "os_leduc", openspiel, "leduc_poker", spiel_replayed, spiel_chosen),
        ("OpenSpiel backgammon", "os_backgammon", openspiel, "backgammon", spiel_replayed, spiel_chosen),
    ):
        for suffix, how, measure, beside in (
            ("", "actions known", known, "aec"),
            ("_random", "masked random choice", choosing, "aec_random"),
        ):
            rows.append(
                Bench(
                    f"{name}{suffix}",
                    f"{title}, {how}",
                    lambda library=library, game=game, measure=measure: library(game, measure),
                    beside=beside,
                )
            )
    return rows


BENCHES = _rows()
