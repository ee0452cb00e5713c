"""Which files are stores, and what happens to those that are not."""

import os
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from assay.errors import StoreError
from assay.store import migrate, open_store, opening, schema, sqlite
from tests.factories import make_arrays, make_finding


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A closed store with one finding."""
    path = tmp_path / "assay.db"
    with open_store(str(path)) as store:
        campaign = store.start_campaign(7, {"seed": 7}, {})
        store.record_trial(campaign.id, 0, [(make_finding(), make_arrays())], {}, 0.5)
    return path


def version_becomes(path: Path, version: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE alembic_version SET version_num = ?", (version,))
    connection.commit()
    connection.close()


def test_a_new_store_is_in_wal_mode_with_foreign_keys_and_nothing_else_beside_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "assay.db"
    with open_store(str(path)) as store:
        with store._engine.connect() as connection:
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
            assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
            assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 1
        assert store.findings() == ()
        assert store.campaigns() == ()
    assert os.listdir(tmp_path) == ["assay.db"]


def test_path_and_sqlite_urls_name_the_same_store(
    stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(stored.parent)
    link = stored.parent / "link"
    link.symlink_to(stored)
    for url in ("assay.db", "sqlite:///assay.db", f"sqlite:///{stored}", str(link)):
        with open_store(url, create=False) as store:
            assert store.url == url
            assert len(store.findings()) == 1
            assert store.arrays(make_finding().id).keys() == make_arrays().keys()


@pytest.mark.parametrize("name", ["with space.db", "100%.db", "what?mode=ro.db", "a#b.db", "ünï"])
def test_any_file_name_will_do(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with open_store(str(path)) as store:
        campaign = store.start_campaign(0, {}, {})
        store.record_trial(campaign.id, 0, [(make_finding(), make_arrays())], {}, 0.0)
    with open_store(str(path), create=False) as store:
        assert store.arrays(make_finding().id).keys() == make_arrays().keys()
    assert path.is_file()


def test_without_create_a_missing_store_is_an_error_and_stays_missing(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no store at .*assay.db.*assay hunt"):
        open_store(str(tmp_path / "assay.db"), create=False)
    assert os.listdir(tmp_path) == []


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"mkdir -p .*/nowhere$"):
        open_store(str(tmp_path / "nowhere" / "assay.db"))


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql://me:secret@host/assay", "postgresql://…@host/assay.*not supported yet"),
        ("mysql://host/assay", 'unsupported store "mysql://host/assay". Expected a file path'),
        ("sqlite://", "unsupported store"),
        ("sqlite:///", "expected a file path"),
        ("sqlite:///:memory:", "expected a file path"),
        ("", "expected a file path"),
    ],
)
def test_other_urls_are_refused_with_what_is_supported(url: str, message: str) -> None:
    with pytest.raises(StoreError, match=message) as raised:
        open_store(url)
    assert "secret" not in str(raised.value)


def foreign(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE campaigns (id TEXT)")
    connection.execute("INSERT INTO campaigns VALUES ('precious')")
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path.write_text("my thesis"), "not a SQLite file"),
        (lambda path: path.write_bytes(b""), "empty file"),
        (lambda path: path.write_bytes(b"SQLite format 3\x00"), "not an Assay store"),
        (foreign, "is a SQLite file, but not an Assay store"),
    ],
)
def test_a_file_that_is_not_ours_is_refused_and_left_untouched(
    tmp_path: Path, make: object, message: str
) -> None:
    path = tmp_path / "assay.db"
    make(path)  # type: ignore[operator]
    before = path.read_bytes(), path.stat().st_mtime_ns
    with pytest.raises(StoreError, match=message) as raised:
        open_store(str(path))
    assert str(path) in str(raised.value)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert os.listdir(tmp_path) == ["assay.db"]


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a directory"):
        open_store(str(tmp_path))


def test_a_store_of_a_newer_schema_is_refused_and_left_untouched(stored: Path) -> None:
    version_becomes(stored, "0999")
    before = stored.read_bytes()
    with pytest.raises(StoreError, match=r"newer Assay .schema 0999.*pip install -U assay-dl"):
        open_store(str(stored))
    assert stored.read_bytes() == before


def test_a_damaged_store_is_an_error_of_one_line(stored: Path) -> None:
    content = bytearray(stored.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    stored.write_bytes(content)
    with pytest.raises(StoreError, match="is damaged") as raised, open_store(str(stored)) as store:
        store.findings()
    assert "\n" not in str(raised.value)


def test_a_store_without_a_schema_version_is_damaged(stored: Path) -> None:
    connection = sqlite3.connect(stored)
    connection.execute("DROP TABLE alembic_version")
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="no schema version"):
        open_store(str(stored))


def test_a_record_of_another_version_is_an_error_and_not_a_traceback(stored: Path) -> None:
    connection = sqlite3.connect(stored)
    connection.execute("UPDATE findings SET record = '{\"id\": 1}'")
    connection.commit()
    connection.close()
    with open_store(str(stored)) as store, pytest.raises(StoreError, match="cannot read"):
        store.findings()


def test_migrations_make_exactly_the_tables_of_the_schema(stored: Path) -> None:
    engine = sqlite.connect(stored, 1)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, schema.metadata) == []
    engine.dispose()
    config = Config()
    config.set_main_option("script_location", str(migrate.MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_current_head() == schema.SCHEMA_VERSION


NOW = schema.SCHEMA_VERSION
NEXT_MIGRATION = """
import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{before}"

