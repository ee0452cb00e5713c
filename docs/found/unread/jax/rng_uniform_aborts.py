"""jax.lax.rng_uniform of int8, uint8 or bool aborts the process.

XLA's CPU compiler has no case for whole numbers of 8 bits and fails a CHECK, instead of an error.
Ends with 0 if the fault is there, 1 if it is not, 2 if this cannot be run.
"""

import subprocess
import sys

CHILD = """
import jax, jax.numpy as jnp
print(jax.lax.rng_uniform(jnp.int32(0), jnp.int32(9), (3,)), flush=True)
print("ready", flush=True)
print(jax.lax.rng_uniform(jnp.int8(0), jnp.int8(9), (3,)))
"""
ended = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True)
if "ready" not in ended.stdout:
    print("needs jax:", ended.stderr.strip()[-200:])
    sys.exit(2)
print("ended with", ended.returncode, ended.stdout.split("ready")[1].strip())
sys.exit(0 if ended.returncode < 0 else 1)
