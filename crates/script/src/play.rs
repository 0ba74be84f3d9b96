//! Playing the steps against an endpoint.

use std::collections::VecDeque;

use tcp::{Endpoint, Flags, SackBlocks, Segment, Sender, State};
use units::{Span, Time};

use crate::script::{Action, Arrival, Departure, Error, Expectation, Fact, Kind, Script, Value, What, short, since};

/// Header bits that an expectation names.
const NAMED: [(Flags, &str); 3] = [(Flags::ECT, "ect"), (Flags::CWR, "cwr"), (Flags::ECE, "ece")];
/// Windows are real numbers: assertions about them hold within this, bytes.
const BYTES_TOLERANCE: f64 = 0.1;
/// Estimates are rounded to nanoseconds: assertions about them hold within this, seconds.
const SECONDS_TOLERANCE: f64 = 1e-6;

pub(crate) fn play(script: &Script) -> Result<(), Error> {
    let mut player = Player::new(script);
    let mut last = 0;
    for step in &script.steps {
        last = step.line;
        player.step(step.wait, &step.action).map_err(|message| script.error(step.line, message))?;
    }
    player.nothing_left("at the end").map_err(|message| script.error(last, message))
}

impl Script {
    fn error(&self, line: usize, message: String) -> Error {
        Error { file: self.file.clone(), line, message }
    }
}

/// An endpoint, its clock, and what it has sent that no step has named yet.
struct Player {
    end: Endpoint,
    now: Time,
    opened: Time,
    mss: u32,
    /// Window that the other side advertises, segments.
    peer_window: u32,
    sent: VecDeque<(Time, Departure)>,
    /// Deadline of the retransmission timer after the last event, and what the timeout was when it was set.
    deadline: Time,
    rto: Option<Span>,
}

impl Player {
    fn new(script: &Script) -> Player {
        let options = &script.options;
        let mut player = Player {
            end: Endpoint::new(&options.config, &options.algorithm, options.role),
            now: Time::ZERO,
            opened: Time::ZERO,
            mss: options.config.mss,
            peer_window: options.config.window,
            sent: VecDeque::new(),
            deadline: Time::NEVER,
            rto: None,
        };
        if let Some(rtt) = options.handshake {
            player.end.open();
            player.poll();
            player.now += rtt;
            player.opened = player.now;
            let answer = player.blank(Flags(Flags::SYN.0 | Flags::ACK.0));
            player.receive(&answer);
            player.sent.clear();
        }
        player
    }

    fn step(&mut self, wait: Span, action: &Action) -> Result<(), String> {
        self.wait(wait)?;
        match action {
            Action::Open => {
                self.end.open();
                self.poll();
            }
            Action::Handover(begins) => {
                self.end.sender.on_handover(self.now, *begins);
                self.poll();
            }
            Action::Freeze(closes) => {
                if *closes {
                    self.end.freeze()
                } else {
                    self.end.thaw()
                }
                self.poll();
            }
            Action::Write(bytes) => {
                self.end.offer(*bytes);
                self.poll();
            }
            Action::Receive(arrival) => self.arrive(arrival),
            Action::Expect(Expectation::Nothing) => self.nothing_left("here")?,
            Action::Expect(Expectation::Anything) => self.sent.clear(),
            Action::Expect(Expectation::These(departures)) => self.expect(departures)?,
            Action::Check(facts) => return facts.iter().try_for_each(|fact| self.check(fact)),
        }
        Ok(())
    }

    /// The clock moves on; timers expire on the way, and nothing may leave that no step names.
    fn wait(&mut self, wait: Span) -> Result<(), String> {
        if wait == Span::ZERO {
            return Ok(());
        }
        self.nothing_left("before this")?;
        let to = self.now + wait;
        while self.end.next_deadline() <= to {
            let deadline = self.end.next_deadline();
            if deadline > self.now {
                self.nothing_left("before this")?;
            }
            self.now = self.now.max(deadline);
            self.end.handle_timeout(self.now);
            self.poll();
            if self.end.next_deadline() <= self.now {
                return Err("the engine leaves a deadline in the past".to_string());
            }
        }
        if to > self.now {
            self.nothing_left("before this")?;
        }
        self.now = to;
        Ok(())
    }

    fn poll(&mut self) {
        while let Some(segment) = self.end.poll_transmit(self.now) {
            let departure = self.departure(&segment);
            self.sent.push_back((self.now, departure));
        }
        let deadline = self.end.sender.deadline();
        if deadline != self.deadline {
            self.deadline = deadline;
            if deadline != Time::NEVER {
                self.rto = Some(deadline.since(self.now));
            }
        }
    }

