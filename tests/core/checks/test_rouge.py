"""ROUGE-1 and the stemmer under it."""

import importlib.util
import json
import random

import pytest

from passhat.case import Case
from passhat.checks.porter import stem
from passhat.checks.rouge import ascii_words, unicode_words

VARIANTS = {
    "whitespace": {"tokens": "whitespace", "stem": False},
    "rouge_score_stem_False": {"tokens": "ascii", "stem": False},
    "rouge_score_stem_True": {"tokens": "ascii", "stem": True},
    "adk_2.13_response_match_score": {"tokens": "unicode", "stem": True},
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_scores_are_those_computed_elsewhere(shared, run, judge, variant):
    for row in json.loads((shared / "vectors/stats/rouge1.json").read_text(encoding="utf-8")):
        case = Case("c", response={"equals": row["ref"]})
        result = judge("rouge1", run(says=row["hyp"]), case, **VARIANTS[variant])
        for name in ("precision", "recall", "f1"):
            assert result.evidence[name] == pytest.approx(row[variant][name], abs=1e-9)


def test_where_the_reference_comes_from_and_which_score_counts(run, judge):
    trace = run(says="the cat sat")
    case = Case("c", reference="the cat sat down", response={"equals": "the dog"})
    assert judge("rouge1", trace, case).evidence["reference_words"] == 2
    assert (
        judge("rouge1", trace, Case("c", reference="the cat sat down"), score="recall").score
        == 0.75
    )
    assert judge("rouge1", trace, case, reference="the cat sat").status == "passed"
    assert judge("rouge1", trace, Case("c", reference={"a": 1})).status == "not_evaluated"
    silent = judge("rouge1", run(says=None), case)
    assert (silent.status, silent.score) == ("failed", 0.0)


def test_words_of_scripts_without_spaces():
    assert unicode_words("ＡＢＣ 東京 สวัสดี") == ["abc", "東", "京", "ส", "วั", "ส", "ดี"]
    assert ascii_words("naïve 49.90") == ["na", "ve", "49", "90"]


@pytest.mark.parametrize(
    ("word", "stemmed"),
    [
        ("caresses", "caress"), ("ponies", "poni"), ("ties", "tie"), ("agreed", "agre"),
        ("feed", "feed"), ("plastered", "plaster"), ("motoring", "motor"), ("sing", "sing"),
        ("hopping", "hop"), ("falling", "fall"), ("filing", "file"), ("happy", "happi"),
        ("relational", "relat"), ("conditional", "condit"), ("vietnamization", "vietnam"),
        ("triplicate", "triplic"), ("hopefulness", "hope"), ("replacement", "replac"),
        ("adoption", "adopt"), ("probate", "probat"), ("controlling", "control"), ("enjoy", "enjoy"),
        ("dying", "die"), ("news", "news"), ("geologist", "geologist"), ("geologies", "geolog"),
    ],
)  # fmt: skip
def test_stems_of_the_paper_and_of_the_amendments(word, stemmed):
    assert stem(word) == stemmed


@pytest.mark.skipif(importlib.util.find_spec("nltk") is None, reason="nltk comes with passhat[adk]")
def test_stems_are_those_of_another_implementation():
    from nltk.stem.porter import PorterStemmer

    other = PorterStemmer()
    endings = [
        "s",
        "es",
        "ies",
        "ed",
        "ied",
        "ing",
        "eed",
        "y",
        "ational",
        "tional",
        "enci",
        "izer",
        "bli",
        "alli",
        "entli",
        "eli",
        "ousli",
        "ization",
        "alism",
        "iveness",
        "fulness",
        "aliti",
        "biliti",
        "fulli",
        "logi",
        "icate",
        "ative",
        "iciti",
        "ful",
        "al",
        "ance",
        "able",
        "ement",
        "ion",
        "ize",
        "e",
        "ll",
    ]
    dice = random.Random(7)
    for _ in range(20_000):
        word = "".join(dice.choice("aeiouybcdlstz") for _ in range(dice.randint(1, 6)))
        word += dice.choice(endings) + dice.choice(["", dice.choice(endings)])
        assert stem(word) == other.stem(word), word
