//! The trait methods that every algorithm with the fields `cwnd` and `ssthresh` writes alike.

/// Writes `on_init`, `set_cwnd`, `cwnd` and `ssthresh` for fields of `self`, or of the field named (`core.`).
macro_rules! window_methods {
    ($($part:ident .)*) => {
        fn on_init(&mut self, window: units::Bytes, ssthresh: units::Bytes, _path: &crate::Path) {
            self.$($part.)*cwnd = window;
            self.$($part.)*ssthresh = ssthresh;
        }

        fn set_cwnd(&mut self, cwnd: units::Bytes) {
            self.$($part.)*cwnd = cwnd;
        }

        #[inline]
        fn cwnd(&self) -> units::Bytes {
            self.$($part.)*cwnd
        }

        #[inline]
        fn ssthresh(&self) -> units::Bytes {
            self.$($part.)*ssthresh
        }
    };
}
