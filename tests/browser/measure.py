"""Measure the speed of the page: `python -m tests.browser.measure`, on an otherwise idle machine.

Answers are timed by HTTP against a server in a separate process, paints in a Chromium (`chromium.py`).
"""

import http.client
import re
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from urllib.parse import urlencode

from tests.browser.chromium import ROOT, browsing

MOVES = 60
"""Timed answers per game and player."""
CASES = {
    "Agent Avenue, 2": (0, {}),
    "Heimlich & Co., 3": (2, {"players": 3}),
    "Agent DOG, 4": (1, {"players": 4}),
}
PLAYERS = ("greedy", "best", "mcts:200")
PATCH = "from spygames_app.cli import main; import sys; sys.exit(main(sys.argv[1:]))"


@contextmanager
def server(*arguments: str) -> Iterator[tuple[str, float]]:
    """Run `spygames play --browser` in a process; yield its address and the seconds until it answered."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", PATCH, "play", "--browser", "--no-open", "--port", str(port), *arguments]
    begun = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        while True:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", port)
                connection.request("GET", "/")
                assert connection.getresponse().status == 200
                break
            except ConnectionRefusedError:
                time.sleep(0.005)
        yield f"http://127.0.0.1:{port}", time.perf_counter() - begun
    finally:
        process.terminate()
        process.wait()


class Person:
    """A person who plays by HTTP."""

    def __init__(self, address: str) -> None:
        self.host, self.cookie, self.page, self.where = address.removeprefix("http://"), "", "", ""
        self.connection = http.client.HTTPConnection(self.host)

    def get(self, path: str) -> None:
        """Open a page."""
        self.connection.request("GET", path, headers={"cookie": self.cookie})
        answer = self.connection.getresponse()
        self.page, self.where = answer.read().decode(), path
        if set_cookie := answer.getheader("set-cookie"):
            self.cookie = set_cookie.partition(";")[0]

    def post(self, path: str, fields: dict[str, object], **headers: str) -> http.client.HTTPResponse:
        """Send a form of the page."""
        token = re.search(r'name="token" value="([^"]+)"', self.page)
        assert token, self.page
        body = urlencode({"token": unescape(token[1]), **fields})
        self.connection.request(
            "POST",
            path,
            body,
            {
                "cookie": self.cookie,
                "origin": f"http://{self.host}",
                "content-type": "application/x-www-form-urlencoded",
                **headers,
            },
        )
        return self.connection.getresponse()

    def begin(self, number: int, options: dict[str, int], player: str) -> None:
        """Start a game in the first seat against one player in all others."""
        self.get("/")
        form = self.page.split("<form")[1 + number]
        fields: dict[str, object] = {"game": number}
        for name, value in options.items():
            found = re.search(rf'(?i)<label for="[^"]+">{name}</label><select name="(o\d+)"[^>]*>(.*?)</select>', form)
            assert found, name
            shown = re.findall(r">([^<]+)</option>", found[2])
            fields[found[1]] = next(i for i, text in enumerate(shown) if text.partition(",")[0] == str(value))
        self.get(f"/seats?{urlencode(fields)}")
        names = re.findall(r">([^<]+)</option>", self.page.partition('name="s1"')[2].partition("</select>")[0])
        chosen = next(i for i, name in enumerate(names) if name.rpartition(": ")[2].partition(" ")[0] == player)
        seats = len(re.findall(r'<select name="s\d"', self.page))
        fields.update({f"s{seat}": chosen if seat else 0 for seat in range(seats)})
        answer = self.post("/games", fields)
        answer.read()
        path = answer.getheader("location") or ""
        self.get(path)
        while "data-refresh" in self.page:
            time.sleep(0.05)
            self.get(path)

    def move(self) -> tuple[float, float] | None:
        """Take the last action; return the seconds to the first line and to the end of the answer; None when over."""
        legal = re.findall(r'<button name="action" value="([^"]*)"', self.page)
        revision = re.search(r'name="revision" value="(\d+)"', self.page)
        if not legal or revision is None:
            return None
        begun = time.perf_counter()
        fields: dict[str, object] = {"revision": revision[1], "action": unescape(legal[-1])}
        answer = self.post(f"{self.where}/act", fields, accept="application/x-ndjson")
        answer.readline()
        first = time.perf_counter() - begun
        answer.read()
        taken = time.perf_counter() - begun
        self.get(self.where)
        return first, taken


def timed(address: str, number: int, options: dict[str, int], player: str) -> tuple[float, float, float]:
    """Return the 95th percentiles of first lines and of whole answers, and the longest of all, in milliseconds."""
    person, found = Person(address), list[tuple[float, float]]()
    while len(found) < MOVES:
        person.begin(number, options, player)
        while len(found) < MOVES and (taken := person.move()):
            found.append(taken)
    first, whole = (statistics.quantiles([1000 * each[i] for each in found], n=20)[-1] for i in (0, 1))
    return first, whole, max(1000 * each[1] for each in found)


PAINT = """() => new Promise(resolve => {
  const found = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
  const look = () => found() ? resolve(found()) : setTimeout(look, 10);
  look();
})"""
SIZE = """() => [...performance.getEntriesByType("resource"), ...performance.getEntriesByType("navigation")]
  .reduce((sum, each) => sum + each.transferSize, 0)"""


def main() -> int:
    for what, arguments in (("bots", ()), ("a checkpoint", ("--players", "best@0.5"))):
        taken = []
        for _ in range(3):
            with server(*arguments) as (_, seconds):
                taken.append(seconds)
        print(f"ready with {what}: {statistics.median(taken):.2f} s (three starts, median)", flush=True)
    with server() as (address, _):
        for name, (number, options) in CASES.items():
            for player in PLAYERS:
                first, whole, longest = timed(address, number, options, player)
                print(
                    f"{name}, {player}: 95 % of first lines within {first:.0f} ms, of whole answers {whole:.0f} ms, "
                    f"the longest {longest:.0f} ms ({MOVES} moves)",
                    flush=True,
                )
        with browsing() as browser:
            for path in ("/", "game"):
                paints, sizes = [], []
                for _ in range(7):
                    context = browser.new_context(viewport={"width": 1280, "height": 800})
                    page = context.new_page()
                    if path == "game":
                        page.goto(address)
                        page.locator("form.card button").first.click()
                        page.get_by_role("button", name="Begin").click()
                        page.wait_for_selector("main:not([data-refresh]) .actions")
                        context.new_cdp_session(page).send("Network.setCacheDisabled", {"cacheDisabled": True})
                        page.reload(wait_until="load")
                    else:
                        page.goto(address, wait_until="load")
                    paints.append(page.evaluate(PAINT))
                    page.wait_for_load_state("networkidle")
                    sizes.append(page.evaluate(SIZE))
                    context.close()
                print(
                    f"{path}: first contentful paint {statistics.median(paints):.0f} ms (seven, median; "
                    f"longest {max(paints):.0f}), {max(sizes) / 1000:.1f} kB transferred",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
