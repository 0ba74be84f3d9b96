//! The sending half: window, retransmission timer, duplicate ACKs, and the frame that the recovery cores fill in.
//! Source: RFC 5681, RFC 6298, RFC 3042, RFC 6582; the `ns2` rules are those of ns-2's one-way agents.

use cc::registry::Recovery;
use cc::{Ack, Algorithm, Cause, Congestion, CongestionControl, Path, RecoveryExit, Response, Round};
use units::{Bytes, Span, Time};

use crate::recovery::sack::SackState;
use crate::recovery::vegas::FineTimer;
use crate::rtt::RttEstimator;
use crate::scoreboard::Scoreboard;
use crate::segment::{Flags, Segment};
use crate::{Config, HalfBase, RecoverRule};

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
pub(crate) enum State {
    /// Not opened.
    Closed,
    /// The SYN is out, or about to leave.
    SynSent,
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

/// Sender's counters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SenderStats {
    /// Data segments sent, retransmissions included.
    pub sent_segments: u64,
    /// Data segments sent again.
    pub retransmitted_segments: u64,
    /// Expiries of the retransmission timer, those of the SYN included.
    pub timeouts: u64,
    /// Entries into recovery by duplicate ACKs or SACK.
    pub fast_retransmits: u64,
    /// Reductions of the window, for whatever cause.
    pub window_cuts: u64,
    /// Losses that the algorithm judged random.
    pub judged_random: u64,
    /// ACKs that carried a congestion mark.
    pub marks: u64,
    /// Delay samples.
    pub rtt_samples: u64,
    /// Sum of the delay samples, seconds.
    pub rtt_sum: f64,
    /// Largest delay sample.
    pub rtt_max: Span,
    /// Integral of cwnd over time since the connection opened, segment-seconds.
    pub cwnd_integral: f64,
}

/// Why the window changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Duplicate ACKs (or SACK): cut.
    DupAcks,
    /// Loss found, window cut already for this window of data.
    SameWindow,
    /// Loss found and judged random: kept.
    JudgedRandom,
    /// Retransmission timer.
    Timeout,
    /// Congestion mark.
    Mark,
    /// Recovery over.
    RecoveryExit,
}

/// One entry of the log of window changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowEvent {
    /// When.
    pub at: Time,
    /// Why.
    pub why: Why,
    /// cwnd before, segments.
    pub cwnd_before: f64,
    /// cwnd after, segments.
    pub cwnd_after: f64,
    /// ssthresh after, segments.
    pub ssthresh_after: f64,
    /// The segment in question: the one lost, or the first one still outstanding.
    pub segment: u32,
}

/// State of the sending half. Sequence numbers count segments.
#[derive(Clone, Debug)]
pub struct Sender {
    pub(crate) snd_una: u32,
    pub(crate) snd_nxt: u32,
    pub(crate) snd_max: u32,
    /// Segments that the application has offered so far.
    offered: u32,
    /// Usable window in whole segments: cwnd and inflation, within the receiver's window.
    pub(crate) window: u32,
    /// The receiver's window, from its latest segment.
    pub(crate) rwnd: u32,
    pub(crate) dupacks: u32,
    /// Segments added to cwnd for duplicates; negative where RFC 6582 deflates below cwnd.
    pub(crate) inflation: i32,
    pub(crate) state: State,
    pub(crate) in_recovery: bool,
    pub(crate) core: Core,
    /// Segment to send again now, before anything else.
    pub(crate) resend: Option<u32>,
    /// Limited transmit allows one segment now.
    limited: bool,
    /// Segments that may still leave on account of this event.
    pub(crate) burst: u32,
    syn_due: bool,

    pub(crate) cc: Algorithm,
    pub(crate) path: Path,
    pub(crate) board: Scoreboard,
    pub(crate) rtt: RttEstimator,
    rto_at: Time,
    /// The segment whose RTT is being measured, and when it was sent.
    timed: Option<(u32, Time)>,

