//! An end of a flow, whatever its transport.

use sim::Stream;
use tcp::Role;
use units::{Span, Time};

use crate::handover::Notice;
use crate::results::FlowResult;
use crate::spec::{FlowSpec, Transport};

/// An end of a flow. The calls are those of the transports: `handle_*`, `poll_transmit` until nothing comes,
/// `next_deadline`. The world makes packets of what the ends say, and hands over what arrives.
///
/// Most ends are TCP's, and those are large; the few others are not worth a pointer.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
pub(crate) enum Endpoint {
    /// One end of a connection.
    Tcp(tcp::Endpoint),
    /// One end of an unreliable flow.
    Datagram(datagram::Endpoint),
}

/// What of an end's data had arrived at its peer at some time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrived {
    /// Payload bytes, copies included.
    pub(crate) bytes: u64,
    /// Ranges of segments; none for datagrams, which have no order.
    segments: Vec<(u32, u32)>,
    /// Integral of its cwnd up to then, segment-seconds.
    pub(crate) cwnd_integral: f64,
}

/// The number that a sender's algorithm chooses by, from the stream of that end of the flow.
fn draw_seed(seed: u64, flow: &str, role: Role) -> u64 {
    let end = if role == Role::Passive { ":reverse" } else { "" };
    (Stream::new(seed, &format!("{flow}{end}/algorithm")).uniform() * (1u64 << 53) as f64) as u64
}

impl Endpoint {
    /// The two ends of a flow, the active one first; `events` asks for a log of so many window changes.
    pub(crate) fn pair(flow: &FlowSpec, seed: u64, events: Option<usize>) -> [Endpoint; 2] {
        match &flow.transport {
            Transport::Tcp(spec) => [Role::Active { peer_sends: spec.two_way }, Role::Passive].map(|role| {
                let mut end = tcp::Endpoint::new(&spec.rules, &spec.algorithm, role);
                end.sender.set_seed(draw_seed(seed, &flow.name, role));
                if let Some(most) = events {
                    end.sender.log_events(most);
                }
                Endpoint::Tcp(end)
            }),
            Transport::Udp(config) => {
                let stream = Stream::new(seed, &format!("{}/traffic", flow.name));
                datagram::Endpoint::udp(config, stream).map(Endpoint::Datagram)
            }
            Transport::Tfrc(config) => datagram::Endpoint::tfrc(config).map(Endpoint::Datagram),
        }
    }

    /// It starts: a connection opens, or a source begins.
    pub(crate) fn open(&mut self, now: Time) {
        match self {
            Endpoint::Tcp(end) => end.open(),
            Endpoint::Datagram(end) => end.open(now),
        }
    }

    /// Its application stops. Whether that cuts short what it had to send.
    pub(crate) fn stop(&mut self, now: Time) -> bool {
        match self {
            Endpoint::Tcp(end) => end.sender.stop(now),
            Endpoint::Datagram(end) => {
                end.stop();
                true
            }
        }
    }

    /// The link layer tells of a handover. Only connections listen.
    pub(crate) fn hear(&mut self, now: Time, notice: Notice) {
        let Endpoint::Tcp(end) = self else { return };
        match notice {
            Notice::Foresee(_) => {}
            Notice::Close => end.freeze(),
            Notice::Begin => end.sender.on_handover(now, true),
            Notice::End => {
                end.sender.on_handover(now, false);
                end.thaw();
            }
        }
    }

    pub(crate) fn handle_timeout(&mut self, now: Time) {
        match self {
            Endpoint::Tcp(end) => end.handle_timeout(now),
            Endpoint::Datagram(end) => end.handle_timeout(now),
        }
    }

    #[inline]
    pub(crate) fn next_deadline(&self) -> Time {
        match self {
            Endpoint::Tcp(end) => end.next_deadline(),
            Endpoint::Datagram(end) => end.next_deadline(),
        }
    }

