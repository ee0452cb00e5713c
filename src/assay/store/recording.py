"""The statements that record a trial. Each runs inside the caller's write transaction."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, func, insert, select, update

from assay.errors import StoreError
from assay.ir import Finding, from_json, to_json
from assay.store.schema import campaigns, findings, occurrences

#: Of each finding and campaign, this many occurrences keep their trial's case.
CASES_KEPT = 5
#: Among a campaign's statistics, the trials before ``next_trial`` that are not recorded.
OPEN = "open"


def new_campaign_id(connection: Connection, now: datetime) -> str:
    """Day and number: ``2026-10-03-001``. Short, sortable, unique in this store."""
    day = now.astimezone(UTC).strftime("%Y-%m-%d")
    taken = connection.scalars(
        select(campaigns.c.id).where(campaigns.c.id.startswith(f"{day}-", autoescape=True))
    )
    number = 1 + max((int(name.removeprefix(f"{day}-")) for name in taken), default=0)
    return f"{day}-{number:03}"


def advance(
    connection: Connection,
    path: Path,
    campaign_id: str,
    index: int,
    open_trials: Sequence[int],
    statistics: Mapping[str, Any],
    elapsed_seconds: float,
) -> None:
    """Move a campaign on past a trial, with ``open_trials`` left behind; never back.

    Nothing changes if the trial was recorded before.
    """
    row = connection.execute(
        select(campaigns.c.next_trial, campaigns.c.statistics).where(campaigns.c.id == campaign_id)
    ).first()
    if row is None:
        raise _no_campaign(path, campaign_id)
    if index < row.next_trial and index not in from_json(row.statistics, dict).get(OPEN, ()):
        return
    connection.execute(
        update(campaigns)
        .where(campaigns.c.id == campaign_id)
        .values(
            next_trial=max(index + 1, row.next_trial),
            statistics=to_json(with_open(statistics, open_trials)),
            elapsed_seconds=elapsed_seconds,
            finished=False,
        )
    )


def with_open(statistics: Mapping[str, Any], open_trials: Sequence[int]) -> dict[str, Any]:
    """What is kept of a campaign's statistics, with its open trials if there are any."""
    return {**statistics, OPEN: sorted(open_trials)} if open_trials else dict(statistics)


def require_campaign(connection: Connection, path: Path, campaign_id: str) -> None:
    """``StoreError`` if the store has no such campaign."""
    known = select(campaigns.c.position).where(campaigns.c.id == campaign_id)
    if connection.scalar(known) is None:
        raise _no_campaign(path, campaign_id)


def _no_campaign(path: Path, campaign_id: str) -> StoreError:
    return StoreError(f"{path} has no campaign {campaign_id}. It may have been replaced.")


def is_known(connection: Connection, fingerprint: str) -> bool:
    """Whether this store has a finding with that fingerprint."""
    query = select(findings.c.position).where(findings.c.fingerprint == fingerprint)
    return connection.scalar(query) is not None


def free_id(connection: Connection, finding: Finding) -> str:
    """The finding's id; longer by as much of its fingerprint as makes it unique here."""
    lengths = range(len(finding.id) + 1, len(finding.fingerprint) + 1)
    for candidate in (finding.id, *(finding.fingerprint[:length] for length in lengths)):
        taken = select(findings.c.position).where(findings.c.id == candidate)
        if connection.scalar(taken) is None:
            return candidate
    raise ValueError(f"no free id for fingerprint {finding.fingerprint!r}")


def add_finding(connection: Connection, finding: Finding, array_count: int) -> None:
    """Insert a finding that is not known yet."""
    connection.execute(
        insert(findings).values(
            fingerprint=finding.fingerprint,
            id=finding.id,
            kind=finding.kind,
            category=finding.category,
            op=finding.op,
            arrays=array_count,
            record=to_json(msgspec.structs.replace(finding, count=1)),
        )
    )


def update_finding(connection: Connection, finding: Finding, array_count: int) -> None:
    """Replace the record of a finding that is known."""
    connection.execute(
        update(findings)
        .where(findings.c.fingerprint == finding.fingerprint)
        .values(
            category=finding.category,
            arrays=array_count,
            record=to_json(msgspec.structs.replace(finding, count=1)),
        )
    )


def add_occurrence(connection: Connection, campaign_id: str, index: int, finding: Finding) -> None:
    """Insert the occurrence of a known finding in a trial, unless it is there already."""
    mine = (
        occurrences.c.fingerprint == finding.fingerprint,
        occurrences.c.campaign == campaign_id,
    )
    known = select(occurrences.c.trial).where(*mine, occurrences.c.trial == index)
    if connection.scalar(known) is not None:
        return
    kept = connection.scalar(select(func.count(occurrences.c.record)).where(*mine)) or 0
    values: dict[str, Any] = {
        "fingerprint": finding.fingerprint,
        "campaign": campaign_id,
        "trial": index,
        "record": to_json(finding.original) if kept < CASES_KEPT else None,
    }
    connection.execute(insert(occurrences).values(values))
