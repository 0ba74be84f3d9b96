//! What an arriving ACK means: new, duplicate or old; delay samples, rounds, marks.
//! Source: RFC 5681 section 2, RFC 6298 section 3, RFC 3168 section 6.1.2.

use cc::{Ack, Cause, Congestion, CongestionControl, Round};
use units::{Bytes, Span, Time};

use super::rules::AckRules;
use super::{Core, Progress, Sender, Why};
use crate::segment::{Flags, Segment};

impl Sender {
    /// An acknowledgement arrived. `pure`: without data; `HERE`: the usual way is to be part of the caller.
    #[inline(always)]
    pub fn on_ack<const HERE: bool>(&mut self, now: Time, segment: &Segment, pure: bool) {
        match self.rules.ack_rules {
            AckRules::Usual if HERE => self.on_any_ack::<{ AckRules::USUAL }>(now, segment, pure),
            AckRules::Usual => self.on_usual_ack(now, segment, pure),
            AckRules::Sampled => self.on_sampled_ack(now, segment, pure),
            AckRules::All => self.on_rare_ack(now, segment, pure),
        }
    }

    #[inline(never)]
    fn on_usual_ack(&mut self, now: Time, segment: &Segment, pure: bool) {
        self.on_any_ack::<{ AckRules::USUAL }>(now, segment, pure);
    }

    #[inline(never)]
    fn on_sampled_ack(&mut self, now: Time, segment: &Segment, pure: bool) {
        self.on_any_ack::<{ AckRules::SAMPLED }>(now, segment, pure);
    }

    #[inline(never)]
    fn on_rare_ack(&mut self, now: Time, segment: &Segment, pure: bool) {
        self.on_any_ack::<{ AckRules::ALL }>(now, segment, pure);
    }

    /// An acknowledgement, looked at for what `RULES` say: one of [`AckRules`].
    #[inline(always)]
    fn on_any_ack<const RULES: u8>(&mut self, now: Time, segment: &Segment, pure: bool) {
        debug_assert!(self.cwnd_is_settled());
        let all = RULES == AckRules::ALL;
        let full = all && self.rules.full;
        let ack = segment.ack;
        //= https://www.rfc-editor.org/rfc/rfc9293#section-3.10.7.4
        //# If the ACK is a duplicate (SEG.ACK =< SND.UNA), it can be ignored.
        if ack > self.snd_max || ack < self.snd_una {
            return; // acknowledges what was never sent, or what is acknowledged already
        }
        self.burst = if full { self.full_burst() } else { self.rules.max_burst };
        self.limited = false;
        let window_changed = segment.window != self.rwnd;
        if window_changed {
            self.set_rwnd(segment.window);
            self.end_persist(now);
        }
        let marked = all && self.rules.ecn && segment.flags.has(Flags::ECE);
        if marked {
            self.stats.marks += 1;
        }
        if ack > self.snd_una {
            self.on_new_ack::<RULES>(now, segment, marked);
        } else if self.is_duplicate(segment, pure, window_changed) {
            if RULES == AckRules::USUAL {
                // a copy, so that the segment itself need not stand in memory
                self.on_duplicate::<RULES>(now, &{ *segment }, marked);
            } else {
                self.on_duplicate::<RULES>(now, segment, marked);
            }
        } else if self.rules.ns2 {
            if full && self.core == Core::Sack1 {
                self.sack_on_ack(ack, &segment.sack, now);
            }
            return; // ns-2 looks for marks on new ACKs and duplicates only
        }
        //= https://www.rfc-editor.org/rfc/rfc3168#section-6.1.2
        //# If the sender receives an ECN-Echo (ECE) ACK packet (that is, an ACK packet with the ECN-Echo flag set in
        //# the TCP header), then the sender knows that congestion was encountered in the network on the path from the
        //# sender to the receiver.
        if marked && !self.acts_on_marks && self.ecn_recover.is_none_or(|cut| self.snd_una > cut) {
            self.on_mark(now);
        }
    }

