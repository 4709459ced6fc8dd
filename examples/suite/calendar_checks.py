"""Checks of a calendar agent that no catalogue has."""

import passhat


@passhat.check("no_double_booking", needs=("calls",))
def no_double_booking(trace, case):
    """No event was created where one that the agent had seen stands already."""
    seen = {}
    for call in trace.calls:
        if call.name == "list_events" and call.succeeded:
            seen[call.args["day"].casefold()] = call.result
        if call.name == "create_event" and not call.failed:
            start, end = call.args["start"], call.args["end"]
            for event in seen.get(call.args["day"].casefold(), []):
                if event["from"] < end and start < event["to"]:
                    reason = f"{start} to {end} is taken by {event['title']}"
                    return passhat.CheckResult("no_double_booking", "failed", 0.0, reason)
    return True
