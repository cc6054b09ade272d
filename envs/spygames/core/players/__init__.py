"""Players: their interface, their names, and the built-in kinds."""
