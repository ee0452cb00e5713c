"""A vocabulary: the ops of some libraries, as a value that is handed around."""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from assay.libraries.word import Form, Word
from assay.ops import OpSpec

#: How the ops of Keras' namespaces are called; the rest are functions.
_FORMS: dict[str, Form] = {
    "layers": "layer",
    "losses": "loss",
    "metrics": "metric",
    "optimizers": "optimizer",
    "constraints": "object",
    "regularizers": "object",
}


class Entry(msgspec.Struct, frozen=True):
    """What is known of an op beside its spec.

    ``root`` is the first part of its library's names. ``means`` is the shared op that it is
    compared with others by. ``batched``: the first axis of its tensors counts samples, which do
    not touch each other unless it is training or stateful. ``since`` and ``until`` are versions
    of the library.
    """

    root: str
    form: Form
    means: str
    batched: bool
    since: str = ""
    until: str = ""


class Vocabulary(Mapping[str, OpSpec]):
    """Specs by public path, and an ``entry`` for each."""

    def __init__(self, specs: Mapping[str, OpSpec], words: Mapping[str, Word]) -> None:
        self._specs = dict(specs)
        self._words = words

    def __getitem__(self, name: str) -> OpSpec:
        return self._specs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)

    def only(self, names: Iterable[str]) -> "Vocabulary":
        """The ops of these names."""
        wanted = set(names)
        chosen = {name: spec for name, spec in self._specs.items() if name in wanted}
        return Vocabulary(chosen, self._words)

    def but(self, specs: Iterable[OpSpec]) -> "Vocabulary":
        """The same with other specs of some ops."""
        return Vocabulary({**self._specs, **{spec.name: spec for spec in specs}}, self._words)

    def entry(self, name: str) -> Entry:
        """What is known of an op."""
        spec, root, word = self[name], name.partition(".")[0], self._words.get(name)
        if word is not None:
            return Entry(root, word.form, word.means, False, word.since, word.until)
        form = _FORMS.get(spec.family, "function")
        made = name.rpartition(".")[2][:1].isupper()
        return Entry(root, form if made else "function", name, form == "layer")
