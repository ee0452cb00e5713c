"""A standalone script about a case of a suite: the model, its inputs, and what ONNX expects.

It needs nothing of the suite. Its argument names the runtime (``onnxruntime``, ``openvino``,
``onnx``); without one, it is about the one that is blamed. It ends as every script of ours.
"""

import base64
import textwrap

import numpy as np

from assay.ir import Finding, platform_of
from assay.ir.suite import Packed, SuiteCase, Value, suite_case_of
from assay.reproduce.literals import array_code, value_code, wrapped
from assay.reproduce.program import CannotReproduce

#: Longer arrays are given as ONNX's message: shorter, and exact too.
_LETTERS = 900
_PRECISE = '{"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": "1"}'
#: How a runtime runs ``model`` on ``inputs``, by library.
_RUNTIMES = {
    "onnxruntime": """
def run_onnxruntime():
    import onnxruntime
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = {item.name for item in session.get_inputs()}
    given = {name: value for name, value in inputs.items() if name in names}
    return session.run(None, given)
""",
    "openvino": f"""
def run_openvino():
    import openvino
    core = openvino.Core()
    compiled = core.compile_model(
        core.read_model(model.SerializeToString()), "CPU", {_PRECISE}
    )
    given, left = {{}}, []
    for port in compiled.inputs:
        name = port.get_node().get_friendly_name()
        if name in inputs:
            given[port] = inputs.pop(name)
        else:
            left.append(port)
    for port in left:  # one that is handed on has the output's name
        fitting = [n for n, a in inputs.items() if port.partial_shape.compatible(list(a.shape))]
        given[port] = inputs.pop(fitting[0])
    result = compiled(given)
    return [result[compiled.output(item.name)] for item in model.graph.output]
""",
    "onnx": """
def run_onnx():
    from onnx.reference import ReferenceEvaluator
    return ReferenceEvaluator(model).run(None, inputs)
""",
}
_MODULES = {"onnxruntime": "onnxruntime", "openvino": "openvino", "onnx": "onnx.reference"}
_COMPARE = """
def alike(wrong, right):
    if isinstance(right, list):
        return (
            isinstance(wrong, list)
            and len(wrong) == len(right)
            and all(map(alike, wrong, right))
        )
    if isinstance(wrong, (list, tuple)) or wrong is None or right is None:
        return wrong is right
    wrong, right = np.asarray(wrong), np.asarray(right)
    if wrong.shape != right.shape:
        return False
    if right.dtype.kind in "fc":
        wrong = wrong.astype(right.dtype)
        return np.allclose(wrong, right, rtol={rtol}, atol={atol}, equal_nan=True)
    return wrong.tolist() == right.tolist()
"""


def suite_title(finding: Finding) -> str:
    """What is wrong, in one line."""
    case = _case(finding)
    said = " ".join(finding.evidence.message.split())
    return f"{case.op} ({case.name} of ONNX's own cases) on {_listed(finding)}: {said[:160]}"


def suite_script(finding: Finding) -> str:
    """The script's text; ``CannotReproduce`` for types that Python gives runtimes in no one way."""
    case = _case(finding)
    if finding.evidence.message.startswith("no answer in") or _foreign(case.told.inputs):
        raise CannotReproduce("inputs of types that NumPy lacks are no part of a script")
    if any(_foreign([value]) for value in case.told.outputs) and finding.kind != "error":
        raise CannotReproduce("outputs of types that NumPy lacks are no part of a script")
    library = _library(finding)
    versions = finding.versions.get(_shown_on(finding), {})
    told = ", ".join(f"{name} {version}" for name, version in versions.items() if name != "python")
    lines = [
        *_comment(f"{told}: {suite_title(finding)}"),
        *_comment(finding.evidence.reason),
        "# exit 0: bug present, 1: not present, 2: cannot run here",
        "import sys",
        "import base64",
        "",
        f'RUNTIME = (sys.argv[1:] or ["{library}"])[0]',
        f"MODULES = {value_code(_MODULES)}",
        "try:",
        "    import importlib",
        "    import numpy as np",
        "    import onnx",
        "    import onnx.parser",
        "    from onnx import numpy_helper",
        "    importlib.import_module(MODULES[RUNTIME])",
        "except (ImportError, KeyError) as error:",
        '    print("cannot run:", error)',
        "    raise SystemExit(2)",
        "",
        *_model(case),
        "inputs = {",
        *(f"    {entry}," for entry in _entries(case)),
        "}",
        "expected = [",
        *(
            f"    {_code(value, packed)},"
            for value, packed in zip(case.told.outputs, case.expected, strict=True)
        ),
        "]",
        "",
        "",
        *[part.strip("\n") + "\n\n" for part in _RUNTIMES.values()],
        _COMPARE.format(rtol=case.rtol, atol=case.atol).strip("\n") + "\n\n",
        *_ending(finding),
    ]
    return "\n".join(lines) + "\n"


