//! Numbers and rules of a medium: everything that can be set.

mod check;
mod edca;
mod sets;

use units::Span;

use crate::{AmpduLimits, GivenUp, Radio, Rate};

pub use edca::{Contention, Edca};

/// MAC and PHY of a medium. A parameter set ([`Params::named`]) fills all of it; each field may then be set by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Slot.
    pub slot: Span,
    /// Short inter-frame space: before an answer.
    pub sifs: Span,
    /// DCF inter-frame space: before a backoff.
    pub difs: Span,
    /// Sensing and turnaround: who would start so soon after another's frame has reached it starts as well.
    pub cca: Span,
    /// Contention window at first: slots are drawn from 0 to this.
    pub cw_min: u32,
    /// The same for stations of 802.11b in a cell of 802.11g.
    pub cw_min_dsss: u32,
    /// Contention window at most.
    pub cw_max: u32,
    /// Attempts of an RTS, or of data without RTS.
    pub short_retry_limit: u32,
    /// Attempts of data behind a CTS.
    pub long_retry_limit: u32,

    /// Preamble and PHY header of DSSS frames at 1 Mbps, and of protection frames.
    pub dsss_long_preamble: Span,
    /// Preamble and PHY header of other DSSS frames.
    pub dsss_preamble: Span,
    /// DSSS airtimes are whole microseconds, rounded up.
    pub round_us: bool,
    /// Preamble and PHY header of OFDM frames.
    pub ofdm_preamble: Span,
    /// Silence that belongs to an OFDM frame, at its end.
    pub signal_extension: Span,
    /// Preamble and header of frames without symbols.
    pub plcp: Plcp,

    /// Rates of data.
    pub rates: Vec<Rate>,
    /// Rate of data of a station that has none of its own.
    pub rate: Rate,
    /// Rates of control frames and broadcasts.
    pub basic_rates: Vec<Rate>,
    /// Rate of RTS; by default the highest basic rate not above that of the data.
    pub rts_rate: Option<Rate>,
    /// What an OFDM frame is preceded by where stations of 802.11b would not understand it.
    pub protection: Protection,
    /// Bytes that the MAC adds to a packet, FCS included.
    pub mac_bytes: u32,
    /// More such bytes, for example 16 of CCMP.
    pub extra_mac_bytes: u32,
    /// Unicast frames of at least so many bytes are preceded by RTS and CTS.
    pub rts_threshold: u32,

    /// Stations have a function for each class (EDCA); else one for all packets (DCF).
    pub edca: bool,
    /// Classes of stations.
    pub edca_station: Edca,
    /// Classes of [access points](crate::MediumSpec::access_points).
    pub edca_access_point: Edca,
    /// Packets that go together at most (`ampdu_max_mpdus`, `ampdu_max_bytes`, `ampdu_max_us`); at rates of HT.
    pub ampdu: AmpduLimits,
    /// How a receiver learns of a packet that was given up (`bar`).
    pub given_up: GivenUp,
    /// Fewer packets than this go as plain frames (`ampdu_min`).
    pub ampdu_min: u32,
    /// Attempts of a packet of stations that send several together.
    pub mpdu_retry_limit: u32,
    /// How long a receiver keeps packets back for one that is missing before them.
    pub reorder_timeout: Span,

    /// Where the standard leaves a choice, or ns-2 departs from it.
    pub rules: Rules,
    /// Antennas, powers, thresholds.
    pub radio: Radio,
}

/// Preamble and PHY header where they have a rate of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plcp {
    /// Length in bits.
    pub bits: u32,
    /// Rate in bit/s.
    pub bps: f64,
}

/// What warns stations that cannot decode a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Nothing.
    Off,
    /// A CTS to oneself at this rate.
    CtsToSelf(Rate),
    /// RTS at this rate before every unicast frame, whatever its length.
    RtsCts(Rate),
}

