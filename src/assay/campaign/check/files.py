"""Several files in one check: what is told of each."""

from assay.campaign.check.arms import labelled
from assay.campaign.check.models import Models
from assay.campaign.check.request import Request
from assay.ir.check import FileResult


def file_results(request: Request, models: Models) -> tuple[FileResult, ...]:
    """What is told of each file; nothing of a single one."""
    held: dict[str, list[str]] = {}
    for name, file in request.files.items():
        held.setdefault(file.path, []).append(name)
    if not held:
        return ()
    labels = labelled(list(held))
    formats = {file.path: file.format for file in request.files.values()}
    found: list[FileResult] = []
    for path, names in held.items():
        first = next((name for name in names if name in models.specs), "")
        spec, bound = models.specs.get(first), models.bound.get(first)
        found.append(
            FileResult(
                name=labels[path],
                format=formats[path],
                targets=tuple(names),
                layers=len(spec.layers) if spec else 0,
                weights=spec.weights if spec else 0,
                inputs=bound.inputs.told("wanted") if bound else "",
                outputs=bound.outputs.told("given") if bound else "",
            )
        )
    return tuple(found)