def _ending(finding: Finding) -> list[str]:
    run = 'globals()["run_" + RUNTIME]'
    if finding.kind == "crash":
        return [
            'if sys.argv[2:] == ["child"]:',
            f"    {run}()",
            "    raise SystemExit(0)",
            "import subprocess",
            'code = subprocess.run([sys.executable, __file__, RUNTIME, "child"]).returncode',
            'print("expected the process to end by itself; exit code", code)',
            "raise SystemExit(0 if code < 0 else 1)",
        ]
    lines = ["try:", f"    given = {run}()", "except Exception as error:"]
    if finding.kind == "error":
        return [
            *lines,
            '    print("expected", expected)',
            '    print("received", type(error).__name__, str(error)[-600:])',
            "    # Another runtime may fail for reasons of its own.",
            f'    raise SystemExit(0 if RUNTIME == "{_library(finding)}" else 2)',
            'print("no exception")',
            "raise SystemExit(1)",
        ]
    return [
        *lines,
        '    print("cannot run:", error)',
        "    raise SystemExit(2)",
        'print("expected", expected)',
        'print("received", given)',
        "same = all(map(alike, given, expected))",
        "raise SystemExit(1 if same else 0)",
    ]


def _model(case: SuiteCase) -> list[str]:
    if case.text:
        return ['model = onnx.parser.parse_model("""', case.text.strip("\n"), '""")']
    return [f"model = onnx.load_from_string({_bytes(case.model)})"]


def _bytes(content: np.ndarray) -> str:
    code = base64.b64encode(content.tobytes()).decode("ascii")
    pieces = "\n".join(f'        "{piece}"' for piece in textwrap.wrap(code, 90))
    return f"base64.b64decode(\n{pieces}\n    )"


def _entries(case: SuiteCase) -> list[str]:
    return [
        f"{value_code(name)}: {_code(value, packed)}"
        for name, value, packed in zip(
            case.names.inputs, case.told.inputs, case.inputs, strict=True
        )
    ]


def _code(value: Value, packed: Packed) -> str:
    """An expression of a value: in numbers where they are few, else ONNX's message."""
    if value.form == "none":
        return "None"
    if value.array is not None:
        code = array_code(value.array)
        if len(code) <= _LETTERS:
            return wrapped(code)
    if value.dtype == "string":
        return f"np.array({list(value.text)!r}, dtype=object).reshape({value.shape})"
    kinds = {"tensor": ("TensorProto", "to_array"), "sequence": ("SequenceProto", "to_list")}
    kind, converted = kinds.get(packed.form, ("OptionalProto", "to_optional"))
    return f"numpy_helper.{converted}(onnx.{kind}.FromString({_bytes(packed.bytes)}))"


def _foreign(values: object) -> bool:
    """Does one of the values hold numbers of a type that NumPy lacks?"""
    assert isinstance(values, (list, tuple))
    return any(
        _foreign(value.items) or (value.array is not None and value.array.dtype.name != value.dtype)
        for value in values
    )


def _case(finding: Finding) -> SuiteCase:
    case = suite_case_of(finding.case)
    assert case is not None  # callers look first
    return case


def _shown_on(finding: Finding) -> str:
    """The target that is blamed; where nobody is, the first that does not give what is expected."""
    others = [name for name in finding.targets if name not in finding.evidence.believed]
    return (*finding.blamed, *others)[0]


def _library(finding: Finding) -> str:
    return platform_of(finding, _shown_on(finding)).library


def _listed(finding: Finding) -> str:
    return ", ".join(finding.blamed) or _shown_on(finding)


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, 96, initial_indent="# ", subsequent_indent="#   ")
