"""Several files in one check: what is told of each."""

from assay.campaign.check.arms import labelled
from assay.campaign.check.models import Models
from assay.campaign.check.request import Request
from assay.ir.check import FileResult, ModelSpec


def file_results(request: Request, models: Models) -> tuple[FileResult, ...]:
    """What is told of each file; nothing of a single one."""
    held: dict[str, list[str]] = {}
    for name, file in request.files.items():
        held.setdefault(file.path, []).append(name)
    if not held:
        return ()
    labels = labelled(list(held))
    spec_of_first: ModelSpec | None = None
    formats = {file.path: file.format for file in request.files.values()}
    found: list[FileResult] = []
    for path, names in held.items():
        first = next((name for name in names if name in models.specs), "")
        spec, bound = models.specs.get(first), models.bound.get(first)
        spec_of_first = spec_of_first or spec
        found.append(
            FileResult(
                name=labels[path],
                format=formats[path],
                targets=tuple(names),
                layers=len(spec.layers) if spec else 0,
                weights=spec.weights if spec else 0,
                inputs=bound.inputs.told("wanted") if bound else "",
                outputs=bound.outputs.told("given") if bound else "",
                weights_differ=_weights(spec_of_first, spec) if bound else "",
            )
        )
    return tuple(found)


def _weights(first: ModelSpec | None, other: ModelSpec | None) -> str:
    """How many arrays of weights differ, and which is the first; nothing if they have other names.

    In another format weights have other names and layouts.
    """
    if first is None or other is None or not first.arrays:
        return ""
    pairs = list(zip(first.arrays, other.arrays, strict=False))
    if len(first.arrays) != len(other.arrays) or any(a.name != b.name for a, b in pairs):
        return ""
    differing = [one for one, two in pairs if one.digest != two.digest]
    if not differing:
        return "the same weights"
    numbers = sum(item.size for item in differing)
    return (
        f"{len(differing)} of {len(pairs)} arrays of weights differ ({numbers:,} of "
        f"{first.weights:,} numbers are in them), first {differing[0].name}"
    )
