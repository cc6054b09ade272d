"""Games in the memory of the page: undo, hints, and which ones are removed."""

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from spygames.core.svg.annotations import Advice
from spygames_app.live import LiveGame
from spygames_app.web import pages, store
from spygames_app.web.server import STREAM
from spygames_app.web.store import Refused, Store, Watched, WebGame
from tests.web.test_server import levelled
from tests.web.visitor import GAME, Moody, Visitor, actions, begin, new_store, revision


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


def test_the_log_keeps_no_move_that_is_taken_back_while_it_is_written(
    server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, visitor = server
    made, real = levelled(visitor, kept, level=1), LiveGame.happened

    def happened(live: LiveGame, number: int, viewer: int) -> str:
        text = real(live, number, viewer)
        monkeypatch.setattr(LiveGame, "happened", real)
        made.undo(made.revision)
        return text

    page = visitor.get(f"/games/{made.id}").text
    visitor.post(f"/games/{made.id}/act", {"revision": revision(page), "action": actions(page)[-1]})
    made.wait(20)
    monkeypatch.setattr(LiveGame, "happened", happened)
    made.happened(0)
    assert made.lines == {}


def test_equal_moves_are_one_line_of_the_log() -> None:
    said = ["Ada passes", "Bruno draws (the deck is shuffled)", "Bruno draws (the deck is shuffled)"]
    log = pages._log(SimpleNamespace(happened=said.__getitem__), 3)  # type: ignore[arg-type]
    assert log == ["Bruno draws, 2 times (the deck is shuffled)", "Ada passes"]
    assert pages._line(log[0]) == "<li>Bruno draws, 2 times<small>The deck is shuffled</small></li>"


def test_a_stream_is_not_compressed(server: tuple[Store, Visitor]) -> None:
    """Compression would hold its lines back; pages are compressed."""
    kept, visitor = server
    made, packed = levelled(visitor, kept, level=1), {"accept-encoding": "gzip"}
    page = visitor.get(f"/games/{made.id}").text
    fields = {"revision": revision(page), "action": actions(page)[-1]}
    stream = visitor.post(f"/games/{made.id}/act", fields, accept=STREAM, **packed)
    assert [json.loads(line)["number"] for line in stream.text.splitlines()][:1] == [1]
    assert "content-encoding" not in stream.headers
    assert visitor.request("GET", f"/games/{made.id}", b"", packed).headers["content-encoding"] == "gzip"


def test_an_undo_ends_a_stream_of_moves(server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch) -> None:
    """A request of another tab takes back the move whose consequences are sent, and then the others think again."""
    kept, visitor = server
    made, real = levelled(visitor, kept, level=1), pages.frame

    def frame(made: WebGame, number: int, form: Any) -> Any:
        made.wait(20)
        made.undo(made.revision)
        return real(made, number, form)

    monkeypatch.setattr(pages, "frame", frame)
    page = visitor.get(f"/games/{made.id}").text
    fields = {"revision": revision(page), "action": actions(page)[-1]}
    stream = visitor.post(f"/games/{made.id}/act", fields, accept=STREAM)
    assert (stream.status, stream.body, made.revision - made.gone) == (200, b"", 0)
    made.busy = "the other players are thinking"
    assert [*made.told(0, 0)] == []


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


def test_a_hint_keeps_the_name_of_its_player_while_another_one_is_asked(
    server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, visitor = server
    made = levelled(visitor, kept, level=1)

    def advise(game: Any, course: Any, states: Any, player: Any, number: int) -> Advice:
        if player.name == "expert":
            raise ValueError
        return Advice([("play mole", 1.0)])

    monkeypatch.setattr(store, "advise", advise)
    asked = [made.specs.index(spec) for spec in ("greedy", "expert")]
    for number in asked:
        visitor.post(f"/games/{made.id}/hint", {"revision": 0, "by": number})
        made.wait(20)
    page = visitor.get(f"/games/{made.id}").text
    assert f"What {made.called('greedy')} would do" in page
    assert f"{made.called('expert')} gives no hint here" in page


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


def failed(server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch) -> WebGame:
    """Return a game in which the player to move has failed."""
    kept, visitor = server
    monkeypatch.setattr(store, "make_player", lambda game, spec: Moody([None] * (store.TRIES + 1) + [ValueError()]))
    made = begin(visitor, kept)
    assert made.live is not None
    while not made.failed:
        made.act(made.revision, [*made.live.legal()][-1])
        made.wait(20)
    return made


def test_nobody_moves_in_a_game_that_was_resigned(
    server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = failed(server, monkeypatch)
    number = made.revision
    made.resign()
    with pytest.raises(Refused, match="No player has failed"):
        made.ask_again(at_random=True)
    assert (made.revision, made.problem, made.over) == (number, "", True)


def test_a_second_click_makes_no_random_move_for_the_user(
    server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second click is let in before the first one has been answered, and its turn comes after that."""
    made, jobs = failed(server, monkeypatch), list[Callable[[], None]]()
    monkeypatch.setattr(made, "work", lambda what, job: jobs.append(job))
    for _ in range(2):
        made.ask_again(at_random=True)
    assert made.live is not None
    jobs[0]()
    moved = len(made.live.decisions)
    assert made.live.mover == made.seat
    jobs[1]()
    assert len(made.live.decisions) == moved


def test_two_requests_at_once_are_one_move(server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch) -> None:
    """The other request comes between the check of a move and the move itself."""
    kept, visitor = server
    made = begin(visitor, kept)
    live = made.live
    assert live is not None
    named, text = live.named, next(iter(live.legal()))

    def meanwhile(do: Callable[[], None]) -> None:
        def first(text: str) -> int | None:
            monkeypatch.setattr(live, "named", named)
            action = named(text)
            do()
            made.wait(20)
            return action

        monkeypatch.setattr(live, "named", first)

    meanwhile(lambda: made.act(0, text))
    made.act(0, text)
    assert [decision.seat for decision in live.decisions].count(0) == 1
    meanwhile(made.resign)
    number = made.revision
    with pytest.raises(Refused, match="The game is over"):
        made.act(number, next(iter(live.legal())))
    assert made.revision == number


def test_a_player_that_follows_games_sees_no_other_game(
    server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not warmed up with other games, and as it cannot forget, no move is taken back."""

    class Following(Moody):
        asked = 0

        def act(self, decisions: Any) -> np.ndarray:
            type(self).asked += 1
            return super().act(decisions)

        def ended(self, row: int, seat: int, returns: np.ndarray, notes: object) -> None: ...

    kept, visitor = server
    monkeypatch.setattr(store, "make_player", lambda game, spec: Following([]))
    made = begin(visitor, kept)
    assert made.live is not None
    assert Following.asked == 0
    page = visitor.get(f"/games/{made.id}").text
    visitor.post(f"/games/{made.id}/act", {"revision": revision(page), "action": actions(page)[-1]})
    made.wait(20)
    assert Following.asked == [decision.seat for decision in made.live.decisions].count(1) > 0
    if made.over:
        return
    number = made.revision
    refused = visitor.post(f"/games/{made.id}/undo", {"revision": number})
    assert (refused.status, made.revision) == (409, number)
    assert refused.problem.startswith("No move can be taken back: moody remembers every move")


@pytest.mark.parametrize("own", [True, False])
def test_a_player_that_fails_at_the_result_leaves_the_game_over(
    server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch, own: bool
) -> None:
    """For example a model whose transcript cannot be written. The last move is the user's or the player's."""

    class Ends(Moody):
        def ended(self, row: int, seat: int, returns: np.ndarray, notes: object) -> None:
            raise OSError("the disk is full")

    kept, visitor = server
    monkeypatch.setattr(store, "make_player", lambda game, spec: Ends([]))
    made = begin(visitor, kept)
    assert made.live is not None
    here, rng = f"/games/{made.id}", np.random.default_rng(1 if own else 0)
    while made.live.mover == made.seat:
        text = str(rng.choice([*made.live.legal()]))
        assert visitor.post(f"{here}/act", {"revision": made.revision, "action": text}).status == 303
        made.wait(20)
    assert (made.over, made.failed, made.live.decisions[-1].seat == made.seat) == (True, False, own)
    page = visitor.get(here)
    assert page.problem.endswith("failed (OSError). The game is over.")
    assert len(made.live.record().actions) == len(made.live.decisions)


def test_games_are_listed_while_others_upload(server: tuple[Store, Visitor]) -> None:
    """Another visitor uploads a game while the first one of the list is read."""
    kept, visitor = server

    class Slow(Watched):
        @property
        def title(self) -> str:  # type: ignore[override]
            kept.watch(Watched("stranger", "other", None))  # type: ignore[arg-type]
            return "mine"

        def __init__(self) -> None:
            record = SimpleNamespace(players=("greedy", "random"))
            object.__setattr__(self, "visitor", None)
            object.__setattr__(self, "screening", SimpleNamespace(film=SimpleNamespace(record=record)))

    for _ in range(2):
        kept.watch(Slow())
    page = visitor.get("/records").text
    assert page.count("mine: greedy, random") == 2
    assert "other" not in page
    assert len(kept.watched) == 4
