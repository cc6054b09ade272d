"""`python -m spygames_app` is the command `spygames`."""

import sys

from spygames_app.cli import main

sys.exit(main())
