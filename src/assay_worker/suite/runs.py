"""A case on the runtime of an adapter: every type of ONNX goes in and out.

NumPy has no bfloat16, no float8 and no numbers of four bits or two; runtimes take and give those
as bytes, each in its own way.
"""

import ctypes
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from assay_worker.libraries._base import StageFailure, at, describe_failure
from assay_worker.models.onnx_session import onnxruntime_session, openvino_compiled
from assay_worker.suite.values import WHOLE, lacking, told, unpacked


def run(adapter, case, copies, precise):
    """The answer to a case; with ``copies``, to so many of it whose inputs are moved.

    They are moved by one unit in the last place of their type; ``precise``: as float64, and by
    next to nothing.
    """
    started = time.process_time()
    given = dict(zip(case["names"]["inputs"], map(unpacked, case["inputs"])))
    answer = {"name": case["name"]}
    # Marked with the name of the case, so that a death is told with it. What is ours is outside.
    try:
        runtime = _RUNTIMES[adapter.module]
        ask = runtime(case["name"], adapter.mode, case["model"].tobytes(), given)
        if copies:
            answer["copies"] = list(_copies(ask, given, copies, precise))
        else:
            answer["outputs"] = [told(value) for value in ask(given)]
    except StageFailure as failure:
        answer["failure"] = describe_failure(failure)
    except NotTaken as error:
        answer["failure"] = describe_failure(StageFailure("forward", case["name"], error))
    except Exception as error:  # ours: it costs this case only, and is no fault of a runtime
        answer["fault"] = describe_failure(StageFailure("forward", case["name"], error))
    answer["cpu_seconds"] = time.process_time() - started
    return answer


#: How far inputs of float64 are moved that are to stay what they are, as a share.
_NEXT_TO_NOTHING = 2.0**-40


class NotTaken(NotImplementedError):
    """A value that the Python of a runtime does not take."""


def _copies(ask, given, copies, precise):
    """Outputs for inputs that are moved; none of a copy that is refused.

    In every second copy the first input only: a scale that is moved may ask for another shape.
    """
    for seed in range(copies):
        generator = np.random.RandomState(seed)
        moving = list(given)[:1] if seed % 2 else list(given)
        moved = {name: _moved_value(given[name], generator, precise) for name in moving}
        try:
            outputs = ask(dict(given, **moved))
        except StageFailure:
            continue
        yield [told(value) for value in outputs]


def _moved_value(value, generator, precise):
    """An array of fractions, each moved up or down; whole numbers of such a type move, too."""
    if isinstance(value, list):
        return [_moved_value(item, generator, precise) for item in value]
    if not isinstance(value, np.ndarray) or not _fractions(value):
        return value
    step = _NEXT_TO_NOTHING if precise else 2.0 ** -_DIGITS.get(value.dtype.name, 3)
    direction = np.where(generator.random_sample(value.shape) < 0.5, -step, step)
    with np.errstate(all="ignore"):
        moved = np.asarray(value.astype("float64") * (1.0 + direction))
        return moved if precise else moved.astype(value.dtype)


#: Bits of the fraction of a number, by type; others have three at most.
_DIGITS = {"float64": 52, "float32": 23, "float16": 10, "bfloat16": 7}


def _fractions(array):
    if lacking(array):
        return array.dtype.name not in WHOLE
    return array.dtype.kind == "f"


def _in_onnxruntime(name, mode, content, given):
    """Asks ONNX Runtime: a function of inputs by name."""
    import onnxruntime

    model = onnx.load_from_string(content)
    if any(_bits(value) < 8 for value in given.values()):
        _store(model, given)
    with at("build", name):
        session = onnxruntime_session(model.SerializeToString(), mode != "unoptimised")
    wanted = {item.name for item in session.get_inputs()}
    names = [item.name for item in session.get_outputs()]
    shown = list(session.get_inputs()) + list(session.get_outputs())
    plain = not any(_foreign(item.type) for item in shown)

    def ask(inputs):
        used = {key: value for key, value in inputs.items() if key in wanted}
        if plain:
            with at("forward", name):
                return session.run(names, used)
        values = {key: _ort_value(onnxruntime, value) for key, value in used.items()}
        with at("forward", name):
            found = session.run_with_ort_values(names, values)
        return [_of_ort_value(item) for item in found]

    return ask


def _bits(value):
    """How many bits an element takes; those of less than eight are packed."""
    if not isinstance(value, np.ndarray) or not lacking(value):
        return 8
    digits = "".join(letter for letter in value.dtype.name.partition("_")[0] if letter.isdigit())
    return 4 if value.dtype.name.startswith("float4") else int(digits[:2] or 8)


def _store(model, given):
    """Make constants of inputs whose elements are packed: ONNX Runtime's Python lacks those."""
    graph = model.graph
    kept = [item for item in graph.input if _bits(given.get(item.name)) >= 8]
    stored = [name for name, value in given.items() if _bits(value) < 8]
    graph.initializer.extend(numpy_helper.from_array(given[name], name) for name in stored)
    del graph.input[:]
    graph.input.extend(kept)


def _foreign(kind):
    """Is it a type of ONNX Runtime that NumPy lacks?"""
    return kind.startswith("tensor(") and any(
        part in kind for part in ("bfloat16", "float8", "float4", "int4", "int2")
    )


