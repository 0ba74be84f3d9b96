//! What a path is like over time, as far as its description and the seed say beforehand.

use std::collections::BTreeSet;
use std::iter::Peekable;

use units::{Span, Time};

use crate::changing::{Carrier, Changing};
use crate::cuts::{Cut, CutLink};
use crate::spec::{DirectionSpec, Network};

/// A time in which a path does not change.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// Since when.
    pub from: Time,
    /// What its links carry together, bits per second: those of the narrowest cut. Nothing passes in outages.
    pub carried_bps: f64,
    /// Rate of the narrowest of the links that most flows cross, outages aside.
    pub narrowest_bps: f64,
    /// Propagation there and back, over the first link of each cut.
    pub round_trip: Span,
    /// Rate of each link of each cut, outages aside.
    pub rates_bps: Vec<Vec<f64>>,
}

/// Outages and breaks of a link that are steps of its course; where there are more, they count by their mean.
const MOST_HALTS: usize = 500;

impl Network {
    /// The course of the path over these cuts in a run until `end`, stretch by stretch, of a network that is settled.
    /// What a trace or frames carry counts by its mean over bins.
    pub fn course(&self, cuts: &[Cut], end: Time, bin: Span, mut visit: impl FnMut(Stretch)) {
        let mut lanes: Vec<Vec<Lane<'_>>> =
            cuts.iter().map(|cut| cut.links.iter().map(|link| Lane::new(self, link, bin)).collect()).collect();
        let firsts = cuts.iter().filter_map(|cut| cut.links.first()).map(|first| &self.links[first.link]);
        let ways: Vec<&DirectionSpec> = firsts.flat_map(|link| [&link.forward, &link.reverse]).collect();
        let mut edges = BTreeSet::from([Time::ZERO]);
        for lane in lanes.iter().flatten() {
            lane.edges(end, &mut edges);
        }
        edges.extend(ways.iter().flat_map(|way| delays(way)).map(|(at, _)| at));
        let edges: Vec<Time> = edges.into_iter().filter(|at| *at < end).chain([end]).collect();
        let mut ways: Vec<_> = ways.into_iter().map(|way| (way.delay, delays(way).peekable())).collect();
        let most = cuts.iter().flat_map(|cut| &cut.links).map(|link| link.flows).max().unwrap_or(0);
        for pair in edges.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let mut found = Stretch {
                from,
                carried_bps: f64::INFINITY,
                narrowest_bps: f64::INFINITY,
                round_trip: ways.iter_mut().fold(Span::ZERO, |sum, way| sum + delay_at(way, from)),
                rates_bps: Vec::with_capacity(lanes.len()),
            };
            for cut in &mut lanes {
                let rates: Vec<(f64, f64)> = cut.iter_mut().map(|lane| lane.rates(from, to)).collect();
                found.carried_bps = found.carried_bps.min(rates.iter().map(|rate| rate.0).sum());
                let busiest = cut.iter().zip(&rates).filter(|(lane, _)| lane.flows == most);
                found.narrowest_bps = busiest.map(|(_, rate)| rate.1).fold(found.narrowest_bps, f64::min);
                found.rates_bps.push(rates.into_iter().map(|rate| rate.1).collect());
            }
            visit(found);
        }
    }
}

/// New delays of a direction, in order of time.
fn delays(direction: &DirectionSpec) -> impl Iterator<Item = (Time, Span)> {
    direction.changing.iter().flat_map(|changing| changing.steps.iter()).filter_map(|s| s.delay.map(|d| (s.at, d)))
}

/// The delay at a time, not before the last one that was asked for, of one that changes so.
fn delay_at<I: Iterator<Item = (Time, Span)>>((now, later): &mut (Span, Peekable<I>), at: Time) -> Span {
    while let Some((_, delay)) = later.next_if(|step| step.0 <= at) {
        *now = delay;
    }
    *now
}

/// A link of a cut.
struct Lane<'a> {
    flows: usize,
    /// Its rate, at the start if it changes.
    rate_bps: f64,
    changing: Option<(&'a Changing, Carrier)>,
    bin: Span,
}

impl Lane<'_> {
    fn new<'a>(network: &'a Network, link: &CutLink, bin: Span) -> Lane<'a> {
        let spec = &network.links[link.link];
        let direction = if link.reverse { &spec.reverse } else { &spec.forward };
        let changing = direction.changing.as_deref().filter(|_| spec.medium.is_none());
        Lane {
            flows: link.flows,
            rate_bps: if spec.medium.is_some() { link.rate_bps } else { direction.rate_bps as f64 },
            changing: changing.map(|changing| (changing, changing.carrier(direction.rate_bps))),
            bin,
        }
    }

    /// When it changes.
    fn edges(&self, end: Time, edges: &mut BTreeSet<Time>) {
        let Some((changing, _)) = &self.changing else { return };
        if changing.comes_in_pieces() {
            edges.extend((0..=end.0 / self.bin.0).map(|bin| Time(bin * self.bin.0)));
            return;
        }
        edges.extend(changing.steps.iter().map(|step| step.at));
        edges.extend(changing.halts(end, MOST_HALTS).into_iter().flat_map(|(at, until)| [at, until]));
    }

    /// What it carries between two edges, not before the last ones, and its rate there, outages aside; bits per second.
    fn rates(&mut self, from: Time, to: Time) -> (f64, f64) {
        let Some((changing, carrier)) = &mut self.changing else { return (self.rate_bps, self.rate_bps) };
        if changing.comes_in_pieces() {
            let begin = from.0 / self.bin.0 * self.bin.0;
            let mean = carrier.piece_bps(Time(begin), Time(begin + self.bin.0));
            return (mean, mean);
        }
        (carrier.carried_bps(from, to), carrier.rate_bps(from))
    }
}
