"""What a search on a seed model costs, and how far it gets: batched or singly, by strategy.

    python benchmarks/searches.py [--targets A,B] [--model NAME] [--population N] [--seeds K]

Prints individuals per CPU second of each target's worker, all at once beside one by one, then the
fitness that strategies reach with equal numbers of evaluations (medians over seeds). Exits 1 if
the genetic search gets less far than random inputs, or batches are slower than single runs.
"""

import argparse
import sys
from collections.abc import Sequence
from statistics import median

import numpy as np
from rich.console import Console
from rich.table import Table

from assay.campaign.hunt.fitness import fitness, seen_of
from assay.campaign.hunt.individuals import Genes
from assay.campaign.running.laboratory import Laboratory
from assay.campaign.running.start import started
from assay.config import Config
from assay.ir import Search
from assay.search import Breeding, Scores, Settings, create
from assay.sources.mutate.seeds import Wanted, seed_model
from assay.targets import known_targets, resolve

TARGETS = "keras-torch,keras-tensorflow,keras-jax"
STRATEGIES = ("random", "genetic")
GENERATIONS = 25
PARENTS = 10
BOUND = 1.0


def asked(count: int, inputs: dict[str, np.ndarray]) -> dict[str, object]:
    return {"count": count, "inputs": inputs, "weights": []}


def rates(laboratory: Laboratory, target: str, model: str, population: int) -> tuple[float, float]:
    """Individuals per CPU second of the worker, all at once and one by one."""
    seed = seed_model(model, Wanted(1, embedded=True))
    genes = Genes(seed.case, Search(seed.logits, 1, bound=BOUND), {}, ())
    noise = np.random.default_rng(1)
    shapes = {item.name: item.shape for item in genes.space().tensors}
    found = []
    for count, times in ((population, 5), (1, 20)):
        for warm in (True, False):
            spent = 0.0
            for _ in range(2 if warm else times):
                added = {n: noise.standard_cauchy((count, *s)) for n, s in shapes.items()}
                more = asked(count, genes.rows(added).inputs)
                answer = laboratory.individuals(seed.case, seed.logits, (target,), "run", more)
                spent += answer[target]["cpu_seconds"]
            if not warm:
                found.append(count * times / max(spent, 1e-9))
    return found[0], found[1]


def reached(
    laboratory: Laboratory, target: str, model: str, strategy: str, population: int, seed: int
) -> float:
    """The largest difference of two logits that a strategy finds, for NaN."""
    given = seed_model(model, Wanted(seed, embedded=True))
    genes = Genes(given.case, Search(given.logits, seed, bound=BOUND), {}, ())
    settings = Settings(breeding=Breeding(parents=PARENTS))
    search = create(strategy, genes.space(), seed, settings)
    best = 0.0
    for _ in range(GENERATIONS):
        added = search.ask(population)
        more = asked(population, genes.rows(added).inputs)
        answer = laboratory.individuals(given.case, given.logits, (target,), "run", more)[target]
        seen = {target: seen_of([(range(population), answer)], population)}
        scores = fitness(seen, "nan", population)
        best = max(best, float(scores.max()))
        search.tell(added, Scores(scores, scores, scores))
    return best


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--targets", default=TARGETS)
    parser.add_argument("--model", default="lenet5")
    parser.add_argument("--population", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args(arguments)
    console = Console()
    targets = resolve(tuple(given.targets.split(",")), known_targets(Config()), cases=True)
    names = [target.name for target in targets]
    with started(targets, lambda event: None) as (laboratory, _):
        table = Table("target", "all at once", "one by one", "times", box=None)
        slower = False
        for name in names:
            batched, single = rates(laboratory, name, given.model, given.population)
            slower |= batched < single
            row = (name, f"{batched:,.0f}", f"{single:,.0f}", f"{batched / single:.1f}")
            table.add_row(*row)
        console.print(f"{given.model}: individuals per CPU second, {given.population} at once")
        console.print(table)
        found = {
            strategy: [
                reached(laboratory, names[0], given.model, strategy, given.population, seed)
                for seed in range(1, given.seeds + 1)
            ]
            for strategy in STRATEGIES
        }
    table = Table("strategy", "median", "each seed", box=None)
    for strategy, values in found.items():
        each = ", ".join(f"{value:.1f}" for value in values)
        table.add_row(strategy, f"{median(values):.1f}", each)
    count = GENERATIONS * given.population
    console.print(f"largest difference of two logits after {count:,} inputs within 1 of zero")
    console.print(table)
    return int(slower or median(found["genetic"]) <= median(found["random"]))


if __name__ == "__main__":
    sys.exit(main())
