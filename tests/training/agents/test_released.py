"""The files in configs/ and checkpoints/ work as they are."""

import importlib
import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from studies.released_agents import check_earned, figures_of

import spygames
from spygames.core.players.names import make_player
from spygames.core.players.released import released_agents
from spygames.testing.variants import VARIANTS
from spygames_training.agents.checkpoint import load_checkpoint
from spygames_training.config import Config, differences, from_mapping, read_config
from spygames_training.evaluation.evaluation import evaluate
from tests.support.training_records import runs_behind

ROOT = Path(__file__).resolve().parents[3]
CONFIGS = sorted((ROOT / "configs").glob("*.toml"))
RECIPES = {path.stem: path for path in sorted((ROOT / "configs" / "agents").glob("*.toml"))}
"""Configs of the released agents."""
AGENTS = [agent.name for agent in released_agents()]
CHECKPOINTS = sorted(path.parent for path in (ROOT / "checkpoints").glob("*/config.json"))


def test_the_list_of_agents_belongs_to_its_caller() -> None:
    released_agents().clear()
    assert [agent.name for agent in released_agents()] == AGENTS


@pytest.mark.parametrize("path", [*CONFIGS, *RECIPES.values()], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_config_names_a_game_its_players_and_itself(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Recipes name anchors, which an installed package lacks and the sdist has.
    monkeypatch.setattr("spygames.core.players.released.ANCHORS", ROOT / "anchors")
    config = read_config(path)
    assert config.name == path.stem
    game = spygames.make_game(config.game, **config.options)
    comments = "".join(recipe.read_text(encoding="utf-8") for recipe in RECIPES.values())
    for name in (*config.evaluate_against, *config.opponents.bots):
        if name.startswith("runs/"):  # a comment says how to make it
            assert f"--out {name.partition('@')[0]}\n" in comments
        else:
            assert make_player(game, name).name == name


NO_RULES = {"first_player", "captain", "max_turns", "reward", "nobody_wins", "history"}
"""Options that do not define another variant: who begins, the length of a game, the reward, and what a view shows."""


@pytest.mark.parametrize("module", ["agent_avenue_v0", "heimlich_v0", "agent_dog_v0"])
def test_every_variant_of_the_contract_has_a_config(module: str) -> None:
    found = importlib.import_module(f"spygames.{module}")
    configs = [read_config(path) for path in CONFIGS]
    trained = [found.make_game(**config.options).options for config in configs if config.game == module]
    variants = [*itertools.chain(*VARIANTS[module])]
    named = [v for v in variants if all(isinstance(value, str | int) for value in v.values())]  # without custom boards
    assert len(named) >= len(variants) - 1
    for variant in named:
        options = {name: value for name, value in variant.items() if name not in NO_RULES}
        assert found.make_game(**options).options in trained, options


@pytest.mark.parametrize("path", CHECKPOINTS, ids=lambda path: path.name)
def test_an_agent_loads_is_small_and_plays_better_than_chance(path: Path) -> None:
    assert sum(file.stat().st_size for file in path.iterdir()) < 2_000_000
    checkpoint = load_checkpoint(path)
    player = make_player(checkpoint.game, str(path))
    (result,) = evaluate(checkpoint.game, player, [make_player(checkpoint.game, "random")], 60, 0)
    assert result.interval[0] > result.fair_share
    assert np.isfinite(result.mean_return)


def test_a_variant_has_two_agents_only_where_both_are_earned() -> None:
    agents = {agent.name: agent for agent in released_agents()}
    variants = [(agent.game_id, repr(sorted(agent.options.items())), agent.is_safe) for agent in agents.values()]
    assert len({*variants}) == len(variants)
    for agent in agents.values():
        assert agent.play == ("sample" if agent.is_safe else "argmax")
        if agent.is_safe:
            assert agent.other is not None
            check_earned(agent.name, figures_of(agent.name), figures_of(agent.other.name))


@pytest.mark.parametrize("name", AGENTS)
def test_the_value_of_every_agent_fits_games_against_itself(name: str) -> None:
    figures = figures_of(name)
    for play, calibration in (("sample", figures.calibration), ("argmax", figures.calibration_by_argmax)):
        assert calibration is not None
        assert calibration.play == play
        assert calibration.games >= 2000
        assert abs(calibration.bias) <= 0.03


@pytest.mark.parametrize("name", AGENTS)
def test_the_protocol_names_the_seed_of_every_card(name: str) -> None:
    table = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8").partition("| seeds | use |")[2]
    seeds = {int(number) for line in table.partition("\n\n")[0].splitlines() for number in re.findall(r"\d{8}", line)}
    assert {each["seed"] for each in figures_of(name).evaluations} <= seeds


def test_the_agents_that_are_hard_to_exploit_are_within_their_bars() -> None:
    """The bars that docs/results/long_runs.md names, and one for the advanced mode."""
    safe = figures_of("agent_avenue/simple-2-safe")
    sampled = [each for each in safe.adversaries if each.play == "sample"]
    assert all(each.win_share <= (0.60 if each.curve else 0.57) for each in sampled)
    assert [bool(each.curve) for each in sampled] in ([True, False], [False, True])
    rows = [row for each in safe.evaluations for row in each["results"]]
    won = {row["opponent"]: row for row in rows if row["challenger"] == "agent_avenue/simple-2-safe@sample"}
    for opponent, least in (("agent_avenue/simple-2@argmax", 0.53), ("agent_avenue/simple-2-first@sample", 0.56)):
        assert won[opponent]["win_share"] >= least
        assert won[opponent]["games"] == 9604
    worst = figures_of("agent_avenue/advanced-2-safe").worst("sample")
    assert worst is not None
    assert worst.win_share <= 0.68


EARLIER = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
"""Suffixes of the recipes of an agent's earlier runs."""
ELSEWHERE = ("name", "start_from", "evaluate_", "save_every")
"""Settings that do not change what is learned, or that name its location."""


@pytest.mark.parametrize("path", CHECKPOINTS, ids=lambda path: path.name)
def test_every_agent_has_the_configs_of_its_training(path: Path) -> None:
    """Each run behind it is that of a recipe: its own ones, or those of another agent that it started from."""
    checkpoint = load_checkpoint(path)
    noted = [from_mapping(Config, each) for each in runs_behind(checkpoint.meta["extra"])]
    assert not [each.start_from for each in noted if Path(each.start_from).is_absolute()]  # a path of one machine
    recipes = {name: read_config(file) for name, file in RECIPES.items()}
    used = [next(name for name, recipe in recipes.items() if _same_training(recipe, run)) for run in noted]
    assert _own_recipes(path.name) <= {*used}
    assert {run.game for run in noted} == {checkpoint.game.id}
    starts = [recipes[name].start_from for name in used]
    if "joined" in checkpoint.meta["extra"] or "joined" in checkpoint.began_with:
        means = {f"runs/{path.name}_{which}mean" for which in ("", "second_", "fourth_")}
        assert {*starts} <= {"", *AGENTS, *(f"runs/{name}" for name in used), *means}
    else:
        assert starts == ["", *(f"runs/{name}" for name in used[:-1])]
        assert used[-1] == path.name
        assert spygames.make_game(noted[-1].game, **noted[-1].options).options == checkpoint.game.options


def _own_recipes(agent: str) -> set[str]:
    """The names of the recipes of an agent's runs."""
    return RECIPES.keys() & {agent, *(f"{agent}_{which}" for which in EARLIER)}


def _same_training(recipe: Config, run: Config) -> bool:
    return not [name for name in differences(recipe, run) if not name.startswith(ELSEWHERE)]


def test_every_recipe_belongs_to_an_agent() -> None:
    assert RECIPES.keys() == set().union(*(_own_recipes(path.name) for path in CHECKPOINTS))
