"""The page in a real browser: nothing planted runs, axe finds nothing, the keyboard is enough."""

import json
import shutil

import pytest
from msgspec.structs import replace

from passhat.compare import compare_results
from passhat.demo import SUITE, TRACES
from passhat.errors import TraceError
from passhat.gate import decide
from passhat.reliability import Results
from passhat.report import html_report
from passhat.result import CheckResult, Failure, TimelineStep, Trial
from passhat.scoring import score
from passhat.trace import Usage

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to open pages with")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PAYLOADS = (
    "<script>window.PWNED=1</script>",
    "</script><script>window.PWNED=1</script>",
    "</style><script>window.PWNED=1</script><style>*{display:none}</style>",
    '"><img src=x onerror="window.PWNED=1">',
    "' onmouseover='window.PWNED=1' autofocus onfocus='window.PWNED=1",
    '<svg onload="window.PWNED=1"><script>window.PWNED=1</script><animate onbegin="window.PWNED=1"/></svg>',
    '<a href="javascript:window.PWNED=1">javascript:window.PWNED=1</a>',
    "javascript:window.PWNED=1",
    '<iframe srcdoc="<script>parent.PWNED=1</script>"></iframe>',
    '<details open ontoggle="window.PWNED=1"><summary>x</summary></details>',
    '<base href="http://127.0.0.1:9/"><link rel=stylesheet href="http://127.0.0.1:9/x.css">',
    '<meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/">',
    "}*{background:url(http://127.0.0.1:9/x.png)}body{display:none}",
    "]]>--><!--<math><mtext></form><form><mglyph><style></math><img src onerror=window.PWNED=1>",
    "&lt;script&gt;window.PWNED=1&lt;/script&gt;",
    "{{ self.__init__.__globals__ }}{% raw %}${window.PWNED=1}$x^{2}$",
    "\u202eevil\u2066\x00\x1b[2J\ud800\U000e0041\u200f\nnext",
    "=cmd|' /C calc'!A0 | `x` | <b>",
)


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def opened(browser, tmp_path):
    """A function that opens a page, and gives it with what it asked for and said."""
    contexts = []

    def open_page(html, **options):
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8", errors="replace")
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.told = []
        page.on("console", lambda message: page.told.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: page.told.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (page.told.append("dialog"), dialog.dismiss()))
        page.on("popup", lambda _: page.told.append("popup"))
        page.on("request", lambda request: page.told.append(request.url))
        page.goto(path.as_uri())
        assert page.told.pop(0) == path.as_uri()
        return page

    yield open_page
    for context in contexts:
        context.close()


def planted(payload: str, number: int) -> Results:
    """Results with a payload in every field that holds a text."""
    p = payload
    evidence = {
        "mode": p,
        "matched": [p],
        "missing": [p, "b"],
        "extra": [f"{p}2", "c"],
        "near": [{"tool": p, "arg": p, "expected": p, "actual": p}],
        "alignment": f"  expected  actual\n= {p}  {p}\n≠ {p}\n          {p}\n    {p}\n- {p}\n+ {p}\n{p}",
        "missed": [{"path": p, "expected": {p: p}, "actual": p}],
        "unexpected": [{"path": p, "kind": p, "before": p, "after": [p]}],
        "calls": [{"index": 1, "name": p}],
        "expected": p,
        "actual": f"{p}!",
        p: p,
    }
    steps = tuple(
        TimelineStep(kind, 0, p, p, result=result, error=error, index=index, at=1.5)
        for kind, result, error, index in (
            ("message", None, None, None),
            ("call", p, None, 0),
            ("call", None, p, 1),
            ("state", None, None, None),
            ("node", None, p, None),
            ("interrupt", p, None, None),
            ("left_out", None, None, None),
        )
    )
    keys = ("trajectory", "final_state", "forbidden_calls", "route", p)
    trials = []
    for at, status in enumerate(
        ("failed", "agent_error", "passed", "not_evaluated", "check_error")
    ):
        verdict = "passed" if status == "passed" else "failed"
        trials.append(
            Trial(
                f"{p} {number}",
                at,
                f"{p}{at}",
                status,
                tuple(CheckResult(key, verdict, 0.0, p, evidence) for key in keys),
                p,
                Usage(1, 1, cost=0.5, currency=p),
                2.0,
                {"tool_calls": 2.0, p: 1.0},
                (p, "tag"),
                {p: p, "suite": p},
                (p, "policy_violation", None, None, None)[at],
                Failure(p, p, p, (p,), p),
                steps,
            )
        )
    return Results(
        tuple(trials),
        unread=(TraceError(p),),
        about={"source": p, "format": p, "judged_by": p},
    )


