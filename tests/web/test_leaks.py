"""No hidden information reaches the browser before the game is over."""

from typing import Any

import numpy as np
import pytest

import spygames
from spygames.core.compiling.kernel import Record
from spygames.core.game.game import Game, as_record
from spygames.core.players.player import DecisionBatch
from spygames.testing.trial import mask_of
from spygames_app.web import store
from spygames_app.web.guard import HEADERS
from tests.support.changed import changed
from tests.support.games import VARIANTS, Variant
from tests.web.visitor import actions, revision
from tests.web.worlds import Compared, World, advisers_of, after, compare

ADVISERS = {"agent_avenue_v0": ("greedy", "mcts:4")}
"""Players to ask for hints, by game, where `greedy` alone is too few; a search takes long to compile."""
GAMES: dict[str, dict[str, Any]] = {
    "agent_avenue_v0": {},
    "agent_dog_v0": {"max_turns": 24},
    "heimlich_v0": {"players": 3, "top_secret": True, "secret_identities": True},
}
SEEDS, STEPS = 2, 11


@pytest.mark.parametrize("game_id", GAMES)
def test_nothing_hidden_reaches_the_browser(game_id: str) -> None:
    game, total = spygames.make_game(game_id, **GAMES[game_id]), Compared()
    for seed in range(SEEDS):
        total += compare(game, seed % game.num_players, seed, ADVISERS.get(game_id, ("greedy",)), STEPS)
    assert not total.different, total
    assert total.answers["act"] >= 2 * SEEDS, total
    assert total.answers["page"] >= 6 * SEEDS, total
    assert total.answers["hinted"] >= SEEDS, total


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_nothing_hidden_reaches_the_browser_in_any_variant(variant: Variant) -> None:
    """The same for all variants, also with hints of searches; `python -m tests.web.worlds` plays more games."""
    game, total = variant.make_game(), Compared()
    for seat in range(game.num_players):
        total += compare(game, seat, seat, advisers_of(game) if seat == 0 else (), 30)
    assert not total.different, total
    assert total.positions >= game.num_players, total


def test_an_adviser_that_looks_at_the_cards_reveals_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """An adviser gets a state in which everything that the person cannot know is redrawn."""

    class Peeker:
        name = "peeker"

        def act(self, decisions: DecisionBatch) -> np.ndarray:
            legal = np.flatnonzero(decisions.mask[0])
            seen.append(hash(decisions.states.tobytes()))
            return legal[seen[-1] % len(legal)][None]

    seen: list[int] = []
    monkeypatch.setattr(store, "make_player", lambda game, spec: Peeker())
    game = spygames.make_game("agent_avenue_v0")
    for seed in range(3):
        compared = compare(game, 0, seed, ["peeker", "peeker"])
        assert compared.answers["hinted"] > 0
        assert not compared.different
    assert len(set(seen)) == len(seen) / 4  # equal in two worlds and for both hints of a decision


def test_planted_leaks_are_found() -> None:
    game = spygames.make_game("agent_avenue_v0")

    def seen_action(game: Game, s: Record, action: int, seat: int, viewer: int) -> str:
        return f"player_{seat} moves, the deck is {s.rng % 1000}"

    def to_text(game: Game, s: Record, viewer: int) -> str:
        return f"hand {s.hands[1].tolist()}"

    for leak in ({"seen_action": seen_action}, {"to_text": to_text}):
        planted = changed(game, **leak)
        assert any(compare(planted, 0, seed, honest=game).different for seed in range(3)), leak


def test_pages_are_not_cached_and_run_no_inline_code() -> None:
    game = spygames.make_game("agent_avenue_v0")
    world = World(game, 0, game.start(1))
    answer = world.visitor.get("/games/game")
    assert answer.headers["cache-control"] == "no-store"
    for name, value in HEADERS.items():
        assert answer.headers[name.lower()] == value
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert "style=" not in answer.text
    assert "<script>" not in answer.text


def test_nothing_is_revealed_before_the_end() -> None:
    """The seed, the record and the other hand appear with the last move, not before."""
    game = spygames.make_game("agent_avenue_v0")
    world = World(game, 0, game.start(3))
    world.made.seed = 918273645
    for number in range(400):
        page = world.visitor.get("/games/game").text
        if world.made.over:
            break
        assert "918273645" not in page
        assert world.visitor.get("/games/game/record").status == 409
        before = world.live.states
        text = actions(page)[number % len(actions(page))]
        follow = after(game, before, world.live.legal()[text])
        while int(follow["to_move"][0]) == 1:
            action = int(np.flatnonzero(mask_of(game, as_record(follow)))[-1])
            world.puppet.script.append(action)
            follow = after(game, follow, action)
        world.visitor.post("/games/game/act", {"revision": revision(page), "action": text})
        world.made.wait(20)
    assert world.made.over
    assert "918273645" in world.visitor.get("/games/game").text
    answer = world.visitor.get("/games/game/record")
    assert answer.status == 200
    assert answer.headers["content-disposition"] == 'attachment; filename="game.jsonl"'
