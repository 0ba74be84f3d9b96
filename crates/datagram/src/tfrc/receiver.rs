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
        let receive_rate = self.receive_rate_at(now, data.rtt);
        let (rules, payload, rtt) = (self.rules, self.payload, data.rtt.max(Span(1)));
        let lost = self
            .history
            .on_arrival(now, data.number, data.marked, data.rtt, || rules.inverse(payload, rtt, receive_rate));
        // the first packet's arrival begins the measurement
        if !first {
            self.bytes += self.payload;
        }
        // with no timer, this is the first packet, or none had come when the last report was due, or the sender has no RTT
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
        self.due |= self.bytes > 0.0;
    }

    pub(crate) fn take_datagram(&mut self, now: Time) -> Option<Datagram> {
        if !std::mem::take(&mut self.due) {
            return None;
        }
        let (sent, arrived, rtt) = self.newest?;
        self.receive_rate = self.receive_rate_at(now, rtt);
        (self.reported, self.bytes) = (now, 0.0);
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
