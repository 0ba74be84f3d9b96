//! What a receiver tells of congestion marks, by RFC 3168, packet by packet, or by their number.
//! Source: RFC 3168 section 6.1.3, RFC 8257 section 3.2, RFC 9768.

use units::Time;

use super::Receiver;
use crate::segment::Flags;
use crate::{Config, EcnEcho, accecn};

/// The state of ECN's echo.
#[derive(Clone, Copy, Debug)]
pub(super) struct Echo {
    kind: EcnEcho,
    /// An echo is due; with accurate ECN: the latest segment was marked.
    on: bool,
    /// Accurate ECN: marked segments, from 5 on; and what the latest ACK told of them.
    count: u32,
    told: u32,
    /// Owed for the segments before one whose mark differs from theirs.
    owed: Option<Owed>,
}

/// An acknowledgement as it was before the latest segment arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owed {
    pub(super) ack: u32,
    marked: bool,
    pub(super) ts_recent: Time,
    pub(super) last_arrival: Time,
}

impl Echo {
    pub(super) fn new(config: &Config) -> Echo {
        Echo {
            // until both ends have agreed on more
            kind: if config.ecn_echo == EcnEcho::PerPacket { EcnEcho::PerPacket } else { EcnEcho::Latched },
            on: false,
            count: accecn::FIRST,
            told: accecn::FIRST,
            owed: None,
        }
    }

    /// Accurate ECN: a mark was not told yet.
    pub(super) fn is_owed(&self) -> bool {
        self.count != self.told
    }
}

impl Receiver {
    /// A data segment arrived, marked or not.
    #[inline]
    pub(super) fn on_ecn(&mut self, flags: Flags) {
        if self.echo.kind != EcnEcho::Latched {
            return self.note_mark(flags.has(Flags::CE));
        }
        //= https://www.rfc-editor.org/rfc/rfc3168#section-6.1.3
        //# that TCP receiver continues to set the ECN-Echo flag in all the ACK packets it sends (whether they
        //# acknowledge CE data packets or non-CE data packets) until it receives a CWR packet
        if flags.has(Flags::CWR) {
            self.echo.on = false;
            self.ack_now |= self.delay.adapts; // Linux: the sender's window may be very small
        }
        if flags.has(Flags::CE) {
            self.stats.marked_segments += 1;
            if !std::mem::replace(&mut self.echo.on, true) {
                self.quick.on_mark();
                self.wait_no_more();
            }
        }
        self.speaks = self.echo.on;
    }

    /// The same where the echo is not latched.
    fn note_mark(&mut self, marked: bool) {
        self.stats.marked_segments += u64::from(marked);
        if self.echo.kind == EcnEcho::Accurate {
            return self.count_mark(marked);
        }
        self.speaks = self.echo.on;
        if marked != self.echo.on {
            self.on_change_of_marks(marked);
        }
    }

    /// Accurate ECN: a segment arrived, marked or not.
    #[cold]
    fn count_mark(&mut self, marked: bool) {
        let run = std::mem::replace(&mut self.echo.on, marked);
        self.speaks = true;
        if marked {
            self.echo.count = self.echo.count.wrapping_add(1);
            self.ack_now |= accecn::tells_at_once(run, self.echo.count.wrapping_sub(self.echo.told));
        }
    }

    /// Both ends have accurate ECN.
    pub(crate) fn count_marks(&mut self) {
        self.echo.kind = EcnEcho::Accurate;
        self.speaks = true;
    }

    /// The count of marked segments, with accurate ECN.
    pub(crate) fn marks(&self) -> u32 {
        self.echo.count
    }

    /// Marks begin or end with the segment at hand: what waits for a delayed ACK is acknowledged by itself, as it came.
    //= specs/papers/dctcp.md#echo
    //# two ACKs leave at once: first one for the segments before it, with their sign, then one for it
    #[cold]
    fn on_change_of_marks(&mut self, marked: bool) {
        if self.unacked > 0 {
            self.echo.owed = Some(Owed {
                ack: self.rcv_nxt,
                marked: self.echo.on,
                ts_recent: self.ts_recent,
                last_arrival: self.last_arrival,
            });
            self.last_ack_sent = self.rcv_nxt;
            self.unacked = 0;
            self.delack_at = Time::NEVER;
        }
        //= https://www.rfc-editor.org/rfc/rfc8257#section-3.2
        //# If the CE codepoint is set and DCTCP.CE is false, set DCTCP.CE to true and send an immediate ACK.
        self.echo.on = marked;
        self.speaks = marked || self.echo.owed.is_some();
        self.ack_now = true;
    }

    /// What an acknowledgement says of marks and of its wait; and the one owed, if it is that one.
    #[cold]
    pub(super) fn speak(&mut self, now: Time, of: Flags) -> (Flags, Option<Owed>) {
        let mut flags = Flags::ACK;
        let owed = self.echo.owed.take();
        let accurate = self.echo.kind == EcnEcho::Accurate;
        if accurate && !of.has(Flags::SYN) {
            self.echo.told = self.echo.count;
            flags.set(accecn::ace(self.echo.count));
        } else if !accurate && owed.map_or(self.echo.on, |owed| owed.marked) {
            flags.set(Flags::ECE);
        }
        if owed.is_some() || (self.is_held() && self.waits_since < now) {
            flags.set(Flags::DELAYED);
        }
        self.speaks = accurate || self.echo.on;
        (flags, owed)
    }
}
