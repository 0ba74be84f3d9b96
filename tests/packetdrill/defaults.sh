# Settings that the scripts beside this file begin with.
sysctl -q net.ipv4.tcp_congestion_control=reno
sysctl -q net.ipv4.tcp_ecn=0
