"""Porter's stemmer: English words without their endings.

M. F. Porter, "An algorithm for suffix stripping", Program 14 (1980) 130-137, with the later
amendments that are in common use (the rules marked below, and a few irregular forms), so that
scores agree with those of other implementations of ROUGE.

A word is written [C](VC){m}[V], where C and V are runs of consonants and of vowels; m is its
measure.
"""

from __future__ import annotations

from functools import lru_cache

_IRREGULAR = {
    form: stem
    for stem, forms in {
        "sky": "sky skies",
        "die": "dying",
        "lie": "lying",
        "tie": "tying",
        "news": "news",
        "inning": "innings inning",
        "outing": "outings outing",
        "canning": "cannings canning",
        "howe": "howe",
        "proceed": "proceed",
        "exceed": "exceed",
        "succeed": "succeed",
    }.items()
    for form in forms.split()
}

_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"),
    ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"),
    ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
    ("fulli", "ful"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""),
    ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The stem of a word in lower case; words of one or two letters are their own.

    >>> [stem(word) for word in ("refunded", "refunds", "originally", "policies", "sky")]
    ['refund', 'refund', 'origin', 'polici', 'sky']
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    return _step_5b(_step_5a(_step_4(_step_3(_step_2(_step_1c(_step_1b(_step_1a(word))))))))


def _is_consonant(word: str, at: int) -> bool:
    if word[at] in "aeiou":
        return False
    if word[at] != "y":
        return True
    # A y is a vowel after a consonant: count back over a run of them.
    run = at
    while run > 0 and word[run - 1] == "y":
        run -= 1
    first = run == 0 or word[run - 1] in "aeiou"
    return first == ((at - run) % 2 == 0)


def _kinds(word: str) -> str:
    return "".join("c" if _is_consonant(word, at) else "v" for at in range(len(word)))


def _measure(stem: str) -> int:
    return _kinds(stem).count("vc")


def _has_vowel(stem: str) -> bool:
    return "v" in _kinds(stem)


def _ends_double(word: str) -> bool:
    return len(word) >= 2 and word[-1] == word[-2] and _is_consonant(word, len(word) - 1)


def _ends_cvc(word: str) -> bool:
    """Whether it ends consonant, vowel, consonant (not w, x, y); or is vowel, consonant (amended)."""
    kinds = _kinds(word)
    return (kinds[-3:] == "cvc" and word[-1] not in "wxy") or kinds == "vc"


def _step_1a(word: str) -> str:
    if word.endswith("ies") and len(word) == 4:  # Amended: "dies" gives "die".
        return word[:-1]
    for ending, new in (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")):
        if word.endswith(ending):
            return word.removesuffix(ending) + new
    return word


def _step_1b(word: str) -> str:
    if word.endswith("ied"):  # Amended: "died" gives "die", "spied" gives "spi".
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending) and _has_vowel(word.removesuffix(ending)):
            base = word.removesuffix(ending)
            break
    else:
        return word
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if _ends_double(base):
        return base if base[-1] in "lsz" else base[:-1]
    return base + "e" if _measure(base) == 1 and _ends_cvc(base) else base


def _step_1c(word: str) -> str:
    # Amended: y becomes i after a consonant that does not begin the word ("happi", but "by", "say").
    if word.endswith("y") and len(word) > 2 and _is_consonant(word, len(word) - 2):
        return word[:-1] + "i"
    return word


def _step_2(word: str) -> str:
    # Amended: "alli" goes first and what is left is looked at again; "bli", "fulli", "logi".
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _step_2(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replaced(word, _STEP_2)


def _step_3(word: str) -> str:
    return _replaced(word, _STEP_3)


def _replaced(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    """The word with the first ending that it has replaced, if its stem has a measure."""
    for ending, new in rules:
        if word.endswith(ending):
            base = word.removesuffix(ending)
            return base + new if _measure(base) > 0 else word
    return word


def _step_4(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            base = word.removesuffix(ending)
            fits = _measure(base) > 1 and (ending != "ion" or base.endswith(("s", "t")))
            return base if fits else word
    return word


def _step_5a(word: str) -> str:
    if word.endswith("e"):
        base = word[:-1]
        measure = _measure(base)
        if measure > 1 or (measure == 1 and not _ends_cvc(base)):
            return base
    return word


def _step_5b(word: str) -> str:
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
