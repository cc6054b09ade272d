"""A ladder: everyone against everyone in one game, as lines of JSON from which tables, ratings and pages are made."""
