import json

import pytest

from passhat.errors import EstimationError
from passhat.reliability import cohen_kappa


def test_equals_the_table(shared):
    rows = json.loads((shared / "vectors/stats/kappa.json").read_text())
    for row in rows:
        table = [[row["both_pass"], row["judge_only"]], [row["human_only"], row["both_fail"]]]
        if row["kappa"] is None:
            with pytest.raises(EstimationError, match="kappa is not defined"):
                cohen_kappa(table)
            continue
        found = cohen_kappa(table)
        assert found.kappa == pytest.approx(row["kappa_float"], abs=1e-9)
        assert found.error == pytest.approx(row["se"], abs=1e-9)
        assert found.interval == pytest.approx(tuple(row["ci95"]), abs=1e-9)


def test_more_than_two_labels_and_either_rater_first(shared):
    routing = json.loads((shared / "vectors/stats/routing_confusion.json").read_text())
    table = routing["matrix_rows_true"]
    found = cohen_kappa(table)
    assert found.kappa == pytest.approx(routing["kappa"], abs=1e-9)
    assert found.items == 100
    turned = cohen_kappa(list(zip(*table, strict=True)))
    assert turned.kappa == pytest.approx(found.kappa)
    assert turned.error == pytest.approx(found.error)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([], "no items"),
        ([[0, 0], [0, 0]], "no items"),
        ([[1, 2]], "row 0 of the table has 2 columns for 1 rows"),
        ([[1, -2], [0, 1]], r"table\[0\]\[1\] is -2"),
        ([[0, 0], [0, 7]], "same label"),
    ],
)
def test_tables_that_mean_nothing_are_refused(table, message):
    with pytest.raises(EstimationError, match=message):
        cohen_kappa(table)
