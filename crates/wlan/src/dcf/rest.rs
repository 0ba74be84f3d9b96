//! A station with nothing to do: when it has nothing of its own to remember, and how it takes on another's view.

use units::Time;

use super::{Mac, Station};

impl Station {
    /// Nothing to send, nothing under way, and nothing heard that still counts: what it hears from here on is what any
    /// listener hears.
    pub(crate) fn is_at_rest(&self, now: Time, mac: &Mac) -> bool {
        let waits = self.current.is_some() || self.owed.is_some() || self.timer.at != Time::NEVER;
        let others = self.edca.as_ref().is_none_or(|edca| edca.is_at_rest(now, mac));
        !waits && others && self.is_free() && self.nav.is_past(now) && self.access.has_run_out(now, mac)
    }

    /// After a rest: everything heard is as the listener has it, who rested at the same time.
    pub(crate) fn take_view_of(&mut self, listener: &Station) {
        self.sensed = listener.sensed;
        self.disturbed = listener.disturbed;
        self.nav = listener.nav;
        self.reception = listener.reception;
        self.busy_since = listener.busy_since;
        self.access.take_view_of(&listener.access);
        for function in self.edca.iter_mut().flat_map(|edca| &mut edca.behind) {
            function.access.take_view_of(&listener.access);
        }
    }
}
