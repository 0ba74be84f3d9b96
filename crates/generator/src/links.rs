//! Links: rates, delays, losses, and what changes on them.

use serde_json::{Map, Value, json};

use crate::Size;
use crate::draw::Draw;
use crate::queues::queue;

/// A link whose rate lies between these, bit/s. Half of them are plain.
pub(crate) fn link(draw: &mut Draw<'_>, size: Size, rates: (f64, f64)) -> Map<String, Value> {
    let mut link = Map::new();
    let traced = draw.one_in(16);
    if traced {
        link.insert("trace".to_owned(), trace(draw, rates.1));
    } else {
        link.insert("rate".to_owned(), draw.rate(rates.0, rates.1).into());
    }
    let delay = match draw.below(8) {
        0 => "0 s".to_owned(),
        1 => format!("uniform({}, {})", draw.time(0.0001, 0.001), draw.time(0.01, 0.1)),
        _ => draw.time(0.0001, 0.3),
    };
    link.insert("delay".to_owned(), delay.into());
    if draw.one_in(2) {
        link.insert("queue".to_owned(), queue(draw));
    }
    if draw.one_in(2) {
        extras(draw, size, traced, rates.1, &mut link);
    }
    link
}

/// Everything that a link can have beside rate, delay and queue, now and then.
fn extras(draw: &mut Draw<'_>, size: Size, traced: bool, most: f64, link: &mut Map<String, Value>) {
    // a threshold by default is half of so many packets
    let plain = !link.contains_key("queue");
    let mut add = |key: &str, value: Value| link.insert(key.to_owned(), value);
    if draw.one_in(2) {
        add("loss", loss(draw, true));
    }
    if draw.one_in(8) {
        add("queue_counting", draw.value(&["waiting", "ns2"]));
    }
    if draw.one_in(8) {
        add("policer", json!({ "rate": draw.rate(1e5, most), "burst": format!("{} kB", draw.count(2, 60)) }));
    }
    if draw.one_in(6) {
        add("drops", drops(draw));
    }
    if draw.one_in(8) {
        let given =
            json!({ "threshold": format!("{} packets", draw.count(1, 30)), "weight": draw.value(&["0.002", "0.3"]) });
        add("warning", if plain && draw.one_in(2) { json!(true) } else { given });
    }
    let handovers = draw.one_in(8);
    if handovers {
        add("handovers", self::handovers(draw, size, traced));
    } else if draw.one_in(6) {
        add("changes", changes(draw, size, traced, most));
    }
    if draw.one_in(8) {
        add("outages", outages(draw, size));
    }
    if draw.one_in(6) {
        add("jitter", jitter(draw));
    }
    if draw.one_in(8) {
        add("reorder", reorder(draw));
    }
    if draw.one_in(5) {
        let mut reverse = reverse(draw, most);
        // what the forward direction says holds for both unless taken back
        if reverse.contains_key("delay") && link.contains_key("changes") {
            reverse.insert("changes".to_owned(), json!([]));
        }
        if link.get("warning") == Some(&json!(true)) {
            reverse.remove("queue");
        }
        link.insert("reverse".to_owned(), reverse.into());
    }
}

fn reverse(draw: &mut Draw<'_>, most: f64) -> Map<String, Value> {
    let mut table = Map::new();
    for key in ["delay", "queue", "loss", "policer", "changes", "outages", "jitter", "reorder"] {
        if !draw.one_in(4) {
            continue;
        }
        let value = match key {
            "delay" => draw.time(0.0001, 0.3).into(),
            "queue" => queue(draw),
            "loss" => loss(draw, false),
            "policer" => json!({ "rate": draw.rate(1e5, most), "burst": "9 kB" }),
            "jitter" => jitter(draw),
            "reorder" => reorder(draw),
            _ => json!([]),
        };
        table.insert(key.to_owned(), value);
    }
    table
}

/// Random loss of any model; `both` where it may say the direction.
pub(crate) fn loss(draw: &mut Draw<'_>, both: bool) -> Value {
    let mut table = match draw.below(10) {
        0 => return draw.percent(10.0).into(),
        1 => json!({ "model": "uniform", "rate": draw.percent(10.0) }),
        2 => json!({ "rate": draw.percent(5.0), "burst": draw.time(0.001, 0.2) }),
        3 => {
            let burst = format!("{} packets", draw.count(2, 8));
            json!({ "rate": draw.percent(5.0), "burst": burst, "per": draw.value(&["time", "packet"]) })
        }
        4 => {
            let (burst, good) = (draw.value(&["independent", "9 ms"]), draw.percent(1.0));
            let model = "gilbert-elliott";
            json!({ "model": model, "rate": "2 %", "burst": burst, "good_loss": good, "bad_loss": "90 %" })
        }
        5 => {
            let (p, k) = (draw.percent(1.0), draw.percent(0.5));
            json!({ "model": "gilbert-elliott", "p": p, "r": "20 %", "1-h": "90 %", "1-k": k })
        }
        6 => json!({ "model": draw.value(&["bit", "byte"]), "error_rate": draw.scaled(1e-8, 1e-5) }),
        7 => {
            let (good, bad, loss) = (draw.time(0.01, 2.0), draw.time(0.001, 0.3), draw.percent(1.0));
            json!({ "model": "two-state", "good": good, "bad": bad, "good_loss": loss, "bad_loss": "80 %" })
        }
        8 => json!({ "model": "burst", "rate": draw.percent(2.0), "hold": draw.time(0.001, 0.1) }),
        _ => replay(draw),
    };
    let table = table.as_object_mut().expect("it is a table");
    if draw.one_in(2) {
        table.insert("at".to_owned(), draw.value(&["wire", "queue"]));
    }
    if both && draw.one_in(2) {
        table.insert("direction".to_owned(), draw.value(&["forward", "reverse", "both"]));
    }
    std::mem::take(table).into()
}

