"""What README and guides show is run, loaded, compiled or at least parsed; what they list is complete."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import click
import made_captures
import pytest
from click.testing import CliRunner

import windlass
from windlass import docs, ledger, reproduce
from windlass.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "python" / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if ROOT / "docs" / "site" not in page.parents),
    *sorted((ROOT / "docs" / "site").rglob("*.md")),
]
FENCE = re.compile(r"(?:<!-- (?P<mark>[^\n]*?) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block with the mark in the comment before it."""

    page: Path
    language: str
    mark: str
    text: str

    def __str__(self) -> str:
        return f"{named(self.page)}: {self.mark or self.text.strip().splitlines()[0][:40]}"


def named(page: Path) -> str:
    return page.relative_to(ROOT).with_suffix("").as_posix()


def blocks(*languages: str) -> list[Block]:
    found = ((page, match) for page in PAGES for match in FENCE.finditer(page.read_text(encoding="utf-8")))
    every = [Block(page, match["language"], match["mark"] or "", match["text"]) for page, match in found]
    return [block for block in every if block.language in languages]


def scenarios() -> list[Block]:
    return [block for block in blocks("toml") if block.mark.startswith("scenario: ")]


def shortened(text: str) -> str:
    """A scenario of three seconds and two seeds."""
    text = re.sub(r'^duration = ".*"', 'duration = "3 s"', text, flags=re.MULTILINE)
    text = re.sub(r'^warmup = ".*"', 'warmup = "1 s"', text, flags=re.MULTILINE)
    text = re.sub(r'^start = "5 s"', 'start = "1 s"', text, flags=re.MULTILINE)
    return re.sub(r"^seeds = \d+", "seeds = 2", text, flags=re.MULTILINE)


@cache
def captured() -> bytes:
    """A capture for the commands that read one."""
    return made_captures.pcap(made_captures.transfer(packets=500, lost=made_captures.independent(0.02, 1)).sender)


def put_scenarios() -> None:
    for block in scenarios():
        Path(block.mark.removeprefix("scenario: ")).write_text(shortened(block.text), encoding="utf-8")
    for block in blocks("text"):
        if block.mark.startswith("data: "):
            Path(block.mark.removeprefix("data: ")).write_text(block.text, encoding="utf-8")
    Path("upload.pcap").write_bytes(captured())
    for block in blocks("python"):
        if block.mark.startswith("file: "):
            Path(block.mark.removeprefix("file: ")).write_text(block.text, encoding="utf-8")


def commands() -> list[tuple[Path, list[str]]]:
    lines = [(block, line) for block in blocks("sh") for line in block.text.replace("\\\n", " ").splitlines()]
    return [(block.page, shlex.split(line, comments=True)) for block, line in lines]


def one_liners() -> list[list[str]]:
    """The commands in the table of tasks."""
    page = (ROOT / "docs" / "guide" / "tasks.md").read_text(encoding="utf-8")
    rows = [line.split(" | ")[1] for line in page.splitlines() if line.startswith("| ") and "`windlass " in line]
    return [shlex.split(found) for row in rows for found in re.findall(r"`windlass ([a-z][^`]*)`", row)]


WINDLASS = [(page, words[1:]) for page, words in commands() if words[:1] == ["windlass"]]

NOT_RUN = {
    r"reproduce (?!.*--plan)": "a minute to hours; test_reproduce.py runs an experiment of its own",
    r"new-cc ": "writes into the source tree; a test below runs it in a copy of the crates",
    r"run .*\bgaimd\b": "of an algorithm that the reader has just written",
}
"""Commands of pages that are parsed and not run, and why."""


def why_not_run(words: list[str]) -> str | None:
    line = " ".join(words)
    return next((reason for pattern, reason in NOT_RUN.items() if re.match(pattern, line)), None)


def test_there_is_something_to_check() -> None:
    assert len(WINDLASS) > 15
    assert len(scenarios()) > 2
    for pattern in NOT_RUN:
        assert any(re.match(pattern, " ".join(words)) for _, words in WINDLASS), f"no page has `{pattern}` any more"


