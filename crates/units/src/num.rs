//! Roots, powers and logarithms with the same last bit on every machine.
//!
//! Add, subtract, multiply, divide and square root are exact in IEEE 754; everything else goes through here, in pure
//! Rust, never through the platform's mathematics library.

/// Cube root.
#[inline]
pub fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}

/// Square root.
#[inline]
pub fn sqrt(x: f64) -> f64 {
    libm::sqrt(x)
}

/// `base` to the power `exponent`.
#[inline]
pub fn pow(base: f64, exponent: f64) -> f64 {
    libm::pow(base, exponent)
}

/// Natural exponential.
#[inline]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// Natural logarithm.
#[inline]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// `exp(x) - 1`, exact where x is small.
#[inline]
pub fn exp_m1(x: f64) -> f64 {
    libm::expm1(x)
}

/// `ln(1 + x)`, exact where x is small.
#[inline]
pub fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// Complementary error function.
#[inline]
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}

/// Sine of an angle in radians.
#[inline]
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

/// Cosine of an angle in radians.
#[inline]
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// Largest whole number not above `x`.
#[inline]
pub fn floor(x: f64) -> f64 {
    // Amounts in use fit 63 bits; beyond them every f64 is whole already.
    if x.abs() < 9.0e15 {
        let whole = x as i64 as f64;
        if whole > x { whole - 1.0 } else { whole }
    } else {
        x
    }
}

/// Smallest whole number not below `x`.
#[inline]
pub fn ceil(x: f64) -> f64 {
    -floor(-x)
}

/// Nearest whole number, halves upwards.
#[inline]
pub fn round(x: f64) -> f64 {
    floor(x + 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floor_and_ceil_round_towards_the_named_side() {
        assert_eq!((floor(2.7), floor(-2.1), floor(3.0)), (2.0, -3.0, 3.0));
        assert_eq!((ceil(2.1), ceil(-2.7), ceil(3.0)), (3.0, -2.0, 3.0));
    }

    #[test]
    fn round_goes_to_the_nearest_and_up_from_halves() {
        assert_eq!((round(2.49), round(2.5), round(-2.5), round(-2.51)), (2.0, 3.0, -2.0, -3.0));
    }

    #[test]
    fn cbrt_of_75_is_cubics_k() {
        // (100 - 70) / 0.4 = 75; 4.2172^3 = 75.0
        assert!((cbrt(75.0) - 4.2172).abs() < 1e-4);
    }
}
