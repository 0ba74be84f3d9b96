//! Packets of A-MPDUs at their receiver: which have arrived, which wait for one before them, which come too late.
//!
//! For each sender, class and receiver there is a record of the 64 numbers from the sender's first on, which is what a
//! BlockAck says, and a place for packets that wait. A missing packet is given up when the sender's first has passed
//! it, or after a time.

use std::collections::VecDeque;

use units::{Span, Time};

use crate::flight::StationId;

/// A packet that waits for one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrived {
    pub(crate) handle: u64,
    /// When its sender's MAC took it.
    pub(crate) offered: Time,
}

/// What becomes of a packet that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It goes up.
    Up(Arrived),
    /// It waits.
    Held(Arrived),
    /// Those behind it have gone up.
    Late(Arrived),
    /// It was there already.
    Repeated,
}

/// What a receiver knows about the packets of one sender and class.
#[derive(Debug, Default)]
struct Link {
    /// Number of the packet that goes up next.
    next: u64,
    /// Packets from `next` on that have arrived; the first has not.
    waiting: VecDeque<Option<Arrived>>,
    /// Which of 64 numbers have arrived, from this one on.
    first: u64,
    arrived: u64,
}

impl Link {
    /// The sender has done with all before this number.
    fn begin(&mut self, first: u64, tell: &mut impl FnMut(Verdict)) {
        let passed = first.saturating_sub(self.first);
        self.arrived = if passed < 64 { self.arrived >> passed } else { 0 };
        self.first = self.first.max(first);
        while self.next < first {
            self.next += 1;
            if let Some(Some(packet)) = self.waiting.pop_front() {
                tell(Verdict::Up(packet));
            }
        }
        self.go_up(tell);
    }

    /// All go up that have no gap before them.
    fn go_up(&mut self, tell: &mut impl FnMut(Verdict)) {
        while let Some(&Some(packet)) = self.waiting.front() {
            self.waiting.pop_front();
            self.next += 1;
            tell(Verdict::Up(packet));
        }
    }

    fn take(&mut self, number: u64, packet: Arrived, tell: &mut impl FnMut(Verdict)) {
        let bit = 1 << (number - self.first);
        if self.arrived & bit != 0 {
            return tell(Verdict::Repeated);
        }
        self.arrived |= bit;
        if number < self.next {
            return tell(Verdict::Late(packet));
        }
        let place = (number - self.next) as usize;
        if place == 0 {
            tell(Verdict::Up(packet));
            self.next += 1;
            self.waiting.pop_front();
            return self.go_up(tell);
        }
        while self.waiting.len() <= place {
            self.waiting.push_back(None);
        }
        self.waiting[place] = Some(packet);
        tell(Verdict::Held(packet));
    }

    /// The missing packets at the front are given up.
    fn skip(&mut self, tell: &mut impl FnMut(Verdict)) {
        while let Some(None) = self.waiting.front() {
            self.waiting.pop_front();
            self.next += 1;
        }
        self.go_up(tell);
    }
}

/// Sender, class, receiver.
pub(crate) type Way = (StationId, u8, StationId);

/// The links of a medium, and those on which packets wait.
#[derive(Debug)]
pub(crate) struct Reorder {
    links: Vec<(Way, Link)>,
    /// Until when a missing packet is waited for, and its link.
    waits: Vec<(Time, Way)>,
    timeout: Span,
}

impl Reorder {
    pub(crate) fn new(timeout: Span) -> Reorder {
        Reorder { links: Vec::new(), waits: Vec::new(), timeout }
    }

    fn link(&mut self, way: Way) -> &mut Link {
        let place = self.links.binary_search_by_key(&way, |link| link.0).unwrap_or_else(|place| {
            self.links.insert(place, (way, Link::default()));
            place
        });
        &mut self.links[place].1
    }

    /// Packets of a frame have arrived, in the order of their numbers; `first` is the first number in that frame,
    /// arrived or not. Gives back which of the 64 from there on have arrived so far.
    pub(crate) fn take(
        &mut self,
        now: Time,
        way: Way,
        first: u64,
        packets: impl Iterator<Item = (u64, Arrived)>,
        mut tell: impl FnMut(Verdict),
    ) -> u64 {
        let link = self.link(way);
        let before = link.next;
        link.begin(first, &mut tell);
        packets.for_each(|(number, packet)| link.take(number, packet, &mut tell));
        let (moved, holds, arrived) = (link.next != before, !link.waiting.is_empty(), link.arrived);
        self.note_wait(now, way, moved, holds);
        arrived
    }

