"""The description of a game: layouts, options, actions and random numbers, and helpers that games share."""
