//! Cells and chains against ns-2's figures, longer than the tests: `cargo run --release -p windlass-wlan --example
//! cells`.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{chain, saturated};
use wlan::{Layout, Params};

fn named(name: &str, rts: bool) -> Params {
    let mut params = Params::named(name).unwrap();
    params.rts_threshold = if rts { 0 } else { u32::MAX };
    params
}

/// Saturated cells of 1500-byte packets, measured with ns-2 2.35 (mean of 2 seeds).
const CELLS: [(&str, bool, [f64; 5], f64); 6] = [
    ("ns2-default", false, [0.914, 0.894, 0.837, 0.781, 0.715], 600.0),
    ("ns2-default", true, [0.869, 0.876, 0.877, 0.874, 0.868], 600.0),
    ("ns2-b11", false, [6.087, 6.315, 6.133, 5.776, 5.386], 100.0),
    ("ns2-b11", true, [4.534, 4.798, 4.805, 4.719, 4.601], 100.0),
    ("ns2-g54", false, [31.006, 33.590, 30.548, 28.252, 26.034], 40.0),
    ("ns2-g54", true, [24.368, 25.942, 25.335, 24.724, 23.915], 40.0),
];

/// Saturated chains of 572-byte packets, measured with ns-2 2.35 (mean of 2 seeds of 100 s).
const CHAINS: [(&str, bool, [f64; 6]); 4] = [
    ("ns2-default", true, [0.7169, 0.3568, 0.2354, 0.1698, 0.1047, 0.1069]),
    ("ns2-default", false, [0.8021, 0.3997, 0.2681, 0.2148, 0.1668, 0.1436]),
    ("ns2-g54", true, [12.801, 6.201, 4.350, 3.094, 2.515, 2.057]),
    ("ns2-g54", false, [18.248, 8.756, 6.498, 5.021, 4.479, 3.756]),
];

fn main() {
    for (name, rts, figures, seconds) in CELLS {
        for (n, figure) in [1, 2, 5, 10, 20].into_iter().zip(figures) {
            let found = saturated(&named(name, rts), &Layout::circle(n, 5.0), n, 1500, seconds, 1);
            println!("{name} rts {rts} cell of {n}: {found:.4} ns-2 {figure} {:+.2} %", 100.0 * (found / figure - 1.0));
        }
    }
    for (name, rts, figures) in CHAINS {
        for (nodes, figure) in [2, 3, 4, 5, 6, 9].into_iter().zip(figures) {
            let found = (1..=4).map(|seed| chain(&named(name, rts), nodes, 572, 100.0, seed)).sum::<f64>() / 4.0;
            println!(
                "{name} rts {rts} chain of {nodes}: {found:.4} ns-2 {figure} {:+.2} %",
                100.0 * (found / figure - 1.0)
            );
        }
    }
}
