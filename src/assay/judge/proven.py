"""Answers that are proven to be further from the exact result than a budget allows.

Votes need answers that differ by more than the formulas of anybody lose. Where ball arithmetic
knows the exact result nobody has to vote: each answer is held against it by itself. An answer is
blamed beyond its budget, and only where an independent implementation does several times better on
the same input, so that it can be done in the format. Where no other one computes in the format,
what no formula loses is a fault all the same.
"""

import math
from collections.abc import Mapping

import msgspec
import numpy as np

from assay.gaps import peak
from assay.ir import REFERENCE, Admissible, Array, Case, Evidence, Observation, Verdict
from assay.judge._base import Observed, PartOracle
from assay.judge.allowance import family_of
from assay.judge.numeric import element
from assay.judge.precise import UNITS
from assay.libraries import SHARED, Untold, meaning, translated
from assay_worker.precision.formats import rounded, smallest, unit

#: Its name, and in front of the budget that is a part of the name.
NAME, _BEYOND = "proven", ":"
#: An answer is far off beside one that is so many times nearer to the exact result.
TIMES = 4.0
#: Products of all numbers, of which each order has partial ones of its own.
_PRODUCTS = ("keras.ops.prod", "keras.ops.cumprod")
#: Ops that are documented to be the identity beyond a threshold, and that of their default.
_LINEAR = {"torch.nn.Softplus": 20.0, "torch.nn.functional.softplus": 20.0}
#: Results and inputs of so many numbers are enclosed.
_FEW = 1 << 14


class _Held(msgspec.Struct, frozen=True):
    """One output: proven errors by target, in units in the last place, and the exact results."""

    name: str
    dtype: str
    errors: dict[str, Array]
    exact: Array


class ProvenOracle(PartOracle):
    """An arm's answer is proven to be more than ``units`` off, and another's is not."""

    def __init__(self, units: float) -> None:
        self.units = units
        self.name = f"{NAME}{_BEYOND}{units:.6g}"

    def judge_part(self, observed: Observed) -> list[Verdict]:
        """A verdict on the place where somebody is furthest beyond the budget."""
        if observed.trial.intent != "valid" or len(observed.case.graph.nodes) != 1:
            return []
        judged = (self._judged(observed, held) for held in _held(observed))
        return [verdict for verdict in judged if verdict is not None][:1]

    def _judged(self, observed: Observed, held: _Held) -> Verdict | None:
        (node,) = observed.case.graph.nodes
        errors = held.errors
        votes = {target: observed.votes(target, node.op) for target in errors}
        beyond = {}
        for target, own in errors.items():
            others = [errors[key] for key in errors if votes[key] != votes[target]]
            best = np.fmin.reduce(others) if others else np.zeros(own.shape)
            least = self.units if others else max(self.units, UNITS)
            with np.errstate(invalid="ignore"):
                far = (own > least) & (own > TIMES * np.maximum(best, 0.5))
            beyond[target] = np.where(far & np.isfinite(own), own, 0.0)
        worst = max(beyond, key=lambda target: float(beyond[target].max(initial=0.0)))
        if not beyond[worst].max(initial=0.0):
            return None
        position = peak(beyond[worst])
        blamed = tuple(sorted(key for key in beyond if beyond[key][position]))
        return self._verdict(observed, held, position, worst, blamed)

    def _verdict(
        self,
        observed: Observed,
        held: _Held,
        position: tuple[int, ...],
        worst: str,
        blamed: tuple[str, ...],
    ) -> Verdict:
        (node,) = observed.case.graph.nodes
        answers = {
            name: element(trace.arrays[held.name], position)
            for name, trace in observed.traces.items()
            if held.name in trace.arrays and trace.arrays[held.name].shape == held.exact.shape
        }
        off = {name: float(errors[position]) for name, errors in held.errors.items()}
        sound = tuple(name for name in off if name not in blamed and off[name] <= self.units)
        exact, step = float(held.exact[position]), float(unit(held.exact[position], held.dtype))
        beside = "".join(f"; {name} {off[name]:.3g}" for name in sound)
        digits = 17 if held.dtype == "float64" else 9
        reason = (
            f"{answers[worst]:.{digits}g} for {exact:.{digits}g}: proven to be {off[worst]:.4g} "
            f"units in the last place off, where {self.units:.3g} are granted{beside}"
        )
        return Verdict(
            oracle=self.name,
            kind="precision",
            stage="forward",
            category="bug",
            op=node.op,
            node=node.id,
            params=node.params,
            targets=tuple(answers),
            blamed=blamed,
            magnitude=abs(answers[worst] - exact),
            evidence=Evidence(
                observations=tuple(
                    Observation(name, observed.votes(name, node.op), f"{value:.{digits}g}", value)
                    for name, value in answers.items()
                ),
                reason=reason,
                where=held.name,
                position=position,
                tolerance=self.units * step,
                believed=(*sound, *(name for name in answers if name == REFERENCE)),
                admissible=Admissible(
                    source="ball arithmetic",
                    family=family_of(node.op).name,
                    answer=answers[worst],
                    centre=exact,
                    lower=exact - self.units * step,
                    upper=exact + self.units * step,
                    units=self.units,
                    unit=step,
                    where=held.name,
                    position=position,
                ),
            ),
        )


