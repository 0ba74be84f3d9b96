//! What may leave: windows, limited transmit, idle restart.
//! Source: RFC 5681 sections 3.1 and 4.1, RFC 3042.

use cc::CongestionControl;
use units::Time;

use super::{Core, Sender, State};
use crate::scoreboard::Snapshot;
use crate::segment::{Flags, Segment};

impl Sender {
    /// A SYN or a probe of a closed window must leave now.
    #[inline]
    pub(crate) fn has_rare(&self) -> bool {
        self.syn_due || self.probe_due
    }

    /// The SYN that is due leaves.
    pub(crate) fn on_syn_sent(&mut self, now: Time) {
        self.syn_due = false;
        self.timed = (self.timeouts_in_row == 0).then_some((0, now));
        self.rto_at = now + self.rtt.rto();
    }

    /// A repair is about to leave.
    #[inline]
    pub fn repairs(&self) -> bool {
        self.resend.is_some()
    }

    /// Nothing was ever offered to be sent, and nothing else is due: this end only receives.
    #[inline]
    pub(crate) fn is_quiet(&self) -> bool {
        self.offered == 0 && self.state == State::Open
    }

    /// The acknowledgement in a data segment says nothing to this end: it only receives, and the window is the same.
    #[inline]
    pub(crate) fn learns_nothing_from(&self, segment: &Segment) -> bool {
        self.is_quiet() && segment.window == self.rwnd && !segment.flags.has(Flags::ECE)
    }

    /// The next segment to send now, if any. Counts it as sent.
    #[inline(always)]
    pub fn take_segment(&mut self, now: Time) -> Option<(u32, bool)> {
        if self.state != State::Open || (self.rules.paced && self.pacer.holds(now)) {
            return None;
        }
        if self.rwnd == 0 {
            self.persist(now);
            return None;
        }
        // pacing may have held it until it was acknowledged
        let repair = self.resend.take().filter(|&number| number >= self.snd_una);
        let next = if repair.is_some() { repair } else { self.next_segment(now) };
        let Some(number) = next else {
            if self.rules.sampled {
                self.note_want_of_data();
            }
            return None;
        };
        let place = self.snd_nxt;
        let again = self.on_sent(number, now);
        if repair.is_none() {
            self.burst -= 1;
        } else if (self.rules.full && !(self.core == Core::Sack1 && number == place))
            || (self.rules.ns2 && self.core == Core::Vegas)
        {
            self.snd_nxt = place; // a repair is apart from the segments that go on from here
        }
        if self.rules.paced {
            self.pace(now);
        }
        Some((number, again))
    }

    /// FullTcp with SACK: the segment that an ACK rides on though no window is open for it.
    #[cold]
    pub(crate) fn take_forced(&mut self, now: Time) -> Option<(u32, bool)> {
        let number = self.full_sack_forced()?;
        Some((number, self.on_sent(number, now)))
    }

    #[inline(always)]
    pub(super) fn next_segment(&mut self, now: Time) -> Option<u32> {
        if self.burst == 0 {
            return None;
        }
        if self.snd_nxt == self.snd_una && self.snd_nxt < self.offered && self.rules.slow_start_restart {
            self.restart_if_idle(now);
        }
        match self.core {
            Core::Sack => self.sack_next(),
            Core::Sack1 if self.rules.full => self.full_sack_next(),
            Core::Sack1 if self.in_recovery => self.sack1_next(),
            _ => self.windowed_next(),
        }
    }

    #[inline(always)]
    pub(super) fn windowed_next(&mut self) -> Option<u32> {
        if self.snd_nxt >= self.offered {
            return None;
        }
        let in_flight = self.snd_nxt - self.snd_una;
        //= https://www.rfc-editor.org/rfc/rfc5681#section-2
        //# a TCP MUST NOT send data with a sequence number higher than the sum of the highest
        //# acknowledged sequence number and the minimum of cwnd and rwnd.
        if in_flight < self.window {
            return Some(self.snd_nxt);
        }
        if self.limited {
            self.limited = false;
            //= https://www.rfc-editor.org/rfc/rfc3042#section-2
            //# The amount of outstanding data would remain less than or equal to the congestion window plus 2 segments.
            if f64::from(in_flight + 1) <= self.cwnd() + f64::from(self.dupacks) && in_flight < self.rwnd {
                self.limited_sent += 1;
                return Some(self.snd_nxt);
            }
        }
        None
    }

