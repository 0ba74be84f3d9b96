//! The sender's transmission control block (RFC 9293 section 3.3.1): what every recovery core and every part of the
//! sender works on.

use cc::bookkeeping::Books;
use cc::{Algorithm, CongestionControl, Path};
use units::{Bytes, Span, Time};

use super::limits::Limit;
use super::pacing::Pacer;
use super::persist::Persist;
use super::push::Push;
use super::stats::{Judgement, Log, SenderStats, Why, WindowEvent};
use super::timer::Pending;
use super::usage::Usage;
use super::{Rules, State};
use crate::delivery::DeliveryRate;
use crate::rtt::RttEstimator;
use crate::scoreboard::Scoreboard;
use crate::{Config, accecn};

/// State of the sending half but for the recovery core. Sequence numbers count segments.
///
/// The fields are in the order of their use, so that an event touches few cache lines: first what every event looks at,
/// also at an end that only receives, then what segments and ACKs need, and what is seldom needed last.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Tcb {
    pub(crate) rto_at: Time,
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
    pub(super) judgement: Option<Judgement>,
    pub(crate) state: State,
    /// Nothing was ever offered, and the connection is open, see [`Tcb::is_quiet`].
    pub(super) quiet: bool,
    pub(crate) in_recovery: bool,
    /// A mark has cut the window, and the flight comes down to it in proportion: Linux's state CWR.
    pub(crate) comes_down: bool,
    /// The recovery core looks at each ACK, see [`Tcb::is_calm`].
    pub(crate) never_calm: bool,
    /// What the timer at `rto_at` waits for.
    pub(crate) pending: Pending,
    /// What kept it from sending when it was asked last.
    pub(super) limit: Limit,
    /// Limited transmit allows one segment now.
    pub(super) limited: bool,
    pub(super) syn_due: bool,
    pub(super) probe_due: bool,
    pub(super) cwr_due: bool,
    pub(crate) rules: Rules,
    pub(super) pacer: Pacer,

    pub(crate) board: Scoreboard,
    /// The segment whose RTT is being measured, and when it was sent.
    pub(crate) timed: Option<(u32, Time)>,
    pub(super) last_sent_at: Time,
    /// Delivery rate samples, for algorithms that want them.
    pub(crate) delivery: Option<Box<DeliveryRate>>,
    /// cwnd as it was taken into account last, in bytes, in segments and in whole segments, and since when it is so
    /// large.
    counted: Bytes,
    pub(super) segments: f64,
    whole: i64,
    pub(super) cwnd_since: Time,
    pub(super) limit_since: Time,
    /// How much of the window is in use, by Linux's measure.
    pub(crate) usage: Usage,
    /// Which segments carry PSH.
    pub(super) push: Push,
    /// Rounds, growth and cuts.
    pub(super) books: Books,
    pub(crate) dupacks: u32,
    /// Segments added to cwnd for duplicates; negative where RFC 6582 deflates below cwnd.
    pub(crate) inflation: i32,
    /// One past the last segment that must be acknowledged for the recovery to end.
    pub(crate) recover: u32,
    pub(super) timeouts_in_row: u32,
    pub(crate) limited_sent: u32,
    pub(crate) stats: SenderStats,
    pub(crate) path: Path,
    pub(crate) rtt: RttEstimator,
    pub(crate) cc: Algorithm,

    /// No fast retransmit until an ACK passes this (RFC 6582).
    pub(crate) guard: Option<u32>,
    pub(crate) last_cut_by_dupacks: bool,
    /// When the first SYN of this end left.
    pub(super) first_syn_at: Option<Time>,
    /// Accurate ECN: the receiver's count of marked segments, as far as ACKs have told.
    pub(super) marks_told: u32,
    pub(super) in_handover: bool,
    /// The receiver's window is closed, and data wait for it.
    pub(super) persist: Option<Persist>,
    pub(super) log: Option<Log>,
}

