"""Run the script of a finding about a model where the fault is, and where it is not."""

import sys

from assay.campaign.triage.reproducer import Outcome, verify
from assay.errors import AssayError
from assay.ir import Array, Finding
from assay.ir.model import model_of
from assay.reproduce import ModelScript, model_script, sides_of


def checked_model(finding: Finding, arrays: dict[str, Array]) -> ModelScript:
    """The script for a target that is wrong, if it shows that, and one for a target that is
    right does not; else ``AssayError``.
    """
    sides = sides_of(finding, arrays)
    for targets, wanted in ((sides.faulty[:1], 0), (sides.sound[:1], 1)):
        for target in targets:
            outcome = _run(finding, arrays, target)
            if outcome.code != wanted:
                said = (outcome.error or outcome.output).strip().splitlines()
                last = f": {said[-1][:200]}" if said else ""
                raise AssayError(
                    f"the script for {finding.id} does not show it: expected exit code {wanted} "
                    f"on {target}; received {outcome.code}{last}."
                )
    return model_script(finding, arrays)


def _run(finding: Finding, arrays: dict[str, Array], target: str) -> Outcome:
    model = model_of(finding.case)
    assert model is not None  # callers look first
    place = model.places[target]
    made = model_script(finding, arrays, target)
    return verify(
        made.text,
        place.backend,
        place.python or sys.executable,
        environment=place.env,
        beside=made.beside,
    )
