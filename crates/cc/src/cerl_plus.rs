//! TCP CERL+ and CERL+2: CERL with a threshold factor that follows the mean RTT.
//! Source: Saedi, MSc thesis, Lakehead University, 2019, chapter 4, restated in specs/papers/cerl-plus.md.
use units::Span;

use crate::cerl::Cerl;
use crate::{Config, Path};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    the factor as printed (mean over least RTT) and its inverse are two rows, because the printed one never calls a \
    loss congestive once RTT samples differ, whatever `cerl_lmax`, `cerlp_avg` and `cerlp_window` say, which matter to the \
    inverse; CERL+2 cuts at every congestive loss and runs with either factor.";

/// Most RTT samples that a windowed mean covers.
pub const MAX_WINDOW: usize = 32;

/// CERL+ as the thesis prints it: factor mean over least RTT.
pub fn as_printed(config: &Config) -> Cerl {
    Cerl::with(config, Factor::MeanOverLeast(Mean::new(config)), true)
}

/// CERL+ with the factor turned over: least over mean RTT.
pub fn inverted(config: &Config) -> Cerl {
    Cerl::with(config, Factor::LeastOverMean(Mean::new(config)), true)
}

/// CERL+2: CERL+ without the limit of one cut per window of data.
pub fn plus2(config: &Config) -> Cerl {
    let mean = Mean::new(config);
    let factor = match config.choice("cerlp_A") {
        "t_over_avg" => Factor::LeastOverMean(mean),
        _ => Factor::MeanOverLeast(mean),
    };
    Cerl::with(config, factor, false)
}

/// `A`, the share of the longest queue that is the threshold.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Factor {
    Constant(f64),
    MeanOverLeast(Mean),
    LeastOverMean(Mean),
}

impl Factor {
    pub(crate) fn on_sample(&mut self, rtt: Span, path: &Path) {
        match self {
            Factor::Constant(_) => {}
            Factor::MeanOverLeast(mean) | Factor::LeastOverMean(mean) => mean.on_sample(rtt, path),
        }
    }

    /// The factor for a least RTT of `least`; 1 while nothing is known.
    pub(crate) fn value(&self, least: Span) -> f64 {
        let (mean, inverted) = match self {
            Factor::Constant(a) => return *a,
            Factor::MeanOverLeast(mean) => (mean.secs(), false),
            Factor::LeastOverMean(mean) => (mean.secs(), true),
        };
        if mean == 0.0 || least == Span::ZERO {
            1.0
        } else if inverted {
            //= specs/papers/cerl-plus.md#factor
            //# A = T / RTTavg (inverted)
            least.secs() / mean
        } else {
            //= specs/papers/cerl-plus.md#factor
            //# A = RTTavg / T (as printed)
            mean / least.secs()
        }
    }
}

/// Mean of the RTT samples: of all, smoothed (RFC 6298), or of the newest few.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mean {
    smoothed: Option<Span>,     // SRTT, if that is the mean wanted
    window: usize,              // samples in the window, 0 for all
    recent: [Span; MAX_WINDOW], // the newest samples, as a ring
    sum: Span,
    count: u64,
}

impl Mean {
    fn new(config: &Config) -> Mean {
        Mean {
            smoothed: (config.choice("cerlp_avg") == "srtt").then_some(Span::ZERO),
            window: config.number("cerlp_window") as usize,
            recent: [Span::ZERO; MAX_WINDOW],
            sum: Span::ZERO,
            count: 0,
        }
    }

    fn on_sample(&mut self, rtt: Span, path: &Path) {
        if self.window > 0 {
            let slot = &mut self.recent[self.count as usize % self.window];
            self.sum = self.sum - *slot;
            *slot = rtt;
        }
        self.sum += rtt;
        self.count += 1;
        if let Some(srtt) = &mut self.smoothed {
            *srtt = path.srtt;
        }
    }

