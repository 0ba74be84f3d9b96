//! TFRC: a sender's rate from the throughput equation of TCP; with it ETFCC and TFRC-SP.
//! Source: RFC 5348 and, for small packets, RFC 4828; Rana 2013 for ETFCC. Restated in specs/papers/tfrc.md.
use units::{Span, num};

mod intervals;
mod recv_set;
mod sender;

pub use intervals::{Interval, LossIntervals};
pub use sender::{Report, Sender};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    the sender always has data, so the rules for idle and data-limited senders are left out, as are the optional \
    history discounting and the damping of oscillations. ETFCC's source has no equation: it is TFRC, with a floor on \
    request.";

/// What `t_RTO` of the equation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rto {
    /// Four RTTs.
    FourRtt,
    /// Four RTTs, at least a second.
    AtLeastASecond,
}

/// TFRC-SP's rules for small packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Small {
    /// Packet size in the equation, bytes.
    pub nominal: f64,
    /// Header bytes that a packet is charged.
    pub header: f64,
    /// Least time between packets.
    pub gap: Span,
}

/// The rules of a rate-controlled flow; the registry makes them from parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Packets that an ACK of the imagined TCP covers.
    pub b: f64,
    /// `t_RTO` of the equation.
    pub rto: Rto,
    /// Weight of the old RTT in the average.
    pub rtt_gain: f64,
    /// Later arrivals that make a missing packet a lost one.
    pub reorder: u32,
    /// Longest time between packets.
    pub longest_gap: Span,
    /// Packets are ECN-capable; a mark is a loss.
    pub ecn: bool,
    /// ETFCC: never below the estimated bandwidth; the weight of the old estimate in its filter.
    pub floor: Option<f64>,
    /// Rules for small packets.
    pub small: Option<Small>,
}

impl Settings {
    /// The rate in bytes per second that the equation allows a flow of packets of `size` bytes at loss event rate `p`.
    pub fn equation(&self, size: f64, rtt: Span, p: f64) -> f64 {
        let r = rtt.secs();
        let t_rto = match self.rto {
            Rto::FourRtt => 4.0 * r,
            Rto::AtLeastASecond => (4.0 * r).max(1.0),
        };
        //= specs/papers/tfrc.md#throughput-equation
        //# X = s / (R sqrt(2 b p / 3) + t_RTO (3 sqrt(3 b p / 8) p (1 + 32 p^2)))
        let rate = |s: f64| {
            let timeouts = 3.0 * num::sqrt(3.0 * self.b * p / 8.0) * p * (1.0 + 32.0 * p * p);
            s / (r * num::sqrt(2.0 * self.b * p / 3.0) + t_rto * timeouts)
        };
        match self.small {
            None => rate(size),
            //= specs/papers/tfrc.md#small-packets
            //# X = X(s_nominal) s / (s + H)
            Some(small) => rate(small.nominal) * size / (size + small.header),
        }
    }

    /// The loss event rate at which the equation gives `rate`: how the history of losses begins.
    pub fn inverse(&self, size: f64, rtt: Span, rate: f64) -> f64 {
        let (mut low, mut high) = (1e-9, 1.0);
        // halves the ratio's logarithm each time: 30 bits of it remain after as many steps
        for _ in 0..48 {
            let middle = num::sqrt(low * high);
            if self.equation(size, rtt, middle) > rate {
                low = middle;
            } else {
                high = middle;
            }
        }
        num::sqrt(low * high)
    }
}

#[cfg(test)]
pub(crate) const PLAIN: Settings = Settings {
    b: 1.0,
    rto: Rto::FourRtt,
    rtt_gain: 0.9,
    reorder: 3,
    longest_gap: Span::from_millis(64_000),
    ecn: false,
    floor: None,
    small: None,
};

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Span = Span::from_millis(100);

    #[test]
    fn the_equation_at_one_percent() {
        // 0.1 sqrt(0.02 / 3) = 0.00816497; sqrt(0.03 / 8) = 0.0612372; 3 * that * 0.01 * 1.0032 = 0.00184300;
        // times 0.4 = 0.000737198; 1000 / 0.00890216 = 112 332 B/s
        let x = PLAIN.equation(1000.0, RTT, 0.01);
        assert!((x - 112_332.0).abs() < 1.0, "{x}");
    }

    #[test]
    fn an_ack_may_cover_two_packets() {
        // 0.1 sqrt(0.04 / 3) = 0.01154701; 3 sqrt(0.06 / 8) * 0.01 * 1.0032 = 0.00260639; times 0.4 = 0.00104256;
        // 1000 / 0.01258956 = 79 431 B/s
        let x = Settings { b: 2.0, ..PLAIN }.equation(1000.0, RTT, 0.01);
        assert!((x - 79_431.0).abs() < 1.0, "{x}");
    }

    #[test]
    fn the_timeout_may_last_a_second() {
        // 0.00816497 + 1 * 0.00184300 = 0.01000797: 99 920 B/s
        let x = Settings { rto: Rto::AtLeastASecond, ..PLAIN }.equation(1000.0, RTT, 0.01);
        assert!((x - 99_920.0).abs() < 1.0, "{x}");
        // at 400 ms RTT both are more: 1.6 s
        let long = Span::from_millis(400);
        let [a, b] =
            [Rto::FourRtt, Rto::AtLeastASecond].map(|rto| Settings { rto, ..PLAIN }.equation(1000.0, long, 0.01));
        assert_eq!(a, b);
    }

    #[test]
    fn small_packets_get_the_rate_of_large_ones_less_their_headers() {
        // 112 332 * 1.46 = 164 005 B/s for 1460 bytes; times 100 / 140: 117 146 B/s
        let small = Small { nominal: 1460.0, header: 40.0, gap: Span::from_millis(10) };
        let x = Settings { small: Some(small), ..PLAIN }.equation(100.0, RTT, 0.01);
        assert!((x - 117_146.0).abs() < 2.0, "{x}");
    }

    #[test]
    fn an_ack_of_two_packets_makes_less() {
        // 0.1 sqrt(0.04 / 3) = 0.0115470; 3 sqrt(0.06 / 8) * 0.01 * 1.0032 = 0.00260639, times 0.4 = 0.00104256; 1000 /
        // 0.0125896
        let x = Settings { b: 2.0, ..PLAIN }.equation(1000.0, RTT, 0.01);
        assert!((x - 79_431.0).abs() < 1.0, "{x}");
    }

    #[test]
    fn the_inverse_finds_the_loss_event_rate() {
        // the worked value above, the other way round
        let p = PLAIN.inverse(1000.0, RTT, 112_332.0);
        assert!((p - 0.01).abs() < 1e-6, "{p}");
        assert!(PLAIN.inverse(1000.0, RTT, 0.0) > 0.999_999);
        assert!(PLAIN.inverse(1000.0, RTT, 1e12) < 1e-8);
    }
}
