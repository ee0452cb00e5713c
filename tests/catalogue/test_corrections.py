"""What a user's file changes, and what it is told when it is wrong."""

from pathlib import Path

import pytest

from assay.catalogue.corrections import corrected, read
from assay.catalogue.records import Call, Entry, Snapshot, Tensor
from assay.errors import AssayError

LIBRARIES = frozenset({"torch", "jax"})
CALL = Call(
    arguments={"0": {"$tensor": "x0"}, "1": {"$tensor": "x1"}},
    inputs=(Tensor("x0", (3,), "float32", free=True), Tensor("x1", (3,), "int64", 0, 2)),
    dtypes=("float32", "float64", "float16"),
    special=("nan", "zero"),
)
SNAPSHOT = Snapshot(
    "torch",
    "2.0",
    (Entry("torch.abs", calls=(CALL,)), Entry("torch.acos", calls=(CALL,))),
)


@pytest.fixture
def correct(tmp_path: Path):  # type: ignore[no-untyped-def]
    def correct(text: str) -> Snapshot:
        path = tmp_path / "mine.toml"
        path.write_text(text, encoding="utf-8")
        return corrected(SNAPSHOT, read(str(path), LIBRARIES))

    return correct


def test_an_api_is_excluded_and_says_by_whom(correct) -> None:  # type: ignore[no-untyped-def]
    found = correct('[torch."torch.abs"]\nexclude = true')
    assert not found.entry("torch.abs").calls
    assert "mine.toml" in found.entry("torch.abs").problem
    assert found.entry("torch.acos") == SNAPSHOT.entry("torch.acos")
    assert found.digest != SNAPSHOT.digest


def test_a_pattern_names_several(correct) -> None:  # type: ignore[no-untyped-def]
    found = correct('[torch."torch.a*"]\nundefined = "as we know"')
    assert {entry.undefined for entry in found.entries} == {"as we know"}


def test_dtypes_special_and_values_are_restricted(correct) -> None:  # type: ignore[no-untyped-def]
    found = correct(
        '[torch."torch.acos"]\ndtypes = ["float16"]\nspecial = ["zero"]\nvalues.x0 = [-1, 1]'
    )
    (call,) = found.entry("torch.acos").calls
    assert call.dtypes == ("float16",)
    assert [item.dtype for item in call.inputs] == ["float16", "int64"]
    assert call.special == ("zero",)
    assert (call.inputs[0].low, call.inputs[0].high, call.inputs[0].free) == (-1.0, 1.0, False)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[torch."torch.abs"]\nexlude = true', 'torch."torch.abs".exlude: unknown key. Did you'),
        ('[torch."torch.abs"]\nexclude = "yes"', r'torch."torch.abs".exclude: expected bool'),
        ("[torch]\nabs = 3", "torch.abs: expected a table"),
        ('[numpy."numpy.abs"]\nexclude = true', 'numpy: unknown library "numpy"'),
        ('[torch."torch.asb"]\nexclude = true', 'torch."torch.asb": torch 2.0 has no such API'),
        ('[torch."torch.abs"]\nspecial = ["nam"]', 'special: unknown value class "nam"'),
        ('[torch."torch.abs"]\nvalues.x0 = [2, 1]', "values.x0: 2.0 is more than 1.0"),
        ('[torch."torch.abs"]\nvalues.x7 = [1, 2]', "values.x7: no such tensor"),
        ('[torch."torch.abs"]\ndtypes = ["int8"]', "dtypes: torch.abs works with none of them"),
        ("[torch", "not valid TOML"),
    ],
)
def test_errors_name_file_and_key_in_one_line(correct, text, told) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(AssayError) as error:
        correct(text)
    said = str(error.value)
    assert told in said
    assert "mine.toml" in said
    assert "\n" not in said


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"none\.toml: cannot be read"):
        read(str(tmp_path / "none.toml"), LIBRARIES)
