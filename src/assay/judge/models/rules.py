"""When a pair of targets is inconsistent: beyond rounding, or by the metrics of a paper."""

import msgspec

from assay.errors import AssayError
from assay.judge.distances import TOP
from assay.judge.models.tally import CLASS_THRESHOLD, MAD_THRESHOLD, Cutoffs, Tally, Task, Worst

CRADLE = "cradle"
#: CRADLE's distances and the rival it is compared with (the difference of top-k accuracies), each
#: with its threshold: T_C, T_M, T_AC.
PAPER = {"class": CLASS_THRESHOLD, "mad": MAD_THRESHOLD, "accuracy": 0.0}
#: The largest thresholds that make sense.
LARGEST = {"class": 2.0 ** (TOP - 1), "mad": 1.0, "accuracy": 1.0}
_OWN = ("class", "mad")


class Rule(msgspec.Struct, frozen=True):
    """When a pair is inconsistent: beyond rounding, or by a published rule (``preset``).

    By CRADLE's, if more than ``percent`` of the instances have a distance above its threshold, or
    if the accuracies of the best ``top_k`` labels differ by more than theirs. ``metrics`` are the
    thresholds of what counts; its own two distances, if there are none.
    """

    preset: str = ""
    percent: float = 0.0
    metrics: dict[str, float] = {}
    top_k: int = 1

    @property
    def published(self) -> bool:
        """Are thresholds all that counts?"""
        return self.preset == CRADLE

    @property
    def _counting(self) -> dict[str, float]:
        return self.metrics or {name: PAPER[name] for name in _OWN}

    @property
    def cutoffs(self) -> Cutoffs:
        """From where on an instance is counted, whether the metric decides or not."""
        limits = PAPER | self._counting
        return Cutoffs(limits["class"], limits["mad"], self.top_k)

    def __str__(self) -> str:
        if not self.published:
            return ""
        shown = {
            "class": "class distance {:g}",
            "mad": "MAD distance {:g}",
            "accuracy": f"top-{self.top_k} accuracy {{:g}}",
        }
        listed = ", ".join(shown[name].format(value) for name, value in self._counting.items())
        return f"{listed}, {self.percent:g}% of instances" if self.percent else listed

    def check_task(self, task: Task) -> None:
        """``AssayError`` if no metric that counts can be measured of such a model."""
        if self.published and task == "regression" and "mad" not in self._counting:
            raise AssayError(
                f"--metric {','.join(self._counting)} is for classifiers; the model is a "
                "regression. Add mad, or --classifier if its first output is scores of classes."
            )

    def exceeded(self, tally: Tally) -> tuple[str, ...]:
        """The metrics of a published rule that call the pair inconsistent, each by itself.

        Outputs of different shapes have no distance that would be near.
        """
        if not self.published:
            return ()
        allowed = self.percent / 100.0 * tally.instances
        found = {"class": tally.over_class > allowed, "mad": tally.over_mad > allowed}
        apart = tally.accuracy_differences
        if apart and "accuracy" in self.metrics:
            found["accuracy"] = apart[self.top_k - 1] > self.metrics["accuracy"]
        counting = [name for name in PAPER if name in self._counting]
        return tuple(name for name in counting if tally.shapes or found.get(name))

    def suspicious(self, tally: Tally) -> bool:
        """Is it worth looking where the targets part?"""
        if self.published:
            return bool(self.exceeded(tally))
        return tally.exceeding > 0 or tally.flips > 0

    def worst(self, tally: Tally) -> Worst:
        """The most inconsistent instance by the measure that this rule goes by."""
        if not self.published:
            return tally.worst("gate")  # of a threshold that was given, if there is one
        return tally.worst(next(iter(self.exceeded(tally)), "mad"))
