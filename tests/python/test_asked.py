"""What a claim asks of the runs is said on its page, part by part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from windlass import ledger
from windlass.ledger import Check, Claim
from windlass.report.asked import asked_words, parts_words
from windlass.report.language import Language
from windlass.reproduce import cautions, running
from windlass.reproduce.plan import Plan


def claims() -> Iterator[tuple[ledger.Ledger, Claim]]:
    for paper in ledger.papers():
        book = ledger.load(paper)
        yield from ((book, claim) for name in book.experiments for claim in book.claims_of(name))


def test_every_claim_of_the_papers_says_what_it_asks() -> None:
    silent = []
    for book, claim in claims():
        language = Language(book, book.experiments[claim.experiment])
        parts = [claim.check, *claim.check.also]
        words = parts_words(claim.check) if claim.check.also else [asked_words(claim.check)]
        for text, part in zip(words, parts, strict=True):
            if not text and part.get("measurable") is not False:
                silent.append(claim.id)
            said = language.sentence(text)
            assert not any(f" {key} " in f" {said} " for key in book.variants if "_" in key or "-" in key), said
            assert "_" not in said, said
    assert silent == []


@pytest.mark.parametrize(
    ("claim", "part", "said"),
    [
        ("huq2024/table5/7", 0, "at least 0.1555 and at most 0.3652, printed 0.2355 to 0.2852, widened by our slack"),
        ("rana/fig5/9", 2, "Westwood+: 1 ± 10 %"),
        ("dalal2015/fig11a/2", 1, "down, steps against it up to 10 %, at frame error rate = 0.1 % to 10 %"),
        ("dalal2015/fig8/4", 0, "a lead of at least 5 %"),
        ("saedi2019/fig4.6/1", 0, "CERL+ in figure 4.6 above CERL in figure 3.5, by at least 3 %"),
        ("saedi2019/fig3.1/1", 1, "Cuts of the window: Reno: exactly 3"),
        ("janevski2012/fig3/7", 0, "duplicate ACK threshold = 6, 8, 9, 10, 4, 7"),
        ("huq2024/friend/3", 0, "equal, cell by cell"),
    ],
)
def test_a_part_is_said_with_what_it_allows(claim: str, part: int, said: str) -> None:
    book, found = next((book, one) for book, one in claims() if one.id == claim)
    words = parts_words(found.check) if found.check.also else [asked_words(found.check)]
    assert said in Language(book, book.experiments[found.experiment]).sentence(words[part])


def test_an_order_and_its_opposite() -> None:
    fields = {"metric": "throughput", "best_first": ["a", "b", "c"], "min_tau": 0.6, "tie_rel": 0.03}
    assert asked_words(Check("order", fields)).startswith(
        "highest first: a, then b, then c, Kendall's tau at least 0.6"
    )
    grouped = Check("order", {**fields, "groups": [["a", "b"], ["c"]], "lower_is_better": True, "negate": True})
    assert asked_words(grouped).startswith("not lowest first: a and b, then c")
    assert asked_words(replace(grouped, kind="unknown")) == ""


def plan_of(experiment: str) -> Plan:
    return running._plan(*ledger.experiment(experiment), running.Asked(None, False, ""))


def test_senders_without_headers_are_named() -> None:
    """ns-2's Vegas sends segments of 1000 B as 1000 B, the others as 1040 or 1050 B."""
    (text,) = cautions._without_headers(plan_of("huq2024/fig7"))
    assert text.startswith("vegas: segments carry no header")
    assert "5.0 % more" in text
    assert cautions._without_headers(plan_of("saedi2019/fig3.5")) == []
