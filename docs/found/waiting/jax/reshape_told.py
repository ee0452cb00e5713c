"""jax.eval_shape says (2, 6) of jax.lax.reshape of 20 elements to (2, 6), which cannot be.

The check is switched off in _reshape_shape_rule, with a note that it should come back;
jax.numpy.reshape has one. The call itself raises.
Ends with 0 if the fault is there, 1 if it is not, 2 if this cannot be run.
"""

import sys

try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    print("needs jax:", error)
    sys.exit(2)

try:
    print(jax.eval_shape(lambda x: jax.lax.reshape(x, (2, 6)), jnp.ones((5, 4))))
except (TypeError, ValueError) as error:
    print("refused:", error)
    sys.exit(1)
sys.exit(0)