    /// One past the last segment that must be acknowledged for the recovery to end.
    pub(crate) recover: u32,
    /// No fast retransmit until an ACK passes this (RFC 6582).
    guard: Option<u32>,
    /// One past the highest segment sent at the last reduction.
    last_cut: Option<u32>,
    pub(crate) last_cut_by_dupacks: bool,
    /// First partial ACK of this recovery seen.
    first_partial: bool,
    timeouts_in_row: u32,
    pub(crate) limited_sent: u32,
    /// A round ends at the first ACK beyond this segment.
    round_mark: u32,
    round_began: Time,
    last_sent_at: Time,
    /// No cut for marks until an ACK passes this: the window of data was cut already.
    ecn_recover: u32,
    /// One past the highest segment sent when a mark last cut the window.
    mark_cut: u32,
    cwr_due: bool,
    pub(crate) sack: SackState,
    pub(crate) fine: FineTimer,

    hears_every_loss: bool,
    acts_on_marks: bool,
    pub(crate) rules: Rules,
    cwnd_since: Time,
    log: Option<Vec<WindowEvent>>,
    /// Counters.
    pub stats: SenderStats,
}

/// The rules of the profile that are asked for while running.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) ns2: bool,
    pub(crate) dup_threshold: u32,
    pub(crate) limited_transmit: u32,
    recover_rule: RecoverRule,
    half_base: HalfBase,
    rto_ssthresh_hold: bool,
    cwnd_limited: bool,
    timestamps: bool,
    slow_start_restart: bool,
    dupack_from_data: bool,
    max_burst: u32,
    ecn: bool,
    initial_window: f64,
    initial_ssthresh: Option<u32>,
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
                half_base: Bytes::ZERO,
                whole_ssthresh: config.whole_ssthresh,
                dup_threshold: config.dup_threshold,
            },
            board: Scoreboard::new(),
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
            ecn_recover: 0,
            mark_cut: 0,
            cwr_due: false,
            sack: SackState::default(),
            fine: FineTimer::default(),
            hears_every_loss: row.hears_every_loss,
            acts_on_marks: row.uses_marks,
            rules: Rules {
                ns2: config.ns2_recovery,
                dup_threshold: config.dup_threshold,
                limited_transmit: config.limited_transmit.min(config.dup_threshold - 1),
                recover_rule: config.recover_rule,
                half_base: config.half_base,
                rto_ssthresh_hold: config.rto_ssthresh_hold,
                cwnd_limited: config.cwnd_limited,
                timestamps: config.timestamps,
                slow_start_restart: config.slow_start_restart,
                dupack_from_data: config.dupack_from_data,
                max_burst: if config.max_burst == 0 { u32::MAX } else { config.max_burst },
                ecn: config.ecn,
                initial_window: config.initial_window_segments(),
                initial_ssthresh: config.initial_ssthresh,
            },
            cwnd_since: Time::ZERO,
            log: None,
            stats: SenderStats::default(),
        }
    }

    /// Keep a log of window changes.
    pub fn log_events(&mut self) {
        self.log = Some(Vec::new());
    }

    /// Hand over the log so far.
    pub fn take_events(&mut self) -> Vec<WindowEvent> {
        self.log.as_mut().map(std::mem::take).unwrap_or_default()
    }

    // ---- what others may see ----

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

    // ---- opening ----

    /// Start to open the connection.
    pub fn open(&mut self) {
        self.state = State::SynSent;
        self.syn_due = true;
    }

    /// Segments that may be sent in all, from the first; never fewer than before. `u32::MAX`: no end.
    pub fn offer(&mut self, segments: u32) {
        self.offered = segments;
    }

    /// The application stops here: nothing beyond what was sent already.
    pub fn stop(&mut self) {
        self.offered = self.offered.min(self.snd_max);
    }

    /// The SYN came again, so the answer to it was lost or late. Like a lost SYN it leaves an initial window of one
    /// segment (RFC 5681 section 3.1).
    pub fn on_syn_again(&mut self) {
        if self.state == State::Closed && !self.rules.ns2 {
            self.timeouts_in_row += 1;
        }
    }

    /// The receiver's window changed.
    ///
    /// A window of zero stops new data. Probing it (RFC 9293 section 3.8.6.1, the persist timer) is left out: the simulated
    /// reader takes everything at once, so an endpoint never closes its window for good.
    #[cold]
    pub fn set_rwnd(&mut self, segments: u32) {
        self.rwnd = segments;
        self.path.rwnd = self.bytes(segments);
        self.update_window();
    }

    /// The other side answered the SYN (or, on the passive side, our answer).
    pub fn on_open(&mut self, now: Time) {
        if self.state == State::Open {
            return;
        }
        if let Some((_, sent)) = self.timed.take() {
            self.rtt.sample(sent, now, false);
            self.rtt.end_back_off();
            self.fine.open(now.since(sent).secs());
        }
        self.state = State::Open;
        self.syn_due = false;
        self.rto_at = Time::NEVER;
        let mss = self.path.mss;
        let lost_syn = self.timeouts_in_row > 0;
        let window = if lost_syn || self.opens_late() { 1.0 } else { self.rules.initial_window };
        // ns-2 halves ssthresh for the lost SYN, too
        let ssthresh = match self.rules.initial_ssthresh {
            _ if lost_syn && self.rules.ns2 => 2.0,
            Some(segments) => f64::from(segments),
            None => f64::from(self.rwnd),
        };
        if lost_syn && !self.rules.ns2 {
            self.rtt.after_lost_syn();
        }
        self.timeouts_in_row = 0;
        self.path.srtt = self.rtt.srtt();
        self.cc.on_init(window * mss, ssthresh * mss, &self.path);
        self.round_mark = 0;
        self.round_began = now;
        self.cwnd_since = now;
        self.burst = self.rules.max_burst;
        self.update_window();
    }

    /// ns-2's Vegas takes its initial window only on the ACK of the first data.
    fn opens_late(&self) -> bool {
        self.rules.ns2 && self.core == Core::Vegas
    }

    // ---- sending ----

    /// A SYN must leave now. Counts it as sent.
    pub fn take_syn(&mut self, now: Time) -> bool {
        if !self.syn_due {
            return false;
        }
        self.syn_due = false;
        self.timed = (self.timeouts_in_row == 0).then_some((0, now));
        self.rto_at = now + self.rtt.rto();
        true
    }

    /// The next segment to send now, if any. Counts it as sent.
    #[inline]
    pub fn take_segment(&mut self, now: Time) -> Option<(u32, bool)> {
        if self.state != State::Open {
            return None;
        }
        let number = match self.resend.take() {
            Some(number) => number,
            None => {
                let number = self.next_segment(now)?;
                self.burst -= 1;
                number
            }
        };
        Some((number, self.on_sent(number, now)))
    }

    #[inline]
    fn next_segment(&mut self, now: Time) -> Option<u32> {
        if self.burst == 0 {
            return None;
        }
        if self.snd_nxt == self.snd_una && self.rules.slow_start_restart {
            self.restart_if_idle(now);
        }
        match self.core {
            Core::Sack => self.sack_next(),
            Core::Sack1 if self.in_recovery => self.sack1_next(),
            _ => self.windowed_next(),
        }
    }

    #[inline]
    fn windowed_next(&mut self) -> Option<u32> {
        if self.snd_nxt >= self.offered {
            return None;
        }
        let in_flight = self.snd_nxt - self.snd_una;
        if in_flight < self.window {
            return Some(self.snd_nxt);
        }
        if self.limited {
            self.limited = false;
            //= https://www.rfc-editor.org/rfc/rfc3042#section-2
            //# The amount of outstanding data would remain less than or equal to the congestion window plus 2 segments.
            if f64::from(in_flight + 1) <= self.cwnd() + f64::from(self.dupacks) && in_flight < self.rwnd {
                self.limited_sent += 1;
                return Some(self.snd_nxt);
            }
        }
        None
    }

    /// Whether there are new data to send within the receiver's window.
    #[inline]
    pub(crate) fn has_new_data(&self) -> bool {
        self.snd_max < self.offered && self.snd_max - self.snd_una < self.rwnd
    }

    /// Account for a segment that leaves now. True if it was sent before.
    #[inline]
    fn on_sent(&mut self, number: u32, now: Time) -> bool {
        self.stats.sent_segments += 1;
        self.last_sent_at = now;
        let again = number < self.snd_max;
        if again {
            self.stats.retransmitted_segments += 1;
            let record = self.board.get_mut(number);
            record.at = now;
            record.times = record.times.saturating_add(1);
            // RFC 6675's core keeps its own account, without the rescue
            record.resent |= self.core != Core::Sack;
            //= https://www.rfc-editor.org/rfc/rfc6298#section-3
            //# RTT samples MUST NOT be made using segments that were retransmitted
            if self.timed.is_some_and(|(timed, _)| timed == number) && !self.rules.ns2 {
                self.timed = None;
            }
        } else {
            self.board.reserve(self.snd_una, number);
            self.board.first_sent(number, now);
            self.snd_max = number + 1;
            if self.timed.is_none() {
                self.timed = Some((number, now));
            }
        }
        if number == self.snd_nxt {
            self.snd_nxt += 1;
        }
        if self.rto_at == Time::NEVER {
            self.rto_at = now + self.rtt.rto();
        }
        again
    }

    /// The data segment about to leave takes part in ECN. `again`: it was sent before.
    ///
    /// Warnings of the Jersey family (and ns-2) mark retransmissions, too.
    //= https://www.rfc-editor.org/rfc/rfc3168#section-6.1.5
    //# ECN-capable TCP implementations MUST NOT set either ECT codepoint
    //# (ECT(0) or ECT(1)) in the IP header for retransmitted data packets
    pub(crate) fn is_ecn_capable(&self, again: bool) -> bool {
        self.rules.ecn && (!again || self.rules.ns2 || self.acts_on_marks)
    }

    /// This data segment must say that the window was reduced.
    pub(crate) fn take_cwr(&mut self) -> bool {
        std::mem::take(&mut self.cwr_due)
    }

    /// Nothing was sent for longer than one RTO: restart from the initial window (RFC 5681 section 4.1).
    fn restart_if_idle(&mut self, now: Time) {
        if self.snd_max > 0 && now.since(self.last_sent_at) > self.rtt.rto() {
            let restart = self.rules.initial_window * self.path.mss;
            self.account_cwnd(now);
            self.cc.set_cwnd(self.cc.cwnd().min(restart));
            self.update_window();
        }
    }

    // ---- ACKs ----

    /// An acknowledgement arrived. `pure`: without data.
    #[inline]
    pub fn on_ack(&mut self, now: Time, segment: &Segment, pure: bool) {
        let ack = segment.ack;
        if ack > self.snd_max || ack < self.snd_una {
            return; // acknowledges what was never sent, or what is acknowledged already
        }
        self.burst = self.rules.max_burst;
        self.limited = false;
        let window_changed = segment.window != self.rwnd;
        if window_changed {
            self.set_rwnd(segment.window);
        }
        let marked = self.rules.ecn && segment.flags.has(Flags::ECE);
        if marked {
            self.stats.marks += 1;
        }
        if ack > self.snd_una {
            self.on_new_ack(now, segment, marked);
        } else if self.is_duplicate(segment, pure, window_changed) {
            self.on_duplicate(now, segment, marked);
        } else {
            return;
        }
        if marked && !self.acts_on_marks && self.snd_una > self.ecn_recover {
            self.on_mark(now);
        }
    }

    //= https://www.rfc-editor.org/rfc/rfc5681#section-2
    //# the advertised window in the incoming acknowledgment equals the advertised window in the last incoming acknowledgment
    fn is_duplicate(&self, segment: &Segment, pure: bool, window_changed: bool) -> bool {
        let outstanding = self.snd_max > self.snd_una;
        outstanding
            && match self.core {
                Core::Sack | Core::Sack1 => !segment.sack.is_empty(),
                _ => (pure || self.rules.dupack_from_data) && !window_changed,
            }
    }

    fn on_new_ack(&mut self, now: Time, segment: &Segment, marked: bool) {
        let ack = segment.ack;
        let newly = ack - self.snd_una;
        let delay = self.delay_sample(ack, now);
        let in_use = !self.rules.cwnd_limited || f64::from(self.snd_nxt - self.snd_una) >= self.cwnd().floor();

        let progress = match self.core {
            _ if !self.in_recovery => Progress::Open,
            Core::Reno | Core::Tahoe | Core::Vegas => Progress::Full,
            Core::NewReno | Core::Sack | Core::Sack1 if ack >= self.recover => Progress::Full,
            Core::NewReno | Core::Sack | Core::Sack1 => Progress::Partial,
        };
        self.sample_rto(now, segment, progress);
        if self.snd_una == 0 && self.opens_late() {
            self.cc.set_cwnd(self.rules.initial_window * self.path.mss);
        }
        let news = match self.core {
            Core::Sack | Core::Sack1 => self.sack_on_ack(ack, &segment.sack),
            _ => false,
        };
        self.snd_una = ack;
        self.snd_nxt = self.snd_nxt.max(ack);
        if self.core == Core::Sack1 && progress != Progress::Partial {
            self.sack1_forget();
        }
        self.timeouts_in_row = 0;
        self.limited_sent = 0;
        self.path.flight_size = self.bytes(self.snd_nxt - ack);
        self.account_cwnd(now);

        let mut grows = in_use && !(marked && self.mark_stops_growth(ack));
        let mut restart_timer = true;
        match progress {
            Progress::Open => self.dupacks = 0,
            Progress::Full => {
                // ns-2's agents of the Reno family grow on the ACK that ends recovery
                grows = self.rules.ns2 && matches!(self.core, Core::Reno | Core::NewReno | Core::Vegas);
                self.leave_recovery(now);
            }
            Progress::Partial => {
                grows = false;
                restart_timer = self.on_partial(newly);
            }
        }
        let round = self.end_of_round(now, ack);
        let event = Ack {
            now,
            newly_acked: self.bytes(newly),
            grows,
            in_recovery: self.in_recovery,
            rtt: delay,
            receiver_time: Some(segment.ts_val),
            marked,
            round,
        };
        self.cc.on_ack(&event, &self.path);
        match self.core {
            Core::Vegas => self.vegas_on_new_ack(now, delay),
            Core::Sack if !self.in_recovery => self.sack_after_new_ack(now, news),
            _ => {}
        }
        if restart_timer {
            self.rto_at = if ack < self.snd_max { now + self.rtt.rto() } else { Time::NEVER };
        }
        self.update_window();
    }

    /// A partial ACK: repair the next hole. True if the retransmission timer restarts.
    fn on_partial(&mut self, newly: u32) -> bool {
        match self.core {
            Core::NewReno => {
                self.deflate(newly);
                self.resend = Some(self.snd_una);
                if self.rules.ns2 {
                    self.burst = NS2_RECOVERY_BURST;
                }
                // restarted only by the first partial ACK ("impatient"), RFC 6582 section 4
                !std::mem::replace(&mut self.first_partial, true)
            }
            Core::Sack1 => {
                self.sack.sack1_pipe -= 2;
                true
            }
            _ => true,
        }
    }

    /// Take the acknowledged segments out of the inflated window, and add one back.
    fn deflate(&mut self, newly: u32) {
        let newly = newly as i32;
        if self.rules.ns2 && self.inflation <= newly {
            let cwnd = self.cwnd() - f64::from(newly - self.inflation);
            self.cc.set_cwnd(cwnd.max(1.0) * self.path.mss);
            self.inflation = 1;
        } else {
            self.inflation -= newly - 1;
        }
    }

    fn on_duplicate(&mut self, now: Time, segment: &Segment, marked: bool) {
        let news = match self.core {
            Core::Sack | Core::Sack1 => self.sack_on_ack(segment.ack, &segment.sack),
            _ => true,
        };
        self.path.flight_size = self.bytes(self.flight_size());
        let event = Ack {
            now,
            newly_acked: Bytes::ZERO,
            grows: false,
            in_recovery: self.in_recovery,
            rtt: None,
            receiver_time: Some(segment.ts_val),
            marked,
            round: None,
        };
        self.account_cwnd(now);
        self.cc.on_ack(&event, &self.path);
        match self.core {
            Core::Sack => self.sack_on_duplicate(now, news),
            Core::Sack1 => self.sack1_on_duplicate(now),
            Core::Vegas => self.vegas_on_duplicate(now),
            Core::Tahoe | Core::Reno | Core::NewReno => self.reno_on_duplicate(now),
        }
        self.update_window();
    }

    /// Duplicates of the cores without SACK: limited transmit, entry at the threshold, inflation beyond it.
    fn reno_on_duplicate(&mut self, now: Time) {
        self.dupacks += 1;
        let threshold = self.rules.dup_threshold;
        if self.in_recovery {
            self.inflation += 1;
            if self.rules.ns2 && self.core == Core::NewReno {
                self.burst = NS2_RECOVERY_BURST;
            }
        } else if self.dupacks == threshold && self.may_fast_retransmit() {
            self.enter_recovery(now);
            if self.rules.ns2 && self.core == Core::NewReno {
                self.burst = NS2_RECOVERY_BURST;
            }
        } else {
            self.allow_limited_transmit();
        }
    }

    pub(crate) fn allow_limited_transmit(&mut self) {
        self.limited = self.dupacks <= self.rules.limited_transmit;
    }

    pub(crate) fn may_fast_retransmit(&self) -> bool {
        let passed = match (self.guard, self.rules.recover_rule) {
            (None, _) | (_, RecoverRule::Off) => true,
            (Some(recover), RecoverRule::Careful) => self.snd_una > recover,
            (Some(recover), RecoverRule::LessCareful) => self.snd_una >= recover,
        };
        passed || (self.last_cut_by_dupacks && self.core == Core::Reno && !self.rules.ns2)
    }

    /// A loss was found: ask the algorithm, retransmit, and begin the recovery.
    pub(crate) fn enter_recovery(&mut self, now: Time) -> Response {
        let lost = *self.board.get(self.snd_una);
        let before = self.cwnd();
        self.stats.fast_retransmits += 1;
        //= https://www.rfc-editor.org/rfc/rfc3168#section-6.1.2
        //# the TCP sender's congestion window should be reduced only once in response to a series of dropped and/or CE
        //# packets from a single window of data
        let paid = !self.hears_every_loss && self.snd_una < self.mark_cut && lost.times == 1;
        let event = Congestion {
            now,
            cause: Cause::DupAcks,
            cut_already: self.last_cut.is_some_and(|cut| self.snd_una <= cut),
            timeouts: 0,
            retransmitted: lost.times > 1,
            sent_at: Some(lost.at),
            hold_ssthresh: paid,
        };
        // Tahoe starts over with one segment even so
        let response = if paid && self.core != Core::Tahoe { Response::SameWindow } else { self.ask(&event) };
        self.limited_sent = 0;
        self.recover = self.snd_max;
        if !self.hears_every_loss {
            self.guard = Some(self.snd_max);
        }
        self.last_cut_by_dupacks = true;
        self.first_partial = false;
        self.timed = None;
        self.rto_at = now + self.rtt.rto();
        if self.core == Core::Tahoe {
            self.snd_nxt = self.snd_una; // go back: the window of one sends the lost segment
        } else {
            self.in_recovery = true;
            self.inflation = match self.core {
                Core::Reno | Core::NewReno => self.rules.dup_threshold as i32,
                _ => 0,
            };
            self.resend = Some(self.snd_una);
        }
        self.log(
            now,
            before,
            match response {
                Response::Reduced => Why::DupAcks,
                Response::SameWindow => Why::SameWindow,
                Response::Random => Why::JudgedRandom,
            },
        );
        response
    }

    /// Tell the algorithm of congestion and keep the books on what it answers.
    fn ask(&mut self, event: &Congestion) -> Response {
        let mss = self.path.mss;
        self.path.flight_size = self.bytes(self.flight_size());
        self.path.half_base = match self.rules.half_base {
            HalfBase::Flight => self.flight_to_halve(),
            HalfBase::Window => (self.inflated() * mss).min(self.path.rwnd),
        };
        let response = self.cc.on_congestion(event, &self.path);
        match response {
            Response::Reduced => {
                self.stats.window_cuts += 1;
                self.last_cut = Some(self.snd_max);
                self.cwr_due = true; // for whatever reason the window was reduced, RFC 3168 section 6.1.2
                if event.cause != Cause::Rto || !self.rules.ns2 {
                    self.ecn_recover = self.snd_max;
                }
            }
            Response::Random => self.stats.judged_random += 1,
            Response::SameWindow => {}
        }
        response
    }

    /// The flight size that a halving starts from: without what limited transmit sent (RFC 5681 section 3.2), and within a
    /// recovery no more than cwnd. Beyond that, what is outstanding was sent for duplicates, that is for segments that
    /// have left the network, and would hand the inflation of the recovery to ssthresh.
    fn flight_to_halve(&self) -> Bytes {
        let flight = self.bytes(self.flight_size().saturating_sub(self.limited_sent));
        if self.in_recovery { flight.min(self.cwnd() * self.path.mss) } else { flight }
    }

    fn leave_recovery(&mut self, now: Time) {
        let cwnd = self.cwnd();
        //= https://www.rfc-editor.org/rfc/rfc6582#section-3.2
        //# min (ssthresh, max(FlightSize, SMSS) + SMSS)
        let window = if self.core == Core::NewReno && !self.rules.ns2 {
            cwnd.min(f64::from(self.flight_size().max(1) + 1))
        } else if self.core == Core::Vegas && !self.vegas_deflates() {
            cwnd + f64::from(self.inflation)
        } else {
            cwnd
        };
        self.in_recovery = false;
        self.inflation = 0;
        self.dupacks = 0;
        self.cc.on_recovery_exit(&RecoveryExit { now, window: window * self.path.mss }, &self.path);
        if self.core == Core::NewReno {
            self.last_cut_by_dupacks = false;
        }
        if self.core == Core::Sack {
            self.sack_on_exit();
        }
        self.log(now, cwnd, Why::RecoveryExit);
    }

    fn on_mark(&mut self, now: Time) {
        let before = self.cwnd();
        let event = Congestion {
            now,
            cause: Cause::EcnMark,
            cut_already: false,
            timeouts: 0,
            retransmitted: false,
            sent_at: None,
            hold_ssthresh: false,
        };
        self.account_cwnd(now);
        self.ask(&event);
        if self.cwnd() > before {
            self.cc.set_cwnd(before * self.path.mss); // the least window of two segments is no reason to grow
        }
        self.ecn_recover = self.snd_max;
        self.mark_cut = self.snd_max;
        self.cwr_due = true;
        if before < 2.0 {
            //= https://www.rfc-editor.org/rfc/rfc3168#section-6.1.2
            //# the sending TCP MUST reset the retransmit timer on receiving the ECN-Echo packet when the congestion window
            //# is one.
            self.burst = 0; // nothing new until it expires, or another ACK comes
            self.rto_at = now + self.rtt.rto();
        }
        self.update_window();
        self.log(now, before, Why::Mark);
    }

    /// Whether an ACK that advances to `ack` and carries a mark leaves the window as it is. After a timeout it does not:
    /// the echo lasts until CWR can travel on new data, and says nothing new of the segments sent again until then.
    //= https://www.rfc-editor.org/rfc/rfc3168#section-6.1.2
    //# The sending TCP SHOULD NOT increase the congestion window in response to the receipt of an ECN-Echo ACK packet.
    fn mark_stops_growth(&self, ack: u32) -> bool {
        let after_timeout = !self.in_recovery && !self.last_cut_by_dupacks && ack < self.recover;
        !self.acts_on_marks && !after_timeout
    }

    // ---- timer ----

    /// Double the timeout and start the timer anew, as Vegas does with every retransmission.
    pub(crate) fn back_off(&mut self, now: Time) {
        self.rtt.back_off();
        self.rto_at = now + self.rtt.rto();
    }

    /// The retransmission timer expired.
    pub fn on_rto(&mut self, now: Time) {
        if self.state == State::Open && self.snd_una == self.snd_max {
            // nothing is lost: a mark at a window of one segment made the sender wait
            self.rto_at = Time::NEVER;
            self.burst = self.rules.max_burst;
            return;
        }
        self.stats.timeouts += 1;
        self.timeouts_in_row += 1;
        self.timed = None;
        self.rtt.back_off();
        self.rto_at = now + self.rtt.rto();
        if self.state == State::SynSent {
            self.syn_due = true;
            return;
        }
        let lost = *self.board.get(self.snd_una);
        let before = self.cwnd();
        let event = Congestion {
            now,
            cause: Cause::Rto,
            cut_already: self.last_cut.is_some_and(|cut| self.snd_una <= cut),
            timeouts: self.timeouts_in_row,
            retransmitted: lost.times > 1,
            sent_at: Some(lost.at),
            hold_ssthresh: self.rules.rto_ssthresh_hold && self.timeouts_in_row > 1,
        };
        self.account_cwnd(now);
        if self.rules.ns2 {
            self.inflation = 0;
        }
        let response = self.ask(&event);
        self.inflation = 0;
        self.in_recovery = false;
        if !(self.rules.ns2 && self.core == Core::Tahoe) {
            self.dupacks = 0; // ns-2's Tahoe goes on counting, so that no limited transmit follows
        }
        self.resend = None;
        self.limited_sent = 0;
        self.guard = Some(self.snd_max);
        self.recover = self.snd_max;
        self.last_cut = Some(self.snd_max);
        self.last_cut_by_dupacks = false;
        match self.core {
            Core::Sack => self.sack_on_rto(),
            Core::Sack1 => self.sack1_on_rto(),
            _ => {}
        }
        if self.core != Core::Sack {
            self.snd_nxt = self.snd_una; // go-back-N
        }
        self.burst = self.rules.max_burst;
        self.update_window();
        self.log(now, before, if response == Response::Random { Why::JudgedRandom } else { Why::Timeout });
    }

    // ---- measuring ----

    /// Delay of the newest never-retransmitted segment that the ACK covers.
    #[inline]
    fn delay_sample(&mut self, ack: u32, now: Time) -> Option<Span> {
        let newest = (self.snd_una..ack).rev().find(|&n| self.board.get(n).times == 1)?;
        let r = now.since(self.board.get(newest).at);
        self.path.rtt = r;
        if r < self.path.rtt_min || self.path.rtt_min == Span::ZERO {
            self.path.rtt_min = r;
        }
        self.stats.rtt_samples += 1;
        self.stats.rtt_sum += r.secs();
        self.stats.rtt_max = self.stats.rtt_max.max(r);
        Some(r)
    }

    /// Feed the retransmission timeout's estimator.
    #[inline]
    fn sample_rto(&mut self, now: Time, segment: &Segment, progress: Progress) {
        if self.rules.timestamps && progress != Progress::Partial {
            self.rtt.sample(segment.ts_ecr, now, true);
            self.path.srtt = self.rtt.srtt();
            if !self.rules.ns2 {
                self.rtt.end_back_off();
            }
        }
        let Some((number, sent)) = self.timed else { return };
        if segment.ack > number {
            self.timed = None;
            self.rtt.end_back_off();
            if !self.rules.timestamps && progress != Progress::Partial {
                self.rtt.sample(sent, now, false);
                self.path.srtt = self.rtt.srtt();
            }
        }
    }

    #[inline]
    fn end_of_round(&mut self, now: Time, ack: u32) -> Option<Round> {
        if ack <= self.round_mark {
            return None;
        }
        let round = Round { length: now.since(self.round_began), sent: self.bytes(self.snd_nxt - self.round_mark) };
        self.round_mark = self.snd_nxt;
        self.round_began = now;
        Some(round)
    }

    #[inline]
    fn bytes(&self, segments: u32) -> Bytes {
        f64::from(segments) * self.path.mss
    }

    /// Compute the usable window anew: call after anything that changes cwnd or the inflation.
    #[inline]
    pub(crate) fn update_window(&mut self) {
        let window = self.cwnd() as i64 + i64::from(self.inflation);
        self.window = (window.max(1) as u64).min(u64::from(self.rwnd)) as u32;
    }

    /// Bring the integral of cwnd up to now: call before anything that changes cwnd.
    #[inline]
    pub(crate) fn account_cwnd(&mut self, now: Time) {
        self.stats.cwnd_integral += now.since(self.cwnd_since).secs() * self.cwnd();
        self.cwnd_since = now;
    }

    /// Bring the counters up to the end of the run.
    pub fn finish(&mut self, now: Time) {
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
