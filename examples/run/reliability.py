"""The same from Python."""

from support import agent

import passhat

results = passhat.run(agent, "suite.yaml", trials=6)
print(results.summary().verdict)
for trial in results:
    if not trial.passed:
        print(trial.case_id, trial.failure_class, trial.failure.reason)
