"""``python -m windlass`` is the command ``windlass``."""

from windlass.cli import main

main(prog_name="windlass")