/// Rules that differ between the standard and ns-2 2.35, one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// From what backoff slots are drawn.
    pub draw: Draw,
    /// A frame that meets an idle medium needs no backoff.
    pub immediate_access: bool,
    /// A station draws slots after it has given a frame up, even with nothing to send.
    pub backoff_after_drop: bool,
    /// What the own timeout is followed by.
    pub after_timeout: AfterTimeout,
    /// How long an answer is awaited.
    pub timeouts: Timeouts,
    /// What a frame that could not be read costs its hearer.
    pub eifs: Eifs,
    /// A frame too weak to decode costs that as well.
    pub eifs_below_rx: bool,
    /// How the Duration field is rounded to microseconds.
    pub nav_round: NavRound,
    /// A NAV set by an RTS ends early if nothing follows.
    pub nav_reset: bool,
    /// What happens where frames overlap.
    pub capture: Capture,
    /// To whom retry counters belong.
    pub counters: Counters,
    /// Who answers what, and when.
    pub responder: Responder,
}

/// From what backoff slots are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    /// 0 to cw, both included.
    ToCw,
    /// 0 to cw - 1 (ns-2).
    BelowCw,
}

/// What the own timeout is followed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterTimeout {
    /// DIFS, then slots.
    Difs,
    /// Slots at once.
    Slots,
}

/// How long an answer is awaited after the own frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timeouts {
    /// SIFS, a slot and the preamble of the answer; if something has begun by then, until its end.
    Preamble,
    /// SIFS, the whole answer and 4 us (ns-2).
    WholeAnswer,
}

/// What a frame that could not be read costs its hearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eifs {
    /// EIFS in place of DIFS.
    Space,
    /// EIFS as a NAV, with DIFS behind it (ns-2).
    Nav,
}

/// How the Duration field is rounded to microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NavRound {
    /// Up.
    Up,
    /// To the nearest (ns-2).
    Nearest,
}

/// What happens where frames overlap at a receiver. A frame is strong beside another if it has
/// [`capture_ratio`](Radio::capture_ratio) times its power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capture {
    /// All of them are lost.
    Off,
    /// The first is received if it is strong beside the later ones. These leave a NAV (ns-2).
    First,
    /// Whichever is strong beside the others is received.
    Any,
    /// The others are noise as long as they overlap: chance decides by the ratio of signal to all of it. A frame that
    /// is strong beside the one followed is followed instead, or just stronger if that began no longer than `cca`
    /// before.
    Sinr,
}

/// To whom retry counters belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counters {
    /// To the frame: both begin at zero with the next.
    Frame,
    /// To the station: only the one that applied begins anew (ns-2).
    Station,
}

/// Who answers what, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Responder {
    /// A CTS if the NAV is over, an ACK always, data behind a CTS always.
    Standard,
    /// A CTS and the data behind it only if the medium is idle in every respect; more in `dcf/ns2.rs`.
    Ns2,
}

impl Rules {
    /// As IEEE 802.11 has them.
    pub const STANDARD: Rules = Rules {
        draw: Draw::ToCw,
        immediate_access: true,
        backoff_after_drop: true,
        after_timeout: AfterTimeout::Difs,
        timeouts: Timeouts::Preamble,
        eifs: Eifs::Space,
        eifs_below_rx: false,
        nav_round: NavRound::Up,
        nav_reset: true,
        capture: Capture::Any,
        counters: Counters::Frame,
        responder: Responder::Standard,
    };

    /// As ns-2 2.35 has them.
    pub const NS2: Rules = Rules {
        draw: Draw::BelowCw,
        immediate_access: false,
        backoff_after_drop: false,
        after_timeout: AfterTimeout::Difs,
        timeouts: Timeouts::WholeAnswer,
        eifs: Eifs::Nav,
        eifs_below_rx: true,
        nav_round: NavRound::Nearest,
        nav_reset: false,
        capture: Capture::First,
        counters: Counters::Station,
        responder: Responder::Ns2,
    };
}
