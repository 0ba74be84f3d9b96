//! Mobiles between base stations: when which station serves them, and what their frames can hold.
//!
//! Positions and powers are functions of time, so the [`Course`] of a mobile is known before the first packet. What
//! shares the frames while the run goes on is [`crate::cells`].
//!
//! Choices: powers are compared with a tolerance of a billionth of a dB, so that a border is where geometry says;
//! coverage is looked at when powers are measured; stations differ in their places and delays only.

use std::sync::Arc;

use units::{Span, Time, num};
use wlan::{Position, Way};

use crate::cause::LossCause;
use crate::changing::Break;

/// Base stations, their mobiles, and the rules of both.
#[derive(Clone, Debug, PartialEq)]
pub struct CellularSpec {
    /// The stations, at least one.
    pub stations: Vec<BaseStation>,
    /// The mobiles.
    pub mobiles: Vec<MobileSpec>,
    /// How far a station reaches, metres.
    pub radius: f64,
    /// Power falls with this exponent of the distance.
    pub path_exponent: f64,
    /// Signal to noise at the radius, dB.
    pub snr_edge: f64,
    /// When mobiles change their stations.
    pub rules: HandoverRules,
    /// How capacity is granted.
    pub frames: FrameSpec,
    /// What a frame holds.
    pub modulation: Modulation,
}

/// A base station.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaseStation {
    /// Where it is.
    pub place: Position,
    /// Delay of packets through it, beside the time on the air.
    pub delay: Span,
}

/// A mobile.
#[derive(Clone, Debug, PartialEq)]
pub struct MobileSpec {
    /// Number of the link from the base stations (`a`) to it (`b`). Of its rates only queues know: those are the rates
    /// of the best frames.
    pub link: usize,
    /// Where it is when.
    pub way: Way,
}

/// When a mobile changes its station, and what that costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandoverRules {
    /// Time between two measurements of power, positive.
    pub measure_every: Span,
    /// Only below this signal to noise of the serving station, dB; `None`: always.
    pub threshold_db: Option<f64>,
    /// The other station must be stronger by this, dB.
    pub hysteresis_db: f64,
    /// For this long, at every measurement.
    pub time_to_trigger: Span,
    /// From the decision to the break: so long the ends know of it before.
    pub warn: Span,
    /// How long nothing passes.
    pub gap: Span,
    /// What waits at the old station is sent by the new one so long after the break; `None`: it is lost.
    pub kept: Option<Span>,
}

/// Frames in which the stations grant capacity, all stations at the same times, from time zero on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameSpec {
    /// Length of a frame, positive.
    pub length: Span,
    /// Towards the mobiles.
    pub down: FramePart,
    /// From the mobiles.
    pub up: FramePart,
    /// What mobiles of one station have equal shares of.
    pub share: Share,
    /// Bytes of headers for a packet, and for each further piece of it.
    pub piece_bytes: u32,
    /// Capacity from the mobiles is granted for what waited a frame before.
    pub asked_before: bool,
    /// This share of the packets, drawn for each by itself, arrives later by this much: blocks are sent again. In
    /// order.
    pub repeats: Option<(f64, Span)>,
}

/// A part of a frame: units, one after the other, that are granted as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FramePart {
    /// From the start of the frame to that of the first unit.
    pub start: Span,
    /// How long a unit lasts; zero: all are sent at once, at `start`.
    pub unit: Span,
    /// How many there are, positive.
    pub units: u32,
}

/// What mobiles have equal shares of, as long as they have something to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Bytes: a distant mobile takes more of the frame.
    Bytes,
    /// The frame: a distant mobile gets fewer bytes.
    Units,
}

/// What a frame holds for a mobile that has all of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Modulation {
    /// So many bytes in each unit, wherever the mobile is.
    Fixed(u32),
    /// Of these bytes per unit, each from a signal to noise in dB on, the most that can be had when a frame begins.
    BySnr(Vec<(f64, u32)>),
    /// `bandwidth` times the least of `most` and `share log2(1 + S)` bits per second and hertz, nothing below
    /// `least_db`; as measured last.
    Shannon {
        /// Hertz.
        bandwidth: f64,
        /// Signal to noise below which there is nothing, dB.
        least_db: f64,
        /// Towards the mobile: share of the logarithm, and the most.
        down: (f64, f64),
        /// From the mobile.
        up: (f64, f64),
    },
}

