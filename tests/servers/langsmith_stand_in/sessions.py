"""Answers about projects and experiments."""

import json
from uuid import uuid4

from langsmith_stand_in.held import NOW, TENANT, Answer, Asked, Held


def about_sessions(held: Held, asked: Asked) -> Answer | None:
    """The answer to a request that is about projects; None for any other."""
    match asked.method, asked.where:
        case "POST", ["sessions"]:
            made = {"tenant_id": TENANT, "start_time": NOW, **json.loads(asked.body)}
            made.setdefault("id", str(uuid4()))
            if any(one["name"] == made["name"] for one in held.sessions.values()):
                return 409, {"detail": "a project of that name exists"}
            held.sessions[made["id"]] = made
            return 200, made
        case "PATCH", ["sessions", id]:
            told = json.loads(asked.body)
            held.sessions[id] |= {key: value for key, value in told.items() if value is not None}
            return 200, held.sessions[id]
        case "GET", ["sessions"]:
            names = asked.query.get("name")
            found = held.sessions.values()
            return 200, [one for one in found if names is None or one["name"] in names]
        case "GET", ["sessions", id]:
            return (200, held.sessions[id]) if id in held.sessions else (404, {})
    return None
