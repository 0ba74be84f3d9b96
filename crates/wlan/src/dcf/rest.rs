//! When all that a station senses is what everybody else does who neither sends nor is sent to.

use units::Time;

use super::{Mac, Station, Waiting};

impl Station {
    /// A frame has begun at `now` on an idle medium, and this station has nothing to do about it but let it pass. From
    /// now on it senses what a listener does who never sends, and all that is its own are slots that it has not waited
    /// for.
    pub(crate) fn only_listens(&self, now: Time) -> bool {
        let acts = self.timer.at != Time::NEVER || self.owed.is_some() || self.waiting != Waiting::Nothing;
        let first = self.sensed == 1 && !self.transmitting && self.nav.is_past(now);
        if !first || acts || self.access.is_counting() {
            return false;
        }
        match (&self.edca, self.access.slots_left()) {
            (None, Some(slots)) => slots > 0,
            (None, None) => self.current.is_none(),
            // classes do not count slots alike: only those that have none to count
            (Some(edca), slots) => slots.is_none() && self.current.is_none() && edca.has_nothing(),
        }
    }

    /// Leave it to a listener to sense; what remains are the slots still to be waited for, and whether there is a frame
    /// to be sent behind them.
    pub(crate) fn fall_asleep(&mut self) -> (Option<u32>, bool) {
        self.sensed = 0;
        (self.access.slots_left(), self.contends())
    }

    /// All is as the listener has it, and so many slots are left.
    pub(crate) fn wake_up(&mut self, listener: &Station, slots: Option<u32>, mac: &Mac) {
        self.sensed = listener.sensed;
        self.disturbed = listener.disturbed;
        self.nav = listener.nav;
        self.reception = listener.reception;
        self.busy_since = listener.busy_since;
        self.access.take_view_of(&listener.access, slots, self.contends(), mac);
        for function in self.edca.iter_mut().flat_map(|edca| &mut edca.behind) {
            function.access.take_view_of(&listener.access, None, false, mac);
        }
    }

    /// Slots that this station would count if a frame began now.
    pub(crate) fn slots_passed(&self, now: Time, mac: &Mac) -> u32 {
        self.access.slots_passed(now, mac)
    }

    /// When a station would send that hears the same and has so many slots to wait for.
    pub(crate) fn expiry_behind(&self, slots: u64, mac: &Mac) -> Time {
        self.access.expiry_behind(slots, mac)
    }
}
