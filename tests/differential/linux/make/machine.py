"""Boot one instance of the kernel in virtual time and run a case in it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from cases import MSS, Case

HERE = Path(__file__).resolve().parent
KERNEL = Path(os.environ.get("UML", HERE / "linux.uml"))
START_NS = "1700000000000000000"


def boot(case: Case, folder: Path, settings: str = "") -> None:
    """Run a case; what the instance leaves is in the folder then."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    (folder / "conf").write_text(configuration(case, settings), encoding="utf-8")
    command = ["nice", "-n", "5", "setarch", "-R", str(KERNEL), "mem=320M", "rootfstype=hostfs", "hostfs=/"]
    command += ["root=/dev/root", "ro", f"init={HERE}/guest.sh", "con=null", "con0=null,fd:1", "quiet"]
    command += ["time-travel=inf-cpu", f"time-travel-start={START_NS}", f"WL_DIR={folder}"]
    environment = os.environ | {"LD_PRELOAD": f"{HERE}/fixrand.so", "WL_SEED": str(case.seed)}
    console = folder / "console"
    with console.open("w", encoding="utf-8") as out:
        subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            timeout=560,
            check=False,  # the instance ends by switching itself off
        )
    said = console.read_text(encoding="utf-8", errors="replace")
    if "NFT_FAILED" in said or not (folder / "r.snd.netstat").exists():
        raise RuntimeError(f"{case.name}: {said[-400:]}")


def configuration(case: Case, settings: str) -> str:
    """The settings that `guest.sh` reads."""
    losses = case.losses
    size = MSS * losses.segments if losses is not None else 0
    values = {
        "FLOW_BIN": f"{HERE}/wl_flow",
        "RATE": case.path.rate,
        "QLEN": str(case.path.queue),
        "OWD": case.path.delay,
        "T": str(case.seconds),
        "BUF": "1048576",
        "CAPTURE": "1" if losses is not None else "0",
        "FLOWS": f"{case.algorithm}:{size}:0",
        "SYSCTLS": settings,
        # without timestamps segments would be longer
        "MAXSEG": str(MSS) if "tcp_timestamps=0" in settings else "",
        "DROP_DATA": rule_of(losses.drops) if losses is not None and losses.drops else "",
        "LOSS": "" if case.loss_percent == "0" else case.loss_percent,
    }
    return "".join(f"export {name}='{value}'\n" for name, value in values.items() if value)


def rule_of(drops: tuple[int, ...] | int) -> str:
    """Which packets nftables drops; it counts from 0."""
    if isinstance(drops, int):
        return f"mod {drops} == {drops - 1}"
    return "mod 100000000 { " + ", ".join(str(number - 1) for number in drops) + " }"
