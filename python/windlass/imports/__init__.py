"""Measurements of a real path become a description that can be run: captures, iperf3, Flent, ping, ss, CSV.

>>> import windlass
>>> windlass.import_path("upload.pcap").write("upload.toml")  # doctest: +SKIP
"""

from windlass.imports.assembly import RATES, import_path
from windlass.imports.kinds import KINDS
from windlass.imports.model import Candidate, Estimate, ImportedPath, JitterFit, LossFit

__all__ = ["KINDS", "RATES", "Candidate", "Estimate", "ImportedPath", "JitterFit", "LossFit", "import_path"]
