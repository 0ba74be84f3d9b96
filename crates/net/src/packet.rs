//! A segment or datagram on its way: a small plain value, moved from link to link.

use datagram::{Data, Datagram, Feedback};
use tcp::{Flags, SackBlocks, Segment};
use units::{Rate, Span, Time};

use crate::sacks::{NO_SACK, Sacks};

/// A packet on a link. SACK blocks, which few packets have, stand elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Packet {
    /// When it reaches the far end of the link it is on.
    pub(crate) at: Time,
    pub(crate) ts_val: Time,
    pub(crate) ts_ecr: Time,
    /// Place in the table of routes: the link it is on, or about to enter.
    pub(crate) hop: u32,
    pub(crate) seq: u32,
    pub(crate) ack: u32,
    pub(crate) window: u32,
    /// Number of its SACK blocks, or [`NO_SACK`].
    pub(crate) sack: u32,
    /// Bytes on the wire.
    pub(crate) size: u16,
    pub(crate) flags: Flags,
}

impl Packet {
    #[inline(always)]
    pub(crate) fn from_segment(segment: &Segment, hop: u32, sacks: &mut Sacks) -> Packet {
        Packet {
            at: Time::ZERO,
            ts_val: segment.ts_val,
            ts_ecr: segment.ts_ecr,
            hop,
            seq: segment.seq,
            ack: segment.ack,
            window: segment.window,
            sack: sacks.keep(&segment.sack),
            size: segment.size as u16,
            flags: segment.flags,
        }
    }

    #[inline]
    pub(crate) fn from_datagram(datagram: &Datagram, hop: u32) -> Packet {
        let base = Packet { hop, sack: NO_SACK, ..Packet::default() };
        match datagram {
            Datagram::Data(data) => {
                let mut flags = Flags::DATA;
                if data.ecn_capable {
                    flags.set(Flags::ECT);
                }
                let (ts_val, ts_ecr) = (data.sent, Time(data.rtt.0));
                Packet { ts_val, ts_ecr, seq: data.number, size: data.size as u16, flags, ..base }
            }
            // the two numbers of a report, bit by bit, where segments have clocks and numbers
            Datagram::Feedback(feedback) => {
                let p = feedback.loss_event_rate.to_bits();
                Packet {
                    ts_val: feedback.echo,
                    ts_ecr: Time(feedback.receive_rate.bytes_per_sec().to_bits()),
                    seq: (p >> 32) as u32,
                    ack: p as u32,
                    size: feedback.size as u16,
                    flags: Flags::ACK,
                    ..base
                }
            }
        }
    }

    #[inline]
    pub(crate) fn to_segment(self, sack: SackBlocks) -> Segment {
        Segment {
            seq: self.seq,
            ack: self.ack,
            window: self.window,
            size: u32::from(self.size),
            flags: self.flags,
            ts_val: self.ts_val,
            ts_ecr: self.ts_ecr,
            sack,
        }
    }

    #[inline]
    pub(crate) fn to_datagram(self) -> Datagram {
        let size = u32::from(self.size);
        if self.is_data() {
            return Datagram::Data(Data {
                number: self.seq,
                size,
                sent: self.ts_val,
                rtt: Span(self.ts_ecr.0),
                ecn_capable: self.flags.has(Flags::ECT),
                marked: self.flags.has(Flags::CE),
            });
        }
        Datagram::Feedback(Feedback {
            size,
            echo: self.ts_val,
            receive_rate: Rate(f64::from_bits(self.ts_ecr.0)),
            loss_event_rate: f64::from_bits(u64::from(self.seq) << 32 | u64::from(self.ack)),
        })
    }

    #[inline]
    pub(crate) fn is_data(&self) -> bool {
        self.flags.has(Flags::DATA)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datagrams_survive_the_way() {
        let data = Data {
            number: 7,
            size: 1040,
            sent: Time(123_456_789_012),
            rtt: Span(98_765_432_109),
            ecn_capable: true,
            marked: false,
        };
        let feedback = Feedback {
            size: 40,
            echo: Time(987_654_321_098),
            receive_rate: Rate(1_234_567.890_123),
            loss_event_rate: 0.012_345_678_901_234,
        };
        for datagram in [Datagram::Data(data), Datagram::Feedback(feedback)] {
            assert_eq!(Packet::from_datagram(&datagram, 3).to_datagram(), datagram);
        }
        let mut marked = Packet::from_datagram(&Datagram::Data(data), 3);
        marked.flags.set(Flags::CE);
        assert_eq!(marked.to_datagram(), Datagram::Data(Data { marked: true, ..data }));
    }
}
