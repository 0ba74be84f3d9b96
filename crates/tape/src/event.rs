//! What an algorithm can be told, each a line of a tape, and what it answers.

use cc::{
    Ack, Cause, Congestion, CongestionControl, DeliverySample, Path, RecoveryExit, Response, Round, Signal, Subflow,
    Thaw, Windows,
};
use units::{Bytes, Rate, Span, Time};

use crate::fields::Fields;

/// A call of a method of [`CongestionControl`] that may change the algorithm's state.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    /// `on_init`, with the windows of the head.
    Open(Windows),
    Ack(Ack),
    Congestion(Congestion),
    RecoveryExit(RecoveryExit),
    HandoverStart {
        now: Time,
        rto: Span,
    },
    HandoverEnd {
        now: Time,
        rto: Span,
    },
    IdleRestart {
        now: Time,
    },
    Subflows {
        rounds: Vec<Subflow>,
        which: usize,
    },
    SetCwnd(Bytes),
    SetWindows(Windows),
    /// `take_round`, where it gave one.
    TakeRound,
    /// A reduction comes that may be taken back.
    Remember,
    /// It is taken back.
    Restore,
}

/// The words with which lines begin.
pub(crate) const KINDS: [&str; 13] = [
    "open",
    "ack",
    "congestion",
    "recovery-exit",
    "handover-start",
    "handover-end",
    "idle-restart",
    "subflows",
    "set-cwnd",
    "set-windows",
    "take-round",
    "remember",
    "restore",
];

const NO_SUBFLOW: Subflow =
    Subflow { window_segments: 0.0, window_max_segments: 0.0, rtt_mean: Span::ZERO, samples: 0, rtt_min: Span::ZERO };

impl Event {
    /// The event of a kind with nothing told yet. `windows` are those of the head.
    pub(crate) fn blank(kind: &str, windows: Windows, path: &Path) -> Option<Event> {
        let (now, rto) = (Time::ZERO, Span::ZERO);
        Some(match kind {
            "open" => Event::Open(windows),
            "ack" => Event::Ack(Ack::default()),
            "congestion" => Event::Congestion(Congestion {
                now,
                cause: Cause::DupAcks,
                cut_already: false,
                timeouts: 0,
                retransmitted: false,
                sent_at: None,
                hold_ssthresh: false,
                halving: path.halving(Bytes::ZERO),
            }),
            "recovery-exit" => Event::RecoveryExit(RecoveryExit { now, window: Bytes::ZERO, inflated: false }),
            "handover-start" => Event::HandoverStart { now, rto },
            "handover-end" => Event::HandoverEnd { now, rto },
            "idle-restart" => Event::IdleRestart { now },
            "subflows" => Event::Subflows { rounds: Vec::new(), which: 0 },
            "set-cwnd" => Event::SetCwnd(Bytes::ZERO),
            "set-windows" => Event::SetWindows(Windows::default()),
            "take-round" => Event::TakeRound,
            "remember" => Event::Remember,
            "restore" => Event::Restore,
            _ => return None,
        })
    }

