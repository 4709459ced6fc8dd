"""What the package costs to import, and that all its names are there."""

import subprocess
import sys

import passhat_langgraph


def test_importing_it_imports_no_langgraph():
    code = (
        "import sys, passhat_langgraph; passhat_langgraph.adapter, passhat_langgraph.next_calls;"
        "passhat_langgraph.record, passhat_langgraph.run_node;"
        "print([m for m in sys.modules if m.startswith(('langgraph', 'langchain', 'psycopg'))])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_its_names_are_there():
    assert all(getattr(passhat_langgraph, name) for name in passhat_langgraph.__all__)
    assert set(passhat_langgraph.__all__) <= set(dir(passhat_langgraph))
