"""Run the stored reference, write the chapter of ``docs/validation.md`` and the record of what agrees."""

import sys

from windlass.validation.chapters import write_chapter
from windlass.validation.linux import compare, read, stored
from windlass.validation.linux.pages import HEAD, chapter
from windlass.validation.linux.record import FILE, agreement, write_record


def main() -> int:
    """Returns 0; what differs stands in what was written."""
    done = compare(read(stored()))
    write_chapter(HEAD, chapter(done))
    write_record(agreement(done), FILE)
    sys.stderr.write(f"{done.agreeing} of {done.run} agree\n")
    return 0


sys.exit(main())
