//! Before a reduction, and back to it.

use cc::bookkeeping::Books;
use cc::{Algorithm, CongestionControl, Signal, Windows};
use units::Time;

use super::{Tcb, Why};

/// The algorithm and the books on it as they were before a reduction.
#[derive(Clone, Debug)]
pub(crate) struct Before {
    /// None of one from outside, which was told.
    cc: Option<Algorithm>,
    windows: Windows,
    books: Books,
}

impl Tcb {
    /// A reduction comes: it may be for nothing.
    pub(crate) fn remember(&mut self, place: &mut Option<Box<Before>>) {
        let (windows, books) = (self.cc.windows(), self.books.clone());
        let before = place.get_or_insert_with(|| Box::new(Before { cc: None, windows, books: books.clone() }));
        (before.windows, before.books) = (windows, books);
        if self.models_deliveries() {
            return;
        }
        self.cc.remember(&mut before.cc);
        self.cc.on_signal(&Signal::Remember, &self.path);
    }

    /// It was for nothing: everything is as before, but windows that are larger now stay so.
    pub(crate) fn restore(&mut self, now: Time, before: &Option<Box<Before>>) {
        let Some(before) = before else { return };
        let (cwnd, windows) = (self.cwnd(), self.cc.windows());
        if !self.models_deliveries() {
            self.cc.restore(&before.cc);
            self.cc.on_signal(&Signal::Restore, &self.path);
        }
        self.cc.set_windows(Windows {
            cwnd: windows.cwnd.max(before.windows.cwnd),
            ssthresh: windows.ssthresh.max(before.windows.ssthresh),
        });
        self.books.take_back(&before.books);
        self.cwr_due = false;
        self.stats.undone += 1;
        self.log(now, cwnd, Why::Undo);
    }

    /// The algorithm's model is made of delivery rates: it has gone on meanwhile, and the loss was no part of it.
    fn models_deliveries(&self) -> bool {
        self.rules.sampled
    }
}
