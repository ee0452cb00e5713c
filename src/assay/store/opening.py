"""From a store URL to an open store."""

import os
import re
from pathlib import Path

from assay.errors import StoreError
from assay.store import sqlite
from assay.store.failures import translated
from assay.store.migrate import is_current, upgrade
from assay.store.store import Store

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


def open_store(url: str, create: bool = True, *, lock_timeout: float = 30.0) -> Store:
    """The store at ``url``: a file path, or ``sqlite:///PATH``.

    A missing store is made, unless ``create`` is false. A store of an older
    schema is migrated. ``StoreError`` if it cannot be used (not ours, newer,
    read-only, full, locked for longer than ``lock_timeout`` seconds); what is
    there is then left as it was.
    """
    path = _path(url)
    with translated(path):
        if not path.exists():
            if not create:
                raise StoreError(
                    f"there is no store at {path}. assay hunt makes one; "
                    "--store names one that is elsewhere."
                )
            if not path.parent.is_dir():
                raise StoreError(
                    f"the directory of {path} does not exist. Make it first: mkdir -p {path.parent}"
                )
            sqlite.create(path, upgrade)
        sqlite.require_ours(path)
        engine = sqlite.connect(path, lock_timeout)
        try:
            with engine.connect() as connection:
                current = is_current(connection, path)
            if not current:
                with engine.execution_options(**sqlite.WRITES).begin() as connection:
                    upgrade(connection)
        except BaseException:
            engine.dispose()
            raise
    return Store(url, path, engine)


def _path(url: str) -> Path:
    scheme = _SCHEME.match(url)
    name = url
    if scheme is not None:
        if scheme[1] != "sqlite" or not url.startswith("sqlite:///"):
            raise StoreError(
                f'unsupported store "{_without_password(url)}". Expected a file path or '
                "sqlite:///PATH; PostgreSQL is not supported yet."
            )
        name = url.removeprefix("sqlite:///")
    if name in ("", ":memory:") or "\x00" in name:
        raise StoreError(f"expected a file path as store; received {url!r}. Try: --store assay.db")
    # The same store by whatever name: its artefacts are beside the real file.
    return Path(os.path.realpath(os.path.expanduser(name)))


def _without_password(url: str) -> str:
    return re.sub(r"//[^/@]*@", "//…@", url)
