//! Address resolution as ns-2 has it: who is next door must be asked for before the first packet.
//!
//! A request is a broadcast, its reply goes to the one who asked. Both wait in queues as packets do. Whoever hears a
//! request knows from then on where it came from. One packet for each neighbour is held meanwhile: a later one takes
//! its place, which is then lost, and asks again; the fourth in vain is lost with the one held, and it begins anew.
//! Nothing that is known is forgotten.

use wlan::{Class, StationId};

use super::hops::AirHop;
use crate::packet::Packet;
use crate::sacks::NO_SACK;

/// Bytes of a request, and of a reply.
const BYTES: u16 = 28;
/// Requests in vain until packets are given up.
const REQUESTS: u32 = 3;
/// Set in the handle of a frame that is no packet of a flow; the rest is its hop.
const MARK: u64 = 1 << 63;

/// What the stations of a medium know of each other.
#[derive(Debug, Default)]
pub(crate) struct Arp {
    pairs: Vec<Pair>,
}

/// What one station knows of another to which it has packets, or from which it gets some.
#[derive(Debug)]
struct Pair {
    from: StationId,
    to: StationId,
    /// Hops of its request, and of its reply.
    request: u32,
    reply: u32,
    known: bool,
    requests: u32,
    held: Option<Packet>,
}

/// What to do with a packet for a neighbour that is not known.
#[derive(Debug)]
pub(crate) enum Unknown {
    /// It waits, in the place of the one that is lost; a request is to be sent.
    Ask {
        /// The request.
        request: Packet,
        /// The packet held before.
        lost: Option<Packet>,
    },
    /// Both are lost.
    GiveUp([Option<Packet>; 2]),
}

/// What a request or reply that was heard leads to.
#[derive(Debug, Default)]
pub(crate) struct Learnt {
    /// The packet that was held.
    pub(crate) packet: Option<Packet>,
    /// The reply that is asked for.
    pub(crate) reply: Option<Packet>,
}

impl AirHop {
    /// Requests and replies, which belong to no flow.
    #[inline]
    pub(crate) fn is_arp(&self) -> bool {
        self.end == NO_END
    }
}

const NO_END: u32 = u32::MAX;

impl Arp {
    /// The station has packets for another, in hop `like`. Hops of requests and replies, both ways, are added to
    /// `hops`.
    pub(crate) fn add(&mut self, like: &AirHop, hops: &mut Vec<AirHop>) {
        for (from, to) in [(like.from, like.to), (like.to, like.from)] {
            let Err(place) = self.place(from, to) else { continue };
            let request = hops.len() as u32;
            // nobody's: neither the class nor the lane of the flow that happens to be the first between the two
            let (class, source) = (Class::BestEffort, 0);
            let reply = AirHop { from, to, class, source, end: NO_END, bytes: 0, ..*like };
            hops.extend([AirHop { to: wlan::EVERYONE, ..reply }, reply]);
            self.pairs
                .insert(place, Pair { from, to, request, reply: request + 1, known: false, requests: 0, held: None });
        }
    }

    fn place(&self, from: StationId, to: StationId) -> Result<usize, usize> {
        self.pairs.binary_search_by_key(&(from, to), |pair| (pair.from, pair.to))
    }

    /// Packets may go from one station to the other.
    pub(crate) fn is_known(&self, from: StationId, to: StationId) -> bool {
        self.place(from, to).is_ok_and(|place| self.pairs[place].known)
    }

    /// A packet is about to go from one station to another that it does not know.
    pub(crate) fn ask(&mut self, from: StationId, to: StationId, packet: Packet) -> Unknown {
        let place = self.place(from, to).expect("every neighbour has a pair");
        let pair = &mut self.pairs[place];
        if pair.requests >= REQUESTS {
            pair.requests = 0;
            return Unknown::GiveUp([pair.held.take(), Some(packet)]);
        }
        pair.requests += 1;
        Unknown::Ask { request: message(pair.request), lost: pair.held.replace(packet) }
    }

    /// Station `at` has heard a frame of `from` with this handle.
    pub(crate) fn hear(&mut self, at: StationId, from: StationId, handle: u64) -> Learnt {
        let hop = hop(handle);
        let asks = self.pairs.iter().any(|pair| pair.from == from && pair.to == at && pair.request == hop);
        let Ok(place) = self.place(at, from) else { return Learnt::default() };
        let pair = &mut self.pairs[place];
        pair.known = true;
        Learnt { packet: pair.held.take(), reply: asks.then(|| message(pair.reply)) }
    }

    /// Packets that wait for an answer.
    pub(crate) fn held(&self) -> impl Iterator<Item = &Packet> {
        self.pairs.iter().filter_map(|pair| pair.held.as_ref())
    }
}

fn message(hop: u32) -> Packet {
    Packet { hop, size: BYTES, sack: NO_SACK, ..Packet::default() }
}

/// The handle of a request or reply on air.
pub(crate) fn handle(packet: &Packet) -> u64 {
    MARK | u64::from(packet.hop)
}

/// The hop of a request or reply with this handle.
#[inline]
pub(crate) fn hop(handle: u64) -> u32 {
    (handle & !MARK) as u32
}

/// A frame with this handle is a request or reply.
#[inline]
pub(crate) fn is_arp(handle: u64) -> bool {
    handle & MARK != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(seq: u32) -> Packet {
        Packet { seq, ..Packet::default() }
    }

    fn asked() -> (Arp, Vec<AirHop>) {
        let (mut arp, mut hops) = (Arp::default(), vec![AirHop { from: 0, to: 1, ..AirHop::default() }]);
        let like = hops[0];
        arp.add(&like, &mut hops);
        arp.add(&like, &mut hops);
        (arp, hops)
    }

    #[test]
    fn a_request_and_its_reply_make_neighbours_known_to_each_other() {
        let (mut arp, hops) = asked();
        assert!(!arp.is_known(0, 1));
        assert_eq!(hops.len(), 5, "two pairs with two messages each");
        let Unknown::Ask { request, lost: None } = arp.ask(0, 1, numbered(1)) else { panic!() };
        assert_eq!((hops[request.hop as usize].to, request.size), (wlan::EVERYONE, 28));
        let Unknown::Ask { lost: Some(lost), .. } = arp.ask(0, 1, numbered(2)) else { panic!() };
        assert_eq!(lost.seq, 1);
        let Learnt { packet: None, reply: Some(reply) } = arp.hear(1, 0, handle(&request)) else { panic!() };
        assert_eq!((hops[reply.hop as usize].from, hops[reply.hop as usize].to), (1, 0));
        let Learnt { packet: Some(held), reply: None } = arp.hear(0, 1, handle(&reply)) else { panic!() };
        assert_eq!(held.seq, 2);
        for (from, to) in [(0, 1), (1, 0)] {
            assert!(arp.is_known(from, to));
        }
    }

    #[test]
    fn three_requests_in_vain_lose_what_waits() {
        let (mut arp, _) = asked();
        for seq in 0..3 {
            assert!(matches!(arp.ask(0, 1, numbered(seq)), Unknown::Ask { .. }));
        }
        let Unknown::GiveUp(lost) = arp.ask(0, 1, numbered(3)) else { panic!() };
        assert_eq!(lost.map(|packet| packet.map(|packet| packet.seq)), [Some(2), Some(3)]);
        assert_eq!(arp.held().count(), 0);
        assert!(matches!(arp.ask(0, 1, numbered(4)), Unknown::Ask { lost: None, .. }));
    }
}
