"""A Windlass description as an ns-2 script.

Only what ns-2's own agents can do under the same rules is written; everything else is refused with the name of the key.
The script uses commands that ns-2's manual documents. Start times are given, so that both simulators start alike;
losses and clock offsets come from ns-2's own random numbers.
"""

from windlass.validation.tcl.checks import check
from windlass.validation.tcl.flows import FlowStart, flow_starts
from windlass.validation.tcl.results import RESULT, RESULT_COLUMNS
from windlass.validation.tcl.words import quantity
from windlass.validation.tcl.writing import script

__all__ = ["RESULT", "RESULT_COLUMNS", "FlowStart", "check", "flow_starts", "quantity", "script"]
