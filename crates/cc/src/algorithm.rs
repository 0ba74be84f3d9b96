//! Every algorithm under one type, dispatched without a virtual call.

use units::{Bytes, Rate, Time};

use crate::{Ack, Congestion, CongestionControl, Path, RecoveryExit, Response, Signal, Subflow, Thaw, Windows};

impl Algorithm {
    /// Keep a copy, before a reduction that may be taken back. Those from outside are told instead
    /// ([`crate::Signal::Remember`]): a copy of one need not be independent of it.
    pub fn remember(&self, place: &mut Option<Algorithm>) {
        *place = (!matches!(self, Algorithm::Foreign(_))).then(|| self.clone());
    }

    /// Be again as the copy, if there is one.
    pub fn restore(&mut self, place: &Option<Algorithm>) {
        if let Some(before) = place {
            self.clone_from(before);
        }
    }
}

macro_rules! algorithms {
    // `$d` is a dollar sign, for the macro that this one writes
    (($d:tt) $($(#[$meta:meta])* $name:ident($state:ty),)*) => {
        /// One of the algorithms of the registry, with its state.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Algorithm {
            $($(#[$meta])* $name($state),)*
        }

        macro_rules! to_variant {
            ($d this:ident, $d one:ident => $d call:expr) => {
                match $d this { $(Algorithm::$name($d one) => $d call,)* }
            };
        }

        impl CongestionControl for Algorithm {
            forward!(to_variant);

            /// Asked after every event.
            #[inline]
            fn cwnd(&self) -> Bytes {
                to_variant!(self, one => one.cwnd())
            }
        }
    };
}

algorithms! {
    ($)
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
    /// BBR, version 3.
    Bbr3(crate::bbr3::Bbr3),
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
    /// Prague.
    Prague(crate::prague::Prague),
    /// One from outside this crate.
    Foreign(crate::foreign::Foreign),
    /// CERL and the CERL+ family.
    Cerl(crate::cerl::Cerl),
    /// Reno of Linux.
    RenoLinux(crate::reno_linux::RenoLinux),
    /// CUBIC of Linux.
    CubicLinux(crate::cubic_linux::CubicLinux),
    /// YeAH of Linux.
    YeahLinux(crate::yeah_linux::YeahLinux),
    /// Illinois of Linux.
    IllinoisLinux(crate::illinois_linux::IllinoisLinux),
    /// H-TCP of Linux.
    HTcpLinux(crate::htcp_linux::HTcpLinux),
    /// Veno of Linux.
    VenoLinux(crate::veno_linux::VenoLinux),
    /// Hybla of Linux.
    HyblaLinux(crate::hybla_linux::HyblaLinux),
    /// BIC of Linux.
    BicLinux(crate::bic_linux::BicLinux),
    // `windlass new-cc` adds to the list above this line.
}
