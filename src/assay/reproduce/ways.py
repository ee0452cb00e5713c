"""The two ways to ask a program: at once, or by a graph that is built first."""

from assay.reproduce import asking as eager
from assay.reproduce import built
from assay.reproduce.asking import Asking, Measured


def asked(asking: Asking) -> tuple[list[str], list[str]]:
    """Lines that prepare the program, and those that ask it; the last is an expression."""
    return built.asked(asking) if asking.dialect.builds else eager.asked(asking)


def measured(asking: Asking) -> Measured:
    """The array of the evidence, computed as the worker did."""
    return built.measured(asking) if asking.dialect.builds else eager.measured(asking)