    /// All that it was given to send is acknowledged.
    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        match self {
            Endpoint::Tcp(end) => end.sender.is_done(),
            Endpoint::Datagram(_) => false,
        }
    }

    /// The run is over.
    pub(crate) fn finish(&mut self, end: Time) {
        if let Endpoint::Tcp(tcp) = self {
            tcp.sender.finish(end);
        }
    }

    /// Payload bytes of its data that `peer` received; in order, for TCP.
    pub(crate) fn delivered_bytes(&self, peer: &Endpoint) -> u64 {
        match (self, peer) {
            (Endpoint::Tcp(end), Endpoint::Tcp(peer)) => end.bytes_in(peer.receiver.rcv_nxt()),
            (_, Endpoint::Datagram(peer)) => peer.received_bytes(),
            _ => 0,
        }
    }

    /// Payload bytes of its data that `peer` received, in order or not, each counted once.
    pub(crate) fn delivered_once(&self, peer: &Endpoint) -> u64 {
        match (self, peer) {
            (Endpoint::Tcp(end), Endpoint::Tcp(peer)) => end.bytes_once(&peer.receiver),
            _ => self.delivered_bytes(peer),
        }
    }

    /// When the last of all that it was given to send arrived at the application of `peer`, if it has.
    pub(crate) fn completed_at(&self, peer: &Endpoint) -> Option<Time> {
        match (self, peer) {
            (Endpoint::Tcp(end), Endpoint::Tcp(peer)) => {
                (peer.receiver.rcv_nxt() == end.sender.offered()).then(|| peer.receiver.advanced_at())
            }
            _ => None,
        }
    }

    /// What of its data has arrived at `peer` by now.
    pub(crate) fn arrived(&self, now: Time, peer: &Endpoint) -> Arrived {
        match (self, peer) {
            (Endpoint::Tcp(end), Endpoint::Tcp(peer)) => {
                let in_order = (0, peer.receiver.rcv_nxt());
                Arrived {
                    bytes: end.bytes_arrived(&peer.receiver),
                    segments: std::iter::once(in_order).chain(peer.receiver.held().iter().copied()).collect(),
                    cwnd_integral: end.sender.cwnd_integral(now),
                }
            }
            _ => Arrived { bytes: self.delivered_bytes(peer), ..Arrived::default() },
        }
    }

    /// Payload bytes of its data that `peer` received by now, in order for TCP, and that had not arrived `before`.
    pub(crate) fn delivered_since(&self, peer: &Endpoint, before: &Arrived) -> u64 {
        let delivered = self.delivered_bytes(peer);
        match (self, peer) {
            (Endpoint::Tcp(end), Endpoint::Tcp(peer)) => {
                let in_order = |number: u32| end.bytes_in(number.min(peer.receiver.rcv_nxt()));
                let early = |&(first, end): &(u32, u32)| in_order(end) - in_order(first);
                delivered - before.segments.iter().map(early).sum::<u64>()
            }
            _ => delivered - before.bytes,
        }
    }

    /// Put the counters of this end and its peer into the result of the data it sent.
    pub(crate) fn report(&self, peer: &Endpoint, result: &mut FlowResult) {
        match (self, peer) {
            (Endpoint::Tcp(end), Endpoint::Tcp(peer)) => {
                result.acknowledged = end.sender.snd_una();
                result.sender = *end.sender.stats();
                result.receiver = peer.receiver.stats;
                result.last_arrival = peer.receiver.last_arrival();
                result.acks_sent = peer.acks_sent;
                result.acks_received = end.acks_received;
                result.rtt_min = end.sender.path().rtt_min;
            }
            (Endpoint::Datagram(end), Endpoint::Datagram(peer)) => {
                let mut stats = datagram::Stats::default();
                end.report(&mut stats);
                peer.report(&mut stats);
                let (received, tfrc) = (stats.receiver, stats.tfrc);
                result.sender.sent_segments = stats.sent;
                result.sender.timeouts = tfrc.timeouts;
                result.sender.marks = stats.marks;
                result.sender.rtt_samples = tfrc.reports;
                result.sender.rtt_sum = tfrc.rtt_sum;
                result.sender.rtt_max = tfrc.rtt_max;
                result.rtt_min = tfrc.rtt_min;
                result.acks_sent = stats.reports_sent;
                result.acks_received = tfrc.reports;
                result.loss_events = stats.loss_events;
                result.receiver.received_segments = received.received;
                result.receiver.delay_sum = received.delay_sum;
                result.last_arrival = received.last_arrival;
                result.delay_max = (received.delay_max > Span::ZERO).then_some(received.delay_max);
                result.jitter_s = received.jitter_s();
            }
            _ => {}
        }
    }
}
