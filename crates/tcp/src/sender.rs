//! The sending half: its state. How a connection opens is in `opening`, what may leave in `transmit`, what an ACK means in `acks`,
//! entering and leaving recovery in `recover`, the retransmission timer in `timer`, pacing in `pacing`, a closed window in
//! `persist`, handovers in `handover`; the rules in force in `rules`, counters and the log in `stats`.
//! Source: RFC 5681, RFC 6298, RFC 3042, RFC 6582; the `ns2` rules are those of ns-2's one-way agents.

mod acks;
mod full;
mod handover;
mod opening;
mod pacing;
mod persist;
mod recover;
mod rules;
mod stats;
mod timer;
mod transmit;

use cc::registry::Recovery;
use cc::{Algorithm, CongestionControl, Path, Signal};
use units::{Bytes, Span, Time};

use self::pacing::Pacer;
use self::persist::Persist;
pub(crate) use self::rules::Rules;
pub use self::stats::{Judgement, SenderStats, Why, WindowEvent};
use crate::Config;
use crate::delivery::DeliveryRate;
use crate::recovery::prr::Prr;
use crate::recovery::sack::SackState;
use crate::recovery::vegas::FineTimer;
use crate::rtt::RttEstimator;
use crate::scoreboard::Scoreboard;

/// The recovery core in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Core {
    Tahoe,
    Reno,
    NewReno,
    /// RFC 6675.
    Sack,
    /// ns-2's Sack1.
    Sack1,
    Vegas,
}

/// Where the connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not opened.
    Closed,
    /// The SYN is out, or about to leave.
    SynSent,
    /// The answer to the other side's SYN is out.
    SynReceived,
    /// Data may flow.
    Open,
}

/// What an advancing ACK means for the recovery that is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// None is on.
    Open,
    /// It goes on: something sent before it is still missing.
    Partial,
    /// It is over.
    Full,
}

/// State of the sending half. Sequence numbers count segments.
///
/// The fields stand in the order of their use, so that an event touches few cache lines: first what every event looks at, also
/// at an end that only receives, then what segments and ACKs need, and what is seldom needed last.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Sender {
    rto_at: Time,
    pub(crate) snd_una: u32,
    pub(crate) snd_nxt: u32,
    pub(crate) snd_max: u32,
    /// Segments that the application has offered so far.
    pub(crate) offered: u32,
    /// Usable window in whole segments: cwnd and inflation, within the receiver's window.
    pub(crate) window: u32,
    /// The receiver's window, from its latest segment.
    pub(crate) rwnd: u32,
    /// Segments that may still leave on account of this event.
    pub(crate) burst: u32,
    /// Segment to send again now, before anything else.
    pub(crate) resend: Option<u32>,
    /// The newest judgement of a loss that nobody has asked for yet.
    judgement: Option<Judgement>,
    pub(crate) state: State,
    pub(crate) core: Core,
    pub(crate) in_recovery: bool,
    /// Limited transmit allows one segment now.
    limited: bool,
    syn_due: bool,
    probe_due: bool,
    cwr_due: bool,
    pub(crate) rules: Rules,
    pacer: Pacer,

    pub(crate) board: Scoreboard,
    /// The segment whose RTT is being measured, and when it was sent.
    pub(crate) timed: Option<(u32, Time)>,
    last_sent_at: Time,
    /// Delivery rate samples, for algorithms that want them.
    pub(crate) delivery: Option<Box<DeliveryRate>>,
    /// cwnd as it was taken into account last, in bytes, in segments and in whole segments, and since when it is so large.
    counted: Bytes,
    segments: f64,
    whole: i64,
    cwnd_since: Time,
    /// A round ends at the first ACK beyond this segment.
    round_mark: u32,
    pub(crate) dupacks: u32,
    round_began: Time,
    /// Segments added to cwnd for duplicates; negative where RFC 6582 deflates below cwnd.
    pub(crate) inflation: i32,
    /// One past the last segment that must be acknowledged for the recovery to end.
    pub(crate) recover: u32,
    timeouts_in_row: u32,
    pub(crate) limited_sent: u32,
    /// Most segments that an ACK counts for in this slow start.
    ss_limit: u32,
    /// Counters.
    pub stats: SenderStats,
    pub(crate) path: Path,
    pub(crate) rtt: RttEstimator,
    pub(crate) cc: Algorithm,
    pub(crate) sack: SackState,

    /// No fast retransmit until an ACK passes this (RFC 6582).
    guard: Option<u32>,
    /// One past the highest segment sent at the last reduction.
    last_cut: Option<u32>,
    pub(crate) last_cut_by_dupacks: bool,
    /// First partial ACK of this recovery seen.
    first_partial: bool,
    in_handover: bool,
    hears_every_loss: bool,
    acts_on_marks: bool,
    /// No cut for marks until an ACK passes this: the window of data was cut already. `None`: nothing was cut so far, so
    /// that a mark may come with a duplicate of the first ACK (ns-2 waits for an ACK of data even so).
    ecn_recover: Option<u32>,
    /// One past the highest segment sent when a mark last cut the window.
    mark_cut: u32,
    pub(crate) fine: FineTimer,
    /// The recovery that is on, by RFC 9937.
    pub(crate) prr: Option<Prr>,
    /// The receiver's window is closed, and data wait for it.
    persist: Option<Persist>,
    log: Option<Vec<WindowEvent>>,
}

