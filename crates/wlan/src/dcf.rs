//! One station's distributed coordination function, or its four of EDCA, as a value: it is told what happens, and says
//! what it sends.
//!
//! | file | rule |
//! |---|---|
//! | `access` | inter-frame space, backoff slots, when a station may begin |
//! | `edca` | the functions of several classes in one station |
//! | `retry` | short and long retry counters |
//! | `nav` | until when others have the medium |
//! | `reception` | which frame is followed, overlap, capture |
//! | `attempt` | a frame's way through RTS, data, answer or timeout, success or drop |
//! | `aggregate` | packets that go together, to their BlockAck |
//! | `answer` | what a station does about frames that it has read |
//! | `bystander` | frames that pass a station by, settled when they begin |
//! | `rest` | when a station senses what any listener does |
//! | `quiet` | until when nothing comes of what it is about to do |
//! | `ns2` | where ns-2 answers, waits or gives up otherwise |

mod access;
mod aggregate;
mod answer;
mod attempt;
mod bystander;
mod edca;
mod nav;
mod ns2;
mod quiet;
mod reception;
mod rest;
mod retry;

use units::{Span, Time};

use crate::airtime::Exchange;
use crate::flight::{Class, EVERYONE, Flight, Kind};
use crate::medium::{Due, Order};
use crate::params::{Eifs, Protection, Responder, Rules};
use crate::rate::Adaptation;
use crate::stats::StationStats;
use crate::{Outcome, Params, Phy, Rate};

pub(crate) use access::Access;
pub use access::Terms;
use aggregate::Aggregate;
pub(crate) use aggregate::Mpdu;
use bystander::Passing;
use edca::Edca;
pub(crate) use nav::Nav;
use reception::Reception;
pub(crate) use reception::{Arrival, Fate};
use retry::Retry;

/// The numbers of a medium that stations need at every step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mac {
    pub(crate) rules: Rules,
    pub(crate) slot: Span,
    pub(crate) sifs: Span,
    pub(crate) eifs: Span,
    /// EIFS before it is rounded, for the NAV that capture leaves.
    eifs_exact: Span,
    pub(crate) cca: Span,
    short_retry_limit: u32,
    long_retry_limit: u32,
    mpdu_retry_limit: u32,
    capture_ratio: f64,
    /// Distance decides which rates are read, and the rate of an RTS follows that of the data.
    rts_tells_of_rate: bool,
}

impl Mac {
    pub(crate) fn new(params: &Params) -> Mac {
        Mac {
            rules: params.rules,
            slot: params.slot,
            sifs: params.sifs,
            eifs: params.eifs(),
            eifs_exact: params.eifs_exact(),
            cca: params.cca,
            short_retry_limit: params.short_retry_limit,
            long_retry_limit: params.long_retry_limit,
            mpdu_retry_limit: params.mpdu_retry_limit,
            capture_ratio: params.radio.capture_ratio,
            rts_tells_of_rate: params.radio.reception == crate::Reception::Snr
                && params.rts_rate.is_none()
                && !matches!(params.protection, Protection::RtsCts(_)),
        }
    }
}

/// A station: what it senses, what it wants to send, what it waits for.
#[derive(Debug)]
pub(crate) struct Station {
    id: u32,
    /// Frames of others that it senses now.
    sensed: u32,
    transmitting: bool,
    /// End and kind of the own frame that is on air, or was.
    sends_until: Time,
    sends: Kind,
    waiting: Waiting,
    /// EIFS is due where the medium becomes idle.
    disturbed: bool,
    nav: Nav,
    reception: Reception,
    passing: Passing,
    /// Zero unless the station only counts slots; else when it sends. As of [`Station::settle`].
    rests_until: Time,
    access: Access,
    timer: Timer,
    /// The answer that it owes.
    owed: Option<Owed>,
    /// The CTS for the current frame has come.
    granted: bool,
    retry: Retry,
    current: Option<Current>,
    /// Packets under way, where several go together: the current one and those after it.
    aggregate: Option<Box<Aggregate>>,
    /// Class of all this, and the functions of the others.
    class: Class,
    edca: Option<Box<Edca>>,
    busy_since: Time,
    /// The least time that its frames take to another station, or SIFS if that is shorter.
    pub(crate) travel: Span,
    /// Data rate of frames that bring none.
    rate: Rate,
    /// Rates of data by receiver, unless they are fixed.
    adaptation: Option<Box<Adaptation>>,
    /// Exchanges of the last two kinds of frame, so that they are not worked out anew.
    exchanges: Box<[(Option<Asked>, Exchange); 2]>,
    /// Which of them is that of the last frame.
    last_exchange: usize,
    serial: u32,
    pub(crate) stats: StationStats,
}

