//! What may leave: windows, limited transmit, idle restart.
//! Source: RFC 5681 sections 3.1 and 4.1, RFC 3042; Linux after a pause, RFC 2861.

use cc::{CongestionControl, Windows};
use units::{Span, Time};

use super::{Sender, State, Tcb};
use crate::IdleRestart;
use crate::scoreboard::Snapshot;
use crate::segment::{Flags, Segment};

impl Tcb {
    /// A SYN or a probe of a closed window must leave now.
    #[inline]
    pub(crate) fn has_rare(&self) -> bool {
        self.syn_due || self.probe_due
    }

    /// The SYN that is due leaves.
    pub(crate) fn on_syn_sent(&mut self, now: Time) {
        self.syn_due = false;
        self.first_syn_at.get_or_insert(now);
        self.timed = (self.timeouts_in_row == 0).then_some((0, now));
        self.restart_timer(now);
    }

    /// A repair is about to leave.
    #[inline]
    pub(crate) fn repairs(&self) -> bool {
        self.resend.is_some()
    }

    /// Nothing was ever offered to be sent, and nothing else is due: this end only receives.
    #[inline(always)]
    pub(crate) fn is_quiet(&self) -> bool {
        debug_assert_eq!(self.quiet, self.offered == 0 && self.state == State::Open);
        self.quiet
    }

    /// What was offered has changed, or where the connection stands.
    pub(super) fn note_whether_quiet(&mut self) {
        self.quiet = self.offered == 0 && self.state == State::Open;
    }

    /// The acknowledgement in a data segment says nothing to this end: it only receives, and the window is the same.
    #[inline]
    pub(crate) fn learns_nothing_from(&self, segment: &Segment) -> bool {
        self.is_quiet() && segment.window == self.rwnd && !segment.flags.has(Flags::ECE)
    }
}

impl Sender {
    /// The next segment to send now, if any. Counts it as sent.
    #[inline(always)]
    pub(crate) fn take_segment(&mut self, now: Time) -> Option<(u32, bool)> {
        let tcb = &mut self.tcb;
        if tcb.state != State::Open {
            return None;
        }
        if tcb.rules.paced && tcb.pacer.holds(now) {
            self.note_pacing(now);
            return None;
        }
        if tcb.rwnd == 0 {
            tcb.persist(now);
            self.note_limit(now);
            return None;
        }
        // pacing may have held it until it was acknowledged, and a probe with new data until another took these
        let is_due = |&number: &u32| number >= tcb.snd_una && (number < tcb.snd_max || number < tcb.offered);
        let repair = tcb.resend.take().filter(is_due);
        let next = if repair.is_some() { repair } else { self.next_segment(now) };
        let Some(number) = next else {
            self.note_want_of_data();
            self.note_limit(now);
            return None;
        };
        let place = self.tcb.snd_nxt;
        let again = self.on_sent(number, now);
        if repair.is_none() {
            self.tcb.burst -= 1;
        } else if self.tcb.rules.repairs_apart {
            self.tcb.snd_nxt = place;
        }
        if self.tcb.rules.paced {
            self.tcb.pace(now);
        }
        Some((number, again))
    }

    /// FullTcp: data that came before say again what they acknowledge.
    #[cold]
    pub(crate) fn on_old_data(&mut self, ack: u32) {
        if let Some(core) = self.core.full_sack() {
            core.on_old_data(&self.tcb, ack);
        }
    }

    /// FullTcp with SACK: the segment that an ACK rides on though no window is open for it.
    #[cold]
    pub(crate) fn take_forced(&mut self, now: Time) -> Option<(u32, bool)> {
        let number = self.core.full_sack()?.forced(&self.tcb)?;
        Some((number, self.on_sent(number, now)))
    }

    #[inline(always)]
    fn next_segment(&mut self, now: Time) -> Option<u32> {
        let Sender { tcb, core } = self;
        if tcb.burst == 0 {
            return None;
        }
        if tcb.snd_nxt == tcb.snd_una && tcb.snd_nxt < tcb.offered {
            tcb.restart_if_idle(now);
        }
        core.next(tcb, now)
    }

