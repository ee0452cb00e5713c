"""What a user allows two targets of a check to differ by. Pure data."""

import msgspec

#: What targets are compared by as a whole, where labels are known: how much each may differ.
METRICS = ("accuracy", "top5", "mae")


class Limits(msgspec.Struct, frozen=True):
    """Of an output: |Δ| ≤ ``atol`` + ``rtol`` · the larger value, for every element;
    at least this share of instances with the same predicted label. None: no limit.
    """

    atol: float | None = None
    rtol: float | None = None
    agreement: float | None = None

    @property
    def of_values(self) -> bool:
        """Is there a limit for elements?"""
        return self.atol is not None or self.rtol is not None

    @property
    def allowed(self) -> str:
        """What elements may differ by, as it was given."""
        given = {"atol": self.atol, "rtol": self.rtol}
        return ", ".join(f"{name} {value:g}" for name, value in given.items() if value is not None)


class Thresholds(msgspec.Struct, frozen=True):
    """Limits of all outputs, of some by their names, and of metrics.

    If there are any, they decide: a pair of targets is inconsistent if it is beyond one.
    """

    every: Limits = Limits()
    outputs: dict[str, Limits] = {}
    metrics: dict[str, float] = {}

    @property
    def given(self) -> bool:
        """Is there any?"""
        return self != Thresholds()

    @property
    def classify(self) -> bool:
        """Do they only make sense for a classifier?"""
        return self.every.agreement is not None or bool({"accuracy", "top5"} & set(self.metrics))

    def of(self, output: str, place: int) -> Limits:
        """The limits of an output. Labels are those of the first, unless it is said."""
        own = self.outputs.get(output, Limits())
        every = self.every
        return Limits(
            every.atol if own.atol is None else own.atol,
            every.rtol if own.rtol is None else own.rtol,
            every.agreement if own.agreement is None and not place else own.agreement,
        )

    def __str__(self) -> str:
        parts = []
        for name, limits in (("", self.every), *self.outputs.items()):
            of = f"{name} " if name else ""
            parts += [f"{of}{limits.allowed}"] if limits.of_values else []
            if limits.agreement is not None:
                parts.append(f"{of}agreement {percent(limits.agreement)}")
        parts += [f"{name} within {said(name, limit)}" for name, limit in self.metrics.items()]
        return ", ".join(parts)


#: Nothing given: what rounding explains decides.
NONE = Thresholds()


def percent(share: float) -> str:
    """A share as it is given: 99.5%."""
    return f"{100 * share:.10g}%"


def said(metric: str, value: float) -> str:
    """A difference of a metric: accuracies in percent."""
    return f"{value:.3g}" if metric == "mae" else f"{100 * value:.3g}%"
