"""Lets `python -m passhat.cli` stand for `passhat`."""

from passhat.cli import main

main()
