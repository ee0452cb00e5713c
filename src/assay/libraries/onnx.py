"""ONNX: its operators, on ONNX Runtime, OpenVINO, and the evaluator of the onnx package."""

from assay.libraries._base import Dialect, Library, Offered
from assay.libraries.shaping import Pairs, padding, transposing
from assay.libraries.windows import Layout, Pads, convolution, pooling
from assay.libraries.word import WHOLE, rows, word

_ELEMENTWISE = (
    "Abs:abs", "Ceil:ceil", "Cos:cos", "Cosh:cosh", "Erf:erf", "Exp:exp", "Floor:floor",
    "Log:log", "Max:maximum", "Min:minimum", "Neg:negative", "Reciprocal:reciprocal", "Relu:relu",
    "Sigmoid:sigmoid", "Sign:sign", "Sin:sin", "Sinh:sinh", "Softplus:softplus",
    "Softsign:softsign", "Sqrt:sqrt", "Tan:tan", "Tanh:tanh", "Div:divide", "Pow:power",
    "IsNaN:isnan", "Det:det",
)  # fmt: skip
_ALSO_WHOLE = ("Mul:multiply", "Sub:subtract", "Add:add", "MatMul:matmul")
_REDUCTIONS = (
    "ReduceSum:sum", "ReduceMean:mean", "ReduceMax:amax", "ReduceMin:amin", "ReduceProd:prod",
    "ReduceLogSumExp:logsumexp",
)  # fmt: skip


def _flat(pairs: Pairs) -> tuple[int, ...]:
    """All that is before, then all that is after."""
    return (*(before for before, _ in pairs), *(after for _, after in pairs))


def _pairs(flat: tuple[int, ...], rank: int) -> Pairs:
    return tuple((flat[axis], flat[axis + rank]) for axis in range(rank))


def _padded(pads: Pads) -> tuple[int, ...]:
    return _flat(pads)


def _pads(value: tuple[int, ...]) -> Pads:
    rows, columns = _pairs(value, 2)
    return rows, columns


_WINDOW = Layout(
    strides="strides",
    padding="pads",
    dilations="dilations",
    groups="group",
    size="kernel_shape",
    pair=True,
    padded=_padded,
    pads=_pads,
    uneven=True,
)
WORDS = (
    *rows("onnx.", _ELEMENTWISE),
    word("onnx.Where", "where").but(tensors=3),
    *(row.but(dtypes=WHOLE) for row in rows("onnx.", _ALSO_WHOLE)),
    *(
        row.but(always=("axes", "keepdims"), listed=("axes",))
        for row in rows("onnx.", _REDUCTIONS, axes="axis", keepdims="keepdims")
    ),
    word("onnx.Elu", "elu", "alpha"),
    word("onnx.Celu", "celu", "alpha"),
    word("onnx.LeakyRelu", "leaky_relu", alpha="negative_slope").but(defaults={"alpha": 0.01}),
    word("onnx.Gelu", "gelu").but(given={"approximate": "tanh"}),
    *(
        row.but(always=("axis",), single=("axis",))
        for row in rows("onnx.", ("Softmax:softmax", "LogSoftmax:log_softmax"), "axis")
    ),
    word("onnx.Clip", "clip", min="x_min", max="x_max").but(always=("min", "max")),
    word("onnx.Concat", "concatenate", "axis").but(always=("axis",)),
    word("onnx.Reshape", "reshape", shape="newshape"),
    transposing("onnx.Transpose", "perm"),
    padding("onnx.Pad", "pads", _flat, _pairs),
    convolution("onnx.Conv", _WINDOW),
    pooling("onnx.MaxPool", "max_pool", _WINDOW),
    pooling("onnx.AveragePool", "average_pool", _WINDOW),
)

_RUNTIME = ("onnxruntime", "onnx")


def _offered(name: str, extra: str, modules: tuple[str, ...], mode: str = "eager") -> Offered:
    return Offered(name, mode=mode, extra=extra, modules=modules)


_SESSION = (
    "session = onnxruntime.InferenceSession("
    'model.SerializeToString(), {}providers=["CPUExecutionProvider"])'
)
_LEVEL = "options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL"
_PRECISE = '{"INFERENCE_PRECISION_HINT": "f32"}'
LIBRARIES = (
    Library(
        name="onnxruntime",
        root="onnx",
        words=WORDS,
        targets=(
            _offered("onnxruntime", "onnxruntime", _RUNTIME, "optimised"),
            _offered("onnxruntime+unoptimised", "onnxruntime", _RUNTIME, "unoptimised"),
        ),
        dialect=Dialect(
            imports=("onnx", "onnxruntime"),
            modes={
                "optimised": _SESSION.format(""),
                "unoptimised": "options = onnxruntime.SessionOptions()\n"
                f"{_LEVEL}\n{_SESSION.format('sess_options=options, ')}",
            },
            run="session.run([{output}], {inputs})[0]",
        ),
    ),
    Library(
        name="openvino",
        root="onnx",
        targets=(_offered("openvino", "openvino,onnxruntime", ("openvino", "onnx")),),
        dialect=Dialect(
            imports=("onnx", "openvino"),
            modes={
                "eager": "core = openvino.Core()\n"
                "read = core.read_model(model.SerializeToString())\n"
                f'compiled = core.compile_model(read, "CPU", {_PRECISE})'
            },
            run="compiled({inputs})[{output}]",
        ),
    ),
    Library(
        name="onnx",
        root="onnx",
        targets=(_offered("onnx-reference", "onnxruntime", ("onnx",)),),
        dialect=Dialect(
            imports=("onnx", "onnx.reference"),
            modes={"eager": "evaluator = onnx.reference.ReferenceEvaluator(model)"},
            run="evaluator.run([{output}], {inputs})[0]",
        ),
    ),
)
