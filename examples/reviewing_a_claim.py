# %% [markdown]
# # Reviewing: does a paper's claim hold?
#
# A paper explains its results by what RED does to packets of different sizes: in packet mode all see the same drop
# rate, and in byte mode flows of equal bit rate lose as many packets whatever their size. Both statements are in the
# ledger that comes with Windlass, with the experiment that can decide them. Here that is run again with few points and
# seeds, and each statement gets a verdict.

# %%
from windlass import reproduce

made = reproduce.main("rana/red-mode", quick=True, out="figures/rana-red-mode")
assert isinstance(made, reproduce.Reproduction)
made

# %%
# What each verdict rests on is in the report, one file that needs no network.
for outcome in made.outcomes:
    print(f"{outcome.judgement.verdict}: {outcome.claim.text}")
print(made.report)
