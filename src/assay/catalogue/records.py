"""A catalogue: the APIs of one version of a library, each with calls that were seen to work."""

from typing import Any, Literal

import msgspec

from assay.ir import Parameters, content_hash

Form = Literal["function", "method", "module", "raw"]
#: Changes whenever snapshots of an older Assay can no longer be read as they are.
FORMAT = 1


class Tensor(msgspec.Struct, frozen=True):
    """A tensor of a call.

    ``shape`` has a number for an axis that only works as it is, and a symbol (see
    ``Call.sizes``) for one that was seen with other sizes. ``free``: any real values are valid;
    else those from ``low`` to ``high``, or of a ``structure`` (``positive_definite``,
    ``symmetric``, ``lower``, ``ordered``, ``probabilities``), or none but ``values``. Values of a
    complex tensor are two nested lists, real and imaginary.
    """

    name: str
    shape: tuple[int | str, ...]
    dtype: str
    low: float = 0.0
    high: float = 0.0
    free: bool = False
    values: Any = None
    structure: str = ""

    def __post_init__(self) -> None:
        for field in ("low", "high"):
            # JSON gives whole numbers back as integers, and 1 and 1.0 must hash alike.
            msgspec.structs.force_setattr(self, field, float(getattr(self, field)))


class Call(msgspec.Struct, frozen=True):
    """A call that worked, and within which bounds it still does.

    ``params`` are the arguments of a class's constructor, ``arguments`` those of the call, as
    ``assay_worker.calls`` tells them; ``{"$size": symbol}`` stands for the size of an axis,
    ``{"$dtype": "main"}`` for the dtype of the main tensors: all that have the first of
    ``dtypes``. The sample's own is first in ``dtypes`` and in each of ``sizes``. ``special`` are
    value classes that main tensors may hold. ``outputs`` tensors were given for the sample.
    ``valid`` is the share of draws that were valid when it was made.
    """

    params: Parameters = {}
    arguments: Parameters = {}
    inputs: tuple[Tensor, ...] = ()
    sizes: dict[str, tuple[int, ...]] = {}
    dtypes: tuple[str, ...] = ()
    special: tuple[str, ...] = ()
    differentiable: bool = False
    source: str = ""
    outputs: int = 1
    valid: float = 1.0

    @property
    def main(self) -> tuple[str, ...]:
        """Names of the tensors whose dtype can be changed."""
        return tuple(item.name for item in self.inputs if item.dtype in self.dtypes[:1])


class Entry(msgspec.Struct, frozen=True):
    """An API by its public path. ``undefined``: why equal calls may give different results.

    ``problem`` says why there is no call; ``crashes`` what killed the process that looked for
    calls, and what was tried then: draws do without it.
    """

    api: str
    form: Form = "function"
    calls: tuple[Call, ...] = ()
    undefined: str = ""
    problem: str = ""
    crashes: tuple[str, ...] = ()

    @property
    def namespace(self) -> str:
        """Its path without the name."""
        return self.api.rpartition(".")[0]


class Snapshot(msgspec.Struct, frozen=True):
    """The catalogue of one version of a library, by names in alphabetical order."""

    library: str
    version: str
    entries: tuple[Entry, ...]
    format: int = FORMAT

    @property
    def digest(self) -> str:
        """A hash of all that it says: two that are alike draw the same cases."""
        return content_hash(self)[:16]

    @property
    def usable(self) -> tuple[Entry, ...]:
        """The entries that have a call."""
        return tuple(entry for entry in self.entries if entry.calls)

    def entry(self, api: str) -> Entry:
        """The entry of that name; ``KeyError`` if there is none."""
        for entry in self.entries:
            if entry.api == api:
                return entry
        raise KeyError(api)
