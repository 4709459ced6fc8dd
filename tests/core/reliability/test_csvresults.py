"""Results as a CSV table."""

import gzip

import pytest

from passhat.errors import InputError
from passhat.reliability import read_results, read_trials


@pytest.fixture
def table(tmp_path):
    def write(text, name="results.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_the_three_columns_are_enough(table):
    results = read_results(table("case,trial,passed\na,0,true\na,1,false\nb,0,1\n"))
    assert [(t.case_id, t.trial, t.status) for t in results] == [
        ("a", 0, "passed"),
        ("a", 1, "failed"),
        ("b", 0, "passed"),
    ]
    assert results.summary().pass_hat_k == {1: 0.75}


def test_every_column_has_its_place(table):
    (trial,) = read_results(
        table(
            "case,trial,passed,status,reason,cost,currency,tokens,seconds,tags,check.budget,pin.model\n"
            'a,3,no,agent_error,"it looped, twice",0.5,EUR,1200,3.5,x; y,failed,m1\n'
        )
    )
    assert (trial.trial, trial.status, trial.reason) == (3, "agent_error", "it looped, twice")
    assert (trial.usage.cost, trial.usage.currency, trial.seconds) == (0.5, "EUR", 3.5)
    assert trial.measures == {"tokens": 1200}
    assert trial.tags == ("x", "y")
    assert trial.result("budget").status == "failed"
    assert trial.pins == {"model": "m1"}


def test_what_was_left_out_is_in_the_ledger(table):
    results = read_results(
        table("case,passed,status\na,true,\na,,infrastructure_error\nb,,not_run\n")
    )
    assert results.summary().ledger == {
        "passed": 1,
        "failed": 0,
        "agent_error": 0,
        "not_evaluated": 0,
        "check_error": 0,
        "infrastructure_error": 1,
        "not_run": 1,
    }


def test_tokens_and_costs_are_told(table):
    efficiency = (
        read_results(table("case,passed,tokens,cost\na,true,100,0.1\na,true,300,0.3\n"))
        .summary()
        .efficiency
    )
    assert efficiency.tokens.mean == 200
    assert efficiency.cost_per_success == pytest.approx(0.2)


def test_trials_without_a_number_are_numbered_by_case(table):
    path = table("case,passed\na,1\nb,1\na,0\n")
    assert [(t.case_id, t.trial) for t in read_trials(path)] == [("a", 0), ("b", 0), ("a", 1)]


def test_headings_may_be_written_as_people_write_them(table):
    assert len(read_results(table("\ufeffCase_ID, Passed \r\na,Yes\r\n\r\n"))) == 1


def test_a_table_is_known_by_what_it_is(table):
    assert len(read_results(table("case,passed\na,1\n", "results"))) == 1
    assert len(read_results(table(gzip.compress(b"case,passed\na,1\n"), "r.csv.gz"))) == 1


def test_other_columns_are_named(table):
    assert read_results(table("case,passed,notes\na,1,hm\n")).about["not_read"] == "notes"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "the file is empty"),
        ("trial,passed\n0,1\n", "no column 'case'"),
        ("case;trial;passed\na;0;1\n", "its cells are parted by ';': a CSV has commas"),
        ("case\tpassed\na\t1\n", r"its cells are parted by '\\t'"),
        ("case,pased\na,1\n", "unknown column 'pased', did you mean passed"),
        ("case,trial\na,1\n", r"no column 'passed' \(or 'status'\)"),
        ("case,passed,passed\na,1,1\n", "'passed' is there twice"),
        ("case,passed\na,maybe\n", r"results.csv:2: passed is 'maybe'"),
        ("case,passed\n,1\n", "no case"),
        ("case,passed\na,\n", "whether it passed is not said"),
        ("case,passed,status\na,true,failed\n", "they contradict"),
        ("case,passed,status\na,,fail\n", "did you mean failed"),
        ("case,passed,cost\na,1,-2\n", "cost is '-2'"),
        ("case,passed,cost\na,1,nan\n", "cost is 'nan'"),
        ("case,passed,tokens\na,1,1.5\n", "a whole number of 0 or more"),
        ("case,trial,passed\na,0,1\na,0,0\n", "trial 0 of case 'a' is on line 2 already"),
        ("case,passed\na,1,1\n", "3 cells under 2 columns"),
        ('case,passed\n"a,1\n', "not CSV"),
        (b"case,passed\n\xff\xfe,1\n", "not UTF-8"),
        ("case,passed,check.x\na,1,perhaps\n", "check.x is 'perhaps'"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(table, text, why):
    with pytest.raises(InputError, match=why):
        read_results(table(text))


def test_all_faults_are_told_at_once(table):
    with pytest.raises(InputError) as caught:
        read_results(table("case,passed\na,maybe\nb,1\n,1\n"))
    assert ":2: passed is" in str(caught.value)
    assert ":4: no case" in str(caught.value)
