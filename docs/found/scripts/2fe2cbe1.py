# jax 0.10.2: jax.numpy.exp2 of bfloat16 and float16 is off by up to half of large powers
# met by hand: precision, forward
# exit 0: bug present, 1: not present, 2: cannot run here
try:
    import jax.numpy as jnp
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

# both numbers are bfloat16, and the result is a normal number of it
x = -117.5
given = float(jnp.exp2(jnp.full((8,), x, "bfloat16"))[0])
truth = 2.0**x
print("expected", truth, "actual", given)
raise SystemExit(0 if abs(given - truth) > 0.02 * truth else 1)
