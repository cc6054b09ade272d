"""`spygames play`."""

import sys

from spygames_app.cli import main

sys.exit(main(["play", *sys.argv[1:]]))