    fn receive(&mut self, segment: &Segment) {
        self.end.handle_segment(self.now, segment);
        self.poll();
    }

    fn blank(&self, flags: Flags) -> Segment {
        Segment {
            seq: 0,
            ack: 0,
            window: self.peer_window,
            size: 40,
            flags,
            ts_val: self.now,
            ts_ecr: Time::ZERO,
            sack: SackBlocks::NONE,
        }
    }

    fn arrive(&mut self, arrival: &Arrival) {
        self.peer_window = arrival.window.unwrap_or(self.peer_window);
        let mut segment = self.blank(arrival.flags);
        if let Some(ack) = arrival.ack.or((!arrival.syn).then_some(0)) {
            segment.flags.set(Flags::ACK);
            segment.ack = ack;
        }
        arrival.sack.iter().for_each(|&(start, end)| segment.sack.push(start, end));
        if let Some(stamp) = arrival.stamp {
            if arrival.data.is_empty() {
                segment.ts_ecr = self.opened + stamp;
            } else {
                segment.ts_val = self.opened + stamp;
            }
        }
        if arrival.probe {
            segment.flags.set(Flags::PROBE);
        }
        if arrival.syn {
            segment.flags.set(Flags::SYN);
            if !self.end.sender.is_open() {
                self.opened = self.now;
            }
        }
        for _ in 0..arrival.times {
            if arrival.data.is_empty() {
                self.receive(&segment);
            }
            for &number in &arrival.data {
                segment.seq = number;
                segment.size = 40 + self.mss;
                segment.flags.set(Flags::DATA);
                self.receive(&segment);
            }
        }
    }

    /// A segment of the engine, in bytes.
    fn departure(&self, segment: &Segment) -> Departure {
        let bytes = |number: u32| u64::from(number) * u64::from(self.mss);
        let kind = if segment.flags.has(Flags::SYN) {
            Kind::Syn
        } else if segment.flags.has(Flags::PROBE) {
            Kind::Probe
        } else if segment.flags.has(Flags::DATA) {
            let start = bytes(segment.seq);
            Kind::Data(start, start + u64::from(segment.size - self.end.data_header()))
        } else {
            Kind::Ack
        };
        let mut flags = Flags::default();
        NAMED.iter().filter(|(flag, _)| segment.flags.has(*flag)).for_each(|(flag, _)| flags.set(*flag));
        Departure {
            kind,
            ack: segment.flags.has(Flags::ACK).then(|| bytes(segment.ack)),
            sack: segment.sack.as_slice().iter().map(|&(start, end)| (bytes(start), bytes(end))).collect(),
            window: Some(bytes(segment.window)),
            flags,
            echo: Some(Span(segment.ts_ecr.0.saturating_sub(self.opened.0))),
        }
    }

    fn expect(&mut self, departures: &[Departure]) -> Result<(), String> {
        let matches = |(expected, (_, got)): (&Departure, &(Time, Departure))| expected.is(got);
        if departures.len() <= self.sent.len() && departures.iter().zip(&self.sent).all(matches) {
            self.sent.drain(..departures.len());
            return Ok(());
        }
        Err(format!("expected `{}`, got `{}`", text(departures, departures), self.unnamed(departures)))
    }

    fn nothing_left(&self, place: &str) -> Result<(), String> {
        match self.sent.front() {
            None => Ok(()),
            Some((at, _)) => {
                let at = short(since(*at, self.opened));
                Err(format!("{place}: expected nothing more, got `{}` at {at} s", self.unnamed(&[])))
            }
        }
    }

    fn unnamed(&self, expected: &[Departure]) -> String {
        let got: Vec<Departure> = self.sent.iter().map(|(_, departure)| departure.clone()).collect();
        text(&got, expected)
    }

    fn check(&self, fact: &Fact) -> Result<(), String> {
        let got = self.value(fact.what);
        let tolerance = match fact.what {
            What::Srtt | What::Rto | What::Timer => SECONDS_TOLERANCE,
            _ => BYTES_TOLERANCE,
        };
        let holds = match (&fact.value, &got) {
            (Value::Number(expected), Value::Number(got)) => (expected - got).abs() <= tolerance,
            (Value::Word(expected), Value::Word(got)) => expected == got,
            _ => false,
        };
        if holds {
            return Ok(());
        }
        let name = format!("{:?}", fact.what).to_lowercase();
        Err(format!("expected `{name} {}`, got `{name} {}`", fact.value.text(), got.text()))
    }

