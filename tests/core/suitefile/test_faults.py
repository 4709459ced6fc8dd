"""Every fault of a suite, told at once: file, line, path, and the nearest right word."""

import copy
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passhat.case import Suite
from passhat.errors import Place, SuiteError
from passhat.suitefile import read_suite, suite_from


def test_a_suite_with_every_key_has_no_faults(whole, suite_file):
    suite = read_suite(suite_file(whole))
    assert [case.id for case in suite.cases] == ["refund_open", "chat"]
    assert suite.cases[0].mode == "in_order"
    assert suite.cases[0].checks["budget"] == {}
    assert suite.cases[1].turns[0].input == "Hello"
    assert suite.cases[1].tags == ("shop",)


def test_an_unknown_key_is_told_with_its_line_and_the_nearest_key(faults_of):
    text = (
        "name: support\ncases:\n  - id: a\n    input: x\n  - id: b\n    input: y\n  - id: c\n"
        "    input: z\n  - id: d\n    input: |\n      two\n      lines\n    tags: []\n"
        "    forbiden_calls: [refund]\n"
    )
    assert faults_of(text) == [
        "support.yaml:14: $.cases[3].forbiden_calls: unknown key, did you mean forbidden_calls?"
    ]


HEAD = "tools: [lookup, refund]\ncases:\n- id: a\n  "


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("mode: exactt", "mode: cannot be 'exactt', did you mean exact?"),
        ("mode: any_order", "mode: cannot be 'any_order': in adk that is our superset; see `passhat explain any_order`"),
        ("mode: strict", "mode: cannot be 'strict': in agentevals and openevals that is our exact; see `passhat explain strict`"),
        ("mode: default", "mode: cannot be 'default': in deepeval that is nearest to our superset; see `passhat explain default`"),
        ("mode: ordered", "mode: cannot be 'ordered', did you mean in_order?"),
        ("mode: [exact]", "mode: cannot be a list, did you mean exact?"),
        ("checks: {trajectory: {mode: any_order}}", "checks.trajectory.mode: cannot be 'any_order': in adk that is our superset; see `passhat explain any_order`"),
        ("checks: {budget: {tool_calls: five}}", "checks.budget: check 'budget': tool_calls needs a number or null, not text"),
        ("expected_calls: [[]]", "expected_calls[0]: a group of no calls says nothing, leave it out"),
        ("response: {includes: [a, '']}", "response.includes[1]: an empty text is in every answer and tests nothing"),
        ("response: {excludes: ['']}", "response.excludes[0]: an empty text is in every answer and lets no run pass"),
        ("response: {matches: ''}", "response.matches: an empty text is in every answer and tests nothing"),
        ("prompt: hi", "prompt: unknown key, did you mean input?"),
        ("task_id: 3", "task_id: unknown key, did you mean id?"),
        ("reference_tool_calls: [a]", "reference_tool_calls: unknown key, did you mean expected_calls?"),
        ("frobnicate: 1", "frobnicate: unknown key, put what passhat does not read under extensions"),
        ("tags: shop", "tags: needs a list, not 'shop'"),
        ("refuse: no", "refuse: needs true or false, not 'no'"),
        ("input: 3", "input: needs text, a mapping or a list, not 3"),
        ("input: [hi]", "input[0]: needs a mapping, not 'hi'"),
        ("trials: 0", "trials: is 0; the least is 1"),
        ("trials: 1.5", "trials: needs a whole number, not 1.5"),
        ("expected_calls:", "expected_calls: needs a list, not null"),
        ("expected_calls: [3]", "expected_calls[0]: needs text, a mapping or a list, not 3"),
        ("expected_calls: [{args: {}}]", "expected_calls[0]: needs a name"),
        ("expected_calls: [{name: refund, arg: {}}]", "expected_calls[0].arg: unknown key, did you mean args?"),
        ("expected_calls: [refnd]", "expected_calls[0]: no tool 'refnd' in tools, did you mean refund?"),
        ("expected_calls: [[refund, {name: pay}]]", "expected_calls[0][1].name: no tool 'pay' in tools, there are lookup, refund"),
        ("expected_calls: [{name: refund, match: {id: txt}}]", "expected_calls[0].match.id: 'txt' is no matcher, did you mean text?"),
        ("expected_calls: [{name: refund, match: {id: {number: {ab: 1}}}}]", "expected_calls[0].match.id: number has no option 'ab', did you mean abs?"),
        ("expected_calls: [{name: refund, match: {id: {number: {abs: -1}}}}]", "expected_calls[0].match.id: number: abs is -1; the least is 0"),
        ("expected_calls: [{name: refund, match: {id: {regex: '('}}}]", "expected_calls[0].match.id: regex: '(' is no pattern: missing ), unterminated subpattern at position 0"),
        ("expected_calls: [{name: refund, match: {id: {schema: {type: txt}}}}]", "expected_calls[0].match.id: not a JSON Schema: $.type: 'txt' is not valid under any of the given schemas"),
        ("match: {refnd: {id: text}}", "match.refnd: no such tool, did you mean refund?"),
        ("match: {refund: {id: txt}}", "match.refund.id: 'txt' is no matcher, did you mean text?"),
        ("match: fuzzy", "match: 'fuzzy' is no matcher, there are exact, text, number, one_of, regex, contains, set, date, schema, any, subset, semantic, execution"),
        ("forbidden_calls: [refnd]", "forbidden_calls[0]: no tool 'refnd' in tools, did you mean refund?"),
        ("optional_calls: [refnd]", "optional_calls[0]: no tool 'refnd' in tools, did you mean refund?"),
        ("writes: [refnd]", "writes[0]: no tool 'refnd' in tools, did you mean refund?"),
        ("requires_approval: [refnd]", "requires_approval[0]: no tool 'refnd' in tools, did you mean refund?"),
        ("before: [[lookup]]", "before[0]: has 1 item; at least 2 are needed"),
        ("before: [lookup]", "before[0]: needs a list, not 'lookup'"),
        ("before: [[lookup, refnd]]", "before[0][1]: no tool 'refnd' in tools, did you mean refund?"),
        ("before: [[lookup, refund, {sam: id}]]", "before[0][2].sam: unknown key, did you mean same?"),
        ("before: [[lookup, refund, {same: {lookup: id}}]]", "before[0][2].same: needs {lookup: argument, refund: argument}"),
        ("before: [[lookup, {name: refund, where: a.x = b}]]", "before[0][1].where: not a CEL expression: at character 5, unexpected '=' (is it '=='?)"),
        ("before: [[lookup, refund, {where: c.x == b.x}]]", "before[0][2].where: the expression cannot use 'c', there are a, b"),
        ("success_check: refunds ==", "success_check: not a CEL expression: at character 11, unexpected end"),
        ("policies: [{name: p}]", "policies[0]: needs deny or require"),
        ("policies: [{name: p, deny: 'true', require: 'true'}]", "policies[0]: has both deny and require; keep one"),
        ("policies: [{name: p, deny: cal.name}]", "policies[0].deny: the expression cannot use 'cal', did you mean call?"),
        ("budget: {tool_call: 3}", "budget.tool_call: unknown key, did you mean tool_calls?"),
        ("budget: {turns: -1}", "budget.turns: is -1; the least is 0"),
        ("budget: {turns: true}", "budget.turns: needs a number, not true"),
        ("response: {include: x}", "response.include: unknown key, did you mean includes?"),
        ("response: {matches: [ok, '[']}", "response.matches[1]: '[' is no pattern: unterminated character set at position 0"),
        ("response: {number: {abs: 1}}", "response.number: needs a value"),
        ("response: {json: {schema: {type: x}}}", "response.json.schema: not a JSON Schema: $.type: 'x' is not valid under any of the given schemas"),
        ("checks: {trajectry: {}}", "checks.trajectry: there is no check 'trajectry', did you mean trajectory?"),
        ("checks: {trajectory: {mod: exact}}", "checks.trajectory: check 'trajectory' has no option 'mod', did you mean mode?"),
        ("checks: {loops: {at_least: 1.5}}", "checks.loops.at_least: is 1.5; the most is 1"),
        ("checks: {loops: {at_least: 0.9, at_most: 0.1}}", "checks.loops: at_least is more than at_most; nothing passes"),
        ("checks: {loops: {required: 1}}", "checks.loops.required: needs true or false, not 1"),
        ("checks: {'own.checks:polite': {}}", "checks['own.checks:polite']: a check by dotted path runs code of its own; it is loaded only with --allow-code (allow_code=True)"),
        ("turns: []", "turns: is empty"),
        ("turns: [{imput: x}]", "turns[0].imput: unknown key, did you mean input?"),
        ("turns: [{expected_calls: [refnd]}]", "turns[0].expected_calls[0]: no tool 'refnd' in tools, did you mean refund?"),
        ("turns: [{checks: {loops: {required: true}}}]", "turns[0].checks.loops.required: is said for the case, not for a turn"),
        ("scenario: {persna: x}", "scenario.persna: unknown key, did you mean persona?"),
        ("state: {exact: 1}", "state.exact: needs true or false, not 1"),
        ("tools: [x, {parameters: {}}]", "tools[1]: needs name or function"),
        ("tools: {x: {type: strng}}", "tools.x: not a JSON Schema: $.type: 'strng' is not valid under any of the given schemas"),
        ("tools: {x: {properties: {a: {$ref: '#/$defs/b'}}}}", "tools.x: not a JSON Schema: $ref '#/$defs/b' leads nowhere; only references inside the schema (#/...) are followed"),
    ],
)  # fmt: skip
def test_each_fault_of_a_case_is_told(faults_of, written, said):
    assert faults_of(HEAD + written) == [f"support.yaml:4: $.cases[0].{said}"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cases: []", ["1: $.cases: has no cases; a suite without cases tests nothing"]),
        ("name: x", ["1: $: has no cases"]),
        ("3", ["1: $: a suite is a mapping with cases, or a list of cases, not 3; it is written as YAML, JSON or JSONL"]),
        ("[]", ["1: $: has no cases; a suite without cases tests nothing"]),
        ("schema: passhat.suite/9\ncases: [{id: a}]", ["1: $.schema: cannot be 'passhat.suite/9'; this version reads 'passhat.suite/1'"]),
        ("cases:\n- input: x\n- id: a\n- id: a\n- id: 7", [
            "2: $.cases[0]: has no id",
            "4: $.cases[2].id: 'a' is the id of cases[1] too",
            "5: $.cases[3].id: needs text, not 7; write it in quotes",
        ]),
        ("- input: x\n- 3", ["1: $[0]: has no id", "2: $[1]: needs a mapping, not 3"]),
        ("tools: [a, a]\ncases: [{id: a}]", ["1: $.tools[1]: the tool 'a' stands twice; keep one"]),
        ("defaults: {id: x, mode: exac}\ncases: [{id: a}]", [
            "1: $.defaults.mode: cannot be 'exac', did you mean exact?",
            "1: $.defaults.id: unknown key, put what passhat does not read under extensions",
        ]),
        ("tools: [a]\nwrites: [b]\nchecks: {lops: {}}\ncases: [{id: a}]", [
            "2: $.writes[0]: no tool 'b' in tools, there are a",
            "3: $.checks.lops: there is no check 'lops', did you mean loops?",
        ]),
        ("nam: x\ncases:\n- id: a\n  mode: x\n  mode: exact\n- id: b\n  tags: &t [x]\n- id: c\n  tags: *t", [
            "1: $.nam: unknown key, did you mean name?",
            "4: $.cases[0].mode: cannot be 'x', there are exact, in_order, unordered, superset, subset",
            "5: $.cases[0].mode: the key stands twice (first on line 4); keep one",
            "7: $.cases[1].tags: an anchor (&t) is not read; leave it out",
            "9: $.cases[2].tags: an alias (*t) is not read; write the value out",
        ]),
    ],
)  # fmt: skip
def test_the_faults_of_a_suite_are_told_at_once(faults_of, text, said):
    assert faults_of(text) == [f"support.yaml:{line}" for line in said]


