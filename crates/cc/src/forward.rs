//! Every method of [`crate::CongestionControl`], passed on: the one place for whatever only stands before an algorithm.

/// Writes the methods. `$to!(self, one => call)` makes the call on the algorithm behind `self`, under the name `one`.
macro_rules! forward {
    ($to:ident) => {
        fn on_init(&mut self, cwnd: Bytes, ssthresh: Bytes, path: &Path) {
            $to!(self, one => one.on_init(cwnd, ssthresh, path))
        }
        #[inline]
        fn on_ack(&mut self, ack: &Ack, path: &Path) {
            $to!(self, one => one.on_ack(ack, path))
        }
        fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
            $to!(self, one => one.on_congestion(event, path))
        }
        fn on_recovery_exit(&mut self, exit: &RecoveryExit, path: &Path) {
            $to!(self, one => one.on_recovery_exit(exit, path))
        }
        fn on_signal(&mut self, signal: &Signal, path: &Path) {
            $to!(self, one => one.on_signal(signal, path))
        }
        #[inline]
        fn windows(&self) -> Windows {
            $to!(self, one => one.windows())
        }
        fn set_windows(&mut self, windows: Windows) {
            $to!(self, one => one.set_windows(windows))
        }
        fn set_cwnd(&mut self, cwnd: Bytes) {
            $to!(self, one => one.set_cwnd(cwnd))
        }
        fn frozen(&self, now: Time) -> Option<Thaw> {
            $to!(self, one => one.frozen(now))
        }
        #[inline]
        fn limits_itself(&self) -> bool {
            $to!(self, one => one.limits_itself())
        }
        #[inline]
        fn pacing_rate(&self) -> Option<Rate> {
            $to!(self, one => one.pacing_rate())
        }
        fn take_round(&mut self) -> Option<Subflow> {
            $to!(self, one => one.take_round())
        }
        fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
            $to!(self, one => one.observe(out))
        }
    };
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    #[test]
    fn no_method_is_forgotten() {
        let names = |text: &'static str| -> Vec<&'static str> {
            let heads = text.lines().filter_map(|line| line.trim().strip_prefix("fn "));
            let mut names: Vec<_> = heads.filter_map(|head| head.split_once('(')).map(|(name, _)| name).collect();
            names.sort_unstable();
            names
        };
        let written = include_str!("lib.rs").split_once("pub trait CongestionControl {").unwrap().1;
        // what follows is read out of `windows`
        let written = written.split_once("    /// Congestion window.\n    #[inline]").unwrap().0;
        let passed_on = include_str!("forward.rs").split_once("#[cfg(test)]").unwrap().0;
        assert_eq!(names(passed_on), names(written));
    }
}
