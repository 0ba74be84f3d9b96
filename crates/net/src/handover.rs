//! Telling the ends of a connection of handovers: senders when they begin and end, receivers of Freeze-TCP before, too.

use units::{Span, Time};

use crate::endpoint::Endpoint;
use crate::spec::{LinkSpec, TcpSpec};

/// What happens to one endpoint.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Notice {
    /// The link layer warns the receiver of the break at this time; the lead is to be found out now.
    Foresee(Time),
    /// The receiver closes its window.
    Close,
    /// The handover begins.
    Begin,
    /// It ends.
    End,
}

/// How long before a break a receiver's lead is found out, if it is the sender's smoothed RTT of then.
const FORESIGHT: Span = Span::from_millis(2000);

/// A time in which nothing passes, as the ends of a connection hear of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Gap {
    /// When it begins.
    pub(crate) start: Time,
    /// When it ends.
    pub(crate) end: Time,
    /// When they can know of it at the earliest.
    pub(crate) known: Time,
}

/// The handovers that a connection over these links sees up to `end`: its own, the outages marked as such and the
/// breaks, in either direction; in order, and those that touch or overlap as one. What is written down is known
/// beforehand.
pub(crate) fn gaps(own: &[(Time, Time)], links: &[LinkSpec], path: &[u32], end: Time) -> Vec<Gap> {
    let planned = |start, end| Gap { start, end, known: Time::ZERO };
    let mut all: Vec<Gap> = own.iter().map(|&(start, end)| planned(start, end)).collect();
    for hop in path {
        let link = &links[*hop as usize / 2];
        let changing = [&link.forward, &link.reverse].into_iter().filter_map(|direction| direction.changing.as_ref());
        let breaks = changing.clone().flat_map(|changing| &changing.breaks).filter(|one| one.at <= end);
        all.extend(breaks.map(|one| Gap { start: one.at, end: one.end(), known: one.known }));
        for outage in changing.flat_map(|changing| &changing.outages).filter(|outage| outage.handover) {
            let mut at = outage.at;
            while at <= end {
                all.push(planned(at, at + outage.length));
                at = outage.every.map_or(Time::NEVER, |every| at + every);
            }
        }
    }
    all.sort_unstable();
    all.dedup_by(|next, last| {
        let joined = next.start <= last.end;
        if joined {
            last.end = last.end.max(next.end);
        }
        joined
    });
    all
}

/// When which end hears what: the active end is number 0, the passive one number 1.
pub(crate) fn notices(spec: &TcpSpec, gaps: &[Gap]) -> Vec<(Time, usize, Notice)> {
    let mut all = Vec::new();
    for &Gap { start, end, known } in gaps {
        for number in 0..2 {
            let receives = number == 1 || spec.two_way;
            if spec.rules.freeze && receives {
                all.push(match spec.rules.freeze_lead {
                    Some(lead) => (before(start, lead).max(known), number, Notice::Close),
                    None => (before(start, FORESIGHT).max(known), number, Notice::Foresee(start)),
                });
            }
            all.push((start, number, Notice::Begin));
            all.push((end, number, Notice::End));
        }
    }
    all
}

/// An instant so long before another, not before the start of the run.
fn before(at: Time, lead: Span) -> Time {
    Time(at.0.saturating_sub(lead.0))
}

/// When a receiver closes its window for a break at `start`: a smoothed RTT of its sender before, at once if that is
/// past.
pub(crate) fn closing(now: Time, start: Time, sender: &Endpoint) -> Time {
    let lead = match sender {
        Endpoint::Tcp(end) => end.sender.path().srtt,
        Endpoint::Datagram(_) => Span::ZERO,
    };
    before(start, lead).max(now)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::changing::{Changing, Outage};
    use crate::spec::*;

    fn link(outages: Vec<Outage>) -> LinkSpec {
        let quiet =
            DirectionSpec::plain(1, Span::ZERO, QueueSpec::drop_tail(QueueLimit::Packets(1), Counting::Waiting));
        let changing = Some(Arc::new(Changing { outages, ..Changing::default() }));
        LinkSpec {
            name: String::new(),
            a: 0,
            b: 1,
            forward: DirectionSpec { changing, ..quiet.clone() },
            reverse: quiet,
            medium: None,
        }
    }

    #[test]
    fn marked_outages_of_the_path_are_handovers_and_those_that_touch_are_one() {
        let s = |secs: f64| Time::from_secs(secs);
        let outage = |at, length, every: Option<f64>, handover| {
            let (length, every) = (Span::from_secs(length), every.map(Span::from_secs));
            Outage { at: s(at), length, every, lost: true, handover }
        };
        let links = [
            link(vec![outage(10.0, 1.0, Some(20.0), true), outage(3.0, 1.0, None, false)]),
            link(vec![outage(11.0, 0.5, None, true)]),
            link(vec![outage(1.0, 1.0, None, true)]), // not on the path
        ];
        let own = vec![(s(40.0), s(41.0))];
        let found: Vec<_> = gaps(&own, &links, &[0, 3], s(60.0)).iter().map(|gap| (gap.start, gap.end)).collect();
        assert_eq!(found, [(s(10.0), s(11.5)), (s(30.0), s(31.0)), (s(40.0), s(41.0)), (s(50.0), s(51.0))]);
    }
}
