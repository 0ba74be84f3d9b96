//! The pipe that is kept up to date against the one that RFC 6675 counts anew.

use std::collections::VecDeque;

use proptest::prelude::*;
use units::{Span, Time};

use super::Sack;
use crate::recovery::Core;
use crate::{Config, Endpoint, Role, Segment};

/// A sender and a receiver; what is on the way between them.
struct Lab {
    ends: [Endpoint; 2],
    flying: VecDeque<Segment>,
    now: Time,
    /// Everything below was outstanding when the timer last expired, and counts as lost.
    timeout_edge: u32,
}

impl Lab {
    fn new(threshold: u32, limited: u32, segments: u32) -> Lab {
        let mut config = Config::classic();
        config.dup_threshold = threshold;
        config.limited_transmit = limited;
        let algorithm = cc::Config::named("sack").unwrap();
        let end = |role| Endpoint::new(&config, &algorithm, role);
        let mut lab = Lab {
            ends: [end(Role::Active { peer_sends: false }), end(Role::Passive)],
            flying: VecDeque::new(),
            now: Time::ZERO,
            timeout_edge: 0,
        };
        lab.ends[0].offer(Some(u64::from(segments) * 1460));
        lab.ends[0].open();
        for side in [0, 1] {
            let segment = lab.ends[side].poll_transmit(lab.now).expect("the handshake");
            lab.ends[1 - side].handle_segment(lab.now, &segment);
        }
        lab.send();
        lab
    }

    fn sack(&self) -> &Sack {
        let Core::Sack(sack) = &self.ends[0].sender.core else { panic!("another core") };
        sack
    }

    fn is_sacked(&self, n: u32) -> bool {
        self.ends[0].sender.tcb.board.get(n).sacked
    }

    /// IsLost() of RFC 6675 section 4, after a timeout as section 5.1 leaves it.
    fn is_lost(&self, n: u32) -> bool {
        let sender = &self.ends[0].sender.tcb;
        let above = (n + 1..sender.snd_max).filter(|&m| self.is_sacked(m)).count();
        n < self.timeout_edge || above >= sender.rules.dup_threshold as usize
    }

    fn unsacked(&self) -> impl Iterator<Item = u32> {
        let sender = &self.ends[0].sender.tcb;
        (sender.snd_una..sender.snd_max).filter(|&n| !self.is_sacked(n))
    }

    /// SetPipe() of RFC 6675 section 4.
    fn pipe(&self) -> i64 {
        let resent_below = self.sack().blocks.next_resend;
        self.unsacked().map(|n| i64::from(!self.is_lost(n)) + i64::from(n < resent_below)).sum()
    }

    fn check(&self) {
        let sack = self.sack();
        assert!(sack.pipe >= 0);
        assert_eq!(sack.pipe, self.pipe());
        let edge = sack.lost_edge;
        assert!(self.unsacked().all(|n| (n < edge) == self.is_lost(n)));
    }

    fn send(&mut self) {
        loop {
            self.check();
            let (sender, sack) = (&self.ends[0].sender.tcb, self.sack());
            let (new, recovering) = (sender.snd_max, sender.in_recovery);
            let due = self.unsacked().any(|n| n >= sack.blocks.next_resend && self.is_lost(n));
            let room = sack.pipe < i64::from(sender.window) || sender.resend.is_some();
            let Some(segment) = self.ends[0].poll_transmit(self.now) else { break };
            // NextSeg(): lost segments go before new ones
            assert!(segment.seq != new || !recovering || !due, "{} while a lost segment waits", segment.seq);
            assert!(room, "beyond the pipe");
            self.flying.push_back(segment);
        }
    }

    /// The next segment on the way arrives, and its ACK; or one of them is lost. With nothing on the way time passes.
    fn step(&mut self, lost: bool, ack_lost: bool) {
        self.now += Span::from_millis(3);
        let Some(segment) = self.flying.pop_front() else {
            self.now = self.now.max(self.ends.iter().map(Endpoint::next_deadline).min().unwrap());
            let timeouts = self.ends[0].sender.tcb.stats.timeouts;
            if self.now < Time::NEVER {
                self.ends.iter_mut().for_each(|end| end.handle_timeout(self.now));
            }
            if self.ends[0].sender.tcb.stats.timeouts > timeouts {
                self.timeout_edge = self.ends[0].sender.tcb.snd_max;
            }
            return self.answer(ack_lost);
        };
        if !lost {
            self.ends[1].handle_segment(self.now, &segment);
        }
        self.answer(ack_lost);
    }

    fn answer(&mut self, ack_lost: bool) {
        while let Some(ack) = self.ends[1].poll_transmit(self.now) {
            if !ack_lost {
                self.ends[0].handle_segment(self.now, &ack);
                self.check();
            }
        }
        self.send();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_pipe_is_what_setpipe_counts(
        threshold in 1u32..6,
        limited in 0u32..4,
        segments in 5u32..80,
        steps in proptest::collection::vec((0u8..8, 0u8..8), 1..300),
    ) {
        let mut lab = Lab::new(threshold, limited, segments);
        for (data, ack) in steps {
            lab.step(data == 0, ack == 0);
        }
        for _ in 0..2000 {
            lab.step(false, false);
        }
        prop_assert!(lab.ends[0].sender.is_done());
        prop_assert_eq!(lab.sack().pipe, 0);
    }
}
