//! Proportional Rate Reduction: how much may leave on each ACK of a recovery, so that the flight comes down to the new
//! window without a pause and without a burst.
//! Source: RFC 9937, on top of RFC 6675's, NewReno's and RACK-TLP's recovery.
//! Choices: ssthresh is the window that the algorithm chose to recover with; amounts count whole segments; without SACK
//! a duplicate ACK delivers one segment, a partial ACK what duplicates had not announced, and the hole that a partial
//! ACK uncovers is resent at once, as NewReno does, and counted, and such an ACK is never a SafeACK: it tells of a
//! further loss.

use crate::sender::Tcb;

/// The reduction, on or off, and the recovery that it is at.
#[derive(Clone, Debug)]
pub(super) struct Prr {
    on: bool,
    recovery: Option<Reduction>,
}

/// What an ACK delivered, segments: newly acknowledged, newly SACKed, and both together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivered {
    pub(super) newly: u32,
    pub(super) sacked: u32,
    pub(super) all: u32,
}

impl Prr {
    pub(super) fn new(on: bool) -> Prr {
        Prr { on, recovery: None }
    }

    #[inline(always)]
    pub(super) fn is_on(&self) -> bool {
        self.on
    }

    /// The recovery is over.
    pub(super) fn end(&mut self) {
        self.recovery = None;
    }

    /// With SACK, an ACK was taken into account: set the window of the recovery. `pipe`: segments in the network;
    /// `safe`: the ACK advances and shows no further loss.
    pub(super) fn on_ack_with_sack(&mut self, tcb: &mut Tcb, ack: Delivered, pipe: u32, safe: bool) {
        if !tcb.in_recovery {
            return self.end();
        }
        let recovery = self.recovery.get_or_insert_with(|| {
            let sacked = (tcb.snd_una..tcb.snd_max).filter(|&n| tcb.board.get(n).sacked).count() as u32;
            let before = sacked.saturating_sub(ack.sacked);
            Reduction::new(tcb, tcb.snd_max - tcb.snd_una - before + ack.newly, 0)
        });
        if ack.all > 0 {
            let in_flight = pipe.saturating_sub(u32::from(tcb.resend.is_some()));
            let count = recovery.send_count(recovery.out(tcb), ack.all, in_flight, safe);
            tcb.inflation = (in_flight + count) as i32 - tcb.cwnd() as i32;
        }
    }

    /// The same without SACK, for an ACK of `newly` segments, none for a duplicate.
    #[inline(never)]
    pub(super) fn on_ack(&mut self, tcb: &mut Tcb, newly: u32) {
        if !tcb.in_recovery {
            return self.end();
        }
        let recovery = self.recovery.get_or_insert_with(|| {
            // with the duplicate at hand it will be all that were announced
            Reduction::new(tcb, tcb.snd_max - tcb.snd_una + newly, tcb.dupacks - 1)
        });
        let delivered = recovery.without_sack(newly);
        if delivered > 0 {
            let waiting = u32::from(tcb.resend.is_some());
            let in_flight = tcb.flight_size().saturating_sub(recovery.announced).saturating_sub(waiting);
            let count = recovery.send_count(recovery.out(tcb), delivered, in_flight, false);
            // this core's window counts from snd_una, and the retransmission does not count in it
            let window = tcb.flight_size() + count.saturating_sub(waiting);
            tcb.inflation = window as i32 - tcb.cwnd() as i32;
        }
    }
}

/// State of one recovery, in segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduction {
    ssthresh: u32,
    /// What the recovery may deliver in all.
    recover_fs: u32,
    delivered: u32,
    /// Segments that the connection had sent when the recovery began.
    sent_before: u64,
    /// What it is for was taken back meanwhile.
    taken_back: bool,
    /// Without SACK: segments that duplicates announced and no ACK has covered.
    announced: u32,
}

impl Reduction {
    pub(super) fn new(tcb: &Tcb, recover_fs: u32, announced: u32) -> Reduction {
        Reduction {
            ssthresh: tcb.cwnd() as u32,
            recover_fs,
            delivered: 0,
            sent_before: tcb.stats.sent_segments,
            taken_back: false,
            announced,
        }
    }

    /// What it is for was for nothing, and ssthresh is larger again.
    pub(super) fn take_back(&mut self, ssthresh: u32) {
        (self.ssthresh, self.taken_back) = (ssthresh, true);
    }

    pub(super) fn is_taken_back(&self) -> bool {
        self.taken_back
    }

