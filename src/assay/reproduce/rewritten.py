"""Scripts for calls that a rule's program answers differently."""

from assay.ir import Case, Node
from assay.reproduce.asking import Asking, inside
from assay.reproduce.catalogued import arguments_code
from assay.reproduce.literals import is_class, wrapped
from assay.reproduce.program import BFLOAT16, CannotReproduce, tensor_code
from assay.reproduce.title import exception_name
from assay_worker.rules import rule as rule_of

#: What makes a library's random numbers begin anew, by its name.
_SEEDED = {
    "torch": "torch.manual_seed(0)",
    "tensorflow": "tf.random.set_seed(0)",
    "keras": "keras.utils.set_random_seed(0)",
}
#: The parts of a result, by library; sparse tensors of TensorFlow as what they are made of.
_PARTS = {
    "torch": "torch.utils._pytree.tree_leaves(result)",
    "tensorflow": "tf.nest.flatten(result, expand_composites=True)",
    "jax": "jax.tree_util.tree_leaves(result)",
    "keras": "keras.tree.flatten(result)",
}
#: What makes a usual tensor of one: of a number, of a sparse or a lazily conjugated tensor.
_USUAL = {
    "torch": (
        "torch.as_tensor(part).detach().to_dense()",
        "part.resolve_conj().resolve_neg()",
    )
}
#: Parts in a format that NumPy lacks, in one that it has.
_WIDENED = {
    "torch": "part.float() if part.dtype == torch.bfloat16 else part",
    "tensorflow": 'tf.cast(part, "float32") if getattr(part, "dtype", 0) == "bfloat16" else part',
    "jax": 'part.astype("float32") if getattr(part, "dtype", 0) == "bfloat16" else part',
    "keras": 'keras.ops.cast(part, "float32") if "bfloat16" in str(part.dtype) else part',
}


def rewritten(asking: Asking) -> list[str]:
    """The call, and the same by the rule's program."""
    finding = asking.finding
    library = asking.speaker.library.name
    seeded = [_SEEDED[library]] if library in _SEEDED else []
    head, plain, again = programs(asking)
    head = [*head, *seeded, wrapped(f"before = values({plain})"), *seeded]
    again = f"after = values({again})"
    _, _, told = finding.evidence.message.partition(": ")
    if exception_name(told):
        return [
            *head,
            "try:",
            *inside(wrapped(again)),
            "except Exception as error:",
            '    print(f"expected no exception, actual {type(error).__name__}: {error}")',
            "    raise SystemExit(0)",
            'print("no exception")',
            f"raise SystemExit({asking.absent})",
        ]
    # Where NaN, shapes or kinds of numbers are apart, all else need not be close.
    allowed = finding.evidence.tolerance
    close = "rtol=0.1, atol=0" if allowed is None else f"rtol=0, atol={allowed:.2g}"
    return [
        *head,
        wrapped(again),
        'print("before", before, "after", after)',
        "same = len(before) == len(after) and all(",
        "    a.shape == b.shape and a.dtype == b.dtype",
        f"    and np.allclose(a, b, {close}, equal_nan=True)",
        "    for a, b in zip(before, after)",
        ")",
        f"raise SystemExit({asking.absent} if same else 0)",
    ]


def programs(asking: Asking) -> tuple[list[str], str, str]:
    """Lines that come first, and the expressions of the call and of the same by the program."""
    case = asking.case
    library = asking.speaker.library.name
    if len(case.graph.nodes) != 1:
        raise CannotReproduce("programs of whole models have no scripts yet")
    first, second, source = rule_of(asking.finding.rule).source(library)
    (node,) = case.graph.nodes
    function, made = _function(asking, node, library)
    arguments = f"({', '.join(_arguments(asking, node))})"
    plain = f"{first}({function}){arguments}" if first else f"{function}{arguments}"
    called = rule_of(asking.finding.rule).called
    public = f', "{node.op.rpartition(".")[2]}"' if called else ""
    call = f"({function}{public}){arguments}"
    tensors = _tensors(asking, case)
    widened = BFLOAT16 in "\n".join([*tensors, *made, source, call])
    head = [
        *tensors,
        "",
        "",
        *source.splitlines(),
        "",
        "",
        *_reading(asking, library, widened),
        "",
        "",
        *made,
    ]
    return head, plain, f"{second}{call}"


def _tensors(asking: Asking, case: Case) -> list[str]:
    made = zip(case.graph.inputs, case.input_arrays().items(), strict=True)
    return [
        wrapped(f"{name} = {tensor_code(asking.dialect, array, case.inputs[name], item.dtype)}")
        for item, (name, array) in made
    ]


def _reading(asking: Asking, library: str, widened: bool) -> list[str]:
    """The function that makes arrays of a result, wider ones of a format that NumPy lacks."""
    changes = [*_USUAL.get(library, ()), *([_WIDENED[library]] if widened else [])]
    return [
        "def values(result):",
        f"    parts = [part for part in {_PARTS[library]} if part is not None]",
        *(f"    parts = [{change} for part in parts]" for change in changes),
        f"    return [np.asarray({asking.array('part')}) for part in parts]",
    ]


def _function(asking: Asking, node: Node, library: str) -> tuple[str, list[str]]:
    """What is called, and the lines that make it."""
    if not is_class(node.op):
        return node.op, []
    given = arguments_code(node.params, asking.dialect)
    seeded = [_SEEDED[library]] if library in _SEEDED else []
    return "module", [*seeded, wrapped(f"module = {node.op}({', '.join(given)})")]


def _arguments(asking: Asking, node: Node) -> list[str]:
    listed = [item if isinstance(item, str) else f"[{', '.join(item)}]" for item in node.inputs]
    params = {} if is_class(node.op) else node.params
    return [*listed, *arguments_code({**params, **node.arguments}, asking.dialect)]
