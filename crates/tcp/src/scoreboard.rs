//! What the sender remembers of each segment in flight.

use units::Time;

/// One segment that was sent and is not cumulatively acknowledged: half a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct Sent {
    /// When it was last sent.
    pub at: Time,
    /// How often it was sent, at most 255.
    pub times: u8,
    /// The receiver has it (SACK).
    pub sacked: bool,
    /// It was sent again in the present recovery.
    pub resent: bool,
    /// The rest is for delivery rate samples.
    pub notes: Notes,
    /// When it was last sent: see [`Snapshot`].
    pub delivered: u32,
    /// The same.
    pub delivered_at: Time,
    /// The same.
    pub first_sent_at: Time,
}

/// How far the deliveries were when a segment was sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Snapshot {
    /// Segments delivered until then.
    pub delivered: u32,
    /// When the last of them was.
    pub delivered_at: Time,
    /// When the segment was sent that the newest delivery until then reported.
    pub first_sent_at: Time,
    /// Something else than the path kept the rate low.
    pub limited: bool,
}

/// What delivery rate samples note of a segment, in one byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes(u8);

impl Notes {
    const LIMITED: u8 = 1;
    const REPORTED: u8 = 2;

    #[inline]
    fn new(limited: bool, reported: bool) -> Notes {
        Notes((Notes::LIMITED * u8::from(limited)) | (Notes::REPORTED * u8::from(reported)))
    }

    /// When it was last sent, the rate was kept low by something else than the path.
    #[inline]
    pub fn is_limited(self) -> bool {
        self.0 & Notes::LIMITED != 0
    }

    /// An ACK reported it.
    #[inline]
    pub fn is_reported(self) -> bool {
        self.0 & Notes::REPORTED != 0
    }

    /// An ACK reports it.
    #[inline]
    pub fn report(&mut self) {
        self.0 |= Notes::REPORTED;
    }
}

const _: () = assert!(size_of::<Sent>() == 32);

impl Sent {
    /// It leaves for the first time.
    #[inline]
    fn first(at: Time, snapshot: &Snapshot) -> Sent {
        Sent {
            at,
            times: 1,
            sacked: false,
            resent: false,
            notes: Notes::new(snapshot.limited, false),
            delivered: snapshot.delivered,
            delivered_at: snapshot.delivered_at,
            first_sent_at: snapshot.first_sent_at,
        }
    }

    /// How far the deliveries were when it was last sent.
    #[inline]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            limited: self.notes.is_limited(),
        }
    }

    /// It leaves again.
    pub fn again(&mut self, at: Time, snapshot: &Snapshot) {
        *self = Sent {
            times: self.times.saturating_add(1),
            sacked: self.sacked,
            resent: self.resent,
            notes: Notes::new(snapshot.limited, self.notes.is_reported()),
            ..Sent::first(at, snapshot)
        };
    }
}

/// Segments in flight by number, in a ring that grows with the window.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    ring: Vec<Sent>,
    mask: u32,
}

impl Scoreboard {
    /// No room yet: the first segment sent makes some.
    pub fn new() -> Scoreboard {
        Scoreboard { ring: Vec::new(), mask: 0 }
    }

    /// Make room so that segments `[from, to)` and `to` itself have places.
    #[inline]
    pub fn reserve(&mut self, from: u32, to: u32) {
        if to - from >= self.ring.len() as u32 {
            self.grow(from, to);
        }
    }

    #[cold]
    fn grow(&mut self, from: u32, to: u32) {
        let mut ring = vec![Sent::first(Time::ZERO, &Snapshot::default()); (self.ring.len() * 2).max(8)];
        let mask = ring.len() as u32 - 1;
        for number in from..to {
            ring[(number & mask) as usize] = self.ring[(number & self.mask) as usize];
        }
        self.ring = ring;
        self.mask = mask;
    }

    /// A segment sent for the first time.
    #[inline]
    pub fn first_sent(&mut self, number: u32, at: Time, snapshot: &Snapshot) {
        self.ring[(number & self.mask) as usize] = Sent::first(at, snapshot);
    }

    /// The record of a segment in flight.
    #[inline]
    pub fn get(&self, number: u32) -> &Sent {
        &self.ring[(number & self.mask) as usize]
    }

    /// The record of a segment in flight, to change.
    #[inline]
    pub fn get_mut(&mut self, number: u32) -> &mut Sent {
        &mut self.ring[(number & self.mask) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_survive_growth() {
        let mut board = Scoreboard::new();
        for number in 100..140 {
            board.reserve(100, number);
            board.first_sent(number, Time(u64::from(number)), &Snapshot::default());
        }
        assert!((100..140).all(|n| board.get(n).at == Time(u64::from(n))));
    }
}
