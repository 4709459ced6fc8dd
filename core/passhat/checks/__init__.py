"""The catalogue of checks: one file per question, one small class per check.

What they have in common:

- A check that says what must be there (`trajectory`, `response_includes`) fails a run that did
  nothing.
- A check that says what must not happen (`forbidden_calls`, `loops`, `error_rate`) passes a run
  in which it did not happen, provided that the run did something: answered, or called a tool.
- A check that judges each of something (`schema_valid`, `argument_accuracy`, `precedence`) is not
  evaluated where there is none of it.

Evidence is JSON: calls are named by their index in the trajectory and their tool, and a check that
contributes to a pooled rate gives its numerator and denominator as `hits` and `of`.

Options are fields; where the case says the same thing, the option has precedence. The classes are
imported when a case asks for them: `passhat.grading.build_check`.
"""