@pytest.mark.parametrize("block", blocks("toml"), ids=str)
def test_scenarios_load_and_run(block: Block) -> None:
    tomllib.loads(block.text)
    if block.mark:
        scenario = windlass.Scenario.from_toml(block.text)
        assert scenario.points()[0].effective()
        short = windlass.Scenario.from_toml(shortened(block.text)).points()[-1].run(1)
        assert sum(short.flows["delivered_bytes"].to_pylist()) > 0


@pytest.mark.parametrize(
    ("page", "words"), WINDLASS, ids=lambda given: " ".join(given) if isinstance(given, list) else named(given)
)
def test_commands_exist_and_take_these_options(page: Path, words: list[str]) -> None:
    if words == ["--help"]:
        return
    put_scenarios()
    command = main.commands[words[0]]
    context = command.make_context(words[0], list(words[1:]), parent=click.Context(main, info_name="windlass"))
    target = context.params.get("target")
    if target not in (None, reproduce.ALL):
        assert ledger.experiment(target) if "/" in target else ledger.load(target)


@pytest.mark.parametrize("words", one_liners(), ids=" ".join)
def test_tasks_have_commands(words: list[str]) -> None:
    put_scenarios()
    main.commands[words[0]].make_context(words[0], words[1:], parent=click.Context(main, info_name="windlass"))


def test_tasks_are_done_by_their_commands(work: Path) -> None:
    put_scenarios()
    for name, text in windlass.ready_scenarios().items():
        Path(name).write_text(shortened(text), encoding="utf-8")
    for words in one_liners():
        if why_not_run(words) or "--dask" in words:  # test_cluster.py has a cluster
            continue
        done = CliRunner().invoke(main, [*words, "--export", "served.html"] if words[0] == "serve" else words)
        assert done.exit_code == 0, f"{words}: {done.output}"
        for option in ("-o", "--data"):
            if option in words:
                assert (work / words[words.index(option) + 1]).stat().st_size > 100, words


@pytest.mark.parametrize("page", list(dict.fromkeys(page for page, _ in WINDLASS)), ids=named)
def test_commands_of_a_page_run_in_order(page: Path) -> None:
    put_scenarios()
    for name, text in windlass.ready_scenarios().items():
        Path(name).write_text(shortened(text), encoding="utf-8")
    for one, words in WINDLASS:
        if one != page or why_not_run(words):
            continue
        if words[0] == "serve" and "--export" not in words:
            words = [*words, "--export", "served.html"]  # a server would not end
        done = CliRunner().invoke(main, words)
        # another algorithm than that of a tape may give other answers
        differs = words[0] == "replay" and "--algorithm" in words
        assert done.exit_code in ((0, 1) if differs else (0,)), f"{words}: {done.output}"


@pytest.mark.parametrize("block", [block for block in blocks("text") if block.mark.startswith("explain: ")], ids=str)
def test_what_explain_prints_is_what_a_page_shows(block: Block) -> None:
    put_scenarios()
    shown = CliRunner().invoke(main, ["explain", block.mark.removeprefix("explain: ")]).output
    assert block.text in shown


@pytest.mark.parametrize("block", [block for block in blocks("text") if block.mark.startswith("import: ")], ids=str)
def test_what_import_prints_is_what_a_page_shows(block: Block) -> None:
    put_scenarios()
    shown = CliRunner().invoke(main, ["import", block.mark.removeprefix("import: ")]).output
    assert block.text.split() == shown[shown.index(" number") : shown.index("\nnote:")].split()


