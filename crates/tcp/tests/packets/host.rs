//! One endpoint driven by hand.

use tcp::{Config, Endpoint, Flags, InitialWindow, Profile, Role, SackBlocks, Segment};
use units::{Span, Time};

const MSS: u32 = 1000;
const HANDSHAKE: Span = Span::from_millis(100);

/// An endpoint, its clock, and what it has sent that no assertion has looked at yet.
pub struct Host {
    pub end: Endpoint,
    now: Time,
    opened: Time,
    sent: Vec<Segment>,
    written: u64,
    /// Window that the peer advertises, segments.
    pub peer_window: u32,
}

impl Host {
    /// Not opened yet. Segments of 1000 bytes; `change` adjusts the other rules.
    pub fn closed(rules: Config, algorithm: &str, role: Role, change: impl FnOnce(&mut Config)) -> Host {
        let mut config = Config { mss: MSS, ..rules };
        change(&mut config);
        let algorithm = cc::Config::named(algorithm).expect("an algorithm of the registry");
        let end = Endpoint::new(&config, &algorithm, role);
        Host { end, now: Time::ZERO, opened: Time::ZERO, sent: Vec::new(), written: 0, peer_window: config.window }
    }

    /// Open after a handshake of 100 ms; time counts from there.
    pub fn open(rules: Config, algorithm: &str, change: impl FnOnce(&mut Config)) -> Host {
        let mut host = Host::closed(rules, algorithm, Role::Active { peer_sends: false }, change);
        host.handshake(HANDSHAKE);
        host
    }

    /// As `open` with the rules of the RFCs before RACK-TLP, a cwnd of `cwnd` segments and a threshold equal to it, so
    /// that growth is congestion avoidance; without limited transmit.
    pub fn rfc(algorithm: &str, cwnd: u32, change: impl FnOnce(&mut Config)) -> Host {
        Host::with_cwnd(Config::classic(), algorithm, cwnd, change)
    }

    /// As [`Host::rfc`] with the `ns2` profile.
    pub fn ns2(algorithm: &str, cwnd: u32, change: impl FnOnce(&mut Config)) -> Host {
        Host::with_cwnd(Config::profile(Profile::Ns2), algorithm, cwnd, change)
    }

    fn with_cwnd(rules: Config, algorithm: &str, cwnd: u32, change: impl FnOnce(&mut Config)) -> Host {
        Host::open(rules, algorithm, |config| {
            config.initial_window = InitialWindow::Segments(cwnd);
            config.initial_ssthresh = Some(cwnd);
            config.limited_transmit = 0;
            change(config);
        })
    }

    /// The application stops now.
    pub fn stop(&mut self) {
        self.end.sender.stop(self.now);
    }

    /// The SYN leaves now, its answer arrives `rtt` later.
    pub fn handshake(&mut self, rtt: Span) {
        self.end.open();
        self.poll();
        let syn = self.sent.pop().expect("a SYN");
        assert!(syn.flags.has(Flags::SYN));
        self.now += rtt;
        self.syn_ack();
    }

    /// The answer to the SYN arrives.
    pub fn syn_ack(&mut self) {
        self.syn_ack_of(Time::ZERO);
    }

    /// The answer to the SYN that left at `sent` arrives.
    pub fn syn_ack_of(&mut self, sent: Time) {
        self.opened = self.now;
        self.receive(Segment { flags: Flags(Flags::SYN.0 | Flags::ACK.0), ts_ecr: sent, ..self.blank(0) });
    }

    fn blank(&self, ack: u32) -> Segment {
        Segment {
            seq: 0,
            ack,
            window: self.peer_window,
            size: 40,
            flags: Flags::ACK,
            ts_val: self.now,
            ts_ecr: Time::ZERO,
            sack: SackBlocks::NONE,
        }
    }

    fn poll(&mut self) {
        while let Some(segment) = self.end.poll_transmit(self.now) {
            self.sent.push(segment);
        }
    }

    // ---- what happens ----

    /// A segment arrives.
    pub fn receive(&mut self, segment: Segment) {
        self.end.handle_segment(self.now, &segment);
        self.poll();
    }

    /// The clock moves on to `ms` after the opening; timers expire on the way.
    pub fn at(&mut self, ms: u64) {
        let to = self.opened + Span::from_millis(ms);
        assert!(to >= self.now, "time goes back to {ms} ms");
        while self.end.next_deadline() <= to {
            self.timeout();
        }
        self.now = to;
    }

