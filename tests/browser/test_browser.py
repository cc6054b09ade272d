"""The page in a real Chromium: whole games by mouse, keyboard and without JavaScript; double clicks, tabs, restarts."""

import random
import re
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spygames import make_game
from spygames.core.players.names import make_player
from spygames.core.records.record import play_record, save_games
from spygames_app.web import store
from spygames_app.web.choices import Choices
from tests.browser.chromium import AXE, READY, Tab, browsing, missing, need, serving, tab, watched
from tests.web.visitor import new_store

if TYPE_CHECKING:
    from playwright.sync_api import Browser  # pyright: ignore[reportMissingImports]

pytestmark = pytest.mark.browser

GAMES: dict[str, dict[str, Any]] = {
    "agent_avenue_v0": {},
    "agent_dog_v0": {"players": 2, "max_turns": 12},
    "heimlich_v0": {"players": 3},
}
"""Options of the games that are played to the end. Random games of Agent DOG are thousands of decisions, so cut off."""
MAX_DECISIONS = 300
"""Far more than the decisions of a person in one game."""


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    need(missing())
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def home() -> Iterator[str]:
    """The address of a server that offers all games."""
    game = make_game("agent_avenue_v0")
    record = play_record(game, [make_player(game, "greedy"), make_player(game, "random")], seed=4)
    with serving(records=[(record, {})]) as address:
        yield address


# ---------------------------------------------------------------- whole games


def by_mouse(at: Tab, rng: random.Random, touch: bool = False) -> None:
    """Click targets on the board until a decision is made; `touch`: tap them."""
    since = at.revision
    for _ in range(40):
        targets = at.page.locator("#picture svg:visible .target:not(.out):not(.picked)")
        place = at.page.evaluate(SPOT, rng.randrange(targets.count()))
        if place is None:
            continue
        at.page.touchscreen.tap(*place) if touch else at.page.mouse.click(*place)
        if at.page.locator(f"main[data-revision='{since}']:not([data-refresh]) #picked").count():
            picked = at.page.locator("#picked").inner_text(timeout=1000) if not at.over else ""
            if "To take a choice back" in picked:
                continue
        at.moved(since)
        return
    raise AssertionError("no click on the board made a decision")


SPOT = """number => {
  const shown = [...document.querySelectorAll("#picture svg")].find(each => each.getClientRects().length);
  const target = [...shown.querySelectorAll(".target:not(.out):not(.picked)")][number];
  target.scrollIntoView({ block: "center", inline: "center" });
  for (const part of [target, ...target.querySelectorAll("*")]) {
    const box = part.getBoundingClientRect();
    for (const [x, y] of [[0.5, 0.5], [0.5, 0.2], [0.2, 0.5], [0.8, 0.8]]) {
      const at = [box.left + x * box.width, box.top + y * box.height];
      if (document.elementFromPoint(...at)?.closest(".target") === target) return at;
    }
  }
  return null;
}"""
"""Return a point on the screen where a target can be clicked; null if other elements cover it."""


def by_keyboard(at: Tab, rng: random.Random) -> None:
    """Press Tab up to a target on the board, or a button beside it, and press Enter."""
    since, wanted = at.revision, rng.choice(["#picture .target:not(.out):not(.picked)", ".actions button"])
    on = rng.randrange(4)
    for _ in range(400):
        if at.page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
            if on == 0:
                at.page.keyboard.press("Enter")
                if at.page.locator("#picked", has_text="To take a choice back").count() == 0:
                    at.moved(since)
                    # Focus stays near the actions, not at the top of the page.
                    at.page.wait_for_function("document.activeElement.closest('.target, .actions, h1')")
                    return
                on = rng.randrange(4)
                wanted = "#picture .target:not(.out):not(.picked)"
            else:
                on -= 1
        at.page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {wanted}")


def by_touch(at: Tab, rng: random.Random) -> None:
    """Tap targets on the portrait board of a small phone, all of them large enough, until a decision is made."""
    small = at.page.evaluate(SMALL)
    assert small == []
    by_mouse(at, rng, touch=True)


SMALL = """() => [...document.querySelectorAll("#picture .narrow .target")]
  .map(each => [each.dataset.label, each.getBoundingClientRect()])
  .filter(([, box]) => Math.min(box.width, box.height) < 43.9)
  .map(([label, box]) => `${label}: ${box.width} x ${box.height}`)
  .concat([...document.querySelectorAll("#picture .narrow text")]
    .map(each => [each.textContent, each.getAttribute("font-size"), each.getScreenCTM()])
    .map(([text, size, { c, d }]) => [text, size * Math.hypot(c, d)])
    .filter(([, size]) => size < 11.9)
    .map(([text, size]) => `${text}: ${size}`))"""
