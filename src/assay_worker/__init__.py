"""The part of Assay that runs inside a target's interpreter.

Runs on Python 3.6 with numpy 1.16 or newer and needs nothing else but the
library under test. It never imports ``assay``.
"""

#: Raised whenever host and worker could misunderstand each other.
PROTOCOL = 1
#: Set for workers that build a catalogue: forks of one process need not import its sources again.
HARVEST = "ASSAY_HARVEST"
