"""Players: what they are asked and told, their names, and the kinds that come with the core."""
