"""What a person wrote into a suite file that is no field of it."""

from __future__ import annotations

from pathlib import Path

from passhat.jsontext import read_bytes

_MOST = 5


def remarks_on(path: str) -> tuple[str, ...]:
    r"""What to say of the comments of a YAML file, which no form takes along; nothing if it has none.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "s.yaml"
    ...     _ = path.write_text("# Mine\nname: 'a # b'  # yours\n")
    ...     remarks_on(str(path))
    ('2 comments stay behind (lines 1, 2)',)
    """
    if Path(path).suffix.lower() not in (".yaml", ".yml"):
        return ()
    import yaml

    text = read_bytes(path).decode("utf-8-sig", "replace")
    masked = list(text)
    try:
        for token in yaml.scan(text):
            if isinstance(token, yaml.ScalarToken):
                for at in range(token.start_mark.index, token.end_mark.index):
                    masked[at] = "\n" if masked[at] == "\n" else "x"
    except yaml.YAMLError:
        return ()
    lines = [
        number
        for number, line in enumerate("".join(masked).split("\n"), 1)
        if line.lstrip().startswith("#") or " #" in line or "\t#" in line
    ]
    if not lines:
        return ()
    shown = ", ".join(map(str, lines[:_MOST])) + (", ..." if len(lines) > _MOST else "")
    if len(lines) == 1:
        return (f"1 comment stays behind (line {shown})",)
    return (f"{len(lines)} comments stay behind (lines {shown})",)
