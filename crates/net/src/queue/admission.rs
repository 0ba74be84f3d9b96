//! What happens to a packet before it finds its place in the queue: policer, congestion warning, and the disciplines
//! that decide on arrival.

use sim::Stream;
use tcp::Flags;
use units::{Span, Time, num};

use super::pie::Pie;
use super::policer::Policer;
use super::red::Red;
use super::{Backlog, Queue, Server};
use crate::cause::LossCause;
use crate::packet::Packet;
use crate::spec::{Discipline, QueueLimit, QueueSpec, WarningSpec};

/// All that asks about a packet on its arrival.
#[derive(Debug)]
pub(super) struct Admission {
    policer: Option<Policer>,
    warning: Option<Warning>,
    discipline: Option<OnArrival>,
}

/// A packet at the door of the queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) now: Time,
    pub(super) size: u32,
    /// It can be marked.
    pub(super) markable: bool,
    /// What waits already.
    pub(super) backlog: Backlog,
    /// How long the server has been idle, see [`Server::idle_for`].
    pub(super) idle: Span,
    /// There is a place for it.
    pub(super) fits: bool,
}

/// What a discipline wants done with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Pass,
    Mark,
    Drop,
}

impl Verdict {
    /// Signal congestion: by a mark if the packet can carry one.
    pub(super) fn signal(markable: bool) -> Verdict {
        if markable { Verdict::Mark } else { Verdict::Drop }
    }
}

/// A discipline that decides when a packet arrives.
#[derive(Debug)]
enum OnArrival {
    /// Mark while more than this waits, as DCTCP wants it (RFC 8257 section 3.1); drop only when full.
    Threshold(QueueLimit),
    Red(Box<Red>),
    Pie(Box<Pie>),
}

impl OnArrival {
    fn judge(&mut self, arrival: &Arrival) -> Verdict {
        match self {
            //= https://www.rfc-editor.org/rfc/rfc8257#section-3.1
            //# When a packet arrives at a switch and its queue length is greater than the congestion threshold, the
            //# switch sets the CE codepoint in the packet.
            //= specs/papers/threshold-marking.md#marking
            //# a packet that finds more than K waiting is marked
            OnArrival::Threshold(most) if most.is_exceeded(arrival.backlog) && arrival.markable => Verdict::Mark,
            OnArrival::Threshold(_) => Verdict::Pass,
            OnArrival::Red(red) => red.judge(arrival),
            OnArrival::Pie(pie) => pie.judge(arrival),
        }
    }

    /// When it wants to know the backlog next, without a packet.
    fn next_look(&self) -> Time {
        match self {
            OnArrival::Pie(pie) => pie.next_update(),
            OnArrival::Threshold(_) | OnArrival::Red(_) => Time::NEVER,
        }
    }

    /// The backlog at the time of [`OnArrival::next_look`]. `same_until`: it stays so until then, that instant
    /// included. `rate_bps`: the present rate of a server whose rate changes.
    fn look(&mut self, backlog: Backlog, rate_bps: Option<f64>, same_until: Time) {
        if let OnArrival::Pie(pie) = self {
            if let Some(rate_bps) = rate_bps {
                pie.set_rate(rate_bps);
            }
            pie.update(backlog, same_until);
        }
    }
}

/// The averaged queue behind a congestion warning.
#[derive(Debug)]
struct Warning {
    spec: WarningSpec,
    average: f64,
    /// Packets of 500 bytes per second: the unit in which idle time ages the average.
    aging_pps: f64,
}

const AGING_PACKET_BITS: f64 = 500.0 * 8.0;

impl Warning {
    /// Average the queue as RED does; is the average at or over the threshold?
    fn warns(&mut self, queue: u32, idle: Span) -> bool {
        let (weight, idle) = (self.spec.weight, idle.secs());
        if idle > 0.0 {
            self.average *= num::pow(1.0 - weight, num::floor(idle * self.aging_pps));
        }
        self.average = (1.0 - weight) * self.average + weight * f64::from(queue);
        self.average >= self.spec.threshold_packets
    }
}

