"""Scripts for what gives wrong numbers."""

import math

import numpy as np

from assay.gaps import SCREEN
from assay.ir import Array, Finding, platform_of
from assay.reproduce import built
from assay.reproduce.asking import Asking, containers, inside
from assay.reproduce.failures import CALLING, if_raised
from assay.reproduce.literals import array_code, element_code, wrapped
from assay.reproduce.program import filled
from assay.reproduce.sides import BALLS, REFERENCE, expected, tolerance
from assay.reproduce.ways import measured

#: Larger answers are compared only where they differ most.
_WHOLE_ANSWER = 8
_RUNS = 100
#: What two right answers may differ by, of the largest number in them.
_RELATIVE = SCREEN.relative
_ABSURD = 1000.0
_WIDTH = 100


def inconsistency(asking: Asking) -> list[str]:
    """Compare with the right answer, which the script spells out."""
    finding = asking.finding
    if containers(asking):
        return _container(asking)
    found = measured(asking)
    answer = expected(finding, asking.arrays, asking.sides)
    right = answer.array
    wrong = asking.arrays.get(f"{asking.sides.faulty[0]}/{finding.evidence.where}")
    if wrong is not None and wrong.shape != right.shape:
        return [
            *found.before,
            *found.asking,
            f"actual = tuple({found.actual}.shape)",
            f"expected = {right.shape}",
            'print("expected shape", expected, "actual shape", actual)',
            f"raise SystemExit(0 if actual != expected else {asking.absent})",
        ]
    code = asking.numbers(found.actual)
    guard = ""
    if _shapes_differ(asking, right):
        guard = f"actual.shape == {right.shape} and "
    elif right.size > _WHOLE_ANSWER and _all_differ_there(asking, right):
        position = finding.evidence.position
        code += f"[{', '.join(map(str, position))}]"
        right = right[position]
    literal = array_code(right) if right.ndim else element_code(right[()])
    # Whoever gets the script knows nothing of names that targets have here.
    known = [
        name if name == BALLS else platform_of(finding, name).identity for name in answer.witnesses
    ]
    names = ["float64 reference" if name == REFERENCE else name for name in dict.fromkeys(known)]
    assigned = f"expected = {literal}  # {', '.join(names)}"
    if len(assigned) > _WIDTH:
        assigned = f"# {', '.join(names)}:\n{wrapped(f'expected = {literal}')}"
    return [
        *found.before,
        *found.asking,
        f"actual = {code}",
        *assigned.splitlines(),
        'print("expected", expected, "actual", actual)',
        f"raise SystemExit({asking.absent} if {guard}{_equal(finding, answer.array)} else 0)",
    ]


def _container(asking: Asking) -> list[str]:
    """A tuple of arrays against one array that holds them all: compare all shapes."""
    right = containers(asking)[asking.sides.sound[0]]
    return [
        *_shapes(asking),
        f"expected = {right}",
        'print("expected arrays of shapes", expected, "actual", actual)',
        f"raise SystemExit(0 if len(actual) != len(expected) else {asking.absent})",
    ]


def _shapes(asking: Asking) -> list[str]:
    """Lines that give the shapes of all outputs."""
    if asking.dialect.builds:
        found = built.all_outputs(asking)
        return [*found.before, f"actual = [item.shape for item in {found.actual}]"]
    program = asking.program()
    before = [*program.tensors, *program.objects, *program.calls]
    if asking.speaker.chooses_backend:
        flat = filled(asking.dialect.items, program.result)
        return [*before, f"actual = [tuple(item.shape) for item in {flat}]"]
    return [
        *before,
        f"result = {program.result}",
        "result = result if isinstance(result, (list, tuple)) else [result]",
        "actual = [tuple(item.shape) for item in result]",
    ]


def _faulty_answers(asking: Asking) -> list[Array]:
    where = asking.finding.evidence.where
    names = [f"{target}/{where}" for target in asking.sides.faulty]
    return [asking.arrays[name] for name in names if name in asking.arrays]


def _shapes_differ(asking: Asking, right: Array) -> bool:
    """Does one of several faulty targets give another shape?"""
    return any(wrong.shape != right.shape for wrong in _faulty_answers(asking))


def _all_differ_there(asking: Asking, right: Array) -> bool:
    """Is every faulty target wrong where the first differs most?"""
    position = asking.finding.evidence.position
    allowed = tolerance(asking.finding)
    return not any(
        np.allclose(wrong[position], right[position], rtol=0, atol=allowed, equal_nan=True)
        for wrong in _faulty_answers(asking)
    )


def nondeterminism(asking: Asking) -> list[str]:
    """Ask again and again until two answers differ, or one is an exception or a signal.

    What reads memory that nobody wrote may do anything.
    """
    found = measured(asking)
    allowed = tolerance(asking.finding) or 1e-6
    # Garbage is so large that rounding of it would explain anything.
    relative, allowed = (0, allowed) if allowed < 1 else (_RELATIVE, _RELATIVE)
    piped = "stdout=subprocess.PIPE, text=True"
    if asking.python < (3, 7):
        piped = piped.replace("text", "universal_newlines")
    return [
        'if sys.argv[1:] != ["child"]:  # it may kill its process, too',
        '    command = [sys.executable, __file__, "child"]',
        f"    child = subprocess.run(command, {piped})",
        '    print(child.stdout, end="")',
        "    if child.returncode >= 0:",
        "        raise SystemExit(child.returncode)",
        '    print("expected an answer each time, actual signal", -child.returncode)',
        f'    raise SystemExit(0 if "{CALLING}" in child.stdout else 2)',
        "",
        *found.before,
        "first = None",
        f'print("{CALLING}", flush=True)',
        f"for run in range({_RUNS}):",
        "    try:",
        *inside(*inside(*found.asking)),
        f"        actual = np.array({asking.numbers(found.actual)})",
        "    except Exception as error:",
        '        print(f"expected an answer, actual {type(error).__name__}: {error}")',
        *inside(*inside(*if_raised(asking))),
        "    first = actual if first is None else first",
        f"    if not np.allclose(actual, first, {relative:g}, {allowed:.2g}, equal_nan=True):",
        '        print("first run", first, "run", run + 1, actual)',
        "        raise SystemExit(0)",
        "    del actual  # and leave other numbers in its memory",
        f"    {_other_numbers(asking)} * 2",
        f'print("{_RUNS} runs agree")',
        f"raise SystemExit({asking.absent})",
    ]


def _other_numbers(asking: Asking) -> str:
    if asking.speaker.chooses_backend and not asking.dialect.builds:
        return 'keras.ops.full(first.shape, run + 1, "float32")'
    return filled(asking.dialect.tensor, 'np.full(first.shape, run + 1, "float32")')


def _equal(finding: Finding, right: Array) -> str:
    """The comparison: what rounding can explain is equal."""
    allowed = tolerance(finding)
    if right.dtype.kind not in "fc" and not allowed:
        return "np.array_equal(actual, expected)"
    sizes = np.abs(right[np.isfinite(right)])
    usual = _RELATIVE * float(sizes.max()) if sizes.size and sizes.max() else 0.0
    if not allowed or not math.isfinite(allowed):
        # NaN and infinity have no tolerance; the numbers beside them need one.
        allowed = usual or _RELATIVE
    elif usual and allowed > _ABSURD * usual:
        # A wrong answer may be so large that rounding of it would explain anything.
        allowed = usual
    return f"np.allclose(actual, expected, rtol=0, atol={allowed:.2g}, equal_nan=True)"
