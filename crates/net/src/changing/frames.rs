//! What a direction can carry whose capacity is granted in frames.

use units::{Span, Time};

use crate::cellular::{Frames, Granted};

impl Frames {
    /// What holds for a frame that begins at `t`.
    pub(super) fn granted(&self, t: Time) -> Granted {
        match self.granted.partition_point(|granted| granted.since <= t) {
            0 => Granted { since: t, bytes: 0, station: 0 },
            next => self.granted[next - 1],
        }
    }

    /// Bits per second of the frame at `t`, if the mobile had all of it.
    pub(super) fn rate_bps(&self, t: Time) -> f64 {
        f64::from(self.granted(t).bytes) * 8.0 / self.spec.length.secs()
    }

    /// The mean of that between two times, if the mobile had all of every frame.
    pub(super) fn mean_bps(&self, from: Time, to: Time) -> f64 {
        let ends = self.granted.iter().skip(1).map(|next| next.since).chain([Time::NEVER]);
        let held = |since: Time, until: Time| until.min(to).0.saturating_sub(since.max(from).0) as f64;
        let parts = self.granted.iter().zip(ends);
        let bytes: f64 = parts.map(|(part, until)| f64::from(part.bytes) * held(part.since, until)).sum();
        bytes * 8.0 / self.spec.length.secs() / (to.0 - from.0) as f64
    }

    /// Bytes of all frames of which some part is after `from` and before `to`.
    pub(super) fn carry(&self, from: Time, to: Time) -> u64 {
        let length = self.spec.length.0;
        let first = Time(from.0.saturating_sub(length) + u64::from(from.0 >= length));
        let ends = self.granted.iter().skip(1).map(|next| next.since).chain([Time::NEVER]);
        let frames = |since: Time, until: Time| {
            // numbers of frames that begin not before the one and before the other
            until.0.div_ceil(length).saturating_sub(since.0.div_ceil(length))
        };
        let parts = self.granted.iter().zip(ends);
        parts.map(|(part, until)| u64::from(part.bytes) * frames(part.since.max(first), until.min(to))).sum()
    }

    /// Least time from a frame's start until its last unit that carries something has ended.
    pub(super) fn least(&self) -> Span {
        let part = if self.up { self.spec.up } else { self.spec.down };
        part.start + part.unit
    }
}
