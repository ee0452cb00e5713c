"""jax.numpy.gcd and lcm never return for the smallest int32 (int8, int16 alike).

The absolute value of the smallest integer is negative, and the loop that swaps so that the larger
number comes first then never ends. NumPy gives gcd(-2147483648, 6) = 2.
Public: jax-ml/jax#40840 and jax-ml/jax#40842.
Ends with 0 if the fault is there, 1 if it is not, 2 if this cannot be run. Takes 10 CPU seconds.
"""

import signal
import subprocess
import sys

CHILD = """
import resource
import jax.numpy as jnp
assert int(jnp.gcd(jnp.int32(12), jnp.int32(18))) == 6
spent = resource.getrusage(resource.RUSAGE_SELF)
seconds = int(spent.ru_utime + spent.ru_stime) + 10
print("ready", flush=True)
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
print(int(jnp.gcd(jnp.int32(-(2**31)), jnp.int32(6))))
"""
ended = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True)
if not ended.stdout.startswith("ready"):
    print("needs jax:", ended.stderr.strip()[-200:])
    sys.exit(2)
hangs = ended.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
print("does not return in 10 CPU seconds" if hangs else "gives " + ended.stdout.split()[-1])
sys.exit(0 if hangs else 1)
