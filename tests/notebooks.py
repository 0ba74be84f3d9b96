"""Execute percent scripts as notebooks in a real kernel, and look at what it shows: `make notebooks`.

Fails unless each cell that ends with a value shows a picture or a table with units, and each sweep how far it is, with
no `%matplotlib` and nothing else to set up. The notebooks stay in `target/notebooks`, with what they show.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

OUT = Path("target/notebooks")


def notebook_of(text: str) -> Any:
    """The cells of a percent script."""
    made = nbformat.v4.new_notebook()
    for kind, body in re.findall(r"^# %%( \[markdown\])?\n(.*?)(?=^# %%|\Z)", text, re.MULTILINE | re.DOTALL):
        if kind:
            made.cells.append(nbformat.v4.new_markdown_cell(re.sub(r"^# ?", "", body, flags=re.MULTILINE)))
        else:
            made.cells.append(nbformat.v4.new_code_cell(body.strip()))
    return made


def wrong_in(cell: Any) -> str | None:
    """What a cell should have shown and did not."""
    kinds = [kind for output in cell.outputs for kind in output.get("data", {})]
    texts = [str(output.get("data", {}).get("text/html", "")) for output in cell.outputs]
    last = cell.source.rstrip().splitlines()[-1]
    if re.fullmatch(r"\w+", last) and not ({"image/png"} & set(kinds) or any("<table>" in text for text in texts)):
        return f"`{last}` shows neither a picture nor a table: {kinds}"
    makes_runs = re.search(r"windlass\.(sweep|compare)\(|reproduce\.main\(", cell.source)
    if makes_runs and not any(re.search(r": (\d+) of \1 runs", text) for text in texts):
        return f"no progress: {texts}"
    return None


def main() -> int:
    """Execute the files named on the command line."""
    OUT.mkdir(parents=True, exist_ok=True)
    failures = 0
    for name in sys.argv[1:]:
        notebook = notebook_of(Path(name).read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            NotebookClient(notebook, timeout=600, resources={"metadata": {"path": folder}}).execute()
        nbformat.write(notebook, OUT / f"{Path(name).stem}.ipynb")
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        wrong = [found for cell in cells if (found := wrong_in(cell)) is not None]
        pictures = sum("image/png" in output.get("data", {}) for cell in cells for output in cell.outputs)
        print(f"{name}: {len(cells)} cells, {pictures} pictures" + "".join(f"\n    {text}" for text in wrong))
        failures += len(wrong)
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
