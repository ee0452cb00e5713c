"""How far a script goes with a library that builds a graph first, and then runs it: Keras 2.

Every input is an array, ``x_given``, and a placeholder, ``x``; weights are set once the graph is
built. The rest is as in ``asking``.
"""

from collections.abc import Mapping
from typing import Any

from assay.ir import Case, LossOp
from assay.ir.transform import ending_with
from assay.reproduce.asking import Asking, Measured, graded, may_be_cut, output_place, outputs_of
from assay.reproduce.literals import array_code, wrapped
from assay.reproduce.program import CannotReproduce, Program, upstream_code
from assay_worker.libraries.keras2.steps import CONVOLUTIONS

#: CNTK differentiates by what says so, and has floats only.
_PLACEHOLDER = """\
def placeholder(array):
    shape = (None,) + array.shape[1:]
    if K.backend() != "cntk":
        return keras.layers.Input(batch_shape=shape, dtype=array.dtype.name)
    import cntk
    tensor = cntk.input_variable(shape[1:], needs_gradient=True)
    tensor._keras_shape, tensor._uses_learning_phase = shape, False
    return keras.layers.Input(tensor=tensor)
"""
#: Its shape where a layer remembers something about each sample.
_WITH_BATCH = ("(None,) + array.shape[1:]", "array.shape")
#: What these take is a weight, whose first axis is no batch.
_OF_WEIGHTS = ("keras.constraints.", "keras.regularizers.")