"""The targets of the portrait board that are less than 44 pixels wide or high, and the letters below 12 pixels."""


def without_script(at: Tab, rng: random.Random) -> None:
    """Press a button of the form and get the next page."""
    since, buttons = at.revision, at.page.locator(".actions button")
    buttons.nth(rng.randrange(buttons.count())).click()
    at.moved(since)


@pytest.mark.parametrize("way", [by_mouse, by_touch, by_keyboard, without_script])
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_can_be_played(browser: "Browser", game: str, way: Any) -> None:
    rng, width = random.Random(len(game)), 320 if way is by_touch else 1280
    options = {"java_script_enabled": False} if way is without_script else {"has_touch": way is by_touch}
    with serving(Choices((), game, GAMES[game])) as home, tab(browser, home, width, **options) as at:
        at.begin()
        decisions = 0
        while not at.over:
            way(at, rng)
            decisions += 1
            assert decisions < MAX_DECISIONS
        assert decisions > 0  # random games may end early
        title = at.page.locator("h1").inner_text()
        assert re.search(r"You (and .+ )?win|You lose|Nobody wins", title), title
        at.page.locator("summary", has_text="Download").click()
        assert "The seed of the deal was" in at.page.locator("#download").inner_text()
        with at.page.expect_download() as download:
            at.page.get_by_role("link", name="The record of the game").click()
        assert download.value.suggested_filename == "game.jsonl"


# ---------------------------------------------------------------- reloads, tabs, restarts


def test_a_double_click_is_one_move(browser: "Browser", home: str) -> None:
    for script in (True, False):
        with tab(browser, home, java_script_enabled=script) as at:
            at.begin(opponents="greedy")
            discard = at.page.locator(".actions button[value^=discard]").first
            discard.dblclick()
            at.page.wait_for_selector(f"{READY}[data-revision='1']")
            at.page.wait_for_load_state()
            assert at.page.locator("#log li").count() == 1
            assert at.page.locator(".problem").count() == 0


def test_back_and_reload_show_the_current_position(browser: "Browser", home: str) -> None:
    for script in (True, False):
        with tab(browser, home, java_script_enabled=script) as at:
            at.begin(opponents="greedy")
            at.page.locator(".actions button[value^=discard]").first.click()
            at.moved(0)
            at.page.reload()
            assert at.revision == 1
            address = at.page.url
            at.page.goto(home)
            at.page.go_back()
            assert at.page.url == address
            assert at.revision == 1
            at.page.go_back()
            at.page.go_forward()
            at.page.locator(".actions button[value^=discard]").first.click()
            at.page.wait_for_selector(f"{READY}[data-revision='2']")


def test_two_tabs_share_one_game(browser: "Browser", home: str) -> None:
    """The late tab shows the current position and a message; its action has no effect."""
    with tab(browser, home) as one:
        one.begin(opponents="greedy")
        two = watched(one.page.context.new_page(), home)
        two.page.goto(one.page.url)
        one.page.locator(".actions button[value^=discard]").first.click()
        one.moved(0)
        two.page.locator(".actions button[value^=play]").last.click()
        two.page.wait_for_selector(".problem")
        assert "The game has moved on" in two.page.locator(".problem").inner_text()
        assert two.revision == 1
        assert all("409" in each for each in two.wrong)
        two.page.locator(".actions button[value^=discard]").first.click()
        two.moved(1)
        one.page.reload()
        assert one.revision == 2


def test_a_key_that_is_held_down_is_one_pick(browser: "Browser", home: str) -> None:
    with tab(browser, home) as at:
        at.begin()
        target = at.page.locator("#picture svg:visible .target[data-pick]").first
        target.focus()
        for _ in range(2):
            at.page.keyboard.down("Enter")
        at.page.keyboard.up("Enter")
        assert target.get_attribute("aria-pressed") == "true"


def test_another_browser_cannot_see_the_game(browser: "Browser", home: str) -> None:
    with tab(browser, home) as at:
        at.begin()
        address = at.page.url
        context = browser.new_context()
        answer = context.new_page().goto(address)
        assert answer is not None
        assert answer.status == 404
        context.close()


