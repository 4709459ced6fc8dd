"""LangGraph's own warnings, of things to come, are none of ours."""

import pytest

# Kept out of `filterwarnings = error`: what the libraries say of themselves and of each other.
QUIET = (
    "ignore::DeprecationWarning:langgraph.*",
    "ignore::DeprecationWarning:langchain.*",
    "ignore::PendingDeprecationWarning",
    "ignore::langchain_core._api.deprecation.LangChainPendingDeprecationWarning",
    "ignore::langgraph.warnings.LangGraphDeprecatedSinceV10",
)


def pytest_collection_modifyitems(items):
    for item in items:
        if "adapters/langgraph" in str(item.path):
            for warning in QUIET:
                item.add_marker(pytest.mark.filterwarnings(warning))
