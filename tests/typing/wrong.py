"""Mistakes that `mypy --strict` must find, each on a line that names the kind of error; and no others."""

import windlass

windlass.run("lossy-dumbbell")  # error: arg-type
windlass.sweep(windlass.load("satellite"), seeds="10")  # error: arg-type
windlass.sweep(windlass.load("satellite"), progress="yes")  # error: arg-type
windlass.sweep(windlass.load("satellite"), thread=2)  # error: call-arg
windlass.compare("satellite", "newreno cubic", seeds=2.5)  # error: arg-type
windlass.plot(3)  # error: arg-type
windlass.plot("satellite", "cwnd", flow="flow/0")  # error: call-arg
windlass.Link(rate=8e6)  # error: arg-type
windlass.Dumbbell(bottleneck=windlass.Link())  # error: call-arg
windlass.Flow(from_="a", to="b", multipath="two")  # error: arg-type
windlass.Scenario(duration=20, topology={}, flows=[])  # error: arg-type
seed: str = windlass.load("satellite").run(1).seed  # error: assignment
name: int = windlass.load("satellite").name  # error: assignment
windlass.load("satellite").points()[0].keys(1)  # error: attr-defined
windlass.Throughput()  # error: attr-defined


class Mine(windlass.CongestionControl):
    def on_ack(self, ack: float, path: windlass.Path) -> None:  # error: override
        self.cwnd += ack

    def on_congestion(self, event: windlass.Congestion, path: windlass.Path) -> windlass.Response | None:
        self.cwnd = event.keep(0.5)  # error: assignment
        return "reduced"  # error: return-value