impl Admission {
    /// That of a queue, if anything is asked there.
    pub(super) fn new(
        spec: &QueueSpec,
        rate_bps: u64,
        delay: Span,
        stream: impl FnOnce() -> Stream,
    ) -> Option<Admission> {
        let discipline = match &spec.discipline {
            Discipline::DropTail | Discipline::Codel(_) | Discipline::FqCodel(_) | Discipline::DualPi2(_) => None,
            Discipline::Threshold(most) => Some(OnArrival::Threshold(*most)),
            Discipline::Red(red) => Some(OnArrival::Red(Box::new(Red::new(red, rate_bps, delay, stream())))),
            Discipline::Pie(pie) => Some(OnArrival::Pie(Box::new(Pie::new(pie, rate_bps, stream())))),
        };
        let aging_pps = rate_bps as f64 / AGING_PACKET_BITS;
        let admission = Admission {
            policer: spec.policer.as_ref().map(Policer::new),
            warning: spec.warning.map(|spec| Warning { spec, average: 0.0, aging_pps }),
            discipline,
        };
        let asks = admission.policer.is_some() || admission.warning.is_some() || admission.discipline.is_some();
        asks.then_some(admission)
    }
}

impl Queue {
    /// A packet comes: why is it dropped, if it is, before anybody asks whether there is a place for it? It may be
    /// marked.
    pub(crate) fn admit(&mut self, now: Time, packet: &mut Packet, server: &mut impl Server) -> Option<LossCause> {
        let admission = self.admission.as_mut()?;
        let size = u32::from(packet.size);
        let cause = if admission.policer.as_mut().is_some_and(|policer| !policer.passes(now, size)) {
            LossCause::Policer
        } else {
            self.watch(now, server);
            self.warn(now, packet, server);
            self.judge(now, packet, server)?
        };
        self.drop(size, cause);
        Some(cause)
    }

    /// Mark every ECN-capable packet while the congestion warning is on.
    fn warn(&mut self, now: Time, packet: &mut Packet, server: &mut impl Server) {
        if self.admission.as_ref().is_none_or(|admission| admission.warning.is_none()) {
            return;
        }
        let (queue, idle) = (self.backlog(now).packets, server.idle_for(now));
        let warning = self.admission.as_mut().and_then(|admission| admission.warning.as_mut());
        if warning.is_some_and(|warning| warning.warns(queue, idle)) && packet.flags.has(Flags::ECT) {
            packet.flags.set(Flags::CE);
            self.marked += 1;
        }
    }

    /// Ask the discipline about a packet; is it dropped?
    fn judge(&mut self, now: Time, packet: &mut Packet, server: &mut impl Server) -> Option<LossCause> {
        self.admission.as_ref()?.discipline.as_ref()?;
        let size = u32::from(packet.size);
        let backlog = self.backlog(now);
        let fits = server.is_idle(now) || !self.limit.is_full(backlog, size);
        let markable = self.ecn && packet.flags.has(Flags::ECT);
        let arrival = Arrival { now, size, markable, backlog, idle: server.idle_for(now), fits };
        match self.admission.as_mut()?.discipline.as_mut()?.judge(&arrival) {
            Verdict::Mark if fits => self.mark(packet),
            Verdict::Pass | Verdict::Mark => {} // marked in vain: it is about to be lost
            Verdict::Drop => return Some(LossCause::Early),
        }
        None
    }

    /// Show the queue to a discipline that looks at it at times of its own, up to `until`. Nothing has come since.
    pub(super) fn watch(&mut self, until: Time, server: &impl Server) {
        loop {
            let looks = self.admission.as_ref().and_then(|admission| admission.discipline.as_ref());
            let at = looks.map_or(Time::NEVER, OnArrival::next_look);
            if at > until {
                return;
            }
            let backlog = self.backlog(at);
            let rate_bps = server.changing_rate(at);
            let steady = backlog.packets == 0 || (self.holds() && rate_bps.is_none());
            if let Some(looks) = self.admission.as_mut().and_then(|admission| admission.discipline.as_mut()) {
                looks.look(backlog, rate_bps, if steady { until } else { at });
            }
        }
    }
}
