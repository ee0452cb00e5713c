"""Oracle: an object that went through its configuration or a file computes the same."""

from assay.ir import ROUND_TRIPS, Evidence, Observation, Trace, Verdict
from assay.judge._base import Observed
from assay.judge.compare import difference
from assay.judge.identity import headline

_WAYS = {
    "config": "after from_config(get_config())",
    "save": "after saving and loading",
}


class RoundTripOracle:
    """Each target against itself, before and after; no vote is needed.

    All targets that show it are blamed together: the code is usually shared.
    """

    name = "round-trip"

    def judge(self, observed: Observed) -> list[Verdict]:
        """At most one verdict for each way, with every target that shows it."""
        changes: dict[str, dict[str, tuple[str, float, str]]] = {}
        for part in observed.parts("equivalent"):
            *_, last = part.trial.arms
            if last.variant not in ROUND_TRIPS or len(part.traces) < 2:
                continue
            change = _change(*part.traces.values())
            if change is not None:
                changes.setdefault(last.variant, {})[last.target] = change
        return [_verdict(observed, way, found) for way, found in changes.items()]


def _verdict(
    observed: Observed, variant: str, changes: dict[str, tuple[str, float, str]]
) -> Verdict:
    node = observed.case.graph.nodes[-1]
    way = _WAYS[variant]
    first = next(iter(changes.values()))
    targets = tuple(target for target in observed.trial.targets if target in observed.traces)
    return Verdict(
        oracle=RoundTripOracle.name,
        kind="equivalence",
        stage="build",
        category="bug",
        op=node.op,
        node=node.id,
        params=node.params,
        targets=targets,
        blamed=tuple(sorted(changes)),
        magnitude=first[1],
        evidence=Evidence(
            observations=tuple(
                Observation(target, observed.votes(target, node.op), text)
                for target, (text, _, _) in changes.items()
            ),
            reason=f"the same object must compute the same {way}",
            message=f"{first[2]} {way}",
        ),
    )


def _change(before: Trace, after: Trace) -> tuple[str, float, str] | None:
    """What the second run showed: in full, how large, and in few words."""
    if before.status != "ok":
        return None
    if after.failure is not None:
        text = headline(after.failure)
        return text, 0.0, text
    for array in sorted(set(before.arrays) & set(after.arrays)):
        one, two = before.arrays[array], after.arrays[array]
        found = None if one is two else difference(one, two)  # the worker compared their bits
        if found is not None:
            if found.what == "shape":
                return f"{array}: shape {one.shape} became {two.shape}", 0.0, "another shape"
            values = f"{one[found.position]:.9g} became {two[found.position]:.9g}"
            return f"{array}: {values}", found.magnitude, "another result"
    return None
