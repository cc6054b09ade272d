"""Checkpoints load as they were saved, survive a kill, and are refused with one line if they are damaged."""

import copy
import hashlib
import json
import os
import pickle
import re
import resource
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from spygames.agent_avenue import make_game
from spygames.core.game.game import Game
from spygames.core.players.checkpoint import layout_hash
from spygames.core.players.names import make_player
from spygames.core.players.numpy_player import NumpyPlayer
from spygames.core.players.player import DecisionBatch
from spygames.core.playing.batch import Batch
from spygames_training.agents.checkpoint import CheckpointError, load_checkpoint, save_checkpoint
from spygames_training.agents.policy import Policy, load_player
from spygames_training.config import StoredNetwork
from spygames_training.evaluation.digests import trained_against
from spygames_training.networks.actor_critic import ActorCritic, make_network
from tests.poker import kuhn

GAME = make_game()
OTHER_LAYOUT = replace(GAME, view_dtype=np.dtype([*GAME.view_dtype.descr, ("more", np.float32, 3)]))


def network(game: Game = GAME, hidden: tuple[int, ...] = (16, 8), seed: int = 0) -> ActorCritic:
    torch.manual_seed(seed)
    return ActorCritic(game.num_features, game.num_actions, hidden)


def same(a: ActorCritic, b: ActorCritic) -> bool:
    ours, theirs = a.state_dict(), b.state_dict()
    return ours.keys() == theirs.keys() and all(torch.equal(ours[k], theirs[k]) for k in ours)


def refusal(path: Path, game: Game | None = None) -> str:
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(path, game)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 600
    return text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "agent"
    save_checkpoint(path, GAME, network(), 1234, {"random": 0.9}, {"seed": 3})
    return path


def edit(folder: Path, **changes: Any) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


@pytest.mark.parametrize(
    ("opponents", "expected"),
    [
        ({"share": 0.4, "bots": ["random", "random", "expert"]}, ("random", "expert")),
        ({"share": 0.4, "bots": ["random", "expert-1"]}, ("random", "expert-1")),
        ({"share": 0.0, "bots": ["random"]}, ()),
        ({"share": 0.4, "bots": [3, "greedy"]}, ("greedy",)),
        ({"share": 0.4}, ()),
        ("nonsense", ()),
        (None, ()),
    ],
)
def test_training_opponents_are_read_from_the_config(folder: Path, opponents: Any, expected: tuple[str, ...]) -> None:
    edit(folder, extra={"config": {"opponents": opponents}})
    assert load_checkpoint(folder).training_opponents == expected
    assert Policy.load(folder).training_opponents == expected
    player, bots = load_player(GAME, folder), {name: make_player(GAME, name) for name in GAME.bots}
    against = {name for name, bot in bots.items() if trained_against(GAME, player, bot)}
    kernels = {GAME.bots[name if name in GAME.bots else "expert"] for name in expected}
    assert against == {name for name in bots if GAME.bots[name] in kernels}
    assert trained_against(GAME, bots["random"], player) is False


def test_training_against_searches_and_unknown_players(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(folder, extra={"config": {"opponents": {"share": 0.1, "bots": ["mcts:2"]}}}, code={"spygames": "0.2.0"})
    player = load_player(GAME, folder)
    assert trained_against(GAME, player, make_player(GAME, "mcts:2")) is True
    assert trained_against(GAME, player, make_player(GAME, "mcts:3")) is False
    assert trained_against(GAME, make_player(GAME, "mcts:2"), player) is False
    (tmp_path / "own_bot.py").write_text("def first(observation, mask):\n    return int(mask.argmax())\n")
    monkeypatch.syspath_prepend(tmp_path)
    own = make_player(GAME, "python:own_bot.first")
    assert trained_against(GAME, own, make_player(GAME, "greedy")) is None


@dataclass
class Named:
    """A player of which only the name matters."""

    name: str

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("opponent", "expected"),
    [
        ("agent_avenue/simple-2-first@sample", True),
        ("agent_avenue/simple-2-first@argmax", True),
        ("agent_avenue/simple-2-first@sample+search:8,rivals=policy|greedy", True),
        ("a-1@0.5", True),
        ("b@sample", True),
        ("x@", True),
        ("agent_avenue/simple-2@sample", False),
        ("a@sample", False),
        ("mcts:20", False),
    ],
)
def test_training_against_an_agent_counts_however_it_plays(folder: Path, opponent: str, expected: bool) -> None:
    bots = ["agent_avenue/simple-2-first@sample", "a-1@sample", "mix:expert|b@argmax", "x@", "mix:", "mcts:2"]
    edit(folder, extra={"config": {"opponents": {"share": 0.1, "bots": bots}}})
    player = load_player(GAME, folder)
    assert trained_against(GAME, player, Named(opponent)) is expected
    assert trained_against(GAME, player, make_player(GAME, "expert")) is True
    assert trained_against(GAME, player, make_player(GAME, "greedy")) is False


