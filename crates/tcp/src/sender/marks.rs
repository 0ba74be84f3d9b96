//! Congestion marks: what they do to the window, and which segments tell of them.
//! Source: RFC 3168 section 6.1.2.

use cc::{Cause, Congestion};
use units::Time;

use super::{Tcb, Why};

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
            halving: self.halving(),
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

    /// This data segment must say that the window was reduced.
    pub(crate) fn take_cwr(&mut self) -> bool {
        std::mem::take(&mut self.cwr_due)
    }
}
