//! How a connection opens.
//! Source: RFC 9293 section 3.5, RFC 5681 section 3.1, RFC 6298 section 5.

use cc::CongestionControl;
use units::{Span, Time};

use super::rules::Opening;
use super::{Sender, State, Tcb};

impl Sender {
    /// Start to open the connection.
    pub fn open(&mut self) {
        self.tcb.state = State::SynSent;
        self.tcb.syn_due = true;
    }

    /// The other side answered the SYN (or, on the passive side, our answer).
    pub(crate) fn on_open(&mut self, now: Time) {
        let Sender { tcb, core } = self;
        if tcb.state == State::Open {
            return;
        }
        if let Some((_, sent)) = tcb.timed.take() {
            tcb.rtt.sample(sent, now, false);
            tcb.rtt.end_back_off();
            core.on_open(now.since(sent));
        }
        tcb.state = State::Open;
        tcb.note_whether_quiet();
        tcb.syn_due = false;
        tcb.rto_at = Time::NEVER;
        let (window, ssthresh) = tcb.first_window();
        tcb.timeouts_in_row = 0;
        tcb.path.srtt = tcb.rtt.srtt();
        let mss = tcb.path.mss;
        tcb.cc.on_init(window * mss, ssthresh * mss, &tcb.path);
        tcb.books.open(now, 0);
        tcb.cwnd_since = now;
        tcb.begin_limits(now);
        tcb.stats.opened = Some(now);
        tcb.burst = tcb.rules.max_burst;
        if tcb.push.is_on() {
            tcb.write_ahead();
        }
        tcb.update_window(now);
    }
}

impl Tcb {
    /// Whether the handshake is over.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.state == State::Open
    }

    /// The SYN came again, so the answer to it was lost or late. Like a lost SYN it leaves an initial window of one
    /// segment (RFC 5681 section 3.1). Whether its answer echoes the first one even so, as Linux's does.
    pub(crate) fn on_syn_again(&mut self) -> bool {
        if self.state == State::SynReceived {
            self.timeouts_in_row += 1;
        }
        self.rules.opening == Opening::Linux
    }

    /// The answer to the other side's SYN leaves. It is sent again until it is acknowledged, as a SYN is; ns-2's sinks
    /// have no such timer. FullTcp takes the time of it as well, and so does a core that takes the samples.
    pub(crate) fn on_syn_ack_sent(&mut self, now: Time) {
        if self.state == State::Open || self.rules.opening == Opening::Ns2 {
            return;
        }
        self.state = State::SynReceived;
        self.syn_due = false;
        let measures = self.rules.opening == Opening::Ns2Full || self.rules.core_samples;
        if measures && self.timeouts_in_row == 0 && self.timed.is_none() {
            self.timed = Some((0, now));
        }
        self.restart_timer(now);
    }

    /// The answer to our SYN came. Where there were several, Linux takes the time of the one that it echoes, and if
    /// that is the first, no SYN was lost, and nothing is to pay for.
    pub(crate) fn note_answered_syn(&mut self, now: Time, echo: Time) {
        let counts = self.rules.opening == Opening::Linux && self.rules.timestamps && self.timeouts_in_row > 0;
        if counts {
            // in whole milliseconds the time since a first SYN at 0 may come out longer than it was
            self.timed = Some((0, Time(now.0.saturating_sub(self.stamped_rtt(now, echo).0))));
            if self.first_syn_at == Some(echo) {
                self.timeouts_in_row = 0;
            }
        }
    }

    /// The answer to our SYN came again, so that the other side has not heard of the opening: it wants an ACK. ns-2's
    /// agents send none.
    pub(crate) fn acknowledges_syn_again(&self) -> bool {
        self.state == State::Open && matches!(self.rules.opening, Opening::Rfc | Opening::Linux)
    }

    /// The first window and threshold, segments. After a lost SYN the window is one segment, but not FullTcp's, and
    /// Linux's after two; and in ns-2 the threshold is two.
    fn first_window(&mut self) -> (f64, f64) {
        let opening = self.rules.opening;
        let lost_syn = self.timeouts_in_row > u32::from(opening == Opening::Linux);
        let unknown = opening == Opening::Linux && self.rtt.srtt() == Span::ZERO;
        if self.timeouts_in_row > 0 && (opening == Opening::Rfc || unknown) {
            self.rtt.after_lost_syn();
        }
        if opening == Opening::Ns2Full {
            self.rtt.end_back_off();
        }
        let one = (lost_syn && opening != Opening::Ns2Full) || self.rules.opens_late;
        let window = if one { 1.0 } else { self.rules.initial_window };
        let ssthresh = match self.rules.initial_ssthresh {
            _ if lost_syn && matches!(opening, Opening::Ns2 | Opening::Ns2Full) => 2.0,
            Some(segments) => f64::from(segments),
            None => f64::from(self.rwnd),
        };
        (window, ssthresh)
    }
}
