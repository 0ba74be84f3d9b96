//! Congestion marks: what they do to the window, and which segments tell of them.
//! Source: RFC 3168 section 6.1.2; RFC 9768.

use cc::{Cause, Congestion};
use units::Time;

use super::rules::AckRules;
use super::{Tcb, Why};
use crate::accecn::{self, Agreed};
use crate::segment::{Flags, Segment};

impl Tcb {
    /// An ACK carried a mark, and was taken into account: cut, unless this window of data has paid already. Whether it
    /// was.
    //= https://www.rfc-editor.org/rfc/rfc3168#section-6.1.2
    //# If the sender receives an ECN-Echo (ECE) ACK packet (that is, an ACK packet with the ECN-Echo flag set in
    //# the TCP header), then the sender knows that congestion was encountered in the network on the path from the
    //# sender to the receiver.
    pub(super) fn heed_mark(&mut self, now: Time) -> bool {
        self.books.heeds_mark(u64::from(self.snd_una)) && self.on_mark(now)
    }

    #[inline(never)]
    fn on_mark(&mut self, now: Time) -> bool {
        let before = self.cwnd();
        let event = Congestion {
            now,
            cause: Cause::EcnMark,
            cut_already: false,
            timeouts: 0,
            retransmitted: false,
            sent_at: None,
            hold_ssthresh: false,
            halving: self.halving(Cause::EcnMark),
        };
        let response = self.ask(&event);
        if self.cwnd() > before {
            self.set_cwnd(before); // the least window of two segments is no reason to grow
        }
        self.cwr_due = true;
        if before < 2.0 {
            //= https://www.rfc-editor.org/rfc/rfc3168#section-6.1.2
            //# the sending TCP MUST reset the retransmit timer on receiving the ECN-Echo packet when the congestion
            //# window is one.
            self.burst = 0; // nothing new until it expires, or another ACK comes
            self.rto_at = now + self.rtt.rto();
        }
        self.update_window(now);
        self.log(now, before, Why::Mark);
        response.is_cut()
    }

    /// Whether an ACK that advances to `ack` and carries a mark leaves the window as it is. After a timeout it does
    /// not: the echo lasts until CWR can travel on new data, and says nothing new of the segments sent again until
    /// then.
    //= https://www.rfc-editor.org/rfc/rfc3168#section-6.1.2
    //# The sending TCP SHOULD NOT increase the congestion window in response to the receipt of an ECN-Echo ACK packet.
    pub(super) fn mark_stops_growth(&self, ack: u32) -> bool {
        let after_timeout = !self.in_recovery && !self.last_cut_by_dupacks && ack < self.recover;
        !self.books.leaves_marks_to_algorithm() && !after_timeout
    }

    /// The data segment about to leave takes part in ECN. `again`: it was sent before.
    ///
    /// Warnings of the Jersey family (and ns-2) mark retransmissions, too.
    //= https://www.rfc-editor.org/rfc/rfc3168#section-6.1.5
    //# ECN-capable TCP implementations MUST NOT set either ECT codepoint (ECT(0) or ECT(1)) in the IP header for
    //# retransmitted data packets
    pub(crate) fn is_ecn_capable(&self, again: bool) -> bool {
        self.rules.ecn && (!again || self.rules.ect_again)
    }

    /// This data segment must say that the window was reduced. A receiver that counts marks does not ask.
    pub(crate) fn take_cwr(&mut self) -> bool {
        std::mem::take(&mut self.cwr_due) && !self.rules.accurate_ecn
    }

    /// Both ends have said what they have of ECN, and this one has more than RFC 3168. An algorithm that needs the
    /// counts and does not get them answers marks as others do, and its packets are as those of others.
    //= specs/papers/accecn.md#fallback
    //# A sender of ECT(1) that does not get accurate feedback sends ECT(0), and answers a mark as a loss.
    pub(crate) fn agree_on_ecn(&mut self, agreed: Agreed, ect1: bool) {
        let accurate = agreed == Agreed::Accurate;
        self.rules.ecn = agreed != Agreed::Nothing;
        self.rules.accurate_ecn = accurate;
        self.rules.ect1 = accurate && ect1;
        if !accurate {
            self.books.hear_of_marks();
        }
    }

    /// The ACK that ends the handshake leaves. With accurate ECN it tells how the answer to the SYN came.
    pub(crate) fn answer_opening(&self, flags: &mut Flags) {
        if self.rules.accurate_ecn {
            *flags = accecn::answer_without_ect(*flags);
        }
    }

    /// How many marks an ACK tells of; without accurate ECN one or none. `newly`: segments that it acknowledges. One
    /// that tells of no segment, `stale`, is no newer than the last, or leaves its marks to the next.
    #[inline(always)]
    pub(super) fn marks_of<const RULES: u8>(&mut self, segment: &Segment, newly: u32, stale: bool) -> u32 {
        if RULES != AckRules::ALL || !self.rules.ecn {
            return 0;
        }
        let marks = if self.rules.accurate_ecn {
            if stale { 0 } else { self.count_marks(segment, newly) }
        } else {
            u32::from(segment.flags.has(Flags::ECE))
        };
        self.stats.marks += u64::from(marks);
        marks
    }

    /// How many segments may have arrived since the last ACK, of `newly` that are acknowledged. Those behind a hole
    /// were acknowledged one by one when they came.
    fn newly_arrived(&self, newly: u32) -> u32 {
        match newly {
            0..8 => newly,
            _ if self.in_recovery || self.dupacks > 0 => 0,
            _ => (self.snd_una..self.snd_una + newly).filter(|&n| !self.board.get(n).sacked).count() as u32,
        }
    }

    fn count_marks(&mut self, segment: &Segment, newly: u32) -> u32 {
        let before = self.marks_told;
        let marks = if segment.flags.has(Flags::COUNTS_MARKS) {
            segment.seq.wrapping_sub(before)
        } else {
            accecn::newly_marked(accecn::count_of(segment.flags), before, self.newly_arrived(newly))
        };
        self.marks_told = before.wrapping_add(marks);
        marks
    }
}
