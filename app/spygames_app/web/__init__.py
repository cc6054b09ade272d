"""The browser page. The server holds the games; the browser gets only what its seat may see."""
