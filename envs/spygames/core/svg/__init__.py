"""Writing SVG: shapes, texts and their fonts, and what is written beside a position."""