def test_a_file_that_cannot_be_opened_is_a_suite_error(tmp_path):
    with pytest.raises(SuiteError, match=r"no\.yaml: cannot be read: No such file or directory"):
        read_suite(tmp_path / "no.yaml")
    with pytest.raises(SuiteError, match="cannot be read: it is a folder; name a file in it"):
        read_suite(tmp_path)


def test_a_value_in_memory_is_told_by_its_path_and_place():
    with pytest.raises(SuiteError) as caught:
        suite_from({"cases": [{"id": "a", "tags": {1, 2}}]}, Place("run.py", 7))
    assert [str(fault) for fault in caught.value.faults] == [
        "run.py:7: $.cases[0].tags: set {1, 2} is no JSON value"
    ]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        pytest.param(10**5000, "an integer of thousands of digits", id="huge"),
        (float("nan"), "JSON has no nan"),
        (float("inf"), "JSON has no inf"),
        ("\ud800", "half a surrogate pair is no text"),
        (b"x", "bytes b'x' is no JSON value"),
        ({1: 2}, "a key is text, not 1"),
    ],
)
def test_what_is_no_json_value_is_refused(value, said):
    with pytest.raises(SuiteError) as caught:
        suite_from([{"id": "a", "reference": value}])
    assert str(caught.value) == f"$[0].reference: {said}"


