"""Functions of mathematics that libraries of tensors have and Keras has not, by SciPy's names.

No target is asked in these words: they say what the words of PyTorch, TensorFlow and JAX have in
common, and what each means is what SciPy documents.
"""

from assay.ops._base import REAL, Domain, OpSpec, Parameter, Tensor, parameter
from assay.ops.keras.ops._kinds import POSITIVE, SMALL, either_broadcasts
from assay.ops.shapes import broadcast, same_shape, unchanged

#: The first part of the names.
ROOT = "scipy"
_PROBABILITY = Domain(low=0.02, high=0.98)
#: The same of a function that is documented nowhere else.
_SHARE = Domain(low=0.02, high=0.98, documented=(0.0, 1.0))
_WIDE = Domain(low=-8.0, high=8.0)
_HALF = Domain(low=0.1, high=8.0)
#: Normal numbers of every format above 0.
_NORMAL = (2.0**-126, 2.0**127)
_ABOVE_ZERO = Domain(low=0.1, high=8.0, documented=_NORMAL)
_ABOVE_ONE = Domain(low=1.2, high=6.0, documented=(1.0 + 2.0**-7, 2.0**127))


def path(name: str) -> str:
    """The name of a function."""
    return f"{ROOT}.special.{name}"


#: PyTorch gives no gradients of these; those of others would have nobody beside them.
_FLAT = frozenset(("airy", "j0", "j1", "y0", "y1", "k0", "k0e", "k1", "k1e", "spherical_jn"))


def _unary(name: str, domain: Domain = REAL, parameters: tuple[Parameter, ...] = ()) -> OpSpec:
    return OpSpec(
        name=path(name),
        rule=unchanged,
        tensors=(Tensor(ranks=SMALL, domain=domain),),
        parameters=parameters,
        differentiable=name not in _FLAT,
    )


def _binary(name: str, domain: Domain = _ABOVE_ZERO, second: Domain | None = None) -> OpSpec:
    tensors = tuple(Tensor(ranks=SMALL, domain=item) for item in (domain, second) if item)
    return OpSpec(name=path(name), rule=broadcast, tensors=tensors, companions=either_broadcasts)


_ORDER = parameter("n", valid=(0,))
SPECS = (
    *(_unary(name, _WIDE) for name in ("erfcx", "ndtr", "log_ndtr", "dawsn", "airy")),
    *(_unary(name, _WIDE) for name in ("i0e", "i1", "i1e", "j0", "j1")),
    *(_unary(name, _ABOVE_ZERO) for name in ("y0", "y1", "k0", "k0e", "k1", "k1e", "expi")),
    *(_unary(name, _HALF) for name in ("digamma", "gamma", "gammaln", "exp1", "spence")),
    *(_unary(name, _PROBABILITY) for name in ("entr", "logit", "ndtri")),
    _unary("erfcinv", Domain(low=0.05, high=1.95)),
    _unary("spherical_jn", _WIDE, (_ORDER,)),
    *(_binary(name) for name in ("beta", "betaln", "gammainc", "gammaincc")),
    *(_binary(name) for name in ("kl_div", "rel_entr")),
    _binary("xlogy", REAL, POSITIVE),
    _binary("xlog1py", REAL, POSITIVE),
    _binary("zeta", _ABOVE_ONE, _ABOVE_ZERO),
    OpSpec(
        name=path("betainc"),
        rule=broadcast,
        tensors=(
            Tensor(ranks=SMALL, domain=_ABOVE_ZERO),
            Tensor(ranks=SMALL, domain=_ABOVE_ZERO),
            Tensor(ranks=SMALL, domain=_SHARE),
        ),
        companions=lambda draw, first: same_shape(draw, first) * 2,
    ),
)


def specs() -> list[OpSpec]:
    """Every function, in order of names."""
    return sorted(SPECS, key=lambda spec: spec.name)
