"""Picture of a position, drawn from the mapping of what the viewer has seen.

`draw.py` calls the parts: `track.py`, `town.py`, `houses.py`, `stage.py` (die and buttons), `notebook.py` (deduction),
`predictions.py` and `hand.py` (passport and cards). `signs.py` has the symbols, `frame.py` the layout of the parts, and
`facts.py` reads the mapping.
"""
