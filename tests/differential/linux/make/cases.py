"""What is run: lists of lost packets, settings, paths, families."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

MSS = 1448


@dataclass(frozen=True)
class Losses:
    """Data packets that are lost at the lossy hop, and what goes with them.

    `drops` are numbers, the first is 1, retransmissions count; an int n means every n-th. `retransmissions` is how many
    retransmissions of packet 60 are lost as well; their numbers are found by running without them first.
    """

    drops: tuple[int, ...] | int = ()
    retransmissions: int = 0
    segments: int = 0  # of a limited transfer
    seconds: int = 15
    queue: int = 100
    rate: str = "8mbit"
    delay: str = "50ms"


LISTS = {
    "none": Losses(),
    "one": Losses((60,)),
    "three": Losses((60, 62, 64)),
    "burst4": Losses((60, 61, 62, 63)),
    "lost-rtx": Losses((60,), retransmissions=1),
    "tail-1": Losses((200,), segments=200, seconds=6),
    "every-200th": Losses(200),
    "queue20": Losses(queue=20),
    "first": Losses((1,)),
    "slow": Losses((60, 61), queue=30, rate="2mbit", delay="10ms"),
    "tail-probe": Losses((200, 201), segments=200, seconds=8),
    "every-10th": Losses(10),
    "every-20th": Losses(20),
    "near": Losses((40, 90, 400, 402, 700, 1100, 2200, 2201), queue=30, rate="15mbit", delay="5ms"),
}
"""Add a row to make more cases."""

SETTINGS = {
    "": "",
    "norack": "tcp_recovery=0 tcp_early_retrans=0",
    "nosack": "tcp_sack=0",
    "nots": "tcp_timestamps=0",
}
"""Variants: settings of both ends beside the kernel's defaults."""


@dataclass(frozen=True)
class Path:
    """A bottleneck and a delay, as `tc` writes them."""

    rate: str = "8mbit"
    delay: str = "50ms"
    queue: int = 100


EVERYONE = ["reno", "cubic", "bbr", "bic", "htcp", "hybla", "illinois", "vegas", "veno", "westwood", "yeah"]

PATHS = {"A": Path(delay="60ms", queue=80)}
"""Paths of the runs with random loss."""


@dataclass(frozen=True)
class Case:
    """One run: without randomness if `losses` is given, else with random loss of `loss_percent`."""

    name: str
    algorithm: str
    path: Path
    seconds: int
    seed: int = 1
    list_name: str = ""
    variant: str = ""
    losses: Losses | None = None
    path_name: str = ""
    loss_percent: str = "0"

    def with_drops(self, drops: Sequence[int]) -> Case:
        """The same with another list."""
        assert self.losses is not None
        return replace(self, losses=replace(self.losses, drops=tuple(drops)))


@dataclass(frozen=True)
class Family:
    """Cases that are made by one call."""

    exact: bool
    cases: list[Case] = field(default_factory=list)


def families() -> dict[str, Family]:
    """Every family by name."""
    exact = [
        *without_randomness(["reno", "cubic", "bbr"], list(LISTS)[:8]),
        *without_randomness(["reno", "cubic"], ["slow", "tail-probe"]),
        *without_randomness(["reno"], ["first"]),
        *without_randomness(["westwood"], ["one"]),
        *without_randomness(["bic", "htcp", "veno", "westwood"], ["every-200th"]),
        *without_randomness(EVERYONE, ["every-10th"]),
        *without_randomness(["cubic", "illinois"], ["near"]),
        *without_randomness(["reno"], ["one", "none", "lost-rtx", "every-20th"], "norack"),
        *without_randomness(["reno"], ["one", "none", "every-20th"], "nosack"),
        *without_randomness(["reno"], ["one", "none"], "nots"),
    ]
    random = list(with_random_loss("A", ["reno", "cubic", "bbr", "vegas"], ["0", "0.1", "1", "5"]))
    return {"droplist": Family(True, exact), "random": Family(False, random)}


def without_randomness(algorithms: Sequence[str], lists: Sequence[str], variant: str = "") -> Iterator[Case]:
    """Every algorithm with every list."""
    for name in lists:
        losses = LISTS[name]
        for algorithm in algorithms:
            words = [algorithm, variant, name] if variant else [algorithm, name]
            path = Path(losses.rate, losses.delay, losses.queue)
            yield Case("-".join(words), algorithm, path, losses.seconds, list_name=name, variant=variant, losses=losses)


def with_random_loss(path: str, algorithms: Sequence[str], percents: Sequence[str], seeds: int = 5) -> Iterator[Case]:
    """Every algorithm at every loss; without loss nothing is random and one run is enough."""
    for seed in range(1, seeds + 1):
        for percent in percents:
            for algorithm in algorithms if percent != "0" or seed == 1 else []:
                name = f"{path}-{algorithm}-{percent}-{seed}"
                yield Case(name, algorithm, PATHS[path], 30, seed, path_name=path, loss_percent=percent)
