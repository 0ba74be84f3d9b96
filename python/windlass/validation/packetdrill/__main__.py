"""Play the scripts of packetdrill below a folder, and write the chapter of ``docs/validation.md`` about them."""

import sys
from pathlib import Path

from windlass.validation.chapters import write_chapter
from windlass.validation.packetdrill import find, play_all
from windlass.validation.packetdrill.pages import FOLDERS, HEAD, chapter


def main() -> int:
    """The folder that the command line names is ``gtests/net/tcp`` of google/packetdrill."""
    if len(sys.argv) != 2:
        sys.stderr.write("usage: python -m windlass.validation.packetdrill DIR\n")
        return 2
    folder = Path(sys.argv[1])
    outcomes = play_all(find([folder / name for name in FOLDERS]))
    write_chapter(HEAD, chapter(outcomes, folder))
    return 0


sys.exit(main())