class _Graph:
    """The lines that build the graph of a case, and the code that runs it."""

    def __init__(self, asking: Asking, case: Case, program: Program, differentiates: bool) -> None:
        self._asking, self._case, self._program = asking, case, program
        last = case.graph.nodes[-1]
        self._is_cell = last.op.endswith("Cell")
        self._of_weights = last.op.startswith(_OF_WEIGHTS)
        self._batch = any(_holds(node.params, "stateful") for node in case.graph.nodes)
        arrays = {program.names[name]: array for name, array in case.input_arrays().items()}
        floats = all(array.dtype.name == "float32" for array in arrays.values())
        self._helped = differentiates or not floats
        self._fed: list[str] = []
        #: The lines that make the inputs.
        self.inputs: list[str] = []
        if any(_trains(asking, node.op, node.params) for node in case.graph.nodes):
            # Where TensorFlow is told a number, recurrent layers of Keras 2.3.1 fail.
            self.inputs += ['if K.backend() != "tensorflow":', "    K.set_learning_phase(0)"]
        if self._helped:
            helper = _PLACEHOLDER.replace(*_WITH_BATCH) if self._batch else _PLACEHOLDER
            self.inputs += ["", *helper.splitlines(), ""]
        for line in program.tensors:
            self.inputs += self._placed(line, arrays[line.partition(" = ")[0]].shape)
        #: A list of the outputs, as code.
        several = self._is_cell or _holds(last.params, "return_state")
        self.outputs = "result" if several else "[result]"

    def _placed(self, line: str, shape: tuple[int, ...]) -> list[str]:
        name, _, code = line.partition(" = ")
        given = f"{name}_given = {code}"
        if self._of_weights:
            return [given, f"{name} = K.variable({name}_given)"]
        if self._case.graph.nodes[-1].op.startswith("keras.losses."):
            given += '.astype("float32")'  # as Keras gives labels to losses
        self._fed.append(name)
        if not shape:
            return [given, f"{name} = K.placeholder(shape=())"]
        if self._helped:
            return [given, f"{name} = placeholder({name}_given)"]
        said = shape if self._batch else (None, *shape[1:])
        return [given, f"{name} = keras.layers.Input(batch_shape={said})"]

    def built(self) -> list[str]:
        """The lines that make the layers and the graph up to ``result``, and set the weights."""
        program, node = self._program, self._case.graph.nodes[-1]
        lines = [*program.objects, *program.calls]
        if not self._is_cell:
            return [*lines, f"result = {program.result}", *self._weights()]
        # Keras 2 cannot take the lists that cells give through a layer's own call.
        (layer,) = program.layers[-1:]
        x = program.names[str(node.inputs[0])]
        states = program.result.partition("states=")[2].removesuffix(")")
        return [
            *lines,
            f"{layer}.build(K.int_shape({x}))",
            f"output, states = {layer}.call({x}, {states})",
            "result = [output] + list(states)",
            *self._weights(),
        ]

    def _weights(self) -> list[str]:
        if not self._program.values:
            return []
        (layer,) = self._program.layers
        values = f"[{', '.join(map(array_code, self._program.values))}]"
        lines = [wrapped(f"{layer}.set_weights({values})")]
        if self._batch:
            lines = [
                wrapped(f"for variable, value in zip({self._variables('weights')}, {values}):"),
                "    K.set_value(variable, value)",
            ]
        if self.kernels:
            lines += [
                f"kernels = [{', '.join(self.kernels)}]",
                'for kernel in kernels if K.backend() == "theano" else []:  # reversed there',
                "    reverse = keras.utils.conv_utils.convert_kernel(K.get_value(kernel))",
                "    K.set_value(kernel, reverse)",
            ]
        return lines

    def _variables(self, kind: str) -> str:
        """Those of a kind, and what a stateful layer remembers, which is not among them."""
        (layer,) = self._program.layers[-1:]
        if not self._batch:
            return f"{layer}.{kind}"
        if not self._case.graph.nodes[-1].params.get("stateful"):
            raise CannotReproduce("what a layer inside another remembers has no name in a script")
        return f"{layer}.{kind} + {layer}.states"

    @property
    def kernels(self) -> tuple[str, ...]:
        """The weights, as code, that lie reversed in Theano, which computes true convolutions."""
        node = self._case.graph.nodes[-1]
        return tuple(_kernels(node.op, node.params, "".join(self._program.layers[-1:])))

    def run(self, outputs: str, updates: str = "") -> str:
        """The code of the arrays of ``outputs``, which is the code of a list."""
        if self._of_weights:
            return f"[K.eval(item) for item in {outputs}]"
        changed = f", updates={updates}" if updates else ""
        return f"K.function([{', '.join(self._fed)}], {outputs}{changed})([{self._arrays}])"

    @property
    def _arrays(self) -> str:
        return ", ".join(f"{name}_given" for name in self._fed)

    def state(self, place: str) -> tuple[str, str]:
        """The code that runs a step of training, and that of what it leaves behind."""
        (layer,) = self._program.layers[-1:]
        ran = self.run(self.outputs, f"{layer}.updates")
        return ran, f"K.get_value(({self._variables('non_trainable_weights')})[{place}])"

    def loss(self, simple: bool) -> list[str]:
        """The lines that add the loss to the graph."""
        if self._of_weights:
            raise CannotReproduce("no script differentiates by a weight of Keras 2 alone")
        given = outputs_of(self._asking)
        made, loss = upstream_code(self._case, self._asking.dialect, given, simple)
        if isinstance(self._case.loss, LossOp):
            loss = f"K.sum({loss})"
        elif all(not array.shape for array in given.values()):
            return [*made, f"loss = {loss}"]  # a number has no batch
        lines = []
        for line in made:
            name, _, code = line.partition(" = ")
            self._fed.append(name)
            lines += [f"{name}_given = {code}", f"{name} = placeholder({name}_given)"]
        return [*lines, f"loss = {loss}"]

    def gradient(self, source: str) -> str:
        """The code of the gradient of the loss."""
        return f"gradient(loss, {source}, [{', '.join(self._fed)}], [{self._arrays}])"


