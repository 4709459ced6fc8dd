"""The beginnings of files that adapters must tell apart: each belongs to one, or to none."""

from __future__ import annotations

LOOKALIKES: dict[str, tuple[str | None, bytes]] = {
    "an OpenAI chat with a call": (
        "openai",
        b'[{"role": "user", "content": "hi"}, {"role": "assistant", "content": null, "tool_calls": '
        b'[{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}]',
    ),
    "an OpenAI response": (
        "openai",
        b'{"id": "chatcmpl-1", "object": "chat.completion", "choices": [{"index": 0, "message": '
        b'{"role": "assistant", "content": "Hello."}, "finish_reason": "stop"}], "usage": {}}',
    ),
    "Anthropic messages with a call": (
        "anthropic",
        b'{"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": '
        b'[{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]}]}\n',
    ),
    "OpenAI Responses items": (
        "openai-responses",
        b'[{"role": "user", "content": "hi"}, {"type": "function_call", "call_id": "c1", '
        b'"name": "f", "arguments": "{}"}]',
    ),
    "Gemini contents": ("gemini", b'[{"role": "user", "parts": [{"text": "hi"}]}]'),
    "a Gemini response beside its request": (
        "gemini",
        b'{"request": {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}, "response": '
        b'{"candidates": [{"content": {"parts": [{"text": "Hello."}]}, "finishReason": "STOP"}]}}\n',
    ),
    "LangChain messages": (
        "langchain",
        b'{"messages": [{"type": "human", "content": "hi"}, {"type": "ai", "content": "Hello."}]}\n',
    ),
    "tau-bench results": (
        "tau-bench",
        b'[{"task_id": 0, "trial": 0, "reward": 1.0, "info": {}, "traj": []}]',
    ),
    "a passhat trace": ("passhat", b'{"schema":"passhat.trace/1","id":"t"}\n'),
    "an ADK eval set": (
        "adk",
        b'{"eval_set_id": "s", "eval_cases": [{"eval_id": "e", "conversation": [{"invocation_id": '
        b'"i", "user_content": {"role": "user", "parts": [{"text": "hi"}]}}]}]}',
    ),
    "an ADK session": (
        "adk",
        b'{"id": "s", "app_name": "a", "user_id": "u", "state": {}, "events": [{"author": "user", '
        b'"content": {"role": "user", "parts": [{"text": "hi"}]}}]}',
    ),
    "LangSmith runs": (
        "langsmith",
        b'[{"id": "r", "trace_id": "r", "dotted_order": "x", "name": "agent", "run_type": "chain", '
        b'"inputs": {"messages": [{"role": "user", "content": "hi"}]}, "outputs": {}}]',
    ),
    "LangSmith examples": (
        "langsmith",
        b'{"id": "e", "inputs": {"question": "hi"}, "outputs": {"answer": "Hello."}}\n',
    ),
    "rows of outputs and reference outputs": (
        "openevals",
        b'{"outputs": [{"role": "assistant", "content": "Hello."}], "reference_outputs": '
        b'[{"role": "assistant", "content": "Hi."}], "trajectory_match_mode": "strict"}\n',
    ),
    "a passhat suite": (None, b'{"schema": "passhat.suite/1", "name": "s", "cases": []}'),
    "passhat results": (None, b'{"schema":"passhat.result/1","case_id":"c","status":"passed"}\n'),
    "a package description": (None, b'{"name": "x", "version": "1.0", "dependencies": {}}'),
    "a table": (None, b"id,name\n1,Ann\n"),
    "a page": (None, b"<!DOCTYPE html><html><body>[1, 2]</body></html>"),
    "a database": (None, b"SQLite format 3\x00\x10\x00\x01\x01\x00@  "),
    "an empty list": (None, b"[]"),
    "results of promptfoo": (
        None,
        b'{"evalId": "eval-1", "results": {"version": 3, "results": [{"success": true}]}, "config": {}}',
    ),
}
"""What the file is, the name of its adapter (None: nobody's), and its first bytes."""