def test_a_value_without_end_is_refused():
    endless = []
    endless.append(endless)
    with pytest.raises(SuiteError, match="nested deeper than 100 levels"):
        suite_from([{"id": "a", "reference": endless}])


def test_reading_changes_nothing_it_was_given():
    value = {
        "tools": ["a"],
        "cases": [{"id": "a", "required_tools": ["a"], "checks": {"loops": None}}],
    }
    before = copy.deepcopy(value)
    suite_from(value)
    assert value == before


KEYS = sorted(
    {
        *suite_from([{"id": "a"}]).__struct_fields__,
        *suite_from([{"id": "a"}]).cases[0].__struct_fields__,
    }
)
WORDS = st.sampled_from(
    [
        *KEYS,
        "schema",
        "name",
        "args",
        "same",
        "where",
        "required_tools",
        "trajectory_mode",
        "setup",
        "$ref",
    ]
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=25,
)
LIKELY = st.sampled_from(
    [
        "",
        "auto",
        "(",
        "a.b:c",
        "../x",
        "/etc/passwd",
        "a\0b",
        "1 +",
        -1,
        2**70,
        1e308,
        [],
        {},
        [[]],
        {"": {}},
    ]
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {"id": st.text(min_size=1, max_size=3)},
        optional={key: ANYTHING for key in KEYS if key not in ("id", "cases", "defaults")},
    ),
    max_size=3,
)


