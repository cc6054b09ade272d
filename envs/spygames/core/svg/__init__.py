"""SVG output: shapes, text, fonts, and the annotations beside a position."""
