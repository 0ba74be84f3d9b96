# Cell of 802.11 stations for the speed comparison, the twin of `windlass-bench`'s W5:cell:N.
#   ns cell80211.tcl key value ...
# A NewReno flow from each of n stations on a circle to the node in its middle; one hop, so there is no routing.
source [file join [file dirname [info script]] radio80211.tcl]
array set o { n 10  radius 20  rp DumbAgent }
options $argv
medium [expr {$o(n) + 1}] [expr {2 * $o(radius)}]
station 0 $o(radius) $o(radius)
for {set i 1} {$i <= $o(n)} {incr i} {
  set turn [expr {8 * atan(1) * ($i - 1) / $o(n)}]
  station $i [expr {$o(radius) * (1 + cos($turn))}] [expr {$o(radius) * (1 + sin($turn))}]
}
for {set i 1} {$i <= $o(n)} {incr i} { transfer $i 0 }
run
