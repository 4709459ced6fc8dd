"""Plays each case three times and keeps the threads in threads.db: `python threads.py`."""

from langgraph.checkpoint.sqlite import SqliteSaver
from shop import build

ASKED = {"delivered": "Refund A123", "open": "Refund B7"}

with SqliteSaver.from_conn_string("threads.db") as saver:
    graph = build(saver)
    for case_id, text in ASKED.items():
        for trial in range(3):
            config = {"configurable": {"thread_id": f"{case_id}-{trial}", "case": case_id}}
            graph.invoke({"messages": [("user", text)]}, config)