    /// Whether there are new data to send within the receiver's window.
    #[inline]
    pub(crate) fn has_new_data(&self) -> bool {
        self.snd_max < self.offered && self.snd_max - self.snd_una < self.rwnd
    }

    /// Everything offered was sent.
    pub(crate) fn wants_data(&self) -> bool {
        self.snd_max >= self.offered
    }

    /// Account for a segment that leaves now. True if it was sent before.
    #[inline(always)]
    fn on_sent(&mut self, number: u32, now: Time) -> bool {
        self.stats.sent_segments += 1;
        let snapshot = if self.rules.sampled { self.note_departure(now) } else { Snapshot::default() };
        self.last_sent_at = now;
        let again = number < self.snd_max;
        if again {
            self.on_sent_again(number, now, &snapshot);
        } else {
            self.board.reserve(self.snd_una, number);
            self.board.first_sent(number, now, &snapshot);
            self.snd_max = number + 1;
            if self.timed.is_none() {
                self.timed = Some((number, now));
            }
        }
        if number == self.snd_nxt {
            self.snd_nxt += 1;
        }
        if self.rules.full {
            self.full_note_sent(number, again);
        }
        if self.rules.prr
            && let Some(prr) = &mut self.prr
        {
            prr.out += 1;
        }
        //= https://www.rfc-editor.org/rfc/rfc6298#section-5
        //# Every time a packet containing data is sent (including a retransmission), if the timer is not running, start
        //# it running
        if self.rto_at == Time::NEVER {
            self.rto_at = now + self.rtt.rto();
        }
        again
    }

    #[cold]
    fn on_sent_again(&mut self, number: u32, now: Time, snapshot: &Snapshot) {
        self.stats.retransmitted_segments += 1;
        self.board.sent_again(number, now, snapshot);
        let record = self.board.get_mut(number);
        // RFC 6675's core keeps its own account, without the rescue
        record.resent |= self.core != Core::Sack;
        //= https://www.rfc-editor.org/rfc/rfc6298#section-3
        //# RTT samples MUST NOT be made using segments that were retransmitted
        if self.timed.is_some_and(|(timed, _)| timed == number) && !self.rules.ns2 {
            self.timed = None;
        }
    }

    /// The data segment about to leave takes part in ECN. `again`: it was sent before.
    ///
    /// Warnings of the Jersey family (and ns-2) mark retransmissions, too.
    //= https://www.rfc-editor.org/rfc/rfc3168#section-6.1.5
    //# ECN-capable TCP implementations MUST NOT set either ECT codepoint (ECT(0) or ECT(1)) in the IP header for
    //# retransmitted data packets
    pub(crate) fn is_ecn_capable(&self, again: bool) -> bool {
        self.rules.ecn && (!again || self.rules.ns2 || self.acts_on_marks)
    }

    /// This data segment must say that the window was reduced.
    pub(crate) fn take_cwr(&mut self) -> bool {
        std::mem::take(&mut self.cwr_due)
    }

    /// Nothing was sent for longer than one RTO: restart from the initial window (RFC 5681 section 4.1). An algorithm that
    /// samples the delivery rate keeps its window: it paces what it sends, and hears of the restart.
    //= https://www.rfc-editor.org/rfc/rfc5681#section-4.1
    //# a TCP SHOULD set cwnd to no more than RW before beginning transmission if the TCP has not sent data in an
    //# interval exceeding the retransmission timeout.
    #[inline]
    pub(super) fn restart_if_idle(&mut self, now: Time) {
        if !self.rules.sampled && self.snd_max > 0 && now.since(self.last_sent_at) > self.rtt.rto() {
            self.restart(now);
        }
    }

    #[cold]
    fn restart(&mut self, now: Time) {
        let restart = self.rules.initial_window * self.path.mss;
        self.cc.set_cwnd(self.cc.cwnd().min(restart));
        self.ss_limit = self.rules.ss_limit; // nothing is left to repair
        self.update_window(now);
    }
}
