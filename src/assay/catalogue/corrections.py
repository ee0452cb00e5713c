"""What a user knows better: a TOML file that corrects catalogues.

``[LIBRARY."API"]`` tables, the API a name or a shell pattern:

    [torch."torch.linalg.lobpcg"]
    exclude = true

    [torch."torch.Tensor.put_"]
    undefined = "the order of writes to one place is not documented"

    [torch."torch.acosh"]
    dtypes = ["float32", "float64"]
    special = []
    values = {x0 = [1.0, 10.0]}
"""

import fnmatch
import os
import tomllib
from typing import Any

import msgspec

from assay.catalogue.records import Call, Entry, Snapshot
from assay.errors import AssayError
from assay.suggest import closest, unknown
from assay_worker.recipes import VALUE_CLASSES


class Correction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One table. What is None stays as it was built.

    ``dtypes`` and ``special`` are all that is left of what was found; ``values`` are the lowest
    and the highest by tensor.
    """

    exclude: bool = False
    undefined: str | None = None
    dtypes: tuple[str, ...] | None = None
    special: tuple[str, ...] | None = None
    values: dict[str, tuple[float, float]] = {}


class Corrections(msgspec.Struct, frozen=True):
    """A file: tables by library and API, in the file's order."""

    path: str = ""
    tables: dict[str, dict[str, Correction]] = {}

    def error(self, keys: tuple[str, ...], message: str) -> AssayError:
        """What is wrong under a key."""
        told = ".".join(f'"{key}"' if "." in key else key for key in keys)
        return AssayError(f"{self.path}: {told}: {message}")


def read(path: str, libraries: frozenset[str]) -> Corrections:
    """The corrections in a file; ``AssayError`` naming file and key for what is no correction."""
    try:
        with open(path, "rb") as file:
            data = tomllib.load(file)
    except OSError as error:
        raise AssayError(f"{path}: cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise AssayError(f"{path}: it is not UTF-8 text.") from None
    except tomllib.TOMLDecodeError as error:
        raise AssayError(f"{path}: not valid TOML: {error}.") from None
    source = Corrections(path)
    tables: dict[str, dict[str, Correction]] = {}
    for library, by_api in data.items():
        if library not in libraries:
            raise source.error((library,), unknown("library", library, libraries))
        if not isinstance(by_api, dict):
            raise source.error((library,), f'expected tables, [{library}."API"]')
        tables[library] = {
            api: _correction(source, (library, api), table) for api, table in by_api.items()
        }
    return Corrections(os.path.abspath(path), tables)


def _correction(source: Corrections, keys: tuple[str, ...], table: Any) -> Correction:
    if not isinstance(table, dict):
        # torch.abs without quotes is a table of tables: the keys are one too many, or too few.
        raise source.error(keys, f'expected a table, [{keys[0]}."API"], the name in quotes')
    for key, value in table.items():
        if key not in Correction.__struct_fields__:
            near = closest(key, Correction.__struct_fields__)
            hint = f' Did you mean "{near}"?' if near else ""
            expected = ", ".join(Correction.__struct_fields__)
            raise source.error((*keys, key), f"unknown key.{hint} Expected: {expected}.")
        try:
            msgspec.convert({key: value}, Correction)
        except msgspec.ValidationError as error:
            told = str(error).partition(" - at")[0].replace("`", "")
            raise source.error((*keys, key), f"{told[:1].lower()}{told[1:]}.") from None
    found = msgspec.convert(table, Correction)
    for name in found.special or ():
        if name not in VALUE_CLASSES:
            raise source.error((*keys, "special"), unknown("value class", name, VALUE_CLASSES))
    for name, (low, high) in found.values.items():
        if not low <= high:
            raise source.error((*keys, "values", name), f"{low} is more than {high}.")
    return found


def corrected(snapshot: Snapshot, corrections: Corrections) -> Snapshot:
    """The catalogue as the user knows it; a table that names nothing is an ``AssayError``."""
    entries = {entry.api: entry for entry in snapshot.entries}
    for api, correction in corrections.tables.get(snapshot.library, {}).items():
        keys = (snapshot.library, api)
        named = [name for name in entries if name == api] or fnmatch.filter(entries, api)
        if not named:
            near = closest(api, entries)
            hint = f' Did you mean "{near}"?' if near else ""
            what = f"{snapshot.library} {snapshot.version}"
            raise corrections.error(keys, f"{what} has no such API.{hint}")
        for name in named:
            entries[name] = _applied(corrections, keys, entries[name], correction)
    return msgspec.structs.replace(snapshot, entries=tuple(entries.values()))


def _applied(
    source: Corrections, keys: tuple[str, ...], entry: Entry, correction: Correction
) -> Entry:
    if correction.exclude:
        return msgspec.structs.replace(entry, calls=(), problem=f"excluded by {source.path}")
    known = {item.name for call in entry.calls for item in call.inputs}
    for name in correction.values:
        if name not in known:
            what = ", ".join(sorted(known)) or "none"
            raise source.error((*keys, "values", name), f"no such tensor; {entry.api} has {what}.")
    calls = tuple(_restricted(call, correction) for call in entry.calls)
    if correction.dtypes is not None:
        # A call without tensors has no dtypes, and keeps what it has.
        calls = tuple(
            call
            for call, own in zip(calls, entry.calls, strict=True)
            if call.dtypes or not own.main
        )
        if entry.calls and not calls:
            held = sorted({dtype for call in entry.calls for dtype in call.dtypes})
            raise source.error(
                (*keys, "dtypes"), f"{entry.api} works with none of them; it has {', '.join(held)}."
            )
    undefined = entry.undefined if correction.undefined is None else correction.undefined
    return msgspec.structs.replace(entry, calls=calls, undefined=undefined)


def _restricted(call: Call, correction: Correction) -> Call:
    """A call with the dtypes, special classes and values that are left of it."""
    dtypes = call.dtypes
    inputs = call.inputs
    if correction.dtypes is not None and call.dtypes:
        dtypes = tuple(name for name in call.dtypes if name in correction.dtypes)
        if dtypes and dtypes[0] != call.dtypes[0]:
            # The sample's own is first, and main tensors are those that have it.
            inputs = tuple(
                msgspec.structs.replace(item, dtype=dtypes[0]) if item.name in call.main else item
                for item in inputs
            )
    inputs = tuple(
        msgspec.structs.replace(
            item,
            low=correction.values[item.name][0],
            high=correction.values[item.name][1],
            free=False,
            values=None,
        )
        if item.name in correction.values
        else item
        for item in inputs
    )
    special = call.special
    if correction.special is not None:
        special = tuple(name for name in call.special if name in correction.special)
    return msgspec.structs.replace(call, dtypes=dtypes, inputs=inputs, special=special)
