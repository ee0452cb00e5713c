"""The recorder: public calls of a docstring's examples, as they were made."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from assay_worker.catalogue.recorder import (
    MOST_ELEMENTS,
    MOST_SAMPLES,
    Recorder,
    Unrecordable,
    shortest,
    statements,
)


class Scaled:
    """An object that is made of arguments, then called."""

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __call__(self, values: Any) -> Any:
        return np.multiply(values, self.factor)


def applied(function: Any, values: Any) -> Any:
    """A public function that calls what it is given."""
    return function(values)


def symbolic_or_kept(value: Any) -> Any:
    """What a harvest says of arrays; objects with a ``symbol`` are tensors without values."""
    if hasattr(value, "symbol"):
        raise Unrecordable("no values")
    return (value.copy(), value.size) if isinstance(value, np.ndarray) else None


PATHS = {
    "np.sort": np.sort,
    "np.concatenate": np.concatenate,
    "np.linalg.norm": np.linalg.norm,
    "np.random.seed": np.random.seed,
    "np.copyto": np.copyto,
    "np.ones": np.ones,
    "np.deep.ones": np.ones,
    "lib.Scaled": Scaled,
    "lib.applied": applied,
}


def recorder(**options: Any) -> Recorder:
    names = {"np": np, "lib": SimpleNamespace(Scaled=Scaled, applied=applied)}
    return Recorder(PATHS, symbolic_or_kept, names, **options)


def apis(documentation: str, **options: Any) -> list[str]:
    return [sample.api for sample in recorder(**options).record(documentation)]


def test_arguments_are_kept_as_they_were_given() -> None:
    (sample,) = recorder().record(
        """
        >>> x = np.array([3., 1., 2.])
        >>> np.sort(x, axis=0)
        array([1., 2., 3.])
        """
    )
    assert (sample.api, sample.kwargs, sample.made) == ("np.sort", {"axis": 0}, None)
    np.testing.assert_array_equal(sample.args[0], [3.0, 1.0, 2.0])


def test_what_a_call_writes_to_is_kept_as_it_was_before() -> None:
    (sample,) = recorder().record(">>> a = np.array([0, 0])\n>>> np.copyto(a, np.array([1, 2]))")
    np.testing.assert_array_equal(sample.args[0], [0, 0])


def test_each_statement_may_fail_by_itself() -> None:
    made = recorder()
    samples = made.record(
        """
        >>> np.sort(np.array([2, 1]))
        >>> np.sort(nobody_has_this)
        >>> raise SystemExit(3)
        >>> np.linalg.norm(np.array([3., 4.]))
        """
    )
    assert [sample.api for sample in samples] == ["np.sort", "np.linalg.norm"]
    assert [why.partition(":")[0] for _, why in made.problems] == ["NameError", "SystemExit"]


def test_what_a_public_call_calls_does_not_count() -> None:
    assert apis(">>> lib.applied(lambda x: np.sort(x), np.array([2, 1]))") == ["lib.applied"]


def test_a_call_that_fails_is_no_sample() -> None:
    assert apis(">>> np.sort(np.array([2, 1]), axis=7)") == []


def test_of_aliases_the_shortest_path_counts() -> None:
    assert apis(">>> np.ones(3)") == ["np.ones"]
    assert shortest({"b.c": len, "a.b.c": len, "bb.c": max})[id(len)] == ("b.c", len)


def test_an_object_has_the_arguments_of_its_constructor() -> None:
    (sample,) = recorder().record(">>> m = lib.Scaled(2.5)\n>>> m(np.array([1., 2.]))")
    assert (sample.api, sample.made) == ("lib.Scaled", ((2.5,), {}))
    assert len(sample.args) == 1


def test_methods_count_where_the_library_has_a_path_for_them() -> None:
    def method(owner: Any, name: str) -> str | None:
        return "np.ndarray." + name if isinstance(owner, np.ndarray) else None

    text = ">>> x = np.array([2., 4.])\n>>> x.mean(axis=0)\n>>> 'a'.upper()"
    (sample,) = recorder(method=method).record(text)
    assert (sample.api, sample.kwargs) == ("np.ndarray.mean", {"axis": 0})
    np.testing.assert_array_equal(sample.args[0], [2.0, 4.0])
    assert apis(text) == []


@pytest.mark.parametrize(
    "argument", [f"np.ones({MOST_ELEMENTS + 1})", "[1.0] * 2001", "thing", "iter([1, 2])"]
)
def test_what_no_sample_can_hold_is_left_out(argument: str) -> None:
    text = f""">>> class T:
...     symbol = "n"
>>> thing = T()
>>> lib.applied(lambda x: x, {argument})
"""
    assert "lib.applied" not in apis(text)


def test_an_api_has_a_few_samples_of_a_docstring() -> None:
    assert len(apis(">>> for n in range(100): _ = np.sort(np.array([n]))")) == MOST_SAMPLES


def test_prompts_without_a_blank_and_statements_over_several_prompts_are_read() -> None:
    text = """Says what it does.

    Example::

       >>>x = np.array([1, 2])
         >>> for n in range(2):
         >>>     y = np.sort(x)
       >>> this is prose
       >>> np.linalg.norm(
       ...     x,
       ... )
    """
    assert apis(text) == ["np.sort", "np.sort", "np.linalg.norm"]


def test_fenced_blocks_are_read_unless_they_hold_prompts_or_other_languages() -> None:
    text = "```python\nx = 1\nif x:\n    y = 2\n```\n```shell\nls\n```\n```\n>>> z = 3\n3\n```\n"
    assert statements(text) == ["x = 1\nif x:\n    y = 2", "z = 3"]


def test_unwanted_statements_never_run() -> None:
    text = ">>> import subprocess\n>>> np.random.seed(3)\n>>> np.sort(np.array([1]))"
    made = recorder(unwanted=r"random\.seed")
    assert [sample.api for sample in made.record(text)] == ["np.sort"]
    assert [why for _, why in made.problems] == ["unwanted", "unwanted"]


def test_two_recordings_are_equal() -> None:
    text = ">>> np.sort(np.random.rand(3))"
    first, second = (recorder().record(text)[0].args[0] for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_examples_print_and_write_nowhere(capsys: Any, tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    recorder().record(">>> print('told')\n>>> _ = open('written', 'w').write('x')")
    assert capsys.readouterr().out == ""
    assert not list(tmp_path.iterdir())
