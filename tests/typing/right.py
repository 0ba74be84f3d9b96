"""What a typed project does with Windlass. `mypy --strict` finds nothing wrong here; `wrong.py` is the other half."""

from collections.abc import Mapping
from pathlib import Path
from typing import assert_type

import windlass
from windlass import plots, reproduce, stats
from windlass.compare import Comparison, Outcome
from windlass.interval import Interval


class Gentle(windlass.CongestionControl):
    """A typed algorithm."""

    def __init__(self, kept: float = 0.7) -> None:
        self.kept = kept

    def on_ack(self, ack: windlass.Ack, path: windlass.Path) -> None:
        if ack.grows and path.rtt_min > 0.0:
            self.cwnd += self.reno_increase(ack, path)

    def on_congestion(self, event: windlass.Congestion, path: windlass.Path) -> windlass.Response | None:
        self.cwnd, self.ssthresh = event.keep(self.kept)
        return windlass.Response.REDUCED


def describe() -> windlass.Scenario:
    bottleneck = windlass.Link(rate="10 Mbps", delay="20 ms", queue={"discipline": "codel", "limit": "60 packets"})
    return windlass.Scenario(
        duration="20 s",
        topology=windlass.Dumbbell(pairs=2, access=windlass.Link(rate="1 Gbps", delay="1 ms"), bottleneck=bottleneck),
        flows=[windlass.Flow(from_="left/*", to="right/*", algorithm=windlass.register(Gentle), multipath=None)],
        seeds=[1, 2, 3],
        sweep={"topology.bottleneck.rate, topology.bottleneck.delay": [["1 Mbps", "9 ms"], ["2 Mbps", "5 ms"]]},
    )


def use(scenario: windlass.Scenario, out: Path) -> Mapping[str, float]:
    point = scenario.points()[0]
    assert_type(point.key(1), str)
    run = windlass.run(scenario.with_({"topology.bottleneck.rate": "1 Mbps"}), seed=1)
    assert_type(run, windlass.RunResult)
    result = windlass.sweep(scenario, seeds=3, jobs=2, store=False, progress=lambda done, total: None)
    assert_type(result, windlass.SweepResult)
    assert_type([one.seed for one in result], list[int])
    windlass.sweep(scenario, progress=False, precision=0.02, metric="goodput_bps")
    plots.save(windlass.plot(result, "heatmap", width="1col", labels={"x": "rate"}), out / "figure.pdf")
    windlass.plot(run, "cwnd", flows=["flow/0", "flow/1"], bin_s=0.1)
    answer = windlass.compare([scenario, "lossy-dumbbell", out], ["newreno", {"name": "cerl"}], queues=["codel"])
    assert_type(answer, Comparison)
    assert_type(answer.take, str | None)
    best: Outcome = max(answer.outcomes, key=lambda outcome: outcome.goodput_bps.mean)
    assert_type(best.goodput_bps, Interval)
    assert_type(result.write(out), Path)
    made = reproduce.main("saedi2019/fig3.5", quick=True, progress=None)
    if isinstance(made, reproduce.Reproduction):
        assert_type(made.report, Path)
    return {outcome.algorithm: outcome.goodput_bps.mean for outcome in answer.outcomes}


def gain(first: list[float], second: list[float]) -> tuple[float, float]:
    ratio = stats.paired_ratio(first, second)
    assert_type(ratio, Interval)
    return ratio.lo, ratio.hi
