//! What an arriving ACK means: new, duplicate or old; and what the algorithm hears of it.
//! Source: RFC 5681 section 2.

use cc::{Ack, CongestionControl};
use units::{Bytes, Span, Time};

use super::rules::AckRules;
use super::{Sender, Tcb};
use crate::recovery::Progress;
use crate::segment::Segment;

impl Sender {
    /// An acknowledgement arrived. `pure`: without data; `HERE`: the usual way is to be part of the caller.
    #[inline(always)]
    pub(crate) fn on_ack<const HERE: bool>(&mut self, now: Time, segment: &Segment, pure: bool) {
        match self.tcb.rules.ack_rules {
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
        let Sender { tcb, core } = self;
        debug_assert!(tcb.cwnd_is_settled());
        let ack = segment.ack;
        //= https://www.rfc-editor.org/rfc/rfc9293#section-3.10.7.4
        //# If the ACK is a duplicate (SEG.ACK =< SND.UNA), it can be ignored.
        if ack > tcb.snd_max || ack < tcb.snd_una {
            if ack < tcb.snd_una && tcb.rules.heeds_old_acks && !segment.sack.is_empty() {
                self.on_old_ack(now, &{ *segment });
            }
            return; // acknowledges what was never sent, or what is acknowledged already
        }
        if tcb.push.is_on() {
            tcb.write_ahead(); // since the ACK before
        }
        tcb.burst = tcb.rules.max_burst;
        tcb.limited = false;
        let window_changed = segment.window != tcb.rwnd;
        if window_changed {
            tcb.set_rwnd(segment.window);
            tcb.end_persist(now);
        }
        let marked = if ack > tcb.snd_una {
            self.on_new_ack::<RULES>(now, segment)
        } else if tcb.awaits_acks() && core.is_duplicate(segment, pure || tcb.rules.dupack_from_data, window_changed) {
            if RULES == AckRules::USUAL {
                // a copy, so that the segment itself need not stand in memory
                self.on_duplicate::<RULES>(now, &{ *segment })
            } else {
                self.on_duplicate::<RULES>(now, segment)
            }
        } else {
            core.on_other_ack(tcb, now, ack, &{ segment.sack });
            tcb.marks_of::<RULES>(segment, 0, true) > 0 && tcb.rules.marks_on_any_ack
        };
        if marked {
            let before = self.tcb.whole_cwnd() as u32;
            if self.tcb.heed_mark(now) {
                self.core.on_marked(&mut self.tcb, before);
                self.tcb.update_window(now);
            }
        }
    }

    /// Whether it carries a mark.
    #[inline(always)]
    fn on_new_ack<const RULES: u8>(&mut self, now: Time, segment: &Segment) -> bool {
        let Sender { tcb, core } = self;
        let sampled = tcb.samples::<RULES>();
        let early_timer = RULES == AckRules::ALL && tcb.rules.timer_before_sample;
        let (ack, newly) = (segment.ack, segment.ack - tcb.snd_una);
        let marks = tcb.marks_of::<RULES>(segment, newly, false);
        let marked = marks > 0;
        let acknowledged = tcb.newest_acknowledged(ack);
        let in_use = tcb.window_is_in_use();
        let calm = tcb.is_calm();
        let dupacks = tcb.dupacks;
        let progress = if calm { Progress::Open } else { core.progress(tcb, ack) };
        let rto_before = if early_timer { tcb.rtt.rto() } else { Span::ZERO };
        tcb.sample_rto(now, segment, progress, acknowledged.is_none());
        if tcb.snd_una == 0 && tcb.rules.opens_late {
            tcb.set_cwnd(tcb.rules.initial_window);
        }
        if sampled {
            tcb.begin_delivery(core.in_flight(tcb), ack, now);
        }
        let news = core.note_ack(tcb, now, ack, segment.ts_ecr, &segment.sack);
        let delay = match acknowledged {
            Some(at) => tcb.delay_sample(now, at, news.newest, segment.flags),
            None => tcb.delay_of_repair(now, news.newest, segment.ts_ecr),
        };
        tcb.advance(ack);
        let grows = match progress {
            Progress::Open => {
                in_use
                    && !tcb.comes_down
                    && (tcb.rwnd > 0 || tcb.rules.linux_usage)
                    && !(marked && tcb.mark_stops_growth(ack))
            }
            Progress::Partial => false,
            Progress::Full => tcb.rules.grows_at_exit,
        };
        // what the ACK shows to be lost belongs to its sample; and if that begins a recovery just as one ends, there
        // is no time to grow
        let (mut looks_first, mut gap) = (sampled, false);
        let restart_timer = calm || {
            looks_first |= progress == Progress::Full && tcb.rules.looks_first;
            gap = core.sacked() > 0;
            core.on_advance(tcb, now, progress, newly)
        };
        let round = tcb.books.end_of_round(now, u64::from(ack), u64::from(tcb.snd_nxt), tcb.path.mss);
        if looks_first {
            core.after_advance(tcb, now, newly, news.any, delay);
        }
        let delivery = match sampled {
            true => {
                let lost = core.newly_lost(progress);
                tcb.delivery_sample(now, core.in_flight(tcb), lost, delay, acknowledged.is_none())
            }
            false => None,
        };
        // what SACKs told of before has counted already where the core keeps the account
        let counted = match calm {
            true => newly,
            false if tcb.never_calm => core.delivered(newly),
            false => tcb.not_announced(newly, dupacks),
        };
        let ce = if RULES == AckRules::ALL { tcb.counted_marks(marks, newly) } else { Bytes::ZERO };
        let grows = grows && !(looks_first && tcb.in_recovery);
        let event = Ack {
            gap,
            grows,
            rtt: delay,
            marked,
            ce,
            round,
            delivery,
            ..tcb.advance_event(now, segment, newly, counted)
        };
        tcb.cc.on_ack(&event, &tcb.path);
        if sampled {
            tcb.end_delivery(core.in_flight(tcb));
        }
        if !looks_first {
            core.after_advance(tcb, now, newly, news.any, delay);
        }
        if restart_timer {
            let rto = if early_timer { rto_before } else { tcb.rtt.rto() };
            tcb.restart_or_stop_timer(now, rto);
        }
        if early_timer {
            tcb.rtt.end_back_off();
        }
        tcb.update_window(now);
        marked
    }

    /// An ACK that others have overtaken: its blocks may tell something new.
    #[cold]
    fn on_old_ack(&mut self, now: Time, segment: &Segment) {
        let Sender { tcb, core } = self;
        tcb.burst = tcb.rules.max_burst;
        let news = core.note_ack(tcb, now, segment.ack, segment.ts_ecr, &segment.sack);
        core.on_duplicate(tcb, now, news.any);
        tcb.update_window(now);
    }

    /// Whether it carries a mark.
    #[inline(never)]
    fn on_duplicate<const RULES: u8>(&mut self, now: Time, segment: &Segment) -> bool {
        let Sender { tcb, core } = self;
        let sampled = tcb.samples::<RULES>();
        if sampled {
            tcb.begin_delivery(core.in_flight(tcb), segment.ack, now);
        }
        let in_use = tcb.window_is_in_use();
        let news = core.note_ack(tcb, now, segment.ack, segment.ts_ecr, &segment.sack);
        let marks = tcb.marks_of::<RULES>(segment, 0, !(news.any || segment.sack.is_empty()));
        let marked = marks > 0;
        let delay = tcb.delay_sample(now, Time::ZERO, news.newest, segment.flags);
        tcb.path.flight_size = tcb.bytes(tcb.flight_size());
        let mut event = Ack {
            now,
            newly_acked: Bytes::ZERO,
            grows: false,
            slow_start: Bytes::ZERO,
            avoidance: Bytes::ZERO,
            in_recovery: tcb.in_recovery,
            gap: true,
            rtt: delay,
            receiver_time: Some(segment.ts_val),
            one_way_delay: None,
            marked,
            ce: if RULES == AckRules::ALL { tcb.counted_marks(marks, 0) } else { Bytes::ZERO },
            round: None,
            delivery: None,
        };
        if sampled {
            core.on_duplicate(tcb, now, news.any);
            let lost = core.newly_lost(Progress::Open);
            event.delivery = tcb.delivery_sample(now, core.in_flight(tcb), lost, delay, false);
        }
        if in_use && core.sacks_grow(tcb) {
            event.grows = true;
            (event.slow_start, event.avoidance) = tcb.books.counts(core.delivered(0), tcb.segments, tcb.path.mss);
        }
        tcb.cc.on_ack(&event, &tcb.path);
        if sampled {
            tcb.end_delivery(core.in_flight(tcb));
        } else {
            core.on_duplicate(tcb, now, news.any);
        }
        tcb.update_window(now);
        marked
    }
}

impl Tcb {
    /// What the algorithm hears of marks that were counted, on an ACK of `newly` segments.
    fn counted_marks(&self, marks: u32, newly: u32) -> Bytes {
        match marks {
            0 => Bytes::ZERO,
            _ if self.rules.accurate_ecn => self.bytes(marks),
            _ if self.rules.echo_counts => self.bytes(newly),
            _ => Bytes::ZERO,
        }
    }