/// The way of a mobile through the cells, worked out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// Number of the station that serves it from that time on; `None`: none does.
    pub serving: Vec<(Time, Option<usize>)>,
    /// Times in which nothing passes, in order and apart from each other.
    pub breaks: Vec<Break>,
    /// When handovers were decided.
    pub decided: Vec<Time>,
    /// Signal to noise of the serving station, or of the strongest if there is none, at each measurement, dB.
    pub snr: Vec<(Time, f64)>,
}

/// Powers that differ by less than this many dB are equal.
const TOLERANCE: f64 = 1e-9;

impl CellularSpec {
    /// Signal to noise of a station at a place, dB. Nobody is nearer than 1 m.
    pub fn snr_db(&self, station: usize, place: Position) -> f64 {
        let distance = self.stations[station].place.distance(place).max(1.0);
        self.snr_edge + 10.0 * self.path_exponent * num::ln(self.radius / distance) / std::f64::consts::LN_10
    }

    /// The strongest station at a place but this one; the first of equals.
    fn strongest(&self, place: Position, but: Option<usize>) -> Option<(usize, f64)> {
        let others = (0..self.stations.len()).filter(|station| Some(*station) != but);
        others.map(|station| (station, self.snr_db(station, place))).reduce(|a, b| if b.1 > a.1 { b } else { a })
    }

    /// What happens to a mobile on this way until `end`.
    pub fn course(&self, way: &Way, end: Time) -> Course {
        let mut watch = Watch::default();
        let mut now = Time::ZERO;
        while now <= end {
            watch.measure(self, way, now);
            now += self.rules.measure_every;
        }
        if let Some(since) = watch.out_since {
            watch.course.breaks.push(hole(since, end + self.rules.measure_every));
        }
        watch.course
    }

    /// Bytes that a frame holds for a mobile with this signal to noise that has all of it, down or up.
    pub fn frame_bytes(&self, snr_db: f64, up: bool) -> u32 {
        let units = if up { self.frames.up.units } else { self.frames.down.units };
        match &self.modulation {
            Modulation::Fixed(bytes) => bytes * units,
            Modulation::BySnr(modes) => {
                let reached = modes.iter().filter(|(least, _)| snr_db >= least - TOLERANCE);
                reached.map(|(_, bytes)| bytes * units).max().unwrap_or(0)
            }
            Modulation::Shannon { bandwidth, least_db, down, up: back } => {
                if snr_db < least_db - TOLERANCE {
                    return 0;
                }
                let (share, most) = if up { back } else { down };
                let ratio = num::pow(10.0, snr_db / 10.0);
                let bits_per_hertz = (share * num::ln_1p(ratio) / std::f64::consts::LN_2).min(*most);
                (bandwidth * bits_per_hertz * self.frames.length.secs() / 8.0) as u32
            }
        }
    }

    /// The same at the best place, in bits per second.
    pub fn best_rate_bps(&self, up: bool) -> u64 {
        let best = self.frame_bytes(self.snr_edge + 10.0 * self.path_exponent * num::ln(self.radius), up);
        (u64::from(best) * 8 * 1_000_000_000 / self.frames.length.0.max(1)).max(1)
    }

