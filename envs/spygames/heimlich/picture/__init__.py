"""The picture of a position, drawn from what the viewer has seen.

`draw.py` calls the parts: `track.py`, `town.py`, `houses.py`, `stage.py` (die and buttons), `notebook.py` (deduction),
`predictions.py`, `hand.py` (passport and cards). `signs.py` has the signs, `frame.py` says where the parts lie,
`facts.py` reads the mapping.
"""
