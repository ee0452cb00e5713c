"""Calls that the examples in an installed package's documentation make.

The examples' own source is rewritten, not the library: each call in it goes through
``Recorder.call``, which knows public functions by identity. So what a library calls inside is
never seen, and nothing of the library is patched. A docstring is a unit: its statements share
names, each may fail by itself, and what was recorded before stays. Examples can do anything, hang
and abort included: ask for them in a process that may die of it.
"""

import ast
import contextlib
import inspect
import io
import os
import random
import re
import tempfile
import warnings

import numpy as np

from assay_worker.catalogue._base import Sample

#: Calls with more elements in their tensors and lists, together, are left out.
MOST_ELEMENTS = 2000
#: Samples of one API in one docstring; the rest says the same once more.
MOST_SAMPLES = 8
#: Statements with these never run: they wait, draw on a screen, or leave this process.
UNWANTED = re.compile(
    r"\bplt\b|matplotlib|subprocess|multiprocessing|\bsleep\(|\binput\(|breakpoint\(|\bpdb\b"
    r"|\bos\.(?!path)|socket|urllib|download|while True"
)
#: What needs the frame that it is called from.
_OF_THE_FRAME = frozenset(["super", "locals", "globals", "vars", "dir", "eval", "exec"])
_CALL = "__assay_call__"
_PROMPT, _FURTHER, _FENCE = ">>>", "...", "```"


class Unrecordable(ValueError):
    """An argument that no sample can hold: a symbolic tensor, too many elements."""


def shortest(paths):
    """One path for each object of ``{path: object}``: the least deep, then the shortest.

    Gives ``{id: (path, object)}``; the objects are held, so that identities stay theirs.
    """
    found = {}
    for path in sorted(paths, key=lambda path: (path.count("."), len(path), path)):
        found.setdefault(id(paths[path]), (path, paths[path]))
    return found


def statements(documentation):
    """The sources of the examples of a docstring, in order, each of one or more statements.

    Blocks with prompts, and fenced ones of Python without any. More lenient than ``doctest``:
    a missing blank or an indentation that is not kept loses nothing, and a statement may go on
    behind the next prompt.
    """
    blocks, fenced = [], None
    for line in documentation.expandtabs().splitlines():
        text = line.strip()
        if text.startswith(_FENCE):
            if fenced:
                blocks.append(inspect.cleandoc("\n" + "\n".join(fenced)))
            fenced = [] if fenced is None and text[3:].lower() in ("", "python", "py") else None
        elif text.startswith(_PROMPT):
            fenced = None
            blocks.append(_code(text))
        elif text.startswith(_FURTHER) and blocks and fenced is None:
            blocks[-1] += "\n" + _code(text)
        elif fenced is not None:
            fenced.append(line)
    return list(_whole(blocks))


def _code(text):
    """A line without its prompt."""
    return text[4:] if text[3:4] == " " else text[3:]


def _whole(blocks):
    """Blocks that parse: those that do not are joined with some that follow, or left out."""
    place = 0
    while place < len(blocks):
        for end in range(place + 1, min(place + 12, len(blocks)) + 1):
            source = "\n".join(blocks[place:end])
            if _parses(source):
                yield source
                place = end
                break
        else:
            place += 1


def _parses(source):
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):  # ValueError: a null byte
        return False
    return True


class _Calls(ast.NodeTransformer):
    """``f(x)`` becomes ``__assay_call__(f, x)``."""

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in _OF_THE_FRAME:
            return node
        function = ast.Name(id=_CALL, ctx=ast.Load())
        further = ast.Call(func=function, args=[node.func] + node.args, keywords=node.keywords)
        return ast.copy_location(further, node)


