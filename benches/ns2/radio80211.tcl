# What chain80211.tcl and cell80211.tcl share: the numbers of the MAC, nodes, transfers, what is printed.
# One "hop" is one packet (data or ACK) that a node's MAC hands up. With count 1 they are counted by a monitor behind
# each MAC; time runs with count 0. CPU seconds are user and system time of this process.
array set o {
  dur 150  rate 54Mb  basic 6Mb  pkt 512  ifq 50  rts 3000  wnd 32  start 1.0  hdr min  count 0  seed 1
}

proc options {words} {
  global o ns
  foreach {k v} $words {
    if {![info exists o($k)]} { puts stderr "unknown option $k"; exit 2 }
    set o($k) $v
  }
  ns-random $o(seed)
  if {$o(hdr) eq "min"} {
    # keep only the packet headers that are used: the default carries them all
    remove-all-packet-headers
    add-packet-header IP TCP LL Mac ARP AODV Flags
  }
  foreach {name value} [list dataRate_ $o(rate) basicRate_ $o(basic) RTSThreshold_ $o(rts) SlotTime_ 0.000009 \
      SIFS_ 0.000016 CWMin_ 15 CWMax_ 1023 PreambleLength_ 96 PLCPHeaderLength_ 24 PLCPDataRate_ 6.0e6] {
    Mac/802_11 set $name $value
  }
  Agent/TCP set packetSize_ $o(pkt)
  Agent/TCP set window_ $o(wnd)
  set ns [new Simulator]
}

proc medium {nodes extent} {
  global o ns monitors flows
  set monitors {}
  set flows {}
  # mobile nodes insist on a trace file
  $ns trace-all [open /dev/null w]
  set ground [new Topography]
  $ground load_flatgrid [expr {$extent + 100}] [expr {$extent + 100}]
  create-god $nodes
  $ns node-config -adhocRouting $o(rp) -llType LL -macType Mac/802_11 \
    -ifqType Queue/DropTail/PriQueue -ifqLen $o(ifq) -antType Antenna/OmniAntenna \
    -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy -channel [new Channel/WirelessChannel] \
    -topoInstance $ground -agentTrace OFF -routerTrace OFF -macTrace OFF -movementTrace OFF
}

proc station {i x y} {
  global o ns node monitors
  set node($i) [$ns node]
  $node($i) random-motion 0
  $node($i) set X_ [expr {$x + 50.0}]
  $node($i) set Y_ [expr {$y + 50.0}]
  $node($i) set Z_ 0.0
  if {$o(count)} {
    set mac [$node($i) set mac_(0)]
    set monitor [new QueueMonitor]
    set snoop [new SnoopQueue/In]
    $snoop set-monitor $monitor
    $snoop target [$mac up-target]
    $mac up-target $snoop
    lappend monitors $monitor
  }
}

proc transfer {a b} {
  global o ns node flows
  set t [new Agent/TCP/Newreno]
  set s [new Agent/TCPSink]
  $ns attach-agent $node($a) $t
  $ns attach-agent $node($b) $s
  $ns connect $t $s
  set f [new Application/FTP]
  $f attach-agent $t
  $ns at $o(start) "$f start"
  lappend flows $t
}

proc cputime {} {
  set f [open /proc/self/stat r]; set l [read $f]; close $f
  regsub {^.*\) } $l {} l
  return [expr {([lindex $l 11] + [lindex $l 12]) / 100.0}]
}

proc finish {} {
  global flows monitors o cpu0
  set cpu1 [cputime]
  set acked 0; set sent 0; set again 0; set timeouts 0
  foreach t $flows {
    incr acked [$t set ack_]
    incr sent [$t set ndatapack_]
    incr again [$t set nrexmitpack_]
    incr timeouts [$t set nrexmit_]
  }
  puts [format "goodput_Mbps %.4f sent %d rexmit %d timeouts %d setup_cpu %.2f run_cpu %.2f" \
    [expr {$acked * 8.0 * $o(pkt) / $o(dur) / 1e6}] $sent $again $timeouts $cpu0 [expr {$cpu1 - $cpu0}]]
  if {$o(count)} {
    set hops 0.0
    foreach m $monitors { set hops [expr {$hops + [$m set parrivals_]}] }
    puts [format "link_hops %.0f" $hops]
  }
  exit 0
}

proc run {} {
  global ns o cpu0
  $ns at $o(dur) finish
  set cpu0 [cputime]
  $ns run
}
