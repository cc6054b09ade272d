"""Recorded games as files: films (WebP, GIF, MP4), pictures (PNG, SVG), or an HTML page with a slider.

>>> from spygames import make_game
>>> from spygames.records import Film, play_record
>>> from spygames_app.films import encode
>>> film = Film(play_record(make_game("agent_avenue_v0"), ["greedy", "random"], seed=1))
>>> encode(film, "svg", viewer=0)[:4]
b'<svg'
"""

from spygames_app.films.encoding import FORMATS, encode
from spygames_app.films.html_page import page

__all__ = ["FORMATS", "encode", "page"]
