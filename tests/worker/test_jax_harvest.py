"""What JAX can be asked, from JAX itself."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from assay.execute import Supervisor
from assay.targets import builtin_targets
from assay_worker import libraries
from assay_worker.catalogue import drawing, jax_names
from assay_worker.catalogue._base import Sample
from assay_worker.catalogue.jax import JaxHarvest
from assay_worker.catalogue.jax_examples import EXAMPLES
from assay_worker.catalogue.probing import Prober, encoded
from assay_worker.catalogue.trying import Trying


@pytest.fixture(scope="module")
def harvest():
    return JaxHarvest(libraries.load("jax", "jax", "eager"))


def test_names_are_functions_of_arrays_each_once(harvest):
    names = harvest.names()
    assert {"jax.numpy.sort", "jax.lax.conv", "jax.scipy.stats.norm.cdf", "jax.nn.gelu"} <= {*names}
    assert names == sorted(set(names))
    assert len({id(harvest.adapter.resolve(name)) for name in names}) == len(names) > 800
    for none in ("jax.lax.add_p", "jax.numpy.float32", "jax.lax.scan", "jax.random.key"):
        assert none not in names
    # jax.scipy.special.logsumexp is the same function.
    assert "jax.nn.logsumexp" in names
    assert "jax.scipy.special.logsumexp" not in names


def test_names_that_are_left_out_or_have_examples_exist(harvest):
    known = set(jax_names.everything())
    assert known >= jax_names._LEFT_OUT
    assert set(EXAMPLES) <= set(harvest.names())


def test_sources_list_documentation_first_and_twice_the_same(harvest):
    sources = harvest.sources()
    assert sources == JaxHarvest(harvest.adapter).sources()
    kinds = [source.partition(":")[0] for source in sources]
    assert kinds == sorted(kinds)
    assert "docs:jax.numpy.sort" in sources
    assert "harness:conv_general_dilated" in sources


def test_documentation_gives_calls_of_its_own_function(harvest):
    samples = harvest.collect("docs:jax.numpy.sort")
    assert {sample.api for sample in samples} == {"jax.numpy.sort"}
    assert any(sample.kwargs.get("axis") is not None for sample in samples)
    assert all(isinstance(sample.args[0], jax.Array) for sample in samples)


def test_whole_numbers_of_examples_come_as_floats_too(harvest):
    first = harvest.collect("docs:jax.numpy.sort")[0]
    assert first.args[0].dtype == "float32"


def test_examples_of_numpy_are_calls_of_jax(harvest):
    """NumPy shows ``cumsum`` of a nested list with a dtype; JAX takes an array."""
    samples = harvest._of_sibling("jax.numpy.cumsum")
    assert samples
    assert all(isinstance(sample.args[0], jax.Array) for sample in samples)
    assert not any("out" in sample.kwargs for sample in samples)


def test_tests_of_primitives_are_calls_of_public_functions(harvest):
    samples = harvest.collect("harness:conv_general_dilated")
    assert {sample.api for sample in samples} == {"jax.lax.conv_general_dilated"}
    (sample, *_) = harvest.collect("harness:xor")
    assert sample.api == "jax.lax.bitwise_xor"


def test_guesses_are_those_whose_shapes_fit(harvest):
    found = harvest.guesses("jax.numpy.linalg.inv")
    assert found
    assert all(sample.args[0].shape[-1] == sample.args[0].shape[-2] for sample in found)
    assert all(sample.kwargs["shape"] for sample in harvest.guesses("jax.random.gamma"))


def test_keys_become_raw_ones(harvest):
    kept, elements = harvest.kept(jax.random.key(3))
    assert (kept.dtype, elements) == ("uint32", 2)


def test_dtypes_are_told_as_jax_takes_them(harvest):
    told = [harvest.dtype_name(value) for value in (jnp.bfloat16, float, np.dtype("int64"), 3)]
    assert told == ["bfloat16", "float32", "int32", None]
    assert harvest.has_dtype("float32")
    assert not harvest.has_dtype("float64")


def test_functions_and_enumerations_have_public_names(harvest):
    assert harvest.public_name(jax.lax.add) == {"$name": "jax.lax.add"}
    told = harvest.public_name(jax.lax.Precision.HIGHEST)
    assert harvest.adapter.resolve(told["$name"]) is jax.lax.Precision.HIGHEST
    assert harvest.public_name("add") is None


def test_shapes_and_derivatives_are_told_without_computing(harvest):
    x = jnp.ones((2, 3))
    assert harvest.shapes(jnp.sum, (x,), {"axis": 0}) == [(3,)]
    assert harvest.shapes(jnp.nonzero, (x,), {}) is None
    with pytest.raises(ValueError, match="Incompatible shapes"):
        harvest.shapes(jnp.add, (x, jnp.ones((4,))), {})
    assert harvest.differentiable(jnp.sin, (x,), {})
    assert not harvest.differentiable(jnp.argmax, (x,), {})


def test_a_missing_kernel_is_told_without_running(harvest):
    """Shapes alone do not say so."""
    half = jnp.ones((3, 3), "float16")
    assert harvest.shapes(jnp.linalg.eigvalsh, (half,), {}) == [(3,)]
    with pytest.raises(NotImplementedError):
        harvest.accepts(jnp.linalg.eigvalsh, (half,), {})
    assert harvest.accepts(jnp.sin, (half,), {})
    assert harvest.accepts(jnp.nonzero, (half,), {}) is None


def test_draws_of_larger_axes_are_told_and_those_of_one_or_no_element_computed(harvest):
    class Watched(Trying):
        def run(self, call, choice, *seed):
            ran.append((choice.sizes["n0"], choice.dtype))
            return super().run(call, choice, *seed)

    def holds(size, dtype="float32"):
        ran.clear()
        return Watched(harvest, "jax.numpy.var").holds(
            call, drawing.Choice({"n0": size}, dtype, (), 1)
        )

    ran = []
    call, _ = encoded(harvest, Sample("jax.numpy.var", (jnp.ones((3,)),), {"ddof": 1}))
    call["inputs"][0].update(shape=["n0"], free=True)
    call.update(sizes={"n0": [3, 1, 17]}, dtypes=["float32", "bfloat16", "int32", "int8"])
    assert holds(17)
    assert ran == [(3, "float32")]
    assert holds(17, "bfloat16")
    assert ran == [(3, "float32")]
    assert holds(17, "int8")
    assert ran == [(3, "float32"), (3, "int32")]
    assert not holds(1)  # of one number there is no spread
    assert ran[-1] == (1, "float32")


def test_what_is_free_in_sign_or_order_is_told(harvest):
    undefined = {name for name in harvest.names() if harvest.undefined(name)}
    assert {"jax.numpy.linalg.svd", "jax.lax.linalg.eigh", "jax.numpy.partition"} <= undefined
    assert "jax.numpy.linalg.eigvalsh" not in undefined


def test_an_initializer_is_made_then_called(harvest):
    samples = harvest.guesses("jax.nn.initializers.he_normal")
    call, _ = encoded(harvest, samples[0])
    assert call["params"] == {}
    found = Prober(harvest, samples[0].api).probed(samples, 1)
    assert found["calls"][0]["arguments"]["1"] == [3, 4]


def test_a_worker_probes_a_docstring_and_a_guess():
    target = builtin_targets()["jax"]
    request = {"do": "catalogue", "calls": 1, "names": ["jax.numpy.sort", "jax.nn.softplus"]}
    probe = dict(request, step="probe", items=[{"key": "docs:jax.numpy.sort"}])
    guess = dict(request, step="guess", items=[{"key": "jax.nn.softplus"}])
    with Supervisor([target], standbys=False) as supervisor:
        supervisor.start()
        answers = [supervisor.ask(target.name, asked) for asked in (probe, guess)]
    (sort,), (softplus,) = (answer["items"] for answer in answers)
    (call,) = sort["apis"]["jax.numpy.sort"]["calls"]
    assert call["dtypes"][0] == "float32"
    assert call["valid"] >= 0.9
    (call,) = softplus["apis"]["jax.nn.softplus"]["calls"]
    assert call["differentiable"]
    assert {"nan", "positive_infinity"} <= set(call["special"])
