"""Draw the pictures of the games in the docs, and the page of a recorded game: `python docs/draw_docs.py`.

A test compares what stands there with what is drawn, byte by byte. `--check` does the same here.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from spygames.core.envs.aec import GameEnv
from spygames.core.game.registry import make_game
from spygames.core.pictures.picture import Picture
from spygames.core.players.names import make_player
from spygames.core.records.film import Film
from spygames.core.records.record import play_record
from spygames.core.svg.colours import Theme
from spygames.core.svg.pen import Size
from spygames_app.films import page
from spygames_app.sides import sides_of

FOLDER = Path(__file__).parent / "images" / "games"
THUMBNAILS = Path(__file__).resolve().parents[1] / "app" / "spygames_app" / "web" / "static" / "games"
"""The pictures of the short rules on the page to play on; those of a decision are its thumbnails and the README's."""
REPLAY = FOLDER.parents[1] / "_static" / "replay.html"
OPEN, MOVER, NEXT = "open", "mover", "next"
"""Who looks: everything is open, the seat to move, the seat behind it."""


@dataclass(frozen=True)
class Scene:
    """A position of a game between scripted players, and who looks at it."""

    name: str
    """Of the file, behind the game's name."""
    game: str
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 1
    moves: int | None = None
    """None: the end."""
    viewer: str = MOVER
    players: str = "greedy"
    theme: Theme = "dark"
    reveal: bool = False
    """Whether the picture moves: the seat to move takes the hidden card."""
    size: Size = "full"


def short_rules_scenes() -> Iterator[Scene]:
    """The pictures of the short rules: the start and a decision, for the site in both themes, for the page in one."""
    for game, options, seed, moves in (
        ("agent_avenue_v0", {}, 1, 9),
        ("heimlich_v0", {"players": 3}, 1, 25),
        ("agent_dog_v0", {"players": 4}, 5, 150),
    ):
        for name, number in (("start", 0), ("decision", moves)):
            scene = Scene(name, game, options, seed, number, size="compact")
            yield scene
            yield replace(scene, name=f"{name}_light", theme="light")
            yield replace(scene, theme="auto")


SCENES = [
    *short_rules_scenes(),
    Scene("turn", "agent_avenue_v0", moves=9),
    Scene("turn_light", "agent_avenue_v0", moves=9, theme="light"),
    Scene("other_seat", "agent_avenue_v0", moves=9, viewer=NEXT),
    Scene("open", "agent_avenue_v0", moves=9, viewer=OPEN),
    Scene("advanced", "agent_avenue_v0", {"mode": "advanced"}, seed=2, moves=11),
    Scene("four_players", "agent_avenue_v0", {"mode": "advanced", "players": 4}, seed=3, moves=14),
    Scene("end", "agent_avenue_v0", viewer=OPEN),
    Scene("reveal", "agent_avenue_v0", seed=19, moves=9, players="expert", reveal=True),
    Scene("reveal_light", "agent_avenue_v0", seed=19, moves=9, players="expert", theme="light", reveal=True),
    Scene("turn", "heimlich_v0", {"players": 3}, moves=25),
    Scene("turn_light", "heimlich_v0", {"players": 3}, moves=25, theme="light"),
    Scene("open", "heimlich_v0", {"players": 3}, moves=25, viewer=OPEN),
    Scene("top_secret", "heimlich_v0", {"players": 4, "top_secret": True}, moves=40),
    Scene("identities", "heimlich_v0", {"players": 5, "top_secret": True, "secret_identities": True}, moves=60),
    Scene("seven_players", "heimlich_v0", {"players": 7}, moves=18, viewer=NEXT),
    Scene("end", "heimlich_v0", {"players": 3}, viewer=OPEN),
    Scene("turn", "agent_dog_v0", {"players": 4}, seed=5, moves=150),
    Scene("turn_light", "agent_dog_v0", {"players": 4}, seed=5, moves=150, theme="light"),
    Scene("other_seat", "agent_dog_v0", {"players": 4}, seed=5, moves=150, viewer=NEXT),
    Scene("open", "agent_dog_v0", {"players": 4}, seed=5, moves=150, viewer=OPEN),
    Scene("two_players", "agent_dog_v0", {"players": 2}, seed=5, moves=106),
    Scene("three_players", "agent_dog_v0", {"players": 3}, seed=5, moves=118),
    Scene("end", "agent_dog_v0", {"players": 4}, seed=5, viewer=OPEN),
]


