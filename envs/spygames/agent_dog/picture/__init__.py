"""The picture of a position, drawn from what the viewer has seen.

`draw.py` calls the parts: `ground.py` (the board), `pawns.py`, `seats.py` (panels and hands), `columns.py` (deck,
buttons). `signs.py` has the signs, `scene.py` what all parts need.
"""
