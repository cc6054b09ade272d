"""The routes of the page."""

import json
import mimetypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import compare_digest

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from spygames.core.chat.transcripts import read_said
from spygames.core.game.game import NOBODY, Game
from spygames.core.records.film import Said
from spygames.core.records.record import GameRecord, RecordError, game_of, read_games
from spygames.core.svg import fonts
from spygames_app.rules import rules_of, title_of
from spygames_app.sides import sides_of
from spygames_app.web import choices, pages, rule_pages
from spygames_app.web.films import film_page, place_in
from spygames_app.web.guard import Bad, Guard, read_form
from spygames_app.web.html import Form, Html, form_of, h, joined
from spygames_app.web.page import post, sorry
from spygames_app.web.store import MAX_GAMES, Refused, Store, Table, Watched, WebGame, voices_of
from spygames_app.web.thinking import Screening, Voice

FORM, UPLOAD = 4_096, 1_000_000
"""Maximum size in bytes of a form, and of a form with recorded games."""
WAIT = 8.0
"""Seconds that a browser without JavaScript waits for the other players' moves before it gets a page that reloads."""
STREAM = "application/x-ndjson"
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
"""Types of the static files. Browsers refuse a script or style of another type, such as Windows may have registered."""
_HERE = Path(__file__).parent
Query = Mapping[str, str]


def make_app(
    offered: choices.Choices,
    hosts: Sequence[str],
    records: Sequence[tuple[GameRecord, Mapping[int, Said]]] = (),
    store: Store | None = None,
    entry: str | None = None,
) -> ASGIApp:
    """Make the web application.

    Args:
        offered: the games, options and players that can be chosen.
        hosts: allowed values of the Host header, such as `127.0.0.1:8000`.
        records: recorded games that all visitors may watch, each with what language models said, by position.
        store: the store of games; None: a new one.
        entry: token that the first address must carry (`?entry=`) if other machines can reach the server; None: none.
    """
    # Cookies belong to a host, not to a port, so two servers on one machine need different names.
    site = Site(offered, store or Store(), entry, f"spygames_{hosts[0].rpartition(':')[2]}")
    for each, said in records:
        site.store.watch(site.watched(each, None, said))
    for suffix, kind in TYPES.items():
        mimetypes.add_type(kind, suffix)
    routes = [
        Route("/", site.start),
        Route("/seats", site.seats),
        Route("/rules", site.rules),
        Route("/games", site.begin, methods=["POST"]),
        Route("/games/{id}", site.game),
        Route("/games/{id}/act", site.act, methods=["POST"]),
        Route("/games/{id}/hint", site.hint, methods=["POST"]),
        Route("/games/{id}/undo", site.undo, methods=["POST"]),
        Route("/games/{id}/resign", site.resign, methods=["POST"]),
        Route("/games/{id}/again", site.ask_again, methods=["POST"]),
        Route("/games/{id}/once_more", site.once_more, methods=["POST"]),
        Route("/games/{id}/record", site.record),
        Route("/records", site.records),
        Route("/records", site.bring, methods=["POST"]),
        Route("/records/{id}", site.watch),
        Mount("/static", StaticFiles(directory=_HERE / "static")),
        Mount("/fonts", StaticFiles(directory=Path(str(fonts.__file__)).parent)),
    ]
    handlers = {HTTPException: _sorry, Exception: _broken}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), frozenset(hosts))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Visit:
    """The visitor and the data of a request."""

    cookie: str
    token: str
    fields: Query
    form: Form | None = None
    """The form of pictures that the browser asks for, which its script knows; None: both."""

    def number(self, name: str) -> int:
        """Return a non-negative integer from the request; `Bad` for anything else."""
        text = self.fields.get(name, "")
        if not text.isdecimal() or len(text) > 9:
            raise Bad(400, f"The field {name!r} of the form is invalid.")
        return int(text)


