"""Store: what hunts record and every report reads."""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, Engine, Row, case, func, insert, or_, select, update

from assay.errors import StoreError
from assay.ir import Array, Case, Finding, Machine, content_hash, from_json, to_json
from assay.store import artefacts, recording
from assay.store.failures import translated
from assay.store.records import Campaign, Occurrence
from assay.store.schema import campaigns, findings, occurrences
from assay.store.sqlite import WRITES

Record = TypeVar("Record")


class Store:
    """An open store; get one from ``open_store``, close it or use it in ``with``.

    Every method is one transaction: it sees one state of the store and changes
    it wholly or not at all, also when the process is killed. Several processes
    and threads may use one store. Any method raises ``StoreError`` when the disk
    is full or read-only, or another process holds the lock for too long; nothing
    committed before is lost then.
    """

    def __init__(self, url: str, path: Path, engine: Engine) -> None:
        self.url = url
        self._path = path
        self._engine = engine
        self._writer = engine.execution_options(**WRITES)
        self._artefacts = artefacts.directory_of(path)
        self._tidy = False

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the files."""
        self._engine.dispose()

    # Campaigns

    def start_campaign(
        self,
        seed: int,
        config: Mapping[str, Any],
        versions: Mapping[str, Mapping[str, str]],
        machines: Mapping[str, Machine] | None = None,
    ) -> Campaign:
        """A new campaign, with an id of its own, at trial 0."""
        now = datetime.now(UTC)
        plain = dict(config)
        with self._writing() as connection:
            campaign_id = recording.new_campaign_id(connection, now)
            connection.execute(
                insert(campaigns).values(
                    id=campaign_id,
                    config_hash=content_hash(plain),
                    seed=str(seed),
                    config=to_json(plain),
                    versions=to_json({target: dict(found) for target, found in versions.items()}),
                    started=now.isoformat(timespec="seconds"),
                    next_trial=0,
                    elapsed_seconds=0.0,
                    finished=False,
                    statistics="{}",
                    machines=to_json(dict(machines or {})),
                )
            )
            row = connection.execute(select(campaigns).where(campaigns.c.id == campaign_id)).one()
            return self._campaign(row)

    def find_campaign(self, config_hash: str) -> Campaign | None:
        """The latest campaign with this configuration."""
        with self._reading() as connection:
            row = connection.execute(
                select(campaigns)
                .where(campaigns.c.config_hash == config_hash)
                .order_by(campaigns.c.position.desc())
                .limit(1)
            ).first()
            return None if row is None else self._campaign(row)

    def campaigns(self) -> tuple[Campaign, ...]:
        """Every campaign, oldest first."""
        with self._reading() as connection:
            rows = connection.execute(select(campaigns).order_by(campaigns.c.position))
            return tuple(self._campaign(row) for row in rows)

    def finish_campaign(
        self, campaign_id: str, statistics: Mapping[str, Any], elapsed_seconds: float
    ) -> None:
        """Mark a campaign as finished. A trial recorded after that opens it again."""
        with self._writing() as connection:
            recording.require_campaign(connection, self._path, campaign_id)
            row = connection.execute(select(campaigns).where(campaigns.c.id == campaign_id)).one()
            statistics = recording.with_open(statistics, self._campaign(row).open_trials)
            connection.execute(
                update(campaigns)
                .where(campaigns.c.id == campaign_id)
                .values(
                    finished=True,
                    statistics=to_json(dict(statistics)),
                    elapsed_seconds=elapsed_seconds,
                )
            )

    # Trials

    def record_trial(
        self,
        campaign_id: str,
        index: int,
        findings: Sequence[tuple[Finding, Mapping[str, Array]]],
        statistics: Mapping[str, Any],
        elapsed_seconds: float,
        open_trials: Sequence[int] = (),
    ) -> tuple[bool, ...]:
        """Commit a trial: its findings with their arrays, and how far the campaign is.

        Gives for each finding whether its fingerprint was new in this store. The
        first record of a fingerprint, and its arrays, are kept; later ones count
        as occurrences. ``next_trial`` becomes ``index + 1``, and never goes back;
        ``open_trials`` are all before it that are still to be recorded, in any order.
        Recording a trial again changes nothing. If the id of a new finding is taken
        by another fingerprint, it is stored under a longer piece of its own.
        """
        written: list[Path] = []
        try:
            with self._writing() as connection:
                recording.advance(
                    connection,
                    self._path,
                    campaign_id,
                    index,
                    open_trials,
                    statistics,
                    elapsed_seconds,
                )
                return tuple(
                    self._record(connection, campaign_id, index, finding, arrays, written)
                    for finding, arrays in findings
                )
        except Exception:
            # Not BaseException: an interrupt may come after the commit, and then
            # the rows need these files. Without a row a whole file does no harm.
            with suppress(OSError):
                for path in written:
                    path.unlink(missing_ok=True)
            raise

    def _record(
        self,
        connection: Connection,
        campaign_id: str,
        index: int,
        finding: Finding,
        arrays: Mapping[str, Array],
        written: list[Path],
    ) -> bool:
        new = not recording.is_known(connection, finding.fingerprint)
        if new:
            free = recording.free_id(connection, finding)
            if arrays:
                written.append(artefacts.write(self._artefacts, free, arrays))
            kept = msgspec.structs.replace(finding, id=free)
            recording.add_finding(connection, kept, len(arrays))
        recording.add_occurrence(connection, campaign_id, index, finding)
        return new

    # Findings

    def findings(
        self,
        campaign_id: str | None = None,
        kinds: Sequence[str] = (),
        categories: Sequence[str] = (),
        op: str | None = None,
    ) -> tuple[Finding, ...]:
        """Findings, bugs first, newest first.

        ``count`` is the number of trials that showed the finding: of the one
        campaign if ``campaign_id`` is given, else of all.
        """
        query = _counted(campaign_id).order_by(
            case((findings.c.category == "bug", 0), else_=1), findings.c.position.desc()
        )
        if kinds:
            query = query.where(findings.c.kind.in_(kinds))
        if categories:
            query = query.where(findings.c.category.in_(categories))
        if op is not None:
            query = query.where(findings.c.op == op)
        with self._reading() as connection:
            found = [self._finding(row) for row in connection.execute(query)]
        # By trial: those of a hunt are stored as soon as each is explained.
        found.sort(key=lambda item: (item.campaign, item.trial), reverse=True)
        return tuple(sorted(found, key=lambda item: item.category != "bug"))

    def finding(self, id_prefix: str) -> Finding:
        """The finding whose id (or fingerprint) begins so; ``StoreError`` if not exactly one."""
        with self._reading() as connection:
            return self._finding(self._find(connection, id_prefix))

    def arrays(self, finding_id: str) -> dict[str, Array]:
        """The arrays recorded with a finding; empty if there were none."""
        with self._reading() as connection:
            row = self._find(connection, finding_id)
        return artefacts.read(self._artefacts, row.id) if row.arrays else {}

    def replace_finding(
        self,
        finding: Finding,
        arrays: Mapping[str, Array] | None = None,
        script: str | None = None,
    ) -> Finding:
        """Keep a finding's new record in the place of the old one, and so its arrays if given.

        The finding is the one with this fingerprint, which must be known; its id and
        its occurrences stay. A ``script`` becomes its reproducer, a file beside the store.
        Gives the finding as it is kept.
        """
        with self._writing() as connection:
            row = self._find(connection, finding.fingerprint)
            if arrays:
                artefacts.write(self._artefacts, row.id, arrays)
            count = row.arrays if arrays is None else len(arrays)
            kept = msgspec.structs.replace(finding, id=row.id)
            if script is not None:
                path = artefacts.write_script(self._artefacts, row.id, script)
                kept = msgspec.structs.replace(kept, reproducer=str(path))
            recording.update_finding(connection, kept, count)
        return kept

    def occurrences(self, finding_id: str) -> tuple[Occurrence, ...]:
        """Every trial that showed a finding, by campaign and index."""
        with self._reading() as connection:
            row = self._find(connection, finding_id)
            shown = connection.execute(
                select(occurrences.c.campaign, occurrences.c.trial, occurrences.c.record)
                .join(campaigns, campaigns.c.id == occurrences.c.campaign)
                .where(occurrences.c.fingerprint == row.fingerprint)
                .order_by(campaigns.c.position, occurrences.c.trial)
            )
            return tuple(
                Occurrence(
                    campaign=item.campaign,
                    trial=item.trial,
                    case=None if item.record is None else self._load(item.record, Case),
                )
                for item in shown
            )

    def _find(self, connection: Connection, prefix: str) -> "Row[Any]":
        if not prefix:
            raise StoreError("expected the id of a finding; received nothing. See: assay findings")
        rows = connection.execute(
            _counted(None)
            .where(
                or_(
                    findings.c.id.startswith(prefix, autoescape=True),
                    findings.c.fingerprint.startswith(prefix, autoescape=True),
                )
            )
            .order_by(findings.c.id)
        ).all()
        for row in rows:
            if len(rows) == 1 or row.id == prefix:
                return row
        if rows:
            names = ", ".join(row.id for row in rows[:10])
            more = f" and {len(rows) - 10} more" if len(rows) > 10 else ""
            raise StoreError(f'"{prefix}" is the beginning of several findings: {names}{more}.')
        known = connection.scalars(select(findings.c.id).order_by(findings.c.id)).all()
        raise StoreError(f'{self._path} has no finding "{prefix}".{_suggestion(prefix, known)}')

    # Rows and transactions

    def _campaign(self, row: "Row[Any]") -> Campaign:
        statistics = self._load(row.statistics, dict[str, Any])
        return Campaign(
            id=row.id,
            seed=int(row.seed),
            config=self._load(row.config, dict[str, Any]),
            config_hash=row.config_hash,
            next_trial=row.next_trial,
            elapsed_seconds=row.elapsed_seconds,
            finished=row.finished,
            started=row.started,
            versions=self._load(row.versions, dict[str, dict[str, str]]),
            statistics=statistics,
            machines=self._load(row.machines or "{}", dict[str, Machine]),
            open_trials=tuple(statistics.get(recording.OPEN, ())),
        )

    def _finding(self, row: "Row[Any]") -> Finding:
        finding = self._load(row.record, Finding)
        script = finding.reproducer
        if script is not None:  # the store may have been moved since
            script = str(self._artefacts / Path(script).name)
        return msgspec.structs.replace(finding, count=row.count, reproducer=script)

    def _load(self, text: str, kind: type[Record]) -> Record:
        try:
            return from_json(text, kind)
        except msgspec.MsgspecError as error:
            raise StoreError(
                f"{self._path} holds a record that this Assay cannot read ({error}). "
                "Was it written by another version? Upgrade with: pip install -U assay-dl"
            ) from error

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with translated(self._path), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with translated(self._path), self._writer.begin() as connection:
            if not self._tidy:
                artefacts.remove_partial(self._artefacts)
                self._tidy = True
            yield connection


def _counted(campaign_id: str | None) -> Any:
    """Rows of findings with ``count``, of one campaign or of all."""
    counts = select(occurrences.c.fingerprint, func.count().label("count")).group_by(
        occurrences.c.fingerprint
    )
    if campaign_id is not None:
        counts = counts.where(occurrences.c.campaign == campaign_id)
    counted = counts.subquery()
    return select(findings, counted.c.count).join(
        counted, counted.c.fingerprint == findings.c.fingerprint
    )


def _suggestion(prefix: str, known: Sequence[str]) -> str:
    if not known:
        return " It has no findings yet. Next: assay hunt"
    beginnings = {name[: len(prefix)]: name for name in known}
    close = difflib.get_close_matches(prefix, beginnings, n=3, cutoff=0.5)
    if not close:
        return " See: assay findings"
    return " Did you mean " + " or ".join(f'"{beginnings[name]}"' for name in close) + "?"
