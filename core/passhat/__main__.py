"""`python -m passhat`, where the command is not on the path."""

from passhat.cli import main

main()