class Site:
    """The handlers of the routes."""

    def __init__(self, offered: choices.Choices, store: Store, entry: str | None, cookie: str):
        self.offered, self.store, self.entry, self.cookie = offered, store, entry, cookie

    def watched(self, record: GameRecord, visitor: str | None, said: Mapping[int, Said] | None = None) -> Watched:
        """Prepare a recorded game, and what was said, for the page; RecordError if it does not match its game."""
        game = game_of(record)
        specs = tuple(self.offered.players_of(game))
        voices = [Voice("nobody", None), *voices_of(game, specs)]
        return Watched(visitor, title_of(record.game)[0], Screening(record, game, voices, said))

    # ------------------------------------------------------------ choosing

    async def start(self, request: Request) -> Response:
        """Show the games and their variants."""
        visit = await self._visit(request)
        return await self._html(visit, self._start)

    def _start(self, problem: str = "") -> Html:
        games = [(*title_of(name), self.offered.options_of(name), _thumbnail(name)) for name in self.offered.games]
        return pages.start(games, problem)

    async def seats(self, request: Request) -> Response:
        """Show the choice of players for the seats."""
        visit = await self._visit(request)
        number, picked = self._picked(visit.fields)

        def show() -> tuple[Html, int]:
            try:
                game = choices.made(self.offered, number, picked)
            except ValueError as error:  # incompatible options
                return self._start(f"This variant cannot be played: {error}."), 409
            title = title_of(self.offered.games[number])[0]
            specs, options = self.offered.players_of(game), self.offered.options_of(self.offered.games[number])
            return pages.seats(title, game, number, picked, options, specs, visit.token), 200

        return await self._html(visit, show)

    async def rules(self, request: Request) -> Response:
        """Show the rules of a variant."""
        visit = await self._visit(request)
        number, picked = self._picked(visit.fields)

        def show() -> Html:
            try:
                game = choices.made(self.offered, number, picked)
            except ValueError as error:  # incompatible options
                raise Bad(404, "This variant does not exist.") from error
            found, rule = rules_of(game), visit.fields.get("rule", "")
            return rule_pages.rules(title_of(self.offered.games[number])[0], game, found, rule)

        return await self._html(visit, show)

    def _picked(self, fields: Query) -> tuple[int, list[int]]:
        """Return the index of a game and those of its option values. A missing option has its default."""
        games = self.offered.games
        number = fields.get("game", "")
        if not number.isdecimal() or len(number) > 3 or int(number) >= len(games):
            raise Bad(404, "This game does not exist.")
        options = self.offered.options_of(games[int(number)])
        texts = [fields.get(f"o{i}", str(option.default)) for i, option in enumerate(options)]
        if not all(
            x.isdecimal() and len(x) < 4 and int(x) < len(o.values) for x, o in zip(texts, options, strict=True)
        ):
            raise Bad(404, "This variant does not exist.")
        return int(number), [int(text) for text in texts]

    async def begin(self, request: Request) -> Response:
        """Start a new game."""
        visit = await self._visit(request, form=FORM)
        number, picked = self._picked(visit.fields)

        def make() -> WebGame | Html:
            title = title_of(self.offered.games[number])[0]
            try:
                game = choices.made(self.offered, number, picked)
            except ValueError as error:
                return self._start(f"This variant cannot be played: {error}.")
            specs = self.offered.players_of(game)
            seats, levels = self._seating(visit, game, specs)
            if seats.count(None) > 1:
                line = "You can take only one seat: choose players for the others."
                options = self.offered.options_of(self.offered.games[number])
                return pages.seats(title, game, number, picked, options, specs, visit.token, line)
            own = seats.index(None) if None in seats else NOBODY
            sides = sides_of(game.num_players, own, visit.fields.get("name", ""))
            table = Table(sides, levels, "forced" in visit.fields)
            rules = f"/rules?game={number}{''.join(f'&o{i}={k}' for i, k in enumerate(picked))}"
            return self.store.begin(visit.cookie, title, rules, game, specs, seats, table=table)

        made = await run_in_threadpool(make)
        if isinstance(made, Html):
            return await self._html(visit, lambda: (made, 409))
        return self._to(visit, f"/games/{made.id}")

    def _seating(self, visit: Visit, game: Game, specs: Sequence[str]) -> tuple[list[int | None], tuple[str, ...]]:
        """Return who plays each seat, None for the user, and the level of each.

        Either all other players have one level, or the form names a player for each seat.
        """
        if visit.fields.get("level", "custom") == "custom":
            sat = [visit.number(f"s{seat}") for seat in range(game.num_players)]
            if max(sat) > len(specs):
                raise Bad(400, "This player does not exist.")
            return [None if chosen == 0 else chosen - 1 for chosen in sat], ()
        level, own, offered = visit.number("level"), visit.number("seat"), choices.levels_of(game)
        if level >= len(offered) or own > game.num_players:
            raise Bad(400, "This level or seat does not exist.")
        name, spec = offered[level]
        seats: list[int | None] = [None if seat == own else specs.index(spec) for seat in range(game.num_players)]
        return seats, (name,) * game.num_players

    # ------------------------------------------------------------ playing

    async def game(self, request: Request) -> Response:
        """Show a game: what the user may know, and everything once it is over."""
        visit = await self._visit(request)
        made = self._game(request, visit)
        return await self._html(visit, lambda: self._shown(made, visit))

    def _shown(self, made: WebGame, visit: Visit, problem: str = "") -> Html:
        if made.over:
            return self._open(made, visit, problem)
        gone = made.gone
        try:
            return pages.play(made, visit.token, problem, visit.form)
        except IndexError:
            with made.lock:
                changed = made.gone != gone
            if not changed:
                raise
            return self._shown(made, visit, problem)  # another request took back a move meanwhile

    def _open(self, made: WebGame, visit: Visit, problem: str) -> Html:
        """Show a game that is over."""
        assert made.live is not None
        screening, here = made.screening(), f"/games/{made.id}"
        place = place_in(visit.fields, screening)
        sides = made.table.sides
        if made.resigned:
            outcome = "You resigned."
        elif made.seat < 0:
            outcome = sides.words(f"{made.game.headline(made.live.state, NOBODY)}.")
        else:
            outcome = sides.words(made.live.outcome(made.seat))
        which = "other" if len(made.seats) == 2 else "next"
        again = h("button", f"The same deal from the {which} seat") if made.seat >= 0 else None
        more = h("button", "Rematch: a new deal", name="new", value=1, class_="main")
        extra = joined(
            post(f"{here}/once_more", visit.token, more, " ", again, class_="leads"),
            h("p", h("a", "Another game", href="/")),
            h(
                "details",
                h("summary", "Download"),
                h("p", h("a", "The record of the game", href=f"{here}/record", download="game.jsonl")),
                h("p", f"The seed of the deal was {made.seed}.", class_="soft"),
                id="download",
            ),
        )
        line = problem or made.problem
        return film_page(made.title, screening, place, here, outcome, extra, line, sides, visit.form)

    async def act(self, request: Request) -> Response:
        """Play the user's move. A script gets all moves one by one as JSON lines; otherwise the page is reloaded."""
        visit = await self._visit(request, form=FORM)
        made = self._game(request, visit)
        revision, text = visit.number("revision"), " ".join(visit.fields.get("action", "").split())
        tapped = "tapped" in visit.fields
        wants_stream = request.headers.get("accept") == STREAM

        gone = made.gone  # if another request undoes a move before this one acts, its revision is refused

        def do() -> None:
            made.act(revision, text, tapped)
            if not wants_stream:
                made.wait(WAIT)

        refused = await self._refused(visit, made, do)
        if refused is not None:
            return refused
        if wants_stream:
            return StreamingResponse(_lines(made, revision - gone, gone, visit.form), media_type=STREAM)
        return self._to(visit, f"/games/{made.id}")

    async def hint(self, request: Request) -> Response:
        """Ask a player for a hint."""
        visit = await self._visit(request, form=FORM)
        made = self._game(request, visit)
        revision, number = visit.number("revision"), visit.number("by")

        def do() -> None:
            made.ask_hint(revision, number)
            made.wait(1.0)

        return await self._refused(visit, made, do) or self._to(visit, f"/games/{made.id}")

    async def undo(self, request: Request) -> Response:
        """Take back the user's last move."""
        visit = await self._visit(request, form=FORM)
        made = self._game(request, visit)
        revision = visit.number("revision")
        done = await self._refused(visit, made, lambda: made.undo(revision))
        return done or self._to(visit, f"/games/{made.id}")

    async def resign(self, request: Request) -> Response:
        """End the game as lost for the user."""
        visit = await self._visit(request, form=FORM)
        made = self._game(request, visit)
        return await self._refused(visit, made, made.resign) or self._to(visit, f"/games/{made.id}")

    async def ask_again(self, request: Request) -> Response:
        """Ask a player that failed again."""
        visit = await self._visit(request, form=FORM)
        made = self._game(request, visit)
        at_random = "random" in visit.fields
        done = await self._refused(visit, made, lambda: made.ask_again(at_random))
        return done or self._to(visit, f"/games/{made.id}")

    async def once_more(self, request: Request) -> Response:
        """Start the same deal with all players moved by one seat, or a new deal with the same seats."""
        visit = await self._visit(request, form=FORM)
        made = self._game(request, visit)

        def begin() -> None:
            if not made.over:
                raise Refused("The game is not over yet.")
            seats, seed = made.seats, None
            if "new" not in visit.fields:
                seats, seed = (*seats[-1:], *seats[:-1]), made.seed
            table = made.table.moved(seats)
            begun = self.store.begin(visit.cookie, made.title, made.rules, made.game, made.specs, seats, seed, table)
            new.append(begun)

        new: list[WebGame] = []
        return await self._refused(visit, made, begin) or self._to(visit, f"/games/{new[0].id}")

    async def record(self, request: Request) -> Response:
        """Send the finished game as a file."""
        visit = await self._visit(request)
        made = self._game(request, visit)
        if not made.over or made.live is None:
            raise Bad(409, "The record reveals hidden cards. You can download it when the game is over.")
        line = await run_in_threadpool(made.live.record().to_line) + "\n"
        headers = {"Content-Disposition": 'attachment; filename="game.jsonl"'}
        return Response(line, media_type="application/jsonl", headers=headers)

    # ------------------------------------------------------------ watching

    async def records(self, request: Request) -> Response:
        """Show the recorded games."""
        visit = await self._visit(request)
        return await self._html(visit, lambda: self._records(visit))

    def _records(self, visit: Visit, problem: str = "") -> Html:
        listed = [
            (f"{each.title}: {', '.join(each.screening.film.record.players) or 'unknown players'}", f"/records/{name}")
            for name, each in self.store.records(visit.cookie).items()
        ]
        return pages.records(listed, visit.token, problem)

    async def bring(self, request: Request) -> Response:
        """Take recorded games that the visitor uploads: lines of `spygames record` or of downloads."""
        visit = await self._visit(request, form=UPLOAD)

        def take() -> str | Html:
            try:
                text = visit.fields.get("record", "")
                games = read_games(text, "")
                if not games:
                    return self._records(visit, "No game found: paste a line that `spygames record` wrote.")
                if len(games) > MAX_GAMES:
                    return self._records(visit, f"At most {MAX_GAMES} games can be shown, not {len(games)}.")
                told = zip(games, read_said(text), strict=True)
                watched = [self.watched(each, visit.cookie, said) for each, said in told]  # all, or none after an error
                kept = [self.store.watch(each) for each in watched]
                return f"/{kept[0]}" if len(kept) == 1 else ""
            except (RecordError, TypeError) as error:
                return self._records(visit, f"This record cannot be shown: {error}")

        taken = await run_in_threadpool(take)
        if isinstance(taken, Html):
            return await self._html(visit, lambda: (taken, 409))
        return self._to(visit, f"/records{taken}")

    async def watch(self, request: Request) -> Response:
        """Show a recorded game."""
        visit = await self._visit(request)
        name = str(request.path_params["id"])
        watched = self.store.record(visit.cookie, name)
        if watched is None:
            raise Bad(404, "This game does not exist.")

        def show() -> Html:
            screening = watched.screening
            players = ", ".join(screening.film.record.players) or "a recorded game"
            place = place_in(visit.fields, screening)
            return film_page(watched.title, screening, place, f"/records/{name}", players, form=visit.form)

        return await self._html(visit, show)

    # ------------------------------------------------------------ visits

    async def _visit(self, request: Request, form: int | None = None) -> Visit:
        """Identify the visitor and read the request.

        Args:
            request: the request.
            form: maximum size in bytes of the form to read; None: read the query of the address instead.

        Raises:
            Bad: the visitor is not allowed, or the form is invalid.
        """
        sent = request.cookies.get(self.cookie)
        known = sent in self.store.visitors
        entry = request.query_params.get("entry", "")
        if self.entry is not None and not known and not compare_digest(entry.encode(), self.entry.encode()):
            raise Bad(403, "Open this page with the address that the server printed.")
        if form is None:
            fields: Query = dict(request.query_params)
        else:
            if not known:
                raise Bad(403, "The server was restarted since this page was opened. Open it again.")
            fields = await read_form(request, form)
        cookie, token = self.store.visitor(sent)
        if form is not None and fields.get("token") != token:
            raise Bad(403, "The form was not sent from this page.")
        return Visit(cookie, token, fields, form_of(request.headers.get("x-board")))

    def _game(self, request: Request, visit: Visit) -> WebGame:
        found = self.store.game(visit.cookie, str(request.path_params["id"]))
        if found is None:
            raise Bad(404, "This game does not exist. Games are lost when the server stops: begin a new one.")
        return found

    async def _refused(self, visit: Visit, made: WebGame, do: Callable[[], None]) -> Response | None:
        """Do something. If it is refused, return the current page with the reason; otherwise None."""
        try:
            await run_in_threadpool(do)
        except Refused as error:
            line = rule_pages.refusal(str(error), made.rules, error.rule)
            return await self._html(visit, lambda: (self._shown(made, visit, line), 409))
        return None

    async def _html(self, visit: Visit, show: Callable[[], Html | tuple[Html, int]]) -> Response:
        """Render a page in a thread and set the visitor's cookie."""
        found = await run_in_threadpool(show)
        text, status = found if isinstance(found, tuple) else (found, 200)
        return self._with_cookie(HTMLResponse(text, status), visit)

    def _to(self, visit: Visit, where: str) -> Response:
        return self._with_cookie(RedirectResponse(where, 303), visit)

    def _with_cookie(self, response: Response, visit: Visit) -> Response:
        # With "strict", a link from another site would come without the cookie, and the answer would replace it: the
        # visitor would lose the games.
        response.set_cookie(self.cookie, visit.cookie, httponly=True, samesite="lax")
        return response


def _thumbnail(game: str) -> str | None:
    """Return the address of the picture of a game; None for a game of another package."""
    return f"/static/games/{game}.svg" if (_HERE / "static" / "games" / f"{game}.svg").is_file() else None


def _lines(made: WebGame, since: int, gone: int, form: Form | None) -> Iterator[str]:
    """Yield the positions after position `since` as JSON lines, the user's own move first; see `WebGame.told`."""
    for number in made.told(since, gone):
        try:
            line = json.dumps(pages.frame(made, number, form)) + "\n"
        except IndexError:
            with made.lock:
                if made.gone == gone:
                    raise
            return  # another request took back the move meanwhile: the browser gets the current page next
        yield line


def _sorry(request: Request, error: HTTPException) -> Response:
    titles = {403: "Not allowed", 404: "Not found", 405: "Not possible", 409: "Not now", 413: "Too much"}
    line = error.detail if isinstance(error, Bad) else "No page has this address."
    return HTMLResponse(sorry(titles.get(error.status_code, "Not possible"), line), error.status_code)


def _broken(request: Request, error: Exception) -> Response:
    """Report a bug of the server without its message, which may reveal hidden cards."""
    return HTMLResponse(sorry("Server error", "The server failed. The game is unchanged."), 500)
