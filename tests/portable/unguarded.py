"""A user's script that starts processes and has no guard for its main module."""

from spygames_app.cli import main

raise SystemExit(main(["evaluate", "greedy", "--against", "random", "expert", "--games", "8", "--jobs", "2"]))
