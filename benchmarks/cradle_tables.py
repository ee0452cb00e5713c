"""CRADLE's tables, from what checks say of pairs of backends. Pure functions.

An inconsistency is a pair of backends that a metric calls inconsistent for a model, with one
version of the library. Inconsistencies of one model with the same pattern (the histogram of
their distances) are one unique inconsistency. Those of one model and pair of backends that start
at the same layer in successive versions are one bug.
"""

import re
from collections.abc import Iterable, Sequence

import msgspec

from assay.ir.check import Check, PairResult
from assay.judge.distances import MAD_BINS, TOP

#: CRADLE's own metrics; the rival stands beside them.
OWN = ("class", "mad")
#: Thresholds of the rival that are tried, for every k.
ACCURACY_THRESHOLDS = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5)


class Comparison(msgspec.Struct, frozen=True):
    """A pair of backends on a model, with one version of the library.

    ``exceeded`` are the metrics that call it inconsistent. ``localized`` are the ops of the layers
    above the third quartile, in order, ``layer`` the first of them; ``alone`` is the first layer
    that differs on identical input, if any layer does; ``blamed`` who is wrong there, if that is
    the layer the growth points at, too. ``layers`` has the op of each.
    """

    model: str
    version: str
    backends: tuple[str, str]
    classifier: bool
    exceeded: tuple[str, ...]
    accuracy_differences: tuple[float, ...]
    patterns: dict[str, tuple[int, ...]]
    layer: str = ""
    alone: str = ""
    localized: tuple[str, ...] = ()
    layers: dict[str, str] = {}
    blamed: tuple[str, ...] = ()

    @property
    def metric(self) -> str:
        """What the paper's count of inconsistencies goes by."""
        return "class" if self.classifier else "mad"

    @property
    def counted(self) -> bool:
        """Is it one of the paper's inconsistencies?"""
        return self.metric in self.exceeded

    @property
    def found(self) -> bool:
        """Is it inconsistent by either distance?"""
        return any(metric in self.exceeded for metric in OWN)

    @property
    def where(self) -> str:
        """The layer it starts at: one that differs by itself, else the first localized."""
        return self.alone or self.layer

    @property
    def pair(self) -> str:
        """Both backends, without what all of them begin with."""
        return " ↔ ".join(name.removeprefix("keras-") for name in self.backends)


def comparisons(model: str, version: str, check: Check) -> list[Comparison]:
    """What a check says of its pairs; those with nothing to compare are left out."""
    maps = {item.targets: item for item in check.maps}
    found = []
    for pair in check.pairs:
        if pair.verdict == "nothing to compare":
            continue
        shown = maps.get(pair.targets)
        layers = shown.layers if shown and pair.exceeded else ()
        high = [item for item in layers if item.highlighted]
        found.append(
            Comparison(
                model,
                version,
                (backend(pair.targets[0]), backend(pair.targets[1])),
                check.task == "classification",
                pair.exceeded,
                pair.accuracy_differences,
                _patterns(pair),
                layer=high[0].layer if high else "",
                alone=shown.suspect if shown and layers and _alone(pair, shown.suspect) else "",
                localized=tuple(item.op for item in high),
                layers={item.layer: item.op for item in layers},
                blamed=tuple(map(backend, pair.suspect.blamed)) if pair.suspect else (),
            )
        )
    return found


def backend(target: str) -> str:
    """A target without its environment."""
    return target.partition("@")[0]


def _alone(pair: PairResult, suspect: str) -> bool:
    """Is it the retrial of single layers that names the suspect, and not the growth?"""
    by_growth = pair.suspect
    return by_growth is not None and (by_growth.layer != suspect or by_growth.alone > 0)


def _patterns(pair: PairResult) -> dict[str, tuple[int, ...]]:
    return {"class": pair.histogram[:-MAD_BINS], "mad": pair.histogram[-MAD_BINS:]}


def counts(found: Sequence[Comparison]) -> list[list[str]]:
    """Inconsistencies per model and pair, unique ones first; the last column over all pairs."""
    pairs = list(dict.fromkeys(item.pair for item in found))
    models = list(dict.fromkeys(item.model for item in found))
    rows = [["model", *pairs, "all pairs"]]
    for name in [*models, ""]:
        own = [item for item in found if name in ("", item.model)]
        cells = [_unique([item for item in own if item.pair == pair]) for pair in pairs]
        rows.append([name or "all models", *cells, _unique(own)])
    return rows


def _unique(found: Iterable[Comparison]) -> str:
    counted = [item for item in found if item.counted]
    unique = {(item.model, item.metric, item.patterns[item.metric]) for item in counted}
    return f"{len(unique)} ({len(counted)})"


