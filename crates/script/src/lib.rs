//! Packet scripts: a TCP test written as a timeline of packets and assertions, played against one [`tcp::Endpoint`].
//!
//! ```text
//! # Third duplicate ACK: retransmit at once, halve. RFC 5681 section 3.2, steps 2 and 3.
//! cc newreno    mss 1000    cwnd 10000    sack off
//! +0.000  write 10000
//! +0.000  > 0:10000
//! +0.100  < ack 0  x3
//! +0.000  > 0:1000                       # the retransmission
//! +0.000  ? ssthresh 5000  cwnd 8000     # flight 10000 / 2, plus three segments that have left
//! ```
//!
//! Options come first, as pairs of a name and a value (see [`Options`]). Then come steps, each with `+` and the seconds
//! since the step before. Time zero is when the connection opened. Amounts are in bytes, times in seconds; `#` begins a
//! comment.
//!
//! | step | meaning |
//! |---|---|
//! | `write 5000`, `write forever` | the application writes this many more bytes, or without end |
//! | `open` | the SYN leaves, in scripts with `handshake off` |
//! | `< ack 3000 x3` | a pure ACK arrives, three times |
//! | `< ack 0 sack 1000:2000 4000:5000 win 9000 ece ts 0.1` | with SACK blocks, a window (for this and all later segments), an ECN echo, an echo of the timestamp of 0.1 s |
//! | `< data 0:2000 ack 0 ce cwr ts 0.1` | data arrive, one segment after another |
//! | `< syn`, `< syn ack` | the other side opens, or answers |
//! | `> 0:1000 4000:6000 ect cwr ack 0` | these data segments have been sent now, in this order |
//! | `> ack 2000 sack 3000:4000 ece ts 0.1 win 0` | a pure ACK has been sent now, with exactly these blocks |
//! | `> syn`, `> syn ack` | a SYN has been sent now |
//! | `handover begins`, `handover ends` | the link layer tells the sender; `freeze`, `thaw` tell the receiver |
//! | `> probe`, `< probe` | a probe of a closed window has been sent now, or arrives |
//! | `> none` | nothing has been sent that was not named yet |
//! | `> any` | whatever has been sent now, if anything |
//! | `? cwnd 8000 ssthresh 5000 flight 10000 una 0` | windows (cwnd with the inflation of fast recovery), flight size, oldest outstanding byte |
//! | `? srtt 0.1 rto 1 timer 0.9` | RTT estimate; the RTO with which the retransmission timer was last started; the time left until it expires (`timer off`: none) |
//! | `? state recovery timeouts 1` | `closed`, `syn-sent`, `syn-received`, `open` or `recovery`; timeouts so far |
//!
//! [`Driver`] is the same endpoint for programs that read another language.
//!
//! A sent segment has exactly the header bits named. Every sent segment must be named before the clock moves on. A
//! timer that expires at the time of a step expires before the step.
#![forbid(unsafe_code)]

mod driver;
mod options;
mod parse;
mod play;
mod script;
mod values;

pub use driver::{Arrived, Driver, Sent, flags_of, words_of};
pub use options::Options;
pub use script::{Error, Script};

impl Script {
    /// Read a script. `file` is its name, for messages only.
    pub fn parse(file: &str, text: &str) -> Result<Script, Error> {
        parse::parse(file, text)
    }

    /// Play it against a new endpoint, up to the first step that does not hold.
    pub fn play(&self) -> Result<(), Error> {
        play::play(self)
    }
}
