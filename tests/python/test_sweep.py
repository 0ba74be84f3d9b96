"""Sweeps: order, store, stopping, growth; the same tables whatever the number of threads."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from conftest import Command, small_document
from matplotlib.text import Text

import windlass
from windlass import Cancel, InputError, Interrupted, RunResult, Scenario, Store, stats
from windlass.sweep import execute
from windlass.tables import TABLES


class Point:
    """A point that counts its runs and takes as long as it is told."""

    def __init__(self, name: str, seconds: float = 0.0, spread: float = 0.0) -> None:
        self.name = name
        self.seconds = seconds
        self.ran: list[int] = []

    @property
    def axes(self) -> dict[str, Any]:
        return {"name": self.name}

    def key(self, seed: int) -> str:
        return f"{self.name}{seed}".encode().hex().ljust(64, "0")

    def effective_json(self) -> str:
        return "{}"

    def results(self) -> int:
        return 1

    def composed(self) -> dict[str, Any]:
        return {"scenario": {}}

    def estimate(self) -> dict[str, float]:
        return dict.fromkeys(("seconds", "memory_bytes", "network_bytes", "record_bytes"), 0.0)

    def run(self, seed: int, cancel: Cancel | None = None) -> RunResult:
        self.ran.append(seed)
        time.sleep(self.seconds)
        empty = pa.table({"flow": pa.array([], pa.string())})
        tables = dict.fromkeys(TABLES, empty) | {"flows": pa.table({"flow": ["f"], "seed_seen": [seed]})}
        return RunResult(self.key(seed), seed, self.axes, tables)


def test_results_stand_in_the_order_of_the_tasks_not_of_their_ends() -> None:
    slow, quick = Point("slow", seconds=0.05), Point("quick")
    tasks = [(slow, 2), (quick, 1), (slow, 1), (quick, 2)]
    results = execute(tasks, jobs=4)
    assert [(result.axes["name"], result.seed) for result in results] == [
        ("slow", 2), ("quick", 1), ("slow", 1), ("quick", 2),
    ]  # fmt: skip


def test_equal_keys_run_once() -> None:
    point = Point("a")
    results = execute([(point, 1), (point, 1), (point, 2)], jobs=2)
    assert sorted(point.ran) == [1, 2]
    assert [result.seed for result in results] == [1, 1, 2]


def test_stored_runs_are_read_and_not_run(tmp_path: Any) -> None:
    store = Store(tmp_path / "runs")
    first, again = Point("a"), Point("a")
    execute([(first, 1), (first, 2)], store=store)
    results = execute([(again, 1), (again, 2), (again, 3)], store=store)
    assert again.ran == [3]
    assert [result.stored for result in results] == [True, True, False]


def test_progress_counts_up_to_the_total_in_the_callers_thread() -> None:
    seen = []
    here = threading.get_ident()

    def progress(done: int, total: int) -> None:
        assert threading.get_ident() == here
        seen.append((done, total))

    execute([(Point("a"), seed) for seed in range(5)], jobs=3, progress=progress)
    assert seen == [(done, 5) for done in range(1, 6)]


def test_the_error_of_a_run_stops_the_others() -> None:
    class Broken(Point):
        def run(self, seed: int, cancel: Cancel | None = None) -> RunResult:
            raise InputError("no such thing", code="scenario.unknown-key")

    late = Point("late", seconds=0.01)
    with pytest.raises(InputError, match="no such thing"):
        execute([(Broken("b"), 1), *((late, seed) for seed in range(500))], jobs=1)
    assert len(late.ran) < 500


def test_interrupting_keeps_what_is_finished_and_the_next_call_goes_on(swept: Scenario, tmp_path: Any) -> None:
    store = Store(tmp_path / "runs")

    def stop_after_four(done: int, total: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        windlass.sweep(swept, store=store, jobs=2, progress=stop_after_four)
    stopped = caught.value
    assert stopped.total == 18
    assert 4 <= stopped.done < 18
    assert stopped.stored
    assert len(list(store.keys())) == stopped.done
    result = windlass.sweep(swept, store=store)
    assert sum(run.stored for run in result) == stopped.done
    fresh = windlass.sweep(swept, store=False)
    for name in TABLES:
        assert result.table(name).equals(fresh.table(name)), name


def test_interrupting_without_a_store_says_that_nothing_is_kept(small: Scenario) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="not kept") as caught:
        windlass.sweep(small, store=False, progress=stop)
    assert not caught.value.stored


def test_a_token_stops_a_long_run_from_another_thread() -> None:
    document = small_document()
    document["scenario"]["duration"] = "3600 s"
    document["topology"]["bottleneck"]["rate"] = "1 Gbps"
    document["topology"]["access"]["rate"] = "1 Gbps"
    document["topology"]["bottleneck"]["loss"] = "0 %"
    document["topology"]["bottleneck"]["queue"] = "10000 packets"
    token = Cancel()
    timer = threading.Timer(0.2, token.set)
    timer.start()
    with pytest.raises(Interrupted) as caught:
        windlass.sweep(windlass.from_dict(document), store=False, jobs=1, cancel=token)
    timer.join()
    assert caught.value.done == 0


@pytest.mark.parametrize("jobs", [2, 5])
def test_threads_change_nothing(swept: Scenario, jobs: int) -> None:
    scenario = swept.with_({"output.traces": ["cwnd", "queue"], "output.events": True})
    one = windlass.sweep(scenario, store=False, jobs=1)
    many = windlass.sweep(scenario, store=False, jobs=jobs)
    for name in TABLES:
        assert _bytes(one.table(name)) == _bytes(many.table(name)), name


def _bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def test_run_columns_come_first(swept: Scenario) -> None:
    result = windlass.sweep(swept, seeds=2)
    axes = ["flows.algorithm", "topology.bottleneck.loss.rate"]
    assert result.axes == axes
    for name in TABLES:
        names = result.table(name).column_names
        assert (names[:3], names[-1]) == (["seed", *axes], "key"), name
    assert result.flows.num_rows == 6 * 2 * 2
    assert result.flows["seed"].to_pylist()[:8] == [1, 1, 2, 2, 1, 1, 2, 2]
    assert result.links["flows.algorithm"].unique().to_pylist() == ["newreno", "westwood-plus"]
    assert len(result.links["link"].unique()) == 5


def test_tables_become_data_frames(swept: Scenario) -> None:
    pytest.importorskip("pandas")
    result = windlass.sweep(swept, seeds=2)
    frame = result.to_pandas()
    assert frame.shape == (24, result.flows.num_columns)
    assert frame.groupby("flows.algorithm")["goodput_bps"].mean().index.tolist() == ["newreno", "westwood-plus"]
    assert result.to_pandas("links")["link"].nunique() == 5
    assert result.runs[0].to_pandas()["algorithm"].tolist() == ["newreno", "newreno"]


def test_axes_keep_their_type(small: Scenario) -> None:
    whole = windlass.sweep(small.with_({"sweep.topology.pairs": [1, 2]}), seeds=1)
    assert whole.flows.schema.field("topology.pairs").type == pa.int64()
    flags = windlass.sweep(small.with_({"sweep.flows.tcp.timestamps": [True, False]}), seeds=1)
    assert flags.flows.schema.field("flows.tcp.timestamps").type == pa.bool_()


def test_two_algorithms_meet_the_same_losses(small: Scenario) -> None:
    # Starts are drawn from streams named after the flow, so they do not depend on the algorithm.
    result = windlass.sweep(small.with_({"sweep.flows.algorithm": ["newreno", "reno"]}), seeds=2)
    rows = result.flows.to_pylist()
    starts = {name: [row["start_s"] for row in rows if row["algorithm"] == name] for name in ("newreno", "reno")}
    assert starts["newreno"] == starts["reno"]
    assert len(set(starts["reno"])) == 4


@pytest.mark.parametrize("seeds", [0, -1, [], [1, 1]])
def test_seeds_that_make_no_sense(small: Scenario, seeds: Any) -> None:
    with pytest.raises(InputError) as caught:
        windlass.sweep(small, seeds=seeds)
    assert caught.value.code == "sweep.seeds"


def test_seeds_can_be_a_count_or_a_list(small: Scenario) -> None:
    assert windlass.sweep(small, seeds=2).seeds == [1, 2]
    assert [run.seed for run in windlass.sweep(small, seeds=[9, 3])] == [9, 3]


def test_no_threads_make_no_sense(small: Scenario) -> None:
    with pytest.raises(InputError) as caught:
        windlass.sweep(small, jobs=0)
    assert caught.value.code == "sweep.jobs"


def test_precision_adds_seeds_until_the_interval_is_narrow(small: Scenario) -> None:
    result = windlass.sweep(small, seeds=2, precision=0.02, max_seeds=200)
    row = result.summary("goodput_bps").to_pylist()[0]
    half = (row["goodput_bps_hi"] - row["goodput_bps_lo"]) / 2.0
    assert half <= 0.02 * row["goodput_bps_mean"]
    assert row["goodput_bps_n"] > 5
    assert result.seeds == list(range(1, row["goodput_bps_n"] + 1))
    assert result.cautions == []
    again = windlass.sweep(small, seeds=2, precision=0.02, max_seeds=200, store=False, jobs=1)
    assert again.flows.equals(result.flows), "how many seeds are added depends on results only"


def test_precision_gives_up_at_the_limit_and_says_so(small: Scenario) -> None:
    result = windlass.sweep(small, seeds=2, precision=1e-6, max_seeds=8, store=False)
    assert len(result) == 8
    assert len(result.cautions) == 1
    assert "after 8 seeds" in result.cautions[0]


def test_precision_gives_each_point_what_it_needs(swept: Scenario) -> None:
    result = windlass.sweep(swept, seeds=2, precision=0.08, max_seeds=100)
    for row in result.summary("goodput_bps").to_pylist():
        half = (row["goodput_bps_hi"] - row["goodput_bps_lo"]) / 2.0
        assert half <= 0.08 * row["goodput_bps_mean"]
    order = [(run.axes["flows.algorithm"], run.axes["topology.bottleneck.loss.rate"], run.seed) for run in result]
    points = [tuple(point.axes.values()) for point in swept.points()]
    assert order == sorted(order, key=lambda run: (points.index(run[:2]), run[2]))


@pytest.mark.parametrize(
    "options",
    [{"precision": 0.0}, {"precision": 1.5}, {"precision": 0.1, "metric": "speed"}, {"precision": 0.1, "max_seeds": 1}],
)
def test_precision_that_makes_no_sense(small: Scenario, options: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        windlass.sweep(small, seeds=1, **options)
    assert caught.value.code == "sweep.precision"


def test_paired_by_seed_is_narrower_than_apart(swept: Scenario) -> None:
    """What pairing is for: the difference is known better than from two separate intervals."""
    flows = windlass.sweep(swept, seeds=12).flows.to_pylist()

    def by_seed(algorithm: str) -> dict[int, float]:
        values: dict[int, list[float]] = {}
        for row in flows:
            if (row["flows.algorithm"], row["topology.bottleneck.loss.rate"]) == (algorithm, 0.5):
                values.setdefault(row["seed"], []).append(row["goodput_bps"])
        return {seed: sum(part) for seed, part in values.items()}

    left, right = stats.paired(by_seed("westwood-plus"), by_seed("newreno"))
    assert len(left) == 12
    together = stats.paired_difference(left, right)
    assert together.mean == pytest.approx(left.mean() - right.mean())


# ---- keys that go together


PATHS = {
    "topology.bottleneck.rate, topology.bottleneck.delay": [
        ["1 Mbps", "100 ms"],
        ["2 Mbps", "50 ms"],
        ["9 Mbps", "9 ms"],
    ]
}
RATE, DELAY = "topology.bottleneck.rate", "topology.bottleneck.delay"


@pytest.fixture
def joined(small: windlass.Scenario) -> windlass.Scenario:
    """The small scenario over two algorithms on three paths whose rate and delay go together."""
    return small.with_({"sweep": {"flows.algorithm": ["newreno", "westwood-plus"], **PATHS}})


def test_keys_that_go_together_have_a_column_each(joined: windlass.Scenario, tmp_path: Path) -> None:
    result = joined.sweep(seeds=2, store=tmp_path / "store")
    assert result.axes == ["flows.algorithm", RATE, DELAY]
    rows = [tuple(row[key] for key in result.axes) for row in result.summary().to_pylist()]
    steps = [tuple(float(value.split()[0]) for value in step) for step in next(iter(PATHS.values()))]
    assert rows == [(name, *step) for name in ("newreno", "westwood-plus") for step in steps]
    again = joined.sweep(seeds=2, store=tmp_path / "store")
    assert all(run.stored for run in again)
    saved = windlass.output.read_sweep(result.write(tmp_path / "out"))
    assert saved.axes == result.axes
    assert saved.flows.equals(result.flows)


def test_in_a_file_in_python_and_on_the_command_line(
    joined: windlass.Scenario, small_file: Path, command: Command, work: Path
) -> None:
    text = '\n[sweep]\n"flows.algorithm" = ["newreno", "westwood-plus"]\n'
    text += f'"{RATE}, {DELAY}" = [["1 Mbps", "100 ms"], ["2 Mbps", "50 ms"], ["9 Mbps", "9 ms"]]\n'
    (work / "file.toml").write_text(small_file.read_text() + text)
    keys = [point.key(1) for point in joined.points()]
    assert [point.key(1) for point in windlass.load("file.toml").points()] == keys
    document = joined.composed()
    built = windlass.Scenario(
        duration="5 s",
        topology=document["topology"],
        flows=document["flows"],
        sweep={"flows.algorithm": ["newreno", "westwood-plus"], **PATHS},
    )
    assert [point.key(1) for point in built.points()] == keys
    value = '[["1 Mbps", "100 ms"], ["2 Mbps", "50 ms"], ["9 Mbps", "9 ms"]]'
    sets = [
        "--set",
        'sweep."flows.algorithm"=["newreno", "westwood-plus"]',
        "--set",
        f'sweep."{RATE}, {DELAY}"={value}',
    ]
    done = command("sweep", str(small_file), *sets, "--seeds", "1")
    assert done.exit_code == 0, done.output
    assert [line.split()[:5] for line in done.stdout.splitlines() if " Mbps " in line][4] == [
        "westwood-plus", "2", "Mbps", "50", "ms",
    ]  # fmt: skip


def test_a_figure_along_one_key_names_the_other(joined: windlass.Scenario) -> None:
    result = joined.sweep(seeds=1, store=False)
    figure = windlass.plot(result, x=RATE)
    assert figure.axes[0].get_xlabel().replace("\n", " ") == (
        "rate of the bottleneck (Mbps), with delay of the bottleneck from 100 ms to 9 ms"
    )
    assert len(figure.axes) == 1
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["NewReno", "Westwood+"]
    assert [len(line.lines[0].get_xdata()) for line in figure.axes[0].containers] == [3, 3]
    # the other way round the rate falls from the first place to the last
    assert "from 9 Mbps to 1 Mbps" in windlass.plot(result, x=DELAY).axes[0].get_xlabel().replace("\n", " ")
    grid = windlass.plot(result, "heatmap", x=RATE)
    assert len(grid.axes) == 2  # one panel and the scale
    assert any("with delay of the bottleneck" in text.get_text() for text in grid.findobj(Text))


def test_a_comparison_on_paths_whose_keys_go_together(joined: windlass.Scenario) -> None:
    found = windlass.compare(joined, ["newreno", "cerl"], seeds=1, neighbour=False, store=False)
    steps = [tuple(step) for step in next(iter(PATHS.values()))]
    assert [tuple(one.axes.values()) for one in found.outcomes] == [step for step in steps for _ in range(2)]


def test_the_algorithm_of_a_group_is_compared_apart_from_what_goes_with_it() -> None:
    from windlass.compare.running import _without

    name = "flows.algorithm"
    assert _without(name, name, ["a", "b"]) is None
    assert _without(name, "x", [1, 2]) == ("x", [1, 2])
    assert _without(name, f"{name}, x", [["a", 1], ["b", 1], ["a", 2]]) == ("x", [1, 2])
    assert _without(name, f"x, {name}, y", [[1, "a", 2], [1, "b", 3]]) == ("x, y", [[1, 2], [1, 3]])
