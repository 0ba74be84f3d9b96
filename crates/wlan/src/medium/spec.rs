//! A medium as data, and what it tells those above.

use units::Time;

use crate::flight::{Kind, StationId};
use crate::params::Capture;
use crate::{Error, Layout, Loss, Params, Rate, RateControl, Way};

/// A medium as data. [`Medium::new`](super::Medium::new) builds it.
#[derive(Clone, Debug)]
pub struct MediumSpec {
    /// Name; random streams are named after it.
    pub name: String,
    /// Numbers and rules.
    pub params: Params,
    /// Who hears whom.
    pub layout: Layout,
    /// Data rates of stations, in their order; missing or `None`: [`Params::rate`].
    pub rates: Vec<Option<Rate>>,
    /// How stations choose rates, in their order; missing: fixed.
    pub rate_controls: Vec<RateControl>,
    /// Stations that are access points: these have EDCA's [numbers of their own](Params::edca_access_point).
    pub access_points: Vec<StationId>,
    /// Ways of stations that move; where they begin, not the layout, says where these are at first. The layout has
    /// positions.
    pub moves: Vec<(StationId, Way)>,
    /// Random errors at every receiver.
    pub loss: Option<Loss>,
}

impl MediumSpec {
    /// A medium on which all stations use the rate of the set, without random errors.
    pub fn new(name: &str, params: Params, layout: Layout) -> MediumSpec {
        MediumSpec {
            name: name.into(),
            params,
            layout,
            rates: Vec::new(),
            rate_controls: Vec::new(),
            access_points: Vec::new(),
            moves: Vec::new(),
            loss: None,
        }
    }

    /// The layout at the start: stations that move are where their ways begin.
    pub(super) fn layout_at_first(&self) -> Result<Layout, Error> {
        let mut layout = self.layout.clone();
        let Layout::Positions(positions) = &mut layout else {
            let key = if self.moves.is_empty() { "capture" } else { "moves" };
            let by_distance = !self.moves.is_empty() || self.params.rules.capture == Capture::Sinr;
            return if by_distance { Err(Error::NeedsPositions { key }) } else { Ok(layout) };
        };
        let count = positions.len();
        for (station, way) in &self.moves {
            let place = positions.get_mut(*station as usize).ok_or(Error::NoStation { station: *station, count })?;
            *place = way.at(Time::ZERO);
        }
        Ok(layout)
    }
}

/// What a medium tells those above. All of it happens at the time of the call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// A packet has arrived, for the first time.
    Delivered {
        /// Where.
        at: StationId,
        /// Who sent it.
        from: StationId,
        /// Its handle.
        handle: u64,
    },
    /// A packet has arrived at the MAC and is lost behind it, by errors [above](crate::LossAt::Above) it.
    LostAbove {
        /// Where.
        at: StationId,
        /// Who sent it.
        from: StationId,
        /// Its handle.
        handle: u64,
    },
    /// A packet has arrived at the MAC and waits for one before it, which is to be repeated; `Delivered` or `LostAbove`
    /// follows, be it `Sent` or even `Dropped` meanwhile.
    Held {
        /// Where.
        at: StationId,
        /// Who sent it.
        from: StationId,
        /// Its handle.
        handle: u64,
    },
    /// A packet has arrived after the receiver had given it up and handed on those behind it: it is lost.
    Late {
        /// Where.
        at: StationId,
        /// Who sent it.
        from: StationId,
        /// Its handle.
        handle: u64,
    },
    /// A packet was acknowledged, or its broadcast has ended. The station takes the next if [it wants
    /// one](super::Medium::wants_frame_of).
    Sent {
        /// The sender.
        station: StationId,
        /// The packet's handle.
        handle: u64,
    },
    /// A packet was given up after the last attempt; it may have arrived all the same, if only ACKs were lost. The
    /// station takes the next if [it wants one](super::Medium::wants_frame_of).
    Dropped {
        /// The sender.
        station: StationId,
        /// The packet's handle.
        handle: u64,
        /// A frame with its data was on air. Not so if all that failed were requests to send, or turns that a higher
        /// class of the station took.
        aired: bool,
    },
    /// A frame goes on air ([`Medium::trace_frames`](super::Medium::trace_frames)).
    OnAir {
        /// What it is.
        kind: Kind,
        /// Who sends it.
        from: StationId,
        /// Whom it is for, the sender itself for a CTS to oneself.
        to: StationId,
        /// First bit at the sender.
        start: Time,
        /// Last bit at the sender.
        end: Time,
    },
    /// A frame was lost on the station that it was for ([`Medium::trace_frames`](super::Medium::trace_frames)).
    Lost {
        /// What it was.
        kind: Kind,
        /// Who sent it.
        from: StationId,
        /// Whom it was for.
        to: StationId,
        /// Why.
        cause: crate::Cause,
    },
}