def outcome(value):
    try:
        given, faults = suite_from(value), ()
    except SuiteError as error:
        given, faults = None, error.faults
    assert type(given) is Suite or faults
    assert all(fault.place.path for fault in faults)


@settings(max_examples=50)
@given(ANYTHING | ROWS | st.fixed_dictionaries({"cases": ROWS}))
def test_any_value_gives_a_suite_or_a_suite_error(value):
    outcome(value)


@settings(max_examples=100)
@given(st.randoms(use_true_random=False), ANYTHING | LIKELY)
def test_a_suite_with_anything_in_the_place_of_a_part_is_read_or_refused(whole_value, chance, part):
    value = copy.deepcopy(whole_value)
    owner, key = chance.choice(list(places_in(value)))
    owner[key] = part
    outcome(value)


def places_in(value):
    todo = [value]
    while todo:
        part = todo.pop()
        for key in part if isinstance(part, dict) else range(len(part)):
            yield part, key
            if isinstance(part[key], dict | list):
                todo.append(part[key])


CLOSED = (
    ("cases", 0), ("cases", 0, "response"), ("cases", 0, "budget"), ("cases", 0, "state"),
    ("cases", 0, "scenario"), ("cases", 0, "expected_calls", 1), ("cases", 0, "policies", 0),
    ("cases", 0, "before", 1, 2), ("cases", 0, "checks", "trajectory"), ("cases", 1, "turns", 1), (),
)  # fmt: skip


@given(st.sampled_from(CLOSED), st.randoms(use_true_random=False))
def test_a_misspelt_key_is_named_and_the_right_one_offered(whole_value, way, chance):
    value = copy.deepcopy(whole_value)
    part = value
    for step in way:
        part = part[step]
    key = chance.choice([key for key in part if len(key) > 3])
    wrong = misspelt(key, chance)
    part[wrong] = part.pop(key)
    with pytest.raises(SuiteError) as caught:
        suite_from(value)
    told = [
        fault for fault in caught.value.faults if wrong in f"{fault.place.path} {fault.message}"
    ]
    assert any(f"did you mean {key}?" in fault.message for fault in told)


def test_a_letter_left_out_is_nearer_than_a_word_of_other_worlds():
    with pytest.raises(SuiteError) as caught:
        suite_from(
            {"tool": {"pay": None}, "cases": [{"id": "a", "expected_calls": [{"tool": "x"}]}]}
        )
    told = {fault.place.path: fault.message for fault in caught.value.faults}
    assert told["$.tool"] == "unknown key, did you mean tools?"
    assert told["$.cases[0].expected_calls[0].tool"] == "unknown key, did you mean name?"


def misspelt(key: str, chance: random.Random) -> str:
    at = chance.randrange(1, len(key))
    return chance.choice([key[:at] + key[at + 1 :], key[:at] + "z" + key[at:]])


