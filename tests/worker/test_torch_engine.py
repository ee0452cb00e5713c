"""PyTorch as an engine: where a failure belongs."""

import numpy as np

from assay.execute import Supervisor, request_for, traces_of
from assay.ir import Case, Dot, Explicit, Graph, Input, Node, Uniform
from assay.targets import builtin_targets


def test_a_derivative_that_is_refused_at_the_call_fails_in_the_gradient() -> None:
    """PyTorch has none by the weights of ``nll_loss``, and says so as soon as it is called."""
    inputs = (Input("x0", (4, 3)), Input("x1", (4,), "int64"), Input("x2", (3,)))
    node = Node("n0", "torch.nn.functional.nll_loss", ("x0", "x1", "x2"), {"reduction": "none"})
    labels = Explicit(np.array([0, 2, 1, 2], dtype="int64"))
    case = Case(
        graph=Graph(inputs, (node,), ("n0",)),
        inputs={"x0": Uniform(1), "x1": labels, "x2": Uniform(2)},
        loss=Dot((Uniform(3),)),
        stage="gradient",
    )
    with Supervisor([builtin_targets()["torch"]], standbys=False) as supervisor:
        supervisor.start()
        (trace,) = traces_of("torch", supervisor.ask("torch", request_for(case)))
    assert trace.status == "error"
    assert trace.failure is not None
    assert (trace.failure.stage, trace.failure.node) == ("gradient", "n0")
    assert "with respect to argument 'weight'" in trace.failure.message
    assert trace.arrays["output:n0"].shape == (4,), "the call itself works"
