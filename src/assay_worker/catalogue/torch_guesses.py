"""Calls of PyTorch that may work, guessed from schemas and signatures."""

import importlib
import inspect
import itertools

from assay_worker.catalogue._base import Sample
from assay_worker.catalogue.torch_facts import OF_SPARSE

#: Ranks and dtypes of the tensors of a guess, all alike in it but for what is named.
_SHAPES = ((5,), (3, 4), (4, 4), (2, 3, 6), (2, 3, 6, 6), (2, 3, 4, 6, 6))
_DTYPES = ("float32", "int64", "bool")
_MOST = 60
#: Values of plain arguments by the type that a schema says.
_VALUES = {
    "int": (1, 0, 2),
    "SymInt": (1, 0, 2),
    "float": (0.5, 1.0),
    "number": (2, 0.5),
    "Scalar": (2, 0.5),
    "bool": (False, True),
    "str": ("mean", "sum"),
    "List[int]": ((2, 3), (0,), (1,)),
    "List[SymInt]": ((2, 3), (0,), (1,)),
    "ScalarType": (),
}


def guesses(name, adapter):
    """Samples of an API, the likeliest first."""
    torch = importlib.import_module("torch")
    value = adapter.resolve(name)
    if inspect.isclass(value):
        return list(itertools.islice(_of_class(torch, name, value), _MOST))
    found = itertools.chain(_of_schemas(torch, name, adapter), _of_signature(torch, name, value))
    own = name.rpartition(".")[2]
    base = own[: -len("_copy")] if own.endswith("_copy") else own
    if name.startswith("torch.sparse.") or base in OF_SPARSE:
        found = itertools.chain(_of_sparse(torch, name), found)
    return list(itertools.islice(found, _MOST))


def _of_sparse(torch, name):
    """Square matrices, each of them sparse or dense, after them a number."""
    for count in (1, 2, 3):
        dense = [_tensor(torch, (4, 4), "float32", place) for place in range(count)]
        for pattern in itertools.product((True, False), repeat=count):
            for layout in (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc):
                made = [
                    (value * (value > 0.5)).to_sparse(layout=layout) if sparse else value
                    for value, sparse in zip(dense, pattern)
                ]
                if any(pattern):
                    yield Sample(name, made)
                    if count == 1:
                        yield Sample(name, made + [0])


def _tensor(torch, shape, dtype, place=0):
    """A tensor with values between 0 and 1, or whole ones from 0 to 2; other ones by place."""
    count = 1
    for size in shape:
        count *= size
    numbers = (torch.arange(count) * 7 + 3 * place) % 11
    if dtype == "float32":
        return (numbers.float() / 11.0 + 0.04).reshape(shape)
    if dtype == "bool":
        return (numbers % 2 == 0).reshape(shape)
    return (numbers % 3).reshape(shape)


def _of_schemas(torch, name, adapter):
    own = name.rpartition(".")[2]
    schemas = adapter.schemas.get("aten::" + own, ())
    if name.startswith("torch.linalg."):
        schemas = adapter.schemas.get("aten::linalg_" + own, ())
    elif name.startswith("torch.special."):
        schemas = adapter.schemas.get("aten::special_" + own, ())
    elif name.startswith("torch.fft."):
        schemas = adapter.schemas.get("aten::fft_" + own, ())
    for dtype in _DTYPES:
        for schema in sorted(schemas, key=str):
            for shape in _SHAPES:
                for variant in range(2):
                    made = _arguments(torch, schema.arguments, shape, dtype, variant)
                    if made is not None:
                        yield Sample(name, made[0], made[1])


def _arguments(torch, arguments, shape, dtype, variant):
    """Positional and keyword arguments for a schema; None if one of its types is not known."""
    positional, keywords = [], {}
    for place, item in enumerate(arguments):
        if item.has_default_value() or item.is_out:
            continue
        kind = str(item.type)
        if kind.startswith("Optional["):
            value = None
        elif kind == "Tensor":
            value = _tensor(torch, shape, dtype, place)
        elif kind == "List[Tensor]":
            value = [_tensor(torch, shape, dtype, place), _tensor(torch, shape, dtype, place + 1)]
        elif _VALUES.get(kind):
            value = _VALUES[kind][variant % len(_VALUES[kind])]
        else:
            return None
        if item.kwarg_only:
            keywords[item.name] = value
        else:
            positional.append(value)
    return positional, keywords


def _of_signature(torch, name, value):
    """By the names of a Python function's arguments that have no default."""
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):  # built in: its schemas say more
        parameters = []
    required = [
        item
        for item in parameters
        if item.default is item.empty
        and item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD)
    ]
    if parameters and len(required) <= 4:
        counts = [len(required)]
    else:
        counts = [1, 2, 3] if name.startswith("torch.Tensor.") else [1, 2, 0, 3]
    for count in counts:
        for dtype in _DTYPES[:2]:
            for shape in _SHAPES:
                tensors = [_tensor(torch, shape, dtype, place) for place in range(count)]
                yield Sample(name, tensors)
                if count > 1:
                    yield Sample(name, tensors[:1] + [1] * (count - 1))


def _of_class(torch, name, value):
    """Modules by their own signature: sizes of 3, and tensors of some ranks."""
    try:
        parameters = list(inspect.signature(value.__init__).parameters.values())[1:]
    except (TypeError, ValueError):
        parameters = []
    required = [
        item
        for item in parameters
        if item.default is item.empty and item.kind == item.POSITIONAL_OR_KEYWORD
    ]
    for numbers in ((3,), (2,), (4,), (1,)):
        made = (tuple(numbers * len(required)), {})
        for shape in ((2, 3, 6, 6), (2, 3, 6), (5, 3), (4, 4), (2, 3, 4, 6, 6), (2, 4)):
            for count in (1, 2, 3):
                tensors = [_tensor(torch, shape, "float32", place) for place in range(count)]
                yield Sample(name, tensors, {}, made)
        if not required:
            return