    //= https://www.rfc-editor.org/rfc/rfc5681#section-2
    //# the advertised window in the incoming acknowledgment equals the advertised window in the last incoming
    //# acknowledgment
    pub(super) fn is_duplicate(&self, segment: &Segment, pure: bool, window_changed: bool) -> bool {
        let outstanding = self.snd_max > self.snd_una;
        // behind a closed window an ACK that does not advance answers a probe
        outstanding
            && self.rwnd > 0
            && match self.core {
                Core::Sack => !segment.sack.is_empty(),
                Core::Sack1 if !self.rules.full => !segment.sack.is_empty(),
                _ => (pure || self.rules.dupack_from_data) && !window_changed,
            }
    }

    #[inline(always)]
    fn on_new_ack<const RULES: u8>(&mut self, now: Time, segment: &Segment, marked: bool) {
        let all = RULES == AckRules::ALL;
        let full = all && self.rules.full;
        let sampled = self.samples::<RULES>();
        let ack = segment.ack;
        let newly = ack - self.snd_una;
        let acknowledged = self.newest_acknowledged(ack);
        let in_use = !self.rules.cwnd_limited
            || f64::from(self.snd_nxt - self.snd_una) >= self.cwnd().floor()
            || (self.rules.paced && self.pacing_keeps_window_open());

        let progress = match self.core {
            Core::NewReno | Core::Sack1 if full => self.full_progress(ack),
            _ if !self.in_recovery => Progress::Open,
            Core::Reno | Core::Tahoe | Core::Vegas => Progress::Full,
            Core::NewReno | Core::Sack | Core::Sack1 if ack >= self.recover => Progress::Full,
            Core::NewReno | Core::Sack | Core::Sack1 => Progress::Partial,
        };
        let rto_before = if full { self.rtt.rto() } else { Span::ZERO };
        self.sample_rto(now, segment, progress, acknowledged.is_none());
        if self.snd_una == 0 && self.opens_late() {
            self.cc.set_cwnd(self.rules.initial_window * self.path.mss);
        }
        if sampled {
            self.begin_delivery(ack, now);
        }
        let forgets = self.core == Core::Sack1 && progress != Progress::Partial;
        if forgets && self.rules.full {
            self.sack1_forget(); // FullTcp keeps what this ACK says
        }
        let (news, sacked) = match self.core {
            Core::Sack | Core::Sack1 => (self.sack_on_ack(ack, &segment.sack, now), self.sack.newest_now),
            _ => (false, Time::ZERO),
        };
        let delay = match acknowledged {
            Some(at) => self.delay_sample(now, at, sacked, segment.flags),
            None => None,
        };
        self.snd_una = ack;
        self.snd_nxt = self.snd_nxt.max(ack);
        if forgets && !self.rules.full {
            self.sack1_forget();
        }
        self.timeouts_in_row = 0;
        self.limited_sent = 0;
        self.path.flight_size = self.bytes(self.snd_nxt - ack);

        let mut grows = in_use && self.rwnd > 0 && !(marked && self.mark_stops_growth(ack));
        let mut restart_timer = true;
        match progress {
            Progress::Open => {
                if full {
                    self.full_settle();
                }
                self.dupacks = 0;
            }
            Progress::Full => {
                // ns-2's agents of the Reno family grow on the ACK that ends recovery
                grows = full || (self.rules.ns2 && matches!(self.core, Core::Reno | Core::NewReno | Core::Vegas));
                self.leave_recovery(now);
                if full {
                    self.full_forget_guard();
                    self.burst = self.rules.max_burst;
                }
            }
            Progress::Partial => {
                grows = false;
                restart_timer = self.on_partial(newly);
            }
        }
        let round = self.end_of_round(now, ack);
        let repaired = acknowledged.is_none();
        let event = Ack {
            now,
            newly_acked: self.bytes(newly),
            grows,
            slow_start: self.bytes(newly.min(self.ss_limit)),
            //= https://www.rfc-editor.org/rfc/rfc3465#section-2.1
            //# When bytes_acked becomes greater than or equal to the value of the congestion window, bytes_acked is
            //# reduced by the value of cwnd. Next, cwnd is incremented by a full-sized segment (SMSS).
            avoidance: f64::from(newly.min(self.rules.ca_limit)).min(self.segments) * self.path.mss,
            in_recovery: self.in_recovery,
            rtt: delay,
            receiver_time: Some(segment.ts_val),
            one_way_delay: Some(segment.ts_val.since(segment.ts_ecr)),
            marked,
            round,
            delivery: if sampled { self.delivery_sample(now, self.lost_by(progress), repaired) } else { None },
        };
        self.cc.on_ack(&event, &self.path);
        if sampled {
            self.end_delivery();
        }
        match self.core {
            Core::Vegas => self.vegas_on_new_ack(now, delay),
            Core::Sack if !self.in_recovery => self.sack_after_new_ack(now, news),
            _ => {}
        }
        if restart_timer {
            // FullTcp starts the timer before it takes the sample and ends the back-off
            let rto = if full { rto_before } else { self.rtt.rto() };
            //= https://www.rfc-editor.org/rfc/rfc6298#section-5
            //# When all outstanding data has been acknowledged, turn off the retransmission timer. (5.3) When an ACK is
            //# received that acknowledges new data, restart the retransmission timer so that it will expire after RTO
            //# seconds
            self.rto_at = if ack < self.snd_max || self.is_shut() { now + rto } else { Time::NEVER };
        }
        if full {
            self.rtt.end_back_off();
        }
        if all && self.rules.prr {
            self.prr_on_ack(newly);
        }
        self.update_window(now);
    }