    /// Sent since the recovery began, retransmissions included.
    pub(super) fn out(&self, tcb: &Tcb) -> u32 {
        (tcb.stats.sent_segments - self.sent_before) as u32
    }

    /// How many segments may leave on an ACK that delivered `delivered`, with `in_flight` in the network and `out` sent
    /// so far.
    pub(super) fn send_count(&mut self, out: u32, delivered: u32, in_flight: u32, safe: bool) -> u32 {
        self.delivered += delivered;
        let count = if in_flight > self.ssthresh {
            //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
            //# out = DIV_ROUND_UP(prr_delivered * ssthresh, RecoverFS)
            //# SndCnt = out - prr_out
            let share = u64::from(self.delivered) * u64::from(self.ssthresh);
            (share.div_ceil(u64::from(self.recover_fs.max(1))) as u32).saturating_sub(out)
        } else {
            //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
            //# SndCnt = MAX(prr_delivered - prr_out, DeliveredData)
            let count = self.delivered.saturating_sub(out).max(delivered) + u32::from(safe);
            //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
            //# SndCnt = MIN(ssthresh - inflight, SndCnt)
            count.min(self.ssthresh - in_flight)
        };
        //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
        //# // Force a fast retransmit upon entering recovery
        if out == 0 { count.max(1) } else { count }
    }

    /// What an ACK without SACK delivers.
    fn without_sack(&mut self, newly: u32) -> u32 {
        if newly == 0 {
            self.announced += 1;
            //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
            //# PRR disallows incrementing DeliveredData when the total bytes delivered in a PRR
            //# episode would exceed the estimated data outstanding upon entering recovery (RecoverFS).
            return u32::from(self.delivered < self.recover_fs);
        }
        let known = self.announced.min(newly - 1);
        self.announced -= known;
        newly - known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prr(ssthresh: u32, recover_fs: u32) -> Reduction {
        Reduction { ssthresh, recover_fs, delivered: 0, sent_before: 0, taken_back: false, announced: 0 }
    }

    #[test]
    fn above_ssthresh_the_share_of_what_is_delivered() {
        let mut p = prr(5, 8);
        // ceil(k * 5 / 8) for k = 1 to 6: 1 2 2 3 4 4
        let sent: Vec<u32> = (0..6)
            .scan(0, |out, _| {
                *out += p.send_count(*out, 1, 6, false);
                Some(*out)
            })
            .collect();
        assert_eq!(sent, [1, 2, 2, 3, 4, 4]);
    }

    #[test]
    fn below_ssthresh_no_more_than_is_delivered_and_one_if_it_is_safe() {
        let mut p = prr(10, 20);
        // delivered 2 in all, 3 sent: two for two
        assert_eq!(p.send_count(3, 2, 4, false), 2);
        // one for one, and one more
        assert_eq!(p.send_count(5, 1, 4, true), 2);
        // room for one only
        assert_eq!(p.send_count(5, 3, 9, true), 1);
    }

    #[test]
    fn the_first_retransmission_is_never_held_back() {
        let mut p = prr(2, 100);
        assert_eq!(p.send_count(0, 1, 2, false), 1);
    }

    #[test]
    fn a_partial_ack_delivers_what_duplicates_had_not_announced() {
        let mut p = prr(5, 10);
        (0..3).for_each(|_| assert_eq!(p.without_sack(0), 1));
        // four acknowledged: the hole, and three of which duplicates had told
        assert_eq!(p.without_sack(4), 1);
        // nothing announced is left
        assert_eq!(p.without_sack(2), 2);
        // three announced and two acknowledged: the hole, and one of the three
        (0..3).for_each(|_| assert_eq!(p.without_sack(0), 1));
        assert_eq!((p.without_sack(2), p.announced), (1, 2));
    }

    #[test]
    fn duplicates_deliver_no_more_than_was_outstanding() {
        let mut p = prr(5, 10);
        p.delivered = 9;
        assert_eq!(p.without_sack(0), 1);
        p.delivered = 10;
        assert_eq!(p.without_sack(0), 0);
    }

    #[test]
    fn at_ssthresh_nothing_is_added_to_what_is_in_flight() {
        let mut p = prr(5, 10);
        assert_eq!(p.send_count(1, 3, 5, true), 0);
        // one more in flight: the share, ceil(6 * 5 / 10) - 1
        assert_eq!(p.send_count(1, 3, 6, true), 2);
    }
}
