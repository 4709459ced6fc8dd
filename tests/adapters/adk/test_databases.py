"""The databases in which ADK's services keep sessions, as they lie on the disk."""

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner

from passhat import InputError, TraceError, score
from passhat.cli.app import app
from passhat_adk import to_trace, to_traces
from passhat_adk.databases import MAGIC
from passhat_adk.reader import adapter

pytestmark = pytest.mark.filterwarnings("ignore")
LAYOUT = """
create table sessions (app_name, user_id, id, state, create_time, update_time);
create table events (id, app_name, user_id, session_id, invocation_id, timestamp, event_data);
create table user_states (app_name, user_id, state, update_time);
"""


def said(author: str, text: str) -> str:
    return json.dumps({"author": author, "content": {"parts": [{"text": text}]}})


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[tuple[Path, sqlite3.Connection]]:
    """Two sessions of one user, the events of which were not written in their order."""
    path = tmp_path / "session.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(LAYOUT)
        connection.execute("insert into user_states values ('shop', 'u', '{\"name\": \"Ann\"}', 0)")
        for at, name in enumerate(("one", "two")):
            session = ("shop", "u", name, '{"n": 1, "temp:x": 2}', at, at)
            connection.execute("insert into sessions values (?, ?, ?, ?, ?, ?)", session)
            for time, data in ((2, said("shop", f"Hello {name}.")), (1, said("user", "Hi."))):
                event = (f"{name}{time}", "shop", "u", name, "e-1", time, data)
                connection.execute("insert into events values (?, ?, ?, ?, ?, ?, ?)", event)
        connection.commit()
        yield path, connection


def test_each_session_is_a_trace(stored: tuple[Path, sqlite3.Connection]) -> None:
    path, connection = stored
    connection.close()
    before = path.read_bytes()
    traces = list(to_traces(path))
    assert [(trace.id, trace.final_response) for trace in traces] == [
        ("one", "Hello one."), ("two", "Hello two."),
    ]  # fmt: skip
    assert traces[0].metadata == {"app_name": "shop", "user_id": "u"}
    assert traces[0].final_state == {"n": 1, "user:name": "Ann"}
    assert [message.role for message in traces[0].messages] == ["user", "assistant"]
    assert path.read_bytes() == before
    assert [other.name for other in path.parent.iterdir()] == [path.name]
    assert adapter.sniff(path, before[:100]) > 0.9
    assert len(list(score(path))) == 2


def test_a_broken_session_costs_itself_alone(stored: tuple[Path, sqlite3.Connection]) -> None:
    path, connection = stored
    for data, told in (('{"author":', "session 'one': not JSON"), ("5", "$.events[0]")):
        change = "update events set event_data = ? where id = 'one1'"
        connection.execute(change, (data,))
        connection.commit()
        broken, fine = adapter.read_traces(path)
        assert isinstance(broken, TraceError)
        assert told in str(broken)
        assert "session 'one'" in str(broken)
        assert not isinstance(fine, TraceError)
        assert fine.id == "two"


def test_what_is_no_such_database_is_said(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    assert adapter.sniff(path, MAGIC) == 0.0
    assert not path.exists()
    layouts = {
        "create table t (x)": "holds no sessions of ADK",
        "create table events (id, app_name, user_id, session_id, timestamp, actions, content);"
        "create table sessions (app_name, user_id, id, state, create_time, update_time)": (
            "`adk migrate session` writes it anew"
        ),
    }
    for layout, told in layouts.items():
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(layout)
        assert adapter.sniff(path, path.read_bytes()[:100]) == 0.0
        with pytest.raises(InputError, match=told):
            list(to_traces(path))
    path.write_bytes(path.read_bytes()[:600])
    with pytest.raises(InputError):
        list(to_traces(path))


def test_a_database_that_is_refused_is_let_go_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("create table t (x)")
    opened, connect = [], sqlite3.connect

    def recorded(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        opened.append(connect(*args, **kwargs))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", recorded)
    assert adapter.sniff(path, MAGIC) == 0.0
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        opened[-1].execute("select 1")


def test_it_holds_no_suite(stored: tuple[Path, sqlite3.Connection]) -> None:
    ran = CliRunner().invoke(app, ["score", str(stored[0])])
    assert ran.exit_code == 3
    assert "UTF-8" not in ran.output


@pytest.mark.parametrize("service", ["sqlite", "database"])
def test_what_adks_services_wrote_reads_as_they_give_it(
    scripted: ModuleType, service: str, tmp_path: Path
) -> None:
    from google.adk.apps.app import App
    from google.adk.runners import Runner
    from google.adk.sessions.database_session_service import DatabaseSessionService
    from google.adk.sessions.sqlite_session_service import SqliteSessionService
    from google.genai import types

    path = tmp_path / "session.db"
    sessions: Any = {
        "sqlite": lambda: SqliteSessionService(str(path)),
        "database": lambda: DatabaseSessionService(f"sqlite+aiosqlite:///{path}"),
    }[service]()
    state = {"tier": "gold", "user:name": "Ann", "app:open": True}

    async def play() -> list[Any]:
        given = []
        async with Runner(
            app=App(name="shop", root_agent=scripted.shop()), session_service=sessions
        ) as runner:
            for _ in range(2):
                held = await sessions.create_session(app_name="shop", user_id="u", state=state)
                whose = {"user_id": "u", "session_id": held.id}
                message = types.Content(role="user", parts=[types.Part(text="Refund A1")])
                async for _ in runner.run_async(**whose, new_message=message):
                    pass
                given.append(await sessions.get_session(app_name="shop", **whose))
        if service == "database":
            await sessions.close()
        return given

    given = [to_trace(session) for session in asyncio.run(play())]
    assert list(to_traces(path)) == given
    assert given[0].final_state == {**state, "looked_up": "A1", "refunds": {"A1": 40.0}}
