"""Oracle: an object that went through its configuration or a file computes the same."""

from assay.ir import Evidence, Observation, Trace, Verdict
from assay.judge._base import JudgedAgain, Observed
from assay.judge.compare import difference
from assay.judge.identity import headline

_WAYS = {
    "config": "after from_config(get_config())",
    "save": "after saving and loading",
}


class RoundTripOracle(JudgedAgain):
    """Each target against itself, before and after; no vote is needed.

    All targets that show it are blamed together: the code is usually shared.
    """

    name = "round-trip"

    def judge(self, observed: Observed) -> list[Verdict]:
        """At most one verdict, with every target that shows it."""
        if not observed.trial.round_trip:
            return []
        changes = {
            target: change
            for target, trace in observed.traces.items()
            if trace.status == "ok" and (change := _change(trace)) is not None
        }
        if not changes:
            return []
        node = observed.case.graph.nodes[-1]
        way = _WAYS[observed.trial.round_trip]
        first = next(iter(changes.values()))
        return [
            Verdict(
                oracle=self.name,
                kind="equivalence",
                stage="build",
                category="bug",
                op=node.op,
                node=node.id,
                params=node.params,
                targets=tuple(observed.traces),
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
        ]


def _change(trace: Trace) -> tuple[str, float, str] | None:
    """What the second run showed: in full, how large, and in few words."""
    if trace.second_failure is not None:
        text = headline(trace.second_failure)
        return text, 0.0, text
    for array in trace.unstable:
        found = difference(trace.arrays[array], trace.repeated[array])
        if found is not None:
            before, after = trace.arrays[array], trace.repeated[array]
            if found.what == "shape":
                return f"{array}: shape {before.shape} became {after.shape}", 0.0, "another shape"
            values = f"{before[found.position]:.9g} became {after[found.position]:.9g}"
            return f"{array}: {values}", found.magnitude, "another result"
    return None