def test_a_file_that_is_too_large_is_refused(faults_of, monkeypatch):
    monkeypatch.setattr("passhat.suitefile.files.MAX_BYTES", 2**20)
    assert faults_of("x" * (2**20 + 1)) == [
        "support.yaml: larger than the 1 MB that a suite may have"
    ]


def test_a_matcher_for_an_argument_that_the_tool_has_not_is_a_fault(faults_of):
    text = (
        "tools: {pay: {properties: {amount: {type: number}}}}\ncases:\n- id: a\n"
        "  expected_calls: [{name: pay, args: {amount: 1}, match: {amuont: text}}]\n"
    )
    (fault,) = faults_of(text)
    assert fault.endswith("match.amuont: pay has no argument 'amuont', did you mean amount?")


def test_a_fault_beside_another_is_told_at_once(faults_of):
    text = """
cases:
  - id: a
    expected_calls: [{nmae: x}, {name: y, args: {a: 1}, match: {a: txt}}]
    checks: {trajectry: {at_least: 2}}
"""
    said = [str(fault) for fault in faults_of(text)]
    assert any("expected_calls[0].nmae: unknown key" in fault for fault in said)
    assert any("expected_calls[1].match.a: 'txt' is no matcher" in fault for fault in said)
    assert any("checks.trajectry.at_least: is 2" in fault for fault in said)
    assert any("there is no check 'trajectry', did you mean trajectory?" in fault for fault in said)


@pytest.mark.parametrize(
    "stated", ["forbidden_calls: [[{}]]", "expected_calls: [[[{}]]]", "expected_calls: [[[1]]]"]
)
def test_a_group_where_none_can_be_is_a_fault(faults_of, stated):
    (fault,) = faults_of(f"cases: [{{id: a, {stated}}}]")
    assert "_calls[0]" in str(fault)


CASE = "cases:\n- id: a\n  "
A_CASE_KEY = "is a key of a case, not of the suite; put it into a case, indented like its id"
NO_SUITE = "it is written as YAML, JSON or JSONL"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("s.yaml", "cases:\n\t- id: a", ["2: not YAML: found character that cannot start any token; indent with spaces, not with tabs"]),
        ("s.yaml", CASE + "input: @bob, hi", ["3: not YAML: found character that cannot start any token; a text that begins with @, ` or % is written in quotes"]),
        ("s.yaml", CASE + "input: *bold* words", ["3: not YAML: did not find expected alphabetic or numeric character; a text that begins with * or & is written in quotes"]),
        ("s.yaml", CASE + 'input: "it is" so', ["3: not YAML: did not find expected key (in what begins on line 2); the keys of a mapping are indented alike, and a text with quotes or signs in it is written in quotes"]),
        ("s.yaml", "cases:\n- id: a\ninput: hi", ["3: $.input: " + A_CASE_KEY]),
        ("s.yaml", "id: a\nturns: [hi]", ["1: $.id: " + A_CASE_KEY, "1: $: has no cases", "2: $.turns: " + A_CASE_KEY]),
        ("s.yaml", "tests: []", ["1: $.tests: unknown key, did you mean cases?", "1: $: has no cases"]),
        ("s.yaml", CASE + "expected_calls: [{tool: pay}]", ["3: $.cases[0].expected_calls[0].tool: unknown key, did you mean name?", "3: $.cases[0].expected_calls[0]: needs a name"]),
        ("s.yaml", CASE + "response: {contains: x}", ["3: $.cases[0].response.contains: unknown key, did you mean includes?"]),
        ("s.yaml", CASE + "policies: ['a']", ["3: $.cases[0].policies[0]: needs a mapping, not 'a'"]),
        ("s.json", '{"id": "a"}\n{"id": "b"}', ["2: not JSON: unexpected { after the value; one value a line is JSONL, in a file called .jsonl"]),
        ("s.json", '{"a": True}', ["1: not JSON: unexpected True, in JSON it is true"]),
        ("s.json", "{'a': 1}", ["1: not JSON: text is in double quotes, not \"'a': 1}\""]),
        ("s.jsonl", '{\n "id": "a"\n}', ["1: one JSON value over several lines, not one a line; call the file .json"]),
        ("s.csv", "id,input\na,hi", ["1: $: a suite is a mapping with cases, or a list of cases, not 'id,input a,hi'; " + NO_SUITE]),
    ],
)  # fmt: skip
def test_what_beginners_write_leads_to_what_to_do(faults_of, name, text, said):
    assert faults_of(text, name) == [f"{name}:{line}" for line in said]
