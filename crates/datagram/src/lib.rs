//! Unreliable flows without I/O: senders that follow a source of packets, receivers that count.
//!
//! Call order, on every event, as for a TCP endpoint:
//!
//! 1. one of [`Endpoint::open`], [`Endpoint::handle_datagram`], [`Endpoint::handle_timeout`];
//! 2. [`Endpoint::poll_transmit`] until it gives nothing, each datagram sent at once;
//! 3. [`Endpoint::next_deadline`], to know when to call `handle_timeout`.
//!
//! Time never goes back between calls.
#![forbid(unsafe_code)]

mod receiver;
mod source;
mod udp;

pub use receiver::{Receiver, ReceiverStats};
pub use source::{Periods, Source, Traffic};
pub use udp::{Config, Sender};

use units::Time;

/// What one end hands to the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Datagram {
    /// Number of the datagram, from 0.
    pub number: u32,
    /// Bytes on the wire, header included.
    pub size: u32,
    /// When it was sent.
    pub sent: Time,
}

/// One end of an unreliable flow.
///
/// A sender holds the state of its random stream; half of the ends are senders.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
pub enum Endpoint {
    /// Sends what its source makes.
    Sender(Sender),
    /// Counts what arrives.
    Receiver(Receiver),
}

impl Endpoint {
    /// Both ends of a UDP flow; every random quantity is drawn from `stream`.
    pub fn udp(config: &Config, stream: sim::Stream) -> [Endpoint; 2] {
        [Endpoint::Sender(Sender::new(config, stream)), Endpoint::Receiver(Receiver::new(config.header))]
    }

    /// The application starts.
    pub fn open(&mut self, now: Time) {
        if let Endpoint::Sender(sender) = self {
            sender.open(now);
        }
    }

    /// The application stops: nothing is sent any more.
    pub fn stop(&mut self) {
        if let Endpoint::Sender(sender) = self {
            sender.stop();
        }
    }

    /// A datagram arrived.
    #[inline]
    pub fn handle_datagram(&mut self, now: Time, datagram: &Datagram) {
        if let Endpoint::Receiver(receiver) = self {
            receiver.on_data(now, datagram);
        }
    }

    /// The deadline has come. Calls before it do nothing.
    pub fn handle_timeout(&mut self, _now: Time) {}

    /// The next datagram that must leave now, if any.
    #[inline]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Datagram> {
        match self {
            Endpoint::Sender(sender) => sender.take_datagram(now),
            Endpoint::Receiver(_) => None,
        }
    }

    /// When `handle_timeout` must be called; `Time::NEVER` if nothing is to be done.
    #[inline]
    pub fn next_deadline(&self) -> Time {
        match self {
            Endpoint::Sender(sender) => sender.deadline(),
            Endpoint::Receiver(_) => Time::NEVER,
        }
    }

    /// Header bytes of each of its flow's datagrams.
    #[inline]
    pub fn header(&self) -> u32 {
        match self {
            Endpoint::Sender(sender) => sender.header,
            Endpoint::Receiver(receiver) => receiver.header,
        }
    }

    /// Datagrams that it sent.
    pub fn sent(&self) -> u64 {
        match self {
            Endpoint::Sender(sender) => sender.sent(),
            Endpoint::Receiver(_) => 0,
        }
    }

    /// What it received.
    pub fn received(&self) -> ReceiverStats {
        match self {
            Endpoint::Sender(_) => ReceiverStats::default(),
            Endpoint::Receiver(receiver) => receiver.stats,
        }
    }
}
