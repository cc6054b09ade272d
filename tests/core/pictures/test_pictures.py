"""Pictures of positions: SVG and pixels, of environments, and of games that draw none of their own."""

import copy
import pickle
import re
import string
import subprocess
import sys
from collections.abc import Mapping
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled, ResetNeeded

import spygames
from spygames import agent_avenue_v0
from spygames.core.compiling.kernel import Record
from spygames.core.envs import single_seat
from spygames.core.envs.aec import GameEnv
from spygames.core.envs.single_seat import SingleEnv
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.pictures import raster, render, window
from spygames.core.pictures.picture import Picture, advice_panel, draw_seen, picture
from spygames.core.players.names import make_player
from spygames.core.svg.annotations import Advice, Look
from spygames.core.svg.pen import Pen
from tests.poker import kuhn
from tests.support.changed import changed

KUHN = kuhn.make_game()


def position(seed: int = 3, *actions: int) -> Record:
    states = KUHN.start(seed)
    for action in actions:
        KUHN.apply(as_record(states), action)
    return as_record(states)


def texts_of(svg: str) -> list[str]:
    """Return the visible texts of a picture, without the text for screen readers; spaced letters are one text."""
    return [element.text or "" for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("}text")]


def without_images(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Make libraries look as if they were not installed."""
    for name in names:
        monkeypatch.setitem(sys.modules, name, None)


# ---------------------------------------------------------------- a picture


def test_a_game_without_pictures_shows_its_text() -> None:
    s = position(3, kuhn.PASS)
    for viewer in (NOBODY, 0, 1):
        svg = picture(KUHN, s, viewer, legal=["pass", "bet"] if viewer == 1 else [])
        text = KUHN.to_text(s, viewer)
        root = ElementTree.fromstring(svg)
        assert root.get("viewBox") == "0 0 1200 900"
        assert root[0].text == KUHN.title
        assert root[1].text == text
        assert "".join(text.split()) in texts_of(svg)
        assert not re.search(r"\b(id|style|href|src)=", svg)
    assert "2 actions, such as pass" in texts_of(picture(KUHN, s, 1, legal=["pass", "bet"]))


def test_names_and_texts_are_escaped() -> None:
    game = changed(KUHN, to_text=lambda game, s, viewer: "<script>alert(1)</script> & more")
    svg = picture(game, position(), 0, names=["<script>", "&"], log=["</text><script>"], legal=["<script>"])
    assert "<script" not in svg
    ElementTree.fromstring(svg)


def test_a_game_draws_from_the_view_only() -> None:
    def draw(pen: Any, seen: Any, look: Look) -> None:
        pen.words(10, 20, f"{seen['cards']} {look.before} {look.legal} {look.names} {look.log}", 20)

    def seen(game: Game, s: Record, viewer: int) -> dict[str, Any]:
        return {"cards": [kuhn.CARDS[card] if seat == viewer else "?" for seat, card in enumerate(s.cards)]}

    game, s = changed(KUHN, draw=draw, seen_to_dict=seen), position()
    assert game.seen_to_dict(s, 0)["cards"][1] == "?"
    text = texts_of(picture(game, s, 0, before={"cards": 1}, legal=["bet"], names=["a"], log=["b"]))[0]
    assert text == f"{game.seen_to_dict(s, 0)['cards']} {{'cards': 1}} ('bet',) ('a',) ('b',)"
    assert draw_seen(game, {"cards": "J"}, Look(0)).count("<text") == 1


def test_moves_have_a_default_text() -> None:
    s = position()
    assert KUHN.seen_action(s, kuhn.BET, 0, 1) == "player_0 has moved"
    for viewer in (0, NOBODY):
        assert KUHN.seen_action(s, kuhn.BET, 0, viewer) == "player_0: bet"
    with_texts = changed(KUHN, seen_action=lambda game, s, action, seat, viewer: f"{action} {seat} {viewer}")
    assert with_texts.seen_action(s, 1, 0, 1) == "1 0 1"


def test_games_with_pictures_are_pickled() -> None:
    game = pickle.loads(pickle.dumps(KUHN))
    assert game.texts.draw is None
    env = agent_avenue_v0.env()
    assert pickle.loads(pickle.dumps(env.game)).texts == env.game.texts


def test_drawings_do_not_change_the_digest() -> None:
    """An edit of a drawing does not change the digest that identifies machine code and checkpoints."""
    drawn = changed(KUHN, draw=draw_past, seen_to_dict=lambda game, s, viewer: {})
    assert drawn.digest == KUHN.digest
    assert drawn == KUHN


def test_notebooks_show_a_picture(tmp_path: Path) -> None:
    svg = picture(KUHN, position(), 0)
    assert isinstance(svg, Picture)
    assert svg._repr_svg_() == svg._repr_html_() == str(svg)
    svg.save(tmp_path / "game.svg")
    assert (tmp_path / "game.svg").read_text(encoding="utf-8") == svg


def test_advice_is_drawn() -> None:
    advice = Advice([("pass", 0.25), ("bet", 0.75)], 0.6)
    assert ElementTree.fromstring(picture(KUHN, position(), 0, legal=["pass", "bet"], advice=advice)) is not None


def test_advice_sums_up_the_less_likely_actions() -> None:
    shares = (0.0625, 0.25, 0.125, 0.5, 0.0625)
    look = Look(0, advice=Advice([(f"action {k}", share) for k, share in enumerate(shares)]))
    pen = Pen()
    advice_panel(pen, 0, 0, 300, look, ("red", "blue"), lines=3)
    assert [each.text for each in ElementTree.fromstring(f"<g>{pen}</g>").iter("text")][1:] == [
        "action 3", "50 %", "action 1", "25 %", "3 others", "25 %",
    ]  # fmt: skip


# ---------------------------------------------------------------- pixels


def test_pixels_have_the_requested_width() -> None:
    svg = picture(KUHN, position(), 0)
    for width, height in ((800, 600), (401, 301), (16, 12)):
        shown = raster.pixels(svg, width)
        assert (shown.shape, shown.dtype) == ((height, width, 3), np.uint8)
        assert shown.flags.writeable
    assert np.array_equal(raster.pixels(svg), raster.pixels(svg))
    assert raster.png(svg, 64).startswith(b"\x89PNG")


@pytest.mark.parametrize("family", ["regular", "bold"])
def test_fonts_have_all_letters(family: str) -> None:
    """resvg silently omits text whose font it does not find."""
    frame = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 900" font-family="Spygames Sans">{}</svg>'
    weight = ' font-weight="bold"' if family == "bold" else ""
    blank = raster.pixels(frame.format(""), 400)
    seen = set()
    for letter in string.ascii_letters + string.digits + "+-_%?!.,:()/&\u2212\u00d7\u2026\u2019\u00b7\u2192":
        text = f'<text x="300" y="600" font-size="500" fill="#fff"{weight}>{escape(letter)}</text>'
        drawn = raster.pixels(frame.format(text), 100)
        assert (drawn != blank[:1, :1]).any(), letter
        seen.add(drawn.tobytes())
    assert len(seen) > 70  # and not all the same placeholder for missing letters


@pytest.mark.parametrize(
    ("name", "drawn"),
    [("Naïve", "Naive"), ("Łukasz", "Lukasz"), ("Zoe\N{COMBINING DIAERESIS}", "Zoe"), ("Zoé", "Zoé"), ("⋖", "⋖")],
)
def test_accented_letters_that_the_fonts_lack_have_no_accents(name: str, drawn: str) -> None:
    frame = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 900" font-family="Spygames Sans">{}</svg>'
    text = '<text x="9" y="600" font-size="300">{}</text>'
    assert "".join(map(raster._plain, name)) == drawn
    shown, same, other = (raster.png(frame.format(text.format(each)), 100) for each in (name, drawn, "?"))
    assert shown == same != other


@pytest.mark.parametrize("width", [0, 15, 4097, 10**6, -1, True, 800.0, "800", None])
def test_invalid_widths_are_refused(width: Any) -> None:
    env = GameEnv(KUHN)
    env.reset(seed=1)
    for call in (lambda: raster.pixels("<svg/>", width), lambda: env.to_rgb("player_0", width=width)):
        with pytest.raises(ValueError, match="width must be an integer from 16 to 4096, not"):
            call()


def test_pixels_need_the_extra_render(monkeypatch: pytest.MonkeyPatch) -> None:
    without_images(monkeypatch, "resvg_py")
    env, single = GameEnv(KUHN, "rgb_array"), SingleEnv(KUHN, render_mode="rgb_array")
    env.reset(seed=1)
    single.reset(seed=1)
    assert env.to_svg().startswith("<svg")
    for each in (env, single):
        with pytest.raises(DependencyNotInstalled, match=r"need resvg_py: pip install 'spygames\[render\]'"):
            each.render()


def test_importing_spygames_imports_no_picture_library() -> None:
    code = "import sys, spygames; spygames.agent_avenue_v0; print({'resvg_py', 'PIL', 'pygame'} & set(sys.modules))"
    run = [sys.executable, "-c", code]
    assert subprocess.run(run, check=True, capture_output=True, text=True).stdout == "set()\n"


# ---------------------------------------------------------------- environments


def test_to_svg_draws_the_view_of_an_agent() -> None:
    env = agent_avenue_v0.env()
    with pytest.raises(ResetNeeded):
        env.to_svg()
    env.reset(seed=3)
    s = as_record(env.state().view(env.game.state_dtype))
    assert env.to_svg() == picture(env.game, s, NOBODY)
    mover = env.agent_selection
    legal = [env.action_to_string(int(a)) for a in np.flatnonzero(env.infos[mover]["action_mask"])]
    assert env.to_svg(mover) == picture(env.game, s, env.seat(mover), legal=legal)
    assert len({env.to_svg(), env.to_svg("player_0"), env.to_svg("player_1")}) == 3
    assert env.to_rgb("player_1", width=160).shape == (120, 160, 3)
    with pytest.raises(ValueError, match="agent must be one of player_0, player_1, not 'player_9'"):
        env.to_svg("player_9")
    with pytest.raises(ValueError, match="agent must be one of"):
        agent_avenue_v0.env(render_mode="rgb_array", render_viewer="player_9")


def test_render_draws_for_its_viewer() -> None:
    for viewer in (None, "player_0", "player_1"):
        env = agent_avenue_v0.env(render_mode="rgb_array", render_viewer=viewer)
        env.reset(seed=3)
        shown: Any = env.render()
        assert np.array_equal(shown, env.to_rgb(viewer))
        env = agent_avenue_v0.env(render_mode="ansi", render_viewer=viewer)
        env.reset(seed=3)
        assert env.render() == env.to_text(viewer)


def draw_past(pen: Pen, seen: Mapping[str, Any], look: Look) -> None:
    """Draw the log and the earlier view."""
    for text in (*look.log, str(look.before)):
        pen.words(10, 20, text, 20)


LOGGING = changed(KUHN, draw=draw_past)


def test_pictures_show_the_latest_moves() -> None:
    game = LOGGING
    env = GameEnv(game, "rgb_array")
    env.reset(seed=3)
    assert texts_of(env.to_svg()) == ["None"]
    start = {viewer: game.seen_to_dict(position(3), viewer) for viewer in (NOBODY, 0, 1)}
    env.step(kuhn.PASS)
    assert texts_of(env.to_svg("player_1")) == ["player_0 has moved", str(start[1])]
    assert texts_of(env.to_svg("player_0")) == ["player_0: pass", str(start[0])]
    env.step(kuhn.BET)
    last = game.seen_to_dict(position(3, kuhn.PASS), NOBODY)
    assert texts_of(env.to_svg()) == ["player_1: bet", "player_0: pass", str(last)]
    with pytest.raises(ValueError, match=r"action must be .*, not 7"):
        env.step(7)
    for other in (env.clone(), copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert other.to_svg() == env.to_svg()
    other = env.clone()
    other.step(kuhn.PASS)
    assert len(texts_of(other.to_svg())) == 4
    assert len(texts_of(env.to_svg())) == 3
    env.restore(env.save())
    assert texts_of(env.to_svg()) == ["None"]
    env.step(kuhn.PASS)
    env.reset(seed=3)
    assert texts_of(env.to_svg()) == ["None"]
    plain = GameEnv(game)
    plain.reset(seed=3)
    plain.step(kuhn.PASS)
    assert texts_of(plain.to_svg()) == ["None"]


class Raising:
    """A player that passes once, then raises."""

    name, calls = "raising", 0

    def act(self, decisions: Any) -> np.ndarray:
        self.calls += 1
        if self.calls > 1:
            raise RuntimeError("no idea")
        return np.full(len(decisions.rows), kuhn.PASS)


def test_one_seat_sees_the_moves_since_its_decision() -> None:
    env = SingleEnv(LOGGING, Raising(), seat=0, render_mode="rgb_array", illegal="raise")
    env.reset(seed=3)
    before, start = env.to_svg(), as_record(env.env.state().view(KUHN.state_dtype))
    assert texts_of(before) == ["None"]
    env.step(kuhn.PASS)
    ended = ["player_1 has moved", "player_0: pass", str(LOGGING.seen_to_dict(start, 0))]
    assert texts_of(env.to_svg()) == ended
    env.reset(seed=3)
    with pytest.raises(RuntimeError, match="no idea"):
        env.step(kuhn.PASS)
    assert env.to_svg() == before
    assert env.render().shape == (600, 800, 3)  # type: ignore[union-attr]
    assert env.to_rgb(width=40).shape == (30, 40, 3)


class Remembering:
    """A player that passes and wants more moves than pictures show."""

    name, notes_size = "remembering", 8

    def act(self, decisions: Any) -> np.ndarray:
        return np.full(len(decisions.rows), kuhn.PASS)


def test_one_seat_sees_no_more_moves_if_a_player_wants_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(single_seat, "PICTURED_MOVES", 1)
    env = SingleEnv(LOGGING, Remembering(), seat=0, render_mode="rgb_array")
    env.reset(seed=3)
    env.step(kuhn.PASS)
    assert texts_of(env.to_svg())[:-1] == ["player_1 has moved"]


def test_one_seat_has_no_human_render_mode() -> None:
    with pytest.raises(ValueError, match=r"render_mode must be one of .*, not 'human'"):
        SingleEnv(KUHN, render_mode="human")


def test_moves_are_kept_only_for_drawing() -> None:
    assert render.Renderer(KUHN, None).moves is render.Renderer(KUHN, "ansi").moves is None
    env = agent_avenue_v0.env(render_mode="rgb_array")
    env.reset(seed=1)
    for _ in range(40):
        if not env.agents:
            env.reset()
        mask = env.infos[env.agent_selection]["action_mask"]
        env.step(int(mask.argmax()) if mask.any() else None)
        assert env.renderer.moves is not None
        assert len(env.renderer.moves) <= 16


# ---------------------------------------------------------------- windows


def test_a_notebook_updates_one_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    handle = SimpleNamespace(update=lambda picture: shown.append(f"update {picture[:4]}"))

    def display(picture: Picture, display_id: bool) -> Any:
        shown.append(f"display {picture[:4]} {display_id}")
        return handle

    shell = SimpleNamespace(kernel=None)
    module = SimpleNamespace(get_ipython=lambda: shell)
    assert not window.in_notebook()
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    env = GameEnv(KUHN, "human")
    env.reset(seed=1)
    assert env.render() is None
    assert env.render() is None
    assert shown == ["display <svg True", "update <svg"]
    env.close()
    del shell.kernel
    assert not window.in_notebook()


def test_a_window_needs_the_extra_window(monkeypatch: pytest.MonkeyPatch) -> None:
    without_images(monkeypatch, "pygame", "resvg_py")  # the extra `window` installs both
    env = GameEnv(KUHN, "human")
    env.reset(seed=1)
    with pytest.raises(DependencyNotInstalled, match=r"a window needs pygame: pip install 'spygames\[window\]'"):
        env.render()
    env.close()


def test_a_window_shows_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = GameEnv(KUHN, "human")
    env.reset(seed=1)
    assert env.render() is None
    shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    assert np.array_equal(shown, env.to_rgb())
    assert pickle.loads(pickle.dumps(env)).state().tobytes() == env.state().tobytes()
    env.clone().close()
    assert pygame.display.get_surface() is not None
    env.close()
    assert pygame.display.get_surface() is None
    env.render()
    env.close()


def test_a_window_opens_again_after_another_was_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """pygame has one display for all environments of a process."""
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(window, "pixels", lambda picture: np.zeros((3, 4, 3), np.uint8))
    shown = Picture("<svg/>")
    one, other = window.Window("one", 1000), window.Window("other", 1000)
    for each in (one, other):
        each.show(shown)
    one.close()
    other.show(shown)
    assert pygame.display.get_surface() is not None
    other.close()
    assert pygame.display.get_surface() is None


# ---------------------------------------------------------------- costs of pictures


def test_fonts_are_small() -> None:
    folder = Path(spygames.__file__).parent
    fonts = sum(path.stat().st_size for path in (folder / "core" / "svg" / "fonts").iterdir() if path.is_file())
    assert fonts <= 60_000


def test_rendering_does_not_change_the_game() -> None:
    """Rendering a game does not change it."""
    ends = []
    for mode in (None, "rgb_array"):
        env = SingleEnv(spygames.make_game("agent_avenue_v0"), make_opponent(), seat=0, render_mode=mode)
        env.reset(seed=5)
        done, reward = False, 0.0
        while not done:
            _, reward, done, *_ = env.step(int(env.action_masks().argmax()))
        ends.append((reward, env.env.state().tobytes()))
    assert ends[0] == ends[1]


def make_opponent() -> Any:
    return make_player(spygames.make_game("agent_avenue_v0"), "greedy")
