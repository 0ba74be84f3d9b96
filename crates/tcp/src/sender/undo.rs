//! Before a reduction, and back to it.

use cc::bookkeeping::Books;
use cc::{Algorithm, CongestionControl};
use units::Time;

use super::{Tcb, Why};

/// The algorithm and the books on it as they were before a reduction.
#[derive(Clone, Debug)]
pub(crate) struct Before {
    cc: Algorithm,
    books: Books,
}

impl Tcb {
    /// A reduction comes: it may be for nothing.
    pub(crate) fn remember(&self, place: &mut Option<Box<Before>>) {
        let (cc, books) = (self.cc.clone(), self.books.clone());
        match place {
            Some(before) => **before = Before { cc, books },
            None => *place = Some(Box::new(Before { cc, books })),
        }
    }

    /// It was for nothing: everything is as before, but windows that are larger now stay so. A model that an algorithm
    /// makes of delivery rates has gone on meanwhile, and a loss was no part of it.
    pub(crate) fn restore(&mut self, now: Time, before: &Option<Box<Before>>) {
        let Some(before) = before else { return };
        let (cwnd, windows) = (self.cwnd(), self.cc.windows());
        let mut restored = before.cc.windows();
        restored.cwnd = restored.cwnd.max(windows.cwnd);
        restored.ssthresh = restored.ssthresh.max(windows.ssthresh);
        if !self.rules.sampled {
            self.cc = before.cc.clone();
        }
        self.cc.set_windows(restored);
        self.books.take_back(&before.books);
        self.cwr_due = false;
        self.stats.undone += 1;
        self.log(now, cwnd, Why::Undo);
    }
}
