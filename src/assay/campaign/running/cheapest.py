"""Whom to ask first, where any of several will do: what it costs to ask them differs a lot."""

from collections.abc import Iterable

from assay.ir import REFERENCE, Finding, believed, platform_of

#: Backends by what it costs to ask them: JAX compiles each op and shape.
_CHEAP = ("torch", "numpy", "tensorflow", "jax", "openvino")


def cheapest_first(finding: Finding, targets: Iterable[str]) -> list[str]:
    """Targets of a finding by what it costs to ask them; those that compile whole graphs last."""
    order = {backend: cost for cost, backend in enumerate(_CHEAP)}

    def cost(target: str) -> tuple[bool, int]:
        platform = platform_of(finding, target)
        return not platform.eager, order.get(platform.backend or platform.library, len(order))

    return sorted(targets, key=cost)


def decisive(finding: Finding) -> tuple[str, ...]:
    """As many of its targets as tell who is wrong: the blamed, the reference, and who backs it.

    All of them where more are needed, because the reference is not among those who are believed.
    """
    trusted = believed(finding)
    backing = [
        target
        for target in trusted
        if target in finding.targets and target not in (REFERENCE, *finding.blamed)
    ]
    if finding.arms or not finding.blamed or REFERENCE not in trusted or not backing:
        return finding.targets
    chosen = {*finding.blamed, REFERENCE, cheapest_first(finding, backing)[0]}
    return tuple(target for target in finding.targets if target in chosen)
