//! A medium: stations, who hears whom, and the frames between them.

mod air;
mod earliest;
mod fading;
mod hearing;
mod legs;
mod moving;
mod noise;
mod passing;
mod reorder;
mod sleepers;
mod spec;
mod upward;

use sim::Stream;
use units::{Span, Time};

use crate::dcf::{Access, Cause, Mac, Station, Terms};
use crate::error::STATIONS_MAX;
use crate::flight::{Class, Flight, Frame, StationId};
use crate::loss::{Errors, LossAt};
use crate::rate::Adaptation;
use crate::stats::StationStats;
use crate::{Coherence, Error, Layout, NoSupply, Params, Rate, Reception, Supply};

use air::Air;
use earliest::Earliest;
pub(crate) use earliest::{Due, Order};
use fading::Fading;
pub(crate) use hearing::Hearer;
use hearing::Hearing;
use legs::note_missing;
use moving::{Moving, Speeds};
use noise::Noise;
use sleepers::Sleepers;
use upward::Upward;

pub use hearing::Position;
pub use spec::{MediumSpec, Outcome};

/// One radio channel and its stations.
///
/// [The crate's page](crate) has the order of calls.
#[derive(Debug)]
pub struct Medium {
    params: Params,
    mac: Mac,
    stations: Vec<Station>,
    hearing: Hearing,
    /// Where power depends on the time.
    fading: Option<Fading>,
    /// Where stations move.
    moving: Option<Moving>,
    air: Air,
    /// When each station acts by itself.
    wakes: Earliest,
    /// Place among `wakes` of the time at which receivers give up missing packets.
    reorders: usize,
    upward: Upward,
    /// Where all hear all alike: those who only listen.
    sleepers: Option<Sleepers>,
    /// What a frame does to those whom it passes by is settled when it begins.
    passing: bool,
    /// For what happens before a frame is offered; nothing comes out of that.
    nothing: Vec<Outcome>,
    /// Flights whose ends are to be events after all, and at which place of the row.
    interrupted: Vec<(u32, usize)>,
    traced: bool,
}

impl Medium {
    /// Build a medium. `seed` is the run's.
    pub fn new(spec: &MediumSpec, seed: u64) -> Result<Medium, Error> {
        spec.params.check()?;
        let count = spec.layout.stations();
        if count > STATIONS_MAX {
            return Err(Error::Stations { count });
        }
        let stream = |station: usize, purpose: &str| Stream::new(seed, &format!("{}/{station}/{purpose}", spec.name));
        let mac = Mac::new(&spec.params);
        let mut stations = Vec::with_capacity(count);
        for id in 0..count {
            let rate = spec.rates.get(id).copied().flatten().unwrap_or(spec.params.rate);
            spec.params.check_rate("rate", rate)?;
            let access_point = spec.access_points.contains(&(id as StationId));
            let access =
                |class, purpose| Access::new(spec.params.terms(rate, class, access_point), stream(id, purpose));
            let control = spec.rate_controls.get(id).copied().unwrap_or_default();
            let adaptation = Adaptation::new(control, &spec.params, rate, stream(id, "rate"));
            let mut station = Station::new(id as StationId, rate, adaptation, access(Class::Voice, "backoff"));
            if spec.params.edca {
                station = station.with_classes([
                    access(Class::Voice, "backoff/voice"),
                    access(Class::Video, "backoff/video"),
                    access(Class::BestEffort, "backoff/best-effort"),
                    access(Class::Background, "backoff/background"),
                ]);
            }
            stations.push(if spec.params.aggregates(rate) { station.with_aggregation() } else { station });
        }
        let mut errors = Vec::new();
        if let Some(loss) = spec.loss {
            loss.check()?;
            errors.extend((0..count).map(|id| Errors::new(loss, stream(id, "errors"))));
        }
        let mut noise = None;
        if spec.params.radio.reception == Reception::Snr && matches!(spec.layout, Layout::Positions(_)) {
            let streams = (0..count).map(|id| stream(id, "noise")).collect();
            noise = Some(Noise::new(&spec.params, streams));
        }
        let mut sleepers = None;
        if can_sleep(spec) {
            sleepers = Some(Sleepers::new(count));
            // hears everything and never sends
            let access = Access::new(Terms::dcf(&spec.params, false), stream(count, "backoff"));
            stations.push(Station::new(count as StationId, spec.params.rate, None, access));
        }
        let radio = &spec.params.radio;
        let speeds = (radio.rayleigh_block == Some(Coherence::Speed)).then(|| Speeds::new(count, &spec.moves));
        let fading = Fading::new(&spec.params, Stream::new(seed, &format!("{}/fading", spec.name)), speeds);
        let varies = radio.rayleigh_block.is_some() && matches!(spec.layout, Layout::Positions(_));
        let layout = spec.layout_at_first()?;
        let mut hearing = Hearing::new(&layout, radio, &fading)?;
        let mut moving = None;
        if let (Layout::Positions(positions), false) = (layout, spec.moves.is_empty()) {
            hearing.may_change();
            moving = Some(Moving::new(radio, &fading, positions, &spec.moves));
        }
        for (id, station) in stations.iter_mut().enumerate() {
            station.travel = hearing.nearest(id).min(mac.sifs);
        }
        let upward = Upward::new(count, errors, spec.loss.map_or(LossAt::Mac, |loss| loss.at), noise, &spec.params);
        let fixed = !matches!(spec.layout, Layout::Everyone { .. }) && !varies && moving.is_none();
        let passing = fixed && !upward.by_chance();
        Ok(Medium {
            air: Air::new(&mac, if spec.params.edca { mac.sifs + mac.slot } else { spec.params.difs }, passing),
            mac,
            hearing,
            fading: varies.then_some(fading),
            moving,
            wakes: Earliest::new(
                stations.len() + usize::from(spec.params.rates.iter().any(|&rate| spec.params.aggregates(rate))),
            ),
            reorders: stations.len(),
            sleepers,
            passing,
            upward,
            nothing: Vec::new(),
            interrupted: Vec::new(),
            traced: false,
            stations,
            params: spec.params.clone(),
        })
    }

