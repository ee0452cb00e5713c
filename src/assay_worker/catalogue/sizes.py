"""Which axes of a call may have other sizes, alone or together."""

from assay_worker.catalogue import drawing

#: What an axis is tried with first: a size that hardly anything else of a sample has.
_UNUSUAL = (7, 11)
#: What it may be drawn with, besides the sample's own.
_SIZES = (1, 5, 17, 0)
#: Larger groups of axes are not taken apart by pairs.
_MOST_PAIRED = 6
#: Questions that a call is worth.
_MOST_ATTEMPTS = 60


def freed(trying, call):
    """The call with a symbol for each axis (or axes of one size) that may change."""
    search = _Search(trying, call)
    search.alone()
    search.together()
    return search.sized()


class _Search(object):
    def __init__(self, trying, call):
        self.trying = trying
        self.call = call
        self.attempts = 0
        self.left = [
            (place, axis)
            for place, item in enumerate(call["inputs"])
            if item["values"] is None
            for axis in range(len(item["shape"]))
        ]

    def alone(self):
        """Axes that nothing else follows."""
        for axis in list(self.left):
            self._take([axis], ())

    def together(self):
        """Axes of one size that change together, with the numbers that follow them."""
        for size in sorted({self._size(axis) for axis in self.left}):
            group = [axis for axis in self.left if self._size(axis) == size]
            pairs = [[a, b] for n, a in enumerate(group) for b in group[n + 1 :]]
            # As few together as possible: of two square matrices, rows and columns apart.
            for subset in pairs if len(group) <= _MOST_PAIRED else ():
                self._settle(subset, [()])
            numbers = paths(size, self.call) if size > 1 else []
            follow = [numbers] if numbers else []
            follow += [[path] for path in numbers] if len(numbers) > 1 else []
            for subset in [[axis] for axis in group] + pairs:
                self._settle(subset, follow)
            rest = [axis for axis in group if axis in self.left]
            self._settle(rest, [()] + follow)

    def _settle(self, subset, choices):
        """One subset that is left, with the first of these numbers that may follow it."""
        if all(axis in self.left for axis in subset):
            for chosen in choices:
                if self._take(subset, chosen):
                    return

    def _size(self, axis):
        return self.call["inputs"][axis[0]]["shape"][axis[1]]

    def _take(self, axes, numbers):
        """Make a symbol of these axes, if they may change."""
        if not axes or self.attempts >= _MOST_ATTEMPTS:
            return False
        self.attempts += 1
        size = self._size(axes[0])
        other = _UNUSUAL[0] if size != _UNUSUAL[0] else _UNUSUAL[1]
        symbol = "n%d" % len(self.call["sizes"])
        called = with_symbol(self.call, symbol, size, axes, numbers)
        if not self.trying.fits(called, _at(called, {symbol: other})):
            return False
        self.call = called
        self.left = [axis for axis in self.left if axis not in axes]
        return True

    def sized(self):
        """The sizes that each symbol may have."""
        call = self.call
        for symbol in sorted(call["sizes"]):
            (own,) = call["sizes"][symbol][:1]
            worked = [own]
            for size in _SIZES:
                fits = size != own and drawing.fits_sizes(call, {symbol: size})
                if fits and self.trying.fits(call, _at(call, {symbol: size})):
                    worked.append(size)
            call = dict(call, sizes=dict(call["sizes"], **{symbol: worked}))
        for symbol, worked in sorted(call["sizes"].items()):
            if len(worked) == 1:
                call = fixed(call, symbol)
        return call


def _at(call, sizes, seed=1):
    """The sample's choice, with some other sizes."""
    choice = drawing.sample(call, seed)
    choice.sizes.update(sizes)
    return choice


def with_symbol(call, symbol, size, axes, numbers):
    """The call with a symbol in place of these axes and numbers."""
    inputs = []
    for place, item in enumerate(call["inputs"]):
        shape = [
            symbol if (place, axis) in axes else length for axis, length in enumerate(item["shape"])
        ]
        inputs.append(dict(item, shape=shape))
    changed = {"params": call["params"], "arguments": call["arguments"]}
    for root, path in numbers:
        changed[root] = _replaced(changed[root], path, {"$size": symbol})
    return dict(call, inputs=inputs, sizes=dict(call["sizes"], **{symbol: [size]}), **changed)


def fixed(call, symbol):
    """The call with a symbol's own size in its place."""
    own = call["sizes"][symbol][0]

    def back(value):
        if isinstance(value, list):
            return [back(item) for item in value]
        if isinstance(value, dict):
            if value == {"$size": symbol}:
                return own
            return {key: back(item) for key, item in value.items()}
        return value

    inputs = [
        dict(item, shape=[own if size == symbol else size for size in item["shape"]])
        for item in call["inputs"]
    ]
    sizes = {name: worked for name, worked in call["sizes"].items() if name != symbol}
    return dict(
        call,
        inputs=inputs,
        sizes=sizes,
        params=back(call["params"]),
        arguments=back(call["arguments"]),
    )


def paths(size, call):
    """Where this whole number stands in a call's plain arguments."""
    found = []

    def look(root, value, path):
        if type(value) is int and value == size:
            found.append((root, path))
        elif isinstance(value, (list, tuple)):
            for index, item in enumerate(value):
                look(root, item, path + (index,))
        elif isinstance(value, dict):
            for key in sorted(value):
                look(root, value[key], path + (key,))

    look("params", call["params"], ())
    look("arguments", call["arguments"], ())
    return found


def _replaced(value, path, new):
    if not path:
        return new
    changed = dict(value) if isinstance(value, dict) else list(value)
    changed[path[0]] = _replaced(value[path[0]], path[1:], new)
    return changed
