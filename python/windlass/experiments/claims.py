"""What claims need beside their own experiment."""

from __future__ import annotations

from collections.abc import Iterable

from windlass.ledger import Claim, Experiment, Ledger
from windlass.ledger.model import plain_name
from windlass.verdicts import derived


def partners(ledger: Ledger, claims: Iterable[Claim], experiment: Experiment) -> dict[str, set[str]]:
    """Other experiments that the claims compare with, and the variants that are needed of them."""
    needed: dict[str, set[str]] = {}
    for claim in claims:
        for check in (claim.check, *claim.check.also):
            if check.kind != "cross" or check.get("largest_of"):
                continue
            for side in ("a", "b"):
                other = check[f"{side}_from"]
                names = [check[side]] if isinstance(check[side], str) else list(check[side])
                if isinstance(other, str) and other != experiment.id:
                    wanted = needed.setdefault(other, set())
                    wanted.update(plain_name(name) for name in names)
                    if derived(str(check["metric"])):
                        wanted.update(ledger.experiments[other].variants)
    return needed
