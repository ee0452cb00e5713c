"""What a page shows of an inconsistency, taken while the targets still hold the model."""

from assay.campaign.check.comparing import Compared
from assay.campaign.check.models import Models
from assay.ir.check import Exhibit, LayerFacts

#: So many inconsistencies are shown with their worst instance.
SHOWN = 6


def exhibits(compared: Compared, models: Models) -> tuple[Exhibit, ...]:
    """The worst instance of each unique inconsistency, run once more, and its layers' facts.

    One whose targets can no longer answer is left out.
    """
    found = []
    facts: dict[str, tuple[LayerFacts, ...]] = {}
    for item in compared.check.unique_inconsistencies[:SHOWN]:
        pair = compared.check.pair_of(item).targets
        worst = compared.worst[pair]
        answers = [models.predict_on(name, worst.inputs) for name in pair]
        first, second = answers
        if first is None or second is None:
            continue
        spec = models.spec
        if pair[0] not in facts:
            facts[pair[0]] = models.facts(pair[0])
        found.append(
            Exhibit(
                targets=pair,
                instance=worst.instance,
                inputs={
                    one.name: array for one, array in zip(spec.inputs, worst.inputs, strict=True)
                },
                outputs=(tuple(first), tuple(second)),
                output_names=tuple(one.name for one in spec.outputs),
                facts=facts[pair[0]],
            )
        )
    return tuple(found)
