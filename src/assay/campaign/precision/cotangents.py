"""What results are multiplied by before they are added up, of which the gradient is taken."""

from assay.campaign.precision.job import Lacking
from assay.ir import Case, Constant, Integers, Recipe, derive
from assay.libraries import SHARED, translated
from assay.sources.precision import Drawn

#: Whole numbers, which every format has: their products with slopes are rounded, they are not.
_LOW, _HIGH = 1, 8


def is_whole(case: Case) -> bool:
    """Does a result hang on several numbers? ``Lacking`` without a formula."""
    # It takes python-flint, which no other command needs.
    from assay.judge.balls import NoFormula
    from assay.judge.balls.registry import formula_of

    (node,) = translated(case, SHARED).graph.nodes
    try:
        formula, _ = formula_of(node.op, {**node.params, **node.arguments}, len(node.inputs))
    except NoFormula as error:
        raise without(error) from None
    return not formula.elementwise


def upstream_of(drawn: Drawn) -> tuple[Recipe, ...]:
    """Ones for functions of numbers by themselves, else numbers that the call's seed draws."""
    count = range(len(drawn.case.graph.outputs))
    if not is_whole(drawn.case):
        return tuple(Constant(1.0) for _ in count)
    seed = drawn.case.weights.seed
    return tuple(Integers(derive(seed, "upstream", place), _LOW, _HIGH) for place in count)


def without(error: Exception) -> Lacking:
    """There is no truth."""
    return Lacking(f"gradients are measured where ball arithmetic has the derivative: {error}")


__all__ = ["is_whole", "upstream_of", "without"]
