//! What was lost, and how much in flight, when a segment was sent: notes of the last two rounds or so.

use crate::DeliverySample;

const NOTES: usize = 16;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Note {
    /// Segments delivered when it was made: those that segments sent from then on remember.
    total: u32,
    lost: u32,
    in_flight: u32,
}

/// Notes, the oldest one overwritten by the next.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct History {
    notes: [Note; NOTES],
    newest: u8,
    count: u8,
}

/// How it was when a segment was sent, and since.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sent {
    /// In the network then, this segment included.
    pub(super) in_flight: u32,
    /// Lost since.
    pub(super) lost: u32,
}

impl History {
    /// An ACK, with which `lost` segments were lost since the start. How it was when the segment was sent that it
    /// reports.
    pub(super) fn on_ack(&mut self, sample: &DeliverySample, lost: u32) -> Sent {
        let newest = usize::from(self.newest);
        // what left since the last note has raised the flight up to this ACK
        let last = &mut self.notes[newest];
        last.in_flight = last.in_flight.max(sample.in_flight_before);
        let then = self.at(sample.total_at_send);
        let step = (sample.in_flight / 8).max(1);
        if self.count == 0 || sample.total.wrapping_sub(self.notes[newest].total) >= step {
            let next = if self.count == 0 { newest } else { (newest + 1) % NOTES };
            self.notes[next] = Note { total: sample.total, lost, in_flight: sample.in_flight };
            self.newest = next as u8;
            self.count = (self.count + 1).min(NOTES as u8);
        }
        Sent { in_flight: then.in_flight, lost: lost.wrapping_sub(then.lost) }
    }

    /// The note made when the number of segments delivered was next to `total`.
    fn at(&self, total: u32) -> Note {
        let away = |place: usize| self.notes[place].total.abs_diff(total);
        let mut place = usize::from(self.newest);
        for _ in 1..self.count {
            let older = (place + NOTES - 1) % NOTES;
            if away(older) > away(place) {
                break;
            }
            place = older;
        }
        self.notes[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(total: u32, total_at_send: u32, in_flight: u32) -> DeliverySample {
        let in_flight_before = in_flight + 1;
        DeliverySample { total, total_at_send, in_flight, in_flight_before, ..DeliverySample::default() }
    }

    #[test]
    fn the_flight_and_the_losses_at_sending_come_back() {
        let mut history = History::default();
        // four segments of the start, then one more in flight with each ACK; one is lost at the 8th
        for total in 1..=12 {
            let lost = u32::from(total >= 8);
            let sent = history.on_ack(&ack(total, total.saturating_sub(4), 3 + total), lost);
            if total > 5 {
                // sent after the ACK of the segment four before: total - 1 were in flight, and two were sent
                let lost = u32::from((8..=11).contains(&total));
                assert_eq!((sent.in_flight, sent.lost), (total + 1, lost), "{total}");
            }
        }
    }

    #[test]
    fn large_flights_are_known_to_a_sixteenth() {
        let mut history = History::default();
        for total in 1..=3000 {
            let sent = history.on_ack(&ack(total, total.saturating_sub(1000), 1000), total / 100);
            if total > 1100 {
                // ten segments were lost in a round of 1000, to 62 segments more or less
                assert!((9..=11).contains(&sent.lost), "{sent:?} at {total}");
            }
        }
    }
}