    /// Account for a segment that leaves now. True if it was sent before.
    #[inline(always)]
    fn on_sent(&mut self, number: u32, now: Time) -> bool {
        let again = self.tcb.on_sent(number, now);
        if again {
            self.core.on_sent_again(&mut self.tcb, number);
        }
        again
    }

    /// Nothing more may leave.
    #[inline(always)]
    fn note_want_of_data(&mut self) {
        if self.tcb.rules.sampled {
            self.tcb.note_want_of_data(self.core.in_flight(&self.tcb));
        }
    }
}

impl Tcb {
    /// The next segment in turn, if the window or limited transmit lets it leave.
    #[inline(always)]
    pub(crate) fn next_in_window(&mut self) -> Option<u32> {
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
        let snapshot = if self.rules.sampled { Some(self.note_departure(now)) } else { None };
        self.last_sent_at = now;
        let again = number < self.snd_max;
        if again {
            self.on_sent_again(number, now, snapshot.unwrap_or_default());
        } else {
            self.board.reserve(self.snd_una, number);
            self.board.first_sent(number, now, snapshot.as_ref());
            self.snd_max = number + 1;
            if self.timed.is_none() {
                self.timed = Some((number, now));
            }
        }
        if number == self.snd_nxt {
            self.snd_nxt += 1;
        }
        //= https://www.rfc-editor.org/rfc/rfc6298#section-5
        //# Every time a packet containing data is sent (including a retransmission), if the timer is not running, start
        //# it running
        if self.rto_at == Time::NEVER {
            self.restart_timer(now);
        }
        again
    }

    #[cold]
    fn on_sent_again(&mut self, number: u32, now: Time, snapshot: Snapshot) {
        self.stats.retransmitted_segments += 1;
        self.board.sent_again(number, now, &snapshot);
        //= https://www.rfc-editor.org/rfc/rfc6298#section-3
        //# RTT samples MUST NOT be made using segments that were retransmitted
        if self.timed.is_some_and(|(timed, _)| timed == number) && self.rules.careful_samples {
            self.timed = None;
        }
    }

    /// Nothing was sent for longer than one RTO: restart from the initial window (RFC 5681 section 4.1). An algorithm
    /// that samples the delivery rate keeps its window: it paces what it sends, and hears of the restart.
    //= https://www.rfc-editor.org/rfc/rfc5681#section-4.1
    //# a TCP SHOULD set cwnd to no more than RW before beginning transmission if the TCP has not sent data in an
    //# interval exceeding the retransmission timeout.
    #[inline]
    fn restart_if_idle(&mut self, now: Time) {
        let may = self.rules.slow_start_restart != IdleRestart::Off && !self.rules.sampled && self.snd_max > 0;
        if may && now.since(self.last_sent_at) > self.rtt.rto() {
            self.restart(now);
        }
    }

    #[cold]
    fn restart(&mut self, now: Time) {
        match self.rules.slow_start_restart {
            IdleRestart::Linux => self.decay(now.since(self.last_sent_at)),
            _ => self.cc.set_cwnd(self.cc.cwnd().min(self.rules.initial_window * self.path.mss)),
        }
        self.books.restart();
        self.update_window(now);
    }

    /// Linux: a pause makes the window smaller by half for each timeout that has gone by, but not smaller than the
    /// initial one, and slow start leads back to three quarters of what it was (RFC 2861 section 3.1).
    fn decay(&mut self, idle: Span) {
        let was = self.whole_cwnd();
        let least = was.min(self.rules.initial_window as i64);
        let timeouts = idle.0.saturating_sub(1) / self.rtt.rto().0.max(1);
        let left = (was >> timeouts.min(32)).max(least);
        let remembered = (was / 2 + was / 4) as f64 * self.path.mss;
        let ssthresh = if self.in_recovery { self.cc.ssthresh() } else { self.cc.ssthresh().max(remembered) };
        self.cc.set_windows(Windows { cwnd: left as f64 * self.path.mss, ssthresh });
    }
}
