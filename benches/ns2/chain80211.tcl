# Chain of 802.11 nodes for the speed comparison, the twin of `windlass-bench`'s W5:chain:N.
#   ns chain80211.tcl key value ...
# One NewReno flow from end to end. Routes are found by AODV: ns-2 has no static ones for mobile nodes.
source [file join [file dirname [info script]] radio80211.tcl]
array set o { nodes 9  space 200  rp AODV }
options $argv
medium $o(nodes) [expr {($o(nodes) - 1) * $o(space)}]
for {set i 0} {$i < $o(nodes)} {incr i} { station $i [expr {$i * $o(space)}] 0.0 }
transfer 0 [expr {$o(nodes) - 1}]
run