    fn secs(&self) -> f64 {
        let samples = if self.window > 0 { self.count.min(self.window as u64) } else { self.count };
        match self.smoothed {
            Some(srtt) if self.window == 0 => srtt.secs(),
            _ if samples == 0 => 0.0,
            _ => self.sum.secs() / samples as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cerl::tests::sampled;
    use crate::testing::dup_acks;
    use crate::{Congestion, CongestionControl, Response};

    fn answer(config: &Config, rtts_ms: &[u64]) -> Response {
        let (mut cerl, path) = sampled(config, rtts_ms);
        cerl.on_congestion(&dup_acks(), &path)
    }

    fn named(name: &str) -> Config {
        Config::named(name).unwrap()
    }

    #[test]
    fn the_inverted_factor_shrinks_as_the_mean_queue_grows() {
        // T 100, mean 133.3, A = 0.75, lmax 60: N = 45 ms; l = 40 is random where CERL (N = 33) says congestion
        assert_eq!(answer(&named("cerl-plus-inverted"), &[100, 160, 140]), Response::Random);
        // 100, 160, 150: mean 136.7, A = 0.7317, N = 43.9 ms; l = 50 is congestion
        assert_eq!(answer(&named("cerl-plus-inverted"), &[100, 160, 150]), Response::Reduced);
    }

    #[test]
    fn the_printed_factor_calls_no_loss_congestive_once_samples_differ() {
        // A = 133.3 / 100 = 1.333, N = 1.333 * 60 = 80 ms
        assert_eq!(answer(&named("cerl-plus"), &[100, 160, 140]), Response::Random);
        // even with the longest queue of all: mean 130, A = 1.3, N = 78 ms; l = 60
        assert_eq!(answer(&named("cerl-plus"), &[100, 160]), Response::Random);
        // before samples differ A = 1 and N = l = 0
        assert_eq!(answer(&named("cerl-plus"), &[100, 100]), Response::Reduced);
    }

    #[test]
    fn plus2_cuts_again_in_the_same_window() {
        let mut config = named("cerlplus2");
        config.set_choice("cerlp_A", "t_over_avg").unwrap();
        let (mut cerl, path) = sampled(&config, &[100, 160, 150]);
        let again = Congestion { cut_already: true, ..dup_acks() };
        assert_eq!(cerl.on_congestion(&again, &path), Response::Reduced);
        // CERL+ does not
        let (mut cerl, path) = sampled(&named("cerl-plus-inverted"), &[100, 160, 150]);
        assert_eq!(cerl.on_congestion(&again, &path), Response::SameWindow);
    }

    #[test]
    fn plus2_runs_with_either_factor() {
        let mut config = named("cerl-plus2");
        assert_eq!(answer(&config, &[100, 160, 150]), Response::Random);
        config.set_choice("cerlp_A", "t_over_avg").unwrap();
        assert_eq!(answer(&config, &[100, 160, 150]), Response::Reduced);
    }

    #[test]
    fn the_mean_may_cover_the_newest_samples_only() {
        let mut config = named("cerl-plus-inverted");
        config.set_number("cerlp_window", 2.0).unwrap();
        // newest two of 100, 160, 140: mean 150
        let mut mean = Mean::new(&config);
        let path = crate::path::test_path();
        for ms in [100, 160, 140] {
            mean.on_sample(Span::from_millis(ms), &path);
        }
        assert_eq!(mean.secs(), 0.150);
        // and of two more: (140 + 100) / 2, (100 + 300) / 2
        for (ms, secs) in [(100, 0.120), (300, 0.200)] {
            mean.on_sample(Span::from_millis(ms), &path);
            assert_eq!(mean.secs(), secs);
        }
        // mean 150.5, A = 0.664, N = 39.9 ms: l = 41 is congestion; the mean of all, 133.7, gives N = 44.9: random
        assert_eq!(answer(&config, &[100, 160, 141]), Response::Reduced);
        assert_eq!(answer(&named("cerl-plus-inverted"), &[100, 160, 141]), Response::Random);
    }

    #[test]
    fn the_factors_and_thresholds_of_three_samples() {
        // 100, 160, 140 ms: mean 133.33, lmax 60. 100/133.33 = 0.75 and 45 ms, 133.33/100 = 1.3333 and 80 ms
        let least = Span::from_millis(100);
        for (inverted, factor, threshold_ms) in [(true, 0.75, 45.0), (false, 1.333_333, 80.0)] {
            let mut mean = Mean::new(&named("cerl-plus"));
            [100, 160, 140].iter().for_each(|&ms| mean.on_sample(Span::from_millis(ms), &Path::default()));
            let of = if inverted { Factor::LeastOverMean(mean) } else { Factor::MeanOverLeast(mean) };
            assert!((of.value(least) - factor).abs() < 1e-6);
            assert!((of.value(least) * 60.0 - threshold_ms).abs() < 1e-4);
        }
    }

    #[test]
    fn a_window_of_samples_goes_before_the_smoothed_rtt() {
        // newest two of 100, 160, 141: mean 150.5, N = 39.9 ms: l = 41 is congestion; the smoothed RTT of 100 gives N =
        // 60
        let mut config = named("cerl-plus-inverted");
        config.set_choice("cerlp_avg", "srtt").unwrap();
        assert_eq!(answer(&config, &[100, 160, 141]), Response::Random);
        config.set_number("cerlp_window", 2.0).unwrap();
        assert_eq!(answer(&config, &[100, 160, 141]), Response::Reduced);
    }

    #[test]
    fn the_mean_may_be_the_smoothed_rtt() {
        let mut config = named("cerl-plus-inverted");
        config.set_choice("cerlp_avg", "srtt").unwrap();
        // the test path's SRTT is 100 ms: A = 1, N = 60 ms
        assert_eq!(answer(&config, &[100, 160, 150]), Response::Random);
    }
}
