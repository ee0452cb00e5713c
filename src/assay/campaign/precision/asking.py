"""A call in the words and formats of a target, and the requests about it."""

from collections.abc import Sequence
from typing import Any

import msgspec

from assay.execute import request_for
from assay.ir import Array, Case
from assay.libraries import SHARED, Untold, translated, worded
from assay.search import Inputs
from assay.sources.precision import Drawn
from assay.targets import Target


class Question(msgspec.Struct, frozen=True):
    """A drawn call on a target.

    ``own`` is in the target's words and in the format that it computes in, ``wide`` the same in
    a wider one if that is what it is held against; ``shared`` is for the reference.
    """

    own: dict[str, Any]
    shared: dict[str, Any]
    wide: dict[str, Any] | None
    dtype: str
    computes: str
    wider: str

    def measure(self, inputs: Inputs) -> dict[str, Any]:
        """The request for the errors of a population."""
        return {
            "do": "precision",
            "step": "measure",
            "case": self.own,
            "shared": self.shared,
            "wide": self.wide,
            "dtype": self.dtype,
            "computes": self.computes,
            "wider": self.wider,
            "inputs": dict(inputs),
        }

    def gradients(self, inputs: Inputs, upstream: Sequence[Array]) -> dict[str, Any]:
        """The request for the gradients of a population.

        ``upstream`` are the upstream gradients of each result in a row; all are one without any.
        """
        told = [array.reshape(-1).tolist() for array in upstream]
        return {**self.measure(inputs), "step": "gradients", "upstream": told}

    def repeated(self, inputs: Inputs, count: int) -> dict[str, Any]:
        """The request for the errors of so many executions in a row."""
        return {**self.measure(inputs), "step": "repeat", "count": count}

    def tolerance(self, library: str, dtype: str) -> dict[str, Any]:
        """The request for what the library's own tests grant results of a format."""
        (node,) = self.own["graph"]["nodes"]
        facts = {"library": library, "op": node["op"], "dtype": dtype}
        return {"do": "precision", "step": "tolerance", **facts}

    def condition(self, inputs: dict[str, Array], place: int, measured: list[bool]) -> Any:
        """The request for what one input explains of one element of its result."""
        return {
            "do": "precision",
            "step": "condition",
            "shared": self.shared,
            "dtype": self.dtype,
            "computes": self.computes,
            "inputs": inputs,
            "place": place,
            "measured": measured,
        }

    def sweep(self, names: Sequence[str], start: int, stop: int) -> dict[str, Any]:
        """The request for a function of these numbers at a block of all of them."""
        return {
            "do": "precision",
            "step": "sweep",
            "case": self.own,
            "shared": self.shared,
            "dtype": self.dtype,
            "computes": self.computes,
            "inputs": list(names),
            "start": start,
            "stop": stop,
        }


def question(drawn: Drawn, target: Target, dtype: str, computes: str, wider: str = "") -> Question:
    """The call as the target is asked it; ``Untold`` if it has no word for it."""
    own = worded(drawn.case, target.library)
    return Question(
        own=_plain(in_format(own, computes)),
        shared=_plain(translated(drawn.case, SHARED)),
        wide=_plain(in_format(own, wider)) if wider else None,
        dtype=dtype,
        computes=computes,
        wider=wider,
    )


def _plain(case: Case) -> dict[str, Any]:
    found: dict[str, Any] = request_for(case, stage="forward")["case"]
    return found


def in_format(case: Case, dtype: str) -> Case:
    """The case with all floats in a format, and layers told to compute in it."""
    inputs = tuple(
        msgspec.structs.replace(item, dtype=dtype) if item.dtype == "float32" else item
        for item in case.graph.inputs
    )
    nodes = tuple(
        msgspec.structs.replace(node, params={**node.params, "dtype": dtype})
        if node.op.startswith("keras.layers.") and dtype != "float32"
        else node
        for node in case.graph.nodes
    )
    graph = msgspec.structs.replace(case.graph, inputs=inputs, nodes=nodes)
    return msgspec.structs.replace(case, graph=graph)


__all__ = ["Question", "Untold", "question"]
