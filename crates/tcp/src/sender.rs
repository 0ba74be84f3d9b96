//! The sending half: its face to the endpoint. Its state is in `tcb`, and the recovery core's in [`crate::recovery`].
//! How a connection opens is in `opening`, what an ACK means in `acks`, RTT and delay samples in `samples`, marks in
//! `marks`, what may leave in `transmit`, losses in `losses`, what is taken back in `undo`, the retransmission timer in
//! `timer`, its steps in `wheel`, how much of the window is in use in `usage`, pacing in `pacing`, a closed window in
//! `persist`, handovers in `handover`, which segments carry PSH in `push`, what keeps it from sending in `limits`; the
//! rules in force in `rules`, counters and the log in `stats`.
//! Source: RFC 5681, RFC 6298, RFC 3042, RFC 6582.

mod acks;
mod handover;
mod limits;
mod losses;
mod marks;
mod opening;
mod pacing;
mod persist;
mod push;
mod rules;
mod samples;
mod stats;
mod tcb;
mod timer;
mod transmit;
mod undo;
mod usage;
mod wheel;

use cc::{Algorithm, CongestionControl, Path, Signal};
use units::Time;

pub use self::limits::Limits;
pub(crate) use self::rules::Rules;
use self::stats::Log;
pub use self::stats::{Judgement, SenderStats, Why, WindowEvent};
pub(crate) use self::tcb::Tcb;
pub(crate) use self::timer::Pending;
pub(crate) use self::undo::Before;
pub(crate) use self::wheel::Wheel;
use crate::Config;
use crate::recovery::{Core, Known};

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

/// The sending half.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Sender {
    pub(crate) tcb: Tcb,
    pub(crate) core: Core,
}

impl Sender {
    /// A sender with the rules of `config`, before it opens.
    pub fn new(config: &Config, algorithm: &cc::Config) -> Sender {
        Sender { tcb: Tcb::new(config, algorithm), core: Core::new(config, algorithm.row()) }
    }

    /// Give the algorithm a number to choose by at random: the same for the same sender of the same run.
    pub fn set_seed(&mut self, seed: u64) {
        self.tcb.path.seed = seed;
    }

    /// Keep a log of the first so many window changes.
    pub fn log_events(&mut self, most: usize) {
        self.tcb.log = Some(Log { events: Vec::new(), most, cut: None });
    }

    /// Hand over the log so far.
    pub fn take_events(&mut self) -> Vec<WindowEvent> {
        self.tcb.log.as_mut().map(|log| std::mem::take(&mut log.events)).unwrap_or_default()
    }

    /// When the first window change was that the log had no more room for.
    pub fn events_missing_from(&self) -> Option<Time> {
        self.tcb.log.as_ref().and_then(|log| log.cut)
    }

    /// Hand over the newest judgement of a loss, if there is one: duplicate ACKs (or SACK), or the first timeout of a
    /// segment.
    #[inline]
    pub fn take_judgement(&mut self) -> Option<Judgement> {
        self.tcb.judgement.take()
    }

    /// What the algorithm has to tell those of the other subflows of its connection, once for each round.
    #[inline]
    pub fn take_round(&mut self) -> Option<cc::Subflow> {
        self.tcb.cc.take_round()
    }

    /// Let the algorithm know the newest rounds of all subflows of its connection; `which` is its own.
    pub fn couple(&mut self, rounds: &[cc::Subflow], which: usize) {
        self.tcb.cc.on_signal(&Signal::Subflows { rounds, which }, &self.tcb.path);
    }

    /// Counters.
    pub fn stats(&self) -> &SenderStats {
        &self.tcb.stats
    }

    /// Where the connection stands.
    pub fn state(&self) -> State {
        self.tcb.state
    }

    /// A recovery is on.
    pub fn in_recovery(&self) -> bool {
        self.tcb.in_recovery
    }