def metrics(found: Sequence[Comparison]) -> list[list[str]]:
    """Inconsistencies of classifiers by each metric, alone and together, and how many of those
    by class distance are missed.
    """
    rows = [["metric", "inconsistent", "missed of class"]]
    for names in (("class",), ("mad",), ("accuracy",), OWN, (*OWN, "accuracy")):
        own = [item for item in found if item.classifier]
        flagged = [item for item in own if set(names) & set(item.exceeded)]
        rows.append([" or ".join(names), f"{len(flagged)} of {len(own)}", _missed(own, flagged)])
    return rows


def rival(found: Sequence[Comparison]) -> list[list[str]]:
    """The same by the difference of accuracies, for every k and threshold: found (missed)."""
    own = [item for item in found if item.classifier]
    rows = [["", *(f"T_AC {limit:.0%}" for limit in ACCURACY_THRESHOLDS)]]
    for place in range(TOP):
        cells = []
        for limit in ACCURACY_THRESHOLDS:
            flagged = [item for item in own if item.accuracy_differences[place] > limit]
            cells.append(f"{len(flagged)} ({_missed(own, flagged)})")
        rows.append([f"top {place + 1}", *cells])
    return rows


def _missed(own: Sequence[Comparison], flagged: Sequence[Comparison]) -> str:
    return str(sum("class" in item.exceeded and item not in flagged for item in own))


def localizations(found: Sequence[Comparison]) -> list[list[str]]:
    """Every unique inconsistency by either distance: where it starts, and how much is left."""
    columns = "model, pairs, versions, by, first localized, differs alone"
    rows = [[*columns.split(", "), "layers", "functions", "reduction"]]
    for group in unique(found):
        item = group[0]
        every, left = set(item.layers.values()), set(item.localized)
        first = item.layers.get(item.layer)
        rows.append(
            [
                item.model,
                ", ".join(dict.fromkeys(one.pair for one in group)),
                ", ".join(dict.fromkeys(one.version for one in group)),
                ", ".join(metric for metric in OWN if metric in item.exceeded),
                f"{item.layer} ({short(first)})" if first else "not opened",
                item.alone or "none",
                f"{len(item.localized)} of {len(item.layers)}",
                f"{len(left)} of {len(every)}",
                f"{len(every) / len(left):.1f}" if left else "",
            ]
        )
    return rows


def unique(found: Iterable[Comparison]) -> list[list[Comparison]]:
    """Inconsistencies by either distance, those of a model with one pattern together."""
    groups: dict[object, list[Comparison]] = {}
    for item in found:
        if item.found:
            metric = next(metric for metric in OWN if metric in item.exceeded)
            groups.setdefault((item.model, metric, item.patterns[metric]), []).append(item)
    return list(groups.values())


def bugs(found: Sequence[Comparison]) -> list[list[Comparison]]:
    """Inconsistencies that are one bug: of one model and pair of backends, from the same layer on,
    in successive ones of the versions that were tried. One that is back after a version without
    it, or with another one, is another bug.
    """
    series: dict[object, list[Comparison]] = {}
    for item in sorted(found, key=lambda item: ordered(item.version)):
        series.setdefault((item.model, item.backends), []).append(item)
    groups = []
    for items in series.values():
        previous = None
        for item in items:
            if item.found:
                same = previous is not None and previous.found and previous.where == item.where
                if same:
                    groups[-1].append(item)
                else:
                    groups.append([item])
            previous = item
    return groups


def roots(found: Sequence[Comparison]) -> list[list[str]]:
    """Bugs by the function they start at, with the backends and models that they affect."""
    by_function: dict[str, list[list[Comparison]]] = {}
    for group in bugs(found):
        function = short(group[0].layers.get(group[0].where, "not opened"))
        by_function.setdefault(function, []).append(group)
    rows = [["function", "inconsistencies", "bugs", "blamed", "pairs", "models", "versions"]]
    for function, groups in by_function.items():
        items = [item for group in groups for item in group]
        shown = [
            [name.removeprefix("keras-") for item in items for name in item.blamed],
            [item.pair for item in items],
            [item.model for item in items],
            [item.version for item in items],
        ]
        listed = [", ".join(dict.fromkeys(names)) for names in shown]
        rows.append([function, str(len(items)), str(len(groups)), *listed])
    return rows


def ordered(version: str) -> tuple[int, ...]:
    """Versions in their order: 3.6 before 3.12."""
    return tuple(int(number) for number in re.findall(r"\d+", version))


def short(op: str) -> str:
    """The last word of an op's name."""
    return op.rpartition(".")[2]


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """The first row is the header."""
    head, *others = rows
    lines = [head, ["---"] * len(head), *others]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