    /// The algorithm gets delivery rate samples.
    #[inline(always)]
    fn samples<const RULES: u8>(&self) -> bool {
        RULES == AckRules::SAMPLED || (RULES == AckRules::ALL && self.rules.sampled)
    }

    #[inline(never)]
    fn on_duplicate<const RULES: u8>(&mut self, now: Time, segment: &Segment, marked: bool) {
        let sampled = self.samples::<RULES>();
        if sampled {
            self.begin_delivery(segment.ack, now);
        }
        let news = match self.core {
            Core::Sack | Core::Sack1 => self.sack_on_ack(segment.ack, &segment.sack, now),
            _ => true,
        };
        let delay = self.delay_sample(now, Time::ZERO, self.sack.newest_now, segment.flags);
        self.path.flight_size = self.bytes(self.flight_size());
        let event = Ack {
            now,
            newly_acked: Bytes::ZERO,
            grows: false,
            slow_start: Bytes::ZERO,
            avoidance: Bytes::ZERO,
            in_recovery: self.in_recovery,
            rtt: delay,
            receiver_time: Some(segment.ts_val),
            one_way_delay: None,
            marked,
            round: None,
            delivery: if sampled { self.delivery_sample(now, self.lost_by(Progress::Open), false) } else { None },
        };
        self.cc.on_ack(&event, &self.path);
        if sampled {
            self.end_delivery();
        }
        match self.core {
            Core::Sack => self.sack_on_duplicate(now, news),
            Core::Sack1 => self.sack1_on_duplicate(now, news),
            Core::Vegas => self.vegas_on_duplicate(now),
            Core::Tahoe | Core::Reno | Core::NewReno => self.reno_on_duplicate(now),
        }
        if RULES == AckRules::ALL && self.rules.prr {
            self.prr_on_ack(0);
        }
        self.update_window(now);
    }

    #[inline(never)]
    pub(super) fn on_mark(&mut self, now: Time) {
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
        self.ask(&event);
        if self.cwnd() > before {
            self.cc.set_cwnd(before * self.path.mss); // the least window of two segments is no reason to grow
        }
        self.ecn_recover = Some(self.snd_max);
        self.mark_cut = self.snd_max;
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
    }

