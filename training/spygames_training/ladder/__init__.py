"""Ladders: all players against each other in one game, as lines of JSON from which tables and pages are made."""
