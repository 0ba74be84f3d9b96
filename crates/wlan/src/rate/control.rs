//! Which rate each attempt of a station has.

use sim::Stream;
use units::{Span, Time};

use super::arf::Arf;
use super::minstrel::Minstrel;
use crate::flight::StationId;
use crate::{Exchange, Params, Rate};

/// How a station chooses the rates of its data, for each receiver by itself. What it learns it learns from data alone,
/// unless reception goes by the ratio to the noise and the rate of an RTS by that of the data: an RTS without CTS then
/// counts as data that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RateControl {
    /// All data have the station's rate.
    #[default]
    Fixed,
    /// [`Arf`], from this rate on.
    Arf(ArfStart),
    /// [`Minstrel`].
    Minstrel,
}

/// Where ARF begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArfStart {
    /// At the lowest rate.
    #[default]
    Low,
    /// At the highest.
    High,
}

/// A packet of Minstrel's estimates.
const ESTIMATED_BYTES: u32 = 1200;

/// The links of a station whose rate is not fixed.
#[derive(Debug)]
pub(crate) struct Adaptation {
    control: RateControl,
    /// Slowest first.
    rates: Vec<Rate>,
    /// Of each rate, an exchange and a mean backoff.
    exchanges: Vec<Span>,
    /// By receiver.
    links: Vec<(StationId, Link)>,
    chance: Stream,
}

#[derive(Debug)]
enum Link {
    Arf(Arf),
    Minstrel(Minstrel),
}

impl Adaptation {
    /// Nothing if the rate is fixed. The rates are those of the PHY of `rate`.
    pub(crate) fn new(control: RateControl, params: &Params, rate: Rate, chance: Stream) -> Option<Box<Adaptation>> {
        if control == RateControl::Fixed {
            return None;
        }
        let mut rates: Vec<Rate> = params.rates.iter().copied().filter(|other| other.phy.is_like(rate.phy)).collect();
        rates.sort_by_key(|rate| rate.kbps);
        let exchange = |&rate: &Rate| {
            params.mean_backoff(params.cw_min)
                + Exchange::new(params, rate, ESTIMATED_BYTES, false).airtime(params.sifs)
        };
        let exchanges = rates.iter().map(exchange).collect();
        Some(Box::new(Adaptation { control, rates, exchanges, links: Vec::new(), chance }))
    }

    /// The station has a new frame for `to`.
    pub(crate) fn on_frame(&mut self, now: Time, to: StationId) {
        let place = match self.links.binary_search_by_key(&to, |link| link.0) {
            Ok(place) => place,
            Err(place) => {
                self.links.insert(place, (to, self.new_link()));
                place
            }
        };
        if let Link::Minstrel(minstrel) = &mut self.links[place].1 {
            minstrel.on_frame(now, &mut self.chance);
        }
    }

    fn new_link(&self) -> Link {
        match self.control {
            RateControl::Arf(ArfStart::High) => Link::Arf(Arf::from_highest(self.rates.len())),
            RateControl::Arf(ArfStart::Low) | RateControl::Fixed => Link::Arf(Arf::new(self.rates.len())),
            RateControl::Minstrel => Link::Minstrel(Minstrel::new(&self.exchanges)),
        }
    }

    /// Rate of the next attempt of a frame for `to`; none if there has been no frame for it.
    pub(crate) fn rate_to(&self, to: StationId) -> Option<Rate> {
        let place = self.links.binary_search_by_key(&to, |link| link.0).ok()?;
        Some(self.rate_of(&self.links[place].1))
    }

    fn rate_of(&self, link: &Link) -> Rate {
        self.rates[match link {
            Link::Arf(arf) => arf.place(),
            Link::Minstrel(minstrel) => minstrel.place(),
        }]
    }

    /// So many packets of one A-MPDU for `to`, and how many of them were acknowledged. ARF knows success and failure
    /// alone: half of them is enough.
    pub(crate) fn on_ampdu(&mut self, to: StationId, packets: u32, acked: u32) {
        let Ok(place) = self.links.binary_search_by_key(&to, |link| link.0) else { return };
        match &mut self.links[place].1 {
            Link::Minstrel(minstrel) => minstrel.on_ampdu(packets, acked),
            Link::Arf(_) => self.on_attempt(to, 2 * acked >= packets),
        }
    }

    /// Data for `to` were acknowledged, or not.
    pub(crate) fn on_attempt(&mut self, to: StationId, success: bool) {
        let Ok(place) = self.links.binary_search_by_key(&to, |link| link.0) else { return };
        match &mut self.links[place].1 {
            Link::Arf(arf) if success => arf.on_success(),
            Link::Arf(arf) => arf.on_failure(),
            Link::Minstrel(minstrel) => minstrel.on_attempt(success),
        }
    }
}
