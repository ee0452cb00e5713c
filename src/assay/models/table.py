"""A table of text (.csv) as data: a header, then one instance per line."""

import csv
from collections.abc import Sequence

import numpy as np

from assay.ir import Array
from assay.ir.check import TensorSpec
from assay.models._base import LABELS, DataError, told
from assay.models.columns import Column, InMemory
from assay.models.conversions import sizes


class Table:
    """The numbers of a .csv file, all in memory, by the names in its header."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            with open(path, encoding="utf-8-sig", newline="") as file:
                lines = csv.reader(file, strict=True)
                self.names = tuple(name.strip() for name in next(lines, []))
                self._check_header()
                rows = [self._row(line, lines.line_num) for line in lines if line]
        except UnicodeDecodeError as error:
            raise DataError(f"{path} is not UTF-8 text (byte {error.start}).") from None
        except csv.Error as error:
            raise DataError(f"{path} is no CSV ({error}).") from None
        except OSError as error:
            raise DataError(f"cannot read {path}: {error.strerror}.") from None
        self.values = np.array(rows, "float64").reshape(len(rows), len(self.names))

    def _check_header(self) -> None:
        if not self.names:
            raise DataError(f"{self.path} is empty: expected a header, then a line per instance.")
        if len(self.names) == 1 and any(mark in self.names[0] for mark in ";\t"):
            raise DataError(
                f'{self.path}: expected commas between columns; received "{self.names[0]}".'
            )
        # Tables without names have numbers for them: 0, 1, 2 ….
        numbered = self.names == tuple(map(str, range(len(self.names))))
        if not numbered and all(_number(name) is not None for name in self.names):
            raise DataError(
                f"{self.path}: expected a header with the names of the columns in line 1; "
                f"received {', '.join(self.names[:4])}."
            )
        if "" in self.names:
            raise DataError(
                f"{self.path}: column {self.names.index('') + 1} has no name in the header. "
                "Name it, or leave it out (pandas: index=False)."
            )
        twice = next((name for name in self.names if self.names.count(name) > 1), None)
        if twice is not None:
            raise DataError(f'{self.path}: two columns are called "{twice}". Rename one.')

    def _row(self, line: Sequence[str], number: int) -> list[float]:
        if len(line) != len(self.names):
            raise DataError(
                f"{self.path} line {number}: expected {len(self.names)} columns as in the header; "
                f"received {len(line)}."
            )
        values = [_number(cell) for cell in line]
        if None in values:
            place = values.index(None)
            raise DataError(
                f"{self.path} line {number}: expected a number for {self.names[place]}; "
                f'received "{line[place]}".'
            )
        return [value for value in values if value is not None]

    def columns(self, inputs: Sequence[TensorSpec]) -> tuple[list[Column], list[str]]:
        """An array for each input, and ``y`` if there are labels; what is to be said.

        The only input of a model takes all columns but the label, in their order. One of
        several takes the column of its name, or NAME_0, NAME_1 ….
        """
        taken = {item.name for item in inputs} | {f"{item.name}_0" for item in inputs}
        label = next((name for name in LABELS if name in self.names and name not in taken), None)
        found: list[Column] = []
        said: list[str] = []
        for item in inputs:
            own = self._names_for(item, alone=len(inputs) == 1, label=label)
            array, note = self._shaped(item, own)
            found.append(InMemory(item.name, array, typed=False))
            said += [note] if note else []
        if label is not None:
            truth = self.values[:, self.names.index(label)]
            whole = bool(np.equal(truth, np.trunc(truth)).all()) and bool(np.isfinite(truth).all())
            found.append(InMemory("y", truth.astype("int64") if whole else truth))
            said.append(f"labels: column {label}")
        return found, said

    def _names_for(self, item: TensorSpec, alone: bool, label: str | None) -> list[str]:
        if alone:
            return [name for name in self.names if name != label]
        if item.name in self.names:
            return [item.name]
        numbered = [f"{item.name}_{place}" for place in range(len(self.names))]
        own = [name for name in numbered if name in self.names]
        if own != numbered[: len(own)] or not own:
            raise DataError(
                f"{self.path}: expected a column {item.name}, or {item.name}_0, {item.name}_1 …; "
                f"received {', '.join(self.names[:8])}."
            )
        return own

    def _shaped(self, item: TensorSpec, names: Sequence[str]) -> tuple[Array, str]:
        """The columns as the input's shape, row by row; what is to be said of it."""
        array = self.values[:, [self.names.index(name) for name in names]]
        wanted = item.shape[1:]
        fixed = [size for size in wanted if size is not None]
        count = int(np.prod(fixed, dtype="int64"))
        if not wanted and len(names) == 1:
            return array[:, 0], ""
        if len(wanted) == 1 and wanted[0] in (None, len(names)):
            return array, ""
        if wanted and len(fixed) == len(wanted) and count == len(names):
            note = f"{item.name}: {count} columns read as {sizes(wanted)}, row by row"
            return array.reshape(len(array), *fixed), note
        if len(fixed) < len(wanted):
            raise DataError(
                f"{self.path}: {told(item)} of the model expects {sizes(item.shape)}, which "
                "lines of a table cannot be read as. Save it as .npz."
            )
        raise DataError(
            f"{self.path}: {told(item)} of the model expects {sizes(item.shape)}, so {count} "
            f"columns; received {len(names)} ({', '.join(names[:4])}{' …' if names[4:] else ''})."
        )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
