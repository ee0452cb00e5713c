"""What ``rewrite`` draws from: catalogues of the targets' libraries, and the rules asked for."""

from collections.abc import Sequence

from assay.catalogue.chosen import Chosen
from assay.errors import AssayError
from assay.suggest import unknown
from assay.targets import Target
from assay_worker.rules import NAMES

TECHNIQUE = "rewrite"


def named_rules(rules: Sequence[str], techniques: Sequence[str]) -> None:
    """``AssayError`` for a rule that does not exist, or rules that nobody would use."""
    for name in rules:
        if name not in NAMES:
            raise AssayError(unknown("rule", name, NAMES, "Available"))
    if rules and TECHNIQUE not in techniques:
        raise AssayError("--rules are those of rewrite. Add --technique rewrite.")


def chosen_for(
    techniques: Sequence[str], rules: Sequence[str], targets: Sequence[Target]
) -> Chosen:
    """What is drawn from; of a library without a catalogue, the ops of its vocabulary."""
    if TECHNIQUE not in techniques:
        return Chosen()
    return Chosen(libraries={target.name: target.library for target in targets}, rules=tuple(rules))