def upgrade():
    with op.batch_alter_table("findings") as table:
        table.add_column(sa.Column("note", sa.Text(), nullable=True))
    {last}
"""


@pytest.fixture
def newer_assay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The migrations of a later Assay; gives the file of the last one."""
    script = tmp_path / "later" / "versions" / "9999_note.py"
    script.parent.mkdir(parents=True)
    for path in (migrate.MIGRATIONS / "env.py", *migrate.MIGRATIONS.glob("versions/0*.py")):
        copied = tmp_path / "later" / path.relative_to(migrate.MIGRATIONS)
        copied.write_text(path.read_text())
    monkeypatch.setattr(migrate, "MIGRATIONS", tmp_path / "later")
    monkeypatch.setattr(migrate, "SCHEMA_VERSION", "9999")
    return script


def test_an_older_store_is_migrated_and_keeps_its_findings(stored: Path, newer_assay: Path) -> None:
    newer_assay.write_text(NEXT_MIGRATION.format(before=NOW, last=""))
    for _ in range(2):
        with open_store(str(stored)) as store:
            assert store.finding(make_finding().id).count == 1
            with store._engine.connect() as connection:
                assert connection.exec_driver_sql("SELECT note FROM findings").all() == [(None,)]
                version = connection.exec_driver_sql("SELECT version_num FROM alembic_version")
                assert version.scalar() == "9999"


def test_a_migration_that_fails_changes_nothing(stored: Path, newer_assay: Path) -> None:
    newer_assay.write_text(NEXT_MIGRATION.format(before=NOW, last="op.execute('SELECT nonsense')"))
    with pytest.raises(Exception, match="nonsense"):
        open_store(str(stored))
    connection = sqlite3.connect(stored)
    assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [
        (schema.SCHEMA_VERSION,)
    ]
    assert "note" not in [row[1] for row in connection.execute("PRAGMA table_info(findings)")]
    connection.close()


def test_creation_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(connection: object) -> None:
        raise RuntimeError("killed in the middle")

    monkeypatch.setattr(opening, "upgrade", broken)
    with pytest.raises(RuntimeError):
        open_store(str(tmp_path / "assay.db"))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("links", [True, False])
def test_a_store_that_another_process_made_meanwhile_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    path = tmp_path / "assay.db"
    original = migrate.upgrade

    def overtaken(connection: object) -> None:
        monkeypatch.setattr(opening, "upgrade", original)
        with open_store(str(path)) as other:
            other.start_campaign(1, {}, {})
        original(connection)  # type: ignore[arg-type]

    def refuse(*_: object) -> None:
        raise PermissionError(1, "no hard links here")

    if not links:
        monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(opening, "upgrade", overtaken)
    with open_store(str(path)) as store:
        assert len(store.campaigns()) == 1


OPEN = """
import sys
from assay.store import open_store
with open_store(sys.argv[1]) as store:
    store.start_campaign(0, {}, {})
print("alembic" in sys.modules)
"""


def test_processes_may_create_one_store_at_the_same_time(tmp_path: Path) -> None:
    path = tmp_path / "assay.db"
    children = [
        subprocess.Popen([sys.executable, "-c", OPEN, str(path)], stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    assert [child.wait(60) for child in children] == [0, 0, 0]
    for child in children:
        child.communicate()
    with open_store(str(path), create=False) as store:
        assert len({campaign.id for campaign in store.campaigns()}) == 3
    assert os.listdir(tmp_path) == ["assay.db"]


def test_opening_a_current_store_does_not_import_alembic(stored: Path) -> None:
    child = subprocess.run(
        [sys.executable, "-c", OPEN, str(stored)], capture_output=True, check=True, text=True
    )
    assert child.stdout.strip() == "False"


def test_opening_a_current_store_takes_less_than_100_ms_of_cpu(stored: Path) -> None:
    def once() -> float:
        start = time.process_time()
        open_store(str(stored)).close()
        return time.process_time() - start

    assert min(once() for _ in range(3)) < 0.1


def test_threads_that_make_one_store_at_once_all_get_it(tmp_path: Path) -> None:
    def make(number: int) -> int:
        with open_store(str(tmp_path / "one.db")) as store:
            store.start_campaign(number, {"number": number}, {})
            return len(store.campaigns())

    with ThreadPoolExecutor(4) as pool:
        assert max(pool.map(make, range(8))) == 8
