"""`spygames train-all`."""

import sys

from spygames_app.cli import main

sys.exit(main(["train-all", *sys.argv[1:]]))
