"""The command `windlass`. Results go to stdout, progress and errors to stderr.

Exit codes: 0 done, 1 a claim or check failed where asked to judge, 2 the input is wrong, 130 stopped by Ctrl-C.
Everything heavy is imported inside the commands, so that help appears at once.
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import windlass
from windlass.errors import InputError, Interrupted, WindlassError

if TYPE_CHECKING:
    from rich.console import Console

    from windlass.compare import Comparison
    from windlass.output import SavedSweep
    from windlass.scenario import Scenario
    from windlass.sweep import RunResult, SweepResult

__all__ = ["main"]

MOST_ROWS = 40
"""Rows of a table on the screen; all of them are in the files and in `--json`."""


class _Command(click.Group):
    """A group whose errors have this project's form, whoever raised them."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        try:
            code = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        except Interrupted as stopped:
            click.echo(_stopped_note(stopped), err=True)
            code = 130
        except WindlassError as error:
            click.echo(error.render(), err=True)
            code = 2
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message())
            code = 0
        except click.UsageError as error:
            path = error.ctx.command_path if error.ctx is not None else "windlass"
            click.echo(f"error[cli.usage]: {_sentence(error.format_message())}", err=True)
            click.echo(f"hint: `{path} --help` shows what it takes", err=True)
            code = 2
        except click.Abort:
            click.echo("stopped", err=True)
            code = 130
        except OSError as error:
            if error.errno != errno.EPIPE:
                raise
            # The reader of our output has gone (`windlass ... | head`); nothing more can be said.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = 0
        if not standalone_mode:
            return code
        sys.exit(code if isinstance(code, int) else 0)


def _stopped_note(stopped: Interrupted) -> str:
    if stopped.stored:
        return f"stopped: {stopped.done} of {stopped.total} runs are kept; the same command goes on from there"
    if stopped.total == 1:
        return "stopped before the end of the run"
    return f"stopped: {stopped.done} of {stopped.total} runs were finished; without a store none is kept"


def _sentence(text: str) -> str:
    """A message of click in our form: one line, small first letter, no full stop, backticks round literals."""
    line = " ".join(text.split()).rstrip(".").replace("'", "`")
    return line[:1].lower() + line[1:]


class _Setting(click.ParamType[tuple[str, str]]):
    """``KEY=VALUE``."""

    name = "KEY=VALUE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        key, equals, text = str(value).partition("=")
        if not equals or not key.strip():
            self.fail(f"`{value}` is not KEY=VALUE", param, ctx)
        return key.strip(), text.strip()


class _Share(click.ParamType[float]):
    """``2%`` or ``0.02``."""

    name = "SHARE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        text = str(value).strip()
        try:
            share = float(text[:-1]) / 100.0 if text.endswith("%") else float(text)
        except ValueError:
            self.fail(f"`{value}` is no share; write 2% or 0.02", param, ctx)
        return share