/// What a station waits for after its own frame. The medium does not count as idle for it meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    Nothing,
    Cts,
    Ack,
    /// The data behind its own CTS (ns-2).
    Data,
}

/// The one instant, beside its backoff, at which a station acts by itself.
#[derive(Clone, Copy, Debug)]
struct Timer {
    at: Time,
    what: Task,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// SIFS is over: the answer that it owes.
    Answer,
    /// SIFS is over: the data behind a CTS.
    Data,
    /// SIFS is over: the next exchange of the same access.
    Another,
    /// What it waits for has not come.
    Timeout,
}

/// An answer that waits for its turn.
#[derive(Clone, Copy, Debug)]
struct Owed {
    kind: Kind,
    rate: Rate,
    to: u32,
    airtime: Span,
    nav: Span,
    /// Airtime of the data that a CTS asks for.
    data: Span,
    /// What a BlockAck acknowledges.
    bits: u64,
}

/// What an exchange depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Asked {
    bytes: u32,
    rate: Rate,
    broadcast: bool,
}

/// The frame that a station tries to send.
#[derive(Clone, Copy, Debug)]
struct Current {
    to: u32,
    bytes: u32,
    /// Each attempt asks for its rate.
    adapts: bool,
    handle: u64,
    serial: u32,
    offered: Time,
    tries: u32,
    /// A frame with its data was on air.
    aired: bool,
    exchange: Exchange,
}

/// What the end of a frame means at a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// Nothing for those above.
    Nothing,
    /// A data frame that the station accepts, be it for the first time or again.
    Data,
    /// A frame for this station is lost on it.
    Lost(Cause),
}

/// Why a frame was lost on its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Another frame overlapped.
    Collision,
    /// The receiver transmitted itself.
    Deaf,
    /// Too weak.
    Weak,
    /// A random error.
    Error,
}

impl Station {
    pub(crate) fn new(id: u32, rate: Rate, adaptation: Option<Box<Adaptation>>, access: Access) -> Station {
        Station {
            id,
            sensed: 0,
            transmitting: false,
            sends_until: Time::ZERO,
            sends: Kind::Data,
            waiting: Waiting::Nothing,
            disturbed: false,
            nav: Nav::default(),
            reception: Reception::default(),
            passing: Passing::default(),
            rests_until: Time::NEVER,
            access,
            timer: Timer { at: Time::NEVER, what: Task::Timeout },
            owed: None,
            granted: false,
            retry: Retry::default(),
            current: None,
            aggregate: None,
            class: Class::BestEffort,
            edca: None,
            busy_since: Time::ZERO,
            travel: Span::ZERO,
            rate,
            adaptation,
            exchanges: Box::new([(None, Exchange::default()); 2]),
            last_exchange: 0,
            serial: 0,
            stats: StationStats::default(),
        }
    }

    /// It has a function for each class, highest first.
    pub(crate) fn with_classes(mut self, accesses: [Access; 4]) -> Station {
        let [first, second, third, fourth] = accesses;
        self.access = first;
        self.class = Class::Voice;
        self.edca = Some(Box::new(Edca::new([second, third, fourth])));
        self.rests_until = Time::ZERO;
        self
    }

    /// Its packets go together.
    pub(crate) fn with_aggregation(mut self) -> Station {
        self.aggregate = Some(Box::default());
        if let Some(edca) = &mut self.edca {
            edca.behind.iter_mut().for_each(|function| function.aggregate = Some(Box::default()));
        }
        self
    }

