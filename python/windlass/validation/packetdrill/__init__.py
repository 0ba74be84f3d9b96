"""Scripts of packetdrill, the tests that Linux's TCP is held to, played against an endpoint of Windlass.

The scripts are Google's, in the repository google/packetdrill, ``gtests/net/tcp``; none of them is here.

The parts: :mod:`~windlass.validation.packetdrill.language` has what a script consists of,
:mod:`~windlass.validation.packetdrill.reading` reads it, :mod:`~windlass.validation.packetdrill.shell` says what its
commands set, :mod:`~windlass.validation.packetdrill.setup` which endpoint it wants,
:mod:`~windlass.validation.packetdrill.assertions` checks its assertions, and
:mod:`~windlass.validation.packetdrill.player` plays it.
"""

from windlass.validation.packetdrill.running import Outcome, find, play_all, play_file, to_dict

__all__ = ["Outcome", "find", "play_all", "play_file", "to_dict"]