def _options(*decorators: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def decorate(function: Any) -> Any:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


_sets = click.option(
    "--set",
    "sets",
    multiple=True,
    type=_Setting(),
    metavar="KEY=VALUE",
    help="Another value for a key of the scenario, e.g. --set flows.algorithm=cerl. Can be given many times.",
)


def _load_own(context: click.Context, parameter: click.Parameter, files: Sequence[Path]) -> None:
    if files:
        from windlass.control import load_file

        for file in files:
            load_file(file)


_own = click.option(
    "--python",
    "own",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    callback=_load_own,
    expose_value=False,
    is_eager=True,
    help="Python file with algorithms of your own (classes from windlass.CongestionControl). Can be given many times.",
)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
_execution = _options(
    click.option("--seeds", type=click.IntRange(min=1), help="Number of seeds, instead of the scenario's."),
    click.option("--jobs", type=click.IntRange(min=1), help="Runs side by side; all cores if not given."),
    click.option(
        "--store",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Where finished runs are kept; $WINDLASS_STORE or ~/.cache/windlass/runs if not given.",
    ),
)


@click.group(cls=_Command, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(windlass.__version__, "--version", message="windlass %(version)s")
def main() -> None:
    """Measure TCP congestion control on paths described in a few lines of text."""


@main.command(short_help="Run a scenario once.")
@click.argument("file")
@_own
@_sets
@click.option("--seed", type=int, help="Seed of the run; the scenario's first one if not given.")
@click.option("--trace", metavar="NAMES", help="Series to record: cwnd, ssthresh, flight, srtt, queue; comma between.")
@click.option("--events", is_flag=True, help="Record every window change and every loss, with its true cause.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Write the tables there (Parquet).")
@_json
def run(
    file: str,
    sets: Sequence[tuple[str, str]],
    seed: int | None,
    trace: str | None,
    events: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Run FILE once: a scenario file, or the name of a ready scenario."""
    scenario = _load(file, sets)
    if trace is not None:
        names = [name.strip() for name in trace.split(",") if name.strip()]
        scenario = scenario.with_({"output.traces": names})
    if events:
        scenario = scenario.with_({"output.events": True})
    if out is not None:
        _check_folder(out)
    result = windlass.run(scenario, seed)
    if out is not None:
        from windlass.output import write_run

        write_run(scenario.name, result, scenario.points()[0].effective_json(), out, _command_line())
    if as_json:
        _print_json(_run_json(scenario, result))
    else:
        _print_run(scenario, result)
        if out is not None:
            click.echo(f"written to {out}", err=True)


@main.command(short_help="Run every point of a scenario with every seed.")
@click.argument("file")
@_own
@_sets
@_execution
@click.option(
    "--resume/--no-store",
    "resume",
    default=True,
    help="Go on with what the store has (the rule), or neither read nor write it.",
)
@click.option(
    "--precision",
    type=_Share(),
    metavar="SHARE",
    help="Add seeds until the 95 % interval is this narrow, e.g. 2% of the mean.",
)
@click.option("--metric", default="goodput_bps", show_default=True, help="Column of flows that --precision looks at.")
@click.option("--max-seeds", type=click.IntRange(min=2), default=200, show_default=True, help="Most with --precision.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder for tables, summary and manifest; windlass-out/NAME if not given.",
)
@_json
def sweep(
    file: str,
    sets: Sequence[tuple[str, str]],
    seeds: int | None,
    jobs: int | None,
    store: Path | None,
    resume: bool,
    precision: float | None,
    metric: str,
    max_seeds: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Run every point of FILE with every seed: mean and 95 % interval for each.

    Finished runs are kept, so a stopped sweep goes on where it stopped.
    """
    scenario = _load(file, sets)
    folder = out if out is not None else Path("windlass-out") / _folder_name(scenario.name)
    _check_folder(folder)
    with _progress(scenario.name) as progress:
        result = windlass.sweep(
            scenario,
            seeds=seeds,
            jobs=jobs,
            store=(store or True) if resume else False,
            progress=progress,
            precision=precision,
            metric=metric,
            max_seeds=max_seeds,
        )
    result.write(folder, command=_command_line())
    if as_json:
        _print_json(_sweep_json(result, folder))
    else:
        _print_sweep(result)
        stored = sum(1 for run_ in result.runs if run_.stored)
        click.echo(f"{len(result.runs)} runs, {stored} of them from the store; written to {folder}", err=True)


@main.command("compare", short_help="Compare algorithms on one path.")
@click.argument("algorithms", nargs=-1, required=True, metavar="ALGORITHM...")
@click.option("--path", "file", required=True, metavar="FILE", help="Scenario of the path, or a ready scenario's name.")
@_own
@_sets
@_execution
@click.option(
    "--flows", "group", metavar="NAME", help="Group of flows that runs the algorithms; the first one if not given."
)
@click.option(
    "--neighbour/--no-neighbour", default=True, help="Also measure one NewReno flow among the others (the rule)."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Draw goodput against queueing delay there; .pdf, .svg or .png, all three without ending.",
)
@_json
def compare_(
    algorithms: Sequence[str],
    file: str,
    sets: Sequence[tuple[str, str]],
    seeds: int | None,
    jobs: int | None,
    store: Path | None,
    group: str | None,
    neighbour: bool,
    output: Path | None,
    as_json: bool,
) -> None:
    """Run the same path with each ALGORITHM and show what each gets and costs.

    An ALGORITHM is a name, or a name and parameters: cerl:cerl_cmp=gt,cerl_lmax=rebase. Gains are against the first
    one, seed by seed. A miss is a congestion loss taken for random, a false alarm a random loss taken for congestion; the
    simulator knows which was which. The neighbour is one NewReno flow in the place of one of the others; its cost is
    what it loses beside the algorithm, against the same flow beside NewReno.
    """
    from windlass import compare as comparison

    scenario = _load(file, sets)
    with _progress("comparison") as progress:
        result = comparison.compare(
            scenario,
            algorithms,
            group=group,
            neighbour=neighbour,
            seeds=seeds,
            jobs=jobs,
            store=str(store) if store else True,
            progress=progress,
        )
    if output is not None:
        from windlass import plots

        for drawn in plots.save(plots.goodput_against_delay(result), output):
            click.echo(str(drawn), err=True)
    if as_json:
        _print_json(result.to_dict())
    else:
        _print_comparison(result)


@main.command(short_help="Draw a run's window, or the results of a sweep.")
@click.argument("source")
@click.option(
    "--kind", type=click.Choice(["cwnd"]), default="cwnd", help="What to draw of a run: its window over time."
)
@_own
@_sets
@click.option("--seed", type=int, help="Seed of the run; the scenario's first one if not given.")
@click.option("--flow", metavar="NAME", help="Flow to draw; the first one if not given.")
@click.option("--reverse", is_flag=True, help="Draw the sender at the other end of a two-way flow.")
@click.option("--x", metavar="KEY", help="Swept key along the x axis; the last one if not given.")
@click.option("--y", metavar="NUMBER", default="goodput_bps", show_default=True, help="Number to draw.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("figure"),
    show_default=True,
    help="Where to write; with .pdf, .svg or .png only that one, without ending all three.",
)
def plot(
    source: str,
    kind: str,
    sets: Sequence[tuple[str, str]],
    seed: int | None,
    flow: str | None,
    reverse: bool,
    x: str | None,
    y: str,
    output: Path,
) -> None:
    """Draw a run of a scenario file (its window over time), or the results of a sweep in a folder."""
    from windlass import plots

    if Path(source).is_dir():
        from windlass.output import read_sweep

        figure = _sweep_figure(read_sweep(Path(source)), x, y)
    else:
        recorded: dict[str, Any] = {"output.traces": ["cwnd", "ssthresh"], "output.events": True}
        result = windlass.run(_load(source, sets).with_(recorded), seed)
        name = flow if flow is not None else result.flows["flow"][0].as_py()
        figure = plots.cwnd_over_time(result, name, direction="reverse" if reverse else "forward")
    for file in plots.save(figure, output):
        click.echo(str(file))


@main.command(
    "list",
    short_help="Show algorithms, topologies, queues, loss models, jitter models, rules, scenarios, papers, errors.",
)
@click.argument(
    "what",
    type=click.Choice(
        ["algorithms", "topologies", "queues", "loss-models", "jitter-models", "rules", "scenarios", "papers", "errors"]
    ),
)
@click.argument("name", required=False)
@_own
@_json
def list_(what: str, name: str | None, as_json: bool) -> None:
    """Show what there is; with NAME, everything about one: parameters, units, sources.

    The rules are the keys of [tcp] and flows.tcp, with their values in the profiles rfc and ns2.
    """
    rows = _LISTS[what]()
    if name is None:
        if as_json:
            _print_json(rows)
        else:
            _print_table(_COLUMNS[what], rows)
        return
    first = _COLUMNS[what][0]
    found = [row for row in rows if name in (row[first], *row.get("aliases", ()))]
    if not found:
        import difflib

        close = difflib.get_close_matches(name, [row[first] for row in rows], n=1)
        hint = f"did you mean `{close[0]}`? " if close else ""
        raise InputError(
            f"no `{name}` among the {what}", code="list.unknown", hint=f"{hint}`windlass list {what}` shows all"
        )
    if as_json:
        _print_json(found[0])
    else:
        _print_details(found[0])


@main.command(short_help="Show a scenario with every default.")
@click.argument("file")
@_own
@_sets
@_json
def explain(file: str, sets: Sequence[tuple[str, str]], as_json: bool) -> None:
    """Show what FILE means: the whole description with every default.

    Of a sweep, the first point is shown; with --json all of them.
    """
    from windlass import _toml

    points = _load(file, sets).points()
    if as_json:
        _print_json([{"axes": point.axes, "description": point.effective()} for point in points])
        return
    first = points[0]
    if first.axes:
        click.echo(f"# Point 1 of {len(points)}:")
        for axis, value in first.axes.items():
            click.echo(f"#   {axis} = {_toml.value(value)}")
    click.echo(_toml.document(first.effective()), nl=False)


@main.command(short_help="Write what a link can carry as a mahimahi trace.")
@click.argument("file")
@click.argument("link")
@_sets
@click.option("--reverse", is_flag=True, help="The link's other direction.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="File to write; the screen if none."
)
def trace(file: str, link: str, sets: Sequence[tuple[str, str]], reverse: bool, output: Path | None) -> None:
    """Write the delivery opportunities of LINK in scenario FILE, for mahimahi's mm-link and for `trace` of a link.

    Each line is a millisecond in which 1504 bytes more could be carried, from the start to the end of the run.
    """
    points = _load(file, sets).points()
    if len(points) != 1:
        raise InputError(
            f"the scenario has {len(points)} points, and a trace is of one",
            code="run.many-points",
            hint=f"choose with `--set {next(iter(points[0].axes))}=VALUE` and so on",
        )
    times = points[0].opportunities(link, reverse=reverse)
    if not times:
        raise InputError(
            f"link `{link}` carries nothing in the whole run", code="trace.empty", hint="make the run longer"
        )
    text = "".join(f"{ms}\n" for ms in times)
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"cannot be written: {error.strerror}", code="cli.output", file=str(output), hint="name another file"
        ) from None
    click.echo(f"{len(times)} delivery opportunities written to {output}", err=True)


@main.command(short_help="Run a paper's experiments and judge its claims.")
@click.argument("target")
@_execution
@click.option("--quick", is_flag=True, help="Few seeds and few points: a first impression, not a verdict.")
@click.option("--check", is_flag=True, help="Exit with 1 if a claim is contradicted or impossible.")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR", help="Folder for figures, tables and the report."
)
@_json
def reproduce(
    target: str,
    seeds: int | None,
    jobs: int | None,
    store: Path | None,
    quick: bool,
    check: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Run a paper's experiments again and judge its claims. TARGET is PAPER or PAPER/EXPERIMENT.

    A verdict against the paper is a result, not a failure: the exit code is 0 unless --check asks for a judgement.
    """
    from windlass import reproduce as reproduction

    if out is not None:
        _check_folder(out)
    with _progress(target) as progress:
        outcome = reproduction.main(
            target, seeds=seeds, quick=quick, jobs=jobs, out=out, store=store or True, progress=progress
        )
    if as_json:
        _print_json(outcome.to_dict())
    else:
        outcome.render(
            _console(width=150)
        )  # claims are sentences: broken into lines rather than cut by the reader's window
    if check and any(outcome.counts.get(verdict) for verdict in ("contradicted", "impossible")):
        click.get_current_context().exit(1)


@main.group(short_help="Compare with another simulator.")
def validate() -> None:
    """Compare results with those of another simulator."""


@validate.command("ns2", short_help="Compare with ns-2 2.35.")
@click.argument("file", required=False)
@_own
@_sets
@click.option(
    "--seeds", type=click.IntRange(min=2), help="Number of seeds; the scenario's, or 10 with --stored, if not given."
)
@click.option("--jobs", type=click.IntRange(min=1), help="Runs side by side; all cores if not given.")
@click.option("--stored", is_flag=True, help="Compare with the figures that come with Windlass; needs no ns-2.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Folder for comparison.json and scripts.")
@_json
def validate_ns2(
    file: str | None,
    sets: Sequence[tuple[str, str]],
    seeds: int | None,
    jobs: int | None,
    stored: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Run every point of FILE here and in ns-2, the program `ns`, and compare the sums of the flows' goodput.

    Both have the start times of the same seeds, but losses of their own. A point agrees if the means are no further apart
    than the half widths of both 95 % intervals and 3 % of ns-2's mean together. Without FILE, a small set of scenarios
    runs. The exit code is 1 if a point differs for no known reason.
    """
    if stored and (file is not None or sets or jobs is not None):
        raise click.UsageError("--stored has scenarios of its own: leave FILE, --set and --jobs out")
    if sets and file is None:
        raise click.UsageError("--set needs FILE")
    if out is not None:
        _check_folder(out)
    if stored:
        from windlass import validation

        with _progress("stored points") as progress:
            outcomes = validation.compare_all(seeds=seeds or 10, progress=progress)
        data: dict[str, Any] = validation.to_dict(outcomes)
        scripts: Mapping[str, str] = {}
        wrong = any(not one.agrees and one.reason is None for one in outcomes)
    else:
        from windlass import validation_ns2

        scenarios = validation_ns2.built_in() if file is None else [_load(file, sets)]
        with _progress("runs of ns-2") as progress:
            outcome = validation_ns2.compare(scenarios, seeds=seeds, jobs=jobs, progress=progress)
        data, scripts = outcome.to_dict(), outcome.scripts
        wrong = outcome.agreeing < len(outcome.points)
    if out is not None:
        from windlass.validation_ns2 import write

        write(_no_nan(data), scripts, out)
    if as_json:
        _print_json(data)
    else:
        _print_validation(data)
        if out is not None:
            click.echo(f"written to {out}", err=True)
    if wrong:
        click.get_current_context().exit(1)


@main.command("new-cc", short_help="Write a new algorithm into the source tree.")
@click.argument("name")
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Source tree; the one around the current folder if not given.",
)
def new_cc(name: str, root: Path | None) -> None:
    """Write a Rust file with its tests, its restated source, its module, enum line, registry row and look.

    What it writes compiles, passes its tests and runs as it is: Reno with two parameters, to be changed into NAME. For a
    prototype without a source tree, write a Python class and give it with --python.
    """
    from windlass import new_cc as writer

    written = writer.new_cc(name, writer.source_tree(root))
    for path in written.created:
        click.echo(f"created {path}")
    for path in written.changed:
        click.echo(f"changed {path}")
    click.echo(
        f"next: change the rule in {written.created[0]}, then `cargo test -p cc`, `make build docs` and "
        f"`windlass run lossy-dumbbell --set flows.algorithm={name}`"
    )


@main.command(short_help="Show every error code and what it means.")
@_json
def errors(as_json: bool) -> None:
    """Show every error code and what it means."""
    rows = _errors()
    if as_json:
        _print_json(rows)
    else:
        _print_table(_COLUMNS["errors"], rows)


# ---- reading


def _load(file: str, sets: Sequence[tuple[str, str]]) -> Scenario:
    from windlass.scenario import load

    return load(file, list(sets))


def _check_folder(folder: Path) -> None:
    from windlass.output import check_folder

    check_folder(folder)


def _folder_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip(".-") or "scenario"


def _command_line() -> list[str]:
    return ["windlass", *sys.argv[1:]]


@contextmanager
def _progress(label: str) -> Iterator[Callable[[int, int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _sweep_figure(saved: SavedSweep, x: str | None, y: str) -> Any:
    from windlass import plots, stats

    known = {name for _, _, name in stats.SUMMARY}
    summary = stats.summarise(saved.flows, saved.axes, None if y in known else _metric(saved, y))
    if x is None:
        if not saved.axes:
            raise InputError("the results sweep nothing", code="plot.no-axis", hint="sweep a key and draw along that")
        x = saved.axes[-1]
    if x.endswith("loss.rate") and y in ("goodput_bps", "goodput_total_bps"):
        return plots.goodput_against_loss(summary, x=x, metric=y, **_path_of(saved, y))
    return plots.metric_against_axis(summary, x, y)


def _metric(saved: SavedSweep, name: str) -> list[str]:
    import pyarrow as pa

    fields = {field.name: field.type for field in saved.flows.schema}
    if name not in fields or not (pa.types.is_floating(fields[name]) or pa.types.is_integer(fields[name])):
        numbers = [key for key, kind in fields.items() if kind in (pa.float64(), pa.int64()) and key != "seed"]
        raise InputError(
            f"no number `{name}`", code="plot.no-metric", hint="flows have " + ", ".join(f"`{key}`" for key in numbers)
        )
    return [name]


def _path_of(saved: SavedSweep, metric: str) -> dict[str, Any]:
    """Capacity and round trip for the lines of theory, of a dumbbell whose links are not swept."""
    from windlass.plots import quantity

    facts: dict[str, Any] = {}
    links = {(row["link"], row["direction"]): row for row in saved.links.to_pylist()}
    same = saved.links.group_by(["link", "direction"]).aggregate(
        [("rate_bps", "count_distinct"), ("delay_s", "count_distinct")]
    )
    if any(row["rate_bps_count_distinct"] > 1 or row["delay_s_count_distinct"] > 1 for row in same.to_pylist()):
        return facts
    runs = saved.flows.group_by(["key", "direction"]).aggregate([("flow", "count")])["flow_count"].to_pylist()
    bottleneck = links.get(("bottleneck", "forward"))
    if bottleneck is None or len(set(runs)) != 1:
        return facts
    groups = [flow for point in saved.descriptions for flow in point.get("flows", ())]
    segments = {(flow["segment"], flow["tcp"]["header"], flow["tcp"]["delayed_ack"]) for flow in groups}
    if len(segments) != 1:
        return facts
    segment, header, delayed_ack = segments.pop()
    payload, overhead = quantity(segment), quantity(header)
    if payload is None or overhead is None:
        return facts
    mss_bytes, header_bytes = payload[0], overhead[0]
    flows = runs[0] if metric == "goodput_bps" else 1
    names = ["left/0", "bottleneck", "right/0"]
    forward = [links[name, "forward"]["rate_bps"] for name in names if (name, "forward") in links]
    share = [bottleneck["rate_bps"] / flows] + ([min(forward)] if metric == "goodput_bps" else [])
    # goodput counts payload, a link carries headers as well
    facts["capacity_bps"] = min(share) * mss_bytes / (mss_bytes + header_bytes)
    if metric == "goodput_bps" and all((name, "reverse") in links for name in names):
        rtt = sum(links[name, direction]["delay_s"] for name in names for direction in ("forward", "reverse"))
        if rtt > 0.0:
            facts["mathis"] = {"mss_bytes": mss_bytes, "rtt_s": rtt, "b": float(delayed_ack)}
    return facts


# ---- lists

_COLUMNS = {
    "algorithms": ("name", "aliases", "summary", "source"),
    "topologies": ("name", "summary"),
    "queues": ("name", "summary", "source"),
    "loss-models": ("name", "summary"),
    "jitter-models": ("name", "summary"),
    "rules": ("name", "meaning", "rfc", "ns2"),
    "scenarios": ("name", "summary"),
    "papers": ("name", "title", "claims"),
    "errors": ("code", "meaning"),
}
"""Columns of each list on the screen; the first one names the row."""


def _algorithms() -> list[dict[str, Any]]:
    from windlass import _core

    rows: list[dict[str, Any]] = json.loads(_core.algorithms()) + json.loads(_core.registered())
    return rows


def _topologies() -> list[dict[str, Any]]:
    from windlass import _core

    rows: list[dict[str, Any]] = json.loads(_core.topologies())
    return rows


def _queues() -> list[dict[str, Any]]:
    from windlass import _core

    rows: list[dict[str, Any]] = json.loads(_core.queues())
    return rows


def _loss_models() -> list[dict[str, Any]]:
    from windlass import _core

    rows: list[dict[str, Any]] = json.loads(_core.loss_models())
    return rows


def _jitter_models() -> list[dict[str, Any]]:
    from windlass import _core

    rows: list[dict[str, Any]] = json.loads(_core.jitter_models())
    return rows


def _rules() -> list[dict[str, Any]]:
    from windlass import _core

    rows: list[dict[str, Any]] = json.loads(_core.rules())
    return rows


def _scenarios() -> list[dict[str, Any]]:
    from windlass.scenario import ready_scenarios

    rows = []
    for name, text in ready_scenarios().items():
        comment = [line[1:].strip() for line in text.splitlines() if line.startswith("#")]
        rows.append({"name": name, "summary": comment[0] if comment else "", "text": text})
    return rows


def _papers() -> list[dict[str, Any]]:
    from windlass import ledger

    rows = []
    for paper in ledger.papers():
        book = ledger.load(paper)
        rows.append(
            {
                "name": paper,
                "title": book.title,
                "claims": len(book.claims),
                "citation": book.citation,
                "experiments": [
                    {
                        "name": experiment.id,
                        "title": experiment.title,
                        "kind": experiment.kind,
                        "claims": len(book.claims_of(experiment.id)),
                    }
                    for experiment in book.experiments.values()
                ],
            }
        )
    return rows


def _errors() -> list[dict[str, Any]]:
    from windlass.errors import error_codes

    return [{"code": code, "meaning": meaning} for code, meaning in error_codes().items()]


_LISTS: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "algorithms": _algorithms,
    "topologies": _topologies,
    "queues": _queues,
    "loss-models": _loss_models,
    "jitter-models": _jitter_models,
    "rules": _rules,
    "scenarios": _scenarios,
    "papers": _papers,
    "errors": _errors,
}


# ---- printing


def _console(width: int = 240) -> Console:
    from rich.console import Console

    # Into a file or a pipe, a line of the table is a line of the output, whatever its length.
    return Console() if sys.stdout.isatty() else Console(width=width)


def _print_json(data: Any) -> None:
    click.echo(json.dumps(_no_nan(data), indent=2, ensure_ascii=False, allow_nan=False))


def _no_nan(data: Any) -> Any:
    """JSON has no NaN; a number that does not exist is null."""
    if isinstance(data, float):
        return data if data - data == 0.0 else None
    if isinstance(data, Mapping):
        return {name: _no_nan(part) for name, part in data.items()}
    if isinstance(data, (list, tuple)):
        return [_no_nan(part) for part in data]
    return data


def _print_table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]], right: Sequence[str] = ()) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(escape(column), justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(escape(_cell(row[column])) for column in columns))
    _console().print(table)