def test_other_commands_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = {word for line in re.findall(r"^([\w -]+):", makefile, re.MULTILINE) for word in line.split()}
    for page, words in commands():
        match words:
            case ["make", *wanted]:
                # MINUTES=60 is a value for a target
                assert {word for word in wanted if "=" not in word} <= targets, f"{page}: {words}"
            case ["cargo", "+nightly", "fuzz", "run", target, *_]:
                assert (ROOT / "fuzz" / "fuzz_targets" / f"{target}.rs").is_file(), f"{page}: {words}"
            case ["cargo", "run", "--manifest-path", manifest, *_]:
                assert (ROOT / manifest).is_file(), f"{page}: {words}"
            case ["WINDLASS_GOLDEN=write", "cargo", "test", "-p", "windlass-net", "--test", name]:
                assert (ROOT / "crates" / "net" / "tests" / f"{name}.rs").is_file(), f"{page}: {words}"
            case ["cargo", "run", *options, "--example", name]:
                folder = ROOT / "crates" / options[-1].removeprefix("windlass-") / "examples"
                assert (folder / f"{name}.rs").is_file(), f"{page}: {words}"
            case ["cargo", "test", "-p", crate]:
                assert (ROOT / "crates" / crate.removeprefix("windlass-")).is_dir(), f"{page}: {words}"
            case ["elsewhere/bin/windlass", *given]:  # `.ci/installed` does the same
                assert CliRunner().invoke(main, given).exit_code == 0, f"{page}: {words}"
            case ["pip" | "elsewhere/bin/pip", "install", file]:
                version = windlass.__version__
                assert file in ("target/dist/windlass-*.whl", f"target/dist/windlass-{version}.tar.gz"), (
                    f"{page}: {file}"
                )
            case ["windlass", *_] | ["source", ".venv/bin/activate"] | ["python3", "-m", "venv", "elsewhere"] | []:
                pass
            case _:
                pytest.fail(f"{page}: nobody checks `{' '.join(words)}`")


INLINE = re.compile(r"`(?:eval \"\$\()?(windlass [a-z][^`]*?)(?:\)\")?`", re.DOTALL)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=named)
def test_commands_in_a_sentence_exist_and_have_these_options(page: Path) -> None:
    for code in INLINE.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        words = code.partition(" > ")[0].split()[1:]
        command: click.Command = main
        while words and isinstance(command, click.Group) and not re.match(r"[A-Z-]", words[0]):
            assert words[0] in command.commands, f"{page}: `{code}`"
            command = command.commands[words.pop(0)]
        with click.Context(command, **main.context_settings | {"max_content_width": None}) as context:
            names = {name for given in command.get_params(context) for name in (*given.opts, *given.secondary_opts)}
        for word in words:
            if re.match(r"--?[a-z]", word):
                assert word.partition("=")[0].rstrip(",") in names, f"{page}: `{code}`"


@pytest.mark.parametrize("block", [block for block in blocks("python") if block.mark == "python"], ids=str)
def test_snippets_run(block: Block) -> None:
    put_scenarios()
    exec(compile(re.sub(r'"\d+ s"', '"3 s"', block.text), str(block.page), "exec"), {})  # noqa: S102


