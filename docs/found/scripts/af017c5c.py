# jax 0.10.2: jax.scipy.stats.bernoulli.pmf gives a probability to numbers between 0 and 1 (binom, geom, nbinom, betabinom alike)
# met by hand: equivalence, forward
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import numpy as np
    import scipy.stats
    from jax.scipy import stats
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

calls = {
    "bernoulli": (0.5, 0.5),
    "binom": (1.5, 4.0, 0.5),
    "geom": (1.5, 0.5),
    "nbinom": (1.5, 4.0, 0.5),
    "betabinom": (1.5, 4.0, 1.0, 1.0),
}
expected = [float(getattr(scipy.stats, name).pmf(*given)) for name, given in calls.items()]
actual = [float(getattr(stats, name).pmf(*given)) for name, given in calls.items()]
print("expected", expected, "actual", actual)
raise SystemExit(1 if actual == expected else 0)