def _ort_value(onnxruntime, value):
    if isinstance(value, list):
        raise NotTaken("ONNX Runtime's Python has no sequences beside a type that NumPy lacks")
    array = np.asarray(value)
    if not lacking(array):
        return onnxruntime.OrtValue.ortvalue_from_numpy(array)
    plain = array.view("uint%d" % (8 * array.dtype.itemsize))
    kind = helper.np_dtype_to_tensor_dtype(array.dtype)
    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(plain, kind)


def _of_ort_value(value):
    if not value.is_tensor() or not _foreign(value.data_type()):
        return value.numpy() if value.is_tensor() else value.to_list()
    content = ctypes.string_at(value.data_ptr(), value.tensor_size_in_bytes())
    return _array(content, value.element_type(), value.shape())


def _array(content, kind, shape):
    """An array of a type that NumPy lacks, of the bytes in which ONNX stores it."""
    tensor = TensorProto(data_type=kind, dims=shape)
    count = int(np.prod(shape, dtype="int64"))
    tensor.raw_data = content[: -(-count * _BITS.get(kind, 8 * len(content)) // 8)]
    return numpy_helper.to_array(tensor)


#: Bits of an element of the types that NumPy lacks, by ONNX's number of the type.
_BITS = {
    getattr(TensorProto, name): bits
    for name, bits in (
        ("BFLOAT16", 16),
        ("FLOAT8E4M3FN", 8),
        ("FLOAT8E4M3FNUZ", 8),
        ("FLOAT8E5M2", 8),
        ("FLOAT8E5M2FNUZ", 8),
        ("FLOAT8E8M0", 8),
        ("INT4", 4),
        ("UINT4", 4),
        ("FLOAT4E2M1", 4),
        ("INT2", 2),
        ("UINT2", 2),
    )
    if hasattr(TensorProto, name)
}
#: What OpenVINO calls the types that NumPy lacks.
_OPENVINO = {
    "bf16": "BFLOAT16",
    "f8e4m3": "FLOAT8E4M3FN",
    "f8e5m2": "FLOAT8E5M2",
    "f8e8m0": "FLOAT8E8M0",
    "f4e2m1": "FLOAT4E2M1",
    "i4": "INT4",
    "u4": "UINT4",
    "u2": "UINT2",
}


def _in_openvino(name, mode, content, given):
    """Asks OpenVINO."""
    import openvino

    with at("build", name):
        compiled = openvino_compiled(content)
    wanted = _ports(openvino, compiled, given)
    names = [item.name for item in onnx.load_from_string(content).graph.output]
    ports = [compiled.output(item) for item in names]

    def ask(inputs):
        request = compiled.create_infer_request()
        # An input that nothing reads is no input of the compiled model.
        tensors = {
            wanted[key]: _ov_tensor(openvino, value)
            for key, value in inputs.items()
            if key in wanted
        }
        with at("forward", name):
            request.infer(tensors)
        return [_of_ov_tensor(request.get_tensor(port)) for port in ports]

    return ask


def _ports(openvino, compiled, given):
    """Which input of a compiled model takes what is given under a name.

    An input that nothing reads is none of the compiled model; one that is handed on as an output
    has the output's name there, and is told by its shape.
    """
    found, left = {}, []
    for port in compiled.inputs:
        own = port.get_node().get_friendly_name()
        if own in given:
            found[own] = port
        else:
            left.append(port)
    for port in left:
        fitting = [
            name
            for name, value in given.items()
            if name not in found
            and isinstance(value, np.ndarray)
            and port.partial_shape.compatible(openvino.PartialShape(list(value.shape)))
        ]
        if not fitting:
            raise NotTaken("OpenVINO's Python takes tensors only: none fits %s" % port)
        found[fitting[0]] = port
    return found


def _ov_tensor(openvino, value):
    if isinstance(value, list):
        raise NotTaken("OpenVINO's Python takes tensors only; received a sequence")
    array = np.asarray(value)
    if array.dtype.kind in "OUS":
        return openvino.Tensor(array.astype("U"))
    if not lacking(array):
        return openvino.Tensor(array)
    kind = helper.tensor_dtype_to_string(helper.np_dtype_to_tensor_dtype(array.dtype))
    words = {onnx_name: own for own, onnx_name in _OPENVINO.items()}
    own = words.get(kind.rpartition(".")[2])
    if own is None:
        raise NotTaken("OpenVINO has no type %s" % array.dtype.name)
    tensor = openvino.Tensor(getattr(openvino.Type, own), openvino.Shape(list(array.shape)))
    content = np.frombuffer(numpy_helper.from_array(array).raw_data, "uint8")
    tensor.data.reshape(-1).view("uint8")[: len(content)] = content
    return tensor


def _of_ov_tensor(tensor):
    kind = tensor.element_type
    if kind.get_type_name() == "string":
        return np.array(tensor.str_data, dtype=object)
    name = _OPENVINO.get(kind.get_type_name())
    if name is None:
        return np.array(tensor.data)
    content = np.array(tensor.data).reshape(-1).view("uint8").tobytes()
    return _array(content, getattr(TensorProto, name), list(tensor.shape))


def _in_reference(name, mode, content, given):
    """Asks the evaluator of the onnx package."""
    from onnx.reference import ReferenceEvaluator

    model = onnx.load_from_string(content)
    with at("build", name):
        evaluator = ReferenceEvaluator(model)

    def ask(inputs):
        with at("forward", name), np.errstate(all="ignore"):
            return evaluator.run(None, inputs)

    return ask


_RUNTIMES = {
    "onnxruntime": _in_onnxruntime,
    "openvino": _in_openvino,
    "onnx": _in_reference,
}