def test_round_trip(folder: Path) -> None:
    found = load_checkpoint(folder)
    assert same(found.network, network())
    assert not found.network.training
    assert (found.game.id, dict(found.game.options)) == (GAME.id, dict(GAME.options))
    meta = found.meta
    assert (meta["format"], meta["step"], meta["results"], meta["extra"]) == (1, 1234, {"random": 0.9}, {"seed": 3})
    assert meta["environment"] == {"id": GAME.id, "options": dict(GAME.options)}
    assert meta["layout"] == {**GAME.layout, "hash": layout_hash(GAME)}
    assert meta["network"] == {"kind": "mlp", "hidden": [16, 8]}
    assert meta["code"].keys() == {"spygames", "game", "torch"}
    observation = torch.rand(5, GAME.num_features)
    for a, b in zip(found.network(observation), network()(observation), strict=True):
        assert torch.equal(a, b)


def test_a_run_folder_loads_its_checkpoint(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "run" / "checkpoint", GAME, network(), 1)
    (tmp_path / "run" / "metrics.jsonl").touch()
    assert same(load_checkpoint(tmp_path / "run").network, network())


def test_the_same_checkpoint_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "again", GAME, network(), 1234, {"random": 0.9}, {"seed": 3})
    for name in ("model.safetensors", "config.json"):
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()


def test_loading_does_not_change_torchs_random_generator(folder: Path) -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    load_checkpoint(folder)
    assert torch.equal(before, torch.get_rng_state())


def test_other_options_with_the_same_layout_are_accepted(folder: Path) -> None:
    game = make_game(first_player="random")
    assert load_checkpoint(folder, game).game is game


def test_a_game_from_outside_spygames_must_be_passed(tmp_path: Path) -> None:
    game = kuhn.make_game()
    save_checkpoint(tmp_path / "kuhn", game, network(game), 1)
    assert same(load_checkpoint(tmp_path / "kuhn", game).network, network(game))
    assert "'kuhn_poker_v0', which is not a game of spygames" in refusal(tmp_path / "kuhn")


