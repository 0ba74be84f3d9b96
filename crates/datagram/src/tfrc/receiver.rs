//! The receiving end: losses, the receive rate, reports.

use cc::tfrc::Settings;
use units::{Rate, Span, Time};

use super::TfrcConfig;
use super::history::History;
use crate::receiver::Receiver;
use crate::{Data, Datagram, Feedback};

/// Bytes of a report on the wire: IPv4 and UDP headers, and three numbers.
const REPORT: u32 = 40;

/// State of the receiving end.
#[derive(Debug)]
pub struct TfrcReceiver {
    /// What it counts, as any receiver of datagrams.
    pub(crate) plain: Receiver,
    rules: Settings,
    payload: f64,
    history: History,
    /// Timestamp and arrival of the newest packet, and the sender's RTT in it.
    newest: Option<(Time, Time, Span)>,
    /// When the last report left, the receive rate it told, and the bytes since.
    reported: Time,
    receive_rate: f64,
    /// The greatest receive rate so far, reported or not.
    most: f64,
    bytes: f64,
    due: bool,
    /// When the next report is due.
    timer: Time,
    /// Reports sent.
    pub(crate) reports: u64,
    /// Packets that arrived with a mark.
    pub(crate) marks: u64,
}

impl TfrcReceiver {
    /// Nothing received.
    pub fn new(config: &TfrcConfig) -> TfrcReceiver {
        TfrcReceiver {
            plain: Receiver::new(config.header),
            rules: config.rules,
            payload: f64::from(config.payload),
            history: History::new(&config.rules),
            newest: None,
            reported: Time::ZERO,
            receive_rate: 0.0,
            most: 0.0,
            bytes: 0.0,
            due: false,
            timer: Time::NEVER,
            reports: 0,
            marks: 0,
        }
    }

    /// Loss events so far.
    pub fn loss_events(&self) -> u64 {
        self.history.events
    }

    pub(crate) fn on_data(&mut self, now: Time, data: &Data) {
        self.plain.on_data(now, data);
        self.marks += u64::from(data.marked);
        let first = self.newest.is_none();
        self.newest = Some((data.sent, now, data.rtt));
        self.most = self.most.max(self.receive_rate_at(now, data.rtt));
        let (rules, payload, rtt) = (self.rules, self.payload, data.rtt.max(Span(1)));
        //= https://www.rfc-editor.org/rfc/rfc5348#section-6.3.1
        //# The TFRC receiver uses 0.5/R packets per second as the minimum value for X_target when initializing the
        //# first loss interval.
        let target = self.most.max(0.5 * payload / rtt.secs());
        let lost =
            self.history.on_arrival(now, data.number, data.marked, data.rtt, || rules.inverse(payload, rtt, target));
        // the first packet's arrival begins the measurement
        if !first {
            self.bytes += self.payload;
        }
        // with no timer, this is the first packet, or none had come when the last report was due, or the sender has no
        // RTT
        self.due |= lost || self.timer == Time::NEVER;
    }

    /// What arrived in the RTT before `now`, bytes per second.
    fn receive_rate_at(&self, now: Time, rtt: Span) -> f64 {
        let (elapsed, rtt) = (now.since(self.reported).secs(), rtt.secs());
        if self.reports == 0 || (elapsed == 0.0 && rtt == 0.0) {
            return 0.0;
        }
        //= specs/papers/tfrc.md#reports
        //# where a report comes early, the rest of that RTT is counted at the rate reported before
        if elapsed < rtt { (self.bytes + self.receive_rate * (rtt - elapsed)) / rtt } else { self.bytes / elapsed }
    }

    pub(crate) fn on_timer(&mut self, now: Time) {
        if self.timer > now {
            return;
        }
        // what comes next is reported at once
        self.timer = Time::NEVER;
        //= https://www.rfc-editor.org/rfc/rfc5348#section-6.2
        //# If no data packets have been received since the last feedback was sent, then no feedback packet is sent
        self.due |= self.bytes > 0.0;
    }

    pub(crate) fn take_datagram(&mut self, now: Time) -> Option<Datagram> {
        if !std::mem::take(&mut self.due) {
            return None;
        }
        let (sent, arrived, rtt) = self.newest?;
        self.receive_rate = self.receive_rate_at(now, rtt);
        self.most = self.most.max(self.receive_rate);
        (self.reported, self.bytes) = (now, 0.0);
        //= https://www.rfc-editor.org/rfc/rfc5348#section-6.3
        //# the receiver sends a feedback packet for every arriving data packet until a data packet arrives containing
        //# an estimate of the round-trip time.
        self.timer = if rtt == Span::ZERO { Time::NEVER } else { now + rtt };
        self.reports += 1;
        Some(Datagram::Feedback(Feedback {
            size: REPORT,
            echo: sent + now.since(arrived),
            receive_rate: Rate(self.receive_rate),
            loss_event_rate: self.history.rate(now, rtt),
        }))
    }

    pub(crate) fn deadline(&self) -> Time {
        self.timer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::CONFIG;

    fn ms(n: u64) -> Time {
        Time(n * 1_000_000)
    }

    /// Packet `number` arrives, with an RTT of 100 ms: the loss event rate that is reported, if one is.
    fn arrives(receiver: &mut TfrcReceiver, at: Time, number: u32, marked: bool) -> Option<f64> {
        let rtt = Span::from_millis(100);
        receiver.on_timer(at);
        receiver.on_data(at, &Data { number, size: 1040, sent: at, rtt, ecn_capable: true, marked });
        match receiver.take_datagram(at)? {
            Datagram::Feedback(feedback) => Some(feedback.loss_event_rate),
            Datagram::Data(_) => None,
        }
    }

    #[test]
    fn a_mark_on_the_first_packet_leaves_half_a_packet_per_rtt() {
        let mut receiver = TfrcReceiver::new(&CONFIG);
        let p = arrives(&mut receiver, ms(50), 0, true).unwrap();
        // sqrt(2 p / 3) + 12 sqrt(3 p / 8) p (1 + 32 p^2) = 2 at p = 0.2064: 0.3710 + 0.6892 * 2.3636 = 2.0000
        assert!((p - 0.2064).abs() < 1e-4, "{p}");
    }

    #[test]
    fn the_first_interval_stands_for_the_most_that_ever_arrived() {
        let mut receiver = TfrcReceiver::new(&CONFIG);
        // one packet each 10 ms for 300 ms, 100 kB/s, then one each 50 ms, 20 kB/s
        let fast = (0..=30).map(|n| (ms(10 * n), n as u32));
        let slow = (1..=10).map(|n| (ms(300 + 50 * n), 30 + n as u32));
        for (at, number) in fast.chain(slow) {
            arrives(&mut receiver, at, number, false);
        }
        let p = arrives(&mut receiver, ms(850), 41, true).unwrap();
        // 100 kB/s are 10 packets in an RTT: sqrt(2 p / 3) + 12 sqrt(3 p / 8) p (1 + 32 p^2) = 0.1 at p = 0.01217:
        // 0.0901 + 0.0099 * 1.0047 = 0.1000
        assert!((p - 0.01217).abs() < 1e-4, "{p}");
    }
}