    /// What an ACK of `newly` segments counts for after so many duplicates.
    #[inline(never)]
    fn not_announced(&self, newly: u32, dupacks: u32) -> u32 {
        if self.rules.duplicates_deliver { newly.saturating_sub(dupacks).max(1) } else { newly }
    }

    /// The algorithm gets delivery rate samples.
    #[inline(always)]
    fn samples<const RULES: u8>(&self) -> bool {
        RULES == AckRules::SAMPLED || (RULES == AckRules::ALL && self.rules.sampled)
    }

    /// Something is outstanding, and an ACK that does not advance is a duplicate: behind a closed window it answers a
    /// probe.
    fn awaits_acks(&self) -> bool {
        self.snd_max > self.snd_una && self.rwnd > 0
    }

    /// No recovery is on, and no duplicate came since the last advance.
    #[inline(always)]
    pub(crate) fn is_calm(&self) -> bool {
        !(self.in_recovery | self.never_calm) && self.dupacks == 0
    }

    /// The window is in use, or need not be to grow.
    #[inline(always)]
    fn window_is_in_use(&self) -> bool {
        if self.rules.linux_usage {
            return self.usage.lets_grow(self.whole_cwnd(), self.cc.cwnd() < self.cc.ssthresh());
        }
        self.books.may_grow(self.flight_size(), self.segments) || (self.rules.paced && self.pacing_keeps_window_open())
    }

    /// Everything below `ack` is acknowledged.
    #[inline(always)]
    fn advance(&mut self, ack: u32) {
        self.snd_una = ack;
        self.snd_nxt = self.snd_nxt.max(ack);
        self.timeouts_in_row = 0;
        self.limited_sent = 0;
        self.path.flight_size = self.bytes(self.flight_size());
    }

    /// What the algorithm hears of an ACK of `newly` segments, of which `counted` let the window grow; samples and
    /// judgements aside.
    #[inline(always)]
    fn advance_event(&self, now: Time, segment: &Segment, newly: u32, counted: u32) -> Ack {
        let (slow_start, avoidance) = self.books.counts(counted, self.segments, self.path.mss);
        Ack {
            now,
            newly_acked: self.bytes(newly),
            slow_start,
            avoidance,
            in_recovery: self.in_recovery,
            receiver_time: Some(segment.ts_val),
            one_way_delay: Some(segment.ts_val.since(segment.ts_ecr)),
            ..Ack::default()
        }
    }
}