def test_a_checkpoint_cannot_choose_a_module_to_import(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "intruder_v0.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("intruder_v0", "tests.poker.kuhn", "..agent_avenue_v0", "os", ""):
        edit(folder, environment={"id": name, "options": {}})
        assert "not a game of spygames" in refusal(folder)


def test_layouts_differ_by_field_order() -> None:
    fields = list(GAME.view_dtype.descr)
    turned = replace(GAME, view_dtype=np.dtype([fields[-1], *fields[:-1]]))
    assert len({layout_hash(GAME), layout_hash(turned), layout_hash(OTHER_LAYOUT), layout_hash(kuhn.make_game())}) == 4


def test_missing_checkpoints_are_refused(tmp_path: Path, folder: Path) -> None:
    assert "there is no such checkpoint" in refusal(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    assert "is not a checkpoint" in refusal(tmp_path / "empty")
    for name in ("model.safetensors", "config.json"):
        shutil.copytree(folder, tmp_path / "half", dirs_exist_ok=True)
        (tmp_path / "half" / name).unlink()
        assert refusal(tmp_path / "half") == f"{tmp_path / 'half' / name} is missing"


def test_a_checkpoint_is_named_without_how_it_plays(folder: Path) -> None:
    for name in (str(folder), "agent_avenue/simple-2"):
        for play in ("argmax", "0.5"):
            expected = f"{name}@{play} says how the agent plays: name the checkpoint alone, {name}"
            with pytest.raises(CheckpointError, match=f"^{re.escape(expected)}$"):
                load_checkpoint(f"{name}@{play}")
    with pytest.raises(CheckpointError, match="there is no such checkpoint"):
        load_checkpoint("runs/nobody@argmax")


@pytest.mark.parametrize(("kind", "ending"), [("gztar", "tar.gz"), ("tar", "tar")])
def test_an_archive_is_refused_with_the_command_that_unpacks_it(
    folder: Path, tmp_path: Path, kind: str, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = Path(shutil.make_archive(str(tmp_path / "my agent"), kind, folder))
    assert archive.name == f"my agent.{ending}"
    found = refusal(archive)
    assert "my agent" in found
    command = found.partition("`")[2].partition("`")[0]
    python, option, module, *words = shlex.split(command)
    assert (python, option) == ("python", "-m")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [module, *words])
    import_module(module).main()
    assert same(load_checkpoint(tmp_path / "my agent").network, load_checkpoint(folder).network)


@pytest.mark.parametrize("name", ["model.safetensors", "config.json"])
def test_a_file_of_a_checkpoint_is_distinguished_from_its_folder(folder: Path, name: str) -> None:
    assert refusal(folder / name).endswith(f"{name} is a file of a checkpoint: pass its folder, {folder}, instead")


def test_numpy_numbers_can_be_saved_with_an_agent(tmp_path: Path) -> None:
    save_checkpoint(tmp_path, GAME, network(), np.int64(3), {"share": np.float32(0.5)}, {"of": np.str_("x")})  # type: ignore[arg-type]
    meta = load_checkpoint(tmp_path).meta
    assert (meta["step"], meta["results"], meta["extra"]) == (3, {"share": 0.5}, {"of": "x"})


def test_odd_folder_names_give_one_line(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong: Any
    monkeypatch.chdir(tmp_path)
    for wrong in ("", ".", "/", "x" * 5000, "a\0b", "a\nb"):
        assert re.search("there is no such checkpoint|is not a checkpoint", refusal(wrong))
    monkeypatch.chdir(folder)
    assert load_checkpoint(".").game == GAME
    monkeypatch.chdir(folder.parent)
    assert load_checkpoint(Path(folder.name)).game == GAME
    save_checkpoint(Path(folder.name), GAME, network(), 2)


def test_another_game_and_another_layout_are_refused(folder: Path) -> None:
    assert "trained on 'agent_avenue_v0', not on kuhn_poker_v0" in refusal(folder, kuhn.make_game())
    assert "trained on 'agent_avenue_v0', not on agent_avenue_v1" in refusal(folder, replace(GAME, version=1))
    assert "has another layout than agent_avenue_v0 here: observation fields 'more' differ" in refusal(
        folder, OTHER_LAYOUT
    )
    assert refusal(folder, replace(GAME, num_actions=75)).endswith("74 actions instead of 75")  # and equal options
    edit(folder, environment={"id": GAME.id, "options": {"players": 17}})
    assert "options that agent_avenue_v0 does not accept: players must be" in refusal(folder)
    edit(folder, environment={"id": GAME.id, "options": {"colour": 1}})
    assert "options that agent_avenue_v0 does not accept" in refusal(folder)


def test_an_agent_plays_with_fields_that_it_does_not_read() -> None:
    """The fields of `history` come last in a view. An agent without them has weights of 0 there, and plays the same."""
    wider = make_game(history=3)
    plain, wide = (Policy.load("agent_avenue/simple-2", game=game) for game in (GAME, wider))
    of_inputs = wide.network.state_dict()["trunk.0.weight"]
    assert torch.equal(of_inputs[:, : GAME.num_features], plain.network.state_dict()["trunk.0.weight"])
    assert of_inputs.shape[1] == wider.num_features
    assert not of_inputs[:, GAME.num_features :].any()
    batch, rng = Batch(wider, 64, seed=3, threads=1), np.random.default_rng(0)
    for _ in range(12):
        batch.step((batch.mask * rng.random(batch.mask.shape)).argmax(1))
    assert batch.observation[:, GAME.num_features :].any()
    found = [
        policy.probabilities(batch.observation[:, : policy.game.num_features], batch.mask) for policy in (plain, wide)
    ]
    np.testing.assert_allclose(found[0], found[1], atol=1e-5)
    players = [NumpyPlayer(game, "agent_avenue/simple-2") for game in (GAME, wider)]
    logits = [player.logits(batch.observation[:, : player.game.num_features]) for player in players]
    np.testing.assert_allclose(logits[0], logits[1], atol=1e-4)


def test_other_fields_than_extra_ones_are_refused(folder: Path, tmp_path: Path) -> None:
    wider = make_game(history=2)
    assert "observation fields 'offered_up, offered_down, took_up, discards_before' differ" in refusal(
        folder, replace(wider, extra_fields=())
    )
    save_checkpoint(tmp_path / "wide", wider, network(wider), 1)
    for game in (GAME, make_game(history=3)):
        assert "trained with history=2 instead of" in refusal(tmp_path / "wide", game)
    entities = StoredNetwork((8,), kind="entities", embedding=4)
    save_checkpoint(tmp_path / "entities", GAME, make_network(GAME, entities), 1)
    assert "has a network for other entities" in refusal(tmp_path / "entities", wider)


def test_an_error_names_the_options_that_change_the_layout(folder: Path) -> None:
    game = make_game(players=4, captain="fixed", first_player="random")
    assert refusal(folder, game).endswith(
        "74 actions instead of 126; trained with players=2 instead of 4, first_player=0 instead of 'random', "
        "captain=None instead of 'fixed'"
    )
    for odd in (None, 3, [], {}, {"players": {"a": [1] * 1000}, "x\ny": 1}):
        edit(folder, environment={"id": GAME.id, "options": odd})
        assert "74 actions instead of 126" in refusal(folder, game)


def test_truncated_files_are_refused(folder: Path) -> None:
    for name, ends in (("config.json", 2), ("model.safetensors", 1)):
        file = folder / name
        whole = file.read_bytes()
        for length in [0, 1, 7, 8, 9, 100, len(whole) // 2, len(whole) - ends]:
            file.write_bytes(whole[:length])
            assert f"{name} is truncated" in refusal(folder)
        file.write_bytes(whole)
    load_checkpoint(folder)


def test_tensors_that_differ_from_the_config_are_refused(folder: Path) -> None:
    file = folder / "model.safetensors"
    tensors = load_file(file)
    wrong: dict[str, dict[str, torch.Tensor]] = {
        "no 'value.bias' instead of": {k: v for k, v in tensors.items() if k != "value.bias"},
        "instead of no 'more'": {**tensors, "more": torch.zeros(1)},
        "'value.bias' float32 [2]": {**tensors, "value.bias": torch.zeros(2)},
        "'value.bias' must be of dtype F32 or BF16": {**tensors, "value.bias": torch.zeros(1, dtype=torch.float64)},
        "does not hold the weights": {**tensors, "value.bias": torch.ones(1)},
    }
    for text, content in wrong.items():
        save_file(content, file)
        assert text in refusal(folder)


def test_weights_with_overflowing_outputs_are_refused(folder: Path, tmp_path: Path) -> None:
    """The weights are finite, but their products are not."""
    file, config = folder / "model.safetensors", json.loads((folder / "config.json").read_text())
    save_file({name: torch.full_like(tensor, -3e38) for name, tensor in load_file(file).items()}, file)
    edit(folder, **{**config, "weights": {"sha256": hashlib.sha256(file.read_bytes()).hexdigest()}})
    assert "must be finite and within 1,000,000" in refusal(folder)


def test_a_network_that_does_not_fit_replaces_no_checkpoint(folder: Path) -> None:
    before = (folder / "config.json").read_bytes()
    sizes = GAME.num_features, GAME.num_actions
    for wrong, step, error in (
        (ActorCritic(sizes[0] - 1, sizes[1], (8,)), 1, ValueError),
        (ActorCritic(sizes[0], sizes[1] + 1, (8,)), 1, ValueError),
        (network(), -1, ValueError),
        (torch.nn.Linear(*sizes), 1, TypeError),
    ):
        with pytest.raises(error, match=r"(network|step) must "):
            save_checkpoint(folder, GAME, wrong, step)  # pyright: ignore[reportArgumentType]
    assert (folder / "config.json").read_bytes() == before


def test_nan_weights_are_refused(folder: Path, tmp_path: Path) -> None:
    broken = network()
    with torch.no_grad():
        broken.value.bias[0] = torch.nan
    with pytest.raises(CheckpointError, match=r"value\.bias must be finite"):
        save_checkpoint(tmp_path / "broken", GAME, broken, 1)
    assert not (tmp_path / "broken").exists()


def test_invalid_configs_are_refused(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    for changes, text in (
        ({"format": 2}, "format must be 1, not 2"),
        ({"network": {"kind": "lstm", "hidden": [8]}}, "recurrent or own, not 'lstm'"),
        ({"network": {"kind": "mlp", "hidden": [16, "8"]}}, "hidden must be"),
        ({"network": {"kind": "mlp", "hidden": [16, True]}}, "hidden must be"),
        ({"network": {"kind": "mlp", "hidden": [0]}}, "hidden must be"),
        ({"network": {"kind": "mlp", "hidden": [1 << 40]}}, "hidden must be"),
        ({"network": {"kind": "mlp", "hidden": [1] * 10_000}}, "hidden must be"),
        ({"network": {"kind": "mlp", "hidden": [16]}}, "does not match the network in config.json"),
        ({"weights": {}}, "sha256 is missing"),
        ({"layout": None}, "layout is missing"),
    ):
        edit(folder, **{**config, **changes})
        assert text in refusal(folder)
    for content, text in (
        ("[]", "a JSON object"), ("[" * 100_000, "not JSON"), ("9" * 10_000, "not JSON"), ("\xff", "not JSON"),
        ("0" * (2 << 20), "is longer than"),
    ):  # fmt: skip
        (folder / "config.json").write_text(content, "latin-1")
        assert text in refusal(folder)


def test_a_config_cannot_allocate_much_memory(folder: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    edit(folder, network={"kind": "mlp", "hidden": [8192] * 16})  # 4 GB of weights
    assert "does not match the network" in refusal(folder)
    (folder / "model.safetensors").write_bytes((1 << 60).to_bytes(8, "little") + b"{}")
    assert "not a safetensors file" in refusal(folder)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # kilobytes


class Trap:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(Path.cwd() / "trapped"),)


def test_loading_runs_no_code(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (folder / "model.safetensors").write_bytes(pickle.dumps(Trap()))
    assert "not a safetensors file" in refusal(folder)
    torch.save({"trunk.0.weight": Trap()}, folder / "model.safetensors")
    assert "not a safetensors file" in refusal(folder)
    assert not (tmp_path / "trapped").exists()
    with pytest.raises(TypeError):  # the trap works: loading must not do this
        torch.nn.Module().load_state_dict(pickle.loads(pickle.dumps(Trap())))
    assert (tmp_path / "trapped").exists()


def leaves(node: Any, where: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if where:
        yield where
    if isinstance(node, dict | list):
        for key in node if isinstance(node, dict) else range(len(node)):
            yield from leaves(node[key], (*where, key))


def test_any_damage_is_refused_or_harmless(folder: Path) -> None:
    """Replace each value of the config by an odd one, and random bytes of both files by others."""
    files = {name: (folder / name).read_bytes() for name in ("config.json", "model.safetensors")}
    config = json.loads(files["config.json"])
    expected = network()
    harmless, refused = 0, []

    def attempt() -> None:
        nonlocal harmless
        try:
            found = load_checkpoint(folder)
        except CheckpointError as error:
            refused.append(str(error))
        else:
            assert same(found.network, expected)
            harmless += 1

    for where in leaves(config):
        for odd in (None, True, -1, 1 << 70, "x" * 1000, [[]], {"a": 1}):
            changed = copy.deepcopy(config)
            node = changed
            for key in where[:-1]:
                node = node[key]
            node[where[-1]] = odd
            (folder / "config.json").write_text(json.dumps(changed))
            attempt()
    rng = np.random.default_rng(0)
    for name, content in files.items():
        for _ in range(150):
            damaged = bytearray(content)
            damaged[rng.integers(min(len(content), 2000))] = rng.integers(256)
            (folder / name).write_bytes(damaged)
            attempt()
        (folder / name).write_bytes(content)
    assert harmless > 50
    assert len(refused) > 250
    assert not any("\n" in text for text in refused)


@pytest.mark.parametrize(("step", "foreign"), [(step, foreign) for foreign in (0, 2) for step in range(10 + foreign)])
def test_a_kill_leaves_the_old_or_the_new_checkpoint(
    folder: Path, monkeypatch: pytest.MonkeyPatch, step: int, foreign: int
) -> None:
    """Die at the `step`-th call that touches the disk; the checkpoint can then be read and be written again.

    Files that a user has put beside the checkpoint are kept.
    """
    if foreign:
        (folder / "notes.txt").write_text("mine")
        (folder / "pictures").mkdir()
        (folder / "pictures" / "a.png").write_bytes(b"a")

    class KillError(BaseException):
        pass

    calls = 0

    def mortal(function: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls > step:
                raise KillError
            return function(*args, **kwargs)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", mortal(os.fsync))
        patch.setattr(os, "rename", mortal(os.rename))
        patch.setattr(shutil, "rmtree", mortal(shutil.rmtree))
        patch.setattr(Path, "mkdir", mortal(Path.mkdir))
        try:
            save_checkpoint(folder, GAME, network(seed=1), 5678)
            survived = True
        except KillError:
            survived = False
    found = load_checkpoint(folder)
    old, new = same(found.network, network()), same(found.network, network(seed=1))
    assert (new and found.meta["step"] == 5678) if not old else (found.meta["step"] == 1234 and not survived)
    assert survived == (step > 7 + foreign)
    save_checkpoint(folder, GAME, network(seed=2), 9)
    assert same(load_checkpoint(folder).network, network(seed=2))
    assert [p.name for p in folder.parent.iterdir()] == [folder.name]
    names = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert names == {"config.json", "model.safetensors"} | ({"notes.txt", "pictures/a.png"} if foreign else set())


def test_saving_does_not_replace_other_files(folder: Path) -> None:
    file = folder / "config.json"
    (folder / "notes.txt").write_text("mine")
    foreign = ("", '{"architectures": ["a model of others"]}')
    for text in foreign:
        file.write_text(text)
        for path in (folder, folder / "notes.txt"):
            with pytest.raises(CheckpointError, match="is not a checkpoint, and other files"):
                save_checkpoint(path, GAME, network(), 1)
        assert file.read_text() == text
    with pytest.raises(ValueError, match="JSON"):
        save_checkpoint(folder.parent / "other", GAME, network(), 1, {"share": float("nan")})
    assert (folder / "notes.txt").read_text() == "mine"


def test_a_folder_can_be_named_in_many_ways(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for name in (".", "", "../agent", "../agent/."):
        assert load_checkpoint(name).meta["step"] == 1234
    for name in ("/", "x" * 5000, "a\0b"):
        assert "checkpoint" in refusal(Path(name))


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_pipes_and_devices_are_refused_without_waiting(folder: Path, name: str) -> None:
    (folder / name).unlink()
    os.mkfifo(folder / name)
    assert refusal(folder).endswith("it is not a regular file")
    (folder / name).unlink()
    (folder / name).symlink_to("/dev/zero")
    assert refusal(folder).endswith("it is not a regular file")
