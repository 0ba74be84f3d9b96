//! A recorder stands before an algorithm, passes everything on, and writes it down.

use std::sync::{Arc, Mutex, PoisonError};

use cc::foreign::{Foreign, Outside};
use cc::{
    Ack, Algorithm, Config, Congestion, CongestionControl, Path, RecoveryExit, Response, Signal, Subflow, Thaw, Windows,
};
use units::{Bytes, Rate, Time};

use crate::event::{Answer, Event, path_fields};
use crate::fields::Writer;
use crate::head::{self, Connection};

/// What a recorder writes to, and who wants the tape reads from.
#[derive(Clone, Debug, Default)]
pub struct Reel(Arc<Mutex<Text>>);

#[derive(Clone, Debug, Default)]
struct Text {
    text: String,
    /// Bytes that it may have.
    most: usize,
    is_full: bool,
    /// When the first event was that found no room.
    cut: Option<Time>,
}

impl Reel {
    /// An empty one of at most so many bytes; it ends before the first line that does not fit.
    pub fn of(most: usize) -> Reel {
        Reel(Arc::new(Mutex::new(Text { most, ..Text::default() })))
    }

    /// An algorithm that does as the one given, which was built from `config`, and writes everything down here.
    pub fn record(&self, config: &Config, algorithm: Algorithm) -> Algorithm {
        let (about, path) = (head::about(config), Path::default());
        Foreign::of(Box::new(Recorder { inner: algorithm, about, path, before: None, reel: self.clone() }))
    }

    /// Take out the tape, empty before the connection opens; and when the first event was that it has no room for.
    pub fn take(&self) -> (String, Option<Time>) {
        let mut tape = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (std::mem::take(&mut tape.text), tape.cut)
    }

    /// Another one with the same on it.
    fn copy(&self) -> Reel {
        Reel(Arc::new(Mutex::new(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone())))
    }

    fn write(&self, text: &str, now: Option<Time>) {
        let mut tape = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tape.is_full |= tape.text.len() + text.len() > tape.most;
        if tape.is_full {
            tape.cut = tape.cut.or(now);
        } else {
            tape.text.push_str(text);
        }
    }
}

#[derive(Debug)]
struct Recorder {
    inner: Algorithm,
    about: String,
    /// As in the last line.
    path: Path,
    /// The algorithm before a reduction that may be taken back.
    before: Option<Algorithm>,
    reel: Reel,
}

impl Recorder {
    /// Pass an event on and write it down.
    fn pass(&mut self, event: Event, path: &Path) -> Answer {
        let answer = event.tell(&mut self.inner, path);
        self.note(event, path, answer);
        answer
    }

    fn note(&mut self, mut event: Event, path: &Path, mut answer: Answer) {
        let (mut told, mut answered, mut now) = (Writer::default(), Writer::default(), *path);
        let written = event
            .fields(&mut told, path)
            .and_then(|()| path_fields(&mut told, &mut now, &self.path))
            .and_then(|()| answer.fields(&mut answered));
        written.expect("what is written is right");
        self.path = *path;
        self.reel.write(&format!("{}{} ->{}\n", event.kind(), told.0, answered.0), event.now());
    }
}

impl CongestionControl for Recorder {
    fn on_init(&mut self, cwnd: Bytes, ssthresh: Bytes, path: &Path) {
        let windows = Windows { cwnd, ssthresh };
        // what never changes is the head's, and the rest is in the first line
        let Path { mss, whole_ssthresh, paced, dup_threshold, seed, .. } = *path;
        self.path = Path { mss, whole_ssthresh, paced, dup_threshold, seed, ..Path::default() };
        self.reel.write(&head::write(&self.about, &mut Connection { path: self.path, windows }), None);
        self.pass(Event::Open(windows), path);
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        self.pass(Event::Ack(*ack), path);
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        self.pass(Event::Congestion(*event), path).response().unwrap_or(Response::Reduced)
    }

    fn on_recovery_exit(&mut self, exit: &RecoveryExit, path: &Path) {
        self.pass(Event::RecoveryExit(*exit), path);
    }

    fn on_signal(&mut self, signal: &Signal, path: &Path) {
        let event = match *signal {
            Signal::HandoverStart { now, rto } => Event::HandoverStart { now, rto },
            Signal::HandoverEnd { now, rto } => Event::HandoverEnd { now, rto },
            Signal::IdleRestart { now } => Event::IdleRestart { now },
            Signal::Remember => {
                self.inner.remember(&mut self.before);
                Event::Remember
            }
            Signal::Restore => {
                self.inner.restore(&self.before);
                Event::Restore
            }
            Signal::Subflows { rounds, which } => Event::Subflows { rounds: rounds.to_vec(), which },
        };
        self.pass(event, path);
    }

    fn windows(&self) -> Windows {
        self.inner.windows()
    }

    fn set_windows(&mut self, windows: Windows) {
        self.pass(Event::SetWindows(windows), &self.path.clone());
    }

    fn set_cwnd(&mut self, cwnd: Bytes) {
        self.pass(Event::SetCwnd(cwnd), &self.path.clone());
    }

    fn frozen(&self, now: Time) -> Option<Thaw> {
        self.inner.frozen(now)
    }

    fn limits_itself(&self) -> bool {
        self.inner.limits_itself()
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.inner.pacing_rate()
    }

    /// Asked after every ACK, and written down where there is an answer.
    fn take_round(&mut self) -> Option<Subflow> {
        let answer = Event::TakeRound.tell(&mut self.inner, &self.path);
        if answer.round().is_some() {
            self.note(Event::TakeRound, &self.path.clone(), answer);
        }
        answer.round()
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        self.inner.observe(out);
    }
}

impl Outside for Recorder {
    /// The copy goes on with a reel of its own.
    fn copy(&self) -> Box<dyn Outside> {
        let (inner, about) = (self.inner.clone(), self.about.clone());
        let reel = self.reel.copy();
        Box::new(Recorder { inner, about, path: self.path, before: self.before.clone(), reel })
    }
}
