"""How messages say lists."""

import pytest

from passhat.wording import joined, nearest_or_all


@pytest.mark.parametrize(
    ("word", "known", "told"),
    [
        ("txt", ["text", "number"], "did you mean text?"),
        ("zzz", ["text", "number"], "there are text, number"),
        (7, iter(["text"]), "there are text"),
        ("a", [], "there are none"),
    ],
)
def test_an_unknown_word_gets_the_nearest_or_all(word, known, told):
    assert nearest_or_all(word, known) == told


def test_many_parts_are_the_first_and_a_count():
    assert joined([]) == ""
    assert joined(["a", "b", "c"]) == "a, b, c"
    assert joined(["a", "b", "c", "d"], 2, by="; ") == "a; b and 2 more"
