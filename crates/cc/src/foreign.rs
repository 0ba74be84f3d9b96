//! An algorithm that lives outside this crate, behind a virtual call and a pointer. For prototypes, such as classes written
//! in Python; the algorithms of the registry are dispatched without.

extern crate alloc;

use alloc::boxed::Box;
use core::fmt;

use units::{Bytes, Rate, Time};

use crate::{Ack, Config, Congestion, CongestionControl, Path, RecoveryExit, Response};

/// An algorithm from outside.
pub trait Outside: CongestionControl + fmt::Debug + Send {
    /// A copy with a state of its own.
    fn copy(&self) -> Box<dyn Outside>;
}

/// Makes one sender's algorithm from parameter values.
pub type Make = dyn Fn(&Config) -> Box<dyn Outside> + Send + Sync;

/// Makes senders of an algorithm from outside; stands in its registry row.
pub struct Maker(pub Box<Make>);

impl fmt::Debug for Maker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Maker")
    }
}

/// One sender's algorithm from outside.
#[derive(Debug)]
pub struct Foreign(Box<dyn Outside>);

impl Foreign {
    /// For rows with a [`crate::registry::Row::maker`]. Panics for others: a bug of the row.
    pub fn build(config: &Config) -> crate::Algorithm {
        let maker = config.row().maker.expect("a row of an algorithm from outside has its maker");
        crate::Algorithm::Foreign(Foreign((maker.0)(config)))
    }
}

impl Clone for Foreign {
    fn clone(&self) -> Foreign {
        Foreign(self.0.copy())
    }
}

/// Two are equal only if they are one: nothing is known of their states.
impl PartialEq for Foreign {
    fn eq(&self, other: &Foreign) -> bool {
        core::ptr::eq(self, other)
    }
}

impl CongestionControl for Foreign {
    fn on_init(&mut self, window: Bytes, ssthresh: Bytes, path: &Path) {
        self.0.on_init(window, ssthresh, path);
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        self.0.on_ack(ack, path);
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        self.0.on_congestion(event, path)
    }

    fn on_recovery_exit(&mut self, exit: &RecoveryExit, path: &Path) {
        self.0.on_recovery_exit(exit, path);
    }

    fn on_handover_start(&mut self, now: Time, path: &Path) {
        self.0.on_handover_start(now, path);
    }

    fn on_handover_end(&mut self, now: Time, path: &Path) {
        self.0.on_handover_end(now, path);
    }

    fn is_frozen(&self, now: Time) -> bool {
        self.0.is_frozen(now)
    }

    fn resends_after_handover(&self) -> bool {
        self.0.resends_after_handover()
    }

    fn set_cwnd(&mut self, cwnd: Bytes) {
        self.0.set_cwnd(cwnd);
    }

    fn cwnd(&self) -> Bytes {
        self.0.cwnd()
    }

    fn ssthresh(&self) -> Bytes {
        self.0.ssthresh()
    }

    fn on_idle_restart(&mut self, now: Time, path: &Path) {
        self.0.on_idle_restart(now, path);
    }

    fn limits_itself(&self) -> bool {
        self.0.limits_itself()
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.0.pacing_rate()
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        self.0.observe(out);
    }
}
