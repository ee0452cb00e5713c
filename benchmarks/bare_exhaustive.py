"""A bare loop over float32 numbers: what ``exhaustive.py`` compares with.

    python bare_exhaustive.py FIRST…

For blocks of 2^23 numbers from each place on: torch.tanh, numpy's in float64, and the largest
error in units in the last place. Prints the CPU seconds, and those without the errors.
"""

import sys
import time

import numpy as np
import torch

BLOCK, AT_ONCE = 2**23, 2**14


def numbers(first: int) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
    """The numbers from a place on, in ascending order."""
    # A block is of one sign: of negative numbers larger bits are lower ones.
    if first >= 2**31:
        return np.arange(first - 2**31, first - 2**31 + AT_ONCE, dtype="uint32").view("float32")
    bits = np.arange(2**32 - first - AT_ONCE, 2**32 - first, dtype="uint32")[::-1]
    return bits.copy().view("float32")


def main() -> None:
    """Measure both."""
    torch.set_num_threads(1)
    for units in (True, False):
        spent, most = 0.0, 0.0
        for block in map(int, sys.argv[1:]):
            for first in range(block, block + BLOCK, AT_ONCE):
                x = numbers(first)
                started = time.process_time()
                answers = torch.tanh(torch.from_numpy(x)).numpy()
                truths = np.tanh(x.astype("float64"))
                apart = np.abs(answers - truths)
                if units:
                    apart /= np.spacing(np.abs(truths).astype("float32"))
                most = max(most, float(apart.max()))
                spent += time.process_time() - started
        print(spent)


if __name__ == "__main__":
    main()