    /// The word with which its line begins.
    pub(crate) fn kind(&self) -> &'static str {
        KINDS[match self {
            Event::Open(_) => 0,
            Event::Ack(_) => 1,
            Event::Congestion(_) => 2,
            Event::RecoveryExit(_) => 3,
            Event::HandoverStart { .. } => 4,
            Event::HandoverEnd { .. } => 5,
            Event::IdleRestart { .. } => 6,
            Event::Subflows { .. } => 7,
            Event::SetCwnd(_) => 8,
            Event::SetWindows(_) => 9,
            Event::TakeRound => 10,
            Event::Remember => 11,
            Event::Restore => 12,
        }]
    }

    /// When it happened, if it says so.
    pub(crate) fn now(&self) -> Option<Time> {
        match self {
            Event::Ack(ack) => Some(ack.now),
            Event::Congestion(event) => Some(event.now),
            Event::RecoveryExit(exit) => Some(exit.now),
            Event::HandoverStart { now, .. } | Event::HandoverEnd { now, .. } | Event::IdleRestart { now } => {
                Some(*now)
            }
            Event::Open(_) | Event::Subflows { .. } | Event::SetCwnd(_) | Event::SetWindows(_) | Event::TakeRound => {
                None
            }
            Event::Remember | Event::Restore => None,
        }
    }

    /// Tell an algorithm, and put its answer together.
    pub(crate) fn tell(&self, algorithm: &mut impl CongestionControl, path: &Path) -> Answer {
        let (mut response, mut round) = (None, None);
        match self {
            Event::Open(windows) => algorithm.on_init(windows.cwnd, windows.ssthresh, path),
            Event::Ack(ack) => algorithm.on_ack(ack, path),
            Event::Congestion(event) => response = Some(algorithm.on_congestion(event, path)),
            Event::RecoveryExit(exit) => algorithm.on_recovery_exit(exit, path),
            &Event::HandoverStart { now, rto } => algorithm.on_signal(&Signal::HandoverStart { now, rto }, path),
            &Event::HandoverEnd { now, rto } => algorithm.on_signal(&Signal::HandoverEnd { now, rto }, path),
            &Event::IdleRestart { now } => algorithm.on_signal(&Signal::IdleRestart { now }, path),
            Event::Subflows { rounds, which } => {
                algorithm.on_signal(&Signal::Subflows { rounds, which: *which }, path);
            }
            Event::SetCwnd(cwnd) => algorithm.set_cwnd(*cwnd),
            Event::SetWindows(windows) => algorithm.set_windows(*windows),
            Event::TakeRound => round = algorithm.take_round(),
            Event::Remember => algorithm.on_signal(&Signal::Remember, path),
            Event::Restore => algorithm.on_signal(&Signal::Restore, path),
        }
        Answer {
            windows: algorithm.windows(),
            response,
            pacing_rate: algorithm.pacing_rate(),
            limits_itself: algorithm.limits_itself(),
            frozen: self.now().and_then(|now| algorithm.frozen(now)),
            round,
        }
    }

    /// Go through its fields.
    pub(crate) fn fields(&mut self, f: &mut impl Fields, path: &Path) -> Result<(), String> {
        match self {
            Event::Open(_) | Event::TakeRound | Event::Remember | Event::Restore => Ok(()),
            Event::Ack(event) => ack(f, event),
            Event::Congestion(event) => congestion(f, event, path),
            Event::RecoveryExit(exit) => {
                f.plain("now", &mut exit.now)?;
                f.plain("window", &mut exit.window)?;
                f.plain("inflated", &mut exit.inflated)
            }
            Event::HandoverStart { now, rto } | Event::HandoverEnd { now, rto } => {
                f.plain("now", now)?;
                f.plain("rto", rto)
            }
            Event::IdleRestart { now } => f.plain("now", now),
            Event::Subflows { rounds, which } => subflows(f, rounds, which),
            Event::SetCwnd(cwnd) => f.plain("cwnd", cwnd),
            Event::SetWindows(windows) => {
                f.plain("cwnd", &mut windows.cwnd)?;
                f.plain("ssthresh", &mut windows.ssthresh)
            }
        }
    }
}

fn ack(f: &mut impl Fields, ack: &mut Ack) -> Result<(), String> {
    f.plain("now", &mut ack.now)?;
    f.plain("newly_acked", &mut ack.newly_acked)?;
    f.plain("grows", &mut ack.grows)?;
    f.plain("slow_start", &mut ack.slow_start)?;
    f.plain("avoidance", &mut ack.avoidance)?;
    f.plain("in_recovery", &mut ack.in_recovery)?;
    f.plain("gap", &mut ack.gap)?;
    f.plain("rtt", &mut ack.rtt)?;
    f.plain("receiver_time", &mut ack.receiver_time)?;
    f.plain("one_way_delay", &mut ack.one_way_delay)?;
    f.plain("marked", &mut ack.marked)?;
    f.plain("ce", &mut ack.ce)?;
    if present(f, "round", &mut ack.round, Round { length: Span::ZERO, sent: Bytes::ZERO })?
        && let Some(round) = &mut ack.round
    {
        f.plain("round.length", &mut round.length)?;
        f.plain("round.sent", &mut round.sent)?;
    }
    if present(f, "delivery", &mut ack.delivery, DeliverySample::default())?
        && let Some(sample) = &mut ack.delivery
    {
        f.plain("delivery.delivered", &mut sample.delivered)?;
        f.plain("delivery.interval", &mut sample.interval)?;
        f.plain("delivery.rtt", &mut sample.rtt)?;
        f.plain("delivery.app_limited", &mut sample.app_limited)?;
        f.plain("delivery.newly_delivered", &mut sample.newly_delivered)?;
        f.plain("delivery.total", &mut sample.total)?;
        f.plain("delivery.total_at_send", &mut sample.total_at_send)?;
        f.plain("delivery.in_flight_before", &mut sample.in_flight_before)?;
        f.plain("delivery.in_flight", &mut sample.in_flight)?;
        f.plain("delivery.lost", &mut sample.lost)?;
        f.plain("delivery.repairing", &mut sample.repairing)?;
    }
    Ok(())
}

