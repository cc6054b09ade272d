"""`spygames train`."""

import sys

from spygames_app.cli import main

sys.exit(main(["train", *sys.argv[1:]]))
