//! What the sender remembers of each segment in flight.

use units::Time;

/// One segment that was sent and is not cumulatively acknowledged.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// When it was last sent.
    pub at: Time,
    /// For delivery rate samples: segments delivered when it was last sent.
    pub delivered: u32,
    /// How often it was sent, at most 255.
    pub times: u8,
    /// The receiver has it (SACK).
    pub sacked: bool,
    /// It was sent again in the present recovery.
    pub resent: bool,
    /// For samples of the delivery rate and of the delay.
    pub notes: Notes,
}

/// The same with what else delivery rate samples need: half a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct Sampled {
    /// The segment.
    pub sent: Sent,
    delivered_at: Time,
    first_sent_at: Time,
}

const _: () = assert!(size_of::<Sent>() == 16 && size_of::<Sampled>() == 32);

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

/// What samples note of a segment, in one byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes(u8);

impl Notes {
    const LIMITED: u8 = 1;
    const REPORTED: u8 = 2;
    const SACKED_BEFORE: u8 = 4;
    const LOST: u8 = 8;

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

    /// It was SACKed since it was last sent, whether or not the recovery core remembers: ns-2's Sack1 forgets.
    #[inline]
    pub fn was_sacked(self) -> bool {
        self.0 & Notes::SACKED_BEFORE != 0
    }

    /// It is SACKed.
    #[inline]
    pub fn sack(&mut self) {
        self.0 |= Notes::SACKED_BEFORE;
    }

    /// It was lost, whether or not it was sent again since. Only RACK-TLP notes it.
    #[inline]
    pub fn is_lost(self) -> bool {
        self.0 & Notes::LOST != 0
    }

    /// It is lost, or it is not.
    #[inline]
    pub fn set_lost(&mut self, lost: bool) {
        self.0 = (self.0 & !Notes::LOST) | (Notes::LOST * u8::from(lost));
    }
}

impl Sent {
    /// It leaves for the first time.
    #[inline]
    fn first(at: Time, snapshot: &Snapshot) -> Sent {
        let notes = Notes::new(snapshot.limited, false);
        Sent { at, delivered: snapshot.delivered, times: 1, sacked: false, resent: false, notes }
    }
}

impl Sampled {
    #[inline]
    fn first(at: Time, snapshot: &Snapshot) -> Sampled {
        let Snapshot { delivered_at, first_sent_at, .. } = *snapshot;
        Sampled { sent: Sent::first(at, snapshot), delivered_at, first_sent_at }
    }

    /// How far the deliveries were when it was last sent.
    #[inline]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            delivered: self.sent.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            limited: self.sent.notes.is_limited(),
        }
    }
}

/// Segments in flight by number, in a ring that grows with the window. Few senders sample the delivery rate: the
/// records of the others are half as long.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    ring: Vec<Sent>,
    /// Instead of `ring`, if delivery rates are sampled.
    sampled: Vec<Sampled>,
    samples: bool,
    places: u32,
    mask: u32,
}

impl Scoreboard {
    /// No room yet: the first segment sent makes some.
    pub fn new(samples: bool) -> Scoreboard {
        Scoreboard { ring: Vec::new(), sampled: Vec::new(), samples, places: 0, mask: 0 }
    }

    /// Make room so that segments `[from, to)` and `to` itself have places.
    #[inline]
    pub fn reserve(&mut self, from: u32, to: u32) {
        if to - from >= self.places {
            self.grow(from, to);
        }
    }

    #[cold]
    fn grow(&mut self, from: u32, to: u32) {
        let places = (self.places * 2).max(8);
        let moves = |number: u32| ((number & self.mask) as usize, (number & (places - 1)) as usize);
        let blank = Snapshot::default();
        if self.samples {
            let mut ring = vec![Sampled::first(Time::ZERO, &blank); places as usize];
            (from..to).map(moves).for_each(|(old, new)| ring[new] = self.sampled[old]);
            self.sampled = ring;
        } else {
            let mut ring = vec![Sent::first(Time::ZERO, &blank); places as usize];
            (from..to).map(moves).for_each(|(old, new)| ring[new] = self.ring[old]);
            self.ring = ring;
        }
        (self.places, self.mask) = (places, places - 1);
    }

    /// A segment sent for the first time; with a snapshot if delivery rates are sampled.
    #[inline]
    pub fn first_sent(&mut self, number: u32, at: Time, snapshot: Option<&Snapshot>) {
        let place = (number & self.mask) as usize;
        match snapshot {
            None => self.ring[place] = Sent::first(at, &Snapshot::default()),
            Some(snapshot) => self.sampled[place] = Sampled::first(at, snapshot),
        }
    }

    /// A segment in flight leaves again.
    pub fn sent_again(&mut self, number: u32, at: Time, snapshot: &Snapshot) {
        if self.samples {
            let record = self.sampled(number);
            (record.delivered_at, record.first_sent_at) = (snapshot.delivered_at, snapshot.first_sent_at);
        }
        let record = self.get_mut(number);
        record.at = at;
        record.times = record.times.saturating_add(1);
        record.delivered = snapshot.delivered;
        let lost = record.notes.is_lost();
        record.notes = Notes::new(snapshot.limited, record.notes.is_reported());
        record.notes.set_lost(lost);
    }

    /// The record of a segment in flight.
    #[inline]
    pub fn get(&self, number: u32) -> &Sent {
        let place = (number & self.mask) as usize;
        match self.ring.get(place) {
            Some(record) => record,
            None => &self.sampled[place].sent,
        }
    }

    /// The record of a segment in flight, to change.
    #[inline]
    pub fn get_mut(&mut self, number: u32) -> &mut Sent {
        let place = (number & self.mask) as usize;
        match self.ring.get_mut(place) {
            Some(record) => record,
            None => &mut self.sampled[place].sent,
        }
    }

    /// Segments `[from, to)` count as neither SACKed nor sent again.
    pub fn forget_sacks(&mut self, from: u32, to: u32) {
        for number in from..to {
            let record = self.get_mut(number);
            (record.sacked, record.resent) = (false, false);
        }
    }

    /// The same with what samples need. Only if they are taken.
    #[inline]
    pub fn sampled(&mut self, number: u32) -> &mut Sampled {
        &mut self.sampled[(number & self.mask) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_survive_growth() {
        for samples in [false, true] {
            let mut board = Scoreboard::new(samples);
            for number in 100..140 {
                board.reserve(100, number);
                let delivered_at = Time(u64::from(number) / 2);
                let snapshot = Snapshot { delivered: number / 3, delivered_at, ..Snapshot::default() };
                board.first_sent(number, Time(u64::from(number)), samples.then_some(&snapshot));
            }
            assert!((100..140).all(|n| board.get(n).at == Time(u64::from(n))));
            if samples {
                assert!((100..140).all(|n| board.get(n).delivered == n / 3));
                assert!((100..140).all(|n| board.sampled(n).snapshot().delivered_at == Time(u64::from(n) / 2)));
            }
        }
    }
}
