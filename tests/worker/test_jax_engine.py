"""What workers on JAX do without compiling is what JAX does."""

import re
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax")

from assay_worker import engines  # noqa: E402
from assay_worker.engines import jax as jax_engine  # noqa: E402
from assay_worker.engines.jax import JaxEngine  # noqa: E402

CONSTANT = np.array([[1.0, 2.0, 0.5]], "float32")
EVERY = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "float16",
    "float32",
    "float64",
    "complex64",
]


@pytest.fixture(scope="module")
def engine() -> JaxEngine:
    made = engines.create("jax")
    assert isinstance(made, JaxEngine)
    return made


@pytest.mark.parametrize("dtype", EVERY)
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_tensors_are_those_that_jax_makes(
    engine: JaxEngine, dtype: str, shape: tuple[int, ...]
) -> None:
    array = (np.arange(np.prod(shape, dtype=int)).reshape(shape) - 1).astype(dtype)
    usual = jax.numpy.array(array)
    for mine in (engine.tensor(array), jax.numpy.asarray(engine.placed(array))):
        assert (mine.dtype, mine.weak_type) == (usual.dtype, usual.weak_type)
        assert np.asarray(mine).tobytes() == np.asarray(usual).tobytes()


def test_a_tensor_does_not_change_with_the_array_it_was_made_of(engine: JaxEngine) -> None:
    array = np.ones(64, "float32")
    tensor = engine.tensor(array)
    array[:] = 2
    assert np.asarray(tensor).tolist() == [1] * 64


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_a_weighted_sum_and_its_gradient_are_those_of_jax(engine: JaxEngine, dtype: str) -> None:
    drawn = np.random.RandomState(3)
    output = jax.numpy.asarray(drawn.random_sample((3, 70)), dtype)
    weights = drawn.random_sample((3, 70)).astype("float32") - np.float32(0.5)
    total, gradient = jax.value_and_grad(lambda given: engine.dot(given, weights))(output)
    mine, own = engine.weighted(output, weights)
    assert (mine.dtype, own.dtype) == (total.dtype, gradient.dtype)
    assert np.asarray(own).tobytes() == np.asarray(gradient).tobytes()
    near = {"float32": 1e-5, "float16": 2e-3, "bfloat16": 2e-2}[dtype]
    assert float(mine) == pytest.approx(float(total), rel=near)


def programs() -> list[str]:
    """Programs of many kinds, as they are lowered."""

    def loop(x: Any) -> Any:
        return jax.lax.scan(lambda carry, item: (carry + item, carry * item), x[0], x)

    def chosen(x: Any) -> Any:
        return jax.lax.cond(x[0, 0] > 0, lambda y: y * 2, lambda y: y - CONSTANT, x)

    def called(x: Any) -> Any:
        return jax.pure_callback(np.asarray, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

    functions = [
        jax.numpy.tanh,
        loop,
        chosen,
        called,
        jax.numpy.linalg.inv,
        lambda x: jax.numpy.sort(x, axis=0),
        lambda x: jax.numpy.fft.rfft(x).real,
        lambda x: jax.random.normal(jax.random.key(3), x.shape),
        jax.grad(lambda x: jax.nn.logsumexp(x @ x)),
        lambda x: jax.lax.conv(x[None, None], CONSTANT[None, None], (1, 1), "SAME"),
    ]
    jax.clear_caches()
    given = np.arange(9, dtype="float32").reshape(3, 3) + 1
    told = [jax.jit(function).lower(given).as_text() for function in functions]
    return [re.sub(r"callback_ptr|\d{9,}", "ADDRESS", text) for text in told]


def test_programs_in_a_shared_context_are_those_that_jax_makes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from jax._src.interpreters import mlir

    monkeypatch.setattr(mlir, "make_ir_context", mlir.make_ir_context)  # to be put back
    usual = programs()
    made = []
    make = mlir.make_ir_context
    monkeypatch.setattr(mlir, "make_ir_context", lambda: made.append(make()) or made[-1])
    monkeypatch.setattr(jax_engine, "_LOWERED", 4)
    jax_engine._share_contexts()
    assert programs() == usual
    assert 2 <= len(made) <= len(usual) / 2
