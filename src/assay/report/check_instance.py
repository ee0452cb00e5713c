"""The most inconsistent instance of a pair: what went in, and what both targets gave."""

from collections.abc import Mapping, Sequence

import numpy as np

from assay.ir import Array
from assay.ir.check import Exhibit, PairResult
from assay.report.check_matrix import short
from assay.report.html import Cell, png, table, text
from assay.report.text import tensor_type, value

STYLE = """
.instance{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start}
.instance>*{margin:0;min-width:0}.instance img{width:11rem;image-rendering:pixelated;display:block;
border:1px solid var(--line)}figcaption{font-size:13px;color:var(--quiet)}
.numbers{font:13px/1.5 ui-monospace,monospace;overflow-wrap:anywhere;max-width:34rem}
td.best{font-weight:600}
"""
#: Numbers that are shown of an input; classes and elements of an output.
_NUMBERS, _CLASSES, _ELEMENTS = 24, 5, 8
#: Images are not smaller than this, and larger ones are shown by every second pixel and so on.
_SMALLEST, _LARGEST = 4, 512


def instance_shown(exhibit: Exhibit, pair: PairResult, expected: str) -> str:
    """Its inputs, as pictures if they look like that, and both answers.

    ``expected`` is what the class that the pair is measured by is called; empty for models that
    do not classify.
    """
    inputs = "".join(_input(name, array) for name, array in exhibit.inputs.items())
    answers = []
    for place, (one, two) in enumerate(zip(*exhibit.outputs, strict=False)):
        name = exhibit.output_names[place] if place < len(exhibit.output_names) else str(place)
        scores = expected and place == 0 and one.shape == two.shape and one.size == one.shape[-1]
        if scores and one.size > 1:
            true = pair.labels[2] if len(pair.labels) == 3 else None
            answers.append(_classes(name, exhibit.targets, one, two, {true: f" ({expected})"}))
        else:
            answers.append(_elements(name, exhibit.targets, one, two))
    return f'<div class="instance">{inputs}<div>{"".join(answers)}</div></div>'


def image_of(array: Array) -> Array | None:
    """An instance as bytes of shape (height, width, 1 or 3); None if it does not look like one.

    Channels are the last axis, else the first; the smallest value is black, the largest white.
    """
    if array.ndim == 4 and array.shape[0] == 1:
        array = array[0]
    if array.ndim != 3 or array.dtype.kind not in "fiu" or not np.isfinite(array).all():
        return None
    if array.shape[-1] not in (1, 3):
        array = np.moveaxis(array, 0, -1)
    height, width, channels = array.shape
    if channels not in (1, 3) or min(height, width) < _SMALLEST:
        return None
    every = -(-max(height, width) // _LARGEST)
    numbers = array[::every, ::every].astype("float64")
    low, high = numbers.min(), numbers.max()
    scaled: Array = np.round(255 * (numbers - low) / max(high - low, 1e-300)).astype("uint8")
    return scaled


def _input(name: str, array: Array) -> str:
    kind = tensor_type(array.dtype.name, array.shape)
    numbers = array.dtype.kind in "fiub" and array.size
    span = f", {short(float(array.min()))} to {short(float(array.max()))}" if numbers else ""
    told = text(f"{name}: {kind}{span}")
    pixels = image_of(array)
    if pixels is not None:
        picture = f'<img src="{png(np.ascontiguousarray(pixels))}" alt="input {text(name)}">'
        return f"<figure>{picture}<figcaption>{told}</figcaption></figure>"
    flat = array.reshape(-1)
    listed = " ".join(_element(item) for item in flat[:_NUMBERS])
    more = " …" if flat.size > _NUMBERS else ""
    return (
        f'<figure><div class="numbers">{text(listed)}{more}</div>'
        f"<figcaption>{told}</figcaption></figure>"
    )


def _element(item: object) -> str:
    return f"{item:.4g}" if isinstance(item, np.floating) else str(item)


def _classes(
    name: str, targets: Sequence[str], one: Array, two: Array, named: Mapping[int | None, str]
) -> str:
    """The scores of the classes that either target prefers."""
    a, b = one.reshape(-1), two.reshape(-1)
    apart = _apart(a, b)
    best = int(np.argmax(a)), int(np.argmax(b))
    order = [int(i) for i in np.argsort(-np.maximum(a, b), kind="stable")]
    chosen = list(dict.fromkeys([*best, *order]))[:_CLASSES]
    rows = []
    for label in sorted(chosen, key=order.index):
        kinds = ["n best" if label == winner else "n" for winner in best]
        marks = [" ◀" if label == winner else "" for winner in best]
        rows.append(
            [
                Cell(f"{label}{named.get(label, '')}"),
                Cell(text(f"{value(float(a[label]))}{marks[0]}"), kinds[0]),
                Cell(text(f"{value(float(b[label]))}{marks[1]}"), kinds[1]),
                Cell(short(float(apart[label])), "n"),
            ]
        )
    said = f"output {name}: the classes with the largest scores; ◀ is the answer"
    return table(["class", *targets, "|Δ|"], rows, said)


def _elements(name: str, targets: Sequence[str], one: Array, two: Array) -> str:
    """The elements that differ most."""
    if one.shape != two.shape:
        shapes = " and ".join(tensor_type(item.dtype.name, item.shape) for item in (one, two))
        return f"<p>{text(f'output {name}: {shapes}')}</p>"
    apart = _apart(one, two).reshape(-1)
    order = np.argsort(-apart, kind="stable")[:_ELEMENTS]
    rows = []
    for place in order:
        position = [int(index) for index in np.unravel_index(place, one.shape)]
        x, y = one.flat[place], two.flat[place]
        rows.append(
            [
                Cell(text(f"[{', '.join(map(str, position))}]")),
                Cell(text(value(float(x.real))), "n"),
                Cell(text(value(float(y.real))), "n"),
                Cell(short(float(apart[place])), "n"),
            ]
        )
    said = f"output {name}: the elements that differ most, of {one.size:,}"
    return table(["element", *targets, "|Δ|"], rows, said)


def _apart(one: Array, two: Array) -> Array:
    """How far elements are apart; NaN and NaN are not, NaN and a number are most."""
    wide = [array.astype(np.result_type(array, "float64")) for array in (one, two)]
    with np.errstate(all="ignore"):
        apart: Array = np.abs(wide[0] - wide[1])
    nothing = [np.isnan(array) for array in wide]
    apart = np.where(nothing[0] ^ nothing[1], np.inf, apart)
    return np.where((wide[0] == wide[1]) | (nothing[0] & nothing[1]), 0.0, apart)
