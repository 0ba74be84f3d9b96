"""Run every stored point and every case, and write ``docs/validation.md``."""

import sys

from windlass.validation.pages import main

sys.exit(main())
