"""Snapshots of SQLite: a file, an open connection, or a script run in a database of its own."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from passhat.errors import InputError, Place
from passhat.jsontext import file_name, read_bytes
from passhat.state.rowkeys import Row
from passhat.state.snapshots import Snapshot
from passhat.state.sources.cells import Cells

HEADER = b"SQLite format 3\x00"

_WAL_MARK = b"\x02\x02"
_PATIENCE = 5.0
"""Seconds to wait for a writer to let go of a database."""

_MOST_STEPS = 300_000_000
_MOST_PAGES = 1 << 18
"""What a script may cost: steps of SQLite's machine, and pages of 4 KiB."""
_LEAST_LENGTH = 1 << 20
_MOST_GENERATED = 1 << 26
"""How many characters one value may have, where the file that it comes from is not larger itself, and
all of a generated column: a few words in a schema can ask for a gigabyte in each row."""

_GENERATED = (2,)
"""What `table_xinfo` says of columns that are reckoned from others as they are read."""
_TOKEN = re.compile(
    r"""'[^']*(?:'|\Z) | "[^"]*(?:"|\Z) | `[^`]*(?:`|\Z) | \[[^\]]*(?:\]|\Z)
    | --[^\n]* | /\*.*?(?:\*/|\Z) | ;""",
    re.VERBOSE | re.DOTALL,
)
"""What a semicolon may stand in without ending anything, and the semicolon."""
_SPACE = r"(?:\s++|--[^\n]*+\n|/\*(?>.*?\*/))*+"
_TRIGGER = re.compile(
    rf"{_SPACE}CREATE\b{_SPACE}(?:TEMP(?:ORARY)?\b{_SPACE})?TRIGGER\b", re.IGNORECASE | re.DOTALL
)
_END = re.compile(rf"{_SPACE}END{_SPACE};", re.IGNORECASE | re.DOTALL)
_OUTSIDE = frozenset({sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH})


def of_file(path: Path, name: str) -> Snapshot:
    """The tables of a SQLite file, read in one transaction; the file stays as it is.

    Raises:
        InputError: It cannot be read, is damaged, or a writer holds it.
    """
    with _errors(name):
        # A database in WAL mode without a log has no writer at work, and opening it as others do
        # would leave files beside it.
        if _is_wal(path) and not _log(path).exists():
            before = path.stat()
            taken = _of_uri(path, "mode=ro&immutable=1", name)
            after = path.stat()
            if not _log(path).exists() and before.st_mtime_ns == after.st_mtime_ns:
                return taken
        return _of_uri(path, "mode=ro", name)


def of_connection(connection: sqlite3.Connection, name: str = "sqlite") -> Snapshot:
    """The tables as a connection sees them, its own unfinished changes included.

    Its transaction, if one is open, stays open; else the tables are read in one of their own.

    Raises:
        InputError: A table cannot be read, or a writer holds the database.
    """
    with _errors(name), closing(connection.cursor()) as cursor:
        cursor.row_factory = None
        within = connection.in_transaction
        kept = connection.text_factory
        if not within:
            cursor.execute("BEGIN")
        try:
            connection.text_factory = str
            try:
                return _read(cursor, name)
            except sqlite3.OperationalError as error:
                if "decode" not in str(error):
                    raise
                connection.text_factory = _text_or_bytes
                return _read(cursor, name)
        finally:
            connection.text_factory = kept
            if not within:
                cursor.execute("ROLLBACK")


