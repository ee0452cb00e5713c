"""A case in the words of another library."""

from collections.abc import Callable, Mapping
from functools import cache
from itertools import count
from types import MappingProxyType

import msgspec

from assay.ir import Case, Dot, Graph, Node
from assay.ir.transform import reading
from assay.libraries._registry import SHARED, everything, libraries, roots, word_for, words
from assay.libraries.describing import in_order, own_value, shared_params
from assay.libraries.windows import CONV, grouped
from assay.libraries.word import Untold, Word, Writer
from assay.ops import OpSpec
from assay.ops.placing import UNKNOWN_CALL, placed, shapes_of
from assay.ops.special import ROOT

#: The library that knows what all shared words mean, also those that Keras has not.
_TRUTH = "reference"
#: Calls are in it only where formats are measured.
_MEASURED = "bfloat16"


@cache
def understood() -> Mapping[str, OpSpec]:
    """The specs that translations are read with."""
    return MappingProxyType({**everything(), CONV: grouped(everything()[CONV])})


def root_of(case: Case) -> str:
    """The root of the names of a case's ops, "" if no library has it.

    A user's own functions (``prelude.NAME``) have none. ``Untold`` if there are several.
    """
    spoken = {node.op.partition(".")[0] for node in case.graph.nodes}
    # No library has them, and what they mean stands beside the shared words.
    spoken = {SHARED if root == ROOT else root for root in spoken} & roots()
    if len(spoken) > 1:
        raise Untold(f"the case is in the words of {len(spoken)} libraries")
    return next(iter(spoken), "")


def translated(case: Case, root: str) -> Case:
    """The same in the words of the library with that root; ``Untold`` if it has none for it.

    Inputs, outputs and the ids of nodes stay: what an arm answers has the same names, whatever
    words it was asked in. Nodes that are written beside them belong to one (``owner``).
    """
    own = root_of(case)
    if own in ("", root):
        return case
    if not (case.loss is None or isinstance(case.loss, Dot)) or case.training:
        raise Untold("losses, optimizers and training are not said in other words")
    if own != SHARED:
        case = _rewritten(case, _to_shared, None)
    if root == SHARED:
        return case

    def speak(node: Node, writer: Writer) -> Word:
        return _from_shared(node, writer, root)

    return _rewritten(case, speak, speak)


def _rewritten(
    case: Case, say: Callable[[Node, Writer], Word], speak: Callable[[Node, Writer], Word] | None
) -> Case:
    try:
        shapes = shapes_of(_described(case), understood())
    except UNKNOWN_CALL as error:
        raise Untold(f"a call that no spec describes: {error}") from error
    dtypes = {item.name: item.dtype for item in case.graph.inputs}
    nodes: list[Node] = []
    taken = {node.id for node in case.graph.nodes}
    for node in case.graph.nodes:
        if node.arguments:
            raise Untold(f"{node.op} is called with keyword tensors")
        writer = Writer(node, shapes, speak, taken)
        word = say(node, writer)
        _check_dtypes(word, node, dtypes)
        nodes += writer.written()
    graph = Graph(case.graph.inputs, tuple(nodes), case.graph.outputs)
    return msgspec.structs.replace(case, graph=graph)


def _check_dtypes(word: Word, node: Node, dtypes: Mapping[str, str]) -> None:
    """``Untold`` if the word takes no tensors of these dtypes."""
    specs = everything()
    call = placed(specs[node.op], node)
    same: set[str] = set()
    for slot, name in zip(call.slots, call.tensors, strict=True):
        taken = specs[word.name].tensor(slot).dtypes
        given = dtypes.get(name, "float32")
        if name in dtypes and given not in taken and not _measured(given, taken, word):
            raise Untold(f"{word.name} takes no {given}")
        same |= {given} if "float32" in taken else set()
    if len(same) > 1:
        raise Untold(f"{word.name} takes one dtype at a time")


def _described(case: Case) -> Case:
    """The case in formats that specs have: shapes are those of any."""
    inputs = tuple(
        msgspec.structs.replace(item, dtype="float32") if item.dtype == _MEASURED else item
        for item in case.graph.inputs
    )
    return msgspec.structs.replace(case, graph=msgspec.structs.replace(case.graph, inputs=inputs))


