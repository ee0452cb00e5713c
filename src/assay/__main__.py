"""``python -m assay`` is the command ``assay``."""

import sys

try:
    from assay.cli.main import main
except KeyboardInterrupt:  # while the command itself was read
    sys.exit(130)

main()