    /// A mark has cut the window, and the flight comes down to it in proportion (Linux's state CWR).
    pub fn comes_down(&self) -> bool {
        self.tcb.comes_down
    }

    /// What the recovery core knows of the segments that are outstanding, if it keeps that.
    pub fn known(&self) -> Option<Known> {
        self.core.known()
    }

    /// Duplicate ACKs in a row.
    pub fn dupacks(&self) -> u32 {
        self.tcb.dupacks
    }

    /// Segments by which fast recovery inflates cwnd.
    pub fn inflation(&self) -> i32 {
        self.tcb.inflation
    }

    /// The connection is open: data may flow.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.tcb.state == State::Open
    }

    /// Oldest segment not acknowledged.
    #[inline]
    pub fn snd_una(&self) -> u32 {
        self.tcb.snd_una
    }

    /// One past the highest segment sent.
    #[inline]
    pub fn snd_max(&self) -> u32 {
        self.tcb.snd_max
    }

    /// cwnd in segments, at least one, without the inflation of fast recovery.
    #[inline]
    pub fn cwnd(&self) -> f64 {
        self.tcb.cwnd()
    }

    /// Integral of cwnd over the time since the connection opened, segment-seconds.
    pub fn cwnd_integral(&self, now: Time) -> f64 {
        let running = if self.is_open() { self.tcb.cwnd_running(now) } else { 0.0 };
        self.tcb.stats.cwnd_integral + running
    }

    /// ssthresh in segments.
    pub fn ssthresh_segments(&self) -> f64 {
        self.tcb.ssthresh_segments()
    }

    /// Sent and not cumulatively acknowledged, segments.
    #[inline]
    pub fn flight_size(&self) -> u32 {
        self.tcb.flight_size()
    }

    /// What the engine knows of the path.
    pub fn path(&self) -> &Path {
        &self.tcb.path
    }

    /// The algorithm.
    pub fn algorithm(&self) -> &Algorithm {
        &self.tcb.cc
    }

    /// Put what `wrap` makes of the algorithm in its place, before the connection opens. For a recorder that stands
    /// before it.
    pub fn wrap_algorithm(&mut self, wrap: impl FnOnce(Algorithm) -> Algorithm) {
        self.tcb.cc = wrap(self.tcb.cc.clone());
    }

    /// Everything offered is acknowledged.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.tcb.state == State::Open && self.tcb.snd_una == self.tcb.offered
    }

    /// Segments offered to be sent in all; `u32::MAX`: no end.
    pub fn offered(&self) -> u32 {
        self.tcb.offered
    }

    /// When the retransmission timer expires.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.tcb.rto_at
    }

    /// Segments that may be sent in all, from the first; never fewer than before. `u32::MAX`: no end.
    pub fn offer(&mut self, segments: u32) {
        self.tcb.offered = segments;
        self.tcb.note_whether_quiet();
        if self.tcb.push.is_on() && self.is_open() {
            self.tcb.write_ahead();
        }
    }

    /// The application stops here: nothing beyond what was sent already. Whether that cuts short what it had to send.
    pub fn stop(&mut self, now: Time) -> bool {
        let cut = self.tcb.snd_max < self.tcb.offered;
        self.tcb.offered = self.tcb.offered.min(self.tcb.snd_max);
        self.tcb.note_whether_quiet();
        if self.is_open() {
            self.note_limit(now);
        }
        cut
    }

    /// The receiver's window changed. A window of zero stops everything but probes.
    pub(crate) fn set_rwnd(&mut self, segments: u32) {
        self.tcb.set_rwnd(segments);
    }

    /// Bring the counters up to the end of the run.
    pub fn finish(&mut self, now: Time) {
        debug_assert!(self.tcb.cwnd_is_settled());
        if self.is_open() {
            self.tcb.account_cwnd(now);
            self.tcb.account_limit(now);
            self.tcb.note_slow_start();
        }
    }
}