    /// Whether an ACK that advances to `ack` and carries a mark leaves the window as it is. After a timeout it does not:
    /// the echo lasts until CWR can travel on new data, and says nothing new of the segments sent again until then.
    //= https://www.rfc-editor.org/rfc/rfc3168#section-6.1.2
    //# The sending TCP SHOULD NOT increase the congestion window in response to the receipt of an ECN-Echo ACK packet.
    pub(super) fn mark_stops_growth(&self, ack: u32) -> bool {
        let after_timeout = !self.in_recovery && !self.last_cut_by_dupacks && ack < self.recover;
        !self.acts_on_marks && !after_timeout
    }

    /// When the newest segment left that an ACK newly covers, of those not SACKed before; zero if there is none. `None`: one of
    /// those covered was sent again, so that the ACK measures the wait for the repair, or it is open which copy it answers.
    #[inline(always)]
    fn newest_acknowledged(&self, ack: u32) -> Option<Time> {
        let mut newest = Time::ZERO;
        for number in self.snd_una..ack {
            let record = self.board.get(number);
            if record.times > 1 {
                if self.rules.ns2_vegas {
                    continue; // ns-2's Vegas asks only whether the segment it samples was sent again
                }
                return None;
            }
            // what was SACKed before this ACK arrived then, and waited since for a hole to be filled
            if !record.notes.was_sacked() {
                newest = record.at;
            }
        }
        Some(newest)
    }

    /// Take a delay sample: that of the newest segment which the ACK at hand acknowledges or SACKs. The two times are when the
    /// newest of each left, zero if there is none: nothing leaves before the handshake has taken its time.
    #[inline(always)]
    fn delay_sample(&mut self, now: Time, acknowledged: Time, sacked: Time, flags: Flags) -> Option<Span> {
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

    /// Feed the retransmission timeout's estimator.
    #[inline(always)]
    fn sample_rto(&mut self, now: Time, segment: &Segment, progress: Progress, repaired: bool) {
        // partial ACKs give ns-2's agents no sample
        let rules = self.rules;
        let is_valid = || !(progress == Progress::Partial && rules.ns2 && !rules.full);
        //= https://www.rfc-editor.org/rfc/rfc7323#section-4.1
        //# A TSecr value received in a segment MAY be used to update the averaged RTT measurement only if the segment
        //# advances the left edge of the send window
        if self.rules.timestamps && is_valid() {
            self.rtt.sample(segment.ts_ecr, now, true);
            self.path.srtt = self.rtt.srtt();
            if !self.rules.ns2 {
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
        // Behind a segment sent again, the timed one may have waited for it. ns-2's agents do not ask.
        if !self.rules.timestamps && is_valid() && (self.rules.ns2 || !repaired) {
            self.rtt.sample(sent, now, false);
            self.path.srtt = self.rtt.srtt();
        }
    }

    /// The segment whose RTT is measured was SACKed: it has arrived, whatever holes are below it. ns-2 waits for the
    /// cumulative ACK.
    #[cold]
    pub(crate) fn sample_rto_by_sack(&mut self, now: Time) {
        if self.rules.ns2 {
            return;
        }
        let Some((_, sent)) = self.timed.take() else { return };
        self.rtt.sample(sent, now, false);
        self.path.srtt = self.rtt.srtt();
        self.rtt.end_back_off();
        // the timer that runs may have been started with the timeout backed off
        self.rto_at = self.rto_at.min(now + self.rtt.rto());
    }

    /// Segments that the ACK at hand showed to be lost: by the scoreboard, or the hole that a partial ACK uncovers.
    fn lost_by(&self, progress: Progress) -> u32 {
        match self.core {
            Core::Sack => self.sack.lost_now,
            _ => u32::from(progress == Progress::Partial),
        }
    }

    #[inline(always)]
    fn end_of_round(&mut self, now: Time, ack: u32) -> Option<Round> {
        if ack <= self.round_mark {
            return None;
        }
        let round = Round { length: now.since(self.round_began), sent: self.bytes(self.snd_nxt - self.round_mark) };
        self.round_mark = self.snd_nxt;
        self.round_began = now;
        Some(round)
    }
}
