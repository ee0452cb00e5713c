# torch 2.13.0+cpu: torch.erf of bfloat16 and float16 has no digits left of small numbers
# met by hand: precision, forward
# exit 0: bug present, 1: not present, 2: cannot run here
import math

try:
    import torch
except ImportError as error:
    print("cannot run:", error)
    raise SystemExit(2)

# erf(x) is 2 / sqrt(pi) x for small x: 2 ** -28 is far from the smallest normal number, 2 ** -126
x = 2.0**-28
given = float(torch.erf(torch.full((64,), x, dtype=torch.bfloat16))[0])
truth = math.erf(x)
print("expected", truth, "actual", given)
raise SystemExit(0 if abs(given - truth) > 0.02 * truth else 1)
