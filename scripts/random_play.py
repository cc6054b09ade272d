"""`spygames random-play`."""

import sys

from spygames_app.cli import main

sys.exit(main(["random-play", *sys.argv[1:]]))
