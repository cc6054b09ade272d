"""The frame of all HTML pages."""

from typing import Any

from spygames_app.web.html import Html, h


def page(
    title: str,
    *main: object,
    refresh: str | None = None,
    patient: bool = False,
    problem: str = "",
    revision: int | None = None,
) -> Html:
    """Return a complete page.

    Args:
        title: title of the page.
        main: content of the page.
        refresh: address that the browser loads again after a moment; None: none.
        patient: do not reload in browsers without JavaScript, which would load the whole page again.
        problem: a line about an error.
        revision: the position of the game that is shown, which tells newer pages from older ones.
    """
    again = (
        None
        if refresh is None or patient
        else h("noscript", h("meta", http_equiv="refresh", content=f"1; url={refresh}"))
    )
    alert = h("p", problem, role="alert", class_="problem") if problem else None
    head = h(
        "head",
        h("meta", charset="utf-8"),
        h("meta", name="viewport", content="width=device-width, initial-scale=1"),
        h("title", f"{title} · spygames"),
        h("link", rel="stylesheet", href="/static/page.css"),
        h("link", rel="icon", href="/static/icon.svg", type="image/svg+xml"),
        h("script", type="module", src="/static/page.js"),
        again,
    )
    body = h(
        "body",
        h(
            "header",
            h("a", "spygames", href="/"),
            h("nav", h("a", "Watch recorded games", href="/records"), aria_label="Site"),
            # On small screens a picture as wide as the screen is hard to read. This works without a script.
            h("label", h("input", type="checkbox", id="large"), " large board", class_="large"),
        ),
        h("p", role="status", id="said", class_="unseen"),
        h("main", alert, *main, data_refresh=refresh, data_revision=revision),
        h("footer", "Unofficial. The rules belong to the games; all drawings are this project's own."),
    )
    return Html(f"<!doctype html>\n{h('html', head, body, lang='en')}\n")


def sorry(title: str, line: str, back: str = "/") -> Html:
    """Return a page with one line about an error."""
    return page(title, h("h1", title), h("p", line, role="alert"), h("p", h("a", "Back", href=back)))


def post(action: str, token: str, *children: object, **attributes: Any) -> Html:
    """Return a form that changes something and therefore carries the visitor's token."""
    return h("form", *hidden(token), *children, method="post", action=action, **attributes)


def hidden(token: str, **values: object) -> list[Html]:
    """Return the hidden fields of a form: the visitor's token, and `values`."""
    return [h("input", type="hidden", name=name, value=value) for name, value in {"token": token, **values}.items()]
