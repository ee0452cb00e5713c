"""Make the case of a finding as small as it can be and still show the same fault."""

from assay.reduce.minimal import Reduced, reduce
from assay.reduce.order import size
from assay.reduce.search import Shown, Shows

__all__ = ["Reduced", "Shown", "Shows", "reduce", "size"]
