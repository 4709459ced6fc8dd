"""The pytest plugin: a test run as independent trials, held to pass^k.

`@pytest.mark.passhat(trials=5, k=3, at_least=0.6)` runs a test five times over, fixtures and all, and
passes it if all of three attempts succeed with a chance of 0.6 or more. Nothing else of a session is
touched.
"""
