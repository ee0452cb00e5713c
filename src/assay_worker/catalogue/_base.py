"""The contract of a harvest: where a library's own calls come from.

A harvest is asked in two steps, each request in a process that may die of it:
``sources()`` lists what there is to look at (cheap: nothing of the library runs), and
``collect(source)`` looks at one of them and gives the calls that it holds. Both are functions of
the installed library alone: two builds give the same.
"""

#: What ``Harvest.undefined`` says of results that are whatever was there before.
UNINITIALISED = "uninitialised memory"


class Sample(object):
    """A call as it was made, with the library's own tensors in it.

    ``api`` is the shortest public path (``torch.fft.fft``, ``torch.Tensor.add_``,
    ``tf.raw_ops.Abs``, ``jax.numpy.sort``); of a class (``torch.nn.Conv2d``), ``made`` are the
    positional and keyword arguments of its constructor, as a pair, and ``args`` and ``kwargs``
    those of the call of the object.
    """

    def __init__(self, api, args=(), kwargs=None, made=None):
        self.api = api
        self.args = tuple(args)
        self.kwargs = dict(kwargs or {})
        self.made = made


class Harvest(object):
    """See the module. ``adapter`` is the library's (``resolve``, ``dtype``, ``engine``)."""

    #: Seconds of CPU that one step of looking at a sample may take (to find its sizes, say), and
    #: that collecting from a source may: what takes longer is taken for a hang.
    step_seconds = 10.0
    #: No more calls of an API than these are looked for; None: as many as a build asks for.
    most_calls = None

    def __init__(self, adapter):
        self.adapter = adapter

    def names(self):
        """Every public callable that a catalogue should have an entry for, sorted.

        Without what is no function of tensors: files, devices, randomness without a seed,
        distribution, decorators, context managers, removed names.
        """
        raise NotImplementedError

    def aliases(self):
        """Further public paths of the same objects: ``{path: name}``, of names in ``names()``."""
        return {}

    def sources(self):
        """Places where calls are to be had, as ``KIND:WHAT``, those that cost least first."""
        raise NotImplementedError

    def collect(self, source):
        """The samples of one place, at most a few of each API, small (at most 2,000 elements)."""
        raise NotImplementedError

    def guesses(self, name):
        """Calls that may work for an API of which no sample was found, the likeliest first.

        Made of its signature, its documentation and the library's own registries; whoever asks
        runs them and keeps what works. At most some 60.
        """
        return []

    def tensor(self, value):
        """A tensor of the library as an array; None if it is none."""
        raise NotImplementedError

    def dtype_name(self, value):
        """The name of a dtype of the library; None if it is none."""
        raise NotImplementedError

    def has_dtype(self, name):
        """Has the library tensors of this dtype?"""
        return True

    def public_name(self, value):
        """``{"$name": path}`` of a public object that an argument may be; None if it is none."""
        return None

    def parts(self, value):
        """The path of a public callable, and the arguments that it makes this value of: a sparse
        tensor is made of dense ones. None for anything else.
        """
        return None

    def structures(self, name):
        """Structures that arguments of an API need though nothing raises without, by keyword or
        place (``{"0": "ordered"}``): sorted boundaries, symmetric matrices … ``as it is`` for
        one whose values follow from others': only the sample's own are used.
        """
        return {}

    def unchecked(self, name):
        """Steps of looking at an API's samples (``sizes``, ``values`` …) that are never taken,
        because nothing checks what it is given: it would read what is not its own.
        """
        return ()

    def shapes(self, function, positional, keywords):
        """The shapes that a call gives, without computing it; None if only computing tells.

        Raises what the call would raise.
        """
        return None

    def accepts(self, function, positional, keywords):
        """Would a call run, as far as the library says so without running it? None if it does not.

        Asked of dtypes, of whose kind another one is known to work. May raise what the call would.
        """
        return None

    def differentiable(self, function, positional, keywords):
        """Has a call a derivative by one of its tensors? None if the engine is to find out."""
        return None

    def prepare(self):
        """Import what all requests need; called once, before processes are forked from it."""

    def undefined(self, name):
        """Why results of an API may differ between equal calls (random, uninitialised, unordered,
        free to choose signs …), as the library documents it; "" if they may not.
        """
        return ""
