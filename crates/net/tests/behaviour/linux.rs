//! The algorithms of Linux deliver what a real kernel delivered on the same path: Linux 6.1, 8 Mbit/s and 50 ms each
//! way, without random loss, in 15 s. What the kernel does beside the algorithm (RACK, quick ACKs) is not here, and
//! matters little where nothing but the queue loses.

use tcp::{HalfBase, Profile};

use crate::common::*;

#[test]
fn without_random_loss_they_deliver_what_the_kernel_delivers() {
    // bytes that the kernel's receiver had read, and the tolerance
    for (algorithm, queue, read, tolerance) in [
        ("reno-linux", 100, 14_012_296.0, 0.02),
        ("reno-linux", 20, 12_239_944.0, 0.02),
        ("cubic-linux", 100, 14_012_296.0, 0.02),
        ("cubic-linux", 20, 13_751_656.0, 0.02),
        ("bbr-linux", 100, 13_711_112.0, 0.05),
        ("bbr-linux", 20, 13_651_744.0, 0.05),
    ] {
        let core = direction(8_000_000, 50, queue);
        let mut network = dumbbell(1, core, &direction(10_000_000_000, 0, 1000), algorithm, Profile::Rfc);
        let rules = &mut tcp(&mut network.flows[0]).rules;
        // 1448 bytes of data in 1514 with timestamps and the Ethernet header; a window of 1 MiB
        (rules.mss, rules.header, rules.window, rules.half_base) = (1448, 66, 720, HalfBase::Window);
        let delivered = run(&network, 1, &options(15.0)).flows[0].delivered_bytes as f64;
        let off = delivered / read - 1.0;
        assert!(off.abs() <= tolerance, "{algorithm}, {queue} packets: {delivered}, {:.2} % off", 100.0 * off);
    }
}
