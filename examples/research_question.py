# %% [markdown]
# # A research question: what does it cost to take every loss for congestion?
#
# Four flows share 10 Mbit/s of a radio link. NewReno halves its window at every loss, Veno and CERL ask first whether
# a queue was building up, Westwood+ sets the window to what the path has delivered. How much goodput is that worth,
# and how often do they judge wrongly?

# %%
import windlass
from windlass import Dumbbell, Flow, Link, Scenario, plots, stats

path = Scenario(
    name="research",
    duration="20 s",
    warmup="5 s",
    seeds=5,
    topology=Dumbbell(
        pairs=4,
        access=Link(rate="100 Mbps", delay="5 ms"),
        bottleneck=Link(rate="10 Mbps", delay="20 ms", queue="60 packets", loss="1 %"),
    ),
    flows=Flow(from_="left/*", to="right/*", algorithm="newreno", start="uniform(0 s, 1 s)"),
    sweep={
        "flows.algorithm": ["newreno", "veno", "westwood-plus", "cerl"],
        "topology.bottleneck.loss.rate": ["0.1 %", "0.5 %", "2 %", "5 %"],
    },
)
result = windlass.sweep(path)
result

# %%
# The dotted line is the square-root law of Mathis et al. for an ideal Reno: whoever is above it does not take every
# loss for congestion.
figure = windlass.plot(result)
plots.save(figure, "figures/research-goodput.png")
figure


# %%
# With equal seeds all algorithms meet the same random losses, so the gain is taken seed by seed.
def goodput(algorithm: str, loss: str) -> dict[int, float]:
    """Mean goodput of a flow by seed, bit/s."""
    point = {"flows.algorithm": algorithm, "topology.bottleneck.loss.rate": loss}
    runs = (run for run in result if run.axes == point)
    return {run.seed: sum(run.flows["goodput_bps"].to_pylist()) / run.flows.num_rows for run in runs}


for name in ("veno", "westwood-plus", "cerl"):
    gain = stats.paired_ratio(*stats.paired(goodput(name, "2 %"), goodput("newreno", "2 %")))
    print(f"{name} over newreno at 2 % loss: {gain.mean:.2f} times ({gain.lo:.2f} to {gain.hi:.2f})")

# %%
# How wrong they were is known, since the simulator knows why each packet was lost.
judged = windlass.compare(path.with_({"topology.bottleneck.loss.rate": "2 %"}), ["newreno", "veno", "cerl"])
judged
