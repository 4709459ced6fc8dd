"""Real agents under the runner: an OpenAI client, LangGraph's `create_agent`, an ADK agent."""

import importlib.util
import json
import sys
import warnings
from contextlib import ExitStack
from pathlib import Path

import pytest

from passhat.case import Case, Suite
from passhat.trials.retrying import Retries
from passhat.trials.runs import run

HERE = Path(__file__).parent
SUITE = Suite(
    "shop",
    [
        Case("A1", "Where is A1?", expected_calls=["lookup"], response={"includes": ["shipped"]}),
        Case("A2", "Where is A2?", expected_calls=["lookup"], response={"includes": ["lost"]}),
    ],
)
QUICK = Retries(3, first=0.001)


def loaded(name, file):
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


chat = loaded("trials_chat_server", HERE.parents[1] / "servers/chat.py")


def shop(messages):
    """Looks the order up, and says what came of it."""
    if messages[-1]["role"] != "tool":
        asked = next(m["content"] for m in reversed(messages) if m["role"] == "user")
        return chat.asks("lookup", order=asked.split()[-1].strip("?"))
    return chat.says(f"It is {json.loads(messages[-1]['content'])['status']}.")


@pytest.fixture
def server():
    with chat.ChatServer(shop) as serving, ExitStack() as clients:
        serving.clients = clients
        yield serving


def openai_agent(server, **options):
    """A loop around the OpenAI client, as people write it."""
    openai = pytest.importorskip("openai")
    client = openai.OpenAI(base_url=server.url, api_key="none", **{"max_retries": 0, **options})
    # Left to the collector, its sockets may go before it does, in the midst of another test.
    server.clients.callback(client.close)

    def agent(case):
        messages = [{"role": "user", "content": case.input}]
        while True:
            answer = client.chat.completions.create(model="small-1", messages=messages)
            message = answer.choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return messages
            for call in message.tool_calls:
                order = json.loads(call.function.arguments)["order"]
                told = {"order": order, "status": "shipped"}
                messages.append(
                    {"role": "tool", "tool_call_id": call.id, "content": json.dumps(told)}
                )

    return agent


def statuses(results):
    return {(t.case_id, t.trial): t.status for t in results}


EXPECTED = {("A1", 0): "passed", ("A1", 1): "passed", ("A2", 0): "failed", ("A2", 1): "failed"}


def test_an_openai_loop(server):
    results = run(openai_agent(server), SUITE, 2)
    assert statuses(results) == EXPECTED
    assert len(server.requests) == 8
    assert {t.measures["tool_calls"] for t in results} == {1}


@pytest.mark.parametrize(
    ("failure", "client"),
    [
        (chat.Failure(status=429, retry_after=0.3), {}),
        (chat.Failure(status=500), {}),
        (chat.Failure(status=529), {}),
        (chat.Failure(cut=True), {}),
        (chat.Failure(slow=0.6), {"timeout": 0.2}),
    ],
)
def test_what_breaks_at_the_server_is_tried_again_and_not_the_agents(server, failure, client):
    server.failures.append(failure)
    results = run(openai_agent(server, **client), SUITE, 2, concurrency=1, retries=QUICK)
    assert statuses(results) == EXPECTED
    assert len(server.requests) == 9
    if failure.retry_after:
        assert server.requests[1][0] - server.requests[0][0] >= failure.retry_after


def test_a_server_that_stays_down_is_in_the_ledger(server):
    server.failures.extend([chat.Failure(status=503)] * 100)
    summary = run(openai_agent(server), SUITE, 2, retries=QUICK).summary()
    assert (summary.n, summary.ledger["infrastructure_error"]) == (0, 4)
    assert "InternalServerError" in summary.left_out[0].reason


def test_a_request_that_the_server_refuses_is_the_agents_own(server):
    server.failures.extend([chat.Failure(status=400)])
    results = run(openai_agent(server), SUITE, 1, concurrency=1, retries=QUICK)
    assert statuses(results)["A1", 0] == "agent_error"
    assert len(server.requests) == 3