    /// The time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The clock moves on to this time, and no timer expires.
    pub fn set_now(&mut self, now: Time) {
        self.now = now;
    }

    /// The clock moves on to the next deadline.
    pub fn timeout(&mut self) {
        self.now = self.now.max(self.end.next_deadline());
        assert!(self.now < Time::NEVER, "no timer runs");
        self.end.handle_timeout(self.now);
        self.poll();
        assert!(self.end.next_deadline() > self.now, "a deadline in the past");
    }

    /// The application writes `bytes` more.
    pub fn write(&mut self, bytes: u64) {
        self.written += bytes;
        self.end.offer(Some(self.written));
        self.poll();
    }

    /// A pure ACK arrives.
    pub fn ack(&mut self, ack: u32) {
        self.receive(self.blank(ack));
    }

    /// A pure ACK arrives that the receiver held back.
    pub fn held_ack(&mut self, ack: u32) {
        self.receive(Segment { flags: Flags(Flags::ACK.0 | Flags::DELAYED.0), ..self.blank(ack) });
    }

    /// The same pure ACK arrives `times` times.
    pub fn acks(&mut self, ack: u32, times: usize) {
        (0..times).for_each(|_| self.ack(ack));
    }

    /// A pure ACK with SACK blocks arrives.
    pub fn sack(&mut self, ack: u32, blocks: &[(u32, u32)]) {
        let mut segment = self.blank(ack);
        blocks.iter().for_each(|b| segment.sack.push(b.0, b.1));
        self.receive(segment);
    }

    /// The same with the timestamp of a segment sent `sent_ms` after the opening.
    pub fn sack_of_stamp(&mut self, ack: u32, blocks: &[(u32, u32)], sent_ms: u64) {
        let mut segment = Segment { ts_ecr: self.opened + Span::from_millis(sent_ms), ..self.blank(ack) };
        blocks.iter().for_each(|b| segment.sack.push(b.0, b.1));
        self.receive(segment);
    }

    /// A pure ACK that echoes a congestion mark arrives.
    pub fn ece(&mut self, ack: u32) {
        self.receive(Segment { flags: Flags(Flags::ACK.0 | Flags::ECE.0), ..self.blank(ack) });
    }

    /// A pure ACK that echoes the timestamp of a segment sent `sent_ms` after the opening.
    pub fn ack_of_stamp(&mut self, ack: u32, sent_ms: u64) {
        self.receive(Segment { ts_ecr: self.opened + Span::from_millis(sent_ms), ..self.blank(ack) });
    }

    /// A data segment of the peer arrives.
    pub fn peer_data(&mut self, seq: u32, ack: u32) {
        self.receive(Segment { seq, size: 40 + MSS, flags: Flags(Flags::ACK.0 | Flags::DATA.0), ..self.blank(ack) });
    }

    // ---- what must have left ----

    /// All segments sent since the last look.
    pub fn taken(&mut self) -> Vec<Segment> {
        std::mem::take(&mut self.sent)
    }

    /// These data segments left since the last look, in this order, and nothing else.
    #[track_caller]
    pub fn sent(&mut self, numbers: impl IntoIterator<Item = u32>) {
        let taken = self.taken();
        assert!(taken.iter().all(|s| s.flags.has(Flags::DATA)), "only data: {taken:?}");
        let sent: Vec<u32> = taken.iter().map(|s| s.seq).collect();
        assert_eq!(sent, numbers.into_iter().collect::<Vec<_>>());
    }

    /// Nothing left since the last look.
    #[track_caller]
    pub fn silent(&mut self) {
        self.sent([]);
    }

    // ---- what it thinks ----

    /// cwnd and ssthresh, segments, within rounding.
    #[track_caller]
    pub fn windows(&self, cwnd: f64, ssthresh: f64) {
        let is = (self.end.sender.cwnd(), self.end.sender.ssthresh_segments());
        assert!((is.0 - cwnd).abs() < 1e-9 && (is.1 - ssthresh).abs() < 1e-9, "{is:?}, not {:?}", (cwnd, ssthresh));
    }

    /// When the next timer expires, milliseconds after the opening.
    pub fn deadline_ms(&self) -> f64 {
        self.end.next_deadline().since(self.opened).secs() * 1000.0
    }

    /// Expiries of the retransmission timer.
    pub fn timeouts(&self) -> u64 {
        self.end.sender.stats().timeouts
    }
}
