"""`spygames ablate`."""

import sys

from spygames_app.cli import main

sys.exit(main(["ablate", *sys.argv[1:]]))
