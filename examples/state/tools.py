"""The shop's tools, as the agent calls them: each changes the state that it is given."""


def get_order(state, order):
    return next(row for row in state["orders"] if row["id"] == order)


def issue_refund(state, order, amount):
    if amount > get_order(state, order)["total"]:
        return {"error": "more than was paid"}
    state["refunds"].append(
        {"id": f"R{len(state['refunds']) + 1}", "order": order, "amount": amount}
    )
    return {"ok": True}


TOOLS = {"get_order": get_order, "issue_refund": issue_refund}