    fn value(&self, what: What) -> Value {
        let sender = &self.end.sender;
        let mss = f64::from(self.mss);
        Value::Number(match what {
            What::Cwnd => (sender.cwnd() + f64::from(sender.inflation())).max(1.0) * mss,
            What::Ssthresh => sender.ssthresh_segments() * mss,
            What::Flight => {
                (self.end.bytes_in(sender.snd_una() + sender.flight_size()) - self.end.bytes_in(sender.snd_una()))
                    as f64
            }
            What::Una => self.end.bytes_in(sender.snd_una()) as f64,
            What::Srtt => sender.path().srtt.secs(),
            What::Timeouts => sender.stats().timeouts as f64,
            What::Rto => match self.rto {
                Some(rto) => rto.secs(),
                None => return Value::Word("unset".to_string()),
            },
            What::Timer => match sender.deadline() {
                Time::NEVER => return Value::Word("off".to_string()),
                at => at.since(self.now).secs(),
            },
            What::State => return Value::Word(state(sender).to_string()),
        })
    }
}

fn state(sender: &Sender) -> &'static str {
    match sender.state() {
        State::Closed => "closed",
        State::SynSent => "syn-sent",
        State::SynReceived => "syn-received",
        State::Open if sender.in_recovery() => "recovery",
        State::Open => "open",
    }
}

impl Value {
    fn text(&self) -> String {
        match self {
            Value::Number(number) => short(*number),
            Value::Word(word) => word.clone(),
        }
    }
}

impl Departure {
    /// Whether `got` is the segment expected here.
    fn is(&self, got: &Departure) -> bool {
        let free = matches!(self.kind, Kind::Data(..) | Kind::Probe) && self.ack.is_none();
        self.kind == got.kind
            && (free || self.ack == got.ack)
            && self.sack == got.sack
            && (self.window.is_none() || self.window == got.window)
            && self.flags == got.flags
            && (self.echo.is_none() || self.echo == got.echo)
    }
}

/// Segments as a script writes them; neighbours are joined. `like`: what was expected, to show no more than it asks
/// for.
fn text(departures: &[Departure], like: &[Departure]) -> String {
    let (with_ack, with_echo) = (
        like.iter().any(|d| matches!(d.kind, Kind::Data(..)) && d.ack.is_some()),
        like.iter().any(|d| d.echo.is_some()),
    );
    let with_window = like.iter().any(|d| d.window.is_some());
    let mut words: Vec<String> = Vec::new();
    let mut run: Option<(u64, u64, String)> = None;
    let flush = |run: &mut Option<(u64, u64, String)>, words: &mut Vec<String>| {
        if let Some((start, end, rest)) = run.take() {
            words.push(format!("{start}:{end}{rest}"));
        }
    };
    for departure in departures {
        let mut rest = String::new();
        if let Some(ack) = departure.ack.filter(|_| departure.kind == Kind::Ack || with_ack) {
            rest += &format!(" ack {ack}");
        }
        if !departure.sack.is_empty() {
            let blocks: Vec<String> = departure.sack.iter().map(|(start, end)| format!("{start}:{end}")).collect();
            rest += &format!(" sack {}", blocks.join(" "));
        }
        if let Some(window) = departure.window.filter(|_| with_window) {
            rest += &format!(" win {window}");
        }
        for (flag, name) in NAMED {
            if departure.flags.has(flag) {
                rest += &format!(" {name}");
            }
        }
        if let Some(echo) = departure.echo.filter(|_| with_echo) {
            rest += &format!(" ts {}", short(echo.secs()));
        }
        match (departure.kind, &mut run) {
            (Kind::Data(start, end), Some(joined)) if joined.1 == start && joined.2 == rest => joined.1 = end,
            (Kind::Data(start, end), _) => {
                flush(&mut run, &mut words);
                run = Some((start, end, rest));
            }
            (kind, _) => {
                flush(&mut run, &mut words);
                let answer = if departure.ack.is_some() { " ack" } else { "" };
                words.push(match kind {
                    Kind::Syn => format!("syn{answer}"),
                    Kind::Probe => "probe".to_string(),
                    _ => rest.trim_start().to_string(),
                });
            }
        }
    }
    flush(&mut run, &mut words);
    if words.is_empty() { "none".to_string() } else { words.join(", ") }
}
