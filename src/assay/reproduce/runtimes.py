"""How a model file is loaded and run, as code: by Keras, by ONNX's runtimes, by PyTorch.

The code has ``PATH`` and ``inputs`` (arrays in the model's order), and gives ``outputs``.
"""

import msgspec

from assay.ir import EAGER_MODES
from assay.ir.model import CheckedModel, Place
from assay.reproduce.program import CannotReproduce

_COMPILED = ("graph", "xla", "jit", "compile")


class Runtime(msgspec.Struct, frozen=True):
    """Modules to import, and the lines that run the model."""

    modules: tuple[str, ...]
    lines: tuple[str, ...]


def runtime(model: CheckedModel, place: Place) -> Runtime:
    """How a target runs a model; ``CannotReproduce`` for one that no script of ours can run."""
    if place.library == "keras":
        mode = "eager" if place.mode in EAGER_MODES else place.mode
        return _keras(model, mode, _custom(model, place))
    if place.library == "keras2":
        return _keras2(model, _custom(model, place))
    if place.library == "torch":
        return _torch(place.mode)
    if place.library == "onnxruntime":
        return Runtime(("onnxruntime",), tuple(_onnxruntime("PATH", place.mode == "optimised")))
    if place.library == "openvino":
        return Runtime(("openvino",), tuple(_openvino("PATH")))
    if place.library == "onnx":
        return Runtime(
            ("onnx.reference",),
            (
                "evaluator = onnx.reference.ReferenceEvaluator(PATH)",
                f"outputs = evaluator.run(None, dict(zip({list(model.inputs)}, inputs)))",
            ),
        )
    raise CannotReproduce(f"no script of ours runs models with {place.library}")


def _custom(model: CheckedModel, place: Place) -> str:
    """A further argument for loading: what the prelude defines, by its names in the file."""
    if not model.custom or not place.prelude:
        return ""
    names = {full: full.rpartition(">")[2] for full in model.custom}
    listed = ", ".join(f"{full!r}: prelude.get({name!r})" for full, name in names.items())
    return f", custom_objects={{{listed}}}"


def _keras(model: CheckedModel, mode: str, custom: str) -> Runtime:
    safe = not model.trust
    load = [f"model = keras.models.load_model(PATH, compile=False, safe_mode={safe}{custom})"]
    if model.architecture:
        load = [
            f'model = keras.models.model_from_json(str(data["architecture"]){custom})',
            "model.load_weights(PATH)",
        ]
    load.append("given = inputs[0] if len(inputs) == 1 else inputs")
    flat = "outputs = [keras.ops.convert_to_numpy(item) for item in keras.tree.flatten(result)]"
    if mode == "eager":
        return Runtime(("keras",), (*load, "result = model(given, training=False)", flat))
    if mode in _COMPILED:
        return Runtime(
            ("keras",),
            (
                *load,
                "model.run_eagerly = False",
                f"model.jit_compile = {mode != 'graph'}",
                "model.predict_function = None  # so that it is compiled as said",
                "outputs = keras.tree.flatten(model.predict_on_batch(given))",
            ),
        )
    exports = {
        "onnxruntime": ("onnx", "model.onnx", "onnxruntime", _onnxruntime),
        "openvino": ("openvino", "model.xml", "openvino", _openvino),
        "litert": ("litert", "model.tflite", "ai_edge_litert.interpreter", _litert),
    }
    if mode not in exports:
        raise CannotReproduce(f"no script of ours runs Keras models in mode {mode}")
    format, name, module, lines = exports[mode]
    return Runtime(
        ("keras", "tempfile", module),
        (
            *load,
            "model(given, training=False)  # Keras exports models after a first call only",
            f'exported = os.path.join(tempfile.mkdtemp(), "{name}")',
            f'model.export(exported, format="{format}", verbose=False)',
            *lines("exported"),
        ),
    )


def _keras2(model: CheckedModel, custom: str) -> Runtime:
    load: tuple[str, ...] = (f"model = keras.models.load_model(PATH, compile=False{custom})",)
    if model.architecture:
        load = (
            f'model = keras.models.model_from_json(str(data["architecture"]){custom})',
            "model.load_weights(PATH)",
        )
    return Runtime(
        ("keras",),
        (
            *load,
            "result = model.predict_on_batch(inputs[0] if len(inputs) == 1 else inputs)",
            "outputs = result if isinstance(result, list) else [result]",
        ),
    )


def _onnxruntime(path: str, optimised: bool = True) -> list[str]:
    level = "ORT_ENABLE_ALL" if optimised else "ORT_DISABLE_ALL"
    return [
        "options = onnxruntime.SessionOptions()",
        "options.graph_optimization_level = onnxruntime.GraphOptimizationLevel." + level,
        "options.intra_op_num_threads = 1",
        'providers = ["CPUExecutionProvider"]',
        f"session = onnxruntime.InferenceSession({path}, options, providers)",
        "names = [item.name for item in session.get_inputs()]",
        "outputs = session.run(None, dict(zip(names, inputs)))",
    ]


def _openvino(path: str) -> list[str]:
    settings = '{"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": "1"}'
    return [
        f'compiled = openvino.Core().compile_model({path}, "CPU", {settings})',
        "result = compiled(inputs)",
        "outputs = [np.array(result[port]) for port in compiled.outputs]",
    ]


def _litert(path: str) -> list[str]:
    return [
        f"interpreter = ai_edge_litert.interpreter.Interpreter({path}, num_threads=1)",
        "runner = interpreter.get_signature_runner()",
        "names = [item.name for item in model.inputs]",
        "details = runner.get_input_details()",
        "names = list(details) if len(details) == 1 else names",
        "result = runner(**dict(zip(names, inputs)))",
        'outputs = [result["output_%d" % place] for place in range(len(result))]',
    ]


def _torch(mode: str) -> Runtime:
    if mode not in ("eager", "compile"):
        raise CannotReproduce(f"no script of ours runs PyTorch programs in mode {mode}")
    module = "torch.export.load(PATH).module()"
    return Runtime(
        ("torch",),
        (
            f"module = torch.compile({module})" if mode == "compile" else f"module = {module}",
            "with torch.no_grad():",
            "    result = module(*[torch.from_numpy(item) for item in inputs])",
            "leaves = torch.utils._pytree.tree_leaves(result)",
            "outputs = [item.detach().float().numpy() for item in leaves]",
        ),
    )
