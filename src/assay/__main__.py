"""``python -m assay`` is the command ``assay``."""

from assay.cli.main import main

main()
