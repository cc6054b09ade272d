"""Names of players, and kinds of players that other packages install as entry points."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import tests.poker.kuhn as kuhn
from spygames import make_game
from spygames.core.players.names import PlayerName, as_players, make_player
from spygames.core.players.player import Scripted
from spygames.core.players.program import CommandPlayer
from spygames.core.players.search import SearchPlayer
from spygames.core.playing.session import play

GAME = kuhn.make_game()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path with the entry points of an installed package."""
    info = tmp_path / "others-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[spygames.players]\nstubborn = stubborn_player:make\nheavy = heavy_player:make\nfaulty = faulty_player:make\n"
    )
    (tmp_path / "stubborn_player.py").write_text(
        "import numpy as np\n\n\nclass Stubborn:\n    def __init__(self, action):\n"
        "        self.name, self.action = f'stubborn:{action}', action\n\n"
        "    def act(self, decisions):\n        return np.full(len(decisions.rows), self.action)\n\n\n"
        "def make(game, argument):\n    if not argument.isdecimal():\n"
        "        raise ValueError('stubborn:ACTION')\n    return Stubborn(int(argument))\n"
    )
    (tmp_path / "heavy_player.py").write_text("raise ModuleNotFoundError('no torch', name='torch.nn')\n")
    (tmp_path / "faulty_player.py").write_text("import nowhere_to_be_found\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in ("stubborn_player", "heavy_player", "faulty_player"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("package")
def test_entry_points_of_other_packages_make_players() -> None:
    player = make_player(GAME, "stubborn:1")
    assert player.name == "stubborn:1"
    assert play(GAME, GAME.start(1), [player, player], np.zeros((1, 1), np.uint64)) == [1, 1]
    with pytest.raises(ValueError, match=r"^stubborn:ACTION$"):
        make_player(GAME, "stubborn:x")
    with pytest.raises(ValueError, match="no player 'stubborn': scripted players of kuhn_poker_v0 are random"):
        make_player(GAME, "stubborn")


def test_a_misspelled_name_gets_a_suggestion() -> None:
    for wrong, right in {
        "randm": "random",
        "agent_avenue/simple2": "agent_avenue/simple-2",
        "bets@argmax": "best",
    }.items():
        with pytest.raises(ValueError, match=rf"did you mean {right}\?$"):
            make_player(GAME, wrong)
    with pytest.raises(
        ValueError, match=r"^no player .zebra.: scripted players of kuhn_poker_v0 are random; others are mcts:N"
    ):
        make_player(GAME, "zebra")


@pytest.mark.usefixtures("package")
def test_a_missing_module_is_named() -> None:
    with pytest.raises(
        ValueError, match=r"^players of kind heavy need torch.nn: pip install 'spygames\[training\]' \(in a clone"
    ):
        make_player(GAME, "heavy:1")
    with pytest.raises(ModuleNotFoundError, match="nowhere_to_be_found"):
        make_player(GAME, "faulty:1")


def test_a_player_of_another_variant_is_refused() -> None:
    simple, advanced = make_game("agent_avenue_v0"), make_game("agent_avenue_v0", mode="advanced")
    for player in (
        Scripted(simple, "greedy"),
        SearchPlayer(simple, "mcts", 5),
        make_player(simple, "mix:greedy|random"),
    ):
        with pytest.raises(
            ValueError, match=r"plays agent_avenue_v0, mode=simple, .*, not agent_avenue_v0, mode=advanced"
        ):
            as_players(advanced, [player])
        drawn = make_game("agent_avenue_v0", first_player="random")  # the same layout and seats
        assert as_players(drawn, player) == [player]


def test_paths_are_checkpoints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[str, PlayerName]] = []
    monkeypatch.setattr(
        "spygames.core.players.names._installed", lambda kind: lambda game, path: made.append((kind, path))
    )
    specs = [str(tmp_path), f"{tmp_path}@argmax"]
    for spec in specs:
        make_player(GAME, spec)
    assert made == [("checkpoint", PlayerName.parse(spec)) for spec in specs]
    with pytest.raises(ValueError, match=r"there is no folder .*/none, and no released agent"):
        make_player(GAME, f"{tmp_path}/none@argmax")
    with pytest.raises(ValueError, match=r"^there is no file none.zip$"):
        make_player(GAME, "none.zip@argmax")


def test_parsed_names_and_texts_make_equal_players() -> None:
    game = make_game("agent_avenue_v0")
    assert [player.name for player in as_players(game, [PlayerName.parse("greedy"), "greedy"])] == ["greedy", "greedy"]


@pytest.mark.parametrize("spec", ["@", "x@", "x@+search:8", "runs/a@", "mcts:8@"])
def test_a_name_that_ends_with_an_at_sign_is_refused(spec: str) -> None:
    with pytest.raises(ValueError, match=rf"^'{re.escape(spec)}' must say after @ how the player plays"):
        PlayerName.parse(spec)
    assert PlayerName.parse(f"{spec}/") == PlayerName(f"{spec}/")  # with a slash it is a folder


@pytest.mark.parametrize("command", ["sh -c exit +search:8", "sh you@there", "sh you@", "sh /bin/x@y+search:8"])
def test_the_arguments_of_a_program_are_not_parsed(command: str) -> None:
    name = PlayerName.parse(f"command:{command}")
    assert (name.kind, name.argument, name.play, name.search) == ("command", command, "", None)
    player = make_player(GAME, name)
    assert isinstance(player, CommandPlayer)
    assert (player.command, player.name) == (command, str(name))
