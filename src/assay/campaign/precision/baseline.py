"""An earlier measurement beside this one: which errors became worse, better, or are new."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from assay.campaign.precision.running import TECHNIQUE
from assay.errors import AssayError
from assay.ir import from_plain
from assay.ir.precision import Compared, Comparison, Measurement, Status
from assay.store import open_store

#: An error that became so many times larger is worse, beside one of so many ULP at least: two runs
#: of one version give the same numbers, those of another one search along another path.
FACTOR, FLOOR = 2.0, 1.0

#: How files of SQLite begin.
_DATABASE = b"SQLite format 3\0"

#: What an error belongs to; the target may have an environment behind its name.
_Key = tuple[str, str, str, str, str]


def read(source: str) -> tuple[Measurement, ...]:
    """The rows of an earlier ``precision --json`` or of a store; ``AssayError`` if there are none.

    Of a store those of all its measurements, the newest of each op, target, format and stage.
    """
    rows = _of_document(source) if _is_text(source) else _of_store(source)
    if not rows:
        raise AssayError(f"--baseline {source} has no rows of assay precision.")
    return rows


def compared(results: Sequence[Measurement], earlier: Sequence[Measurement]) -> Comparison:
    """Every op, target, format, mode and stage of now and then, in the order of the results.

    Of several strategies the largest error counts. A target is that of the same name, or else the
    same but for its environment: ``keras-torch`` beside ``keras-torch@old``.
    """
    now, then = _largest(results), _largest(earlier)
    plain = _without_environments(then)
    rows, seen = [], set()
    for key, item in now.items():
        match = key if key in then else plain.get((key[0], _plain(key[1]), *key[2:]))
        if match is not None:
            seen.add(match)
        rows.append(_row(item, None if match is None else then[match]))
    gone = tuple(" ".join(key) for key in then if key not in seen)
    return Comparison(tuple(rows), gone)


def _row(now: Measurement, before: Measurement | None) -> Compared:
    status, why = _status(now, before)
    return Compared(
        op=now.op,
        label=now.label,
        target=now.target,
        dtype=now.dtype,
        mode=now.mode,
        stage=now.stage,
        status=status,
        now=now.own_ulp,
        before=None if before is None else before.own_ulp,
        against="" if before is None else before.target,
        why=why,
    )


def _status(now: Measurement, before: Measurement | None) -> tuple[Status, str]:
    if before is None:
        return "new", ""
    if now.special and not before.special:
        return "worse", "NaN or infinity for numbers"
    if now.raised and not before.raised:
        return "worse", now.failure
    if now.own_ulp > FACTOR * max(before.own_ulp, FLOOR):
        return "worse", ""
    if before.own_ulp > FACTOR * max(now.own_ulp, FLOOR):
        return "better", ""
    return "same", ""


def _largest(items: Iterable[Measurement]) -> dict[_Key, Measurement]:
    found: dict[_Key, Measurement] = {}
    for item in items:
        key = (item.label or item.op, item.target, item.dtype, item.mode, item.stage)
        kept = found.get(key)
        if kept is None or item.own_ulp > kept.own_ulp:
            found[key] = item
    return found


def _plain(target: str) -> str:
    return target.partition("@")[0]


def _without_environments(found: Mapping[_Key, Measurement]) -> dict[_Key, _Key]:
    """Keys by those without environments; none where that would be two."""
    every: dict[_Key, list[_Key]] = {}
    for key in found:
        every.setdefault((key[0], _plain(key[1]), *key[2:]), []).append(key)
    return {plain: keys[0] for plain, keys in every.items() if len(keys) == 1}


def _is_text(source: str) -> bool:
    """Is it a file, and no database?"""
    path = Path(source)
    if not path.is_file():
        return source.endswith(".json")
    with path.open("rb") as stream:
        return stream.read(len(_DATABASE)) != _DATABASE


def _of_document(source: str) -> tuple[Measurement, ...]:
    try:
        document: Any = msgspec.json.decode(Path(source).read_bytes())
        return tuple(from_plain(item, Measurement) for item in document["results"])
    except OSError as error:
        raise AssayError(f"--baseline cannot read {source}: {error.strerror}.") from error
    except (msgspec.MsgspecError, KeyError, TypeError) as error:
        raise AssayError(
            "--baseline takes what assay precision --json printed, or a store; "
            f"{source} is neither."
        ) from error


def _of_store(source: str) -> tuple[Measurement, ...]:
    found: dict[tuple[str, ...], Measurement] = {}
    with open_store(source, create=False) as store:
        for campaign in store.campaigns():
            if TECHNIQUE not in campaign.config.get("techniques", ()):
                continue
            for item in campaign.statistics.get("rows", {}).values():
                row = from_plain(item, Measurement)
                key = (row.label, row.target, row.dtype, row.mode, row.stage, row.strategy)
                found[key] = row
    return tuple(found.values())
