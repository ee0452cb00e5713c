"""A suspect layer as a finding of its own: the layer's call instead of the whole model.

Such a finding is what a hunt would have found: it replays, reduces and exports without the
model's file.
"""

from collections.abc import Generator, Mapping

import msgspec

from assay.campaign.check.models import Models
from assay.campaign.events import Notice
from assay.campaign.explain import explain, finding_of
from assay.campaign.running.laboratory import Laboratory
from assay.campaign.running.trials import trial_of
from assay.execute import InternalWorkerError
from assay.ir import Array, Case, Finding
from assay.judge import HarnessError, oracle
from assay.judge.models.tally import Worst
from assay.targets import REFERENCE, Target

#: Bytes that the inputs and weights of a layer may have together to become a record.
LARGEST = 4 << 20


def layer_finding(
    models: Models, targets: Mapping[str, Target], finding: Finding, worst: Worst
) -> Generator[Notice, None, tuple[Finding, Mapping[str, Array]] | None]:
    """The suspect layer of a model's finding as a finding of its own, with its arrays.

    None if there is no such layer, if it is no plain call of an op, if it is too large to be
    a record, or if alone it does not show that the same targets are wrong.
    """
    able = [
        target
        for name, target in targets.items()
        if (name in models.names or target == REFERENCE)
        and name in models.hellos
        and not target.only_models
    ]
    names = [target.name for target in able]
    shown = [n for n in names if n in models.names and not models.hides_layers(n)]
    base = next((n for n in shown if n not in finding.blamed), "")
    if not finding.node or not base or not set(finding.blamed) <= set(names):
        return None
    case = _case(models, base, finding.node, worst)
    if case is None:
        return None
    laboratory = Laboratory(models.supervisor, able, {name: models.hellos[name] for name in names})
    trial = trial_of(finding, case, names)
    try:
        observed = laboratory.observe(trial)
        verdicts = oracle("numeric").judge(observed)
        verdict = next((v for v in verdicts if set(v.blamed) == set(finding.blamed)), None)
        if verdict is None:
            return None
        explained = explain(observed, verdict, laboratory.observe, laboratory.run)
    except (HarnessError, InternalWorkerError) as error:
        line = str(error).splitlines()[0]
        yield Notice(f"{finding.node} was not judged alone, by a fault of Assay's own: {line}")
        return None
    if explained.verdict.category == "flaky":
        return None
    own = finding_of(
        explained, trial, finding.campaign, finding.seed, laboratory.platforms, observed
    )
    kept = msgspec.structs.replace(
        own,
        original=finding.original,
        localization=finding.localization,
        layers=finding.layers,
    )
    return kept, explained.arrays


def _case(models: Models, target: str, name: str, worst: Worst) -> Case | None:
    """The layer on what it reads in the model, as a case."""
    layer = next((item for item in models.specs[target].layers if item.name == name), None)
    states = models.states(target, worst.instance, worst.inputs)
    if layer is None or any(tensor not in states for tensor in layer.inputs):
        return None
    case = models.layer_case(target, layer, states)
    if case is None:
        return None
    arrays = list(case.input_arrays().values())
    arrays += [item.array for items in case.explicit_weights.values() for item in items]
    return case if sum(array.nbytes for array in arrays) <= LARGEST else None
