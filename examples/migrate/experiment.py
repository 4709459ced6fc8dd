"""The dataset in LangSmith's own experiment, without a connection; the agent makes one mistake."""

import json
import sys
from pathlib import Path

from passhat_langsmith import evaluate

CALLS = {
    "damaged": [("refund", {"order": "A100", "amount": 30}), ("lookup_order", {"order": "A100"})],
    "status": [("lookup_order", {"order": "A200"})],
}
ANSWERS = {"damaged": "I have refunded order A100.", "status": "It is on its way."}


def agent(inputs):
    """A scripted agent: it refunds before it has looked the order up."""
    case = "damaged" if "A100" in inputs["input"] else "status"
    messages = [{"role": "user", "content": inputs["input"]}]
    for at, (name, args) in enumerate(CALLS[case]):
        function = {"name": name, "arguments": json.dumps(args)}
        call = {"id": str(at), "type": "function", "function": function}
        messages += [
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": str(at), "content": "ok"},
        ]
    return {"messages": [*messages, {"role": "assistant", "content": ANSWERS[case]}]}


examples = [json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]
for trial in evaluate(agent, examples, trials=1, local=True):
    print(trial)
