//! Values of senders at every change.

use units::{Span, Time};

use super::World;
use crate::endpoint::Endpoint;
use crate::packet::Packet;
use crate::results::{TracePoint, Variable};

/// Last values of the traced variables of one endpoint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    cwnd: f64,
    ssthresh: f64,
    flight: u32,
    srtt: Span,
    rate_bps: f64,
    loss_event_rate: f64,
    window: f64,
    delivered: u64,
}

/// What no endpoint has: each value that an endpoint has differs from it, and what it lacks stays like it.
pub(super) const UNSEEN: Seen = Seen {
    cwnd: -1.0,
    ssthresh: -1.0,
    flight: u32::MAX,
    srtt: Span(u64::MAX),
    rate_bps: -1.0,
    loss_event_rate: -1.0,
    window: -1.0,
    delivered: 0,
};

impl Seen {
    /// The values of a sender; `None` before it may send, and of an end that never may.
    fn of(endpoint: &Endpoint) -> Option<Seen> {
        match endpoint {
            Endpoint::Tcp(tcp::Endpoint { sender, .. }) => sender.is_open().then(|| {
                let path = sender.path();
                let window = sender.cwnd() * path.mss.0;
                Seen {
                    cwnd: sender.cwnd(),
                    ssthresh: sender.ssthresh_segments(),
                    window: sender.cwnd() + f64::from(sender.inflation()),
                    flight: sender.flight_size(),
                    srtt: path.srtt,
                    rate_bps: if path.srtt > Span::ZERO { window * 8.0 / path.srtt.secs() } else { UNSEEN.rate_bps },
                    ..UNSEEN
                }
            }),
            Endpoint::Datagram(end) => end.rate_control().map(|rate| Seen {
                srtt: rate.rtt().unwrap_or(UNSEEN.srtt),
                rate_bps: rate.rate().bytes_per_sec() * 8.0,
                loss_event_rate: rate.loss_event_rate(),
                ..UNSEEN
            }),
        }
    }
}

impl World {
    /// Record a packet that leaves: if it carries data and such are recorded, or if packets are captured.
    #[cold]
    pub(super) fn note_sent(&mut self, now: Time, at: usize, packet: &mut Packet) {
        self.capture_sent(now, at, packet);
        if self.options.traces.sent && packet.is_data() {
            let (subject, reverse) = (at / 2, at % 2 == 1);
            let (variable, value) = (Variable::Sent, f64::from(packet.seq));
            self.traces.note(TracePoint { at: now, subject, reverse, variable, value });
        }
    }

    /// Record what a packet that arrives says about its path, before its endpoint takes it.
    #[cold]
    pub(super) fn note_arrival(&mut self, now: Time, number: u32, packet: &Packet) {
        self.capture_arrival(now, number, packet);
        if !packet.is_data() {
            return;
        }
        let sender = number as usize ^ 1;
        let delay = now.since(packet.ts_val);
        if self.options.delays {
            self.delays[sender].add(Span(delay.0.saturating_sub(self.transfers[sender].base_delay.0)));
        }
        if self.options.traces.delay {
            let (subject, reverse) = (sender / 2, sender % 2 == 1);
            self.traces.note(TracePoint { at: now, subject, reverse, variable: Variable::Delay, value: delay.secs() });
        }
    }

    /// Record what of the other end's data has arrived here.
    fn observe_delivered(&mut self, now: Time, at: usize) {
        let sender = at ^ 1;
        let delivered = self.endpoints[sender].delivered_once(&self.endpoints[at]);
        if delivered != self.seen[sender].delivered {
            self.seen[sender].delivered = delivered;
            let (variable, value) = (Variable::Delivered, delivered as f64);
            self.traces.note(TracePoint { at: now, subject: sender / 2, reverse: sender % 2 == 1, variable, value });
        }
    }

    /// Record what changed.
    #[cold]
    pub(super) fn observe(&mut self, now: Time, at: usize) {
        if self.options.traces.delivered {
            self.observe_delivered(now, at);
        }
        if at % 2 == 1 && !self.two_way[at / 2] {
            return;
        }
        let Some(is) = Seen::of(&self.endpoints[at]) else { return };
        let is = Seen { delivered: self.seen[at].delivered, ..is };
        let was = std::mem::replace(&mut self.seen[at], is);
        let mut note = |on: bool, changed: bool, variable: Variable, value: f64| {
            if on && changed {
                self.traces.note(TracePoint { at: now, subject: at / 2, reverse: at % 2 == 1, variable, value });
            }
        };
        let traces = self.options.traces;
        note(traces.cwnd, is.cwnd != was.cwnd, Variable::Cwnd, is.cwnd);
        note(traces.ssthresh, is.ssthresh != was.ssthresh, Variable::Ssthresh, is.ssthresh);
        note(traces.flight, is.flight != was.flight, Variable::Flight, f64::from(is.flight));
        note(traces.srtt, is.srtt != was.srtt, Variable::Srtt, is.srtt.secs());
        note(traces.rate, is.rate_bps != was.rate_bps, Variable::Rate, is.rate_bps);
        note(traces.window, is.window != was.window, Variable::Window, is.window);
        let (p, before) = (is.loss_event_rate, was.loss_event_rate);
        note(traces.loss_event_rate, p != before, Variable::LossEventRate, p);
    }
}
