"""The contract of an adapter as checks: run them on a target of your own in your tests.

    from assay.targets import Target, contract

    def test_my_adapter_keeps_the_contract():
        contract.check_all(Target("mine", library="mine", python="…/bin/python"))

The target is started in its own interpreter, whatever that is. Each check raises
``AssertionError`` saying which promise is broken.
"""

from typing import Any

import msgspec
import numpy as np

from assay.execute import (
    Hello,
    Limits,
    Supervisor,
    request_for,
    request_for_all,
    traces_of,
    traces_of_arms,
)
from assay.ir import AGAIN, Arm, Case, Dot, Graph, Input, Node, Trace, Uniform
from assay.libraries import SHARED, libraries, worded
from assay.targets._base import Target

_SHAPE = (3, 5)
_FAR = 1e-5
#: A compiler may take its time.
_PATIENT = Limits(run_seconds=300.0)


def check_all(target: Target) -> None:
    """Every check, in one worker."""
    with Supervisor((target,), _PATIENT, standbys=False) as supervisor:
        hello = supervisor.start()[target.name]
        _require(isinstance(hello, Hello), f"{target.name} does not start: {hello}")
        assert isinstance(hello, Hello)
        asked = _Asked(supervisor, target, hello)
        check_describes(asked)
        check_forward(asked)
        check_again(asked)
        check_input_sets(asked)
        check_gradient(asked)
        check_failure(asked)
        check_offers(asked)


def _require(holds: bool, message: str) -> None:
    if not holds:  # not an assert statement: those vanish under python -O
        raise AssertionError(message)


class _Asked:
    """A target at work."""

    def __init__(self, supervisor: Supervisor, target: Target, hello: Hello) -> None:
        self._supervisor = supervisor
        self.target = target
        self.hello = hello
        known = libraries().get(target.library)
        self.shared = known is None or known.root == SHARED

    def case(self, nodes: int = 1, seed: int = 1, stage: Any = "forward") -> Case:
        """A hyperbolic tangent, or a few of them, one behind the other."""
        op = "keras.activations.tanh" if self.shared else "keras.ops.tanh"
        chain = tuple(
            Node(f"n{place}", op, ("x" if not place else f"n{place - 1}",))
            for place in range(nodes)
        )
        graph = Graph((Input("x", _SHAPE),), chain, (chain[-1].id,))
        loss = Dot((Uniform(2, 0.5, 1.5),)) if stage == "gradient" else None
        return worded(
            Case(graph, {"x": Uniform(seed)}, loss=loss, stage=stage), self.target.library
        )

    def request(self, request: dict[str, Any]) -> Any:
        """The answer of the worker."""
        return self._supervisor.ask(self.target.name, request)

    def trace(self, case: Case) -> Trace:
        """What a case gives."""
        (trace,) = traces_of(self.target.name, self.request(request_for(case)))
        return trace


def check_describes(asked: _Asked) -> None:
    """It says its versions and what it can do."""
    _require("python" in asked.hello.versions, "it does not say the version of Python")
    _require(len(asked.hello.versions) > 1, "it does not say the version of its library")
    _require("forward" in asked.hello.capabilities, "it cannot run a case forward")


def check_forward(asked: _Asked) -> None:
    """Outputs have their names and values; eager modes show those of every node."""
    case = asked.case(nodes=2)
    trace = asked.trace(case)
    _require(trace.status == "ok", f"a chain of two calls: {trace.failure}")
    first = np.tanh(case.input_arrays()["x"])
    expected = {"output:n0": first, "output:n1": np.tanh(first)}
    _require("output:n1" in trace.arrays, f"no output:n1 among {sorted(trace.arrays)}")
    if not asked.target.fuses:
        _require("output:n0" in trace.arrays, f"no output:n0 among {sorted(trace.arrays)}")
    for name, array in expected.items():
        if name in trace.arrays:
            _require(_close(trace.arrays[name], array), f"{name} is wrong")
    _require(bool(trace.digest.strip(":")), "it does not say what inputs it used")


def check_again(asked: _Asked) -> None:
    """A second run of the same gives the same."""
    arm = Arm(asked.target.name)
    answer = asked.request(request_for(asked.case(), variants=(AGAIN,)))
    traces = traces_of_arms(arm, answer)
    again = Arm(asked.target.name, variant=AGAIN).name
    _require(again in traces, "a second run was asked for, and did not take place")
    same = np.array_equal(traces[arm.name].arrays["output:n0"], traces[again].arrays["output:n0"])
    _require(same, "two runs of the same differ")


def check_input_sets(asked: _Asked) -> None:
    """Several inputs in one request give one result each, in their order."""
    cases = [asked.case(seed=seed) for seed in (1, 2, 3)]
    traces = traces_of(asked.target.name, asked.request(request_for_all(cases)))
    _require(len(traces) == len(cases), f"{len(traces)} results for {len(cases)} inputs")
    for case, trace in zip(cases, traces, strict=True):
        expected = np.tanh(case.input_arrays()["x"])
        _require(_close(trace.arrays["output:n0"], expected), "the results are out of order")


def check_gradient(asked: _Asked) -> None:
    """The gradient of the loss with respect to the input, where it has gradients."""
    if "gradient" not in asked.hello.capabilities:
        return
    case = asked.case(stage="gradient")
    trace = asked.trace(case)
    _require(trace.status == "ok", f"a gradient: {trace.failure}")
    x = case.input_arrays()["x"]
    assert isinstance(case.loss, Dot)
    upstream = case.loss.upstream[0].materialise(_SHAPE, "float32")
    name = "gradient:input:x"
    _require(name in trace.arrays, f"no {name} among {sorted(trace.arrays)}")
    expected = upstream * (1 - np.tanh(x) ** 2)
    _require(_close(trace.arrays[name], expected), "the gradient is wrong")
    loss = float(np.sum(upstream * np.tanh(x)))
    _require(_close(trace.arrays["loss"], np.asarray(loss)), "the loss is wrong")


def check_failure(asked: _Asked) -> None:
    """A call that raises is a result that says where, or is not offered; the worker lives on."""
    case = asked.case()
    (node,) = case.graph.nodes
    wrong = msgspec.structs.replace(node, params={"no_such_parameter": 1})
    graph = msgspec.structs.replace(case.graph, nodes=(wrong,))
    request = request_for(msgspec.structs.replace(case, graph=graph))
    for trace in traces_of(asked.target.name, asked.request(request)):
        _require(trace.status != "ok", "a parameter that does not exist is ignored")
        _require(trace.status == "error", f"a wrong parameter: {trace.status}")
        _require(trace.failure is not None and bool(trace.failure.exception), "it says no more")
    _require(asked.trace(case).status == "ok", "after an error it does not work any more")


def check_offers(asked: _Asked) -> None:
    """It knows which ops it has."""
    op = asked.case().graph.nodes[0].op
    absent = f"{op.partition('.')[0]}.no_such_op"
    told = asked.request({"do": "offers", "names": [op, absent]})
    _require("offers" in told, f"it does not say what it offers: {told}")
    _require(op in told["offers"], f"it does not know that it has {op}")
    _require(absent not in told["offers"], f"it says that it has {absent}")


def _close(found: Any, expected: Any) -> bool:
    return found.shape == expected.shape and bool(np.all(np.abs(found - expected) < _FAR))
