# jax 0.10.2: jax.numpy.gcd of the smallest integer of its dtype does not return (lcm with it)
# met by hand: crash, forward
# exit 0: bug present, 1: not present, 2: cannot run here
import subprocess
import sys

try:
    import jax.numpy as jnp
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

if sys.argv[1:] != ["child"]:  # the call does not return
    command = [sys.executable, __file__, "child"]
    try:
        child = subprocess.run(command, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        print("expected 2, actual no answer within 60 seconds")
        raise SystemExit(0)
    print("expected 2, actual", child.stdout.decode().strip())
    raise SystemExit(2 if child.returncode == 2 else 1)

print(int(jnp.gcd(jnp.int32(-(2**31)), jnp.int32(6))))
