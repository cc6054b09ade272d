"""Games in the memory of the page: undo, hints, and which ones are removed."""

from typing import Any

import pytest

from spygames.core.svg.annotations import Advice
from spygames_app.web import store
from spygames_app.web.store import Store, Watched
from tests.web.test_server import levelled
from tests.web.visitor import GAME, Visitor, actions, new_store, revision


def test_the_log_after_an_undo_has_the_new_move(server: tuple[Store, Visitor]) -> None:
    kept, visitor = server
    made = levelled(visitor, kept, level=1)
    here = f"/games/{made.id}"
    told = []
    for which in (0, -1):
        page = visitor.get(here).text
        visitor.post(f"{here}/act", {"revision": revision(page), "action": actions(page)[which]})
        made.wait(20)
        visitor.get(here)
        told.append(made.happened(0))
        visitor.post(f"{here}/undo", {"revision": made.revision})
    assert told[0] != told[1]


def test_a_hint_has_nothing_to_do_with_the_seed_of_the_deal(
    server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    luck = []

    def advise(game: Any, course: Any, states: Any, player: Any, number: int) -> Advice:
        luck.append(number)
        return Advice()

    monkeypatch.setattr(store, "advise", advise)
    kept, visitor = server
    seeds = set()
    for _ in range(2):
        made = levelled(visitor, kept, level=1)
        seeds.add(made.seed)
        assert visitor.post(f"/games/{made.id}/hint", {"revision": 0, "by": 0}).status == 303
        made.wait(20)
    assert len(seeds) == 2
    assert luck[0] == luck[1]


def test_the_least_recently_viewed_game_is_removed_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_GAMES", 2)
    kept = new_store()
    visitor, _ = kept.visitor(None)

    def begin() -> str:
        made = kept.begin(visitor, "Game", "/rules?game=0", GAME, ["random"], [0, 0])
        made.wait(30)
        return made.id

    first, second = begin(), begin()
    assert kept.game(visitor, first) is not None  # viewed later than the second one
    third = begin()
    assert [*kept.games] == [first, third]
    assert kept.game(visitor, second) is None


def test_the_latest_uploaded_games_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_GAMES", 2)
    kept = new_store()
    mine = kept.watch(Watched(None, "the server's", None))  # type: ignore[arg-type]
    brought = [kept.watch(Watched("visitor", str(k), None)) for k in range(3)]  # type: ignore[arg-type]
    assert [*kept.watched] == [mine, *brought[1:]]
