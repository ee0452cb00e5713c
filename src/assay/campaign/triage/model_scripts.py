"""Run the script of a finding about a model, or a case that has one, where the fault is, and
where it is not.
"""

import sys
from collections.abc import Mapping

from assay.campaign.triage.reproducer import Outcome, verify
from assay.errors import AssayError
from assay.ir import Array, Finding, platform_of
from assay.ir.model import model_of
from assay.reproduce import ModelScript, model_script, sides_of, suite_script
from assay.targets import Target


def checked_model(finding: Finding, arrays: dict[str, Array]) -> ModelScript:
    """The script for a target that is wrong, if it shows that, and one for a target that is
    right does not; else ``AssayError``.
    """
    sides = sides_of(finding, arrays)
    for targets, wanted in ((sides.faulty[:1], 0), (sides.sound[:1], 1)):
        for target in targets:
            outcome = _run(finding, arrays, target)
            if outcome.code != wanted:
                raise AssayError(_unexpected(finding, wanted, target, outcome))
    return model_script(finding, arrays)


def checked_case(finding: Finding, known: Mapping[str, Target]) -> str:
    """The same of a case of a suite, whose script runs on whatever runtime it is told."""
    text = suite_script(finding)
    for targets, wanted in ((finding.blamed[:1], 0), (finding.evidence.believed[:1], 1)):
        for name in targets:
            python = known[name].python if name in known else ""
            library = platform_of(finding, name).library
            result = verify(text, python=python or sys.executable, arguments=(library,))
            if result.code != wanted:
                raise AssayError(_unexpected(finding, wanted, name, result))
    return text


def _unexpected(finding: Finding, wanted: int, target: str, outcome: Outcome) -> str:
    said = (outcome.error or outcome.output).strip().splitlines()
    last = f": {said[-1][:200]}" if said else ""
    return (
        f"the script for {finding.id} does not show it: expected exit code {wanted} "
        f"on {target}; received {outcome.code}{last}."
    )


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
