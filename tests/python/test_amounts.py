"""Counts, times and sizes in words, and the numbers of tables that are written with them."""

from __future__ import annotations

import pytest

import windlass
from windlass.amounts import counted, digits, size_text, time_text


@pytest.mark.parametrize("seconds", [1e-9, 0.0, 0.5, 59.0, 99.9, 100.0, 119.9, 120.0, 5e3, 9.99e4, 1e7, 1e12])
def test_no_time_has_an_exponent(seconds: float) -> None:
    assert "e" not in time_text(seconds).replace("minutes", "").replace("us", "")


def test_times_sizes_and_counts() -> None:
    assert [time_text(value) for value in (119.6, 100.0, 0.03, 7200.0, 5e6)] == [
        "120 s", "100 s", "30 ms", "2 hours", "57.9 days",
    ]  # fmt: skip
    assert [size_text(value) for value in (999.0, 1e3, 1_110_000.0, 999_999.0, 2.5e12)] == [
        "999 B", "1 kB", "1.11 MB", "1 MB", "2.5 TB",
    ]  # fmt: skip
    assert (counted(0, "run"), counted(1, "run"), counted(2, "run")) == ("0 runs", "1 run", "2 runs")
    assert (digits(123_456.0), digits(1e3, 2), digits(1e-5), digits(-12.34)) == ("123000", "1000", "0.00001", "-12.3")


def test_a_large_path_is_told_without_exponents() -> None:
    from windlass import summary

    fast = windlass.load("single-flow-cwnd", {"topology.bottleneck.rate": "9 Gbps", "topology.access.rate": "10 Gbps"})
    told = "\n".join(summary.lines(fast, fast.points()))
    assert "e+" not in told
    assert "MB" in told  # the product
