"""The shipped checks catch sources that break their promises."""

from dataclasses import dataclass, field

import msgspec
import pytest

from assay.ir import Arm, Trial
from assay.sources import Memoryless, Triple, contract, create


@dataclass
class Faulty(Memoryless):
    """The single-op source with one fault."""

    seed: int
    fault: str
    name: str = "single-op"
    asked: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._inner = create("single-op", 0 if self.fault == "seed" else self.seed, ("a", "b"))

    def ask(self, index: int) -> Trial:
        self.asked.append(index)
        trial = self._inner.ask(index)
        if self.fault == "order":
            return trial.plain() if len(self.asked) == 1 else trial.again()
        if self.fault == "unstable":
            return msgspec.structs.replace(trial, spoilt=str(id(self)))
        if self.fault == "equal":
            return msgspec.structs.replace(self._inner.ask(0), index=index)
        if self.fault == "arm":
            return msgspec.structs.replace(trial, arms=(Arm("a", case=3),))
        if self.fault == "intent":
            return msgspec.structs.replace(trial, intent="invalid", spoilt="")
        if self.fault == "universe":
            return msgspec.structs.replace(trial, classes=(("op", "unknown", "class"),))
        return trial

    def universe(self) -> frozenset[Triple]:
        return self._inner.universe()


def test_a_faultless_source_passes() -> None:
    contract.check_all(lambda seed: Faulty(seed, ""), range(20))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("unstable", "differs between two sources"),
        ("order", "depends on the order"),
        ("seed", "give the same trials"),
        ("equal", "have equal cases"),
        ("arm", "names case 3"),
        ("intent", "contradict each other"),
        ("universe", "the universe lacks"),
    ],
)
def test_a_broken_promise_is_named(fault: str, message: str) -> None:
    kept = []  # keeps sources alive, so that their ids stay distinct

    def make(seed: int) -> Faulty:
        kept.append(Faulty(seed, fault))
        return kept[-1]

    with pytest.raises(AssertionError, match=message):
        contract.check_all(make, range(20))