def test_a_restarted_server_is_reported(browser: "Browser") -> None:
    with serving() as home:
        context = browser.new_context()
        at = watched(context.new_page(), home)
        at.begin()
        port = int(home.rpartition(":")[2])
    with serving(port=port):
        at.page.locator(".actions button").first.click()
        at.page.wait_for_selector("text=The server was restarted since this page was opened")
        assert not at.page.url.endswith("/act")  # which cannot be reloaded
        at.page.get_by_role("link", name="Back").click()
        at.page.wait_for_selector("text=Choose a game")
    context.close()


def test_the_page_waits_for_a_server_that_does_not_answer(browser: "Browser") -> None:
    """The page shows a visible message, and continues when the server is back."""
    kept, context = new_store(), browser.new_context()
    with serving(store=kept) as home:
        at = watched(context.new_page(), home)
        at.begin(opponents="greedy")
        port = int(home.rpartition(":")[2])
    at.page.locator(".actions button").first.click()
    at.page.wait_for_selector("#offline")
    assert "The server does not answer" in at.page.locator("#offline").inner_text()
    assert at.page.locator("#offline").bounding_box()["height"] > 20  # type: ignore[index]
    with serving(store=kept, port=port):
        at.page.wait_for_selector(f"{READY}:not(:has(#offline)) .actions")
        at.page.locator(".actions button").first.click()
        at.moved(0)
    context.close()


# ---------------------------------------------------------------- hints, films, motion


def test_hints_and_films_show_the_analysis_of_players(browser: "Browser", home: str) -> None:
    """Bars and win share of a checkpoint: as a hint during the game, then at each decision, from each viewpoint."""
    with tab(browser, home) as at:
        at.begin(opponents="agent_avenue/simple-2")
        at.page.get_by_role("button", name="Hint").click()
        at.page.wait_for_selector("text=What Strongest would do")
        assert at.page.evaluate("document.activeElement.id") == "ask"
        at.page.locator("#more summary").click()
        at.page.locator("#by").select_option(label="agent_avenue/simple-2")
        at.page.get_by_role("button", name="Ask").click()
        at.page.wait_for_selector("text=What agent_avenue/simple-2 would do")
        assert at.page.evaluate("document.activeElement.id") == "ask-by"
        assert at.page.locator("#more").get_attribute("open") is not None  # a fold stays open
        assert "Chance to win" in at.page.locator(".thoughts").inner_text()
        rng = random.Random(3)
        while not at.over:
            without_script(at, rng)
        at.page.locator("#by").select_option(label="agent_avenue/simple-2")
        at.page.wait_for_selector(".curve")
        last = at.page.locator("output").inner_text().split(" / ")[1]
        at.page.get_by_role("link", name="Start", exact=True).click()
        at.page.wait_for_selector(f"output:text-is('0 / {last}')")
        assert at.page.locator(".thoughts progress").count() >= 1
        at.page.locator("h1").click()
        at.page.keyboard.press("ArrowRight")
        at.page.wait_for_selector(f"output:text-is('1 / {last}')")
        everything = at.page.locator("#picture svg:visible").inner_html()
        at.page.locator("#viewer").select_option("1")
        at.page.wait_for_selector("#viewer option[selected][value='1']", state="attached")
        assert at.page.locator("#picture svg:visible").inner_html() != everything
        assert "viewer=1" in at.page.url
        assert "move=1" in at.page.url
        film = at.page.url
        at.page.get_by_role("button", name="The same deal from the other seat").click()
        at.page.wait_for_selector("text=you against Ada")
        at.page.go_back()
        assert at.page.url == film
        at.page.wait_for_selector(".curve")


def test_recorded_games_can_be_watched(browser: "Browser", home: str) -> None:
    with tab(browser, home) as at:
        at.page.goto(f"{home}/records")
        at.page.get_by_role("link", name="greedy, random").click()
        at.page.wait_for_selector("#play")  # the script runs
        end = at.page.locator("output").inner_text()
        at.page.locator("#move").focus()
        at.page.keyboard.press("Home")
        at.page.wait_for_selector("output:text-matches('^0 /')")
        at.page.get_by_role("button", name="Speed 1").click()
        assert at.page.locator("#speed").inner_text() == "Speed 2"
        at.page.get_by_role("button", name="Play").click()
        at.page.wait_for_selector("output:text-matches('^2 /')")
        at.page.get_by_role("button", name="Pause").click()
        at.page.get_by_role("link", name="End").click()
        at.page.wait_for_selector(f"output:text-is('{end}')")


