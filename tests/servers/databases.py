"""Servers of PostgreSQL and MariaDB of the tests' own, where the machine has their programs."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest


def _program(name: str) -> str | None:
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return shutil.which(name) or (str(found[-1]) if found else None)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a fresh database, on a private cluster that listens on a socket alone."""
    initdb, server = _program("initdb"), _program("pg_ctl")
    if initdb is None or server is None:
        pytest.skip("no PostgreSQL server on this machine (initdb, pg_ctl)")
    folder = tempfile.mkdtemp(prefix="passhat-pg-")
    as_owner: list[str] = []
    if os.geteuid() == 0:  # The server refuses to run as root.
        owner = pwd.getpwnam("postgres")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        as_owner = ["runuser", "-u", "postgres", "--"]

    def run(*command: str) -> None:
        subprocess.run([*as_owner, *command], check=True, capture_output=True, cwd=folder)

    data = f"{folder}/data"
    try:
        run(initdb, "-D", data, "-U", "tester", "--auth=trust", "-E", "UTF8", "--no-sync")
        options = f"-k {folder} -c listen_addresses='' -c fsync=off"
        run(server, "-D", data, "-w", "-o", options, "-l", f"{folder}/log", "start")
        try:
            yield f"postgresql+psycopg://tester@/postgres?host={folder}"
        finally:
            run(server, "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def mariadb() -> Iterator[str]:
    """The URL of a fresh database, on a private server that listens on a socket alone."""
    server = shutil.which("mariadbd") or shutil.which("mariadbd", path="/usr/sbin:/usr/local/sbin")
    if server is None:
        pytest.skip("no MariaDB server on this machine (mariadbd)")
    folder = tempfile.mkdtemp(prefix="passhat-my-")
    data, socket = Path(folder, "data"), Path(folder, "socket")
    data.joinpath("mysql").mkdir(parents=True)
    data.joinpath("shop").mkdir()
    options = ["--no-defaults", f"--datadir={data}", f"--socket={socket}", "--skip-networking"]
    options += ["--skip-grant-tables", f"--user={pwd.getpwuid(os.geteuid()).pw_name}"]
    with Path(folder, "log").open("wb") as log:
        running = subprocess.Popen([server, *options], stdout=log, stderr=log)
    try:
        waited = 0.0
        while not socket.exists() and running.poll() is None and waited < 60:
            time.sleep(0.1)
            waited += 0.1
        assert socket.exists(), Path(folder, "log").read_bytes()[-2000:]
        yield f"mysql+pymysql://root@localhost/shop?unix_socket={socket}"
    finally:
        running.kill()
        running.wait()
        shutil.rmtree(folder, ignore_errors=True)