def draw(scene: Scene) -> Picture:
    """The picture of a scene."""
    game = make_game(scene.game, **scene.options)
    record = play_record(game, [make_player(game, scene.players)] * game.num_players, scene.seed)
    env = GameEnv(game, "rgb_array")  # which keeps its moves for its pictures
    env.reset(seed=scene.seed)
    for text in record.actions[: scene.moves]:
        env.step(env.string_to_action(text))
    if scene.reveal:
        return reveal(env, scene.theme)
    if scene.theme == "auto":
        drawn = env.to_svg(env.agent_selection, theme=scene.theme, size=scene.size)
        drawn = sides_of(game.num_players, env.to_move).drawn(drawn)  # with the names of the page
        start = drawn.index(">") + 1  # in an <img>, the scheme of the system counts
        return Picture(f"{drawn[:start]}<style>:root{{color-scheme:light dark}}</style>{drawn[start:]}")
    if scene.viewer == OPEN:
        return env.to_svg(theme=scene.theme)
    agent = env.possible_agents[(env.to_move + (scene.viewer == NEXT)) % game.num_players]
    return env.to_svg(agent, theme=scene.theme, size=scene.size)


def file_of(scene: Scene) -> Path:
    """Where the picture of a scene stands."""
    if scene.theme == "auto":
        return THUMBNAILS / f"{scene.game}{'' if scene.name == 'decision' else f'-{scene.name}'}.svg"
    return FOLDER / f"{scene.game.rpartition('_v')[0]}-{scene.name}.svg"


_MOTION = """
.hidden,.face{transform-box:view-box;transform-origin:660px 0}
.hidden{animation:hidden 8s linear infinite}.face{animation:face 8s linear infinite}
.before{animation:before 8s linear infinite}.after{animation:after 8s linear infinite}
@keyframes hidden{0%,35%{transform:scaleX(1)}39%,99%{transform:scaleX(0)}100%{transform:scaleX(1)}}
@keyframes face{0%,39%{transform:scaleX(0)}43%,100%{transform:scaleX(1)}}
@keyframes before{0%,58%{opacity:1}62%,96%{opacity:0}100%{opacity:1}}
@keyframes after{0%,58%{opacity:0}62%,96%{opacity:1}100%{opacity:0}}
@media (prefers-reduced-motion:reduce){.hidden,.face,.before,.after{animation:none}.face,.after{opacity:0}}
"""
"""Seconds 0 to 2.8: the choice; to 3.4: the card turns over; to 4.7: it is shown; to 7.7: what follows from it."""


def reveal(env: GameEnv, theme: Theme) -> Picture:
    """One turn from a seat as an animated SVG: the choice, the hidden card turning over, and the position afterwards.

    The animation is CSS inside the file, so an `<img>` plays it without a script.
    """
    agent = env.agent_selection
    before, everything = env.to_svg(agent, theme=theme), env.to_svg(theme=theme)
    env.step(env.string_to_action("recruit down"))
    after = env.to_svg(agent, theme=theme)
    start, end = _group(before, 'data-action="recruit down"')
    place = before[before.rindex("<g transform=", 0, start) : start]  # the group that the card's place is
    start, end = _group(before, place)
    face = everything[slice(*_group(everything, place))]
    hidden = f'<g class="hidden">{before[start:end]}</g><g class="face">{face}</g>'
    drawing = _inside(before[:start] + hidden + before[end:])
    opening = before[: before.index(">") + 1]
    return Picture(
        f'{opening}<style>{_MOTION}</style><g class="before">{drawing}</g><g class="after">{_inside(after)}</g></svg>'
    )


def replay() -> str:
    """A recorded game as a page, as its first seat sees it; the site shows it in a frame."""
    game = make_game("agent_avenue_v0")
    return page(Film(play_record(game, [make_player(game, "expert")] * 2, seed=19)), [0], lambda done: None)


def _inside(svg: str) -> str:
    """A drawing without its outermost element."""
    return svg[svg.index(">") + 1 : svg.rindex("</svg>")]


def _group(svg: str, attribute: str) -> tuple[int, int]:
    """Where the group with an attribute begins and ends in a drawing."""
    start = svg.rindex("<g", 0, svg.index(attribute) + 2)
    depth = 0
    for tag in re.finditer(r"<g[ >]|</g>", svg[start:]):
        depth += -1 if tag[0] == "</g>" else 1
        if not depth:
            return start, start + tag.end()
    raise ValueError(f"no group of the drawing has {attribute}")


def main(check: bool) -> int:
    """Writes the pictures, or says which are not as they should be; returns the exit code."""
    files: dict[Path, str] = {file_of(scene): draw(scene) for scene in SCENES} | {REPLAY: replay()}
    places = (*FOLDER.glob("*.svg"), *THUMBNAILS.glob("*.svg"), REPLAY)
    old = {path: path.read_text("utf-8") for path in places if path.exists()}
    other = sorted(path.name for path in {*files, *old} if files.get(path) != old.get(path))
    if not check:
        for folder in (FOLDER, THUMBNAILS):
            folder.mkdir(parents=True, exist_ok=True)
        for path in set(old) - set(files):
            path.unlink()
        for path, text in files.items():
            path.write_text(text, encoding="utf-8")
    print(f"{len(files)} pictures, {', '.join(other) or 'none'} {'differ' if check else 'changed'}")
    return 1 if check and other else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