def _print_details(row: Mapping[str, Any]) -> None:
    if "text" in row:
        click.echo(row["text"], nl=False)
        return
    for name, item in row.items():
        if isinstance(item, list) and item and isinstance(item[0], Mapping):
            columns = tuple(key for key in item[0] if any(part.get(key) is not None for part in item))
            click.echo(f"{name}:")
            _print_table(columns, [{key: part.get(key) for key in columns} for part in item])
        elif item not in (None, [], ""):
            click.echo(f"{name}: {_cell(item)}")


def _cell(item: Any) -> str:
    if item is None:
        return ""
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, float):
        return f"{item:g}"
    if isinstance(item, (list, tuple)):
        return ", ".join(_cell(part) for part in item)
    if isinstance(item, Mapping):
        return json.dumps(item, ensure_ascii=False)
    return str(item)


def _run_json(scenario: Scenario, result: RunResult) -> dict[str, Any]:
    from windlass import _core
    from windlass.tables import TABLES

    tables = {name: result.tables[name].to_pylist() for name in TABLES if result.tables[name].num_rows}
    about = {"scenario": scenario.name, "engine": _core.ENGINE_VERSION, "key": result.key, "seed": result.seed}
    return {**about, **tables}


def _print_run(scenario: Scenario, result: RunResult) -> None:
    rows = result.flows.to_pylist()
    both = len({row["direction"] for row in rows}) > 1
    shown = [
        {
            "flow": row["flow"] + (f" ({row['direction']})" if both else ""),
            "algorithm": row["algorithm"],
            "goodput Mbit/s": _fixed(row["goodput_bps"], 1e-6, 3),
            "retransmitted": row["retransmitted_segments"],
            "timeouts": row["timeouts"],
            "lost at random": row["loss_random"],
            "lost in queues": row["loss_queue"],
            "srtt ms": _fixed(row["srtt_mean_s"], 1e3, 1),
        }
        for row in rows[:MOST_ROWS]
    ]
    click.echo(f"{scenario.name}, seed {result.seed}, {scenario.duration_s:g} s")
    columns = tuple(shown[0]) if shown else ()
    _print_table(columns, shown, right=columns[2:])
    if len(rows) > MOST_ROWS:
        click.echo(f"and {len(rows) - MOST_ROWS} more flows; --json or --out DIR gives all")
    total = sum(row["goodput_bps"] or 0.0 for row in rows if row["transport"] != "subflow")
    click.echo(f"all flows: {total * 1e-6:.3f} Mbit/s")
    _print_completions(rows)


