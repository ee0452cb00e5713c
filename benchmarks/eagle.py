"""EAGLE's tables: pairs and inputs by rule, findings by category, and what others would have seen.

    python benchmarks/eagle.py --targets torch --inputs 400
    python benchmarks/eagle.py --targets torch,tensorflow --inputs 20 --ops "torch.f*,tf.math.*"

Hunts with ``--preset eagle`` on each target, one after the other: the 16 rules of the paper, as far
apart as ``1e-2 + 1e-5·|b|``, numbers from the whole range of every dtype. The paper has 400 inputs
for each pair; ``--inputs`` says how many. Catalogues must be there (``assay apis TARGET --build``).
"""

import argparse
import os
import sys
import tempfile
import time

from eagle_tables import SAID, Run, Seen, across, categories, elsewhere, markdown, pairs, seen

import assay
from assay.campaign.events import CampaignFinished, TrialFinished
from assay.campaign.hunt.catalogued import catalogues_there
from assay.catalogue import storing
from assay.config import load
from assay.libraries import SHARED, vocabulary
from assay.targets import known_targets, resolve
from assay_worker.catalogue import HARVESTS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--targets", default="torch,tensorflow,jax,keras-torch")
    parser.add_argument("--inputs", type=int, default=20)
    parser.add_argument("--ops", default="")
    parser.add_argument("--budget", default=None, help="of each target, such as 30m")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--store", default="", help="where findings stay; a temporary one if none")
    options = parser.parse_args()
    targets = resolve(options.targets.split(","), known_targets(load(None)))
    _, without = catalogues_there(targets)
    if without:
        print(f"no catalogue of {', '.join(without)}: assay apis NAME --build", file=sys.stderr)
        return 2
    names = names_of_libraries()
    runs: dict[tuple[str, str], Run] = {}
    found: list[Seen] = []
    scale = []
    with tempfile.TemporaryDirectory() as folder:
        for target in targets:
            began = time.monotonic()
            events = assay.hunt(
                preset="eagle",
                targets=[target.name],
                ops=list(filter(None, options.ops.split(","))),
                inputs=options.inputs,
                budget=options.budget,
                seed=options.seed,
                store=options.store or os.path.join(folder, "assay.db"),
            )
            for event in events:
                if isinstance(event, TrialFinished):
                    run = runs.setdefault((target.name, event.rule), Run())
                    run.add(event.op, event.inputs)
                elif isinstance(event, CampaignFinished):
                    summary = event.summary
            for finding in summary.findings:
                if finding.rule:
                    others = elsewhere(finding.op, target.library, names)
                    found.append(seen(target.name, finding, others))
            library = summary_of(target.name, summary, time.monotonic() - began)
            scale.append(library)
            print(library, file=sys.stderr, flush=True)
    libraries = [target.name for target in targets]
    print(f"{options.inputs} inputs for each pair, seed {options.seed}")
    print("\n".join(scale))
    print("\nCompared, by the number of the rule:\n")
    print(markdown(pairs(runs, libraries)))
    print("\nPairs that differ, by category of the rule:\n")
    print(markdown(categories(found, libraries)))
    print("\nBugs, and what testing across libraries would have made of them:\n")
    print(markdown(across(found)))
    print(f"\n{SAID}")
    return 0


def summary_of(name: str, summary, seconds: float) -> str:
    """How large it was."""
    used, findings = summary.cpu_seconds.total, summary.findings
    bugs = sum(finding.category == "bug" for finding in findings)
    return (
        f"{name}: {summary.trials:,} trials in {seconds:.0f} s, {used:.0f} CPU s; "
        f"{len(findings)} findings, {bugs} of them bugs"
    )


def names_of_libraries() -> dict[str, list[str]]:
    """What each library has, by the catalogues that are there and the words of Keras."""
    found = {SHARED: list(vocabulary([SHARED]))}
    for library in HARVESTS:
        for version in storing.versions(library)[-1:]:
            snapshot = storing.load(library, version)
            assert snapshot is not None
            found[library] = [entry.api for entry in snapshot.entries]
    return found


if __name__ == "__main__":
    sys.exit(main())
