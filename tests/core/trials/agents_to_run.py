"""Agents for the tests of the runner: importable by name, also from processes of their own."""

import asyncio
import faulthandler
import os
import random
import signal
import time


def steady(case):
    """Passes or fails always in the same way, after a few milliseconds."""
    time.sleep(0.002)
    return "yes" if random.Random(case.id).random() < 0.6 else "no"


async def steady_async(case):
    await asyncio.sleep(0.002)
    return "yes" if random.Random(case.id).random() < 0.6 else "no"


def fine(case):
    return "yes"


def hanging(case):
    if case.id == "bad":
        time.sleep(600)
    return "yes"


async def deaf(case):
    """Holds up the loop and does not hear when it is asked to end."""
    if case.id == "bad":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            pass
    return "yes"


def leaking(case):
    if case.id == "bad":
        held = []
        while True:
            held.append(bytearray(16 << 20))
    return "yes"


def exiting(case):
    if case.id == "bad":
        os._exit(0)
    return "yes"


def crashing(case):
    if case.id == "bad":
        faulthandler.disable()
        os.kill(os.getpid(), signal.SIGSEGV)
    return "yes"


def killing_its_keeper(case):
    if case.id == "bad":
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(600)
    return "yes"


def forking(case):
    """Leaves processes behind, one of them in a session of its own with its pid written down."""
    if case.id == "bad":
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                with open(os.environ["PASSHAT_TEST_PIDS"], "a", encoding="utf-8") as file:
                    file.write(f"{os.getpid()}\n")
                time.sleep(600)
            os._exit(0)
        time.sleep(0.2)
    return "yes"


def coming_back_twice(case):
    if case.id == "bad":
        os.fork()
    return "yes"


def chancy(case):
    return f"yes {random.random()}"


COUNT = 0


def counting(case):
    """Says how often it was called in this memory."""
    global COUNT
    COUNT += 1
    return f"yes {COUNT}"
