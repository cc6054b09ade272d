"""The games in other libraries' words; `make test-bridges` runs this where those libraries are installed."""