def _print_completions(rows: Sequence[Mapping[str, Any]]) -> None:
    """For each group of several transfers of given size: how many there were, and how long those that ended took."""
    import numpy as np

    groups: dict[str, list[float | None]] = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row["completion_s"])
    for name, times in groups.items():
        ended = [time for time in times if time is not None]
        if len(times) > 1 and ended:
            mean, p95 = float(np.mean(ended)), float(np.quantile(ended, 0.95))
            click.echo(
                f"{name}: {len(ended)} of {len(times)} ended, in {mean:.3f} s on average, 95 % within {p95:.3f} s"
            )


def _fixed(value: float | None, scale: float, digits: int) -> str:
    return "" if value is None else f"{value * scale:.{digits}f}"


_SHOWN: tuple[tuple[str, str, float, int], ...] = (
    ("goodput_bps", "goodput Mbit/s", 1e-6, 3),
    ("goodput_total_bps", "all flows Mbit/s", 1e-6, 3),
    ("jain", "Jain", 1.0, 3),
    ("retransmitted_segments", "retransmitted", 1.0, 1),
    ("timeouts", "timeouts", 1.0, 2),
    ("srtt_mean_s", "srtt ms", 1e3, 1),
)


def _print_sweep(result: SweepResult) -> None:
    rows = result.summary().to_pylist()
    varied = [name for name in ("group", "direction") if len({row[name] for row in rows}) > 1]
    names = [*result.axes, *varied]
    if "flows.algorithm" not in result.axes:
        names.append("algorithm")
    shown = []
    for row in rows:
        line = {name: row[name] for name in names}
        line["seeds"] = row["goodput_bps_n"]
        for metric, words, scale, digits in _SHOWN:
            line[words] = _with_interval(row, metric, scale, digits)
        shown.append(line)
    columns = tuple(shown[0]) if shown else ()
    click.echo(f"{result.name}: mean per flow over seeds, ± half of the 95 % interval")
    _print_table(columns, shown, right=columns[len(names) :])
    for caution in result.cautions:
        click.echo(f"caution: {caution}")


