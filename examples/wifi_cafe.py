# %% [markdown]
# # Wi-Fi: a slow station in a café, and a train between base stations
#
# Why is the whole café slow when one laptop sits far from the access point? And what does a handover do to a window?

# %%
import windlass
from windlass import plots

cafe = windlass.load("slow-station").with_({"scenario.duration": "6 s", "scenario.seeds": 2})
run = cafe.points()[-1].run(1)
run

# %%
# Shares of the air. Each station has as many turns as the others, and a slow one needs longer for each.
figure = windlass.plot(cafe.with_(cafe.points()[-1].axes), "airtime")
plots.save(figure, "figures/wifi-airtime.png")
figure

# %%
# A train passes base stations. The rate falls with the distance from each; at the two handovers, where it is lowest,
# nothing gets through for 200 ms, and CUBIC starts again.
train = windlass.load("train").with_({"flows.algorithm": "cubic", "topology.handover.queue_at_old": "lost"})
figure = windlass.plot(train, "throughput", bin_s=1.0, title="CUBIC on a train, handovers at 22 and 62 s")
plots.save(figure, "figures/wifi-handover.png")
figure
