"""Files are replaced as a whole or not at all, and say why they cannot be read."""

import io
import sys

import pytest

from passhat.errors import InputError, UsageError
from passhat.jsontext import head_of, opened, read_bytes, replacing


def test_a_file_is_replaced_once_all_is_written(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with replacing(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_stays_as_it_was_where_writing_fails(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"old")

    def write_half():
        with replacing(path) as file:
            file.write(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_half()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_standard_output_is_written_to(monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    monkeypatch.setattr(sys, "stdout", out)
    with replacing("-") as file:
        file.write(b"line\n")
    assert out.buffer.getvalue() == b"line\n"


def test_a_target_that_cannot_be_written_is_named(tmp_path):
    with (
        pytest.raises(UsageError, match="nowhere/f: cannot be written"),
        replacing(tmp_path / "nowhere" / "f"),
    ):
        pass


def test_standard_input_is_read_again_and_again(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"abc"), "utf-8"))
    assert head_of("-", 2) == b"ab"
    assert read_bytes("-") == read_bytes("-") == b"abc"


@pytest.mark.parametrize("name", ["nowhere", "."])
def test_what_cannot_be_opened_is_named(name, tmp_path):
    with pytest.raises(InputError, match="cannot be read"), opened(tmp_path / name):
        pass
