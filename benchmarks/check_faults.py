"""Faults in whole models, drawn by seed: does ``assay check`` see them, and say where?

A fault is a model of the zoo × a kind × one of its layers × a template (``check_prelude``), put
into Keras on one target, and made so large that it moves some instance 3, 10 or 100 times its
bound. Draws that cannot be made that large are drawn again: no comparison of outputs can see them.

    layer            in a layer                       suspect: that layer
    sometimes        in a layer, for one instance     suspect: that layer
    between          in what a layer reads            outside any layer, before that one
    before, after    in pre- or post-processing       outside any layer, before or after
    export           in a layer of the exported file  suspect: that layer
    nondeterministic another one at every call        the target differs from itself
    nan              a layer gives NaN                suspect: that layer

    python benchmarks/check_faults.py [--faults 60] [--seed 1] [--models lenet5,gru]

Each model is checked without a fault too; its ratio to the bound is printed, screen or not.
"""

import argparse
import random
import sys

import msgspec
import numpy as np
from check_bench import (
    FAULTY,
    HEALTHY,
    INSTANCES,
    MODELS,
    TEMPLATES,
    Bench,
    loaded,
    opened,
    times_the_bound,
)

from assay.campaign.check.comparing import check_loaded
from assay.campaign.check.request import Request
from assay.ir.check import Check, PairResult
from assay.judge.models.bound import Bounds
from assay.localize.growth import first_highlighted
from assay.models import inspect
from assay.models.zoo import zoo_path

#: Twenty faults in turn, each third of all of another size.
KINDS = (
    *("layer", "layer", "between", "layer", "sometimes", "after", "layer", "nondeterministic"),
    *("layer", "between", "sometimes", "layer", "before", "nan", "layer", "sometimes", "after"),
    *("nondeterministic", "layer", "export"),
)
TIMES = (3.0, 10.0, 100.0)
#: Models whose layers are exported one by one in a bearable time.
EXPORTED = ("lenet1", "lenet5")
#: Draws of one fault before it is given up.
_DRAWS = 30
GOAL, EXACT = 0.95, 0.95


class Row(msgspec.Struct):
    """One fault and what was said of it. ``placed``: the layer, or the part outside of layers."""

    model: str
    kind: str
    layer: str
    template: str
    times: float
    detected: bool
    placed: bool
    blamed: bool
    quartile: bool
    verdict: str
    said: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", default=",".join(MODELS))
    options = parser.parse_args()
    names = options.models.split(",")
    drawn = [
        (KINDS[place % len(KINDS)], TIMES[place % len(TIMES)]) for place in range(options.faults)
    ]
    usual = [item for item in drawn if item[0] != "export"]
    exported = [item for item in drawn if item[0] == "export"]
    draw, rows, clean = random.Random(options.seed), [], {}
    with opened() as bench:
        for place, name in enumerate(names):
            run_model(bench, name, usual[place :: len(names)], draw, options.seed, rows, clean)
    if exported:
        with opened("onnxruntime") as bench:
            for place, name in enumerate(EXPORTED):
                mine = exported[place :: len(EXPORTED)]
                if mine:
                    run_model(bench, name, mine, draw, options.seed, rows, clean)
    return summary(rows, clean)


def run_model(bench: Bench, name, faults, draw, seed, rows, clean) -> None:
    """Check one model without a fault, then with each of these."""
    data = loaded(bench, name, seed)
    inputs = next(data.batches()).inputs
    request = Request(title=f"zoo:{name}", file=None, targets=bench.targets)
    outputs = bench.models.predict(inputs)
    bounds = Bounds(bench.models, (HEALTHY,), inputs, INSTANCES)
    ratios = bounds.ratios(outputs[HEALTHY], outputs[FAULTY], np.ones(INSTANCES, bool))
    result = check_loaded(request, bench.models, data)
    title = f"{name} ({bench.targets[1].backend} {bench.targets[1].mode})"
    clean[title] = (float(ratios.max()), result.verdict)
    print(f"{title}: {result.verdict} without a fault, {ratios.max():.3f} of the bound", flush=True)
    floats = any(array.dtype.kind == "f" for array in inputs)
    for drawn, times in faults:
        # Whole numbers that go in are not scaled or shifted.
        kind = "after" if drawn == "before" and not floats else drawn
        fault = next_fault(bench, name, kind, times, draw, inputs, bounds, seed)
        if fault is None:
            print(
                f"{name:12} {kind:16} none of {_DRAWS} draws can be made {times:g} times the bound"
            )
            continue
        bench.put(fault)
        result = check_loaded(request, bench.models, data)
        bench.put({})
        row = judged(name, kind, times, fault, result)
        rows.append(row)
        marks = ["yes" if item else "NO" for item in (row.detected, row.placed, row.blamed)]
        print(
            f"{name:12} {kind:16} {row.layer[:30]:30} {row.template:13} ×{times:<4g} "
            f"detected {marks[0]:3}  placed {marks[1]:3}  blamed {marks[2]:3} "
            f"{'' if row.placed else row.said}",
            flush=True,
        )
        if kind == "export":
            bench.models.load(inspect(str(zoo_path(name, seed))))