    /// Whether `to` can decode frames of `from` where they are, or were when positions were taken last.
    pub fn reaches(&self, from: StationId, to: StationId) -> bool {
        let row = self.moving.as_ref().map_or(from, |moving| moving.row(from));
        self.hearing.row(row).iter().any(|hearer| hearer.station == to && hearer.decodes(self.params.rate.phy))
    }

    /// An error unless two stations can exchange frames.
    pub fn check_reach(&self, a: StationId, b: StationId) -> Result<(), Error> {
        for (from, to) in [(a, b), (b, a)] {
            if !self.reaches(from, to) {
                return Err(Error::OutOfRange { from, to });
            }
        }
        Ok(())
    }

    /// Rate of the next data from one station to another.
    pub fn data_rate(&self, from: StationId, to: StationId) -> Rate {
        self.stations[from as usize].data_rate(to)
    }

    /// Report frames on air and lost ones, too.
    pub fn trace_frames(&mut self, on: bool) {
        self.traced = on;
        self.upward.traced = on;
    }

    /// Whether a station has room for a frame of best effort; without EDCA, of any class.
    #[inline]
    pub fn wants_frame(&self, station: StationId) -> bool {
        self.stations[station as usize].wants_frame(Class::BestEffort)
    }

    /// Whether a station has room for a frame of this class.
    #[inline]
    pub fn wants_frame_of(&self, station: StationId, class: Class) -> bool {
        self.stations[station as usize].wants_frame(class)
    }

    /// Keep stations awake that only listen. Nothing else changes; it takes more time.
    #[doc(hidden)]
    pub fn nobody_sleeps(&mut self) {
        let listener = self.stations.len() - usize::from(self.sleepers.is_some());
        self.sleepers = None;
        self.stations.truncate(listener);
    }

    /// Ends of frames are events at everybody's place. Nothing else changes; it takes more time.
    #[doc(hidden)]
    pub fn nothing_passes(&mut self) {
        self.passing = false;
        self.air.end_everywhere();
    }

    /// A station's next frame, of its class if there is EDCA. Panics if it has one already: a bug of the caller.
    pub fn offer(&mut self, now: Time, station: StationId, frame: Frame) {
        if self.wakes.first().min(self.air.first()) < Due::new(now, Order::End) {
            let mut nothing = std::mem::take(&mut self.nothing);
            self.run_before(now, &mut NoSupply, &mut nothing);
            debug_assert!(nothing.is_empty(), "a deadline was passed");
            self.nothing = nothing;
        }
        if let Some(sleepers) = &mut self.sleepers {
            sleepers.wake(station, &mut self.stations, &mut self.wakes, &self.mac);
        }
        self.disturb(now, station as usize);
        let sender = &mut self.stations[station as usize];
        assert!(sender.wants_frame(frame.class), "station {station} has a frame");
        sender.offer(now, frame, &self.params, &self.mac);
        self.air.expect(sender.backoff_frame().unwrap_or(Span::ZERO));
        self.wakes.set(station as usize, sender.settle());
    }

    /// When something happens next, whether or not anything comes of it: no later than the deadline.
    #[inline]
    pub fn next_step(&mut self) -> Time {
        self.wakes.first().min(self.air.first()).at()
    }

    /// When something may come out next. Much happens in between, and is made up for in the next call.
    pub fn deadline(&self) -> Time {
        if self.traced {
            return self.air.first().min(self.wakes.earliest()).at();
        }
        let Medium { air, hearing, stations, wakes, mac, sleepers, upward, reorders, .. } = self;
        wakes.quiet_until(air.quiet_until(hearing), |place| match sleepers {
            _ if place == *reorders => upward.missing_until(),
            Some(sleepers) if place + 1 == stations.len() => sleepers.due(&stations[place], mac) + air.shortest(),
            _ => stations[place].quiet_until(mac),
        })
    }

    /// The same, but no later than `most`; it takes less time.
    #[inline]
    pub fn deadline_by(&mut self, most: Time) -> Time {
        if self.next_step() >= most { most } else { self.deadline().min(most) }
    }

