"""The process that starts isolated trials, and the keeper that watches over each.

    runner --fork, before it has threads--> nursery --fork, per trial--> keeper --fork--> agent

The nursery holds the agent as it was before any trial, so every trial begins in the same memory. The
keeper ends the agent when its time is over, and then whatever the agent has left running: on Linux
also what has put itself into a session of its own.
"""

from __future__ import annotations

import ctypes
import os
import random
import select
import signal
import socket
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, NoReturn

RUN, KILL = 1, 2
REQUEST = struct.Struct("!BQQQQd")
"""What to do, the number of the trial's process, of its case, of the attempt; its seed and time."""
REPLY = struct.Struct("!Q")
STATUS = struct.Struct("!qq")
"""How the agent's process ended (as `waitpid` says it, -1 unknown), and whether its time was over."""

Play = Callable[[int, int, int], bytes]
"""Plays one attempt: the number of the case, of the attempt, its seed; gives what to hand back."""

_SET_CHILD_SUBREAPER = 36


class Request(NamedTuple):
    """One trial to start."""

    process: int
    case: int
    trial: int
    seed: int
    seconds: float


def serve(link: socket.socket, play: Play, memory: int | None) -> NoReturn:
    """Starts trials as the runner asks for them, until it goes away.

    Args:
        link: To the runner.
        play: Plays one attempt.
        memory: How many bytes a trial may take beside what is there.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    _adopt_orphans()
    keepers: dict[int, int] = {}
    while True:
        ready, _, _ = select.select([link.fileno(), woken], [], [])
        if woken in ready:
            with suppress(BlockingIOError):
                os.read(woken, 4096)
            _report(link, keepers)
        if link.fileno() in ready and not _obey(link, keepers, play, memory):
            for keeper in keepers:
                _kill(keeper, signal.SIGTERM)
            os._exit(0)


def _obey(link: socket.socket, keepers: dict[int, int], play: Play, memory: int | None) -> bool:
    """Does what the runner asks; False where it has gone away."""
    try:
        data, files, _, _ = socket.recv_fds(link, REQUEST.size, 1)
    except OSError:
        return False
    if len(data) < REQUEST.size:
        return False
    what, *fields = REQUEST.unpack(data)
    request = Request(*fields)
    if what == KILL:
        for keeper, process in keepers.items():
            if process == request.process:
                _kill(keeper, signal.SIGTERM)
        return True
    keeper = os.fork()
    if keeper == 0:
        _guarded(lambda: _keep(link, files[0], request, play, memory))
    keepers[keeper] = request.process
    os.close(files[0])
    return True


def _report(link: socket.socket, keepers: dict[int, int]) -> None:
    """Tells the runner which trials are over, and ends what a keeper could not."""
    while True:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if ended == 0:
            return
        process = keepers.pop(ended, None)
        if process is not None:
            for orphan in children() - keepers.keys():
                _kill(orphan, signal.SIGKILL)
            with suppress(OSError):
                link.sendall(REPLY.pack(process))


def _keep(link: socket.socket, file: int, request: Request, play: Play, memory: int | None) -> None:
    """Watches over one agent: begins it, ends it in time, and clears away what it left."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    link.close()
    os.setsid()
    _adopt_orphans()
    os.pwrite(file, STATUS.pack(-1, 0), 0)
    blocked = {signal.SIGALRM, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
    agent = os.fork()
    if agent == 0:
        _guarded(lambda: _play(file, request, play, memory))
    late = 0

    def end(number: int, frame: object) -> None:
        nonlocal late
        late = late or int(number == signal.SIGALRM)
        _kill_group(agent)

    signal.signal(signal.SIGALRM, end)
    signal.signal(signal.SIGTERM, end)
    if request.seconds > 0:
        signal.setitimer(signal.ITIMER_REAL, request.seconds)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, blocked)
    _, status = os.waitpid(agent, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    _kill_group(agent)
    while left := children():
        for process in left:
            _kill(process, signal.SIGKILL)
        for process in left:
            with suppress(ChildProcessError):
                os.waitpid(process, 0)
    os.pwrite(file, STATUS.pack(status, late), 0)


def _play(file: int, request: Request, play: Play, memory: int | None) -> None:
    """The agent's own process."""
    os.setsid()
    for number, handler in (
        (signal.SIGINT, signal.default_int_handler),
        (signal.SIGTERM, signal.SIG_DFL),
        (signal.SIGALRM, signal.SIG_DFL),
    ):
        signal.signal(number, handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    _bound(memory)
    _begin_chance(request.seed)
    own = os.getpid()
    handed = play(request.case, request.trial, request.seed)
    if os.getpid() != own:  # The agent forked, and its twin came back too.
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    at = STATUS.size
    while handed:
        done = os.pwrite(file, handed, at)
        handed, at = handed[done:], at + done


def _guarded(work: Callable[[], None]) -> NoReturn:
    """Does the work of a forked process and ends it: nothing behind the fork is ever run again."""
    code = 70
    try:
        work()
        code = 0
    finally:
        os._exit(code)


def _begin_chance(seed: int) -> None:
    """Gives the trial chances of its own: all are forked from the same state of the generators."""
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % 2**32)


def _bound(memory: int | None) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory is None:
        return
    with suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + memory
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        if hard not in (resource.RLIM_INFINITY, -1):
            most = min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _adopt_orphans() -> None:
    """Makes this process the parent of whatever its descendants leave behind, where Linux can."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children() -> set[int]:
    """The processes whose parent this one is; empty where the system does not tell."""
    found: set[int] = set()
    with suppress(OSError):
        for task in Path("/proc/self/task").iterdir():
            found |= {int(pid) for pid in (task / "children").read_text().split()}
    return found


def _kill(process: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, number)


def _kill_group(leader: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
    _kill(leader, signal.SIGKILL)
