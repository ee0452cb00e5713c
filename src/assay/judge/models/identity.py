"""Which findings about models are the same one."""

from collections.abc import Iterable, Sequence

from assay.ir import content_hash
from assay.ir.check import ModelSpec


def model_fingerprint(
    models: Sequence[ModelSpec],
    *,
    kind: str,
    category: str,
    stage: str,
    op: str,
    layer: str,
    implementations: Iterable[str],
    message: str = "",
) -> str:
    """Hex hash of what makes an inconsistency of a model this one and no other.

    Equal for the same model (its layers and the values of its weights, whatever the file is
    called and whenever it was saved), the same layer and the same implementations: those
    that are blamed, or those that disagree if nobody is. ``models`` is one, or one of each file
    that takes part.
    """
    first, *others = [
        {
            "layers": [[item.name, item.op, list(item.inputs)] for item in model.layers],
            "weights": model.digest,
        }
        for model in models
    ]
    return content_hash(
        {
            "model": first,
            **({"others": others} if others else {}),
            "kind": kind,
            "category": category,
            "stage": stage,
            "op": op,
            "layer": layer,
            "implementations": sorted(set(implementations)),
            "message": message,
        }
    )