@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
def test_a_new_algorithm_compiles_and_passes_its_tests() -> None:
    """`windlass new-cc` in a copy of the crates."""
    copy = ROOT / "target" / "new-cc"
    for folder in ("crates", "specs"):
        shutil.rmtree(copy / folder, ignore_errors=True)
    for crate in ("units", "cc"):
        shutil.copytree(ROOT / "crates" / crate, copy / "crates" / crate)
    shutil.copytree(ROOT / "specs" / "papers", copy / "specs" / "papers")
    for name in ("Cargo.toml", "Cargo.lock", "rustfmt.toml"):
        shutil.copy2(ROOT / name, copy / name)
    manifest = (copy / "Cargo.toml").read_text(encoding="utf-8")
    members = 'members = ["crates/units", "crates/cc"]'
    (copy / "Cargo.toml").write_text(re.sub(r"members = \[.*?\]", members, manifest, flags=re.DOTALL), encoding="utf-8")

    for name in ("gaimd", "zz-own-2"):
        done = CliRunner().invoke(main, ["new-cc", name, "--root", str(copy / "crates" / "cc")])
        assert done.exit_code == 0, done.output
        assert (copy / "specs" / "papers" / f"{name}.md").is_file()
        assert len(re.findall(r"^(created|changed) ", done.output, re.MULTILINE)) == 5, done.output
    before = {file: file.read_bytes() for file in copy.glob("crates/**/*.rs")}
    for name in (
        "gaimd",
        "newreno",
        "Gaimd",
        "a b",
        "a/b",
        "self",
        "gen",
        "true",
        "false",
        "main",
        "f64",
        "ack",
        "core",
        "cerl-plus",
    ):
        done = CliRunner().invoke(main, ["new-cc", name, "--root", str(copy)])
        assert done.exit_code == 2, done.output
        assert "error[new-cc.name]" in done.output
    assert {file: file.read_bytes() for file in copy.glob("crates/**/*.rs")} == before

    # whoever follows the guide sets the defaults of the source first: the tests of the file still hold
    rows = copy / "crates" / "cc" / "src" / "registry" / "rows.rs"
    text = rows.read_text(encoding="utf-8")
    for key, before_, after in (("alpha", "[1.0, ", "[0.25, "), ("beta", "[0.5, ", "[0.875, ")):
        assert f'number("zz_own_2_{key}", {before_}' in text
        text = text.replace(f'number("zz_own_2_{key}", {before_}', f'number("zz_own_2_{key}", {after}')
    rows.write_text(text, encoding="utf-8")

    def cargo(*words: str) -> None:
        done = subprocess.run(["cargo", *words], check=False, cwd=copy, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    cargo("fmt", "--all", "--check")
    cargo("test", "--offline", "--quiet", "-p", "windlass-cc", "--lib")


def test_new_algorithms_need_a_source_tree(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["new-cc", "mine", "--root", str(tmp_path)])
    assert done.exit_code == 2
    assert "error[new-cc.tree]" in done.output


def test_the_numbers_of_the_tour_are_those_of_a_run() -> None:
    """Means at 2 % loss: the README's lie within the two intervals of a run made now."""
    text = next(block.text for block in scenarios() if block.mark.endswith("last-mile.toml"))
    scenario = windlass.Scenario.from_toml(text).with_({"topology.bottleneck.loss.rate": "2 %"})
    summary = windlass.sweep(scenario, store=False).summary()
    shown = re.findall(
        r"^ ([a-z-]+) +2 % +10 +([\d.]+) ± ([\d.]+) +([\d.]+) ± ([\d.]+)$",
        PAGES[0].read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert len(shown) == summary.num_rows == 5
    for row, (name, mean, half, total, total_half) in zip(summary.to_pylist(), shown, strict=True):
        assert row["algorithm"] == name
        for column, value, width in (("goodput_bps", mean, half), ("goodput_total_bps", total, total_half)):
            own = (row[f"{column}_hi"] - row[f"{column}_lo"]) / 2e6
            assert abs(row[f"{column}_mean"] / 1e6 - float(value)) <= own + float(width) + 0.001, (name, column)


@pytest.mark.parametrize("name", docs.PAGES)
def test_reference_pages_are_up_to_date(name: str) -> None:
    page = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
    assert page == docs.PAGES[name](), "`make docs` writes it anew"


def test_the_command_that_writes_the_reference_pages(work: Path) -> None:
    runner = CliRunner()
    assert runner.invoke(docs.main, ["pages", "--check"]).exit_code == 1
    assert not (work / "pages").exists()
    assert "written: pages/algorithms.md" in runner.invoke(docs.main, ["pages"]).output
    again = runner.invoke(docs.main, ["pages", "--check"])
    assert (again.exit_code, again.output) == (0, "")
    assert runner.invoke(docs.main, ["pages"]).output == ""


def test_every_column_of_a_result_is_explained(small: windlass.Scenario) -> None:
    page = (ROOT / "docs" / "guide" / "sweeps-and-results.md").read_text(encoding="utf-8")
    result = small.run()
    for table in ("flows", "links", "stations"):
        section = page.partition(f"### `{table}`\n")[2].partition("\n### ")[0]
        first = "\n".join(line.split("|")[1] for line in section.splitlines() if line.startswith("| `"))
        assert set(re.findall(r"`(\w+)`", first)) == set(result.tables[table].column_names)


def test_every_key_of_a_scenario_is_explained() -> None:
    page = (ROOT / "docs" / "guide" / "scenario-files.md").read_text(encoding="utf-8")
    core = windlass.Scenario.from_toml(scenarios()[-1].text)
    with pytest.raises(windlass.InputError):
        core.with_({"scenario.nonsense": "1"})
    topologies = json.loads(windlass._core.topologies())
    keys = {field["name"] for row in topologies for field in (*row["fields"], *row["link_fields"])}
    keys |= {"name", "duration", "warmup", "profile", "seeds", "first_seed", "traces", "trace_step", "events"}
    keys |= {field.name.rstrip("_") for field in windlass.Flow.__dataclass_fields__.values()}
    for key in keys:
        assert re.search(rf"\b{key}\b", page), key


def test_every_algorithm_of_the_registry_has_a_section() -> None:
    page = docs.algorithms_page()
    for row in json.loads(windlass._core.algorithms()):
        assert f"\n## {row['name']}\n" in page
        for parameter in row["parameters"]:
            assert f"| `{parameter['name']}` |" in page


@pytest.mark.parametrize("page", [page for page in PAGES if ROOT / "docs" / "site" not in page.parents], ids=named)
def test_links_lead_somewhere_and_nothing_is_of_one_machine(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)", FENCE.sub("", text)):
        assert target.startswith("http") or (page.parent / target).exists(), target
    assert not re.search(r"/home/|/root/|/work/|/tmp/|localhost", text)


def long_lines(file: Path) -> list[int]:
    """Lines of text over 120 columns in Markdown or in comments of Rust; tables, code and lone links may be longer."""
    text_of = re.compile(r" *//(?!=)[/!#]? ?(?P<text>.*)" if file.suffix == ".rs" else "(?P<text>.*)")
    found, fenced = [], False
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        match = text_of.fullmatch(line)
        if match is None:
            continue
        text = match["text"]
        fenced ^= text.lstrip().startswith("```")
        kept = fenced or text.startswith("|") or re.fullmatch(r"\s*(- )?(\S+|!?\[[^]]*\]\(\S+\))", text)
        if len(line) > 120 and not kept:
            found.append(number)
    return found


@pytest.mark.parametrize("suffix", [".md", ".rs"])
def test_no_line_of_text_is_over_120_columns(suffix: str) -> None:
    """Ruff's W505 sees to comments in Python."""
    folders = ("benches", "crates", "docs", "fuzz", "python", "scenarios", "specs", "tests")
    found = [file for folder in folders for file in (ROOT / folder).rglob(f"*{suffix}") if "target" not in file.parts]
    files = [*ROOT.glob(f"*{suffix}"), *found]
    assert len(files) > 50
    assert {str(file.relative_to(ROOT)): lines for file in files if (lines := long_lines(file))} == {}


def test_which_lines_of_text_are_too_long(tmp_path: Path) -> None:
    words, page, source = "word " * 25, tmp_path / "page.md", tmp_path / "source.rs"
    page.write_text(
        f"{words}\n| {words} |\n```\n{words}\n```\n- [a](http://{'a' * 120})\n- a [a](http://{'a' * 120})\n"
    )
    assert long_lines(page) == [1, 7]
    source.write_text(f"/// {words}\n//= {words}\nlet a = 0; // {words}\n    // {words}\n//! | {words}\n//# {words}\n")
    assert long_lines(source) == [1, 4, 6]


def test_licences_and_citation() -> None:
    assert "MIT License" in (ROOT / "LICENSE-MIT").read_text(encoding="utf-8")
    assert "Version 2.0, January 2004" in (ROOT / "LICENSE-APACHE").read_text(encoding="utf-8")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {windlass.__version__}\n" in citation