class Recorder(object):
    """Runs examples and keeps the public calls that worked, as ``Sample``.

    ``paths`` are the public callables by path, aliases included. ``keep(value)`` gives a copy of
    a tensor and its number of elements, None for what is no tensor; it raises ``Unrecordable``
    for a tensor without values. ``names`` are what examples take for granted (``np``).
    ``method(owner, name)`` gives the public path of a tensor's method, None if it shall not
    count. ``prepare()`` is called before each docstring, to seed. ``unwanted`` tells, beside
    ``UNWANTED``, which statements are left out: whatever changes the library for those that
    follow. ``makes(path, function)``: does it give an object, whose calls are what counts? Classes
    do, unless it says otherwise.
    """

    def __init__(
        self, paths, keep, names=None, method=None, prepare=None, unwanted=None, makes=None
    ):
        self.public = shortest(paths)
        self.keep = keep
        self.names = dict(names or {})
        self.method = method
        self.prepare = prepare
        self.unwanted = unwanted and re.compile(unwanted)
        self.makes = makes or (lambda path, function: inspect.isclass(function))
        #: Statements of the last docstring that failed, each with why.
        self.problems = []
        self._samples = []
        self._made = {}
        self._depth = 0

    def record(self, documentation):
        """The samples of a docstring's examples, in the order of the calls."""
        self.problems, self._samples, self._made, self._depth = [], [], {}, 0
        sources = statements(documentation or "")
        if not sources:
            return []
        names = dict(self.names, **{_CALL: self.call, "__name__": "__assay_example__"})
        random.seed(0)
        np.random.seed(0)
        if self.prepare is not None:
            self.prepare()
        with _aside():
            for source in sources:
                self._run(source, names)
        self._made = {}
        return self._samples

    def _run(self, source, names):
        if UNWANTED.search(source) or (self.unwanted and self.unwanted.search(source)):
            self.problems.append((source, "unwanted"))
            return
        tree = _Calls().visit(ast.parse(source))
        for statement in tree.body:
            tree.body = [statement]
            self._depth = 0
            try:
                exec(compile(ast.fix_missing_locations(tree), "<example>", "exec"), names)
            except (Exception, SystemExit) as error:
                self.problems.append((source, "%s: %s" % (type(error).__name__, error)))

    def call(self, *positional, **keywords):
        """A call of an example: made as it is, and recorded if it is a public one."""
        function, positional = positional[0], positional[1:]
        path, made = self._told(function)
        if path is None:
            return function(*positional, **keywords)
        kept = None if self._depth else self._kept(function, positional, keywords)
        self._depth += 1
        try:
            result = function(*positional, **keywords)
        finally:
            self._depth -= 1
        if kept is not None:
            if made is None and self.makes(path, function):
                self._made[id(result)] = (result, path, kept[1:])
            else:
                self._add(path, kept, made)
        return result

    def _told(self, function):
        """Public path, and arguments of the constructor if it is an object of a public class."""
        if id(function) in self._made:
            return self._made[id(function)][1:]
        if id(function) in self.public:
            return self.public[id(function)][0], None
        owner = getattr(function, "__self__", None)
        if self.method is not None and owner is not None:
            return self.method(owner, getattr(function, "__name__", "")), None
        return None, None

    def _kept(self, function, positional, keywords):
        """Copies of owner, positional and keyword arguments; None if there is no telling."""
        owner = ()
        if id(function) not in self.public and id(function) not in self._made:
            owner = (function.__self__,)
        budget = _Budget(self.keep)
        try:
            return (
                tuple(budget.copied(value) for value in owner),
                tuple(budget.copied(value) for value in positional),
                {key: budget.copied(value) for key, value in keywords.items()},
            )
        except Unrecordable:
            return None

    def _add(self, path, kept, made):
        owner, positional, keywords = kept
        if sum(sample.api == path for sample in self._samples) < MOST_SAMPLES:
            self._samples.append(Sample(path, owner + positional, keywords, made))


class _Budget(object):
    """Copies of arguments that together have no more than so many elements."""

    def __init__(self, keep):
        self.keep = keep
        self.left = MOST_ELEMENTS

    def copied(self, value):
        """A copy of tensors, and of lists, tuples and dictionaries with them."""
        kept = self.keep(value)
        if kept is not None:
            copy, elements = kept
            self._take(elements)
            return copy
        if isinstance(value, dict):
            return {key: self.copied(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            self._take(len(value))
            items = [self.copied(item) for item in value]
            if hasattr(value, "_fields"):
                return type(value)(*items)
            return items if isinstance(value, list) else tuple(items)
        if hasattr(value, "__next__"):
            raise Unrecordable("an iterator that the call uses up")
        return value

    def _take(self, elements):
        self.left -= elements
        if self.left < 0:
            raise Unrecordable("more than %d elements" % MOST_ELEMENTS)


@contextlib.contextmanager
def _aside():
    """What examples print, warn of and write is nobody's."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as directory, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.chdir(directory)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                with contextlib.redirect_stderr(io.StringIO()):
                    yield
        finally:
            os.chdir(before)
