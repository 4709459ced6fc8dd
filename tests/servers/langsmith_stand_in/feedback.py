"""Answers about feedback."""

import json

from langsmith_stand_in.held import NOW, Answer, Asked, Held

_PAGED = (("offset", "0"), ("limit", "100"))


def about_feedback(held: Held, asked: Asked) -> Answer | None:
    """The answer to a request that is about feedback; None for any other."""
    query = asked.query
    stamps = {"created_at": NOW, "modified_at": NOW}
    match asked.method, asked.where:
        case "POST", ["feedback"]:
            told = json.loads(asked.body)
            held.feedback.append(told)
            held.kept[told["id"]] = told
            return 200, {**told, **stamps}
        case "GET", ["feedback"]:
            found = list(held.kept.values())
            for key, name in (("run", "run_id"), ("session", "session_id")):
                if key in query:
                    found = [one for one in found if one.get(name) in query[key]]
            at, most = (int(query.get(key, [given])[0]) for key, given in _PAGED)
            return 200, [{**one, **stamps} for one in found[at : at + min(100, most)]]
    return None
