//! Unreliable flows without I/O: senders that follow a source of packets, or a rate that the receiver's reports allow.
//!
//! Call order, on every event, as for a TCP endpoint:
//!
//! 1. one of [`Endpoint::open`], [`Endpoint::stop`], [`Endpoint::handle_datagram`], [`Endpoint::handle_timeout`];
//! 2. [`Endpoint::poll_transmit`] until it gives nothing, each datagram sent at once;
//! 3. [`Endpoint::next_deadline`], to know when to call `handle_timeout`.
//!
//! Time must not go back between calls.
#![forbid(unsafe_code)]

mod receiver;
mod source;
mod tfrc;
mod udp;

pub use receiver::{Receiver, ReceiverStats};
pub use source::{Periods, Source, Traffic};
pub use tfrc::{TfrcConfig, TfrcReceiver, TfrcSender, TfrcStats};
pub use udp::{Config, Sender};

use units::{Rate, Span, Time};

/// What one end hands to the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Datagram {
    /// Payload.
    Data(Data),
    /// A receiver's report.
    Feedback(Feedback),
}

/// A packet with payload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Data {
    /// Its number, from 0.
    pub number: u32,
    /// Bytes on the wire, header included.
    pub size: u32,
    /// When it was sent.
    pub sent: Time,
    /// The sender's averaged RTT; zero if it has none.
    pub rtt: Span,
    /// Routers may mark it.
    pub ecn_capable: bool,
    /// A router marked it.
    pub marked: bool,
}

/// A report of a rate-controlled flow's receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feedback {
    /// Bytes on the wire.
    pub size: u32,
    /// When the newest packet was sent, later by the time that the receiver has had it: the RTT counts from then.
    pub echo: Time,
    /// What arrived in the last RTT, payload.
    pub receive_rate: Rate,
    /// Loss event rate.
    pub loss_event_rate: f64,
}

/// One end of an unreliable flow.
///
/// A sender of UDP holds the state of its random stream; half of the ends are senders.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
pub enum Endpoint {
    /// Sends what its source makes.
    Sender(Sender),
    /// Counts what arrives.
    Receiver(Receiver),
    /// Sends at the rate that reports allow.
    TfrcSender(TfrcSender),
    /// Counts what arrives, and reports.
    TfrcReceiver(TfrcReceiver),
}

/// Counters of a flow, from both ends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Datagrams sent.
    pub sent: u64,
    /// Counters of the receiver.
    pub receiver: ReceiverStats,
    /// Reports sent by the receiver.
    pub reports_sent: u64,
    /// Loss events that the receiver found.
    pub loss_events: u64,
    /// Packets that arrived with a mark.
    pub marks: u64,
    /// Counters of a rate-controlled sender.
    pub tfrc: TfrcStats,
}

impl Endpoint {
    /// Both ends of a UDP flow; every random quantity is drawn from `stream`.
    pub fn udp(config: &Config, stream: sim::Stream) -> [Endpoint; 2] {
        [Endpoint::Sender(Sender::new(config, stream)), Endpoint::Receiver(Receiver::new(config.header))]
    }

    /// Both ends of a rate-controlled flow.
    pub fn tfrc(config: &TfrcConfig) -> [Endpoint; 2] {
        [Endpoint::TfrcSender(TfrcSender::new(config)), Endpoint::TfrcReceiver(TfrcReceiver::new(config))]
    }

    /// The application starts.
    pub fn open(&mut self, now: Time) {
        match self {
            Endpoint::Sender(sender) => sender.open(now),
            Endpoint::TfrcSender(sender) => sender.open(now),
            Endpoint::Receiver(_) | Endpoint::TfrcReceiver(_) => {}
        }
    }

    /// The application stops: no data are sent any more.
    pub fn stop(&mut self) {
        match self {
            Endpoint::Sender(sender) => sender.stop(),
            Endpoint::TfrcSender(sender) => sender.stop(),
            Endpoint::Receiver(_) | Endpoint::TfrcReceiver(_) => {}
        }
    }

