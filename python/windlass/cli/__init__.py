"""The command `windlass`. Results go to stdout, progress and errors to stderr.

Exit codes: 0 done, 1 a claim or check failed where asked to judge, 2 the input is wrong, 3 Windlass itself is broken,
130 stopped by Ctrl-C.
Each module has the commands of its name and what only they print. Everything heavy is imported inside the commands, so
that help appears at once.
"""

from windlass.cli import (  # noqa: F401
    compare,
    completion,
    describe,
    export,
    import_,
    lists,
    new_cc,
    plot,
    replay,
    reproduce,
    run,
    serve,
    shard,
    store,
    sweep,
    validate,
)
from windlass.cli.group import main

__all__ = ["main"]
