//! Every algorithm under one type, dispatched without a virtual call.

use units::Bytes;

use crate::{Ack, Congestion, CongestionControl, Path, RecoveryExit, Response};

macro_rules! algorithms {
    ($($(#[$meta:meta])* $name:ident($state:ty),)*) => {
        /// One of the algorithms of the registry, with its state.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Algorithm {
            $($(#[$meta])* $name($state),)*
        }

        impl CongestionControl for Algorithm {
            fn on_init(&mut self, window: Bytes, ssthresh: Bytes, path: &Path) {
                match self { $(Algorithm::$name(a) => a.on_init(window, ssthresh, path),)* }
            }
            #[inline]
            fn on_ack(&mut self, ack: &Ack, path: &Path) {
                match self { $(Algorithm::$name(a) => a.on_ack(ack, path),)* }
            }
            fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
                match self { $(Algorithm::$name(a) => a.on_congestion(event, path),)* }
            }
            fn on_recovery_exit(&mut self, exit: &RecoveryExit, path: &Path) {
                match self { $(Algorithm::$name(a) => a.on_recovery_exit(exit, path),)* }
            }
            fn set_cwnd(&mut self, cwnd: Bytes) {
                match self { $(Algorithm::$name(a) => a.set_cwnd(cwnd),)* }
            }
            #[inline]
            fn cwnd(&self) -> Bytes {
                match self { $(Algorithm::$name(a) => a.cwnd(),)* }
            }
            #[inline]
            fn ssthresh(&self) -> Bytes {
                match self { $(Algorithm::$name(a) => a.ssthresh(),)* }
            }
            fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
                match self { $(Algorithm::$name(a) => a.observe(out),)* }
            }
        }
    };
}

algorithms! {
    /// Tahoe, Reno, NewReno and SACK.
    Reno(crate::reno::Reno),
    /// Westwood+.
    WestwoodPlus(crate::westwood_plus::WestwoodPlus),
}
