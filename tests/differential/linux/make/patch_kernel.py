"""Prepare an unpacked source tree of Linux 6.1 for the reference runs. usage: patch_kernel.py TREE

1. The kernel's command line does not go into the pool of random numbers: path names would change them.
2. The timer frequency of user-mode Linux is 1000 Hz; there is no menu entry for it.
3. Observers that only read (tcp_observe.c) are called at ACKs and timers.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
OBSERVER = "void tcp_observe(struct sock *sk, char ev);\n"


class Source:
    """A file of the tree."""

    def __init__(self, tree: Path, name: str) -> None:
        self.file = tree / name
        self.text = self.file.read_text(encoding="utf-8")

    def place(self, text: str, after: int = 0) -> int:
        """Where a text begins; the tree is another version if it does not occur."""
        found = self.text.find(text, after)
        if found < 0:
            raise SystemExit(f"{self.file}: `{text}` not found: is this Linux 6.1?")
        return found

    def replace(self, old: str, new: str) -> None:
        """Put a text in the place of another."""
        self.place(old)
        self.text = self.text.replace(old, new, 1)

    def insert(self, place: int, text: str) -> None:
        """Put a text into a place."""
        self.text = self.text[:place] + text + self.text[place:]

    def save(self) -> None:
        """Write it."""
        self.file.write_text(self.text, encoding="utf-8")


def observe_acks(tree: Path) -> None:
    """After an ACK was processed."""
    source = Source(tree, "net/ipv4/tcp_input.c")
    arguments = "(struct sock *sk, const struct sk_buff *skb, int flag)\n{"
    source.replace("static int tcp_ack" + arguments, "static int tcp_ack_core" + arguments)
    begin = source.place("static int tcp_ack_core(")
    end = source.place("\n}\n", begin) + 3
    wrapper = "static int tcp_ack" + arguments
    wrapper += "\n\tint r = tcp_ack_core(sk, skb, flag);\n\ttcp_observe(sk, 'A');\n\treturn r;\n}\n"
    source.insert(end, wrapper)
    source.insert(begin, OBSERVER)
    source.save()


def observe_at(tree: Path, name: str, function: str, place: str, event: str, skip: int = 0) -> None:
    """At a place of a function."""
    source = Source(tree, name)
    begin = source.place(function)
    source.insert(source.place(place, begin) + skip, f"\n\ttcp_observe(sk, '{event}');")
    source.insert(begin, OBSERVER)
    source.save()


def main() -> None:
    """Change the tree that the command line names."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    tree = Path(sys.argv[1])
    changes = {
        "drivers/char/random.c": ("\t_mix_pool_bytes(command_line, strlen(command_line));\n", ""),
        "arch/um/Kconfig": ("config HZ\n\tint\n\tdefault 100\n", "config HZ\n\tint\n\tdefault 1000\n"),
        "net/ipv4/Makefile": ("obj-y     := ", "obj-y     := tcp_observe.o "),
    }
    for name, (old, new) in changes.items():
        source = Source(tree, name)
        source.replace(old, new)
        source.save()
    shutil.copy(HERE / "tcp_observe.c", tree / "net/ipv4/tcp_observe.c")
    observe_acks(tree)
    observe_at(tree, "net/ipv4/tcp_timer.c", "void tcp_retransmit_timer(struct sock *sk)\n{", "\nout:;\n", "T")
    counted = "\t\t__NET_INC_STATS(sock_net(sk), LINUX_MIB_DELAYEDACKS);"
    observe_at(tree, "net/ipv4/tcp_timer.c", "void tcp_delack_timer_handler(", counted, "D", len(counted))
    rearmed = "rearm_timer:\n\ttcp_rearm_rto(sk);"
    observe_at(
        tree, "net/ipv4/tcp_output.c", "void tcp_send_loss_probe(struct sock *sk)\n{", rearmed, "P", len(rearmed)
    )
    observe_at(tree, "net/ipv4/tcp_recovery.c", "void tcp_rack_reo_timeout(", "\n}\n", "K")


if __name__ == "__main__":
    main()
