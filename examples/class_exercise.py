# %% [markdown]
# # A class exercise: three windows in one figure
#
# Exercise: one link of 10 Mbit/s with a base round trip of 44 ms and a queue of 30 packets. (a) How large is the
# window at which the queue overflows? (b) What does each sender do then? (c) Why does Vegas never get there, and who
# pays for that when all three share the link?

# %%
import windlass
from windlass import Dumbbell, Flow, Link, Scenario, plots


def scenario(*algorithms: str) -> Scenario:
    """One sender of each algorithm over the same bottleneck."""
    return Scenario(
        name="class",
        duration="30 s",
        topology=Dumbbell(
            pairs=3,
            access=Link(rate="100 Mbps", delay="1 ms"),
            bottleneck=Link(rate="10 Mbps", delay="20 ms", queue="30 packets"),
        ),
        flows=[
            Flow(name=name, from_=f"left/{at}", to=f"right/{at}", algorithm=name) for at, name in enumerate(algorithms)
        ],
    )


# %%
# Each alone first. The dashed line is the BDP (37 packets); above it the queue fills, and at BDP + queue it
# overflows.
for name in ("newreno", "cubic", "vegas"):
    figure = windlass.plot(scenario(name))
    plots.save(figure, f"figures/class-{name}.png")
figure

# %%
# All three together: the windows in one figure.
together = scenario("newreno", "cubic", "vegas")
figure = windlass.plot(together, "cwnd", flows="*", title="Three senders, one queue of 30 packets")
plots.save(figure, "figures/class-windows.png")
figure

# %%
# Everything else about that run as a page of small panels, black on white for the printer.
figure = windlass.plot(together, "all")
plots.save(figure, "figures/class-page.png")
figure
