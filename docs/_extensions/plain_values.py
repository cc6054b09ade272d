"""How autodoc2 shows fields and constants here: a value where there is one, as `name: type = value`."""

import json
from collections.abc import Iterable
from typing import cast

from autodoc2.render.myst_ import MystRenderer
from autodoc2.utils import ItemData


class Renderer(MystRenderer):
    """autodoc2's own renderer, whose block of a value is not read as one by newer versions of MyST and says "None" in
    the text of every field."""

    def render_data(self, item: ItemData) -> Iterable[str]:
        """The lines of a constant or a field, in Markdown."""
        value = item.get("value")
        shown = [] if value is None or len(str(value)) > 60 else [f":value: {json.dumps(str(value))}"]
        lines = list(super().render_data(cast(ItemData, {**item, "value": None})))
        place = lines.index(":value: >")
        yield from [*lines[:place], *shown, *lines[place + 2 :]]
