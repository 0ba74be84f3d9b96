//! What an event is, and the order of events of the same time.
//!
//! The event queue knows numbers; [`Event::encode`] gives an event its number and [`Event::decode`] reads it back.
//! Events of the same time run in the order of their numbers:
//!
//! | rank | event | why there |
//! | --- | --- | --- |
//! | 0 | [`Event::ServiceEnds`] | makes room in a queue for what arrives in that instant |
//! | 1 | [`Event::Medium`] | ends of frames make room as well, and deliver what arrives in that instant |
//! | 2 | [`Event::Arrives`] | a packet that arrives in the instant of a timeout counts |
//! | 3 | [`Event::Timer`] | |
//! | 4 to 7 | [`Event::Plan`] | sees what the packets and timers of its instant have done |
//!
//! Events of one rank run in the order of what they are about: links and endpoints as they were declared, plans as they
//! were made.

/// Something that happens in a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A served link has transmitted a packet.
    ServiceEnds(u32),
    /// Something happens on a medium.
    Medium(u32),
    /// The packet at the head of a link's wire is at the far end.
    Arrives(u32),
    /// A timer of an endpoint.
    Timer(u32),
    /// The scenario's own, by its place in the list of plans.
    Plan(u32),
}

/// Bits of a number below its rank. A number has 24 bits.
const BITS: u32 = 21;

impl Event {
    /// Most directed links; most endpoints.
    pub(crate) const SUBJECTS: usize = 1 << BITS;
    /// Most plans: four ranks. The last number is not used: the queue takes it for none.
    pub(crate) const PLANS: usize = (4 << BITS) - 1;

    /// Its number in the event queue.
    #[inline(always)]
    pub(crate) const fn encode(self) -> u32 {
        match self {
            Event::ServiceEnds(link) => link,
            Event::Medium(medium) => 1 << BITS | medium,
            Event::Arrives(link) => 2 << BITS | link,
            Event::Timer(endpoint) => 3 << BITS | endpoint,
            Event::Plan(place) => (4 << BITS) + place,
        }
    }

    /// The event with this number.
    #[inline(always)]
    pub(crate) const fn decode(number: u32) -> Event {
        let subject = number & ((1 << BITS) - 1);
        if number >> BITS == 2 {
            return Event::Arrives(subject); // most often
        }
        match number >> BITS {
            0 => Event::ServiceEnds(subject),
            1 => Event::Medium(subject),
            3 => Event::Timer(subject),
            _ => Event::Plan(number - (4 << BITS)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_survives_the_queue() {
        let last = Event::SUBJECTS as u32 - 1;
        let plans = [0, last, last + 1, Event::PLANS as u32 - 1].map(Event::Plan);
        let of = |subject| {
            [Event::ServiceEnds(subject), Event::Medium(subject), Event::Arrives(subject), Event::Timer(subject)]
        };
        for event in [of(0), of(1), of(last)].concat().into_iter().chain(plans) {
            assert_eq!(Event::decode(event.encode()), event);
        }
    }

    #[test]
    fn ties_run_by_rank_then_by_subject() {
        let last = Event::SUBJECTS as u32 - 1;
        let order = [
            Event::ServiceEnds(0),
            Event::ServiceEnds(last),
            Event::Medium(0),
            Event::Medium(last),
            Event::Arrives(0),
            Event::Arrives(last),
            Event::Timer(0),
            Event::Timer(last),
            Event::Plan(0),
            Event::Plan(last + 1),
        ];
        assert!(order.is_sorted_by_key(|event| event.encode()));
    }

    #[test]
    fn the_largest_number_is_below_what_the_queue_takes_for_none() {
        assert!(Event::Plan(Event::PLANS as u32 - 1).encode() < (1 << 24) - 1);
    }
}
