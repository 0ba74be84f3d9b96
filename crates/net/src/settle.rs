//! What a network's description leaves to be worked out before a run: when its links break, and what they are like
//! afterwards. It depends on time and the seed alone, so all of it is known before the first packet.

use std::borrow::Cow;
use std::sync::Arc;

use sim::Stream;
use units::{Span, Time};
use wlan::Way;

use crate::cause::LossCause;
use crate::cellular::{CellularSpec, Frames, MobileSpec};
use crate::changing::{Break, Changing, Step};
use crate::spec::{DirectionSpec, LinkSpec, Network};

/// A handover at a given time, or one after the other, of a link whose far end (`b`) moves. Nothing passes for a while;
/// then the link has another rate and delay. Pairs are the least and the greatest of a value that is drawn evenly, for
/// each handover anew, from the stream `LINK/handovers`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handover {
    /// When the link breaks.
    pub at: Time,
    /// It comes again at this distance, more than the longest gap and what packets are kept for.
    pub every: Option<Span>,
    /// How long nothing passes.
    pub gap: (Span, Span),
    /// Rate of both directions from then on, as a factor of that at the start.
    pub rate_factor: Option<(f64, f64)>,
    /// Delay of both directions from then on.
    pub delay: Option<DelayAfter>,
    /// What waits to be sent to the far end is sent so long after the gap; `None`: it is lost. What the far end itself
    /// has to send waits.
    pub kept: Option<Span>,
    /// The ends know of it so long before.
    pub warn: Span,
}

/// The delay after a handover.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DelayAfter {
    /// Longer than at the start by so many nanoseconds; never below zero.
    Step(i64),
    /// Between these, the same both ways.
    Drawn(Span, Span),
}

impl Network {
    /// The network as the run with this seed has it until `end`: handovers drawn, courses of mobiles worked out, their
    /// breaks and steps written down.
    /// That is what the results of the run are to be held against.
    pub fn settled(&self, seed: u64, end: Time) -> Cow<'_, Network> {
        self.settled_by(end, |link| {
            let mut stream = Stream::new(seed, &format!("{link}/handovers"));
            move || stream.uniform()
        })
    }

    /// The same with a value that stands for all that are drawn: 0 for the least of each, 1 for the greatest.
    pub fn settled_at(&self, share: f64, end: Time) -> Cow<'_, Network> {
        self.settled_by(end, |_| move || share)
    }

    fn settled_by<D: FnMut() -> f64>(&self, end: Time, draws: impl Fn(&str) -> D) -> Cow<'_, Network> {
        let hands_over = |link: &LinkSpec| link.forward.changing.as_ref().is_some_and(|c| !c.handovers.is_empty());
        if !self.links.iter().any(hands_over) && self.cellular.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut network = self.clone();
        for link in network.links.iter_mut().filter(|link| hands_over(link)) {
            let draw = draws(&link.name);
            link.hand_over(draw, end);
        }
        for spec in &self.cellular {
            for MobileSpec { link, way } in &spec.mobiles {
                network.links[*link].follow(spec, way, end);
            }
        }
        Cow::Owned(network)
    }
}

impl LinkSpec {
    /// Write out the handovers.
    fn hand_over(&mut self, mut draw: impl FnMut() -> f64, end: Time) {
        let rules = self.forward.changing.as_mut().map(|own| std::mem::take(&mut Arc::make_mut(own).handovers));
        for rule in rules.unwrap_or_default() {
            let mut at = rule.at;
            while at <= end {
                self.break_once(at, &rule, &mut draw);
                at = rule.every.map_or(Time::NEVER, |every| at + every);
            }
        }
    }

    /// Write out the course of a mobile.
    fn follow(&mut self, spec: &CellularSpec, way: &Way, end: Time) {
        let course = spec.course(way, end);
        let stations = course.serving.iter().filter_map(|&(at, station)| Some((at, spec.stations[station?].delay)));
        for (up, direction) in [(false, &mut self.forward), (true, &mut self.reverse)] {
            let granted = spec.capacity(way, &course, up, end).into();
            let changing = changing(direction);
            changing.frames = Some(Frames { spec: spec.frames, up, granted });
            changing.breaks = course.breaks.clone();
            if up {
                changing.breaks.iter_mut().for_each(|one| one.kept = Some(Span::ZERO));
            }
            let delays = stations.clone().map(|(at, delay)| Step { at, rate_bps: None, delay: Some(delay) });
            changing.steps = delays.collect();
        }
    }

    fn break_once(&mut self, at: Time, rule: &Handover, draw: &mut impl FnMut() -> f64) {
        let between = |(least, most): (Span, Span), share: f64| least + Span((share * (most - least).0 as f64) as u64);
        let length = between(rule.gap, draw()).max(Span(1));
        let (factor, delay) = (draw(), draw());
        let factor = rule.rate_factor.map(|(least, most)| least + factor * (most - least));
        let (known, cause) = (Time(at.0.saturating_sub(rule.warn.0)), LossCause::Handover);
        for (direction, kept) in [(&mut self.forward, rule.kept), (&mut self.reverse, Some(Span::ZERO))] {
            let rate_bps = factor.map(|factor| ((direction.rate_bps as f64 * factor) as u64).max(1));
            let delay = rule.delay.map(|after| match after {
                DelayAfter::Step(step) => Span(direction.delay.0.saturating_add_signed(step)),
                DelayAfter::Drawn(least, most) => between((least, most), delay),
            });
            let changing = changing(direction);
            changing.breaks.push(Break { at, length, known, cause, kept });
            if rate_bps.is_some() || delay.is_some() {
                changing.steps.push(Step { at: at + length, rate_bps, delay });
            }
        }
    }
}

/// What changes on a direction.
fn changing(direction: &mut DirectionSpec) -> &mut Changing {
    Arc::make_mut(direction.changing.get_or_insert_default())
}