def asked(asking: Asking) -> tuple[list[str], list[str]]:
    """As ``asking.asked``."""
    program = asking.program(weights=asking.thorough)
    differentiates = graded(asking)
    graph = _Graph(asking, asking.case, program, differentiates)
    built = graph.built()
    if not differentiates:
        return graph.inputs, [*built, graph.run(graph.outputs)]
    # What raises when it is differentiated, does so whatever the upstream gradient.
    loss = graph.loss(simple=not asking.thorough)
    if asking.finding.stage == "loss":
        return graph.inputs, [*built, *loss, graph.run("[loss]")]
    weights = f" + {program.layers[-1]}.trainable_weights" if program.layers else ""
    sources = f"[{', '.join(program.differentiable)}]{weights}"
    helper = ["", *asking.dialect.gradient.splitlines(), ""]
    each = f"[{graph.gradient('source')} for source in {sources}]"
    return [*helper, *graph.inputs], [*built, *loss, each]


def measured(asking: Asking) -> Measured:
    """As ``asking.measured``."""
    where = asking.finding.evidence.where
    head, _, rest = where.partition(":")
    case = asking.case if head != "output" else ending_with(asking.case, rest.partition(":")[0])
    program = asking.program(case)
    graph = _Graph(asking, case, program, head in ("loss", "gradient"))
    before = [*graph.inputs, *graph.built()]
    if head == "output":
        return Measured(before, f"{graph.run(graph.outputs)}[{output_place(where)}]")
    if head == "state":
        ran, actual = graph.state(rest.rpartition(":")[2])
        return Measured(before, actual, [ran])
    before += graph.loss(simple=False)
    if head == "loss":
        return Measured(before, f"{graph.run('[loss]')}[0]")
    before = ["", *asking.dialect.gradient.splitlines(), "", *before]
    kind, _, name = rest.partition(":")
    source = program.names.get(name, "result")
    if kind == "weight":
        source = f"{program.layers[-1]}.trainable_weights[{name.rpartition(':')[2]}]"
    lines = [f"found = {graph.gradient(source)}"]
    if kind == "weight" and graph.kernels:
        lines += [
            f'if K.backend() == "theano" and {source} in kernels:',
            "    found = keras.utils.conv_utils.convert_kernel(found)",
        ]
    if not may_be_cut(asking):
        return Measured(before, "found", lines)
    shape = next(array.shape for name, array in asking.arrays.items() if name.endswith(where))
    return Measured(before, f"np.zeros({shape}) if found is None else found", lines)


def all_outputs(asking: Asking) -> Measured:
    """The list of all arrays that the program gives."""
    graph = _Graph(asking, asking.case, asking.program(), differentiates=False)
    return Measured([*graph.inputs, *graph.built()], graph.run(graph.outputs))


def _inner(params: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Layers among the parameters of a layer."""
    return [item for item in params.values() if isinstance(item, Mapping) and "$op" in item]


def _holds(params: Mapping[str, Any], name: str) -> bool:
    """Is the layer with these parameters, or one inside it, told that?"""
    return bool(params.get(name)) or any(_holds(i.get("params", {}), name) for i in _inner(params))


def _trains(asking: Asking, op: str, params: Mapping[str, Any]) -> bool:
    """Does the layer, or one inside it, do something else in training?"""
    inside = [(item["$op"], item.get("params", {})) for item in _inner(params)]
    return op in asking.dialect.trained or any(_trains(asking, *item) for item in inside)


def _kernels(op: str, params: Mapping[str, Any], path: str) -> list[str]:
    kind = op.rpartition(".")[2]
    if kind == "ConvLSTM2D":
        return [f"{path}.cell.kernel", f"{path}.cell.recurrent_kernel"]
    if kind in CONVOLUTIONS:
        return [f"{path}.kernel"]
    inside = {"TimeDistributed": ("layer",), "Bidirectional": ("forward_layer", "backward_layer")}
    return [
        name
        for part in inside.get(kind, ())
        for item in _inner(params)
        for name in _kernels(item["$op"], item.get("params", {}), f"{path}.{part}")
    ]
