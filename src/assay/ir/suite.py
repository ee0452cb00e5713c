"""A suite of test cases of single operators: the cases, what runtimes made of them. Pure data.

A finding about a case is a finding like any other: its ``Case`` has one node, ``SUITE_OP``,
whose parameters are the case as the suite has it.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
import numpy as np

from assay.ir.case import Case
from assay.ir.finding import Category
from assay.ir.graph import Graph, Node, Parameters
from assay.ir.serial import from_plain, to_plain

#: The op of the node that stands for a case of a suite, and the node's id.
SUITE_OP = "assay.onnx_case"
CASE = "case"
#: Who gives the expected outputs, among the observations of a finding.
EXPECTED = "expected"

#: What a runtime makes of a case. ``not implemented``: it says that it lacks the operator, its
#: version, a type or an attribute. ``refuses``: it fails in another way.
Status = Literal["passes", "differs", "not implemented", "refuses", "crashes", "hangs", "not run"]
STATUSES: tuple[Status, ...] = Status.__args__  # type: ignore[attr-defined]


class Value(msgspec.Struct, frozen=True):
    """A value of ONNX: a tensor (numbers, or ``text``), a sequence of values, or none.

    ``dtype`` is what ONNX calls its type; ``array`` holds the same numbers in a type that NumPy
    has.
    """

    form: str
    dtype: str = ""
    array: np.ndarray | None = None
    shape: tuple[int, ...] = ()
    text: tuple[str, ...] = ()
    items: tuple["Value", ...] = ()
    what: str = ""

    @property
    def kind(self) -> str:
        """What it is, in words: ``float32[2,3]``, ``sequence of 2``."""
        if self.form == "tensor":
            shape = self.shape if self.array is None else self.array.shape
            return f"{self.dtype}[{','.join(map(str, shape))}]"
        if self.form == "sequence":
            return f"sequence of {len(self.items)}"
        return self.what or "nothing"

    @property
    def size(self) -> int:
        """How many elements it has."""
        if self.form == "sequence":
            return sum(item.size for item in self.items)
        return len(self.text) if self.array is None else int(self.array.size)


class Packed(msgspec.Struct, frozen=True):
    """A value as the bytes of ONNX's message for its form."""

    form: str
    bytes: np.ndarray


class Names(msgspec.Struct, frozen=True):
    """The names of a case's inputs and outputs."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


class Told(msgspec.Struct, frozen=True):
    """The values of a case: what goes in, and what is to come out."""

    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]


class SuiteCase(msgspec.Struct, frozen=True):
    """A case of a suite, as ``assay_worker.suite.cases`` describes it."""

    name: str
    op: str
    opset: int
    model: np.ndarray
    names: Names
    inputs: tuple[Packed, ...]
    expected: tuple[Packed, ...]
    told: Told
    rtol: float
    atol: float
    random: bool
    expanded: bool
    bodies: tuple[str, ...]
    #: The model as ONNX's own text, where that can be read back; else "".
    text: str = ""
    #: Attributes of the operator that are plain data.
    attributes: Parameters = {}

    @property
    def size(self) -> int:
        """How large it is: its elements, and how many ops it is made of."""
        return sum(value.size for value in self.told.inputs) + 100 * len(self.bodies)


class Difference(msgspec.Struct, frozen=True):
    """Where and how what a runtime gives is not what is expected.

    ``what`` is "number", "special" (NaN or infinite on one side), "shape", "type" or "text";
    ``output`` the place of the output, ``position`` of the element that is furthest off.
    ``units`` is how far in units in the last place of its type, ``allowed`` what rounding
    explains, if that was measured.
    """

    what: str
    output: int
    expected: str
    given: str
    position: tuple[int, ...] = ()
    deviation: float = 0.0
    units: float = 0.0
    share: float = 1.0
    allowed: float | None = None


class Outcome(msgspec.Struct, frozen=True):
    """What a target makes of a case, and what that was judged to be.

    ``category`` is empty for a case that passes. ``finding`` is the id of what was stored.
    """

    case: str
    op: str
    target: str
    status: Status
    message: str = ""
    difference: Difference | None = None
    category: Category | Literal[""] = ""
    reason: str = ""
    rule: str = ""
    finding: str = ""


class SuiteResult(msgspec.Struct, frozen=True):
    """A suite on several targets. ``versions`` is of each target, ``cases`` how many there are."""

    suite: str
    version: str
    opset: int
    targets: tuple[str, ...]
    versions: dict[str, dict[str, str]]
    cases: int
    outcomes: tuple[Outcome, ...]
    seconds: float = 0.0
    campaign: str = ""
    store: str = ""
    left_out: dict[str, str] = {}

    def counts(self, target: str, op: str = "") -> Counter[str]:
        """How many cases of each status a target has, of one op or of all."""
        return Counter(
            item.status for item in self.outcomes if item.target == target and op in ("", item.op)
        )

    def categories(self, target: str, status: str) -> Counter[str]:
        """How many cases of a status were judged to be what."""
        return Counter(
            item.category
            for item in self.outcomes
            if (item.target, item.status) == (target, status)
        )

    @property
    def ops(self) -> tuple[str, ...]:
        """Every op, by name."""
        return tuple(sorted({item.op for item in self.outcomes}))


def suite_case(case: SuiteCase) -> Case:
    """A case of a suite as a case."""
    params: dict[str, Any] = to_plain(case)
    return Case(graph=Graph((), (Node(CASE, SUITE_OP, (), params),), (CASE,)), inputs={})


def suite_case_of(case: Case) -> SuiteCase | None:
    """The case of a suite that a case stands for; None for any other."""
    node = case.graph.nodes[0]
    return from_plain(node.params, SuiteCase) if node.op == SUITE_OP else None


def values_of(records: Sequence[dict[str, Any]]) -> tuple[Value, ...]:
    """Values as a worker tells them."""
    return tuple(from_plain(record, Value) for record in records)
