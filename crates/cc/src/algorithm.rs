//! Every algorithm under one type, dispatched without a virtual call.

use units::{Bytes, Rate, Time};

use crate::{Ack, Congestion, CongestionControl, Path, RecoveryExit, Response, Subflow};

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
            fn on_handover_start(&mut self, now: Time, path: &Path) {
                match self { $(Algorithm::$name(a) => a.on_handover_start(now, path),)* }
            }
            fn on_handover_end(&mut self, now: Time, path: &Path) {
                match self { $(Algorithm::$name(a) => a.on_handover_end(now, path),)* }
            }
            fn is_frozen(&self, now: Time) -> bool {
                match self { $(Algorithm::$name(a) => a.is_frozen(now),)* }
            }
            fn resends_after_handover(&self) -> bool {
                match self { $(Algorithm::$name(a) => a.resends_after_handover(),)* }
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
            fn on_idle_restart(&mut self, now: Time, path: &Path) {
                match self { $(Algorithm::$name(a) => a.on_idle_restart(now, path),)* }
            }
            #[inline]
            fn limits_itself(&self) -> bool {
                match self { $(Algorithm::$name(a) => a.limits_itself(),)* }
            }
            #[inline]
            fn pacing_rate(&self) -> Option<Rate> {
                match self { $(Algorithm::$name(a) => a.pacing_rate(),)* }
            }
            fn take_round(&mut self) -> Option<Subflow> {
                match self { $(Algorithm::$name(a) => a.take_round(),)* }
            }
            fn couple(&mut self, subflows: &[Subflow], which: usize) {
                match self { $(Algorithm::$name(a) => a.couple(subflows, which),)* }
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
    /// Westwood.
    Westwood(crate::westwood::Westwood),
    /// Westwood+.
    WestwoodPlus(crate::westwood_plus::WestwoodPlus),
    /// Handover-aware Westwood+.
    WestwoodPlusHo(crate::westwood_plus_ho::WestwoodPlusHo),
    /// TCP-Jersey.
    Jersey(crate::tcp_jersey::Jersey),
    /// New Jersey.
    NewJersey(crate::new_jersey::NewJersey),
    /// New Jersey+.
    NewJerseyPlus(crate::new_jersey_plus::NewJerseyPlus),
    /// TCP WR.
    Wr(crate::wr::Wr),
    /// TCP EWR.
    Ewr(crate::ewr::Ewr),
    /// Vegas.
    Vegas(crate::vegas::Vegas),
    /// Veno.
    Veno(crate::veno::Veno),
    /// mVeno.
    MVeno(crate::mveno::MVeno),
    /// Adaptive TCP.
    Adaptive(crate::adaptive::Adaptive),
    /// YeAH.
    Yeah(crate::yeah::Yeah),
    /// CUBIC of RFC 9438.
    Cubic(crate::cubic::Cubic),
    /// CUBIC of 2008.
    Cubic2008(crate::cubic_2008::Cubic2008),
    /// BBR.
    Bbr(crate::bbr::Bbr),
    /// BIC.
    Bic(crate::bic::Bic),
    /// HighSpeed.
    HighSpeed(crate::highspeed::HighSpeed),
    /// Scalable.
    Scalable(crate::scalable::Scalable),
    /// H-TCP.
    HTcp(crate::htcp::HTcp),
    /// Illinois.
    Illinois(crate::illinois::Illinois),
    /// Hybla.
    Hybla(crate::hybla::Hybla),
    /// FAST.
    Fast(crate::fast::Fast),
    /// LEDBAT.
    Ledbat(crate::ledbat::Ledbat),
    /// DCTCP.
    Dctcp(crate::dctcp::Dctcp),
    /// One from outside this crate.
    Foreign(crate::foreign::Foreign),
    /// CERL and the CERL+ family.
    Cerl(crate::cerl::Cerl),
}
