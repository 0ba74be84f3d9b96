//! Samples of the RTT: for the retransmission timeout, and of the delay for the algorithm.
//! Source: RFC 6298 section 3, RFC 7323 section 4.1.

use units::{Span, Time};

use super::Tcb;
use crate::recovery::Progress;
use crate::segment::{Flags, Segment};

impl Tcb {
    /// When the newest segment left that an ACK newly covers, of those not SACKed before; zero if there is none.
    /// `None`: one of those covered was sent again, so that the ACK measures the wait for the repair, or it is open
    /// which copy it answers.
    #[inline(always)]
    pub(super) fn newest_acknowledged(&self, ack: u32) -> Option<Time> {
        let mut newest = Time::ZERO;
        for number in self.snd_una..ack {
            let record = self.board.get(number);
            if record.times > 1 {
                if self.rules.careful_delays {
                    return None;
                }
                continue;
            }
            // what was SACKed before this ACK arrived then, and waited since for a hole to be filled
            if !record.notes.was_sacked() {
                newest = record.at;
            }
        }
        Some(newest)
    }

    /// Take a delay sample: that of the newest segment which the ACK at hand acknowledges or SACKs. The two times are
    /// when the newest of each left, zero if there is none: nothing leaves before the handshake has taken its time.
    #[inline(always)]
    pub(super) fn delay_sample(&mut self, now: Time, acknowledged: Time, sacked: Time, flags: Flags) -> Option<Span> {
        let newest = acknowledged.max(sacked);
        if newest == Time::ZERO {
            return None;
        }
        let r = now.since(newest);
        if r < self.path.rtt_min || self.path.rtt_min == Span::ZERO {
            self.path.rtt_min = r;
        }
        // segments out of order are reported at once
        if flags.has(Flags::DELAYED) && sacked <= acknowledged && !self.rules.delack_samples {
            return None;
        }
        self.path.rtt = r;
        self.stats.rtt_samples += 1;
        self.stats.rtt_sum += r.secs();
        self.stats.rtt_max = self.stats.rtt_max.max(r);
        Some(r)
    }

    /// The delay sample of an ACK that covers segments which were sent again; `sacked`: when the newest left that it
    /// SACKs, zero if there is none.
    #[cold]
    pub(super) fn delay_of_repair(&mut self, now: Time, sacked: Time, echo: Time) -> Option<Span> {
        if !self.rules.samples_repairs {
            return None;
        }
        if sacked != Time::ZERO {
            return self.delay_sample(now, Time::ZERO, sacked, Flags::ACK);
        }
        if echo == Time::ZERO || !self.rules.timestamps {
            return None;
        }
        // no time of the path, to which it may fall short: it counts in no result
        let r = self.stamped_rtt(now, echo);
        self.path.rtt = r;
        Some(r)
    }

    /// The RTT by the timestamp that an ACK echoes.
    #[cold]
    pub(crate) fn stamped_rtt(&self, now: Time, echo: Time) -> Span {
        if !self.rules.coarse_stamps {
            return now.since(echo);
        }
        //= specs/papers/linux.md#losses
        //# By its timestamp an RTT is a whole number of milliseconds, at least one.
        let ticks = self.rules.wheel.clock(now) - self.rules.wheel.clock(echo);
        Span::from_millis(ticks.max(1))
    }

    /// Feed the retransmission timeout's estimator.
    #[inline(always)]
    pub(super) fn sample_rto(&mut self, now: Time, segment: &Segment, progress: Progress, repaired: bool) {
        let rules = self.rules;
        if rules.core_samples {
            return;
        }
        let is_valid = || progress != Progress::Partial || rules.samples_on_partial;
        //= https://www.rfc-editor.org/rfc/rfc7323#section-4.1
        //# A TSecr value received in a segment MAY be used to update the averaged RTT measurement only if the segment
        //# advances the left edge of the send window
        if self.rules.timestamps && is_valid() {
            self.rtt.sample(segment.ts_ecr, now, true);
            self.path.srtt = self.rtt.srtt();
            if self.rules.careful_samples {
                self.rtt.end_back_off();
            }
        }
        let Some((number, sent)) = self.timed else { return };
        if segment.ack <= number {
            return;
        }
        self.timed = None;
        //= https://www.rfc-editor.org/rfc/rfc6298#section-5
        //# which may result in "collapsing" RTO back down after it has been subject to exponential back off (rule 5.5).
        self.rtt.end_back_off();
        // behind a segment sent again, the timed one may have waited for it
        if !self.rules.timestamps && is_valid() && !(repaired && self.rules.careful_samples) {
            self.rtt.sample(sent, now, false);
            self.path.srtt = self.rtt.srtt();
        }
    }

    /// A segment is SACKed that was not before.
    #[inline(always)]
    pub(crate) fn note_sacked(&mut self, now: Time, number: u32) {
        if let Some(delivery) = &mut self.delivery {
            delivery.on_delivered(self.board.sampled(number), now);
        }
        if self.timed.is_some_and(|(timed, _)| timed == number) {
            self.sample_rto_by_sack(now);
        }
    }

    /// The segment whose RTT is measured was SACKed: it has arrived, whatever holes are below it.
    #[cold]
    fn sample_rto_by_sack(&mut self, now: Time) {
        if !self.rules.careful_samples || self.rules.core_samples {
            return;
        }
        let Some((_, sent)) = self.timed.take() else { return };
        self.rtt.sample(sent, now, false);
        self.path.srtt = self.rtt.srtt();
        self.rtt.end_back_off();
        // the timer that runs may have been started with the timeout backed off
        self.rto_at = self.rto_at.min(now + self.rtt.rto());
    }
}