impl Tcb {
    /// With the rules of `config`, before the connection opens.
    pub(super) fn new(config: &Config, algorithm: &cc::Config) -> Tcb {
        let row = algorithm.row();
        let mss = Bytes(f64::from(config.mss));
        let pacer = Pacer::new(config, row);
        let rules = Rules::new(config, row, pacer.is_on());
        Tcb {
            snd_una: 0,
            snd_nxt: 0,
            snd_max: 0,
            offered: 0,
            window: 0,
            rwnd: config.window,
            dupacks: 0,
            inflation: 0,
            state: State::Closed,
            quiet: false,
            in_recovery: false,
            comes_down: false,
            never_calm: config.keeps_board(row),
            pending: Pending::Retransmission,
            resend: None,
            limit: Limit::Cwnd,
            limit_since: Time::ZERO,
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
                paced: rules.paced,
                dup_threshold: config.dup_threshold,
                seed: 0,
            },
            board: Scoreboard::new(row.samples_delivery),
            rtt: RttEstimator::new(config),
            rto_at: Time::NEVER,
            timed: None,
            recover: 0,
            guard: None,
            last_cut_by_dupacks: false,
            first_syn_at: None,
            marks_told: accecn::FIRST,
            timeouts_in_row: 0,
            limited_sent: 0,
            last_sent_at: Time::ZERO,
            cwr_due: false,
            persist: None,
            probe_due: false,
            in_handover: false,
            delivery: row.samples_delivery.then(Box::default),
            books: super::rules::books(config, row),
            rules,
            pacer,
            usage: Usage::default(),
            push: Push::new(config),
            counted: Bytes::ZERO,
            segments: 1.0,
            whole: 1,
            cwnd_since: Time::ZERO,
            judgement: None,
            log: None,
            stats: SenderStats::default(),
        }
    }

    /// cwnd in segments, at least one, without the inflation of fast recovery.
    #[inline]
    pub(crate) fn cwnd(&self) -> f64 {
        self.cc.cwnd().max(self.path.mss).over(self.path.mss)
    }

    /// ssthresh in segments.
    pub(crate) fn ssthresh_segments(&self) -> f64 {
        self.cc.ssthresh().over(self.path.mss)
    }

    /// Sent and not cumulatively acknowledged, segments.
    #[inline]
    pub(crate) fn flight_size(&self) -> u32 {
        self.snd_nxt - self.snd_una
    }

    /// cwnd with the inflation, segments.
    pub(super) fn inflated(&self) -> f64 {
        (self.cwnd() + f64::from(self.inflation)).max(1.0)
    }

    #[inline]
    pub(super) fn bytes(&self, segments: u32) -> Bytes {
        f64::from(segments) * self.path.mss
    }

    /// The receiver's window changed. A window of zero stops everything but probes.
    #[cold]
    pub(super) fn set_rwnd(&mut self, segments: u32) {
        self.rwnd = segments;
        self.push.note_window(segments);
        self.path.rwnd = self.bytes(segments);
        self.size_window();
    }

    /// Take cwnd and the inflation into account: call after anything that changes them.
    #[inline(always)]
    pub(crate) fn update_window(&mut self, now: Time) {
        let cwnd = self.cc.cwnd();
        if cwnd != self.counted {
            self.account_cwnd(now);
            (self.counted, self.segments) = (cwnd, cwnd.max(self.path.mss).over(self.path.mss));
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

    /// The receiver offers less than cwnd.
    #[inline(always)]
    pub(crate) fn receiver_holds_back(&self) -> bool {
        i64::from(self.rwnd) < self.whole
    }

    /// The algorithm may leave the sender without a window, and has: nothing leaves until the timer expires, which runs
    /// even if nothing is outstanding.
    #[inline(always)]
    pub(crate) fn is_shut(&self) -> bool {
        self.rules.may_shut && self.has_no_window()
    }

    #[inline(never)]
    fn has_no_window(&self) -> bool {
        self.inflation == 0 && self.cc.cwnd() < self.path.mss && self.has_new_data()
    }

    /// cwnd is what was taken into account last. True between events: nothing changes it unnoticed.
    pub(super) fn cwnd_is_settled(&self) -> bool {
        self.state != State::Open || self.cc.cwnd() == self.counted
    }

    /// The whole segments of [`Tcb::cwnd`], known once the event at hand is over.
    #[inline]
    pub(crate) fn whole_cwnd(&self) -> i64 {
        debug_assert!(self.cwnd_is_settled());
        self.whole
    }

    /// Bring the integral of cwnd up to now.
    #[inline]
    pub(super) fn account_cwnd(&mut self, now: Time) {
        self.stats.cwnd_integral += self.cwnd_running(now);
        self.cwnd_since = now;
    }

    /// What is not part of the integral of cwnd yet.
    #[inline]
    pub(super) fn cwnd_running(&self, now: Time) -> f64 {
        now.since(self.cwnd_since).secs() * self.segments
    }

    /// The run is over: whether the first slow start still is on. What paces itself by the delivery rate has none.
    pub(super) fn note_slow_start(&mut self) {
        let uncut = self.stats.window_cuts == 0 && self.stats.timeouts == 0;
        let grows = !self.rules.sampled && self.cc.cwnd() < self.cc.ssthresh();
        self.stats.never_left_slow_start = uncut && grows && self.snd_max > 0;
    }

    pub(super) fn log(&mut self, at: Time, cwnd_before: f64, why: Why) {
        if self.log.is_some() {
            let event = WindowEvent {
                at,
                why,
                cwnd_before,
                cwnd_after: self.cwnd(),
                ssthresh_after: self.ssthresh_segments(),
                segment: self.snd_una,
            };
            self.log.iter_mut().for_each(|log| log.note(event));
        }
    }
}