    /// What frames that begin from each of these times on hold for a mobile on this way, and which station grants it.
    pub(crate) fn capacity(&self, way: &Way, course: &Course, up: bool, end: Time) -> Vec<Granted> {
        let mut all: Vec<Granted> = Vec::new();
        let every = match self.modulation {
            Modulation::Fixed(_) => None,
            _ if matches!(way, Way::Fixed(_)) => None,
            Modulation::BySnr(_) => Some(self.frames.length),
            Modulation::Shannon { .. } => Some(self.rules.measure_every),
        };
        let ends = course.serving.iter().skip(1).map(|next| next.0).chain([end + Span(1)]);
        for (&(since, serving), until) in course.serving.iter().zip(ends) {
            let Some(station) = serving else {
                all.push(Granted { since, bytes: 0, station: 0 });
                continue;
            };
            let mut at = since;
            while at < until {
                let bytes = self.frame_bytes(self.snr_db(station, way.at(at)), up);
                let granted = Granted { since: at, bytes, station: station as u32 };
                if all.last().is_none_or(|last| (last.bytes, last.station) != (bytes, granted.station)) {
                    all.push(granted);
                }
                // at multiples of the period
                at = every.map_or(Time::NEVER, |every| Time((at.0 / every.0 + 1) * every.0));
            }
        }
        all
    }
}

/// What a frame that begins from a time on holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granted {
    /// From then on.
    pub since: Time,
    /// Bytes for a mobile that has all of it.
    pub bytes: u32,
    /// Number of the station.
    pub station: u32,
}

/// The frames of one direction of a mobile's link.
#[derive(Clone, Debug, PartialEq)]
pub struct Frames {
    /// What all directions have alike.
    pub spec: FrameSpec,
    /// From the mobile.
    pub up: bool,
    /// What they hold, in order of time.
    pub granted: Arc<[Granted]>,
}

/// A gap in coverage.
fn hole(since: Time, until: Time) -> Break {
    let (at, length) = (since, until.since(since));
    Break { at, length, known: at, cause: LossCause::Coverage, kept: Some(Span::ZERO) }
}

/// A mobile that looks at powers.
#[derive(Debug, Default)]
struct Watch {
    serving: Option<usize>,
    /// A station that would be better, and since when.
    better: Option<(usize, Time)>,
    /// No decision before that.
    busy_until: Time,
    out_since: Option<Time>,
    course: Course,
}

impl Watch {
    fn measure(&mut self, spec: &CellularSpec, way: &Way, now: Time) {
        let place = way.at(now);
        let Some((best, best_db)) = spec.strongest(place, None) else { return };
        let covered = best_db >= spec.snr_edge - TOLERANCE;
        self.course.snr.push((now, self.serving.map_or(best_db, |serving| spec.snr_db(serving, place))));
        if now < self.busy_until {
            return;
        }
        match (self.serving, covered) {
            (None, true) => {
                if let Some(since) = self.out_since.take() {
                    self.course.breaks.push(hole(since, now));
                }
                self.serve(now, Some(best));
            }
            (None, false) if self.out_since.is_some() => {}
            (_, false) => {
                self.out_since = Some(now);
                self.serve(now, None);
            }
            (Some(serving), true) => self.compare(spec, place, serving, now),
        }
    }

    fn serve(&mut self, at: Time, station: Option<usize>) {
        self.serving = station;
        self.better = None;
        self.course.serving.push((at, station));
    }

    /// Is another station better, and has it been so for long enough?
    fn compare(&mut self, spec: &CellularSpec, place: Position, serving: usize, now: Time) {
        let (rules, own) = (&spec.rules, spec.snr_db(serving, place));
        let other = spec.strongest(place, Some(serving));
        let other = other.filter(|other| other.1 >= own + rules.hysteresis_db - TOLERANCE);
        let wanted = rules.threshold_db.is_none_or(|threshold| own < threshold);
        let Some((other, _)) = other.filter(|_| wanted) else {
            self.better = None;
            return;
        };
        let since = self.better.filter(|better| better.0 == other).map_or(now, |better| better.1);
        self.better = Some((other, since));
        if now.since(since) < rules.time_to_trigger {
            return;
        }
        self.course.decided.push(now);
        let (at, length) = (now + rules.warn, rules.gap.max(Span(1)));
        self.course.breaks.push(Break { at, length, known: now, cause: LossCause::Handover, kept: rules.kept });
        self.busy_until = at + length;
        self.serve(at, None);
        self.serve(at + length, Some(other));
    }
}

#[cfg(test)]
mod tests;