def next_fault(bench, name, kind, times, draw, inputs, bounds, seed) -> dict[str, object] | None:
    """The next drawn fault of that kind and size, put into the faulty target."""
    bench.put({})
    states = bench.models.states(HEALTHY, -1, inputs)
    for _ in range(_DRAWS):
        layer = draw.choice(bench.models.spec.layers)
        fault: dict[str, object] = {"where": "layer", "layer": layer.name}
        fault["template"] = draw.choice(TEMPLATES)
        if kind in ("between", "before", "after"):
            fault["where"] = kind
            # What a wrong hand-over may do; half precision jumps, so that its size is its own.
            fault["template"] = draw.choice(("scale", "offset", "roll", "flip"))
        if kind == "nondeterministic":
            fault |= {"noise": True, "template": "scale"}
        if kind == "sometimes":
            above = between_the_largest(states.get(layer.outputs[0]))
            if above is None:
                continue
            fault["above"] = above
        if kind == "nan":
            fault |= {"template": "nan", "share": 1.0}
            found = bench.outputs(fault, inputs)
            if found is not None and np.isnan(found[0]).any():
                return fault
            continue
        if kind == "export":
            # Each size would be an export of its own: so many times 0.1 % and the like.
            fault["share"] = times / 10.0
            without = bench.outputs({}, inputs)
            bench.models.load(inspect(str(zoo_path(name, seed))))
            found = bench.outputs(fault, inputs)
            if found and times_the_bound(bounds, without, found).max() >= times:
                return fault
            bench.put({})
            bench.models.load(inspect(str(zoo_path(name, seed))))
            continue
        sized = bench.sized(fault, inputs, bounds, times)
        if sized is not None:
            return sized
    return None


def between_the_largest(array: np.ndarray | None) -> float | None:
    """What only the instance of the largest mean is above; None if they are too close."""
    if array is None or array.dtype.kind != "f" or array.shape[0] != INSTANCES or array.ndim < 2:
        return None
    *_, second, first = sorted(np.abs(array.reshape(INSTANCES, -1)).mean(axis=1))
    return float((first + second) / 2) if first > 1.001 * second else None


def judged(name, kind, times, fault, result: Check) -> Row:
    """What the check said of a fault, beside what it is."""
    (pair,) = result.pairs
    layer = str(fault["layer"]) if kind not in ("before", "after") else ""
    growing = first_highlighted(result.maps[0].layers) if result.maps else None
    if kind == "nondeterministic":
        detected = placed = blamed = result.nondeterministic == (FAULTY,)
    elif kind in ("between", "before", "after"):
        detected = result.verdict == "inconsistent"
        where = pair.outside.where if pair.outside else ""
        placed = f"on {FAULTY}, {kind} " in where and (not layer or f" and {layer}," in where)
        placed |= kind == "between" and f", before {layer}," in where  # reads the model's input
        blamed = pair.outside is not None and pair.outside.blamed == (FAULTY,)
    else:
        detected = result.verdict == "inconsistent"
        placed = pair.suspect is not None and pair.suspect.layer == layer
        blamed = pair.suspect is not None and pair.suspect.blamed == (FAULTY,)
    return Row(
        name,
        kind,
        layer,
        str(fault["template"]),
        times,
        detected,
        placed,
        blamed,
        growing is not None and growing.layer == layer,
        result.verdict,
        said(pair),
    )


def said(pair: PairResult) -> str:
    if pair.suspect:
        return f"{pair.verdict} from {pair.suspect.layer}"
    outside = f", {pair.outside.where}" if pair.outside else ""
    return f"{pair.verdict}{outside} {pair.explanation} (ratio {pair.ratio})"


def summary(rows: list[Row], clean: dict[str, tuple[float, str]]) -> int:
    """The numbers against their goals; 1 if one is missed."""
    total = len(rows)
    inside = [row for row in rows if row.kind in ("layer", "sometimes", "export", "nan")]
    outside = [row for row in rows if row.kind in ("between", "before", "after")]
    detected = sum(row.detected for row in rows)
    exact = sum(row.placed for row in inside)
    consistent = [row for row in rows if row.verdict == "consistent"]
    alarms = [name for name, (_, verdict) in clean.items() if verdict != "consistent"]
    name, largest = max(((name, ratio) for name, (ratio, _) in clean.items()), key=lambda i: i[1])
    quartile = sum(row.quartile for row in inside)
    lines = (
        f"{total} faults: detected {detected} (goal {GOAL:.0%})",
        f"layer exact {exact} of {len(inside)} (goal {EXACT:.0%}; the third quartile alone: "
        f"{quartile}), outside of layers placed {sum(row.placed for row in outside)} of "
        f"{len(outside)}, blamed right {sum(row.blamed for row in rows)} of {total}",
        f"called consistent above the bound: {len(consistent)} (goal 0)",
        f"{len(clean)} clean models: {len(alarms)} false alarms (goal 0); the largest ratio to the "
        f"bound: {largest:.3f} ({name})",
    )
    print("\n" + "\n".join(lines))
    good = detected >= GOAL * total and exact >= EXACT * len(inside)
    return 0 if good and not consistent and not alarms else 1


if __name__ == "__main__":
    sys.exit(main())
