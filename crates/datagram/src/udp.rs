//! A UDP sender: what the source makes leaves at once, whatever becomes of it.

use sim::Stream;
use units::Time;

use crate::Datagram;
use crate::source::{Source, Traffic};

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
        Some(Datagram { number, size: self.size, sent: now })
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
        assert_eq!(sender.poll_transmit(Time(5)), Some(Datagram { number: 0, size: 1028, sent: Time(5) }));
        assert_eq!(sender.poll_transmit(Time(5)), None);
        assert_eq!(sender.next_deadline(), Time(8_000_005));
        assert_eq!(sender.poll_transmit(Time(8_000_005)).unwrap().number, 1);
        sender.stop();
        assert_eq!((sender.next_deadline(), sender.sent()), (Time::NEVER, 2));
    }
}
