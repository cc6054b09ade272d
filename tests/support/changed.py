"""Copies of games with some fields changed."""

from dataclasses import fields, replace
from typing import Any

from spygames.core.game.game import Game, Texts


def changed(game: Game, **changes: Any) -> Game:
    """Return `game` with other fields; fields of its `texts` are given by their own names."""
    texts = {each.name: changes.pop(each.name) for each in fields(Texts) if each.name in changes}
    return replace(game, texts=replace(game.texts, **texts), **changes)