    /// A missing packet is waited for from when it became the next.
    fn note_wait(&mut self, now: Time, way: Way, moved: bool, holds: bool) {
        let place = self.waits.iter().position(|wait| wait.1 == way);
        match (place, holds) {
            (Some(place), false) => drop(self.waits.swap_remove(place)),
            (Some(place), true) if moved => self.waits[place].0 = now + self.timeout,
            (None, true) => self.waits.push((now + self.timeout, way)),
            _ => {}
        }
    }

    /// When the next missing packet is given up.
    pub(crate) fn due(&self) -> Time {
        self.waits.iter().fold(Time::NEVER, |least, wait| least.min(wait.0))
    }

    /// Missing packets whose time is over are given up: one link of those that are due, if there is any.
    pub(crate) fn skip(&mut self, now: Time, mut tell: impl FnMut(Verdict)) -> Option<Way> {
        let due = self.waits.iter().filter(|wait| wait.0 <= now);
        let (_, way) = *due.min_by_key(|wait| wait.1)?;
        let link = self.link(way);
        link.skip(&mut tell);
        let holds = !link.waiting.is_empty();
        self.note_wait(now, way, true, holds);
        Some(way)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAY: Way = (1, 2, 0);

    fn reorder() -> Reorder {
        Reorder::new(Span(100))
    }

    /// Packets of these numbers in a frame that begins with `first`; the bitmap and what came of them.
    fn take(reorder: &mut Reorder, now: u64, first: u64, numbers: &[u64]) -> (u64, String) {
        let mut told = String::new();
        let packets = numbers.iter().map(|&number| (number, Arrived { handle: number, offered: Time::ZERO }));
        let bits = reorder.take(Time(now), WAY, first, packets, |verdict| told += &shown(verdict));
        (bits, told)
    }

    fn shown(verdict: Verdict) -> String {
        match verdict {
            Verdict::Up(packet) => format!("{} ", packet.handle),
            Verdict::Held(packet) => format!("({}) ", packet.handle),
            Verdict::Late(packet) => format!("late {} ", packet.handle),
            Verdict::Repeated => "again ".into(),
        }
    }

    #[test]
    fn a_gap_holds_what_is_behind_it() {
        let mut reorder = reorder();
        // of three the second is lost
        assert_eq!(take(&mut reorder, 0, 0, &[0, 2]), (0b101, "0 (2) ".into()));
        assert_eq!(reorder.due(), Time(100));
        // it is first in the next
        assert_eq!(take(&mut reorder, 50, 1, &[1, 3]), (0b111, "1 2 3 ".into()));
        assert_eq!(reorder.due(), Time::NEVER);
    }

    #[test]
    fn what_the_answer_did_not_tell_is_told_again() {
        let mut reorder = reorder();
        assert_eq!(take(&mut reorder, 0, 0, &[0, 1, 3]), (0b1011, "0 1 (3) ".into()));
        // the same again, and this time the first is lost: it has arrived all the same
        assert_eq!(take(&mut reorder, 10, 0, &[1, 2]), (0b1111, "again 2 3 ".into()));
    }

    #[test]
    fn a_gap_ends_when_its_sender_has_passed_it() {
        let mut reorder = reorder();
        take(&mut reorder, 0, 0, &[1, 3]);
        // 0 and 2 were given up
        assert_eq!(take(&mut reorder, 10, 4, &[5]), (0b10, "1 3 (5) ".into()));
        assert_eq!(reorder.due(), Time(110));
        assert_eq!(take(&mut reorder, 20, 200, &[200]), (1, "5 200 ".into()));
        assert_eq!(reorder.due(), Time::NEVER);
    }

    #[test]
    fn a_gap_ends_after_a_time_and_what_comes_then_is_late() {
        let mut reorder = reorder();
        take(&mut reorder, 0, 0, &[2, 3, 5]);
        let mut told = String::new();
        assert_eq!(reorder.skip(Time(100), |verdict| told += &shown(verdict)), Some(WAY));
        assert_eq!(reorder.skip(Time(100), |_| ()), None);
        assert_eq!((told.as_str(), reorder.due()), ("2 3 ", Time(200)));
        // 1 is too late, but its sender is told that it has arrived
        assert_eq!(take(&mut reorder, 110, 0, &[1, 4]), (0b11_1110, "late 1 4 5 ".into()));
        assert_eq!(reorder.due(), Time::NEVER);
    }
}
