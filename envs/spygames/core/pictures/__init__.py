"""Pictures of positions, as SVG, as pixels and in windows."""
