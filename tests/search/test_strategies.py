"""Every strategy keeps the contract; the published ones do what was published."""

import numpy as np
import pytest

from assay.errors import AssayError
from assay.search import Breeding, Scores, Settings, Space, Tensor, contract, create, strategies
from assay_worker.precision.formats import FORMATS, largest, rounded, smallest, unit

SPACE = Space((Tensor("x0", (2, 2)),), "float32")


def scores(values: np.ndarray) -> Scores:
    return Scores(values, values, values)


@pytest.mark.parametrize("name", strategies())
def test_every_strategy_keeps_the_contract(name: str) -> None:
    contract.check_all(lambda space, seed, settings: create(name, space, seed, settings))


def test_a_strategy_that_forgets_what_it_learned_breaks_the_contract() -> None:
    class Forgetful:
        name = "forgetful"

        def __init__(self, space: Space, seed: int, settings: Settings) -> None:
            self._inner = create("elements", space, seed, settings)
            self.ask, self.tell = self._inner.ask, self._inner.tell

        def state(self) -> dict[str, object]:
            return {"asked": self._inner.state()["asked"]}

        def restore(self, state: dict[str, object]) -> None:
            empty = create("elements", SPACE, 1).state()
            self._inner.restore({**empty, **state})

    with pytest.raises(AssertionError, match="differs after a restoration"):
        contract.check_resumed(Forgetful, SPACE)  # type: ignore[arg-type]


def test_an_unknown_strategy_is_named_with_those_there_are() -> None:
    with pytest.raises(AssayError, match=r'unknown strategy "lin".*Did you mean "linf"'):
        create("lin", SPACE, 1)


def test_random_inputs_are_normal() -> None:
    drawn = create("random", SPACE, 1).ask(20_000)["x0"]
    assert abs(drawn.mean()) < 0.02
    assert abs(drawn.std() - 1.0) < 0.02
    assert drawn.max() > 3.5


def test_a_mutant_is_its_seed_with_one_number_added_to_all_elements() -> None:
    settings = Settings(theta=(1e-4, 1e-6), corpus=5)
    mutants = create("linf", SPACE, 3, settings).ask(10)["x0"].reshape(5, 2, 4)
    first, second = mutants[:, 0], mutants[:, 1]
    moves = first - second
    assert np.ptp(moves, axis=1).max() < 1e-12
    assert (np.abs(moves) < 1e-4).all()
    assert (np.abs(moves) > 0.0).any()


def test_only_an_input_that_raises_the_largest_error_returns_to_the_corpus() -> None:
    made = create("l1", SPACE, 1, Settings(theta=(1e-8,), corpus=4))
    asked = made.ask(4)
    made.tell(asked, Scores(np.zeros(4), np.array([1.0, 3.0, 2.0, 3.0]), np.zeros(4)))
    assert len(made.state()["corpus"]) == 2
    assert np.array_equal(made.state()["corpus"], asked["x0"].reshape(4, 4)[:2])
    again = made.ask(2)["x0"].reshape(2, 4)
    assert np.abs(again - asked["x0"].reshape(4, 4)[:2]).max() <= 1e-8
    assert not len(made.state()["corpus"]), "what is taken is not put back"
    assert len(made.ask(3)["x0"]) == 3, "an empty corpus is filled again"


def test_each_norm_has_its_own_guide() -> None:
    for name, expected in (("linf", 0), ("l1", 1)):
        made = create(name, SPACE, 1, Settings(theta=(0.0,), corpus=2))
        asked = made.ask(2)
        made.tell(asked, Scores(np.array([5.0, 1.0]), np.array([0.0, 1.0]), np.zeros(2)))
        assert np.array_equal(made.state()["corpus"][0], asked["x0"][expected].ravel())


def test_exponents_reach_over_the_whole_format() -> None:
    for dtype, found in FORMATS.items():
        drawn = create("exponents", Space((Tensor("x", (4,)),), dtype), 1).ask(4000)["x"]
        places = np.frexp(drawn)[1] - 1
        assert places.min() <= found.least + 2
        assert places.max() >= found.greatest - 2


def test_exponents_within_bounds_are_of_every_size() -> None:
    space = Space((Tensor("x", (4,), -4.5, 4.5),), "float32")
    drawn = create("exponents", space, 1).ask(2000)["x"]
    assert (np.abs(drawn) == 4.5).mean() < 0.02, "not all at the ends"
    assert np.abs(drawn).min() < 1e-30


@pytest.mark.parametrize("name", ["elements", "climb", "mixture"])
def test_what_learns_climbs_higher_than_what_does_not(name: str) -> None:
    def height(inputs: np.ndarray) -> np.ndarray:
        apart = np.abs(inputs.reshape(len(inputs), -1) - 1.2345).max(axis=1)
        return -np.log10(np.maximum(apart, 1e-30))

    best = {}
    for each in (name, "random"):
        made, best[each] = create(each, SPACE, 5), -99.0
        for _ in range(60):
            asked = made.ask(50)
            found = height(asked["x0"]) + 40.0
            made.tell(asked, scores(found))
            best[each] = max(best[each], float(found.max()))
    assert best[name] > best["random"] + 0.2


@pytest.mark.parametrize("dtype", FORMATS)
def test_rounding_gives_the_nearest_number_of_the_format(dtype: str) -> None:
    found = FORMATS[dtype]
    generator = np.random.default_rng(1)
    low = max(found.least - 8, -1020)
    exponents = generator.integers(low, found.greatest, 5000)
    values = np.ldexp(1.0 + generator.random(5000), exponents)
    near = rounded(values, dtype)
    assert np.array_equal(rounded(near, dtype), near)
    assert (np.abs(near - values) <= 0.5 * unit(values, dtype)).all()
    assert rounded(2.0 * largest("float16"), "float16") == np.inf
    assert rounded(smallest(dtype) / 2.0, dtype, flush=True) == 0.0


def test_units_in_the_last_place() -> None:
    assert unit(1.0, "float32") == 2.0**-23
    assert unit(1.999, "float32") == 2.0**-23
    assert unit(0.0, "float32") == 2.0**-149
    assert unit(np.inf, "float16") == 2.0**5
    assert unit(3.0, "bfloat16") == 2.0**-6


def test_the_genetic_search_breeds_the_best_and_keeps_them() -> None:
    breeding = Breeding(parents=2, crossover=0.5, mutation=0.3, noise=1e-6)
    made = create("genetic", SPACE, 1, Settings(breeding=breeding))
    first = made.ask(6)
    flat = first["x0"].reshape(6, 4)
    made.tell(first, scores(np.array([0.0, 3.0, 1.0, np.nan, 2.0, -1.0])))
    assert np.array_equal(made.state()["parents"], flat[[1, 4]])
    children = made.ask(200)["x0"].reshape(200, 4)
    near = [np.abs(children - flat[parent]) < 1e-2 for parent in (1, 4)]
    assert (near[0] | near[1]).all(), "a gene is that of one of the parents, and noise"
    assert (near[0].any(axis=1) & near[1].any(axis=1)).any(), "some have genes of both"
    made.tell({"x0": children.reshape(200, 2, 2)}, scores(np.full(200, 2.5)))
    assert made.state()["scores"].tolist() == [3.0, 2.5], "the best stays, whatever its age"


def test_cauchy_noise_has_its_scale_and_heavy_tails() -> None:
    made = create("genetic", SPACE, 1, Settings(breeding=Breeding(noise=0.5)))
    drawn = np.abs(made.ask(20_000)["x0"])
    assert abs(np.median(drawn) - 0.5) < 0.02
    assert drawn.max() > 1000
