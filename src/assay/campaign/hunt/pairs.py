"""How many pairs of equivalent programs there are: an API and a rule, by rule and library."""

from collections.abc import Sequence

from assay.campaign.hunt.catalogued import catalogues_there
from assay.catalogue.chosen import Chosen
from assay.catalogue.corrections import Corrections, corrected, read
from assay.errors import AssayError
from assay.ir.pairs import NumberPairs, Pairs, RulePairs, Source
from assay.libraries import SHARED, vocabulary
from assay.sources.rewrite import Rewrite
from assay.targets import Target
from assay_worker.catalogue import HARVESTS
from assay_worker.rules import NAMES, rule

#: A target of each library that there are rules of.
USUAL_TARGETS = ("torch", "tensorflow", "jax", "keras-torch")


def pairs_of(targets: Sequence[Target], corrections: str = "") -> Pairs:
    """All pairs there are on these targets, by the catalogues that are there."""
    found, without = catalogues_there(targets)
    known = read(corrections, frozenset(HARVESTS)) if corrections else Corrections()
    snapshots = {name: corrected(snapshot, known) for name, snapshot in found.items()}
    shared = vocabulary([SHARED])
    sources, apis_of = [], dict[tuple[str, str], set[str]]()
    for target in targets:
        if target.name in snapshots:
            snapshot = snapshots[target.name]
            usable = len(snapshot.usable)
            sources.append(Source(target.name, target.library, snapshot.version, usable))
        elif target.library == SHARED:
            sources.append(Source(target.name, target.library, "", len(shared)))
        else:
            continue
        chosen = Chosen({target.name: target.library}, snapshots, rules=NAMES)
        for pair in Rewrite(0, (target.name,), shared, chosen).pairs:
            apis_of.setdefault((pair.rule.name, target.library), set()).add(pair.api)
    if not sources and not without:
        names = ", ".join(target.name for target in targets)
        raise AssayError(
            f"no rule speaks of {names}. Expected targets of keras, {', '.join(sorted(HARVESTS))}."
        )
    if not sources:
        raise AssayError(
            next(filter(None, without.values()), "")
            or f"no catalogue is there of {', '.join(without)}. "
            f"Make one with: assay apis {next(iter(without))} --build"
        )
    libraries = tuple(dict.fromkeys(item.library for item in sources))
    none: set[str] = set()

    def of(library: str, names: Sequence[str]) -> list[set[str]]:
        return [apis_of.get((name, library), none) for name in names]

    numbers = sorted({rule(name).eagle for name in NAMES} - {0})
    members = {number: [n for n in NAMES if rule(n).eagle == number] for number in numbers}
    return Pairs(
        sources=tuple(sources),
        rules=tuple(
            RulePairs(
                name,
                rule(name).eagle,
                rule(name).says,
                {library: len(of(library, [name])[0]) for library in libraries},
            )
            for name in sorted(NAMES, key=lambda name: (rule(name).eagle or 99, name))
        ),
        published=tuple(
            NumberPairs(
                number,
                tuple(names),
                {library: len(none.union(*of(library, names))) for library in libraries},
                {library: sum(map(len, of(library, names))) for library in libraries},
            )
            for number, names in members.items()
        ),
        pairs={library: sum(map(len, of(library, NAMES))) for library in libraries},
        apis={library: len(none.union(*of(library, NAMES))) for library in libraries},
        left_out=tuple(without),
        problems={name: why for name, why in without.items() if why},
    )
