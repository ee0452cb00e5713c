"""Whom to ask first, where any of several will do: what it costs to ask them differs a lot."""

from collections.abc import Iterable

import msgspec

from assay.ir import REFERENCE, Finding, believed, platform_of

#: Backends by what it costs to ask them: JAX compiles each op and shape.
_CHEAP = ("torch", "numpy", "tensorflow", "jax", "openvino")
#: The first of them that compiles.
_COMPILING = _CHEAP.index("jax")


def cheapest_first(finding: Finding, targets: Iterable[str]) -> list[str]:
    """Targets of a finding by what it costs to ask them; those that compile whole graphs last."""
    return sorted(targets, key=lambda target: _cost(finding, target))


def _cost(finding: Finding, target: str) -> tuple[bool, int]:
    platform, order = platform_of(finding, target), {name: i for i, name in enumerate(_CHEAP)}
    return not platform.eager, order.get(platform.backend or platform.library, len(order))


def sparing(finding: Finding) -> Finding:
    """The finding as it is without those to blame who compile, if others are to blame, too."""
    spared = {name for name in finding.blamed if _cost(finding, name) >= (False, _COMPILING)}
    if finding.arms or not spared or spared.issuperset(finding.blamed):
        return finding

    def left(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in names if name not in spared)

    voted = finding.evidence.voted
    evidence = msgspec.structs.replace(
        finding.evidence, voted=None if voted is None else left(voted)
    )
    return msgspec.structs.replace(
        finding, targets=left(finding.targets), blamed=left(finding.blamed), evidence=evidence
    )


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
