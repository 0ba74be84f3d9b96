//! Telling the ends of a connection of handovers: senders when they begin and end, receivers of Freeze-TCP before, too.

use units::{Span, Time};

use crate::endpoint::Endpoint;
use crate::spec::{FlowSpec, TcpSpec, Transport};

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

/// Handovers that the ends of a flow hear of.
pub(crate) fn count(flow: &FlowSpec) -> usize {
    match &flow.transport {
        Transport::Tcp(spec) => spec.handovers.len(),
        Transport::Udp(_) => 0,
    }
}

/// When which end hears what: the active end is number 0, the passive one number 1.
pub(crate) fn notices(spec: &TcpSpec) -> Vec<(Time, usize, Notice)> {
    let mut all = Vec::new();
    for &(start, end) in &spec.handovers {
        for number in 0..2 {
            let receives = number == 1 || spec.two_way;
            if spec.rules.freeze && receives {
                all.push(match spec.rules.freeze_lead {
                    Some(lead) => (before(start, lead), number, Notice::Close),
                    None => (before(start, FORESIGHT), number, Notice::Foresee(start)),
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

/// When a receiver closes its window for a break at `start`: a smoothed RTT of its sender before, at once if that is past.
pub(crate) fn closing(now: Time, start: Time, sender: &Endpoint) -> Time {
    let lead = match sender {
        Endpoint::Tcp(end) => end.sender.path().srtt,
        Endpoint::Datagram(_) => Span::ZERO,
    };
    before(start, lead).max(now)
}
