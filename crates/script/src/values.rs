//! Words of a script as values: amounts, times, choices.

use units::Span;

/// A whole number of bytes.
pub(crate) fn amount(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is no whole number of bytes"))
}

/// Seconds with at most nine decimals, exactly.
pub(crate) fn seconds(text: &str) -> Result<Span, String> {
    let wrong = || format!("`{text}` is no time in seconds");
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    if !text.bytes().all(|b| b.is_ascii_digit() || b == b'.') || part.len() > 9 {
        return Err(wrong());
    }
    let whole: u64 = whole.parse().map_err(|_| wrong())?;
    let part: u64 = format!("{part:0<9}").parse().map_err(|_| wrong())?;
    whole.checked_mul(1_000_000_000).and_then(|ns| ns.checked_add(part)).map(Span).ok_or_else(wrong)
}

/// An amount in bytes that is a whole number of segments.
pub(crate) fn whole_segments(text: &str, mss: u32) -> Result<u32, String> {
    let bytes = amount(text)?;
    if bytes % u64::from(mss) != 0 {
        return Err(format!("`{text}` is no multiple of the MSS of {mss}"));
    }
    u32::try_from(bytes / u64::from(mss)).map_err(|_| format!("`{text}` is too much"))
}

pub(crate) fn number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("`{text}` is no whole number"))
}

pub(crate) fn real(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

pub(crate) fn at_least_one(text: &str) -> Result<u32, String> {
    number(text).and_then(|n| if n == 0 { Err("must be at least 1".to_string()) } else { Ok(n) })
}

pub(crate) fn on_off(text: &str) -> Result<bool, String> {
    choice(text, &[("on", true), ("off", false)])
}

pub(crate) fn choice<T: Copy>(text: &str, among: &[(&str, T)]) -> Result<T, String> {
    among.iter().find(|(word, _)| *word == text).map(|&(_, value)| value).ok_or_else(|| {
        let words: Vec<&str> = among.iter().map(|&(word, _)| word).collect();
        none_of(text, &words)
    })
}

pub(crate) fn none_of(text: &str, words: &[&str]) -> String {
    format!("`{text}` is none of {}", words.join(", "))
}
