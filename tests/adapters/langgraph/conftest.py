"""The scripted graphs, loaded once, and what of LangGraph's own warnings is let pass."""

import importlib.util
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# What the libraries say of themselves and of each other, of things to come.
QUIET = (
    "ignore::DeprecationWarning",
    "ignore::PendingDeprecationWarning",
    "ignore:Deserializing unregistered type:UserWarning",
)


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            for warning in QUIET:
                item.add_marker(pytest.mark.filterwarnings(warning))


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def scripted():
    """Scripted models, tools and graphs; importing LangChain takes seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = load(HERE / "scripted.py", "lg_scripted")
        import langchain.agents  # noqa: F401  # with no warning later
        import langgraph.checkpoint.sqlite  # noqa: F401
    return module


@pytest.fixture
def shop(scripted):
    return scripted.Shop()


@pytest.fixture
def saver(tmp_path):
    """A SqliteSaver on a file; `saver.path` is the file, `saver.read(...)` its traces."""
    from langgraph.checkpoint.sqlite import SqliteSaver

    from passhat_langgraph import read_checkpoints

    path = tmp_path / "threads.db"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        saver.path = path
        saver.read = lambda **options: list(read_checkpoints(path, **options))
        yield saver


@pytest.fixture
def on():
    """The config of a thread."""
    return lambda thread, **more: {"configurable": {"thread_id": thread, **more}}


@pytest.fixture
def done():
    """What ran by hand."""
    return []


@pytest.fixture
def by_hand(done, scripted):
    """A node that runs what was decided, as plain code."""

    def node(state):
        done.append("by hand")
        return {"messages": [scripted.ai("done")]}

    return node


@pytest.fixture
def raised():
    @contextmanager
    def expect(kind, *words):
        with pytest.raises(kind) as caught:
            yield
        for word in words:
            assert word in str(caught.value)

    return expect
