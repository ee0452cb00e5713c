"""Where TensorFlow's calls come from, on TensorFlow itself."""

import numpy as np
import pytest
import tensorflow as tf

from assay_worker import calls, libraries
from assay_worker.catalogue import tensorflow_calls_public, tensorflow_calls_raw
from assay_worker.catalogue.probing import LEAST_VALID, Prober, encoded
from assay_worker.catalogue.tensorflow import RAW, TensorFlowHarvest
from assay_worker.rules.modes import tensorflow_forward, tensorflow_reverse


@pytest.fixture(scope="module")
def adapter():
    return libraries.load("tensorflow", "", "eager")


@pytest.fixture(scope="module")
def harvest(adapter):
    return TensorFlowHarvest(adapter)


def test_each_function_has_one_name(harvest, adapter):
    names = harvest.names()
    public = [name for name in names if not name.startswith(RAW)]
    assert len(names) == len(set(names))
    assert len(public) > 700
    assert len(names) - len(public) > 500
    assert len({id(adapter.resolve(name)) for name in public}) == len(public)
    assert "tf.abs" in names
    assert "tf.math.abs" not in names, "a longer path to the same"


@pytest.mark.parametrize(
    "name",
    [
        "tf.raw_ops.Where3D",
        "tf.raw_ops.BatchMatrixInverse",  # removed
        "tf.raw_ops.VariableV2",  # stateful
        "tf.raw_ops.StringLower",
        "tf.raw_ops.SerializeSparse",  # strings, though an attribute says so
        "tf.raw_ops.QuantizedConv2DAndRelu",  # of oneDNN alone
        "tf.while_loop",
        "tf.keras.ops.abs",
        "tf.device",
        "tf.function",
        "tf.io.read_file",
    ],
)
def test_what_is_no_function_of_tensors_has_no_name(harvest, name):
    assert name not in harvest.names()


def test_what_is_known_of_calls_is_known_of_names_that_there_are(harvest):
    names = set(harvest.names())
    assert set(tensorflow_calls_public.CALLS) <= names
    assert {RAW + name for name in tensorflow_calls_raw.CALLS} <= names


def test_only_ranks_that_a_shape_function_takes_are_guessed(harvest):
    """Kernels may end the process when they meet another one."""
    found = harvest.guesses("tf.raw_ops.AvgPool3D")
    assert found
    assert {sample.kwargs["input"].shape.rank for sample in found} == {5}


def test_arguments_have_the_names_of_the_python_function(harvest):
    """The registry calls it ``reduction_indices``."""
    assert set(harvest.guesses("tf.raw_ops.Max")[0].kwargs) == {"input", "axis"}


def test_types_are_those_that_kernels_have(harvest):
    for sample in harvest.guesses("tf.raw_ops.PopulationCount"):
        assert sample.kwargs["x"].dtype.is_integer


@pytest.mark.parametrize(
    "name",
    [
        "tf.raw_ops.MatMul",
        "tf.raw_ops.LSTMBlockCell",
        "tf.raw_ops.SparseTensorDenseMatMul",
        "tf.raw_ops.QuantizedRelu",
        "tf.math.segment_sum",
        "tf.nn.bias_add",
        "tf.signal.fft",
        "tf.experimental.numpy.where",
    ],
)
def test_a_guess_works_as_hunts_draw_it(harvest, name):
    found = Prober(harvest, name).probed(harvest.guesses(name), 1)
    (call,) = found["calls"]
    assert call["valid"] >= LEAST_VALID


def test_examples_are_recorded_beside_what_is_known(harvest):
    assert "examples:tf.concat" in harvest.sources()
    samples = [sample for sample in harvest.collect("examples:tf.concat") if sample.args]
    assert {sample.api for sample in samples} == {"tf.concat"}
    values, axis = samples[0].args
    assert [value.shape for value in values] == [(2, 3), (2, 3)]
    assert axis == 0


def test_a_list_of_an_example_is_a_tensor_where_it_means_one(harvest):
    (sample, *_) = harvest.collect("examples:tf.math.reduce_std")
    assert tf.is_tensor(sample.args[0])
    (shaped, *_) = [
        sample for sample in harvest.collect("examples:tf.reshape") if len(sample.args) > 1
    ]
    assert not tf.is_tensor(shaped.args[1]), "a shape is none"


def test_a_list_of_tensors_stays_a_list(harvest):
    samples = [item for item in harvest.collect("examples:tf.add_n") if item.api == "tf.add_n"]
    assert all(isinstance(sample.args[0], list) for sample in samples)
    assert all(tf.is_tensor(item) for sample in samples for item in sample.args[0])


def test_a_function_may_be_known_by_several_calls(harvest):
    samples = harvest.collect("examples:tf.nn.conv2d")
    steps = [sample.args[2] for sample in samples if len(sample.args) > 2]
    assert 1 in steps
    assert [2, 3] in steps