def _with_interval(row: Mapping[str, Any], metric: str, scale: float, digits: int) -> str:
    mean, low, high = (row[f"{metric}_{part}"] for part in ("mean", "lo", "hi"))
    if mean is None or math.isnan(mean):
        return ""
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return f"{mean * scale:.{digits}f} ± ?"
    return f"{mean * scale:.{digits}f} ± {(high - low) / 2.0 * scale:.{digits}f}"


_COMPARED: tuple[tuple[str, str, float, int], ...] = (
    ("goodput_bps", "goodput Mbit/s", 1e-6, 3),
    ("queue_delay_p95_s", "p95 queueing ms", 1e3, 1),
    ("miss_rate", "misses %", 1e2, 1),
    ("false_alarm_rate", "false alarms %", 1e2, 1),
    ("timeouts", "timeouts", 1.0, 2),
    ("neighbour_bps", "neighbour Mbit/s", 1e-6, 3),
    ("neighbour_cost", "cost to it %", 1e2, 1),
)


def _print_comparison(result: Comparison) -> None:
    rows = [outcome.to_dict() for outcome in result.outcomes]
    axes = list(result.outcomes[0].axes)
    first = rows[0]["algorithm"]
    shown = []
    for row in rows:
        line = {name: row[name] for name in (*axes, "algorithm", "seeds")}
        for metric, words, scale, digits in _COMPARED:
            line[words] = _with_interval(row, metric, scale, digits)
            if metric == "goodput_bps":
                gain = {f"gain_{part}": _minus_one(row[f"against_first_{part}"]) for part in ("mean", "lo", "hi")}
                line[f"over {first} %"] = "" if row["algorithm"] == first else _with_interval(gain, "gain", 1e2, 1)
        shown.append(line)
    columns = [name for name in shown[0] if any(line[name] != "" for line in shown)]
    click.echo(f"{result.name}, flows `{result.group}`: mean per flow over seeds, ± half of the 95 % interval")
    _print_table(columns, shown, right=columns[len(axes) + 1 :])
    for caution in result.cautions:
        click.echo(f"caution: {caution}")