/// Numbers that rise.
fn rising(draw: &mut Draw<'_>, count: usize, step: u64) -> Vec<u64> {
    let mut at = 0;
    let mut next = || {
        at += draw.count(1, step);
        at
    };
    (0..count).map(|_| next()).collect()
}

fn replay(draw: &mut Draw<'_>) -> Value {
    if draw.one_in(2) {
        let pattern: Vec<u8> = (0..draw.within(1, 12)).map(|_| u8::from(draw.one_in(4))).collect();
        return json!({ "model": "replay", "pattern": pattern, "repeat": draw.one_in(2) });
    }
    let count = draw.within(1, 8);
    let lost = rising(draw, count, 60);
    match draw.one_in(2) {
        true => {
            let length = lost[count - 1] + 1 + draw.count(1, 90);
            json!({ "model": "replay", "lost": lost, "repeat": true, "length": length })
        }
        false => json!({ "model": "replay", "lost": lost }),
    }
}

fn drops(draw: &mut Draw<'_>) -> Value {
    let (forward, reverse) = (draw.within(0, 4), draw.within(0, 4));
    let (forward, reverse) = (rising(draw, forward, 80), rising(draw, reverse, 80));
    json!({ "forward": forward, "reverse": reverse, "count": draw.value(&["packets", "data"]) })
}

/// A mahimahi trace of up to so many bit/s: each number is 1504 bytes.
fn trace(draw: &mut Draw<'_>, most: f64) -> Value {
    let spacing = (1504.0 * 8.0 * 1000.0 / most).ceil().max(1.0) as u64;
    let count = draw.within(1, 20);
    json!(rising(draw, count, 4 * spacing).iter().map(|at| at + spacing).collect::<Vec<_>>())
}

fn changes(draw: &mut Draw<'_>, size: Size, traced: bool, most: f64) -> Value {
    let count = draw.within(1, 3);
    let step = |n: usize| {
        let at = draw.time(size.seconds * n as f64 / 4.0, size.seconds * (n as f64 + 0.9) / 4.0);
        let mut step = json!({ "at": at });
        if !traced && draw.one_in(2) {
            step["rate"] = draw.rate(1e5, most).into();
        } else {
            step["delay"] = draw.time(0.0001, 0.2).into();
        }
        step
    };
    (1..=count).map(step).collect::<Vec<_>>().into()
}

fn outages(draw: &mut Draw<'_>, size: Size) -> Value {
    let lasts = size.seconds / 10.0;
    let mut outage = json!({ "at": draw.time(lasts / 10.0, 8.0 * lasts), "for": draw.time(lasts / 50.0, lasts) });
    if draw.one_in(3) {
        outage["every"] = draw.time(1.5 * lasts, 5.0 * lasts).into();
    }
    if draw.one_in(2) {
        outage["packets"] = draw.value(&["held", "lost"]);
    }
    if draw.one_in(3) {
        outage["handover"] = json!(true);
    }
    json!([outage])
}

fn handovers(draw: &mut Draw<'_>, size: Size, traced: bool) -> Value {
    if !traced && draw.one_in(4) {
        return "leo".into();
    }
    let part = size.seconds / 10.0;
    let mut one = json!({ "at": draw.time(part / 2.0, 6.0 * part), "gap": draw.time(part / 40.0, part / 2.0) });
    let kept = draw.one_in(2);
    one["queue_at_old"] = json!(if kept { "forwarded" } else { "lost" });
    if kept && draw.one_in(2) {
        one["forward_delay"] = draw.time(0.0001, part / 2.0).into();
    }
    if !traced && draw.one_in(2) {
        one["rate_factor"] = draw.value(&["0.5", "2", "uniform(0.7, 1.3)"]);
    }
    match draw.below(4) {
        0 => one["delay"] = format!("uniform({}, {})", draw.time(0.001, 0.01), draw.time(0.02, 0.1)).into(),
        1 => one["delay_step"] = draw.value(&["10 ms", "3 ms"]),
        _ => {}
    }
    if draw.one_in(2) {
        one["warn"] = draw.time(0.001, part).into();
    }
    if draw.one_in(3) {
        one["every"] = draw.time(part + 0.02, 4.0 * part + 0.04).into();
    }
    json!([one])
}

fn reorder(draw: &mut Draw<'_>) -> Value {
    let mut reorder = match draw.below(5) {
        0 => return json!(true),
        1 => {
            let count = draw.within(1, 5);
            json!({ "packets": rising(draw, count, 60) })
        }
        2 => json!({ "every": draw.count(1, 60) }),
        3 => json!({ "rate": draw.percent(20.0) }),
        _ => json!({ "every": draw.count(1, 9), "rate": "25 %", "correlation": draw.value(&["50 %", "100 %"]) }),
    };
    reorder[if draw.one_in(2) { "hold" } else { "early" }] = draw.time(0.0001, 0.05).into();
    reorder
}

fn jitter(draw: &mut Draw<'_>) -> Value {
    let time = draw.time(0.0001, 0.02);
    let mut jitter = match draw.below(5) {
        0 => return json!(false),
        1 => json!({ "model": "normal", "deviation": time }),
        2 => json!({ "model": "uniform", "spread": time }),
        3 => json!({ "model": "exponential", "mean": time }),
        _ => json!({ "model": "pareto", "mean": time, "shape": draw.value(&["2.5", "1.5"]) }),
    };
    if draw.one_in(2) {
        jitter["reorder"] = json!(true);
    }
    jitter
}
