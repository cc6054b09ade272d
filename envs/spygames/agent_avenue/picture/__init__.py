"""The picture of a position, drawn from what the viewer has seen.

`draw.py` calls the parts: `loop.py` (spaces and meeples), `park.py` (the middle), `zones.py` (the sides: hands and
agents in play), `columns.py` (decks, market). `faces.py` draws cards, `signs.py` has the signs, and `scene.py` has what
all parts need.
"""