def _measured(given: str, taken: tuple[str, ...], word: Word) -> bool:
    """Is it the format that no spec has, in a library that has it?"""
    root = word.name.partition(".")[0]
    has = any(
        known.dialect is not None and known.dialect.bfloat16
        for known in libraries().values()
        if known.root == root
    )
    return has and given == _MEASURED and "float32" in taken


def _to_shared(node: Node, writer: Writer) -> Word:
    word = words().get(node.op)
    if word is None:
        raise Untold(f"{node.op} has no word in common with others")
    for name, value in word.given.items():
        if node.params.get(name, value) != value:
            raise Untold(f"{node.op} with {name}={node.params[name]!r} has no word in common")
    strange = sorted(set(node.params) - {item.name for item in everything()[node.op].parameters})
    if strange:
        raise Untold(f"{node.op} with {strange[0]} has no word in common")
    if word.to_shared is not None:
        word.to_shared(node, writer)
        return word
    writer.write(word.means, *in_order(word, node.inputs), **shared_params(word, node.params))
    return word


def _from_shared(node: Node, writer: Writer, root: str) -> Word:
    word = word_for(node.op, root)
    if word is None:
        raise Untold(f"{root} has no word for {node.op}")
    if word.from_shared is not None:
        word.from_shared(node, writer)
        return word
    spec = everything()[node.op]
    complete = spec.complete(node.params)
    own = {theirs: name for name, theirs in word.parameters.items()}
    if any(len(writer.shape(name)) < word.least_rank for name in node.tensors()):
        raise Untold(f"{word.name} takes no rank below {word.least_rank}")
    if word.tensors and len(list(node.tensors())) != word.tensors:
        raise Untold(f"{word.name} takes {word.tensors} tensors")
    if word.labels_last and len({writer.shape(name) for name in node.tensors()}) > 1:
        raise Untold(f"{word.name} takes labels of the shape of the predictions")
    params = {}
    for item in spec.parameters:
        value = complete[item.name]
        name = own.get(item.name)
        if item.name in word.implied:
            if value != word.implied[item.name]:
                raise Untold(f"{word.name} has another {item.name}")
            continue
        if name is None:
            if item.required or value != item.default:
                raise Untold(f"{word.name} has no {item.name}")
            continue
        if name in word.always and value is None:
            raise Untold(f"{word.name} must be told {name}")
        if name in word.single and isinstance(value, (tuple, list)):
            if len(value) != 1:
                raise Untold(f"{word.name} takes one {name}")
            (value,) = value
        default = word.defaults.get(name, item.default)
        if name in word.always or item.required or value != default:
            params[name] = own_value(word, name, value)
    writer.write(word.name, *in_order(word, node.inputs), **params, **word.given)
    return word


def settled(case: Case) -> Case:
    """A translated case as one of its own: nodes that were written beside others are like them."""
    inputs = {item.name for item in case.graph.inputs}
    names: dict[str, str] = {}
    nodes: list[Node] = []
    for node in case.graph.nodes:
        own = next(f"n{i}" for i in count(len(nodes)) if f"n{i}" not in inputs)
        nodes.append(msgspec.structs.replace(reading(node, names), id=own))
        names[node.id] = own
    outputs = []
    for name in case.graph.outputs:
        node_id, mark, place = name.partition(":")
        outputs.append(names.get(node_id, node_id) + mark + place)
    graph = Graph(case.graph.inputs, tuple(nodes), tuple(outputs))
    return msgspec.structs.replace(case, graph=graph)


def worded(case: Case, library: str) -> Case:
    """The case as a library of that name is asked it; as it is for one of no words."""
    known = libraries().get(library)
    if known is None:
        return case
    found = translated(case, known.root)
    if library != _TRUTH:
        for node in found.graph.nodes:
            if node.op.startswith(f"{ROOT}."):
                raise Untold(f"{library} has no word for {node.op}")
    return found
