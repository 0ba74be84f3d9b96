//! An endpoint that is driven from outside, event by event: what arrives and when, and what it sends.
//!
//! Everything is in bytes of the stream, the first one is 0; the endpoint's whole segments are a matter of this file.

use tcp::{Endpoint, Flags, SackBlocks, Segment, Sender};
use units::Time;

use crate::options::Options;

/// An endpoint, its clock, and what it has sent.
pub struct Driver {
    end: Endpoint,
    now: Time,
    mss: u64,
    /// Payload of the other side's segments, known from the first packet that comes, and the most that it may be.
    peer_mss: u64,
    largest: u64,
    offered: u64,
    sent: Vec<Sent>,
    refuses: bool,
}

/// A segment that left.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// When.
    pub at: Time,
    /// Header bits.
    pub flags: Flags,
    /// First byte.
    pub start: u64,
    /// One past the last byte; the same if it carries no data.
    pub end: u64,
    /// What it acknowledges.
    pub ack: Option<u64>,
    /// SACK blocks.
    pub sack: Vec<(u64, u64)>,
    /// The other side's clock as it is echoed.
    pub echo: Time,
}

/// A segment that arrives.
#[derive(Clone, Debug, Default)]
pub struct Arrived {
    /// SYN, ACK, ECE, CE, CWR.
    pub flags: Flags,
    /// First byte and one past the last; the same if it carries no data.
    pub data: (u64, u64),
    /// What it acknowledges.
    pub ack: u64,
    /// SACK blocks.
    pub sack: Vec<(u64, u64)>,
    /// Receive window, bytes.
    pub window: u64,
    /// The other side's clock, and ours as it is echoed, ns; without them the packet has no timestamps.
    pub stamps_ns: Option<(u64, u64)>,
}

impl Driver {
    /// An endpoint with these options, pairs as at the head of a script. A packet with more than the `largest` payload
    /// holds several segments, as one that segmentation offload has joined.
    pub fn new(pairs: &[(String, String)], largest: u64) -> Result<Driver, String> {
        let options = Options::from_pairs(pairs).map_err(|(at, message)| format!("{}: {message}", pairs[at].0))?;
        Ok(Driver {
            end: Endpoint::new(&options.config, &options.algorithm, options.role),
            now: Time::ZERO,
            mss: u64::from(options.config.mss),
            peer_mss: 0,
            largest,
            offered: 0,
            sent: Vec::new(),
            refuses: false,
        })
    }

    /// The clock.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The SYN leaves.
    pub fn open(&mut self) {
        self.end.open();
        self.poll();
    }

    /// The application writes that many more bytes.
    pub fn write(&mut self, bytes: u64) -> Result<(), String> {
        if !self.offered.is_multiple_of(self.mss) {
            return Err(format!("a write after one that does not end at a whole segment of {} bytes", self.mss));
        }
        self.offered += bytes;
        self.end.offer(Some(self.offered));
        self.poll();
        Ok(())
    }

    /// The clock goes on to `to_ns`; timers expire on the way. With `until_sent` it stops when something was sent.
    pub fn advance(&mut self, to_ns: u64, until_sent: bool) -> Result<(), String> {
        let to = Time(to_ns);
        while self.end.next_deadline() <= to && (!until_sent || self.sent.is_empty()) {
            self.now = self.now.max(self.end.next_deadline());
            self.end.handle_timeout(self.now);
            self.poll();
            if self.end.next_deadline() <= self.now {
                return Err("the engine leaves a deadline in the past".to_string());
            }
        }
        if !until_sent || self.sent.is_empty() {
            self.now = self.now.max(to);
        }
        Ok(())
    }

    /// The device's queue takes nothing from now on: what the endpoint would send, it has not sent.
    pub fn refuse(&mut self) {
        self.refuses = true;
    }

    /// A segment arrives now.
    pub fn receive(&mut self, arrived: &Arrived) -> Result<(), String> {
        // RFC 9293 section 3.10.7.4: such a segment is dropped. No network here makes one, so endpoints do not look.
        if !arrived.flags.has(Flags::SYN) && arrived.ack > self.bytes(self.end.sender.snd_max()) {
            return Ok(());
        }
        let mut segment = self.header(arrived);
        let (start, end) = arrived.data;
        if start == end {
            self.take(&segment);
            return Ok(());
        }
        if self.peer_mss == 0 {
            self.peer_mss = (end - start) / (end - start).div_ceil(self.largest);
        }
        let size = self.peer_mss;
        if !start.is_multiple_of(size) || !end.is_multiple_of(size) {
            return Err(format!("data {start}:{end} that are no whole segments of {size} bytes"));
        }
        segment.flags.set(Flags::DATA);
        segment.size += size as u32;
        for number in start / size..end / size {
            segment.seq = number as u32;
            self.end.handle_segment(self.now, &segment);
        }
        self.poll(); // one ACK answers the packet, however many segments it holds
        Ok(())
    }

    /// What has left since the last call.
    pub fn take_sent(&mut self) -> Vec<Sent> {
        std::mem::take(&mut self.sent)
    }

