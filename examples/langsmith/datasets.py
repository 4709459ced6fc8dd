"""A suite as a dataset on the server, and the dataset as a suite again.

Needs LANGSMITH_API_KEY (and LANGSMITH_ENDPOINT, for a server of your own).
"""

from pathlib import Path

from langsmith import Client

import passhat
from passhat_langsmith import pull_suite, push_suite

suite = passhat.read_suite(Path(__file__).with_name("suite.yaml"))
client = Client()

pushed = push_suite(client, suite, tag="reviewed")
print(f"{len(pushed.created)} created, {len(pushed.updated)} updated, {pushed.unchanged} unchanged")
for case in pushed.edited:
    print(f"{case} was edited in LangSmith, and is left as it is")

print(pull_suite(client, pushed.dataset, version="reviewed") == suite)