    /// A datagram arrived.
    #[inline]
    pub fn handle_datagram(&mut self, now: Time, datagram: &Datagram) {
        match (self, datagram) {
            (Endpoint::Receiver(receiver), Datagram::Data(data)) => receiver.on_data(now, data),
            (Endpoint::TfrcReceiver(receiver), Datagram::Data(data)) => receiver.on_data(now, data),
            (Endpoint::TfrcSender(sender), Datagram::Feedback(feedback)) => sender.on_feedback(now, feedback),
            _ => debug_assert!(false, "no end gets what only its own kind sends"),
        }
    }

    /// The deadline has come. Calls before it do nothing.
    pub fn handle_timeout(&mut self, now: Time) {
        match self {
            Endpoint::TfrcSender(sender) => sender.on_timer(now),
            Endpoint::TfrcReceiver(receiver) => receiver.on_timer(now),
            Endpoint::Sender(_) | Endpoint::Receiver(_) => {}
        }
    }

    /// The next datagram that must leave now, if any.
    #[inline]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Datagram> {
        match self {
            Endpoint::Sender(sender) => sender.take_datagram(now),
            Endpoint::TfrcSender(sender) => sender.take_datagram(now),
            Endpoint::TfrcReceiver(receiver) => receiver.take_datagram(now),
            Endpoint::Receiver(_) => None,
        }
    }

    /// When `handle_timeout` must be called; `Time::NEVER` if nothing is to be done.
    #[inline]
    pub fn next_deadline(&self) -> Time {
        match self {
            Endpoint::Sender(sender) => sender.deadline(),
            Endpoint::TfrcSender(sender) => sender.deadline(),
            Endpoint::TfrcReceiver(receiver) => receiver.deadline(),
            Endpoint::Receiver(_) => Time::NEVER,
        }
    }

    /// Payload bytes of a datagram of its own.
    #[inline]
    pub fn payload(&self, datagram: &Datagram) -> u32 {
        match (self, datagram) {
            (Endpoint::Sender(sender), Datagram::Data(data)) => data.size - sender.header,
            (Endpoint::TfrcSender(sender), Datagram::Data(data)) => data.size - sender.header(),
            _ => 0,
        }
    }

    /// So many bytes come on top of each datagram on its way to this end, such as those of routing: no payload.
    pub fn expect_more(&mut self, bytes: u32) {
        match self {
            Endpoint::Receiver(receiver) => receiver.header += bytes,
            Endpoint::TfrcReceiver(receiver) => receiver.plain.header += bytes,
            Endpoint::Sender(_) | Endpoint::TfrcSender(_) => {}
        }
    }

    /// Payload bytes that it received.
    pub fn received_bytes(&self) -> u64 {
        match self {
            Endpoint::Receiver(receiver) => receiver.stats.bytes,
            Endpoint::TfrcReceiver(receiver) => receiver.plain.stats.bytes,
            Endpoint::Sender(_) | Endpoint::TfrcSender(_) => 0,
        }
    }

    /// The rate control of an end that has one and has started.
    pub fn rate_control(&self) -> Option<&cc::tfrc::Sender> {
        match self {
            Endpoint::TfrcSender(sender) => sender.control(),
            _ => None,
        }
    }

    /// Add what this end of the flow counted.
    pub fn report(&self, stats: &mut Stats) {
        match self {
            Endpoint::Sender(sender) => stats.sent = sender.sent(),
            Endpoint::Receiver(receiver) => stats.receiver = receiver.stats,
            Endpoint::TfrcSender(sender) => (stats.sent, stats.tfrc) = (sender.stats.sent, sender.stats),
            Endpoint::TfrcReceiver(receiver) => {
                stats.receiver = receiver.plain.stats;
                stats.reports_sent = receiver.reports;
                stats.loss_events = receiver.loss_events();
                stats.marks = receiver.marks;
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use cc::tfrc::{Rto, Settings};

    pub(crate) const RULES: Settings = Settings {
        b: 1.0,
        rto: Rto::FourRtt,
        rtt_gain: 0.9,
        reorder: 3,
        longest_gap: Span::from_millis(64_000),
        ecn: false,
        floor: None,
        small: None,
    };
    pub(crate) const CONFIG: TfrcConfig = TfrcConfig { rules: RULES, payload: 1000, header: 40 };
    /// One way.
    const DELAY: Span = Span::from_millis(50);

    /// Both ends over a path without queues that loses the packets with these numbers; up to `end`. Calls `look` with
    /// the time and the sender after each event.
    fn converse(
        ends: [Endpoint; 2],
        lose: impl Fn(u32) -> bool,
        end: Time,
        mut look: impl FnMut(Time, &TfrcSender),
    ) -> Stats {
        let [mut sender, mut receiver] = ends;
        let mut wire: Vec<(Time, bool, Datagram)> = Vec::new();
        sender.open(Time::ZERO);
        let mut now = Time::ZERO;
        while now <= end {
            let arrived: Vec<_> = wire.extract_if(.., |(at, ..)| *at <= now).collect();
            for (_, to_receiver, datagram) in arrived {
                let end = if to_receiver { &mut receiver } else { &mut sender };
                end.handle_datagram(now, &datagram);
            }
            for (end, to_receiver) in [(&mut sender, true), (&mut receiver, false)] {
                if end.next_deadline() <= now {
                    end.handle_timeout(now);
                }
                while let Some(datagram) = end.poll_transmit(now) {
                    let lost = matches!(datagram, Datagram::Data(data) if lose(data.number));
                    if !lost {
                        wire.push((now + DELAY, to_receiver, datagram));
                    }
                }
            }
            let Endpoint::TfrcSender(tfrc) = &sender else { panic!("a rate-controlled sender") };
            look(now, tfrc);
            let next = wire.iter().map(|(at, ..)| *at).min().unwrap_or(Time::NEVER);
            now = next.min(sender.next_deadline()).min(receiver.next_deadline());
        }
        let mut stats = Stats::default();
        sender.report(&mut stats);
        receiver.report(&mut stats);
        stats
    }

    #[test]
    fn the_rate_doubles_every_rtt_until_the_first_loss() {
        let mut rates = Vec::new();
        converse(
            Endpoint::tfrc(&CONFIG),
            |_| false,
            Time::from_secs(0.95),
            |now, sender| {
                rates.push((now, sender.rate()));
            },
        );
        let at = |secs: f64| rates.iter().rev().find(|(at, _)| at.secs() <= secs).map(|(_, rate)| rate.0).unwrap();
        assert_eq!(at(0.05), 1000.0); // one packet per second
        assert_eq!(at(0.11), 40_000.0); // 4000 bytes per RTT of 100 ms
        // a report each RTT from 0.1 s on: from the second one the rate doubles, and stays within twice what arrives
        for (rtt, pair) in [(0.35, 0.75), (0.45, 0.85)].iter().enumerate() {
            let factor = at(pair.1) / at(pair.0);
            assert!((4.0..=16.0).contains(&factor), "RTT {rtt}: {factor} in four RTTs");
        }
        assert!(at(0.95) > 8.0 * 40_000.0, "{}", at(0.95));
    }

    #[test]
    fn without_answers_the_rate_halves() {
        let stats = converse(Endpoint::tfrc(&CONFIG), |_| true, Time::from_secs(60.0), |_, _| {});
        // the timer expires 2 s after the start, then 4, 8, 16 s later, at 2, 6, 14, 30 s; the gap doubles each time,
        // from the last packet on: packets at 0, 1, 3, 5, 9, 13, 21, 29, 45 s
        assert_eq!((stats.tfrc.timeouts, stats.sent), (4, 9));
        // answers that end after ten seconds
        let mut last = (0.0, 0.0);
        let silent = |n: u32| n >= 400 || n % 50 == 49;
        let stats = converse(Endpoint::tfrc(&CONFIG), silent, Time::from_secs(30.0), |now, sender| {
            last = (now.secs(), sender.rate().0);
        });
        assert!(stats.tfrc.timeouts >= 5 && last.1 < 10_000.0, "{last:?} {stats:?}");
    }

    #[test]
    fn one_loss_in_a_hundred_gives_the_equations_rate() {
        // RTT 100 ms, p = 0.01: 112 332 B/s. Each hundredth packet is lost, 0.9 s apart, so each is a loss event
        let mut rates = Vec::new();
        let stats = converse(
            Endpoint::tfrc(&CONFIG),
            |n| n % 100 == 99,
            Time::from_secs(60.0),
            |now, sender| {
                if now > Time::from_secs(20.0) {
                    rates.push(sender.rate().0);
                }
            },
        );
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        assert!((mean - 112_332.0).abs() < 0.01 * 112_332.0, "{mean}");
        assert!(stats.loss_events > 40 && stats.tfrc.timeouts == 0);
        // a report per RTT and one more for each loss event
        assert!((600..800).contains(&stats.reports_sent), "{}", stats.reports_sent);
        assert_eq!((stats.tfrc.rtt_min, stats.tfrc.rtt_max), (DELAY * 2, DELAY * 2));
    }

    #[test]
    fn the_receive_rate_covers_an_rtt() {
        let [_, mut receiver] = Endpoint::tfrc(&CONFIG);
        let ms = |n: u64| Time(n * 1_000_000);
        let mut step = |number: Option<u32>, at: u64| {
            if let Some(number) = number {
                let rtt = if number == 0 { Span::ZERO } else { DELAY * 2 };
                let data = Data { number, size: 1040, sent: ms(at), rtt, ecn_capable: false, marked: false };
                receiver.handle_datagram(ms(at + 50), &Datagram::Data(data));
            }
            receiver.handle_timeout(ms(at + 50));
            match receiver.poll_transmit(ms(at + 50)) {
                Some(Datagram::Feedback(f)) => Some((f.receive_rate.0.round(), f.echo, f.loss_event_rate)),
                _ => None,
            }
        };
        // the first packet begins the measurement; with the second there is an RTT of 100 ms: 1000 bytes in it
        assert_eq!(step(Some(0), 0), Some((0.0, ms(0), 0.0)));
        assert_eq!(step(Some(1), 10), Some((10_000.0, ms(10), 0.0)));
        for n in 2..11 {
            assert_eq!(step(Some(n), u64::from(n) * 10), None);
        }
        // 100 ms after the last report: nine packets; the newest has been here for 10 ms, which is not travel
        assert_eq!(step(None, 110), Some((90_000.0, ms(110), 0.0)));
        // 12 is missing, and noticed 40 ms after that report: four packets, and 60 ms at 90 kB/s: 94 kB/s. Until then
        // 90 kB/s was the most: 0.1 sqrt(0.0096) = 0.0097980 and 0.4 * 3 sqrt(0.0054) * 0.0144 * 1.0066355 = 0.0012783
        // make 1000 / 0.0110763 = 90 283 B/s at p = 0.0144; at 0.0145 it is 89 899
        assert_eq!((step(Some(11), 112), step(Some(13), 130), step(Some(14), 140)), (None, None, None));
        let (rate, echo, p) = step(Some(15), 150).expect("a loss event is told at once");
        assert_eq!((rate, echo), (94_000.0, ms(150)));
        assert!((0.0144..0.0145).contains(&p), "{p}");
        // nothing comes for longer than an RTT; what comes then is told at once: 1000 bytes in 250 ms
        assert_eq!((step(None, 250), step(None, 300)), (None, None));
        assert_eq!(step(Some(16), 400).map(|(rate, ..)| rate), Some(4000.0));
    }

    #[test]
    fn a_loss_event_is_reported_at_once() {
        let mut ends = Endpoint::tfrc(&CONFIG);
        let receiver = &mut ends[1];
        let mut deliver = |number: u32, ms: u64| {
            let sent = Time(ms * 1_000_000);
            let rtt = if number == 0 { Span::ZERO } else { DELAY * 2 };
            let data = Data { number, size: 1040, sent, rtt, ecn_capable: true, marked: number == 20 };
            receiver.handle_datagram(sent + DELAY, &Datagram::Data(data));
            receiver.poll_transmit(sent + DELAY).map(|datagram| match datagram {
                Datagram::Feedback(feedback) => (feedback.loss_event_rate > 0.0, feedback.echo == sent),
                Datagram::Data(_) => panic!("receivers send reports"),
            })
        };
        assert_eq!(deliver(0, 0), Some((false, true)));
        assert_eq!(deliver(1, 10), Some((false, true))); // the first one that knows the RTT
        assert_eq!((deliver(2, 20), deliver(4, 30), deliver(5, 40)), (None, None, None));
        assert_eq!(deliver(6, 50), Some((true, true))); // the third arrival after 3
        assert_eq!((deliver(7, 60), deliver(8, 70)), (None, None));
        assert_eq!(deliver(20, 300), Some((true, true))); // a mark
    }
}
