//! An algorithm that lives outside this crate, behind a virtual call and a pointer. For prototypes, such as classes
//! written in Python; the algorithms of the registry are dispatched without.

extern crate alloc;

use alloc::boxed::Box;
use core::fmt;

use units::{Bytes, Rate, Time};

use crate::{Ack, Config, Congestion, CongestionControl, Path, RecoveryExit, Response, Signal, Subflow, Thaw, Windows};

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
        Foreign::of((maker.0)(config))
    }

    /// This one.
    pub fn of(outside: Box<dyn Outside>) -> crate::Algorithm {
        crate::Algorithm::Foreign(Foreign(outside))
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

macro_rules! to_outside {
    ($this:ident, $one:ident => $call:expr) => {
        match $this {
            Foreign($one) => $call,
        }
    };
}

impl CongestionControl for Foreign {
    forward!(to_outside);
}
