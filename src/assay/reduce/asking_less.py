"""Ask for less: no gradient, no training, plain upstream gradients and weights."""

from collections.abc import Iterator

from msgspec.structs import replace

from assay.ir import Case, Dot, Uniform
from assay.ir.transform import forward_only, with_plain_upstream
from assay.reduce.search import Search

_ONES = Uniform(0, 1.0, 1.0)


def less_asked(search: Search) -> None:
    """Each simplification by itself; those that depend on each other in order."""
    for change in (_forward_only, _not_training, _plain_upstream, _plain_weights):
        search.first(change(search.case))


def _forward_only(case: Case) -> Iterator[Case]:
    if case.stage != "forward" or case.loss is not None:
        yield forward_only(case)


def _not_training(case: Case) -> Iterator[Case]:
    if case.training:
        yield replace(case, training=False)


def _plain_upstream(case: Case) -> Iterator[Case]:
    if isinstance(case.loss, Dot):
        yield with_plain_upstream(case)


def _plain_weights(case: Case) -> Iterator[Case]:
    yield replace(case, weights=_ONES, explicit_weights={})
    yield replace(case, weights=_ONES)