def of_script(path: str | Path) -> Snapshot:
    """The tables that a script of SQL makes in a private database in memory.

    The script can open no file and load nothing, and has a bound on what it may cost. What it says
    to a database's settings (PRAGMA) is passed over.

    Raises:
        InputError: The script cannot be read or run; the error names the line.
    """
    name = file_name(path)
    try:
        text = read_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: byte {error.start}; save it as UTF-8", Place(name)) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InputError("holds a NUL character, which ends a script for SQLite", Place(name, line))
    with _errors(name), closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        database.execute(f"PRAGMA max_page_count = {_MOST_PAGES}")
        database.execute("PRAGMA trusted_schema = OFF")
        budget = iter(range(_MOST_STEPS // 10_000))
        database.set_progress_handler(lambda: next(budget, None) is None, 10_000)
        database.set_authorizer(_inside_only)
        _bound(database, len(text))
        for line, statement in _statements(text):
            try:
                database.execute(statement)
            except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
                said = "it takes too long" if "interrupted" in str(error) else str(error)
                raise InputError(f"the script does not run: {said}", Place(name, line)) from error
        database.set_authorizer(None)
        if database.in_transaction:
            database.execute("COMMIT")
        return of_connection(database, name)


def _inside_only(action: int, first: str | None, second: str | None, *_: Any) -> int:
    if action in _OUTSIDE or (action == sqlite3.SQLITE_FUNCTION and second == "load_extension"):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_IGNORE if action == sqlite3.SQLITE_PRAGMA else sqlite3.SQLITE_OK


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Each statement of a script with the line it begins on."""
    start, line = 0, 1
    last, within = 0, False
    ends = [token.end() for token in _TOKEN.finditer(text) if token[0] == ";"]
    for end in [*ends, len(text)]:
        # A trigger holds statements; it ends with one that is nothing but END.
        within = within or (last == start and _TRIGGER.match(text, start, end) is not None)
        if end == len(text) or not within or _END.fullmatch(text, last, end):
            statement = text[start:end].lstrip()
            line += text.count("\n", start, end - len(statement))
            if statement:
                yield line, statement
            line += statement.count("\n")
            start, within = end, False
        last = end


def _of_uri(path: Path, mode: str, name: str) -> Snapshot:
    uri = f"file:{quote(str(path.resolve()))}?{mode}"
    log = _log(path)
    connection = sqlite3.connect(uri, uri=True, timeout=_PATIENCE, isolation_level=None)
    with closing(connection):
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        _bound(connection, path.stat().st_size + (log.stat().st_size if log.exists() else 0))
        return of_connection(connection, name)


def _bound(database: sqlite3.Connection, size: int) -> None:
    """Allows no value that is much larger than what it is made of."""
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(size, _LEAST_LENGTH))


def _is_wal(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(20)[18:20] == _WAL_MARK


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _read(cursor: sqlite3.Cursor, name: str) -> Snapshot:
    cells = Cells()
    value: dict[str, list[Row]] = {}
    keys: dict[str, tuple[str, ...]] = {}
    columns: dict[str, dict[str, str]] = {}
    left_out: dict[str, list[str]] = {"views": [], "virtual tables": [], "shadow tables": []}
    listing = cursor.execute("PRAGMA table_list").fetchall()
    for schema, table, kind, *_ in sorted(
        listing, key=lambda entry: (entry[0] != "main", entry[1])
    ):
        if table.startswith("sqlite_"):
            continue
        if schema != "main":
            left_out.setdefault(f"tables of {schema}", []).append(table)
        elif kind != "table":
            left_out.setdefault(f"{kind} tables" if kind != "view" else "views", []).append(table)
        else:
            described = [
                entry
                for entry in cursor.execute(f"PRAGMA table_xinfo({_name(table)})").fetchall()
                if entry[6] != 1  # Hidden columns of virtual tables.
            ]
            names = [entry[1] for entry in described]
            columns[table] = {entry[1]: entry[2].upper() for entry in described}
            ranked = sorted((entry[5], entry[1]) for entry in described if entry[5])
            if ranked:
                keys[table] = tuple(column for _, column in ranked)
            # The sign keeps a connection's converters of declared types away, and does nothing.
            listed = ", ".join(f"+{_name(column)}" for column in names)
            for column in (entry[1] for entry in described if entry[6] in _GENERATED):
                _refuse_large(cursor, table, column, name)
            rows = cursor.execute(f"SELECT {listed} FROM {_name(table)}")
            value[table] = cells.rows(table, names, rows)
    gaps = [f"{what} left out: {', '.join(names)}" for what, names in left_out.items() if names]
    return Snapshot(value, name, keys, columns, (*gaps, *cells.gaps()))


def _refuse_large(cursor: sqlite3.Cursor, table: str, column: str, name: str) -> None:
    """Refuses a generated column whose values are far more than a database of its size would hold."""
    asked = f"SELECT total(length({_name(column)})) FROM {_name(table)}"
    size = cursor.execute(asked).fetchone()[0]
    if size > _MOST_GENERATED:
        raise InputError(
            f"{table}.{column} is generated, and {size:.1g} characters long in all; "
            f"{_MOST_GENERATED:.1g} are allowed",
            Place(name),
        )


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text_or_bytes(data: bytes) -> Any:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


@contextmanager
def _errors(name: str) -> Iterator[None]:
    """Turns what SQLite says into an error that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorname", None) or ""
        said = str(error)
        if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            said = "a writer holds the database; take the snapshot when its transaction is over"
        elif code == "SQLITE_READONLY_ROLLBACK":
            said = "a writer broke off in it; open it once with its own program to mend it"
        raise InputError(f"cannot be read: {said}", Place(name)) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", Place(name)) from error
