"""ONNX's own test cases of single operators, harvested from the onnx package, and run.

``{"do": "suite", "step": …}`` is one of

``list``    what there is: the operators and how many cases each has, and the package's version
``cases``   ``ops`` -> their cases, as plain data (see ``cases``)
``run``     ``cases``, ``copies`` (0: as they are; else so many with inputs moved by one unit in the
            last place) and ``precise`` (move them as float64, by next to nothing) -> an answer
            per case: ``outputs`` or ``copies``, or ``failure``
"""

from assay_worker.suite.cases import cases, counted
from assay_worker.suite.runs import run


def answer(adapter, request):
    """The answer to a request of a suite."""
    if request["step"] == "list":
        return counted()
    if request["step"] == "cases":
        return {"cases": cases(frozenset(request["ops"]))}
    copies, precise = request["copies"], request["precise"]
    return {"answers": [run(adapter, case, copies, precise) for case in request["cases"]]}
