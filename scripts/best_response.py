"""`spygames best-response`."""

import sys

from spygames_app.cli import main

sys.exit(main(["best-response", *sys.argv[1:]]))
