"""Sessions of pytest inside a test, each a process, with the plugin as it is installed."""

import pytest

# Plugins that take a second to load, and have no part in this.
WITHOUT = ("-p", "no:langsmith_plugin", "-p", "no:hypothesispytest", "-p", "no:anyio")
LOOPS = ("-o", "asyncio_default_fixture_loop_scope=function")


@pytest.fixture
def session(pytester, monkeypatch):
    """Runs a test file in a session of its own; gives its result."""
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)
    # A file written anew within a second would be taken for the one before it.
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")

    def run(source, *args):
        if source is not None:
            pytester.makepyfile(test_it=source)
        return pytester.runpytest_subprocess(*WITHOUT, *LOOPS, *args)

    return run


COUNTED = """
    import itertools
    import pytest

    calls = itertools.count()

    @pytest.mark.passhat({options})
    def test_agent():
        number = next(calls)
        {body}
"""


@pytest.fixture
def agent():
    """The source of a test that is run as trials: with the marker's options, and its body."""
    return lambda options, body: COUNTED.format(options=options, body=body)