def proven(oracle: str) -> ProvenOracle | None:
    """The oracle of that name, which has its budget in it; None if it is another's."""
    name, _, told = oracle.partition(_BEYOND)
    return ProvenOracle(float(told)) if name == NAME and told else None


def proves(oracle: str) -> bool:
    """Is a verdict of that oracle held against exact results?"""
    return oracle.partition(_BEYOND)[0] == NAME


def format_of(case: Case) -> str:
    """The format that the operator of a case computes in: that of its inputs, or a layer's own."""
    told = [node.params.get("dtype") for node in case.graph.nodes]
    named = [dtype for dtype in told if isinstance(dtype, str)]
    given = [item.dtype for item in case.graph.inputs if "float" in item.dtype]
    return next(iter((*named, *given)), "float32")


def _held(observed: Observed) -> list[_Held]:
    """Every output of which exact results are known, held against them; targets with its format."""
    # It takes python-flint, which hunts do not need.
    from assay.judge.balls import NoFormula, NoTruth
    from assay.judge.balls.answers import exact_results, midpoints, proven_errors

    case, dtype = observed.case, format_of(observed.case)
    if sum(array.size for array in case.input_arrays().values()) > _FEW:
        return []
    if _lost_on_the_way(case, dtype):
        return []
    try:
        outputs = exact_results(_shared(case), dtype, dtype)
    except (NoFormula, NoTruth, Untold):
        return []
    found = []
    (node,) = case.graph.nodes
    least = family_of(node.op).beside * smallest(dtype)
    for output, readings in zip(case.graph.outputs, outputs, strict=False):
        name, exact = f"output:{output}", midpoints(readings[0])
        errors = {}
        for target, array in _answers(observed, name, dtype).items():
            if array.shape != exact.shape:
                continue
            # Beside the smallest numbers a term that is flushed to zero is the whole result.
            near = (np.abs(array) < least) & (np.abs(exact) < least)
            near |= exact > _LINEAR.get(node.op, np.inf)
            proven = np.where(near, 0.0, proven_errors(array, readings))
            # What is summed or multiplied on the way may have overflowed: votes know of that.
            errors[target] = np.where(np.isfinite(array), proven, np.nan)
        if errors:
            found.append(_Held(name, dtype, errors, exact))
    return found


def _lost_on_the_way(case: Case, dtype: str) -> bool:
    """May a partial product of some order be below the normal numbers? Votes know of that."""
    (node,) = case.graph.nodes
    if meaning(node.op) not in _PRODUCTS:
        return False
    arrays = [np.abs(array.astype("float64")) for array in case.input_arrays().values()]
    below = sum(float(np.log2(array[(array > 0.0) & (array < 1.0)]).sum()) for array in arrays)
    return below < math.log2(smallest(dtype))


def _shared(case: Case) -> Case:
    """The case in shared words, which tell of float32 only what they mean in every format."""
    kept = {item.name: item.dtype for item in case.graph.inputs if "float" in item.dtype}
    found = translated(_of_dtypes(case, dict.fromkeys(kept, "float32")), SHARED)
    return _of_dtypes(found, kept)


def _of_dtypes(case: Case, dtypes: Mapping[str, str]) -> Case:
    inputs = tuple(
        msgspec.structs.replace(item, dtype=dtypes.get(item.name, item.dtype))
        for item in case.graph.inputs
    )
    graph = msgspec.structs.replace(case.graph, inputs=inputs)
    return msgspec.structs.replace(case, graph=graph)


def _answers(observed: Observed, name: str, dtype: str) -> dict[str, Array]:
    """What targets gave in the format; of others nothing can be said in its units."""
    stored = "float32" if dtype == "bfloat16" else dtype
    found = {}
    for target, trace in observed.traces.items():
        array = trace.arrays.get(name)
        if target == REFERENCE or array is None or array.dtype.name != stored:
            continue
        wide = array.astype("float64")
        if np.all((rounded(wide, dtype) == wide) | np.isnan(wide)):
            found[target] = wide
    return found
