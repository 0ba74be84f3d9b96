//! How a connection opens.
//! Source: RFC 9293 section 3.5, RFC 5681 section 3.1, RFC 6298 section 5.

use cc::CongestionControl;
use units::Time;

use super::{Core, Sender, State};

impl Sender {
    /// Start to open the connection.
    pub fn open(&mut self) {
        self.state = State::SynSent;
        self.syn_due = true;
    }

    /// The SYN came again, so the answer to it was lost or late. Like a lost SYN it leaves an initial window of one
    /// segment (RFC 5681 section 3.1).
    pub fn on_syn_again(&mut self) {
        if self.state == State::SynReceived {
            self.timeouts_in_row += 1;
        }
    }

    /// The answer to the other side's SYN leaves. It is sent again until it is acknowledged, as a SYN is; ns-2's sinks have
    /// no such timer. FullTcp takes the time of it as well.
    pub fn on_syn_ack_sent(&mut self, now: Time) {
        if self.state != State::Open && (!self.rules.ns2 || self.rules.full) {
            self.state = State::SynReceived;
            self.syn_due = false;
            if self.rules.full && self.timeouts_in_row == 0 && self.timed.is_none() {
                self.timed = Some((0, now));
            }
            self.rto_at = now + self.rtt.rto();
        }
    }

    /// The answer to our SYN came again, so that the other side has not heard of the opening: it wants an ACK. ns-2's
    /// agents send none.
    pub(crate) fn acknowledges_syn_again(&self) -> bool {
        self.is_open() && !self.rules.ns2
    }

    /// The other side answered the SYN (or, on the passive side, our answer).
    pub fn on_open(&mut self, now: Time) {
        if self.state == State::Open {
            return;
        }
        if let Some((_, sent)) = self.timed.take() {
            self.rtt.sample(sent, now, false);
            self.rtt.end_back_off();
            self.fine.open(now.since(sent).secs());
        }
        self.state = State::Open;
        self.syn_due = false;
        self.rto_at = Time::NEVER;
        let mss = self.path.mss;
        let lost_syn = self.timeouts_in_row > 0;
        if self.rules.full {
            self.rtt.end_back_off();
        }
        let window = if (lost_syn && !self.rules.full) || self.opens_late() { 1.0 } else { self.rules.initial_window };
        // ns-2 halves ssthresh for the lost SYN, too
        let ssthresh = match self.rules.initial_ssthresh {
            _ if lost_syn && self.rules.ns2 => 2.0,
            Some(segments) => f64::from(segments),
            None => f64::from(self.rwnd),
        };
        if lost_syn && !self.rules.ns2 {
            self.rtt.after_lost_syn();
        }
        self.timeouts_in_row = 0;
        self.path.srtt = self.rtt.srtt();
        self.cc.on_init(window * mss, ssthresh * mss, &self.path);
        self.round_mark = 0;
        self.round_began = now;
        self.cwnd_since = now;
        self.stats.opened = Some(now);
        self.burst = self.rules.max_burst;
        self.update_window(now);
    }

    /// ns-2's Vegas takes its initial window only on the ACK of the first data.
    pub(super) fn opens_late(&self) -> bool {
        self.rules.ns2 && self.core == Core::Vegas
    }
}
