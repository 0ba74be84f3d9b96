"""The part of the script that prints what each flow did."""

from __future__ import annotations

RESULT = "windlass-flow"
"""First word of the lines with results."""

RESULT_COLUMNS = ("flow", "delivered", "acknowledged", "sent", "retransmitted", "timeouts", "cuts")
"""What follows it: the flow's place and counts, all of segments but for the last two."""


def results(full: bool) -> list[str]:
    """Lines that print each flow's counts at the end."""
    return [
        "proc results {} {",
        "    global flows full" if full else "    global flows",
        "    set i 0",
        *(["    set place -1"] if full else []),
        "    foreach {sender receiver syn whole} $flows {",
        *(_FULL_RESULTS if full else []),
        "        if {$whole == 0} {",
        "            set arrived [$receiver set npkts_]",
        f'            puts "\\n{RESULT} $i $arrived 0 [expr {{$arrived + [$receiver set nlost_]}}] 0 0 0"',
        "            incr i",
        "            continue",
        "        }",
        "        set delivered [expr {([$receiver set bytes_] - $syn) / $whole}]",
        "        if {$delivered < 0} { set delivered 0 }",
        "        set acknowledged [$sender set ack_]",
        "        if {$acknowledged < 0} { set acknowledged 0 }",
        f'        puts "\\n{RESULT} $i [format %.0f $delivered] $acknowledged [$sender set ndatapack_]\\',
        '            [$sender set nrexmitpack_] [$sender set nrexmit_] [$sender set ncwndcuts_]"',
        "        incr i",
        "    }",
        "    flush stdout",
        "    exit 0",
        "}",
    ]


def radio_results() -> list[str]:
    """The same where routing makes packets longer: what is acknowledged counts, and what came before ``remember``.

    Segments acknowledged are at most one RTT behind those that have arrived.
    """
    return [
        "proc delivered {sender receiver whole} {",
        "    if {$whole == 0} { return [$receiver set npkts_] }",
        "    set count [$sender set ack_]",
        "    return [expr {$count < 0 ? 0 : $count}]",
        "}",
        "proc remember {} {",
        "    global flows before",
        "    set i 0",
        "    foreach {sender receiver syn whole} $flows {",
        "        set before($i) [delivered $sender $receiver $whole]",
        "        incr i",
        "    }",
        "}",
        "proc results {} {",
        "    global flows before",
        "    set i 0",
        "    foreach {sender receiver syn whole} $flows {",
        "        set count [expr {[delivered $sender $receiver $whole] - $before($i)}]",
        "        if {$whole == 0} {",
        f'            puts "\\n{RESULT} $i $count 0 0 0 0 0"',
        "        } else {",
        f'            puts "\\n{RESULT} $i $count $count [$sender set ndatapack_]\\',
        '                [$sender set nrexmitpack_] [$sender set nrexmit_] [$sender set ncwndcuts_]"',
        "        }",
        "        incr i",
        "    }",
        "    flush stdout",
        "    exit 0",
        "}",
    ]


_FULL_RESULTS = (
    "        incr place",
    "        if {[info exists full($place)]} {",
    "            foreach end [concat $sender $full($place)] {",
    "                set acknowledged [expr {([$end set ack_] - 1) / $whole}]",
    "                if {$acknowledged < 0} { set acknowledged 0 }",
    f'                puts "\\n{RESULT} $i $acknowledged $acknowledged [$end set ndatapack_]\\',
    '                    [$end set nrexmitpack_] [$end set nrexmit_] [$end set ncwndcuts_]"',
    "                incr i",
    "            }",
    "            continue",
    "        }",
)
"""A line for each end of FullTcp that sends. It counts no bytes received: what is acknowledged is up to one RTT
behind."""