    /// When the station acts by itself: its timer, or the end of its backoff. To be asked for after whatever happens.
    #[inline]
    pub(crate) fn settle(&mut self) -> Due {
        self.rests_until = self.rests_until();
        self.due()
    }

    /// When the station acts by itself.
    #[inline]
    pub(crate) fn due(&self) -> Due {
        let expiry = match &self.edca {
            None => self.access.expiry,
            Some(edca) => self.access.expiry.min(edca.expiry()),
        };
        Due::new(self.timer.at, Order::Timer).min(Due::new(expiry, Order::Backoff))
    }

    /// Rate of the next data for `to`.
    pub(crate) fn data_rate(&self, to: u32) -> Rate {
        self.adaptation.as_ref().and_then(|adaptation| adaptation.rate_to(to)).unwrap_or(self.rate)
    }

    /// A station of 802.11b senses OFDM as mere energy.
    fn understands(&self, phy: Phy) -> bool {
        !matches!(self.rate.phy, Phy::Dsss) || matches!(phy, Phy::Dsss)
    }

    /// Neither sensing nor sending nor waiting. The NAV is another matter.
    fn is_free(&self) -> bool {
        self.sensed == 0 && !self.transmitting && self.waiting == Waiting::Nothing
    }

    /// Idle in every respect.
    fn is_idle(&self, now: Time) -> bool {
        self.is_free() && self.nav.is_over(now)
    }

    /// It has a frame for which it still needs access.
    fn contends(&self) -> bool {
        self.current.is_some() && !self.granted
    }

    fn start_timer(&mut self, at: Time, what: Task) {
        self.timer = Timer { at, what };
    }

    fn stop_timer(&mut self) {
        self.timer.at = Time::NEVER;
    }

    /// Its counters, with the time that it is busy already, and without what is left of an own frame on air.
    pub(crate) fn stats_at(&self, now: Time) -> StationStats {
        let mut stats = self.stats;
        if self.sensed > 0 || self.transmitting {
            stats.busy += now.since(self.busy_since);
        }
        stats.busy = stats.busy - self.busy_ahead(now);
        if self.transmitting {
            let airtime = stats.airtime.of(self.sends);
            *airtime = *airtime - self.sends_until.since(now);
        }
        stats
    }

    /// Airtime of its frames, without what is left of one on air.
    pub(crate) fn airtime_at(&self, now: Time) -> Span {
        let left = if self.transmitting { self.sends_until.since(now) } else { Span::ZERO };
        self.stats.airtime.total() - left
    }

    /// The first bit of another's frame arrives. True if the station would have acted by itself, and will not now.
    #[inline(always)]
    pub(crate) fn on_frame_start(&mut self, now: Time, mut new: Arrival, flight: &Flight, mac: &Mac) -> bool {
        new.decodable &= self.understands(flight.rate.phy);
        self.nav.on_air(now);
        if self.sensed == 0 && !self.transmitting {
            self.busy_since = now;
            self.disturbed = false;
        }
        self.sensed += 1;
        self.rests_until = Time::ZERO;
        let frozen = self.freeze(now, mac.cca, mac);
        let ignored = self.reception.begins(now, new, self.transmitting, mac);
        if ignored && mac.rules.responder == Responder::Ns2 {
            self.nav_of_ignored(now, flight.airtime, mac);
        }
        frozen
    }