def test_kernels_are_kept_between_calls_that_are_not_random(adapter):
    """Seeding makes TensorFlow forget them."""
    assert adapter.may_draw("tf.random.normal")
    assert adapter.may_draw("tf.nn.dropout")
    assert not adapter.may_draw("tf.nn.conv2d")


def test_other_names_are_those_of_the_same_object(harvest, adapter):
    aliases = harvest.aliases()
    assert aliases["tf.math.softsign"] == "tf.nn.softsign"
    assert aliases["tf.math.abs"] == "tf.abs"
    names = set(harvest.names())
    assert set(aliases.values()) <= names
    assert not set(aliases) & names
    assert all(adapter.resolve(path) is adapter.resolve(aliases[path]) for path in aliases)


def test_random_numbers_begin_anew_with_each_step(harvest):
    found = Prober(harvest, "tf.random.normal").probed(harvest.guesses("tf.random.normal"), 1)
    assert found["calls"]
    assert found["undefined"]


def test_there_is_no_slope_where_a_result_is_infinite():
    x = tf.constant([86.876, -94.606705, 2.0])
    function = tf.math.special.bessel_y0  # of negative numbers: minus infinity
    first, second = (make(function)(x) for make in (tensorflow_reverse, tensorflow_forward))
    np.testing.assert_array_equal(first, second)
    assert first[0] == 0
    assert tensorflow_forward(function)(x[2:])[0] != 0


def test_two_harvests_give_the_same(adapter):
    first, second = (TensorFlowHarvest(adapter).guesses("tf.raw_ops.Betainc") for _ in range(2))
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):
        for key in one.kwargs:
            np.testing.assert_array_equal(one.kwargs[key], other.kwargs[key])


def test_a_sparse_tensor_is_told_as_what_it_is_made_of(harvest, adapter):
    (sample, *_) = harvest.collect("examples:tf.sparse.sparse_dense_matmul")
    call, arrays = encoded(harvest, sample)
    told = call["arguments"]["0"]
    places = [[0, 0], [1, 2], [2, 1]]
    assert told == {"$made": ["tf.SparseTensor", places, {"$tensor": "x0"}, [3, 4]]}
    tensors = {name: tf.constant(array) for name, array in arrays.items()}
    again = calls.decoded(told, tensors, adapter)
    np.testing.assert_array_equal(tf.sparse.to_dense(again), tf.sparse.to_dense(sample.args[0]))


def test_a_sparse_result_is_told_as_its_parts(adapter):
    indices, values, shape = adapter.flat(adapter.construct("tf.sparse.from_dense", {})(tf.eye(2)))
    assert indices.numpy().tolist() == [[0, 0], [1, 1]]
    assert values.numpy().tolist() == [1.0, 1.0]
    assert shape.numpy().tolist() == [2, 2]


@pytest.mark.parametrize(
    ("name", "undefined"),
    [
        ("tf.random.normal", True),
        ("tf.random.stateless_normal", False),
        ("tf.linalg.svd", True),
        ("tf.raw_ops.Qr", True),
        ("tf.image.random_hue", True),
        ("tf.linalg.eigvalsh", False),
    ],
)
def test_documented_freedom_is_known(harvest, name, undefined):
    assert name in harvest.names()
    assert bool(harvest.undefined(name)) == undefined


def test_quantized_numbers_are_told_as_whole_ones(harvest, adapter):
    (sample, *_) = harvest.guesses("tf.raw_ops.QuantizedRelu")
    call, arrays = encoded(harvest, sample)
    told = call["arguments"]["features"]
    assert told == {"$made": ["tf.bitcast", {"$tensor": "x0"}, {"$dtype": "quint8"}]}
    again = calls.decoded(told, {"x0": tf.constant(arrays["x0"])}, adapter)
    assert again.dtype == tf.quint8
    np.testing.assert_array_equal(adapter.engine.numpy(again), arrays["x0"])


def test_an_argument_that_the_library_refuses_to_make_is_a_failure_of_the_call(adapter):
    made = {"$made": ["tf.bitcast", {"$tensor": "x0"}, {"$dtype": "qint32"}]}
    graph = {
        "inputs": [{"name": "x0", "shape": [3], "dtype": "int8"}],
        "nodes": [
            {"id": "c", "op": "tf.raw_ops.Requantize", "inputs": [], "params": {},
             "arguments": {"input": made}}
        ],
        "outputs": ["c"],
    }  # fmt: skip
    recipe = {"kind": "integers", "seed": 1, "low": 0, "high": 5}
    case = {
        "graph": graph,
        "inputs": {"x0": recipe},
        "training": False,
        "loss": None,
        "stage": "forward",
        "explicit_weights": {},
        "weights": {},
        "optimizer": None,
    }
    (result,) = adapter.execute(case)
    assert result["status"] == "error"
    assert result["failure"]["stage"] == "forward"
    assert "bitcast" in result["failure"]["message"]


def test_pictures_of_one_batch_keep_their_sizes(harvest):
    assert harvest.unchecked("tf.raw_ops.ScaleAndTranslateGrad") == ("sizes",)
    assert harvest.unchecked("tf.raw_ops.ResizeBilinear") == ()