    /// Let everything happen that is due by `now`, in the order of section "One instant" of `specs/wlan.md`. Time must
    /// not pass a deadline before this is called.
    ///
    /// `supply` is asked for packets that go together with one that was offered; [`NoSupply`] where none do.
    pub fn advance<S: Supply>(&mut self, now: Time, supply: &mut S, outcomes: &mut Vec<Outcome>) {
        self.run_before(now + Span(1), supply, outcomes);
    }

    /// Let everything happen that is due before `end`, until something comes out: the time of that, everything due at
    /// which has happened then. So nobody has to ask for a [deadline](Medium::deadline) in between.
    pub fn run<S: Supply>(&mut self, end: Time, supply: &mut S, outcomes: &mut Vec<Outcome>) -> Option<Time> {
        debug_assert!(outcomes.is_empty());
        self.run_before(end, supply, outcomes)
    }

    fn run_before<S: Supply>(&mut self, end: Time, supply: &mut S, outcomes: &mut Vec<Outcome>) -> Option<Time> {
        let mut end = Due::new(end, Order::End);
        let mut out = None;
        loop {
            let (wake, edge) = (self.wakes.first(), self.air.first());
            if wake.min(edge) >= end {
                return out;
            }
            let mut now = wake.at();
            if wake < edge {
                self.station_wakes(wake, end, supply, outcomes);
            } else if edge.order() == Order::End {
                now = self.frame_ends(wake.min(end), outcomes);
            } else {
                self.frame_starts(wake.min(end));
                continue;
            }
            if out.is_none() && !outcomes.is_empty() {
                out = Some(now);
                end = end.min(Due::new(now + Span(1), Order::End));
            }
        }
    }

    /// What a station has done up to `now`, the time of the last call.
    pub fn stats(&self, station: StationId, now: Time) -> StationStats {
        match &self.sleepers {
            Some(sleepers) => sleepers.stats(station, &self.stations, now),
            None => self.stations[station as usize].stats_at(now),
        }
    }

    /// Airtime of a station's frames up to `now`, the time of the last call, without what is left of one on air.
    pub fn airtime(&self, station: StationId, now: Time) -> Span {
        self.stations[station as usize].airtime_at(now)
    }

    fn station_wakes<S: Supply>(&mut self, due: Due, end: Due, supply: &mut S, outcomes: &mut Vec<Outcome>) {
        let now = due.at();
        let place = self.wakes.place(due);
        if place == self.reorders {
            self.upward.give_up_missing(now, &mut self.stations, outcomes);
            note_missing(&mut self.wakes, &self.upward, self.reorders);
            return;
        }
        if let Some(sleepers) = self.sleepers.as_mut().filter(|_| place + 1 == self.stations.len()) {
            sleepers.wake_due(now, &mut self.stations, &mut self.wakes, &self.mac);
            return sleepers.note_due(&self.stations, &mut self.wakes, &self.mac);
        }
        let Medium { air, stations, wakes, params, mac, .. } = self;
        let station = &mut stations[place];
        let flight = air.draft(now);
        let sends = if due.order() == Order::Timer {
            if station.is_about_to_go_on() {
                station.gather(now, supply, params, mac);
            }
            station.on_timer(now, params, mac, flight, outcomes)
        } else {
            station.on_backoff_end(now, mac, outcomes);
            if station.aggregates() {
                station.gather(now, supply, params, mac);
            }
            station.begin(now, params, mac, flight)
        };
        wakes.set(place, station.settle());
        if sends {
            self.launch(now, end, outcomes);
        }
    }

    /// The flight that was drafted goes on air.
    #[inline(always)]
    fn launch(&mut self, now: Time, mut end: Due, outcomes: &mut Vec<Outcome>) {
        let flight = self.air.drafted();
        if self.traced {
            let Flight { kind, from, to, start, .. } = *flight;
            outcomes.push(Outcome::OnAir { kind, from, to, start, end: flight.end() });
        }
        if !outcomes.is_empty() {
            end = end.min(Due::new(now + Span(1), Order::End)); // it is told before anything else happens
        }
        if let Some(moving) = &mut self.moving {
            flight.row = moving.leaves(flight.start, flight.from, &mut self.hearing);
        }
        if self.hearing.misses(flight.row, flight.to) {
            self.stations[flight.from as usize].stats.on_lost(Cause::Weak);
        }
        if self.passing {
            return self.launch_or_pass(end);
        }
        let leg = self.air.launch(&self.hearing, end);
        let (flight, ends) = self.air.on_way(leg.flight);
        let row = self.hearing.row(flight.row);
        self.air.enter(leg.flight, leg.place, ends, row);
    }
}

/// All who listen hear the same: nothing depends on the place, the PHY, or errors of each receiver's own.
fn can_sleep(spec: &MediumSpec) -> bool {
    let alike = matches!(spec.layout, Layout::Everyone { stations: 2.. });
    let phys = spec.rates.iter().flatten().all(|rate| rate.phy.is_like(spec.params.rate.phy));
    alike && phys && spec.loss.is_none_or(|loss| loss.at == LossAt::Above)
}