/// Most segments that ns-2's NewReno releases on one ACK during recovery.
const NS2_RECOVERY_BURST: u32 = 2;

impl Sender {
    /// A sender with the rules of `config`, before it opens.
    pub fn new(config: &Config, algorithm: &cc::Config) -> Sender {
        let row = algorithm.row();
        let core = match config.recovery.unwrap_or(row.recovery) {
            Recovery::Tahoe => Core::Tahoe,
            Recovery::Reno => Core::Reno,
            Recovery::NewReno => Core::NewReno,
            Recovery::Sack if config.ns2_recovery => Core::Sack1,
            Recovery::Sack => Core::Sack,
            Recovery::Vegas => Core::Vegas,
        };
        let mss = Bytes(f64::from(config.mss));
        let pacer = Pacer::new(config, row);
        let (paced, prr) = (pacer.is_on(), config.prr && config.can_prr(row));
        let rules = Rules::new(config, row, core, paced, prr);
        Sender {
            snd_una: 0,
            snd_nxt: 0,
            snd_max: 0,
            offered: 0,
            window: 0,
            rwnd: config.window,
            dupacks: 0,
            inflation: 0,
            state: State::Closed,
            in_recovery: false,
            core,
            resend: None,
            limited: false,
            burst: 0,
            syn_due: false,
            cc: algorithm.build(),
            path: Path {
                mss,
                srtt: Span::ZERO,
                rtt: Span::ZERO,
                rtt_min: Span::ZERO,
                flight_size: Bytes::ZERO,
                rwnd: mss * f64::from(config.window),
                whole_ssthresh: config.whole_ssthresh,
                dup_threshold: config.dup_threshold,
                seed: 0,
            },
            board: Scoreboard::new(row.samples_delivery),
            rtt: RttEstimator::new(config),
            rto_at: Time::NEVER,
            timed: None,
            recover: 0,
            guard: None,
            last_cut: None,
            last_cut_by_dupacks: false,
            first_partial: false,
            timeouts_in_row: 0,
            limited_sent: 0,
            round_mark: 0,
            round_began: Time::ZERO,
            last_sent_at: Time::ZERO,
            ecn_recover: config.ns2_recovery.then_some(0),
            mark_cut: 0,
            cwr_due: false,
            sack: SackState::default(),
            fine: FineTimer::default(),
            prr: None,
            persist: None,
            probe_due: false,
            in_handover: false,
            delivery: row.samples_delivery.then(Box::default),
            hears_every_loss: row.hears_every_loss,
            acts_on_marks: row.uses_marks,
            ss_limit: rules.ss_limit,
            rules,
            pacer,
            counted: Bytes::ZERO,
            segments: 1.0,
            whole: 1,
            cwnd_since: Time::ZERO,
            judgement: None,
            log: None,
            stats: SenderStats::default(),
        }
    }

    /// Give the algorithm a number to choose by at random: the same for the same sender of the same run.
    pub fn set_seed(&mut self, seed: u64) {
        self.path.seed = seed;
    }

    /// Keep a log of window changes.
    pub fn log_events(&mut self) {
        self.log = Some(Vec::new());
    }

