//! Random quantities with a stated distribution.

use units::num;

use crate::stream::Stream;

/// How a quantity is distributed. Numbers are in whatever unit the quantity has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Always this.
    Constant(f64),
    /// Even between two bounds.
    Uniform {
        /// Lower bound, included.
        low: f64,
        /// Upper bound, excluded.
        high: f64,
    },
    /// Exponential.
    Exponential {
        /// Mean.
        mean: f64,
    },
    /// Normal.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        sd: f64,
    },
    /// Pareto: never below `mean (shape - 1) / shape`, with a tail that falls as `x^-shape`.
    Pareto {
        /// Mean.
        mean: f64,
        /// Shape, above 1. From 2 downwards the variance is infinite.
        shape: f64,
    },
    /// Lognormal, by the mean and standard deviation of the quantity itself, not of its logarithm.
    Lognormal {
        /// Mean, positive.
        mean: f64,
        /// Standard deviation.
        sd: f64,
    },
}

impl Distribution {
    /// One draw. A normal one can be negative; all others are not, if their parameters are not.
    pub fn draw(&self, stream: &mut Stream) -> f64 {
        match *self {
            Distribution::Constant(value) => value,
            Distribution::Uniform { low, high } => low + stream.uniform() * (high - low),
            // 1 - U lies in (0, 1]: its logarithm is finite
            Distribution::Exponential { mean } => -mean * num::ln(1.0 - stream.uniform()),
            Distribution::Normal { mean, sd } => mean + sd * standard_normal(stream),
            Distribution::Pareto { mean, shape } => {
                let least = mean * (shape - 1.0) / shape;
                least * num::pow(1.0 - stream.uniform(), -1.0 / shape)
            }
            Distribution::Lognormal { mean, sd } => {
                let variance = num::ln(1.0 + (sd / mean) * (sd / mean));
                num::exp(num::ln(mean) - variance / 2.0 + num::sqrt(variance) * standard_normal(stream))
            }
        }
    }
}

/// A draw of the standard normal distribution, by Marsaglia's polar method: a point of the unit disc, projected.
fn standard_normal(stream: &mut Stream) -> f64 {
    loop {
        let (x, y) = (2.0 * stream.uniform() - 1.0, 2.0 * stream.uniform() - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * num::sqrt(-2.0 * num::ln(square) / square);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: usize = 200_000;

    /// Mean, standard deviation and smallest of many draws.
    fn sample(distribution: Distribution) -> (f64, f64, f64) {
        let mut stream = Stream::new(3, "sample");
        let draws: Vec<f64> = (0..DRAWS).map(|_| distribution.draw(&mut stream)).collect();
        let mean = draws.iter().sum::<f64>() / DRAWS as f64;
        let variance = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / DRAWS as f64;
        (mean, variance.sqrt(), draws.iter().copied().fold(f64::INFINITY, f64::min))
    }

    #[test]
    fn means_and_deviations_are_as_stated() {
        // the mean of 200 000 draws has a standard error of sd / 447; five of them
        for (distribution, mean, sd) in [
            (Distribution::Uniform { low: 2.0, high: 8.0 }, 5.0, 1.7321), // 6 / sqrt(12)
            (Distribution::Exponential { mean: 5.0 }, 5.0, 5.0),
            (Distribution::Normal { mean: 5.0, sd: 2.0 }, 5.0, 2.0),
            (Distribution::Lognormal { mean: 5.0, sd: 2.0 }, 5.0, 2.0),
            (Distribution::Pareto { mean: 5.0, shape: 4.0 }, 5.0, 1.7678), // 5 * 3 / 4 * sqrt(4 / (9 * 2))
        ] {
            let (found, spread, _) = sample(distribution);
            assert!((found - mean).abs() < 5.0 * sd / 447.0, "{distribution:?}: mean {found}");
            assert!((spread / sd - 1.0).abs() < 0.05, "{distribution:?}: standard deviation {spread}");
        }
        let mut stream = Stream::new(3, "sample");
        assert_eq!(Distribution::Constant(7.0).draw(&mut stream), 7.0);
    }

    #[test]
    fn a_pareto_quantity_has_its_least_value_and_its_tail() {
        // mean 12, shape 1.5: least 12 * 0.5 / 1.5 = 4; P(x > 16) = (4 / 16)^1.5 = 1/8
        let distribution = Distribution::Pareto { mean: 12.0, shape: 1.5 };
        let (_, _, least) = sample(distribution);
        assert!((4.0..4.001).contains(&least), "{least}");
        let mut stream = Stream::new(4, "tail");
        let beyond = (0..DRAWS).filter(|_| distribution.draw(&mut stream) > 16.0).count() as f64;
        // binomial: 25 000 with a standard deviation of 148
        assert!((beyond - 25_000.0).abs() < 740.0, "{beyond}");
    }

    #[test]
    fn a_normal_quantity_has_its_quantiles() {
        // 15.87 % lie more than one standard deviation above the mean: 31 731 with a standard deviation of 163
        let mut stream = Stream::new(5, "quantile");
        let normal = Distribution::Normal { mean: 0.0, sd: 1.0 };
        let beyond = (0..DRAWS).filter(|_| normal.draw(&mut stream) > 1.0).count() as f64;
        assert!((beyond - 31_731.0).abs() < 820.0, "{beyond}");
    }
}
