"""The store of results: one SQLite file, a value for each kind and key.

The key of a value is a digest of all that it depends on, so no value is out of date.
The store is a cache. It may be deleted at any time, and a damaged one is.
"""

import json
import os
import re
import sqlite3
import sys
import threading
import time
import zlib
from pathlib import Path
from typing import Any

from .fingerprint import digest

_DAYS_KEPT = 30
_SECONDS_A_DAY = 24 * 3600
_VERSION = 1
_OTHER_TABLE = re.compile(r"no such column|has \d+ columns|is a view")
"""What SQLite says of a table that isn't ours."""
_TABLE = """
CREATE TABLE IF NOT EXISTS results (
    kind TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, checksum TEXT NOT NULL,
    used INTEGER NOT NULL, PRIMARY KEY (kind, key)
) WITHOUT ROWID
"""


def path_of(root: Path) -> Path:
    """Return the file of a project's results."""
    return root / ".cache" / "results.db"


class Store:
    """Results of one project, shared by all processes that work on it.

    Args:
        path: the file; its folder is made if necessary.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0

    def get(self, kind: str, key: str) -> Any:
        """Return a value, or None if it isn't known or was damaged."""
        query = "SELECT value, checksum, used FROM results WHERE kind=? AND key=?"
        rows = self._execute(query, kind, key)
        if not rows or rows[0][1] != digest(kind, key, rows[0][0]):
            return None
        if rows[0][2] != _today():
            change = "UPDATE results SET used=? WHERE kind=? AND key=?"
            self._execute(change, _today(), kind, key)
        try:
            return json.loads(zlib.decompress(rows[0][0]))
        except (ValueError, zlib.error):
            return None

    def put(self, kind: str, key: str, value: Any) -> None:
        """Keep a value that JSON can hold. If the disk is full, it isn't kept."""
        content = zlib.compress(json.dumps(value).encode(), 1)
        row = kind, key, content, digest(kind, key, content), _today()
        self._execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)", *row)

    def sweep(self) -> None:
        """Drop what nobody has used for a month."""
        self._execute("DELETE FROM results WHERE used < ?", _today() - _DAYS_KEPT)

    def _execute(self, command: str, *values: Any) -> list[tuple]:
        """Execute a command; start anew with an empty file if this one is damaged.

        Raises:
            OSError: the file can't be opened or written.
        """
        with self._lock:
            try:
                with self._open() as connection:
                    return connection.execute(command, values).fetchall()
            except sqlite3.OperationalError as error:
                if "locked" in str(error) or "full" in str(error):
                    return []
                if not _OTHER_TABLE.search(str(error)):
                    raise OSError(f"{self._path}: {error}; remove it") from error
                self._forget()
                return []
            except sqlite3.DatabaseError:
                self._forget()
                return []

    def _open(self) -> sqlite3.Connection:
        # A connection must not be used by a forked process.
        if self._connection is None or self._process != os.getpid():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                self._path, timeout=60, check_same_thread=False
            )
            self._process = os.getpid()
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            [[version]] = self._connection.execute("PRAGMA user_version")
            if version != _VERSION:  # the columns of another version
                self._connection.execute("DROP TABLE IF EXISTS results")
                self._connection.execute(f"PRAGMA user_version={_VERSION}")
            self._connection.execute(_TABLE)
        return self._connection

    def _forget(self) -> None:
        """Remove a damaged file, and tell so."""
        print(f"{self._path}: damaged; it starts anew", file=sys.stderr)
        if self._connection:
            self._connection.close()
        self._connection = None
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self._path}{suffix}").unlink(missing_ok=True)


def _today() -> int:
    return int(time.time()) // _SECONDS_A_DAY
