//! A UDP sender: what the source makes leaves at once, whatever becomes of it.

use sim::Stream;
use units::{Span, Time};

use crate::source::{Source, Traffic};
use crate::{Data, Datagram};

/// A UDP flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// Pattern of the packets.
    pub traffic: Traffic,
    /// Payload bits per second, positive; within bursts, for on-off traffic.
    pub rate_bps: u64,
    /// Payload bytes of a packet, positive.
    pub payload: u32,
    /// Header bytes of a packet on the wire.
    pub header: u32,
}

/// State of a sender.
#[derive(Debug)]
pub struct Sender {
    source: Source,
    /// Bytes of a packet on the wire.
    size: u32,
    pub(crate) header: u32,
    sent: u64,
    /// When the next packet leaves.
    next: Time,
}

impl Sender {
    /// A sender that has not started.
    pub fn new(config: &Config, stream: Stream) -> Sender {
        Sender {
            source: Source::new(config.traffic, config.rate_bps, config.payload, stream),
            size: config.payload + config.header,
            header: config.header,
            sent: 0,
            next: Time::NEVER,
        }
    }

    pub(crate) fn open(&mut self, now: Time) {
        self.next = self.source.first(now);
    }

    pub(crate) fn stop(&mut self) {
        self.next = Time::NEVER;
    }

    #[inline]
    pub(crate) fn take_datagram(&mut self, now: Time) -> Option<Datagram> {
        if self.next > now {
            return None;
        }
        let number = self.sent as u32;
        self.sent += 1;
        self.next = self.source.next(self.next);
        let (size, sent) = (self.size, now);
        Some(Datagram::Data(Data { number, size, sent, rtt: Span::ZERO, ecn_capable: false, marked: false }))
    }

    #[inline]
    pub(crate) fn deadline(&self) -> Time {
        self.next
    }

    pub(crate) fn sent(&self) -> u64 {
        self.sent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Endpoint;

    const CBR: Config =
        Config { traffic: Traffic::Cbr { jittered: false }, rate_bps: 1_000_000, payload: 1000, header: 28 };

    #[test]
    fn packets_leave_on_time_and_stop() {
        let [mut sender, _] = Endpoint::udp(&CBR, Stream::new(1, "f/traffic"));
        assert_eq!(sender.next_deadline(), Time::NEVER);
        sender.open(Time(5));
        assert_eq!(sender.poll_transmit(Time(4)), None);
        // 1000 bytes of payload and 28 of header; 8 ms apart, since the rate counts payload
        let Some(Datagram::Data(first)) = sender.poll_transmit(Time(5)) else { panic!("one leaves at once") };
        assert_eq!((first.number, first.size, first.sent), (0, 1028, Time(5)));
        assert_eq!(sender.poll_transmit(Time(5)), None);
        assert_eq!(sender.next_deadline(), Time(8_000_005));
        assert!(matches!(sender.poll_transmit(Time(8_000_005)), Some(Datagram::Data(Data { number: 1, .. }))));
        sender.stop();
        let mut stats = crate::Stats::default();
        sender.report(&mut stats);
        assert_eq!((sender.next_deadline(), stats.sent), (Time::NEVER, 2));
    }
}
