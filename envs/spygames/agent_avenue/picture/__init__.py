"""The picture of a position, drawn from what the viewer has seen."""