fn congestion(f: &mut impl Fields, event: &mut Congestion, path: &Path) -> Result<(), String> {
    f.plain("now", &mut event.now)?;
    let mut cause = Some(event.cause);
    f.plain("cause", &mut cause)?;
    event.cause = cause.ok_or("`cause` is missing")?;
    f.plain("cut_already", &mut event.cut_already)?;
    f.plain("timeouts", &mut event.timeouts)?;
    f.plain("retransmitted", &mut event.retransmitted)?;
    f.plain("sent_at", &mut event.sent_at)?;
    f.plain("hold_ssthresh", &mut event.hold_ssthresh)?;
    let mut base = event.halving.base();
    f.plain("half_base", &mut base)?;
    event.halving = path.halving(base);
    Ok(())
}

fn subflows(f: &mut impl Fields, rounds: &mut Vec<Subflow>, which: &mut usize) -> Result<(), String> {
    /// More paths than one connection takes.
    const MOST: usize = 1000;
    let mut count = rounds.len();
    f.plain("count", &mut count)?;
    f.plain("which", which)?;
    if count > MOST || *which >= count.max(1) {
        return Err(format!("subflow {which} of {count}: must be below `count`, and that at most {MOST}"));
    }
    rounds.resize(count, NO_SUBFLOW);
    for (number, round) in rounds.iter_mut().enumerate() {
        subflow(f, &format!("{number}."), round)?;
    }
    Ok(())
}

fn subflow(f: &mut impl Fields, prefix: &str, round: &mut Subflow) -> Result<(), String> {
    f.plain(&format!("{prefix}window_segments"), &mut round.window_segments)?;
    f.plain(&format!("{prefix}window_max_segments"), &mut round.window_max_segments)?;
    f.plain(&format!("{prefix}rtt_mean"), &mut round.rtt_mean)?;
    f.plain(&format!("{prefix}samples"), &mut round.samples)?;
    f.plain(&format!("{prefix}rtt_min"), &mut round.rtt_min)
}

/// A flag that says whether there is a value; true if there is.
fn present<T>(f: &mut impl Fields, name: &str, value: &mut Option<T>, blank: T) -> Result<bool, String> {
    let mut there = value.is_some();
    f.plain(name, &mut there)?;
    if there && value.is_none() {
        *value = Some(blank);
    }
    Ok(there)
}

/// The parts of [`Path`] that change; what a line does not name is as in the line before.
pub(crate) fn path_fields(f: &mut impl Fields, path: &mut Path, before: &Path) -> Result<(), String> {
    f.field("path.srtt", &mut path.srtt, before.srtt)?;
    f.field("path.rtt", &mut path.rtt, before.rtt)?;
    f.field("path.rtt_min", &mut path.rtt_min, before.rtt_min)?;
    f.field("path.flight_size", &mut path.flight_size, before.flight_size)?;
    f.field("path.rwnd", &mut path.rwnd, before.rwnd)
}

/// What an algorithm says after an event.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Answer {
    windows: Windows,
    response: Option<Response>,
    pacing_rate: Option<Rate>,
    limits_itself: bool,
    frozen: Option<Thaw>,
    round: Option<Subflow>,
}

impl Answer {
    /// Go through its fields.
    pub(crate) fn fields(&mut self, f: &mut impl Fields) -> Result<(), String> {
        f.plain("cwnd", &mut self.windows.cwnd)?;
        f.plain("ssthresh", &mut self.windows.ssthresh)?;
        f.plain("response", &mut self.response)?;
        f.plain("pacing_rate", &mut self.pacing_rate)?;
        f.plain("limits_itself", &mut self.limits_itself)?;
        f.plain("frozen", &mut self.frozen)?;
        if present(f, "round", &mut self.round, NO_SUBFLOW)?
            && let Some(round) = &mut self.round
        {
            subflow(f, "round.", round)?;
        }
        Ok(())
    }

    /// What a recording notes of `take_round`.
    pub(crate) fn round(&self) -> Option<Subflow> {
        self.round
    }

    /// What a recording notes of `on_congestion`.
    pub(crate) fn response(&self) -> Option<Response> {
        self.response
    }
}
