"""The base setting of an experiment in words."""

from __future__ import annotations

from windlass.reproduce.plan import Plan

PROFILES = {
    "ns2": "ns2: engine rules of ns-2.35's one-way agents",
    "rfc": "rfc: the current RFCs",
    "linux": "linux: Linux 6.1",
}


def base_words(plan: Plan, seeds: str) -> list[tuple[str, str]]:
    """What the runs assume, by open parameter, where the ledger has words for it."""
    scenario = plan.jobs[0].case.scenario
    numbers = {"{duration}": f"{plan.duration_s:g} s", "{seeds}": seeds}
    profile = scenario.composed()["scenario"].get("profile", "rfc")
    words = [("profile", PROFILES.get(profile, profile))]
    for key in plan.book.open:
        if key in plan.experiment.open:
            text = plan.book.open[key].effect(plan.experiment).as_run
            for name, number in numbers.items():
                text = text.replace(name, number)
            words += [(key, text)] if text else []
    return words
