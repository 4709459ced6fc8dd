import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passhat.errors import EstimationError
from passhat.reliability import Confusion, LabelScores, MultiLabelConfusion

ROUTES = Confusion(("docs", "sql", "none"), ((9, 1, 0), (2, 6, 0), (0, 0, 0)))
pairs = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd")), max_size=30)


def test_equals_the_table(shared):
    table = json.loads((shared / "vectors/stats/routing_confusion.json").read_text())
    given_and_expected = zip(table["y_pred"], table["y_true"], strict=True)
    found = Confusion.from_pairs(given_and_expected, table["labels"])
    assert [list(row) for row in found.counts] == table["matrix_rows_true"]
    assert found.accuracy == pytest.approx(table["accuracy"], abs=1e-9)
    report = table["report"]
    for label, scores in found.per_label.items():
        rates = (scores.precision, scores.recall, scores.f1, scores.support)
        assert rates == pytest.approx(tuple(report[label].values()), abs=1e-9)
    for averages, name in ((found.macro, "macro avg"), (found.weighted, "weighted avg")):
        assert averages == pytest.approx(tuple(report[name].values())[:3], abs=1e-9)
    assert found.macro.f1 == pytest.approx(table["macro_f1"], abs=1e-9)
    assert found.weighted.f1 == pytest.approx(table["weighted_f1"], abs=1e-9)


@given(pairs)
def test_counts_are_those_of_the_pairs(given_pairs):
    found = Confusion.from_pairs(given_pairs)
    assert found.total == len(given_pairs)
    for label, scores in found.per_label.items():
        assert scores.tp == sum(actual == expected == label for actual, expected in given_pairs)
        assert scores.given == sum(actual == label for actual, _ in given_pairs)
        assert scores.support == sum(expected == label for _, expected in given_pairs)
    assert sum(mistake.times for mistake in found.mistakes) == sum(a != e for a, e in given_pairs)


@given(pairs)
def test_single_labels_are_multi_labels_of_one(given_pairs):
    single = Confusion.from_pairs(given_pairs)
    multi = MultiLabelConfusion.from_pairs([({a}, {e}) for a, e in given_pairs])
    assert multi.per_label == single.per_label
    assert multi.macro == single.macro
    assert multi.weighted == single.weighted
    assert multi.exact_match == single.accuracy == multi.micro.f1


def test_rates_without_a_denominator_are_not_numbers():
    empty = LabelScores(0, 0, 0)
    assert (empty.precision, empty.recall, empty.f1) == (None, None, None)
    assert LabelScores(0, 0, 3).precision is None
    assert LabelScores(0, 0, 3).f1 == 0.0
    nothing = Confusion.from_pairs([])
    assert (nothing.accuracy, nothing.macro, nothing.weighted) == (None, None, None)


def test_averages_leave_out_what_never_occurs_and_count_what_was_never_given_as_0():
    assert ROUTES.macro.recall == pytest.approx((9 / 10 + 6 / 8) / 2)
    never_given = Confusion(("a", "b"), ((4, 0), (2, 0)))
    assert never_given.macro.precision == pytest.approx(4 / 6 / 2)


def test_floors_hold_fail_or_have_nothing_to_judge():
    checks = ROUTES.check_floors({"docs": 0.9, "sql": 0.8, "none": 0.5})
    assert [check.status for check in checks] == ["passed", "failed", "not_evaluated"]
    assert (checks[1].recall, checks[1].support) == (0.75, 8)
    with pytest.raises(EstimationError, match="'sgl' not among the labels: docs, sql, none"):
        ROUTES.check_floors({"sgl": 0.9})
    with pytest.raises(EstimationError, match="the floor of 'sql' is 90"):
        ROUTES.check_floors({"sql": 90})


def test_costs_weigh_mistakes():
    assert ROUTES.mean_cost({}) == pytest.approx(3 / 18)
    assert ROUTES.mean_cost({"sql": {"docs": 10}}, default=0.5) == pytest.approx(20.5 / 18)
    assert ROUTES.mean_cost({"docs": {"docs": 1}}) == pytest.approx(12 / 18)
    with pytest.raises(EstimationError, match="'sgl' not among"):
        ROUTES.mean_cost({"docs": {"sgl": 1}})
    with pytest.raises(EstimationError, match="no items"):
        Confusion.from_pairs([]).mean_cost({})


def test_several_labels_per_item():
    found = MultiLabelConfusion.from_pairs(
        [(["docs", "sql"], ["docs"]), ([], ["sql"]), (["sql", "docs"], ["docs", "sql"])]
    )
    assert found.per_label["sql"] == LabelScores(tp=1, fp=1, fn=1)
    assert found.micro == LabelScores(tp=3, fp=1, fn=1)
    assert found.exact_match == pytest.approx(1 / 3)
    assert found.check_floors({"docs": 1.0})[0].status == "passed"
    with pytest.raises(EstimationError, match="item 0: give collections"):
        MultiLabelConfusion.from_pairs([("docs", ["docs"])])


@pytest.mark.parametrize(
    ("labels", "counts", "message"),
    [
        (("a", "a"), ((1, 0), (0, 1)), "labels repeat: a, a"),
        (("a", "b"), ((1, 0),), "2 labels need 2 rows"),
        (("a", "b"), ((1, 0), (0,)), "2 labels need 2 rows"),
        (("a", "b"), ((1, 0), (0, -1)), "count of 'b' for 'b' is -1"),
    ],
)
def test_matrices_that_mean_nothing_are_refused(labels, counts, message):
    with pytest.raises(EstimationError, match=message):
        Confusion(labels, counts)


def test_a_label_that_is_not_known_is_refused():
    with pytest.raises(EstimationError, match="'sgl' not among the labels"):
        Confusion.from_pairs([("sgl", "sql")], labels=["sql"])
    with pytest.raises(EstimationError, match="'sgl' not among the labels"):
        MultiLabelConfusion.from_pairs([({"sgl"}, {"sql"})], labels=["sql"])


def test_they_pickle_and_hash():
    multi = MultiLabelConfusion.from_pairs([({"a"}, {"b"})])
    assert pickle.loads(pickle.dumps((ROUTES, multi))) == (ROUTES, multi)
    assert len({ROUTES, multi}) == 2
