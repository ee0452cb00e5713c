"""The contract of a rule: two programs that must give the same.

A rule is one file. A *program* is a plain function that takes ``function`` (the API, or a whole
model) and gives another one, ``second``: ``second(*args, **kwargs)`` gives what corresponds to
``function(*args, **kwargs)``. It is made once and called for many inputs of the same shapes, so
that what it compiles is compiled once. Programs import what they use themselves and use nothing
of ours but the helpers that the rule names, because their source is what a script shows to a
maintainer. They must not change their arguments, nor keep anything that depends on values.
"""

import inspect
import re
import textwrap


class DoesNotApply(Exception):
    """Seen only at work: this call is outside of the rule's domain. No failure."""


class Facts(object):
    """What is known of a call before anything runs.

    ``arguments`` and ``params`` are plain data (see ``assay_worker.calls``), ``inputs`` the
    graph's inputs as dicts (``name``, ``shape``, ``dtype``). ``library`` is ``torch``,
    ``tensorflow``, ``jax``, ``keras`` …; ``undefined`` says why equal calls may differ.
    """

    def __init__(self, library, api, params, arguments, inputs, undefined=""):
        self.library = library
        self.api = api
        self.params = params
        self.arguments = arguments
        self.inputs = inputs
        self.undefined = undefined

    @property
    def floating(self):
        """Are there inputs, and all of them floats?"""
        return bool(self.inputs) and all("float" in item["dtype"] for item in self.inputs)

    @property
    def cut_off(self):
        """Are whole numbers scaled by one that is none? PyTorch says that it has to be whole."""
        scales = [self.arguments.get(name) for name in ("alpha", "beta")]
        broken = any(isinstance(scale, float) and scale != int(scale) for scale in scales)
        return broken and any("int" in item["dtype"] for item in self.inputs)

    def has(self, name):
        """Is a keyword argument given?"""
        return name in self.arguments or name in self.params


class Rule(object):
    """Base of all rules; what is not set holds for most.

    ``name``    as ``--rules`` takes it; the file's name
    ``eagle``   its number in the published catalogue, 0 if it is ours
    ``says``    ``one ≡ the other``, in few words
    ``domain``  what it applies to, in a sentence
    """

    name = ""
    eagle = 0
    says = ""
    domain = ""
    #: By library, the second program.
    programs = {}
    #: By library, the first one, where that is not the plain call.
    firsts = {}
    #: Are programs told as what the API is public, too? A function may have another name itself.
    called = False
    #: Functions that the programs call, for scripts; those of one library by its name.
    helpers = ()
    own_helpers = {}
    #: Does it hold for NaN, infinities, and numbers near the ends of the range?
    special = True
    #: Must the bits be the same? Where both run the same kernel on the same numbers.
    exact = False
    #: Is a second program that raises, where the first works, wrong? Else it is out of its domain.
    raising = True
    #: What says that a second program is not to be had, as a pattern.
    refusal = (
        r"not (yet )?(implemented|supported)|unsupported|NotImplemented|does(n't| not) support"
    )
    #: Does the second program compile? Then its pairs come after all others.
    compiles = False
    #: Does it take seconds for each call? Then it is used only where it is asked for by name.
    dear = False
    #: Does what breaks it show in every format of floats? Then what a wider one does not show is
    #: rounding; kernels of one format may be wrong by themselves.
    any_format = False
    #: Do results that differ by documented freedom (random, unordered) still agree?
    undefined = False

    def applies(self, facts):
        """Is the call in the rule's domain, as far as can be seen without running it?"""
        return True

    def covers(self, facts):
        """Does the rule apply, all told?"""
        if facts.library not in self.programs or (facts.undefined and not self.undefined):
            return False
        if facts.api.endswith("_"):
            return False  # it changes its arguments: what a second program would be given
        return not facts.cut_off and bool(self.applies(facts))

    def holds_for(self, name, facts):
        """Does it hold for this class of special values, in this call?"""
        return self.special

    def refuses(self, error):
        """Does an error of the second program say that there is none?"""
        if isinstance(error, (DoesNotApply, NotImplementedError)) or not self.raising:
            return True
        return re.search(self.refusal, str(error), re.IGNORECASE) is not None

    def source(self, library):
        """Names and source of the two programs, for scripts: (first or "", second, text)."""
        first, second = self.firsts.get(library), self.programs[library]
        helpers = list(self.helpers) + list(self.own_helpers.get(library, ()))
        parts = helpers + ([first] if first else []) + [second]
        text = "\n\n\n".join(textwrap.dedent(inspect.getsource(part)).rstrip() for part in parts)
        text = text.replace("  # fmt: skip", "")
        return first.__name__ if first else "", second.__name__, text


def mapped(change, value):
    """``value`` with ``change`` applied to each leaf of its lists, tuples and dicts."""
    if isinstance(value, dict):
        return {key: mapped(change, item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([mapped(change, item) for item in value])
    return change(value)