def test_an_openai_loop_in_processes_of_its_own(server):
    assert statuses(run(openai_agent(server), SUITE, 2, isolate=True, timeout=20)) == EXPECTED


def langgraph_agent(model):
    agents = pytest.importorskip("langchain.agents")
    from langchain_core.tools import tool

    @tool
    def lookup(order: str) -> dict[str, str]:
        """Looks an order up."""
        return {"order": order, "status": "shipped"}

    return agents.create_agent(model, [lookup])


def scripted():
    scripts = loaded(
        "trials_langgraph_scripted", HERE.parents[1] / "adapters/langgraph/scripted.py"
    )
    return scripts.model(
        scripts.ai("", ("lookup", {"order": "A1"}, "1")), scripts.ai("It is shipped.")
    )


def test_a_create_agent_graph_given_as_it_is():
    pytest.importorskip("langgraph")
    graph = langgraph_agent(scripted())
    results = run(graph, SUITE, 2)
    assert statuses(results) == EXPECTED
    assert results.trials[0].measures["tool_calls"] == 1


def test_what_a_graph_returns_is_read_without_its_adapter():
    pytest.importorskip("langgraph")
    graph = langgraph_agent(scripted())

    def agent(case):
        return graph.invoke({"messages": [("user", case.input)]})

    async def awaited(case):
        return await graph.ainvoke({"messages": [("user", case.input)]})

    assert statuses(run(agent, SUITE, 2)) == EXPECTED
    assert statuses(run(awaited, SUITE, 2)) == EXPECTED


@pytest.mark.parametrize(
    "failure", [chat.Failure(429, 0.3), chat.Failure(500), chat.Failure(cut=True)]
)
def test_a_graph_whose_model_is_a_server_that_fails(server, failure):
    models = pytest.importorskip("langchain_openai")
    model = models.ChatOpenAI(model="small-1", base_url=server.url, api_key="none", max_retries=0)
    server.clients.callback(model.root_client.close)
    server.failures.append(failure)
    results = run(langgraph_agent(model), SUITE, 2, concurrency=1, retries=QUICK)
    assert statuses(results) == EXPECTED
    if failure.retry_after:
        assert server.requests[1][0] - server.requests[0][0] >= failure.retry_after


@pytest.mark.filterwarnings("ignore")
def test_an_adk_agent_given_as_it_is():
    pytest.importorskip("google.adk")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scripts = loaded("trials_adk_scripted", HERE.parents[1] / "adapters/adk/scripted.py")

        def lookup(order: str) -> dict[str, str]:
            """Looks an order up."""
            return {"order": order, "status": "shipped"}

        broken = [ConnectionResetError("down")]

        def rule(contents):
            if broken:
                return broken.pop()
            if scripts.answers_since_user(contents):
                return [scripts.says("It is shipped.")]
            return [scripts.asks("lookup", order="A1")]

        agent = scripts.Agent(
            name="shop", model=scripts.Scripted(rule=rule), instruction="Help.", tools=[lookup]
        )
        results = run(agent, SUITE, 2, retries=QUICK)
    assert statuses(results) == EXPECTED
    assert not broken


@pytest.mark.filterwarnings("ignore")
def test_native_results_are_read_by_the_adapter_of_their_framework():
    pytest.importorskip("google.adk")
    pytest.importorskip("langsmith")
    from google.adk.events.event import Event
    from google.genai import types
    from langsmith.run_trees import RunTree

    def said(role, text):
        content = types.Content(role=role, parts=[types.Part(text=text)])
        return Event(author="user" if role == "user" else "shop", content=content)

    def events(case):
        return [said("user", case.input), said("model", "It is shipped.")]

    def tree(case):
        root = RunTree(name="shop", run_type="chain", inputs={"question": case.input})
        root.end(outputs={"output": "It is shipped."})
        return root

    suite = Suite("shop", [Case("A1", "Where is A1?", response={"includes": ["shipped"]})])
    for agent in (events, tree):
        assert [t.status for t in run(agent, suite, 1)] == ["passed"]
