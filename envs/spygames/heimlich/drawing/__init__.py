"""The parts of the picture of Heimlich & Co.; `draw.py` puts them together."""
