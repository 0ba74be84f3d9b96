//! A link from its description.

use units::Time;

use super::{Cold, Entry, Extras, Hot, Late, Link};
use crate::cause::LossCounts;
use crate::changing::Variation;
use crate::loss::Channel;
use crate::pool::Fifo;
use crate::queue::Queue;
use crate::spec::DirectionSpec;

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
        let queue = Queue::new(&spec.queue, spec.rate_bps, spec.delay, seed, name);
        let special = !queue.is_plain() || !spec.drops.is_empty() || spec.changing.is_some();
        let entry = match (special, channel.is_never()) {
            (true, _) => Entry::Special,
            (false, false) => Entry::Random,
            (false, true) => Entry::Plain,
        };
        let mut drops = spec.drops.clone();
        drops.sort_unstable();
        let data_arrivals = spec.drops_count_data.then_some(0);
        let extras = (entry != Entry::Plain).then(|| Box::new(Extras { channel, drops, next_drop: 0, data_arrivals }));
        let breaks = spec.changing.as_ref().is_some_and(|changing| !changing.breaks.is_empty());
        let holds = queue.holds() || breaks;
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
                takes_nothing: queue.takes_nothing(),
            },
            cold: Cold {
                queue,
                rate_bps: spec.rate_bps,
                losses: LossCounts::default(),
                lost_bytes: 0,
                refused: LossCounts::default(),
                refused_bytes: 0,
                extras,
                served: None,
                warmup: None,
                send_jitter: None,
                late: Late::default(),
                tapped: false,
                air: false,
                held_for_air: (0, 0),
                variation: spec
                    .changing
                    .as_ref()
                    .map(|changing| Box::new(Variation::new(changing, spec.rate_bps, spec.delay, seed, name))),
            },
        };
        if holds {
            link.serve();
        }
        link
    }
}
