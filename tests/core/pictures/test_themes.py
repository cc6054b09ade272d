"""Themes: the light one is chosen by name, changes only colors, and leaks no more than the dark one."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from spygames.core.envs.aec import GameEnv
from spygames.core.envs.single_seat import SingleEnv
from spygames.core.game.game import Game, as_record
from spygames.core.pictures.picture import draw_seen, picture
from spygames.core.pictures.raster import pixels
from spygames.core.players.names import make_player
from spygames.core.records.film import Film
from spygames.core.svg.annotations import Advice, Look
from spygames.core.svg.colours import THEMES, Theme
from spygames.core.svg.pen import CANVAS, Pen, Size
from spygames.testing.hidden import channels, differences
from tests.core.records.test_film import POKER
from tests.poker import kuhn
from tests.support import svg
from tests.support.changed import changed

KUHN = kuhn.make_game()


def env() -> GameEnv:
    made = GameEnv(KUHN, "rgb_array")
    made.reset(seed=3)
    return made


def single() -> SingleEnv:
    made = SingleEnv(KUHN, make_player(KUHN, "random"), render_mode="rgb_array")
    made.reset(seed=3)
    return made


def scene(theme: Theme) -> str:
    return Film(POKER, KUHN).scene(2, theme=theme).picture


DRAWN: dict[str, Callable[[Theme], str]] = {
    "picture": lambda theme: picture(KUHN, as_record(KUHN.start(3)), 0, theme=theme),
    "draw_seen": lambda theme: draw_seen(KUHN, {"text": "J Q"}, Look(0), theme),
    "env": lambda theme: env().to_svg("player_1", theme=theme),
    "single": lambda theme: single().to_svg(theme=theme),
    "film": scene,
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_theme_changes_only_colors(name: str) -> None:
    dark, light = (DRAWN[name](theme) for theme in THEMES)
    assert dark != light
    assert svg.colorless(dark) == svg.colorless(light)
    assert THEMES["light"].table in light
    assert THEMES["light"].table not in dark


def test_dark_is_the_default() -> None:
    assert env().to_svg() == env().to_svg(theme="dark")
    assert single().to_svg() == single().to_svg(theme="dark")
    assert Film(POKER, KUHN).scene(2).picture == scene("dark")


@pytest.mark.parametrize("made", [env, single], ids=["env", "single"])
def test_corners_have_the_color_of_the_table(made: Callable[[], Any]) -> None:
    for theme, palette in THEMES.items():
        shown = made().to_rgb(width=160, theme=theme)
        assert shown.shape == (120, 160, 3)
        assert [bytes(shown[y, x]).hex() for y in (0, -1) for x in (0, -1)] == [palette.table[1:]] * 4
    assert np.array_equal(made().to_rgb(width=160), made().to_rgb(width=160, theme="dark"))


@pytest.mark.parametrize("theme", ["Light", "", None, 1, ["dark"]])
@pytest.mark.parametrize("name", [*DRAWN, "rgb", "single rgb", "pixels"])
def test_invalid_themes_are_refused(name: str, theme: Any) -> None:
    others: dict[str, Callable[[Theme], Any]] = {
        "rgb": lambda theme: env().to_rgb(theme=theme),
        "single rgb": lambda theme: single().to_rgb(theme=theme),
        "pixels": lambda theme: pixels("<svg/>", 16, theme),
    }
    with pytest.raises(ValueError, match="theme must be 'dark', 'light' or 'auto', not"):
        (DRAWN | others)[name](theme)


def test_advice_is_readable_in_both_themes() -> None:
    advice = Advice([("pass", 0.1), ("bet", 0.6), *((f"other {i}", 0.05) for i in range(9))], 0.4)
    dull = Advice([], value=0.25)
    for theme in THEMES:
        for each in (advice, dull):
            game = changed(KUHN, draw=draw_advice)
            look = Look(0, advice=each, log=("one", "two", "three"))
            assert svg.pale(draw_seen(game, {}, look, theme)) == []


def draw_advice(pen: Pen, seen: Mapping[str, Any], look: Look) -> None:
    from spygames.core.pictures.picture import advice_panel, log_panel, title_bar

    title_bar(pen, "Kuhn poker", "player_0: pass or bet", "turn 1")
    advice_panel(pen, 100, 100, 300, look, ("#f4b63f", "#57b7e3"))
    log_panel(pen, 600, 100, 300, look)


def test_stamps_are_drawn_for_each_theme() -> None:
    drawn = []
    for palette in THEMES.values():
        pen = Pen(palette)
        pen.stamp(plate)
        drawn.append(str(pen))
    assert [palette.panel in text for palette, text in zip(THEMES.values(), drawn, strict=True)] == [True, True]
    assert drawn[0] != drawn[1]


def plate(pen: Pen) -> None:
    pen.box(0, 0, 10, 10, 2, pen.palette.panel)


@pytest.mark.parametrize("theme", THEMES)
def test_a_leak_in_one_theme_is_found(theme: Theme) -> None:
    """The contract draws half of the seats in each theme."""

    def draw(pen: Pen, seen: Mapping[str, Any], look: Look) -> None:
        if pen.palette.theme == theme:
            pen.words(30, 60, str(seen["cards"]), 20)

    def open_to_all(game: Game, s: Any, viewer: int) -> dict[str, Any]:
        return {"cards": [int(card) for card in s.cards]}

    game = changed(KUHN, draw=draw, seen_to_dict=open_to_all)
    worlds = KUHN.start(3), KUHN.start(3)
    found = {0: set(), 1: set()}
    for seat in found:
        other = 1 - seat
        left = ({0, 1, 2} - {int(card) for card in as_record(worlds[0]).cards}).pop()
        as_record(worlds[1]).cards[:] = as_record(worlds[0]).cards
        as_record(worlds[1]).cards[other] = left
        found[seat] = {name for name, _ in differences(game, worlds[0], worlds[1], seat)}
    assert [("picture" in names) for names in found.values()] == [theme == "dark", theme == "light"]
    assert "picture with targets" in channels(game, worlds[0], int(as_record(worlds[0]).to_move))


# ---------------------------------------------------------------- sizes

SIZED: dict[str, Callable[[Size], str]] = {
    "picture": lambda size: picture(KUHN, as_record(KUHN.start(3)), 0, size=size),
    "draw_seen": lambda size: draw_seen(KUHN, {"text": "J Q"}, Look(0), size=size),
    "env": lambda size: env().to_svg("player_1", size=size),
    "single": lambda size: single().to_svg(size=size),
    "film": lambda size: Film(POKER, KUHN).scene(2, size=size).picture,
}


@pytest.mark.parametrize("size", ["Full", "", None, 1, ["full"]])
@pytest.mark.parametrize("name", [*SIZED, "rgb", "single rgb"])
def test_invalid_sizes_are_refused(name: str, size: Any) -> None:
    others: dict[str, Callable[[Size], Any]] = {
        "rgb": lambda size: env().to_rgb(size=size),
        "single rgb": lambda size: single().to_rgb(size=size),
    }
    with pytest.raises(ValueError, match="size must be 'full', 'portrait' or 'compact', not"):
        (SIZED | others)[name](size)


@pytest.mark.parametrize("name", SIZED)
def test_a_game_without_small_forms_is_drawn_in_full(name: str) -> None:
    assert len({SIZED[name](size) for size in CANVAS}) == 1


def test_pixels_have_the_shape_of_the_size() -> None:
    game = changed(KUHN, draw_portrait=draw_advice, draw_compact=draw_advice)
    made = GameEnv(game)
    made.reset(seed=3)
    shapes = {size: made.to_rgb(width=130, size=size).shape for size in CANVAS}
    assert shapes == {"full": (98, 130, 3), "portrait": (285, 130, 3), "compact": (98, 130, 3)}
    for size, (w, h) in CANVAS.items():
        assert f'viewBox="0 0 {w} {h}"' in made.to_svg(size=size)


@pytest.mark.parametrize("form", ["draw_portrait", "draw_compact"])
def test_a_leak_in_one_size_is_found(form: str) -> None:
    def draw(pen: Pen, seen: Mapping[str, Any], look: Look) -> None:
        pen.words(30, 60, str(seen["cards"]), 20)

    def open_to_all(game: Game, s: Any, viewer: int) -> dict[str, Any]:
        return {"cards": [int(card) for card in s.cards]}

    def dull(pen: Pen, seen: Mapping[str, Any], look: Look) -> None:
        pen.words(30, 60, "nothing", 20)

    game = changed(KUHN, draw=dull, seen_to_dict=open_to_all, **{form: draw})
    worlds = KUHN.start(3), KUHN.start(3)
    cards = as_record(worlds[1]).cards
    cards[1] = ({0, 1, 2} - {int(card) for card in as_record(worlds[0]).cards}).pop()
    found = {name for name, _ in differences(game, worlds[0], worlds[1], 0)}
    assert f"{form.removeprefix('draw_')} picture" in found
    assert "picture" not in found
