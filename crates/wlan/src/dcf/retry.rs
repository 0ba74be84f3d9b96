//! How often a frame has been tried, and when it is given up.

use super::Mac;
use crate::params::Counters;

/// Short and long retry counters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Retry {
    short: u32,
    long: u32,
}

/// What remained unanswered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unanswered {
    /// An RTS.
    Rts,
    /// Data without RTS.
    Data,
    /// Data behind a CTS.
    DataAfterCts,
}

impl Retry {
    /// Another failure; whether it was the last.
    pub(crate) fn fails(&mut self, what: Unanswered, mac: &Mac) -> bool {
        let (counter, limit) = match what {
            Unanswered::Rts | Unanswered::Data => (&mut self.short, mac.short_retry_limit),
            Unanswered::DataAfterCts => (&mut self.long, mac.long_retry_limit),
        };
        *counter += 1;
        *counter >= limit
    }

    /// A CTS came.
    pub(crate) fn on_cts(&mut self) {
        self.short = 0;
    }

    /// The frame is done with, acknowledged or given up; `last` is what counted in the end.
    pub(crate) fn next_frame(&mut self, last: Unanswered, mac: &Mac) {
        match (mac.rules.counters, last) {
            (Counters::Frame, _) => *self = Retry::default(),
            (Counters::Station, Unanswered::DataAfterCts) => self.long = 0,
            (Counters::Station, Unanswered::Rts | Unanswered::Data) => self.short = 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Params;

    #[test]
    fn limits_count_attempts() {
        let mac = Mac::new(&Params::dot11b());
        let mut retry = Retry::default();
        let tries = (1..).find(|_| retry.fails(Unanswered::Data, &mac));
        assert_eq!(tries, Some(7));
        let tries = (1..).find(|_| retry.fails(Unanswered::DataAfterCts, &mac));
        assert_eq!(tries, Some(4));
    }

    #[test]
    fn a_cts_clears_the_short_counter_only() {
        let mac = Mac::new(&Params::dot11b());
        let mut retry = Retry::default();
        retry.fails(Unanswered::Rts, &mac);
        retry.fails(Unanswered::DataAfterCts, &mac);
        retry.on_cts();
        assert_eq!((retry.short, retry.long), (0, 1));
    }

    #[test]
    fn a_drop_in_ns2_leaves_the_other_counter() {
        for (params, left) in [(Params::dot11b(), (0, 0)), (Params::ns2_default(), (0, 1))] {
            let mac = Mac::new(&params);
            let mut retry = Retry::default();
            retry.fails(Unanswered::DataAfterCts, &mac);
            retry.fails(Unanswered::Rts, &mac);
            retry.next_frame(Unanswered::Rts, &mac);
            assert_eq!((retry.short, retry.long), left);
        }
    }
}
