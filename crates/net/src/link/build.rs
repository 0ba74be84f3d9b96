//! A link from its description.

use units::{Span, Time};

use super::arrivals::{AGING_PACKET_BITS, Warning};
use super::{Cold, Entry, Extras, Hot, Late, Limit, Link};
use crate::cause::LossCounts;
use crate::changing::Variation;
use crate::loss::Channel;
use crate::pool::Fifo;
use crate::queue::{Line, OnArrival, Policer};
use crate::ring::Ring;
use crate::spec::{Counting, DirectionSpec, Discipline, QueueLimit};

/// Nanoseconds to transmit a byte at this rate; zero if that is no whole number.
fn whole_byte_time(rate_bps: u64) -> u32 {
    const BIT_SECONDS: u64 = 8 * 1_000_000_000;
    match BIT_SECONDS.checked_rem(rate_bps) {
        Some(0) => u32::try_from(BIT_SECONDS / rate_bps).unwrap_or(0),
        _ => 0,
    }
}

impl Link {
    pub(crate) fn new(spec: &DirectionSpec, seed: u64, name: &str) -> Link {
        let channel = Channel::new(&spec.loss, seed, name);
        let on_arrival = OnArrival::new(spec, seed, name);
        let special = !spec.drops.is_empty()
            || spec.warning.is_some()
            || spec.policer.is_some()
            || on_arrival.is_some()
            || spec.trace_queue
            || spec.changing.is_some();
        let entry = match (special, channel.is_never()) {
            (true, _) => Entry::Special,
            (false, false) => Entry::Random,
            (false, true) => Entry::Plain,
        };
        let mut drops = spec.drops.clone();
        drops.sort_unstable();
        let extras = (entry != Entry::Plain).then(|| {
            Box::new(Extras {
                channel,
                drops,
                next_drop: 0,
                looks: spec.policer.is_some() || spec.warning.is_some() || on_arrival.is_some(),
                policer: spec.policer.as_ref().map(Policer::new),
                on_arrival,
                warning: spec.warning.map(|w| Warning {
                    threshold: w.threshold_packets,
                    weight: w.weight,
                    average: 0.0,
                    aging_pps: spec.rate_bps as f64 / AGING_PACKET_BITS,
                }),
                trace: spec.trace_queue.then(Vec::new),
            })
        });
        // ns-2's RED lets as many wait as its limit says
        let plain = matches!(spec.queue.discipline, Discipline::DropTail | Discipline::Threshold(_));
        let ns2 = plain && spec.queue.counting == Counting::Ns2;
        let mut link = Link {
            hot: Hot {
                free_at: Time::ZERO,
                delay: spec.delay,
                byte_tx: whole_byte_time(spec.rate_bps),
                memo_size: 0,
                memo_tx: 0,
                wire: Fifo::EMPTY,
                offered_packets: 0,
                offered_bytes: 0,
                delivered_packets: 0,
                eager: false,
                entry,
                takes_nothing: ns2 && spec.queue.limit == QueueLimit::Packets(1),
            },
            cold: Cold {
                waiting: Ring::new(),
                waiting_bytes: 0,
                queue_time: Span::ZERO,
                queue_max: 0,
                // ns-2 drops an arrival that would make the queue as long as the limit
                limit: match spec.queue.limit {
                    QueueLimit::Packets(q) => Limit::Packets(if ns2 { q - 1 } else { q }),
                    QueueLimit::Bytes(q) => Limit::Bytes(if ns2 { q - 1 } else { q }),
                },
                rate_bps: spec.rate_bps,
                losses: LossCounts::default(),
                lost_bytes: 0,
                refused: LossCounts::default(),
                refused_bytes: 0,
                extras,
                ecn: spec.queue.ecn,
                marked_packets: 0,
                served: None,
                warmup: None,
                send_jitter: None,
                late: Late::default(),
                variation: spec
                    .changing
                    .as_ref()
                    .map(|changing| Box::new(Variation::new(changing, spec.rate_bps, spec.delay, seed, name))),
            },
        };
        if matches!(spec.queue.discipline, Discipline::Codel(_) | Discipline::FqCodel(_)) {
            link.serve(Line::new(spec, seed, name));
        }
        link
    }
}
