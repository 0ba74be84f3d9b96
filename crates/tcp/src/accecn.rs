//! Accurate ECN: the receiver counts marked packets, and every ACK carries the count.
//! Source: RFC 9768, restated in specs/papers/accecn.md.
//! Choices: of the option's counters the one of marked data, in whole segments, on every pure ACK; a SYN is never
//! marked, so that its answer has one form; an ACK that tells of no new data leaves its count to the next one.

use crate::segment::Flags;

/// The three bits of the header, as they are set in a SYN that offers accurate ECN.
//= specs/papers/accecn.md#handshake
//# A SYN that offers it has AE, CWR and ECE set. The answer of an end that has it, to a SYN that came without ECT, has
//# CWR alone.
pub(crate) const OFFER: Flags = Flags(Flags::AE.0 | Flags::CWR.0 | Flags::ECE.0);
pub(crate) const ACCEPTED: Flags = Flags::CWR;
/// The same of RFC 3168.
const CLASSIC_OFFER: Flags = Flags(Flags::CWR.0 | Flags::ECE.0);
pub(crate) const CLASSIC_ACCEPTED: Flags = Flags::ECE;

/// What counters of marked packets begin with.
//= specs/papers/accecn.md#counter
//# Both ends begin with 5.
pub(crate) const FIRST: u32 = 5;

/// Bytes of the option with two counters: marked bytes, and those of ECT(0) or ECT(1).
pub(crate) const OPTION_SIZE: u32 = 8;

/// What an end with accurate ECN and the other one have agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agreed {
    /// Accurate ECN.
    Accurate,
    /// RFC 3168: the other end has no more.
    Classic,
    /// No ECN.
    Nothing,
}

impl Agreed {
    /// By the flags of the other side's SYN.
    //= specs/papers/accecn.md#fallback
    //# CWR and ECE without AE in the SYN, or ECE alone in its answer, mean RFC 3168; none of them means no ECN.
    pub(crate) fn by_syn(flags: Flags) -> Agreed {
        match Flags(flags.0 & OFFER.0) {
            OFFER => Agreed::Accurate,
            CLASSIC_OFFER => Agreed::Classic,
            _ => Agreed::Nothing,
        }
    }

    /// By the flags of the answer to the own SYN.
    pub(crate) fn by_answer(flags: Flags) -> Agreed {
        match Flags(flags.0 & OFFER.0) {
            ACCEPTED => Agreed::Accurate,
            CLASSIC_ACCEPTED => Agreed::Classic,
            _ => Agreed::Nothing,
        }
    }

    /// What the answer to a SYN says of it.
    pub(crate) fn answer(self) -> Flags {
        match self {
            Agreed::Accurate => ACCEPTED,
            Agreed::Classic => CLASSIC_ACCEPTED,
            Agreed::Nothing => Flags::default(),
        }
    }
}

/// The flags of the ACK that ends the handshake, whose answer came without ECT, as all do here.
//= specs/papers/accecn.md#handshake
//# The ACK that ends the handshake has CWR alone where the answer came without ECT, and no count.
pub(crate) fn answer_without_ect(flags: Flags) -> Flags {
    Flags((flags.0 & !OFFER.0) | Flags::CWR.0)
}

/// A count as the header carries it.
pub(crate) fn ace(count: u32) -> Flags {
    let bit = |value: u32, flag: Flags| if count & value > 0 { flag.0 } else { 0 };
    Flags(bit(4, Flags::AE) | bit(2, Flags::CWR) | bit(1, Flags::ECE))
}

/// The count that a header carries, 0 to 7.
pub(crate) fn count_of(flags: Flags) -> u32 {
    let bit = |flag: Flags, value: u32| if flags.has(flag) { value } else { 0 };
    bit(Flags::AE, 4) + bit(Flags::CWR, 2) + bit(Flags::ECE, 1)
}

/// How many marked packets an ACK tells of that has this count, after one with the count `before`. `newly`: packets
/// that may have arrived in between.
//= specs/papers/accecn.md#wrap
//# D = (count - count before) mod 8; if up to 7 packets arrived, D were marked. If n > 7 may have, the count may have
//# gone round: the safe guess is n - ((n - D) mod 8).
pub(crate) fn newly_marked(count: u32, before: u32, newly: u32) -> u32 {
    let least = count.wrapping_sub(before) & 7;
    if newly < 8 { least } else { newly - (newly.wrapping_sub(least) & 7) }
}

/// When a receiver acknowledges at once because of marks, beside what RFC 5681 asks for. `run`: the packet before was
/// marked, too; `unsaid`: marks that no ACK has told of, this one included.
//= specs/papers/accecn.md#triggers
//# An ACK leaves at once for a marked packet after one that was not, and when two marks wait to be told.
pub(crate) fn tells_at_once(run: bool, unsaid: u32) -> bool {
    !run || unsaid >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_travel_in_three_bits() {
        for count in 0..100 {
            assert_eq!(count_of(ace(count)), count % 8);
        }
        assert_eq!(ace(FIRST), Flags(Flags::AE.0 | Flags::ECE.0));
    }

    #[test]
    fn differences_go_round() {
        assert_eq!(newly_marked(5, 5, 2), 0);
        assert_eq!(newly_marked(1, 6, 3), 3);
        assert_eq!(newly_marked(4, 5, 7), 7);
        // 20 packets and a difference of 3: 3, 11 or 19 were marked, and 19 is the safe guess
        assert_eq!(newly_marked(0, 5, 20), 19);
        // 8 packets and none: all 8, or none
        assert_eq!(newly_marked(5, 5, 8), 8);
        assert_eq!(newly_marked(6, 5, 9), 9);
    }

    #[test]
    fn the_handshake_falls_back_to_what_both_have() {
        assert_eq!(Agreed::by_syn(OFFER), Agreed::Accurate);
        assert_eq!(Agreed::by_syn(CLASSIC_OFFER), Agreed::Classic);
        assert_eq!(Agreed::by_syn(Flags::SYN), Agreed::Nothing);
        for agreed in [Agreed::Accurate, Agreed::Classic, Agreed::Nothing] {
            assert_eq!(Agreed::by_answer(Flags(agreed.answer().0 | Flags::SYN.0 | Flags::ACK.0)), agreed);
        }
    }
}
