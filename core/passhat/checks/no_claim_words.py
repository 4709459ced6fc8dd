"""English words that keep a sentence from being a claim: doubts, wishes, reports, what others did."""

from __future__ import annotations

import re

NEGATED = re.compile(
    r"\b(?:not|never|no|nobody|nor|neither|none|cannot|unable|without|failed|nothing|hasn't|haven't|wasn't|"
    r"weren't|isn't|aren't|didn't|couldn't|can't|won't)\b"
)
"""What says that it was not done."""

_NO_DAY = (
    r"(?! (?:\d|mon|tues|wednes|thurs|fri|satur|sun|jan|feb|mar|apr|may\b|jun|jul|aug|sep|oct|nov|dec|"
    r"tomorrow|tonight|noon|midnight|next|further|the end))"
)

OPEN = re.compile(
    rf"\b(?:if|once|when|whenever|unless|(?:until|till){_NO_DAY}|whether|should|would|could|can|may(?! \d)|might|must|"
    r"as soon as|in case|assuming|provided|before|after|will(?! have been)|shall|to be|needs? (?:you |me )?to|"
    r"want|like|let me|please|wait|ensure|make sure|how|why)\b"
)
"""What leaves open whether it was done: conditions, wishes, the future."""

TOLD = re.compile(
    r"\b(?:since|because|although|though|while|which|who|whose|where|previously|originally|"
    r"initially|currently|automatically|recently|reportedly|normally|usually|typically|generally|"
    r"earlier|yesterday|ago|at the time|according to|it (?:appears|seems|looks)|"
    r"(?:i|we) (?:can )?(?:see|understand|notice|noticed|note)|shows?|showing|indicates?|says|states|"
    r"mentioned|you(?:'ve| have| had)? (?!been)\w+ed|had been|not been|that (?:has|have|was|were)|(?:ones?|items?|amount|price|fee) you(?:'ve| have) been)\b"
)
"""What tells of how things are, or were before, rather than of what the agent did."""

FOUND = re.compile(
    r"\b(?:(?:i|we) (?:can )?(?:see|notice)|it (?:appears|seems|looks)|shows?|indicates?|yesterday|"
    r"ago|previously|originally|last (?:night|week|month|year)|in (?:19|20)\d\d)\b"
)
"""What tells that a sentence begins with what was found: `I see that it was changed last night`."""

JOINED = re.compile(r"[,;]|\band\b")
"""What goes on with that: `and a device has been added`."""

TOLD_BEFORE = re.compile(
    r"\b(?:sorry|pity|apologi[sz]e|afraid|regret|i (?:don't|do not) (?:think|believe)|i doubt|"
    r"perhaps|maybe|possibl[ey]|probably|apparently|presumably|supposedly|supposing|suppose|imagine|"
    r"say i|had i|example|sample|draft|template|dear \w+|wrong(?:ly)?|mistaken(?:ly)?|by mistake|"
    r"according to|you (?:said|wrote|told|replied|claimed)|(?:reports?(?!\W+(?:has|have|is|are|was|were)\b)|reported|says|said|states|"
    r"stated|reads)\b|what happens next|options are|steps? (?:are|is)|there (?:are|is)|\d+ of|"
    r"i (?:understand|see|hear|heard|read)|(?:other|previous|another) (?:agent|guests?|customers?))\b"
)
"""What makes all that follows it in a sentence the word of somebody else, or no fact."""

NOT_OURS = re.compile(
    r"^[^.;:]*?(?:\bautomatically|\bupstream|\bin version\b|\b(?:due to|because of) (?:\w+ )?(?:weather|storms?|strikes?|maintenance|snow|demand)|"
    r"\b(?:last|this past) (?:week|month|year|night)\b|\brecently\b|\bsince you\b|\bother guests\b|"
    r"\baccording to\b|\byears? ago\b|\bby mistake\b|"
    r"\bas (?:the|your|our) [^.;]{0,40}?\b(?:shows?|indicates?|says?|states?|tells?)\b|"
    r"\bas you (?:did|wrote|said|say|told|mentioned)\b|\bon your (?:end|side|own)\b)"
)
"""What after a verb tells that the agent did not do it now."""

