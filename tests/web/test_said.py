"""What a language model said: on the page after the game, in the views of its seat and of everything."""

import json
from html import unescape

import pytest

from spygames.core.game.game import Game
from spygames.players import LanguageModel
from spygames.records import play_record
from spygames_app.web import store
from spygames_app.web.store import Store
from tests.support.chat_server import ChatServer, chat_server, listed
from tests.web.visitor import GAME, Visitor, actions, begin, revision

pytest.importorskip("httpx", reason="needs the extra llm")
THOUGHT = "My <b>mole</b> stays at home."


def script(messages: list[dict[str, str]], number: int) -> str:
    return f'{THOUGHT} {{"action": "{listed(messages)[0]}"}}'


def with_models(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> list[LanguageModel]:
    made: list[LanguageModel] = []

    def make(game: Game, spec: str) -> LanguageModel:
        made.append(LanguageModel(game, f"fake@{server.url}"))
        return made[-1]

    monkeypatch.setattr(store, "make_player", make)
    return made


def test_the_page_of_a_finished_game_has_what_was_said(
    server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, visitor = server
    with chat_server(script) as chat:
        with_models(chat, monkeypatch)
        answer = visitor.post("/games", {"game": 0, "s0": 1, "s1": 2})
        made = kept.games[answer.where.rpartition("/")[2]]
        assert made.wait(60)
        asked = len(chat.requests)
        assert made.live is not None
        for move, before in enumerate(made.live.decisions[:6]):
            for viewer in ("all", 0, 1):
                page = visitor.get(f"{answer.where}?move={move}&viewer={viewer}").text
                may_know = viewer in ("all", before.seat)
                assert (THOUGHT in unescape(page)) == may_know
                assert ("What llm:fake said" in page) == may_know
                assert "My <b>" not in page
        assert len(chat.requests) == asked  # the players are not asked again


def test_a_player_does_not_see_what_the_model_says_before_the_game_is_over(
    server: tuple[Store, Visitor], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, visitor = server
    with chat_server(script) as chat:
        with_models(chat, monkeypatch)
        made = begin(visitor, kept)
        page = f"/games/{made.id}"
        for _ in range(3):
            shown = visitor.get(page).text
            if not actions(shown):  # the deal is a random one: some games end early
                break
            assert "stays at home" not in shown
            visitor.post(f"{page}/act", {"revision": revision(shown), "action": actions(shown)[-1]})
            assert made.wait(60)
        assert chat.requests
        if actions(visitor.get(page).text):
            assert "stays at home" not in visitor.get(f"{page}/record").text
            made.resign()
        assert made.live is not None
        told = [move for move, before in enumerate(made.live.decisions) if before.seat == 1]
        assert told
        for move in told:
            assert THOUGHT in unescape(visitor.get(f"{page}?move={move}&viewer=all").text)


def test_uploaded_transcripts_have_what_was_said(server: tuple[Store, Visitor]) -> None:
    _, visitor = server
    lines: list[dict[str, object]] = []
    with chat_server(script) as chat:
        model = LanguageModel(GAME, f"fake@{chat.url}")
        model.on_game = lines.append
        play_record(GAME, ["random", model], seed=1)
        model.close()
    visitor.get("/records")
    where = visitor.post("/records", {"record": json.dumps(lines[0])}).where
    pages = [visitor.get(f"{where}?move={move}&viewer=1").text for move in range(4)]
    assert any(THOUGHT in unescape(page) for page in pages)
    assert not any(THOUGHT in unescape(visitor.get(f"{where}?move={move}&viewer=0").text) for move in range(4))
