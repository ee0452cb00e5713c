"""A word: an op of a library, and what it means in the words that all libraries share.

The shared words are those of Keras: they have specs, references and conventions. A word that
differs by the names of its parameters is a table row; one that differs by more (a layout, an
explicit padding) has a function for each direction.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import Any, Literal

import msgspec

from assay.ir import Argument, Node
from assay.ops import OpSpec, Shape
from assay.ops.special import ROOT, path

#: Dtypes of a word that also computes with whole numbers.
WHOLE = ("float32", "int32")


class Untold(Exception):
    """A call that the other words cannot say; the message says why. No error: it is left out."""


class Writer:
    """Writes the nodes that stand for one node in other words.

    The last node that is written takes the id of the node it stands for; those before it have
    ids that belong to it, see ``owner``.
    """

    def __init__(
        self, node: Node, shapes: Mapping[str, Shape], speak: "Speak | None", taken: set[str]
    ) -> None:
        self._id = node.id
        self._shapes = shapes
        self._speak = speak
        self._taken = taken
        self.nodes: list[Node] = []

    def _name(self) -> str:
        places = (f"{self._id}{_MARK}{place}" for place in count())
        name = next(name for name in places if name not in self._taken)
        self._taken.add(name)
        return name

    def shape(self, tensor: Argument) -> Shape:
        """The shape of a tensor that the node reads; ``Untold`` if it is not known."""
        if not isinstance(tensor, str) or tensor not in self._shapes:
            raise Untold(f"the shape of {tensor} is not known")
        return self._shapes[tensor]

    def write(self, op: str, *inputs: Argument, **params: Any) -> str:
        """A call; what it gives is read under the name that is returned."""
        name = self._name()
        self.nodes.append(Node(name, op, inputs, params))
        return name

    def shared(self, means: str, *inputs: Argument, **params: Any) -> str:
        """A call of a shared op, in the words that are being written."""
        name = self._name()
        node = Node(name, means, inputs, params)
        if self._speak is None:
            self.nodes.append(node)
        else:
            inner = Writer(node, self._shapes, self._speak, self._taken)
            self._speak(node, inner)
            self.nodes += inner.written()
        return name

    def written(self) -> tuple[Node, ...]:
        """All nodes."""
        *before, last = self.nodes
        return (*before, msgspec.structs.replace(last, id=self._id))


#: Stands between a node's id and the number of a node that was written for it.
_MARK = "~"


def owner(name: str) -> str:
    """The node (or tensor) that another was written for; itself if it was not."""
    return name.partition(_MARK)[0]


#: Writes the nodes that stand for a node.
Say = Callable[[Node, Writer], None]
#: The same, of a shared op in the words of one library.
Speak = Callable[[Node, Writer], Any]


#: How an op is called.
Form = Literal["function", "method", "module", "layer", "loss", "metric", "optimizer", "object"]


class Word(msgspec.Struct, frozen=True, kw_only=True):
    """An op by its public path, and the shared op that it means.

    ``parameters`` maps its parameters to those of the shared op; others of the shared op it
    does not have. ``always`` are written in every call, and never None. ``single`` take a
    number where the shared op also takes several. ``given`` are parameters with one value,
    without which it would mean something else. ``defaults`` are its own where they differ.
    ``listed`` are lists also of one number. ``dtypes`` are those of its tensors, which all have
    the same; there are ``tensors`` of them if that is said, each of ``least_rank``. ``implied``
    are parameters of the shared op that it has no name for, and always means. ``labels_last``:
    a loss that reads predictions before labels, both of one shape. With ``spec`` it has a
    description of its own, else that of the shared op. ``to_shared`` and ``from_shared`` are for
    words that a table cannot say. ``since`` and ``until`` are versions of the library: has it,
    has it no longer. One that is not ``differentiable`` gives no gradients where the shared op
    has some. ``form`` is how it is called: a ``module`` is made of its parameters first,
    and so is a ``loss`` that is a class.
    """

    name: str
    means: str
    form: Form = "function"
    parameters: Mapping[str, str] = {}
    always: tuple[str, ...] = ()
    single: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    given: Mapping[str, Any] = {}
    implied: Mapping[str, Any] = {}
    labels_last: bool = False
    defaults: Mapping[str, Any] = {}
    dtypes: tuple[str, ...] = ("float32",)
    least_rank: int = 0
    tensors: int = 0
    spec: OpSpec | None = None
    to_shared: Say | None = None
    from_shared: Say | None = None
    since: str = ""
    until: str = ""
    differentiable: bool = True

    def but(self, **facts: Any) -> "Word":
        """The same with other facts: ``word(...).but(always=("axis",))``."""
        return msgspec.structs.replace(self, **facts)


def word(name: str, means: str, *same: str, **renamed: str) -> Word:
    """A row: parameters with the same name, and those with another (``dim="axis"``)."""
    known = means.startswith(("keras.", f"{ROOT}."))
    shared = means if known else f"keras.ops.{means}"
    return Word(name=name, means=shared, parameters={**{key: key for key in same}, **renamed})


def rows(prefix: str, names: Iterable[str], *same: str, **renamed: str) -> tuple[Word, ...]:
    """Rows with the same parameters; a name is its own and the shared op's, or ``own:shared``."""
    pairs = [name.partition(":") for name in names]
    return tuple(word(prefix + own, means or own, *same, **renamed) for own, _, means in pairs)


def special_word(name: str, means: str) -> Word:
    """A row of a function that Keras has not: one of ``assay.ops.special``."""
    return word(name, path(means))


def special(prefix: str, names: Iterable[str]) -> tuple[Word, ...]:
    """The same of several; ``own:means``, where ``own`` is not SciPy's name."""
    pairs = [name.partition(":") for name in names]
    return tuple(special_word(prefix + own, means or own) for own, _, means in pairs)