THINKING = re.compile(
    r"^\W*(?:nothing|none|no)\b|^\W*(?:(?:the|a|an|your|my|our|this|another|up|on|to|of|in|over|both|all|some|any|three|two|"
    r"next|following|final|first|initial|original|previous|total|full|more|quick|web|another)\s+)*"
    r"(?:math|maths|search|searches|analysis|calculations?|computation|mind|results?|quer(?:y|ies)|"
    r"question|answer|answers|estimate|costs|judge?ment|ideas?|options?|choices|thoughts|research|"
    r"numbers|figures|steps?|page|homework|reasoning|comparison|total|terms|thinking|list|flour|"
    r"input|criteria|filters?|formula|logic|constraints?|assumption|assumptions|approach|plan of|interpretation)\b"
)
"""What an agent does in its head or its words, and with no tool that changes something."""

FOUND_OUT = re.compile(
    r"^\W*(?:(?:the|your|our|all|full|whole|unit|a|an|some|some of the)\s+)*(?:tests?|test suite|suite|"
    r"checks?|diagnostics?|linter|scan|speed test|quer(?:y|ies)|search(?:es)?|numbers|benchmarks?)\b"
)
"""What after `ran` finds something out, and changes nothing."""

RAISED = re.compile(
    r"\b(?:exceptions?|errors?|warnings?|flags?|concerns?|doubts?|questions?)\b[^.;]*$"
)
"""What was raised by no deed, before the verb: `the exception is raised`."""

SOLD_OUT = re.compile(
    r"\b(?:fully|completely|totally|entirely|heavily|double|over)[- ]booked\b|\bbooked (?:up|solid|out)\b"
)
"""What tells that nothing is free: `the hotel is fully booked`."""

FINISHED_TELLING = re.compile(
    r"^\s*(?:(?:that|this|it|them|things|everything|all|these|those)\s+)?up\b"
)
"""What after `added` or `cleared` tells of words: `added up the prices`, `cleared that up`."""

SAID_OF_SELF = re.compile(
    r"^\s*(?:sure|a mistake|an error|a typo|it|up|sense|out|progress|together|forward|myself)\b"
)
"""What after `made` or `put` tells of nothing that was done."""

OURS = re.compile(r"^\s*(?:our|my)\b|^\s*(?:a|an) new (?:store|shop|office|policy)\b")
"""What after a verb tells of how the house does things: `we have changed our policy`."""

OTHERS = re.compile(
    r"^(?:[^.;,]{0,60}?\s|\W*)(?<!caused )(?<!affected )(?<!covered )(?<!followed )by (?!(?:me|us|e-?mail|mail|phone|text|sms|post|courier|card|credit|"
    r"bank|wire|cheque|check|then|tomorrow|now|today|tonight|next|default|far|one|two|(?:mon|tues|"
    r"wednes|thurs|fri|satur|sun)day|an?(?: [\w-]+)? (?:night|day|week|month|year|hour|minute|few|couple|"
    r"factor|third|quarter|half|transfer|link|mail|email|text|message|call|card|cheque|check)s?|\w+ing|"
    r"end|the (?:end|time)|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|"
    r"aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b|\W*\d|[$€£])\w"
)
"""Who else did it, after the verb."""

TEXTUAL = re.compile(
    r"^\W*(?:(?!(?:to|in|into|onto)\b)\w+\s+){0,4}?(?:plan|itinerary|list|summary|draft|table|outline|poem|story|essay|code|"
    r"script|function|example|examples|suggestions?|options?|recommendations?|ideas?|paragraph|"
    r"section|sentence|document|below|above|answer|explanation|version|report|review)\b"
)
"""What may stand in the message itself, after the verb: `I have created a plan for you`."""

PLACED = re.compile(
    r"\b(?:in|into|to|on) your (?:[\w-]+ ){0,2}?(?:mailbox|inbox|drafts?|folder|calendar|drive|"
    r"account|workspace|repo|repository|project|profile|cart|list|board|notebook|library)\b"
    r"|\b(?:in|into|to|as|at) [\w-]*[./][\w./-]*\w"
)
"""Where it is put that stands in no message: `I have created a draft in your mailbox`."""

CONDITIONAL = re.compile(
    r"^\W*(?:if|once|when|whenever|unless|until|as soon as|as long as|should|provided|assuming|"
    r"supposing|in case|in the event)\b"
)
"""How a sentence begins that is open as a whole."""
