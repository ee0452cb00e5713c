# jax 0.10.2: jax.nn.silu of float16 is 0 below -11.09, where its result is not small
# met by hand: precision, forward
# exit 0: bug present, 1: not present, 2: cannot run here
import math

try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

# the smallest normal number of float16 is 6.1e-5
x = -11.125
given = float(jax.nn.silu(jnp.full((8,), x, "float16"))[0])
truth = x / (1.0 + math.exp(-x))
print("expected", truth, "actual", given)
print("sigmoid", float(jax.nn.sigmoid(jnp.float16(x))), "exp", float(jnp.exp(jnp.float16(x))))
raise SystemExit(0 if abs(given - truth) > 0.02 * abs(truth) else 1)
