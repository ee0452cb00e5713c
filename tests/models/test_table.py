"""Tables of text: columns by name, numbers only, mistakes told with their line."""

from pathlib import Path

import numpy as np
import pytest

from assay.ir.check import TensorSpec
from assay.models import DataError, Dataset, open_data

ROW = TensorSpec("input_1", (None, 3), "float32")


def table(folder: Path, text: str) -> str:
    (folder / "d.csv").write_text(text, encoding="utf-8")
    return str(folder / "d.csv")


def arrays(data: Dataset) -> tuple[list[np.ndarray], np.ndarray | None]:
    (batch,) = data.batches()
    return list(batch.inputs), batch.labels


def test_the_columns_in_order_are_the_only_input(tmp_path: Path) -> None:
    path = table(tmp_path, "\ufeffage, size ,label,weight\n1,2.5,1,-3e2\n\n4,5,0,6\n")
    data = open_data(path, [ROW])
    assert (data.instances, data.said) == (2, ("labels: column label",))
    (x,), labels = arrays(data)
    np.testing.assert_array_equal(x, np.array([[1, 2.5, -300], [4, 5, 6]], "float32"))
    assert labels is not None
    assert labels.dtype == np.int64
    assert labels.tolist() == [1, 0]


def test_several_inputs_take_the_columns_of_their_names(tmp_path: Path) -> None:
    specs = [TensorSpec("ids", (None, 2), "int32"), TensorSpec("rate", (None, 1), "float32")]
    (ids, rate), labels = arrays(
        open_data(table(tmp_path, "ids_1,rate,ids_0,y\n2,0.5,1,1.5\n"), specs)
    )
    assert ids.tolist() == [[1, 2]]
    assert ids.dtype == np.int32
    assert rate.tolist() == [[0.5]]
    assert labels is not None
    assert labels.tolist() == [1.5]


def test_columns_of_pixels_are_read_row_by_row(tmp_path: Path) -> None:
    item = TensorSpec("x", (None, 2, 2, 1), "float32")
    data = open_data(table(tmp_path, "0,1,2,3\n1,2,3,4\n"), [item])
    assert data.said == ("x: 4 columns read as 2×2×1, row by row",)
    (x,), _ = arrays(data)
    assert x.tolist() == [[[[1], [2]], [[3], [4]]]]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "is empty: expected a header"),
        ("a,b,c\n", "0 instances"),
        ("1,2,3\n4,5,6\n", "expected a header with the names of the columns in line 1"),
        ("a,b,y\n1,2,3\n", "so 3 columns; received 2 (a, b)"),
        ("a,b,c,d\n1,2,3,4\n", "so 3 columns; received 4 (a, b, c, d)"),
        ("a,b,c\n1,2,3\n4,5\n", "line 3: expected 3 columns as in the header; received 2"),
        ("a,b,c\n1,x,3\n", 'line 2: expected a number for b; received "x"'),
        ("a,b,c\n1,,3\n", 'line 2: expected a number for b; received ""'),
        ("a;b;c\n1;2;3\n", "expected commas between columns"),
        ("a,a,c\n1,2,3\n", 'two columns are called "a"'),
        (",a,b\n0,1,2\n", "column 1 has no name in the header"),
        ('a,b,c\n1,"2,3\n', "is no CSV"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(tmp_path: Path, text: str, word: str) -> None:
    with pytest.raises(DataError) as caught:
        open_data(table(tmp_path, text), [ROW])
    assert word in str(caught.value)


def test_what_is_no_table_for_the_model_is_refused(tmp_path: Path) -> None:
    two = [ROW, TensorSpec("other", (None, 1), "float32")]
    with pytest.raises(DataError, match="expected a column input_1, or input_1_0, input_1_1"):
        open_data(table(tmp_path, "a,other\n1,2\n"), two)
    free = TensorSpec("x", (None, None, 3), "float32")
    with pytest.raises(DataError, match="which lines of a table cannot be read as"):
        open_data(table(tmp_path, "a,b,c\n1,2,3\n"), [free])
    whole = TensorSpec("x", (None, 1), "int32")
    with pytest.raises(DataError, match=r"received 1\.5"):
        list(open_data(table(tmp_path, "a\n1.5\n"), [whole]).batches())