    /// What a sender tells of itself: names as of Linux's `tcp_info` without their prefix, in segments, seconds.
    pub fn info(&self) -> Vec<(&'static str, f64)> {
        let sender = &self.end.sender;
        let cwnd = (sender.cwnd() + f64::from(sender.inflation())).max(1.0);
        let mut info = vec![
            ("snd_cwnd", cwnd.floor()),
            ("snd_ssthresh", ssthresh(sender)),
            ("unacked", f64::from(sender.flight_size())),
            ("rtt", (sender.path().srtt.secs() * 1e6).round()),
            ("min_rtt", (sender.path().rtt_min.secs() * 1e6).round()),
            ("total_retrans", sender.stats().retransmitted_segments as f64),
            ("ca_state", ca_state(sender)),
        ];
        if let Some(known) = sender.known() {
            info.extend([
                ("sacked", f64::from(known.sacked)),
                ("lost", f64::from(known.lost)),
                ("retrans", f64::from(known.resent)),
                ("reordering", f64::from(known.reordering)),
                ("reord_seen", f64::from(known.reordered)),
            ]);
        }
        info
    }

    fn take(&mut self, segment: &Segment) {
        self.end.handle_segment(self.now, segment);
        self.poll();
    }

    fn header(&self, arrived: &Arrived) -> Segment {
        let mut sack = SackBlocks::NONE;
        for &(start, end) in &arrived.sack {
            // of a segment of which only a part is reported nothing is known
            let (start, end) = (start.div_ceil(self.mss) as u32, self.segments(end));
            if start < end {
                sack.push(start, end);
            }
        }
        Segment {
            seq: 0,
            ack: self.segments(arrived.ack),
            window: (arrived.window / self.mss) as u32,
            size: 40,
            flags: arrived.flags,
            // what has none leaves the stamp to be echoed as it is (RFC 7323 section 3.2)
            ts_val: arrived.stamps_ns.map_or(self.end.receiver.ts_recent(), |stamps| Time(stamps.0)),
            ts_ecr: arrived.stamps_ns.map_or(Time::ZERO, |stamps| Time(stamps.1)),
            sack,
        }
    }

    /// How many of its own segments end at or before a byte.
    fn segments(&self, byte: u64) -> u32 {
        let whole = if byte == self.offered { byte.div_ceil(self.mss) } else { byte / self.mss };
        whole as u32
    }

    fn bytes(&self, segments: u32) -> u64 {
        self.end.bytes_in(segments)
    }

    fn poll(&mut self) {
        while !self.refuses
            && let Some(segment) = self.end.poll_transmit(self.now)
        {
            let sent = self.departure(&segment);
            self.sent.push(sent);
        }
    }

    fn departure(&self, segment: &Segment) -> Sent {
        let theirs = |number: u32| u64::from(number) * self.peer_mss;
        let start = match segment.flags.has(Flags::DATA) {
            true => u64::from(segment.seq) * self.mss,
            // a pure ACK has the number of what comes next
            false => self.bytes(self.end.sender.snd_max()),
        };
        Sent {
            at: self.now,
            flags: segment.flags,
            start,
            end: start + self.end.payload_of(segment),
            ack: segment.flags.has(Flags::ACK).then(|| theirs(segment.ack)),
            sack: segment.sack.as_slice().iter().map(|&(start, end)| (theirs(start), theirs(end))).collect(),
            echo: segment.ts_ecr,
        }
    }
}

/// Where Linux would see the sender: open 0, disorder 1, CWR 2, recovery 3, loss 4.
fn ca_state(sender: &Sender) -> f64 {
    let known = sender.known().unwrap_or_default();
    match () {
        () if known.after_timeout => 4.0,
        () if sender.in_recovery() => 3.0,
        () if sender.comes_down() => 2.0,
        () if known.sacked + sender.dupacks() > 0 => 1.0,
        () => 0.0,
    }
}

/// ssthresh in segments; what no loss has set is Linux's `TCP_INFINITE_SSTHRESH`.
fn ssthresh(sender: &Sender) -> f64 {
    const NEVER_SET: f64 = (1 << 20) as f64;
    let segments = sender.ssthresh_segments();
    if segments >= NEVER_SET { 2_147_483_647.0 } else { segments.floor() }
}

/// Header bits by the words that stand for them.
const WORDS: [(Flags, &str); 10] = [
    (Flags::SYN, "syn"),
    (Flags::ACK, "ack"),
    (Flags::DATA, "data"),
    (Flags::PROBE, "probe"),
    (Flags::ECT, "ect"),
    (Flags::CE, "ce"),
    (Flags::ECE, "ece"),
    (Flags::CWR, "cwr"),
    (Flags::ECT1, "ect1"),
    (Flags::AE, "ae"),
];

/// The bits that are set, as words.
pub fn words_of(flags: Flags) -> Vec<&'static str> {
    WORDS.iter().filter(|(flag, _)| flags.has(*flag)).map(|(_, word)| *word).collect()
}

/// The bits that these words stand for.
pub fn flags_of(words: &[String]) -> Result<Flags, String> {
    let mut flags = Flags::default();
    for word in words {
        let known = WORDS.iter().find(|(_, name)| name == word).ok_or_else(|| format!("no header bit `{word}`"))?;
        flags.set(known.0);
    }
    Ok(flags)
}