def all_planted(shared: str) -> Results:
    """Results with every payload in every field, and one in those that all trials share."""
    parts = [planted(payload, number) for number, payload in enumerate(PAYLOADS)]
    return Results(
        tuple(replace(trial, pins={shared: shared}) for part in parts for trial in part),
        unread=tuple(error for part in parts for error in part.unread),
        about=dict.fromkeys(("source", "format", "judged_by"), shared),
    )


STIR = """() => {
  for (const node of document.querySelectorAll("*"))
    for (const kind of ["mouseover", "mouseenter", "focus", "toggle", "load", "error", "animationstart", "begin"])
      node.dispatchEvent(new Event(kind, {bubbles: true}));
}"""
LOOK = """() => ({
  pwned: typeof window.PWNED !== "undefined",
  tags: [...new Set([...document.querySelectorAll("*")].map((node) => node.localName))],
  scripts: document.scripts.length,
  styles: document.querySelectorAll("style").length,
  attributes: [...new Set([...document.querySelectorAll("*")].flatMap((node) => node.getAttributeNames()))],
  links: [...document.querySelectorAll("[href], [src], [action]")].map(
    (node) => node.getAttribute("href") ?? node.getAttribute("src") ?? node.getAttribute("action")),
  text: document.body.textContent,
  display: getComputedStyle(document.body).display,
})"""
MAY = {
    "html", "head", "meta", "title", "style", "body", "a", "header", "span", "h1", "h2", "h3", "h4", "p", "dl",
    "div", "dt", "dd", "nav", "ul", "li", "main", "section", "b", "figure", "figcaption", "svg", "g", "path",
    "text", "rect", "use", "defs", "clippath", "clipPath", "table", "caption", "thead", "tbody", "tr", "th", "td",
    "form", "label", "input", "select", "option", "button", "i", "details", "summary", "ol", "footer", "script",
}  # fmt: skip


@pytest.mark.parametrize("shared", [PAYLOADS[at] for at in (1, 2, 5, 13, 16)])
def test_nothing_that_was_planted_runs(opened, shared):
    results = all_planted(shared)
    policy = {"hard": ["forbidden_calls", "route"]}
    decision = decide(results, policy, results, names=(shared, shared))
    comparison = compare_results(results, results, names=(shared, shared))
    page = opened(html_report(results, title=shared, decision=decision, comparison=comparison))
    page.evaluate(STIR)
    page.click("#open-all")
    for link in page.locator("td.cells a").all()[:3]:
        link.click()
    page.fill("#filter-text", shared.replace("\ud800", ""))
    page.select_option("#filter-level", "critical")
    page.wait_for_timeout(150)
    page.evaluate(STIR)
    seen = page.evaluate(LOOK)
    assert not seen["pwned"]
    assert page.told == []
    assert set(seen["tags"]) <= MAY
    assert (seen["scripts"], seen["styles"]) == (1, 1)
    assert not [name for name in seen["attributes"] if name.startswith(("on", "style", "src"))]
    assert all(link.startswith("#") for link in seen["links"])
    assert seen["display"] == "block"
    assert not set(seen["text"]) & set("\u202e\u2066\u200f\x00\x1b\U000e0041")


def test_what_was_planted_is_shown_as_it_is(opened):
    text = opened(html_report(all_planted(PAYLOADS[0]))).evaluate(LOOK)["text"]
    for payload in PAYLOADS:
        if payload.isprintable():
            assert payload in text


def test_the_detector_sees_what_does_run(opened):
    """Without escaping each of these would be told: the page above is judged by the same looks."""
    page = opened(f"<body>{PAYLOADS[3]}{PAYLOADS[0]}")
    page.wait_for_timeout(100)
    seen = page.evaluate(LOOK)
    assert seen["pwned"]
    assert "img" in seen["tags"]
    assert page.told


def test_the_pages_own_policy_stops_what_would_slip_through(opened):
    page = html_report(planted("x", 0)).replace("</main>", f"{PAYLOADS[0]}{PAYLOADS[3]}</main>")
    shown = opened(page)
    shown.wait_for_timeout(100)
    assert not shown.evaluate(LOOK)["pwned"]
    assert any("Content Security Policy" in told for told in shown.told)