def _minus_one(ratio: float | None) -> float | None:
    return None if ratio is None else ratio - 1.0


def _sweep_json(result: SweepResult, folder: Path) -> dict[str, Any]:
    from windlass import _core

    return {
        "scenario": result.name,
        "engine": _core.ENGINE_VERSION,
        "axes": result.axes,
        "runs": len(result.runs),
        "from_store": sum(1 for run_ in result.runs if run_.stored),
        "out": str(folder),
        "cautions": result.cautions,
        "summary": result.summary().to_pylist(),
    }


def _print_validation(data: Mapping[str, Any]) -> None:
    shown = []
    for point in data["points"]:
        goodput = point["goodput_mbps"]
        if "axes" in point:
            line = {"scenario": point["scenario"]} | {name: _cell(value) for name, value in point["axes"].items()}
        else:
            where = f"{point['scenario']}, {point['parameter']}"
            line = {"agent": point["agent"], "scenario": where, "value": point["value"]}
        for simulator in ("ns2", "windlass"):
            mean, half = goodput[f"{simulator}_mean"], goodput[f"{simulator}_half_width"]
            line["ns-2 Mbit/s" if simulator == "ns2" else "Windlass Mbit/s"] = f"{mean:.4g} ± {half:.2g}"
        line["difference"] = f"{100.0 * goodput['difference']:+.1f} %"
        line["allowed"] = f"{100.0 * goodput['allowed']:.1f} %"
        line["agrees"] = "yes" if point["agrees"] else "no"
        if "timeouts" in point:
            # Not judged, but they tell more of two senders than the goodput does.
            line["timeouts, ns-2 / Windlass"] = " / ".join(
                f"{point['timeouts'][f'{name}_mean']:.1f}" for name in ("ns2", "windlass")
            )
        shown.append(line)
    columns = tuple(dict.fromkeys(name for line in shown for name in line))
    words = ("scenario", "agent", "agrees")
    right = [name for name in columns if name not in words]
    _print_table(columns, [{name: line.get(name, "") for name in columns} for line in shown], right=right)
    click.echo(f"{data['agreeing']} of {data['total']} points agree")
    for point in data["points"]:
        for failure in point.get("failures", ()):
            click.echo(f"caution: {point['scenario']}: ns-2, {failure}")
        if point.get("reason"):
            click.echo(f"{point['agent']}, {point['scenario']}, {point['value']}: {point['reason']}")
