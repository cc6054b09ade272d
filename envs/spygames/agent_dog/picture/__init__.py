"""Picture of a position, drawn from the mapping of what the viewer has seen.

`draw.py` calls the parts: `ground.py` (the board), `pawns.py`, `seats.py` (panels and hands), and `columns.py` (deck,
buttons). `signs.py` has the symbols, `scene.py` the data and geometry that all parts share.
"""
