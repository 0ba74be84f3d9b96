//! What an end of ns-2's FullTcp does otherwise.
//! Source: traces of ns-2 2.35; `tests/differential/ns2-full` has its runs.

use units::Time;

use super::Endpoint;
use crate::{Flags, Segment, State};

impl Endpoint {
    /// The passive end has data to send from now on. In ns-2's FullTcp it opens the connection itself if no SYN has
    /// come.
    pub fn open_for_data(&mut self) {
        if self.full && self.sender.state() == State::Closed {
            self.sender.open();
        }
    }

    /// A segment acknowledges.
    #[cold]
    pub(super) fn acknowledge_to_full(&mut self, now: Time, segment: &Segment) {
        let data = segment.flags.has(Flags::DATA);
        let old = segment.seq < self.receiver.rcv_nxt();
        self.sender.on_open(now);
        if data && old {
            self.sender.on_old_data(segment.ack);
        }
        self.sender.on_ack::<false>(now, segment, !data);
        if data && !old && self.sender.tcb.repairs() {
            self.repair(now);
        }
    }

    /// ns-2's FullTcp: the ACK of the answer leaves by itself, before any data; a SYN that comes again is left to the
    /// timer of the answer to it.
    pub(super) fn handle_syn_of_full(&mut self, now: Time, segment: &Segment) {
        let first = !std::mem::replace(&mut self.syn_seen, true);
        if segment.flags.has(Flags::ACK) {
            self.acks_received += 1;
            self.receiver.on_syn(now, segment);
            self.opening = true;
        } else if first {
            self.receiver.on_syn(now, segment);
            self.syn_ack_due = true;
        }
    }

    /// ns-2's FullTcp repairs before it looks at new data that came with the ACK, so that the repair does not
    /// acknowledge them.
    #[cold]
    fn repair(&mut self, now: Time) {
        let due = self.receiver.ack_due();
        if let Some((number, again)) = self.sender.take_segment(now) {
            self.repair = Some(Box::new(self.make_data(now, number, again)));
        }
        if due {
            self.receiver.force_ack();
        }
    }
}