    /// Hand over the log so far.
    pub fn take_events(&mut self) -> Vec<WindowEvent> {
        self.log.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Hand over the newest judgement of a loss, if there is one: duplicate ACKs (or SACK), or the first timeout of a
    /// segment.
    #[inline]
    pub fn take_judgement(&mut self) -> Option<Judgement> {
        self.judgement.take()
    }

    /// What the algorithm has to tell those of the other subflows of its connection, once for each round.
    #[inline]
    pub fn take_round(&mut self) -> Option<cc::Subflow> {
        self.cc.take_round()
    }

    /// Let the algorithm know the newest rounds of all subflows of its connection; `which` is its own.
    pub fn couple(&mut self, rounds: &[cc::Subflow], which: usize) {
        self.cc.on_signal(&Signal::Subflows { rounds, which }, &self.path);
    }

    /// Where the connection stands.
    pub fn state(&self) -> State {
        self.state
    }

    /// A recovery is on.
    pub fn in_recovery(&self) -> bool {
        self.in_recovery
    }

    /// Segments by which fast recovery inflates cwnd.
    pub fn inflation(&self) -> i32 {
        self.inflation
    }

    /// The connection is open: data may flow.
    pub fn is_open(&self) -> bool {
        self.state == State::Open
    }

    /// Oldest segment not acknowledged.
    pub fn snd_una(&self) -> u32 {
        self.snd_una
    }

    /// One past the highest segment sent.
    pub fn snd_max(&self) -> u32 {
        self.snd_max
    }

    /// cwnd in segments, at least one, without the inflation of fast recovery.
    #[inline]
    pub fn cwnd(&self) -> f64 {
        self.cc.cwnd().max(self.path.mss).over(self.path.mss)
    }

    /// ssthresh in segments.
    pub fn ssthresh_segments(&self) -> f64 {
        self.cc.ssthresh().over(self.path.mss)
    }

    /// Sent and not cumulatively acknowledged, segments.
    #[inline]
    pub fn flight_size(&self) -> u32 {
        self.snd_nxt - self.snd_una
    }

    /// What the engine knows of the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The algorithm.
    pub fn algorithm(&self) -> &Algorithm {
        &self.cc
    }

    /// Put what `wrap` makes of the algorithm in its place, before the connection opens. For a recorder that stands before it.
    pub fn wrap_algorithm(&mut self, wrap: impl FnOnce(Algorithm) -> Algorithm) {
        self.cc = wrap(self.cc.clone());
    }

    /// Everything offered is acknowledged.
    pub fn is_done(&self) -> bool {
        self.state == State::Open && self.snd_una == self.offered
    }

    /// When the retransmission timer expires.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.rto_at
    }

    /// cwnd with the inflation, segments.
    fn inflated(&self) -> f64 {
        (self.cwnd() + f64::from(self.inflation)).max(1.0)
    }

    /// Segments that may be sent in all, from the first; never fewer than before. `u32::MAX`: no end.
    pub fn offer(&mut self, segments: u32) {
        self.offered = segments;
    }

    /// The application stops here: nothing beyond what was sent already. Whether that cuts short what it had to send.
    pub fn stop(&mut self) -> bool {
        let cut = self.snd_max < self.offered;
        self.offered = self.offered.min(self.snd_max);
        cut
    }

    /// The receiver's window changed. A window of zero stops everything but probes.
    #[cold]
    pub fn set_rwnd(&mut self, segments: u32) {
        self.rwnd = segments;
        self.path.rwnd = self.bytes(segments);
        self.size_window();
    }

    #[inline]
    fn bytes(&self, segments: u32) -> Bytes {
        f64::from(segments) * self.path.mss
    }

    /// Take cwnd and the inflation into account: call after anything that changes them.
    #[inline(always)]
    pub(crate) fn update_window(&mut self, now: Time) {
        let cwnd = self.cc.cwnd();
        if cwnd != self.counted {
            self.account_cwnd(now);
            (self.counted, self.segments) = (cwnd, self.cwnd());
            self.whole = self.segments as i64;
        }
        self.size_window();
    }

    /// Compute the usable window anew.
    #[inline(always)]
    fn size_window(&mut self) {
        let window = self.whole + i64::from(self.inflation);
        self.window = (window.max(1) as u64).min(u64::from(self.rwnd)) as u32;
        if self.is_shut() {
            self.window = 0;
        }
    }

    /// cwnd is what was taken into account last. True between events: nothing changes it unnoticed.
    fn cwnd_is_settled(&self) -> bool {
        self.state != State::Open || self.cc.cwnd() == self.counted
    }

    /// The whole segments of [`Sender::cwnd`], known once the event at hand is over.
    #[inline]
    pub(crate) fn whole_cwnd(&self) -> i64 {
        debug_assert!(self.cwnd_is_settled());
        self.whole
    }

    /// Bring the integral of cwnd up to now.
    #[inline]
    fn account_cwnd(&mut self, now: Time) {
        self.stats.cwnd_integral += now.since(self.cwnd_since).secs() * self.segments;
        self.cwnd_since = now;
    }

    /// Bring the counters up to the end of the run.
    pub fn finish(&mut self, now: Time) {
        debug_assert!(self.cwnd_is_settled());
        if self.state == State::Open {
            self.account_cwnd(now);
        }
    }

    fn log(&mut self, at: Time, cwnd_before: f64, why: Why) {
        if self.log.is_some() {
            let event = WindowEvent {
                at,
                why,
                cwnd_before,
                cwnd_after: self.cwnd(),
                ssthresh_after: self.ssthresh_segments(),
                segment: self.snd_una,
            };
            self.log.iter_mut().for_each(|log| log.push(event));
        }
    }
}