    /// The last bit of another's frame arrives; `bad` if a random error has hit it.
    #[inline(always)]
    pub(crate) fn on_frame_end(
        &mut self,
        now: Time,
        id: u32,
        flight: &Flight,
        bad: bool,
        mac: &Mac,
        outcomes: &mut Vec<Outcome>,
    ) -> Heard {
        self.sensed -= 1;
        if self.sensed == 0 && !self.transmitting {
            self.note_busy(now);
        }
        let mine = flight.to == self.id;
        let heard = match self.reception.ends(id) {
            None => Err(Cause::Collision),
            Some(frame) => {
                let verdict = match frame.fate {
                    Fate::Deaf => Err(Cause::Deaf),
                    Fate::Collided => Err(Cause::Collision),
                    Fate::Whole if !frame.decodable => Err(Cause::Weak),
                    Fate::Whole if bad => Err(Cause::Error),
                    Fate::Whole => Ok(()),
                };
                // a timer that has stopped has left it to the end of this frame
                let decides = frame.preamble || self.timer.at == Time::NEVER;
                if mac.rules.responder == Responder::Standard && decides {
                    self.on_anything_heard(now, (verdict.is_ok() && mine).then_some(flight.kind), mac, outcomes);
                }
                if verdict.is_err() {
                    self.on_unreadable(now, frame.preamble, frame.decodable, mac);
                }
                verdict
            }
        };
        let heard = match heard {
            Ok(()) => self.on_readable(now, flight, mac, outcomes),
            Err(cause) if mine => Heard::Lost(cause),
            Err(_) => Heard::Nothing,
        };
        self.release(now, mac);
        heard
    }

    /// A frame that could not be read: EIFS.
    fn on_unreadable(&mut self, now: Time, preamble: bool, decodable: bool, mac: &Mac) {
        // of frames that end together with the own one neither is first
        if now < self.sends_until {
            return;
        }
        match mac.rules.eifs {
            Eifs::Space => self.disturbed = preamble || (mac.rules.eifs_below_rx && !decodable),
            Eifs::Nav => self.nav.extend(now.then(mac.eifs)),
        }
    }

    /// The medium was busy up to now.
    #[inline(always)]
    fn note_busy(&mut self, now: Time) {
        self.stats.busy.0 += now.0 - self.busy_since.0;
    }

    /// The own frame goes on air.
    #[inline(always)]
    fn begin_own(&mut self, now: Time, kind: Kind, airtime: Span, mac: &Mac) {
        if self.sensed == 0 {
            self.busy_since = now;
        }
        self.freeze(now, Span::ZERO, mac);
        self.transmitting = true;
        self.sends_until = now.then(airtime);
        self.sends = kind;
        self.disturbed = false;
        self.reception.deafen();
        self.stats.on_sent(kind, airtime);
    }

    /// The own frame has left.
    #[inline(always)]
    pub(crate) fn on_own_end(&mut self, now: Time, kind: Kind, data: Span, mac: &Mac, outcomes: &mut Vec<Outcome>) {
        self.transmitting = false;
        if self.sensed == 0 {
            self.note_busy(now);
        }
        match kind {
            Kind::Rts | Kind::BlockAckReq => self.wait_for_answer(now, Waiting::Cts),
            Kind::Data if self.current.is_some_and(|current| current.to == EVERYONE) => {
                self.succeed(now, mac, outcomes)
            }
            Kind::Data => self.wait_for_answer(now, Waiting::Ack),
            Kind::CtsToSelf => {
                self.granted = true;
                self.start_timer(now + mac.sifs, Task::Data);
            }
            Kind::Cts | Kind::Ack | Kind::BlockAck => self.on_answered(now, kind, data, mac),
        }
        self.release(now, mac);
    }

    /// The medium may have become idle for this station.
    #[inline(always)]
    fn release(&mut self, now: Time, mac: &Mac) {
        if !self.is_free() || self.access.is_counting() {
            return;
        }
        self.resume(self.nav.until().max(now), mac);
    }

    /// The instant has come at which the station acts by itself, other than by the end of its backoff: true if it sends
    /// a flight.
    #[inline]
    pub(crate) fn on_timer(
        &mut self,
        now: Time,
        params: &Params,
        mac: &Mac,
        flight: &mut Flight,
        outcomes: &mut Vec<Outcome>,
    ) -> bool {
        self.stop_timer();
        let sends = match self.timer.what {
            Task::Answer => self.send_owed(now, mac, flight),
            Task::Data => self.send_data_after_cts(now, mac, flight),
            Task::Another => self.begin_another(now, params, mac, flight),
            Task::Timeout => {
                self.on_timeout(now, mac, outcomes);
                false
            }
        };
        self.release(now, mac);
        sends
    }
}
