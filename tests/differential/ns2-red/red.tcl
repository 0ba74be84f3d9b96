# Newreno flows through a RED bottleneck. Prints RESULT with goodput (segments acknowledged per second, all flows, after the
# warm-up), mean queue (packets that wait, over the whole run) and dropped packets, early or by a full buffer.
array set P {n 4 T 220 warm 20 seed 1 bw 10Mb d 20ms q 100 min 5 max 15 w 0.002 linterm 10 gentle true wait true bytes false qib false adaptive 0 ecn false mean 1000}
foreach {k v} $argv { if {![info exists P($k)]} { puts "unknown $k"; exit 2 }; set P($k) $v }
remove-all-packet-headers
add-packet-header IP TCP Flags Common
set ns [new Simulator]
$defaultRNG seed $P(seed)
foreach {k v} [list thresh_ $P(min) maxthresh_ $P(max) q_weight_ $P(w) linterm_ $P(linterm) gentle_ $P(gentle) wait_ $P(wait) bytes_ $P(bytes) queue_in_bytes_ $P(qib) adaptive_ $P(adaptive) setbit_ $P(ecn) mean_pktsize_ $P(mean)] { Queue/RED set $k $v }
set a [$ns node]; set b [$ns node]
$ns simplex-link $a $b $P(bw) $P(d) RED
$ns simplex-link $b $a $P(bw) $P(d) DropTail
$ns queue-limit $a $b $P(q)
$ns queue-limit $b $a 1000
set mon [$ns monitor-queue $a $b ""]
set rv [new RandomVariable/Uniform]; $rv set min_ 0.0; $rv set max_ 1.0
for {set i 0} {$i < 20} {incr i} { $rv value }
for {set i 0} {$i < $P(n)} {incr i} {
  set l [$ns node]; set r [$ns node]
  $ns duplex-link $l $a 100Mb 1ms DropTail; $ns duplex-link $b $r 100Mb 1ms DropTail
  foreach {x y} [list $l $a $a $l $b $r $r $b] { $ns queue-limit $x $y 1000 }
  set t($i) [new Agent/TCP/Newreno]; set s [new Agent/TCPSink]
  $t($i) set packetSize_ 960; $t($i) set window_ 1000; $t($i) set windowInit_ 2; $t($i) set ecn_ $P(ecn)
  $t($i) set tcpTick_ 0.01; $t($i) set minrto_ 0.2
  $ns attach-agent $l $t($i); $ns attach-agent $r $s; $ns connect $t($i) $s
  set f [new Application/FTP]; $f attach-agent $t($i)
  $ns at [$rv value] "$f start"
}
proc acked {} { global t P; set sum 0; for {set i 0} {$i < $P(n)} {incr i} { incr sum [$t($i) set ack_] }; return $sum }
set a0 0
$ns at $P(warm) { set a0 [acked] }
$ns at $P(T) {
  set dt [expr {$P(T) - $P(warm)}]
  set sum [[$mon get-pkts-integrator] set sum_]
  puts "RESULT goodput=[expr {([acked]-$a0)/double($dt)}] queue=[expr {$sum/$P(T)}] drops=[$mon set pdrops_]"
  exit 0
}
$ns run
