# %% [markdown]
# # An algorithm of one's own, in Python
#
# The rule: at a loss keep 70 % of the window, and probe back with half a segment more per round trip than NewReno. Is
# that better on a path that loses packets at random, and is it fair to NewReno?

# %%
import windlass
from windlass import plots


class Gentle(windlass.CongestionControl):
    """NewReno that keeps a given share of its window at a loss and grows by so many segments per round trip."""

    def __init__(self, kept: float = 0.7, step: float = 1.5) -> None:
        self.kept = kept
        self.step = step

    def on_ack(self, ack: windlass.Ack, path: windlass.Path) -> None:
        """Grow, by `step` times what Reno does, outside of slow start."""
        before = self.cwnd
        super().on_ack(ack, path)
        if self.cwnd > self.ssthresh:
            self.cwnd = before + self.step * (self.cwnd - before)

    def on_congestion(self, event: windlass.Congestion, path: windlass.Path) -> windlass.Response:
        """Cut."""
        if event.cause != "dup-acks":
            return super().on_congestion(event, path)
        self.cwnd, self.ssthresh = event.keep(self.kept)
        return windlass.Response.REDUCED


# %%
path = windlass.load("lossy-dumbbell").with_(
    {"scenario.duration": "20 s", "scenario.seeds": 4, "topology.bottleneck.loss.rate": "0.5 %"}
)
name = windlass.register(Gentle)
result = windlass.compare(path, ["newreno", name, f"{name}:kept=0.9"])
result

# %%
# Its window, with the true cause of every cut.
figure = windlass.plot(path.with_({"flows.algorithm": name}))
plots.save(figure, "figures/own-window.png")
figure
