"""A page to play on: the server holds the games, the browser gets what its seat may see."""
