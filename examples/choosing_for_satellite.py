# %% [markdown]
# # Choosing for an operator: a proxy in front of a satellite and of an LTE cell
#
# An operator's proxy runs CUBIC. Two kinds of customers are behind it: one over a geostationary satellite, half a
# second of round trip and one packet in a hundred lost at random, and one over an LTE downlink whose rate changes all
# the time behind a deep buffer. Which algorithm gains for both, what does it cost whoever stays with NewReno, and how
# sure is that?

# %%
import windlass
from windlass import plots

satellite = windlass.load("satellite").with_(
    {
        "scenario.duration": "60 s",
        "scenario.warmup": "15 s",
        "scenario.seeds": 5,
        "topology.bottleneck.loss.rate": "1 %",
    }
)
lte = windlass.load("cellular").with_(
    {"scenario.duration": "20 s", "scenario.seeds": 5, "flows.start": "uniform(0 s, 1 s)", "output.traces": []}
)
answer = windlass.compare([satellite, lte], ["cubic", "hybla", "bbr3"], baseline="cubic")
answer

# %%
# Up and to the left is better: more goodput, less waiting.
figure = windlass.plot(answer)
plots.save(figure, "figures/choosing.png")
figure

# %%
# For whoever decides: one page with the answer, the figure and what it rests on.
print(answer.write("figures/choosing.html"))
for sentence in answer.answer:
    print(sentence.text)