@pytest.fixture(scope="module")
def shop():
    return html_report(score(TRACES, SUITE, timelines=True), title="Shop support")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_wrong(opened, shop, scheme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = opened(shop, color_scheme=scheme, viewport={"width": width, "height": 900})
    page.click("#open-all")
    found = axe.Axe().run(page).response
    told = [
        (item["id"], [node["target"] for node in item["nodes"]][:5], item["help"])
        for item in found["violations"]
    ]
    assert told == [], json.dumps(told, indent=1)
    assert len(found["passes"]) > 20
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, "the page scrolls sideways"


WIDE = """() => [...document.querySelectorAll("th, td, .badge, dd, summary, h1, h2")].filter((node) => {
  const box = node.getBoundingClientRect();
  const range = document.createRange();
  range.selectNodeContents(node);
  return box.width && range.getBoundingClientRect().right > box.right + 1;
}).map((node) => node.textContent)"""


@pytest.mark.parametrize("width", [1280, 1024, 640, 360])
def test_no_words_run_out_of_their_place(opened, width):
    name = "a_tool_whose_name_was_made_of_the_path_of_an_api_and_that_never_ends_v2_post"
    change = {"path": f"{name}[A1].status", "kind": "changed", "before": "x" * 80, "after": "y"}
    state = CheckResult.of("final_state", False, "no", unexpected=[change])
    table = f"  expected  actual\n- {name}()\n+           {name}(a=1)"
    calls = CheckResult.of("trajectory", False, "no", alignment=table, mode="exact")
    trials = [
        Trial(
            f"{name}/{case}", at, f"{case}/{at}", ("passed", "failed")[at % 2],
            (state, calls) if at % 2 else (), "no" if at % 2 else "", tags=(f"tag {case}", name),
            usage=Usage(cost=0.1 * at, input_tokens=10_000 * at), seconds=1.0 * at,
            failure_class="policy_violation" if at % 2 else None,
        )
        for case in range(4)
        for at in range(8)
    ]  # fmt: skip
    results = Results(tuple(trials))
    html = html_report(
        results, decision=decide(results), comparison=compare_results(results, results)
    )
    page = opened(html, viewport={"width": width, "height": 900})
    page.click("#open-all")
    assert page.evaluate(WIDE) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_results_without_evidence_are_accessible_too(opened):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    bare = Results(tuple(Trial(f"c{i % 3}", i, "", ("passed", "failed")[i % 2]) for i in range(12)))
    for results in (bare, Results((Trial("a", 0, "", "not_evaluated", reason="no state"),))):
        page = opened(html_report(results))
        assert axe.Axe().run(page).response["violations"] == []
        assert page.told == []


def counts(page, text):
    from playwright.sync_api import expect

    expect(page.locator("#count")).to_have_text(text)


def focused_on(element):
    from playwright.sync_api import expect

    expect(element).to_be_focused()


def test_the_keyboard_is_enough(opened, shop):
    page = opened(shop)
    focused = "document.activeElement.textContent.trim() || document.activeElement.id"
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "Skip to the report"
    assert page.locator(".skip").bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "filter-text"
    page.keyboard.type("A1038")
    counts(page, "2 of 12 failed runs and 1 of 12 cases shown")
    assert page.locator(".trial:visible").count() == 2
    page.keyboard.press("Escape")
    counts(page, "")
    assert page.locator(".trial:visible").count() == 12
    cell = page.locator("td.cells a").first
    cell.focus()
    page.keyboard.press("Enter")
    card = page.locator(".trial[open]")
    focused_on(card.locator("summary"))
    assert card.locator(".timeline li").count() == 5
    page.keyboard.press("Space")
    assert page.locator(".trial[open]").count() == 0


def test_filters_keep_what_fits(opened, shop):
    page = opened(shop)
    page.select_option("#filter-class", "wrong_tool")
    counts(page, "2 of 12 failed runs and 1 of 12 cases shown")
    page.select_option("#filter-class", "")
    page.select_option("#filter-tag", "questions")
    counts(page, "0 of 12 failed runs and 1 of 12 cases shown")
    page.evaluate("location.hash = 't3'")
    page.locator(".trial[open]").wait_for()
    counts(page, "")


def test_without_its_script_everything_is_there(opened, shop):
    page = opened(shop, java_script_enabled=False)
    assert page.locator(".trial").count() == 12
    assert page.locator("#case-rows tr:visible").count() == 12
    assert not page.locator("#filters").is_visible()


def test_it_is_one_file(shop):
    assert "http://" not in shop.replace("http://www.w3.org/", "")
    assert len(shop.encode()) < 2_000_000