def test_analysis_arrives_while_the_film_is_used(
    browser: "Browser", home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page says that a search gets ready. Choices made meanwhile are kept when the analysis arrives."""
    go = threading.Event()

    def slow(game: Any, spec: str) -> Any:
        go.wait(20)
        return make_player(game, spec)

    monkeypatch.setattr(store, "make_player", slow)
    with tab(browser, home) as at:
        at.page.goto(f"{home}/records")
        at.page.get_by_role("link", name="greedy, random").click()
        at.page.wait_for_selector("#play")
        at.page.get_by_role("link", name="Start", exact=True).click()
        at.page.wait_for_selector("output:text-matches('^0 /')")
        at.page.locator("#by").select_option(label="Hard: expert")
        at.page.wait_for_selector("text=Hard is thinking")
        at.page.locator("#viewer").focus()
        board = at.page.locator("#picture svg:visible").element_handle()
        go.set()
        at.page.wait_for_selector("text=What Hard would do")
        at.page.wait_for_selector(READY)
        assert at.page.evaluate("document.activeElement.id") == "viewer"
        assert board is not None
        assert board.evaluate("board => board.isConnected")


def test_a_file_of_recorded_games_can_be_uploaded(browser: "Browser", home: str, tmp_path: Path) -> None:
    game = make_game("heimlich_v0")
    bots = [make_player(game, "greedy")] * 4
    save_games(tmp_path / "games.jsonl", [play_record(game, bots, seed=seed) for seed in (1, 2)])
    with tab(browser, home) as at:
        at.page.goto(f"{home}/records")
        at.page.locator("input[type=file]").set_input_files(tmp_path / "games.jsonl")
        at.page.wait_for_function("document.querySelector('#record').value")
        at.page.get_by_role("button", name="Watch it").click()
        games = at.page.get_by_role("link", name="greedy, greedy, greedy, greedy")
        games.first.wait_for()
        assert games.count() == 2
        games.last.click()
        at.page.wait_for_selector("#play")


def test_moves_of_others_are_shown_one_by_one(browser: "Browser") -> None:
    """With motion, each move is shown for a while; the rest can be skipped."""
    kept = new_store()
    with serving(Choices((), "heimlich_v0", {"players": 4}), kept) as home:
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        at = watched(context.new_page(), home)
        at.page.clock.install()
        at.begin(opponents="greedy")
        at.page.clock.pause_at(datetime.now() + timedelta(minutes=1))  # timers stop
        made = next(iter(kept.games.values()))
        since = -1
        for _ in range(6):
            since = at.revision
            at.page.locator(".actions button").last.click()
            at.page.wait_for_selector(f"#skip, {READY}:not([data-revision='{since}'])")
            made.wait(20)
            if made.revision > since + 1:
                break
            at.moved(since)
        at.page.wait_for_selector("#skip")
        assert at.revision == since  # the moves are still being shown
        at.page.locator("#skip").click()
        at.moved(since)
        assert at.revision == made.revision
        assert at.wrong == []
        context.close()


# ---------------------------------------------------------------- layout, accessibility, size


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_pages_fit_their_width_and_are_accessible(browser: "Browser", home: str, width: int, scheme: str) -> None:
    """On every page, nothing is wider than the screen and axe finds no serious violation."""
    need("" if AXE.is_file() else "axe-core is missing: make test-browser fetches it")
    axe, found = AXE.read_text(encoding="utf-8"), []

    def look(what: str) -> None:
        at.page.evaluate(axe)
        result = at.page.evaluate("() => axe.run()")
        for each in result["violations"]:
            if each["impact"] in ("serious", "critical"):
                found.append((what, each["id"], [node["html"][:200] for node in each["nodes"][:3]]))
        wide = at.page.evaluate("() => document.documentElement.scrollWidth")
        if wide > width:
            found.append((what, "too wide", [str(wide)]))

    with tab(browser, home, width, bypass_csp=True, color_scheme=scheme) as at:
        for path in ("/", "/seats?game=0", "/records", "/rules?game=2", "/rules?game=0&rule=AA-4", "/nowhere"):
            at.page.goto(home + path, wait_until="load")
            look(path)
        at.wrong.clear()  # the 404 is expected
        for game in range(3):
            at.begin(game, "greedy")
            look(f"game {game}")
            at.page.get_by_role("button", name="Hint").click()
            at.page.wait_for_selector(".thoughts")
            look(f"hint {game}")
        at.page.goto(f"{home}/records")
        at.page.get_by_role("link", name="greedy, random").click()
        at.page.wait_for_selector("#play")
        look("film")
    assert found == []


def test_a_touch_leaves_no_outline_and_reasons_are_not_covered(browser: "Browser", home: str) -> None:
    """On a phone. The outline of the focus would look like a choice; the line on top stays when the page scrolls."""
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    with tab(browser, home, 390, has_touch=True) as at:
        at.begin(opponents="greedy")
        at.page.locator(".narrow .target[data-action^=discard]").first.tap()
        at.moved(0)
        assert at.page.evaluate("document.activeElement.matches('.target')")
        assert at.page.evaluate(outline) == "none"
        at.page.keyboard.press("Tab")
        assert at.page.evaluate("document.activeElement.matches('.target')")
        assert at.page.evaluate(outline) == "solid"
        at.page.locator("#more summary").tap()
        at.page.locator("#rules summary").tap()  # so that the page is long enough to scroll
        at.page.locator("#typed").fill("recruit up")
        at.page.evaluate("document.querySelector('#typed').scrollIntoView({ block: 'start' })")
        at.page.keyboard.press("Enter")
        at.page.wait_for_selector(".problem")
        assert "Rule AA-12" in at.page.locator(".problem").inner_text()
        assert at.page.evaluate(UNCOVERED, ".problem")
        assert all("409" in each for each in at.wrong)
        at.wrong.clear()


@pytest.mark.parametrize("width", [390, 1280])
def test_a_tap_on_what_cannot_be_chosen_says_why(browser: "Browser", width: int) -> None:
    """The reason stands beside the decision, with its rule; the picks stay, and no key reaches such a card."""
    with (
        serving(Choices((), "heimlich_v0", {"players": 3, "top_secret": True})) as home,
        tab(browser, home, width, has_touch=width < 600) as at,
    ):
        at.begin()
        at.page.locator("#picture svg:visible .target[data-pick^='1:']").first.click()
        assert "To take a choice back" in at.page.locator("#picked").inner_text()
        card = at.page.locator("#picture svg:visible [data-refused^='card ']").first
        assert card.evaluate("each => each.getAttributeNames().join() + each.tabIndex") == "data-refused-1"
        board = at.page.locator("#picture svg:visible").element_handle()
        assert board is not None
        for _ in range(2):  # a second tap replaces the line
            card.tap() if width < 600 else card.click()
            at.page.wait_for_selector("#due .problem")
            assert at.page.locator(".problem").count() == 1
        line = at.page.locator(".problem").inner_text()
        assert line == "Cards are played only between the movement and the scoring. Rule HC-25"
        assert at.page.evaluate(UNCOVERED, ".problem")
        assert board.evaluate("board => board.isConnected")
        assert at.page.locator("#picture svg:visible .target.picked").count() == 1
        assert at.page.locator("main").get_attribute("data-revision") == "0"
        with at.page.expect_popup() as popup:
            at.page.locator(".problem a").click()
        assert popup.value.url.endswith("#HC-25")
        at.page.locator("#picture svg:visible .target[data-pick^='2:']:not(.out)").first.click()
        at.moved(0)
        assert at.page.locator(".problem").count() == 0
        assert len(at.wrong) == 2
        assert all("409" in each for each in at.wrong)
        at.wrong.clear()


@pytest.mark.parametrize("width", [768, 1199])
def test_tablets_have_large_targets(browser: "Browser", home: str, width: int) -> None:
    """Tablets show the portrait form, at most 560 pixels wide."""
    with tab(browser, home, width, has_touch=True) as at:
        for game in range(3):
            at.begin(game, "greedy")
            assert at.page.locator(".narrow .target:visible").count() > 0
            assert at.page.locator(".wide:visible").count() == 0
            assert at.page.evaluate(SMALL) == []
            box = at.page.locator(".narrow svg").bounding_box()
            assert box is not None
            assert box["width"] <= 560


UNCOVERED = """selector => {
  const part = document.querySelector(selector), box = part.getBoundingClientRect(), x = box.left + box.width / 2;
  return [box.top + 2, box.bottom - 2].every(y => part.contains(document.elementFromPoint(x, y)));
}"""
"""Whether an element is on the screen from top to bottom, and nothing covers it."""


def test_the_first_pages_are_small(browser: "Browser", home: str) -> None:
    """The start page and a board transfer at most 60 kB, all from this server."""
    with tab(browser, home) as at:
        size = """() => [...performance.getEntriesByType("resource"), ...performance.getEntriesByType("navigation")]
          .reduce((sum, each) => sum + each.transferSize, 0)"""
        at.page.goto(home, wait_until="networkidle")
        assert 0 < at.page.evaluate(size) <= 60_000
