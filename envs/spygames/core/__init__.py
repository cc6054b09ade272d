"""What all games share: a game, its players, games being played, environments. Private; docs/layout.md has a map."""
