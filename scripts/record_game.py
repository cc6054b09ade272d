"""`spygames record`, or with --replay FILE `spygames replay`."""

import sys

from spygames_app.cli import main

sys.exit(main(["replay" if "--replay" in sys.argv else "record", *(a for a in sys.argv[1:] if a != "--replay")]))
