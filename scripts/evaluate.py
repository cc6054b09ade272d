"""`spygames evaluate`."""

import sys

from spygames_app.cli import main

sys.exit(main(["evaluate", *sys.argv[1:]]))
