"""Scenarios: from a file, from a dict, or built in Python. All three end in the same description.

The engine reads and checks every description itself, so a unit, a default or a rule is written down in one place only
and nothing is possible in a file that is not possible here, or the other way round. The builders (:class:`Scenario`,
:class:`Dumbbell`, :class:`ThreeRouters`, :class:`Wlan`, :class:`Chain`, :class:`Cellular`, :class:`Graph`,
:class:`Link`, :class:`Flow`) are dataclasses whose fields are the keys of the file.
"""

from windlass.scenario.builders import Cellular, Chain, Dumbbell, Flow, Graph, Link, ThreeRouters, Value, Wlan
from windlass.scenario.description import Scenario, from_dict
from windlass.scenario.files import load, read_text, ready_scenarios
from windlass.scenario.point import FlowEnds, Point

__all__ = [
    "Cellular",
    "Chain",
    "Dumbbell",
    "Flow",
    "FlowEnds",
    "Graph",
    "Link",
    "Point",
    "Scenario",
    "ThreeRouters",
    "Value",
    "Wlan",
    "from_dict",
    "load",
    "read_text",
    "ready_scenarios",
]
