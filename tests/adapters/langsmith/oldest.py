"""What works with the oldest LangSmith that is claimed, run in a process that has that version.

    python oldest.py VERSION

Prints what was done, a line each; anything that breaks ends it.
"""

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

sys.path.append(str(Path(__file__).resolve().parents[2] / "servers"))
os.environ["LANGSMITH_TRACING"] = "false"


def main(version: str) -> None:
    import langsmith
    import pytest
    from langsmith import evaluate as theirs
    from langsmith_stand_in import LangSmithServer

    import passhat
    import passhat_langsmith as ours

    assert langsmith.__version__ == version, langsmith.__version__

    @langsmith.traceable(run_type="tool")
    def lookup(id: str) -> str:
        return "shipped"

    def agent(inputs: dict[str, Any]) -> dict[str, Any]:
        return {"output": lookup(id="A1") if inputs["order"] != "none" else "Which?"}

    suite = passhat.Suite(
        "orders",
        [
            passhat.Case("a", {"order": "A1"}, expected_calls=["lookup"]),
            passhat.Case("b", {"order": "none"}, expected_calls=[]),
        ],
    )
    results = ours.evaluate(agent, suite, trials=2, local=True)
    assert [one.status for one in results] == ["passed"] * 4
    print("evaluate local")
    with LangSmithServer(os.environ.get("SERVER_VERSION", "0.18.5")) as server:
        client = langsmith.Client(api_url=server.url, api_key="x")
        assert ours.push_suite(client, suite, tag="v1").created == ("a", "b")
        assert ours.push_suite(client, suite).unchanged == 2
        changed = passhat.Suite("orders", [passhat.Case("a", "new"), suite.cases[1]])
        assert ours.push_suite(client, changed).updated == ("a",)
        assert ours.pull_suite(client, "orders", version="v1") == suite
        assert ours.push_suite(client, suite).updated == ("a",)
        print("push and pull")
        names = []
        for _ in range(2):
            found = ours.evaluate(
                agent,
                "orders",
                trials=2,
                client=client,
                summary_evaluators=[
                    ours.pass_hat_k(2),
                    ours.pass_at_k(2),
                    ours.success_rate(),
                    ours.tool_f1(),
                ],
                evaluators=[ours.as_evaluator("tool_call_f1")],
            )
            assert [one.status for one in found] == ["passed"] * 4
            names.append(found.about["source"])
        client.flush()
        keys = {one["key"] for one in [*server.feedback, *server.kept.values()]}
        assert {"passhat_case", "passhat_tool_call_f1", "pass^2", "pass@2", "tool_f1"} <= keys
        print("evaluate")
        compared = theirs(
            tuple(names),
            evaluators=[ours.as_comparator(load_nested=True)],
            client=client,
            load_nested=True,
        )
        for row in compared:
            result = row["evaluation_results"]["feedback.passhat_case_preferred"]
            assert set(result.scores.values()) == {0.5}, result
        print("compare")
        server.feedback.clear()
        scores = ours.score_project(client, names[0], "tool_selection", sample=1)
        assert len(scores.results) == 4
        assert len(server.feedback) == 4
        assert ours.score_project(client, names[0], "tool_selection", sample=1).written == 0
        print("score a project")
        os.environ |= {"LANGSMITH_ENDPOINT": server.url, "LANGSMITH_API_KEY": "x"}
        scored = passhat.score(f"langsmith:project/{names[0]}", expected=True)
        assert [one.status for one in scored] == ["passed"] * 4
        for read in (ours.pull_suite, partial(ours.score_project, checks="no_calls")):
            for gone in ("gone", str(UUID(int=5))):
                with pytest.raises(passhat.UsageError, match=f"{gone!r} in this workspace"):
                    read(client, gone)
        print("sources")
        client.close() if hasattr(client, "close") else client.cleanup()


if __name__ == "__main__":
    main(sys.argv[1])
