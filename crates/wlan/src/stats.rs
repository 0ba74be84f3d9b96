//! Counters of a station.

use units::Span;

use crate::dcf::Cause;
use crate::flight::Kind;

/// What a station's MAC has done, since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StationStats {
    /// Exchanges begun: RTS or data, repeated ones included, broadcasts as well.
    pub attempts: u64,
    /// Those of them that repeat a packet.
    pub retries: u64,
    /// RTS or data that were not answered.
    pub failures: u64,
    /// Exchanges broken off behind the CTS, because the medium was not idle then (ns-2).
    pub broken_off: u64,
    /// Packets acknowledged.
    pub acked: u64,
    /// Packets given up.
    pub dropped: u64,
    /// A-MPDUs sent.
    pub ampdus: u64,
    /// Packets of A-MPDUs that an answer did not acknowledge.
    pub missing: u64,
    /// Packets received after those behind them had gone up, and lost for that.
    pub late: u64,
    /// Data frames sent, repeated ones included, each of an A-MPDU.
    pub data_sent: u64,
    /// Sum over these of their rates in kbit/s.
    pub data_kbps: u64,
    /// Packets received, each once.
    pub received: u64,
    /// Data frames received again, because the ACK was lost.
    pub duplicates: u64,
    /// Packets received that were lost above the MAC.
    pub lost_above: u64,
    /// Own frames lost on the station they were for, by another that overlapped.
    pub collided: u64,
    /// Own frames that the station they were for did not hear, because it transmitted itself.
    pub deaf: u64,
    /// Own frames that arrived too weak to decode, or to be sensed at all.
    pub weak: u64,
    /// Own frames lost by a random error.
    pub errored: u64,
    /// Times that a class gave way to a higher one of the same station, both backoffs being over.
    pub internal: u64,
    /// Airtime of own frames.
    pub airtime: Airtime,
    /// How long the station sensed a frame or sent one.
    pub busy: Span,
    /// Sum over packets of the time from becoming current to the ACK, the end of the broadcast, or the drop.
    pub service: Span,
    /// Sum over packets that arrived of the time from becoming current to the first arrival.
    pub delay: Span,
    /// Packets in `delay`.
    pub arrived: u64,
}

/// Airtime by kind of frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Airtime {
    /// RTS and BlockAckReq.
    pub rts: Span,
    /// CTS, those to oneself included.
    pub cts: Span,
    /// Data.
    pub data: Span,
    /// ACK and BlockAck.
    pub ack: Span,
}

impl Airtime {
    /// Of all kinds.
    pub fn total(&self) -> Span {
        self.rts + self.cts + self.data + self.ack
    }

    /// That of frames of this kind.
    pub(crate) fn of(&mut self, kind: Kind) -> &mut Span {
        match kind {
            Kind::Rts | Kind::BlockAckReq => &mut self.rts,
            Kind::Cts | Kind::CtsToSelf => &mut self.cts,
            Kind::Data => &mut self.data,
            Kind::Ack | Kind::BlockAck => &mut self.ack,
        }
    }
}

impl StationStats {
    /// What was counted since `before`.
    pub fn since(&self, before: &StationStats) -> StationStats {
        let airtime = |kind: fn(&Airtime) -> Span| kind(&self.airtime) - kind(&before.airtime);
        StationStats {
            attempts: self.attempts - before.attempts,
            retries: self.retries - before.retries,
            failures: self.failures - before.failures,
            broken_off: self.broken_off - before.broken_off,
            internal: self.internal - before.internal,
            acked: self.acked - before.acked,
            dropped: self.dropped - before.dropped,
            ampdus: self.ampdus - before.ampdus,
            missing: self.missing - before.missing,
            late: self.late - before.late,
            data_sent: self.data_sent - before.data_sent,
            data_kbps: self.data_kbps - before.data_kbps,
            received: self.received - before.received,
            duplicates: self.duplicates - before.duplicates,
            lost_above: self.lost_above - before.lost_above,
            collided: self.collided - before.collided,
            deaf: self.deaf - before.deaf,
            weak: self.weak - before.weak,
            errored: self.errored - before.errored,
            airtime: Airtime {
                rts: airtime(|a| a.rts),
                cts: airtime(|a| a.cts),
                data: airtime(|a| a.data),
                ack: airtime(|a| a.ack),
            },
            busy: self.busy - before.busy,
            service: self.service - before.service,
            delay: self.delay - before.delay,
            arrived: self.arrived - before.arrived,
        }
    }

    pub(crate) fn on_sent(&mut self, kind: Kind, airtime: Span) {
        self.data_sent += u64::from(kind == Kind::Data);
        *self.airtime.of(kind) += airtime;
    }

    pub(crate) fn on_lost(&mut self, cause: Cause) {
        match cause {
            Cause::Collision => self.collided += 1,
            Cause::Deaf => self.deaf += 1,
            Cause::Weak => self.weak += 1,
            Cause::Error => self.errored += 1,
        }
    }
}
