//! Quantities as people write them: a number and its unit.

use units::Span;

/// What a quantity measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Bits per second.
    Rate,
    /// Nanoseconds.
    Time,
    /// Bytes.
    Size,
    /// Packets.
    Packets,
    /// Bandwidth-delay products of the path.
    Products,
    /// Segments.
    Segments,
    /// Hundredths.
    Percent,
    /// Metres.
    Length,
    /// Metres per second.
    Speed,
    /// Watts.
    Power,
    /// Decibels.
    Level,
    /// Hertz.
    Frequency,
    /// Frames on air.
    Frames,
}

/// A unit: its word, what it measures, and how many base units it is.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) word: &'static str,
    pub(crate) kind: Kind,
    factor: f64,
}

const fn unit(word: &'static str, kind: Kind, factor: f64) -> Unit {
    Unit { word, kind, factor }
}

/// Every unit. Within a kind that is printed, the larger come first.
static UNITS: &[Unit] = &[
    unit("Tbps", Kind::Rate, 1e12),
    unit("Gbps", Kind::Rate, 1e9),
    unit("Mbps", Kind::Rate, 1e6),
    unit("kbps", Kind::Rate, 1e3),
    unit("bps", Kind::Rate, 1.0),
    unit("h", Kind::Time, 3600e9),
    unit("min", Kind::Time, 60e9),
    unit("s", Kind::Time, 1e9),
    unit("ms", Kind::Time, 1e6),
    unit("us", Kind::Time, 1e3),
    unit("\u{b5}s", Kind::Time, 1e3),  // the micro sign
    unit("\u{3bc}s", Kind::Time, 1e3), // the Greek letter
    unit("ns", Kind::Time, 1.0),
    unit("TB", Kind::Size, 1e12),
    unit("GB", Kind::Size, 1e9),
    unit("MB", Kind::Size, 1e6),
    unit("kB", Kind::Size, 1e3),
    unit("GiB", Kind::Size, 1_073_741_824.0),
    unit("MiB", Kind::Size, 1_048_576.0),
    unit("KiB", Kind::Size, 1024.0),
    unit("B", Kind::Size, 1.0),
    unit("packets", Kind::Packets, 1.0),
    unit("packet", Kind::Packets, 1.0),
    unit("bdp", Kind::Products, 1.0),
    unit("BDP", Kind::Products, 1.0),
    unit("segments", Kind::Segments, 1.0),
    unit("segment", Kind::Segments, 1.0),
    unit("%", Kind::Percent, 1.0),
    unit("km", Kind::Length, 1e3),
    unit("m", Kind::Length, 1.0),
    unit("m/s", Kind::Speed, 1.0),
    unit("W", Kind::Power, 1.0),
    unit("mW", Kind::Power, 1e-3),
    unit(DBM, Kind::Power, 1.0),
    unit("dB", Kind::Level, 1.0),
    unit("GHz", Kind::Frequency, 1e9),
    unit("MHz", Kind::Frequency, 1e6),
    unit("kHz", Kind::Frequency, 1e3),
    unit("Hz", Kind::Frequency, 1.0),
    unit("frames", Kind::Frames, 1.0),
    unit("frame", Kind::Frames, 1.0),
];

/// The unit of power that is no multiple of the watt.
const DBM: &str = "dBm";

impl Kind {
    /// The kind with its article.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Kind::Rate => "a rate",
            Kind::Time => "a time",
            Kind::Size => "a size",
            Kind::Packets => "a number of packets",
            Kind::Products => "a number of bandwidth-delay products",
            Kind::Segments => "a number of segments",
            Kind::Percent => "a percentage",
            Kind::Length => "a length",
            Kind::Speed => "a speed",
            Kind::Power => "a power",
            Kind::Level => "a number of decibels",
            Kind::Frequency => "a frequency",
            Kind::Frames => "a number of frames",
        }
    }

    /// A value of this kind, as it is written.
    pub(crate) fn example(self) -> &'static str {
        match self {
            Kind::Rate => "8 Mbps",
            Kind::Time => "50 ms",
            Kind::Size => "1460 B",
            Kind::Packets => "50 packets",
            Kind::Products => "1 bdp",
            Kind::Segments => "64 segments",
            Kind::Percent => "1 %",
            Kind::Length => "20 m",
            Kind::Speed => "3e8 m/s",
            Kind::Power => "16 dBm",
            Kind::Level => "10 dB",
            Kind::Frequency => "2.437 GHz",
            Kind::Frames => "10 frames",
        }
    }

    /// The unit that somebody who wrote a bare number probably meant.
    pub(crate) fn usual_unit(self) -> &'static str {
        match self {
            Kind::Rate => "Mbps",
            Kind::Time => "ms",
            Kind::Size => "B",
            Kind::Packets => "packets",
            Kind::Products => "bdp",
            Kind::Segments => "segments",
            Kind::Percent => "%",
            Kind::Length => "m",
            Kind::Speed => "m/s",
            Kind::Power => DBM,
            Kind::Level => "dB",
            Kind::Frequency => "GHz",
            Kind::Frames => "frames",
        }
    }

    /// The units of this kind.
    pub(crate) fn units(self) -> impl Iterator<Item = &'static str> + Clone {
        UNITS.iter().filter(move |unit| unit.kind == self).map(|unit| unit.word)
    }
}

/// Why a text is not a quantity.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Unreadable {
    /// It does not begin with a finite number.
    NoNumber,
    /// A number and nothing else.
    NoUnit(f64),
    /// A number and a word that is no unit.
    UnknownUnit(f64, String),
}

/// Read a number and its unit. The value is in the unit as written.
pub(crate) fn parse(text: &str) -> Result<(f64, &'static Unit), Unreadable> {
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | '_' | 'e' | 'E')))
        .unwrap_or(text.len());
    let (number, word) = (text[..end].replace('_', ""), text[end..].trim());
    let number = match number.parse::<f64>() {
        Ok(number) if number.is_finite() => number,
        _ => return Err(Unreadable::NoNumber),
    };
    if word.is_empty() {
        return Err(Unreadable::NoUnit(number));
    }
    match UNITS.iter().find(|unit| unit.word == word) {
        Some(unit) => Ok((number, unit)),
        None => Err(Unreadable::UnknownUnit(number, word.to_owned())),
    }
}

/// Words that people use for units, with the unit and how many of it one is.
static SPOKEN: &[(Kind, &[&str], &str, f64)] = &[
    (Kind::Time, &["d", "day", "days"], "h", 24.0),
    (Kind::Time, &["hr", "hrs", "hour", "hours"], "h", 1.0),
    (Kind::Time, &["m", "mins", "minute", "minutes"], "min", 1.0),
    (Kind::Time, &["sec", "secs", "second", "seconds"], "s", 1.0),
    (Kind::Time, &["msec", "msecs", "millis", "millisecond", "milliseconds"], "ms", 1.0),
    (Kind::Time, &["usec", "usecs", "micros", "microsecond", "microseconds"], "us", 1.0),
    (Kind::Time, &["nsec", "nsecs", "nanos", "nanosecond", "nanoseconds"], "ns", 1.0),
    (Kind::Packets, &["p", "pkt", "pkts"], "packets", 1.0),
    (Kind::Segments, &["mss", "seg", "segs", "packets", "packet"], "segments", 1.0),
    (Kind::Percent, &["percent", "pct", "perc"], "%", 1.0),
    (Kind::Length, &["meter", "meters", "metre", "metres"], "m", 1.0),
    (Kind::Length, &["kilometer", "kilometers", "kilometre", "kilometres"], "km", 1.0),
];

/// What to write instead of a unit that people use: another word for it, or one of two things, bits and bytes, a rate
/// and a size.
pub(crate) fn either(value: f64, word: &str, kind: Kind) -> Option<String> {
    let lower = word.to_lowercase();
    if let Some((_, _, unit, count)) = SPOKEN.iter().find(|row| row.0 == kind && row.1.contains(&lower.as_str())) {
        let meant = if kind == Kind::Time && *unit == "min" { "minutes? " } else { "" };
        return Some(format!("{meant}write \"{} {unit}\"", value * count));
    }
    let (prefix, rest) = match word.char_indices().nth(1) {
        Some((at, _)) if word.starts_with(['k', 'K', 'M', 'G', 'T']) && at < word.len() => word.split_at(at),
        _ => ("", word),
    };
    let prefix = prefix.replace('K', "k");
    let bits = matches!(rest, "b" | "bit" | "bits" | "b/s" | "bit/s" | "bits/s");
    let bytes = matches!(rest, "B" | "Bps" | "B/s" | "bytes" | "byte" | "bytes/s" | "Byte/s");
    let per_second = rest.ends_with("ps") || rest.ends_with("/s");
    let eight = 8.0 * value;
    match kind {
        Kind::Rate if bits => Some(format!("for bits per second write \"{value} {prefix}bps\"")),
        Kind::Rate if bytes && per_second => Some(format!(
            "bits or bytes? {value} {word} are \"{eight} {prefix}bps\" if bytes are meant, \"{value} {prefix}bps\" if \
             bits are"
        )),
        Kind::Size if bits && !per_second => Some(format!(
            "bits or bytes? {value} {prefix}bit are \"{} {prefix}B\"; for bytes write \"{value} {prefix}B\"",
            value / 8.0
        )),
        Kind::Size if bytes => Some(format!("write \"{value} {prefix}B\"")),
        _ => None,
    }
}

impl Unit {
    /// `value` of this unit in base units. Counts of bits, bytes, nanoseconds, hertz are rounded to whole ones, as is
    /// right for everything below 2^53.
    pub(crate) fn to_base(&self, value: f64) -> f64 {
        let base = value * self.factor;
        match self.kind {
            Kind::Rate | Kind::Time | Kind::Size | Kind::Frequency => base.round(),
            Kind::Power if self.word == DBM => wlan::watts(value),
            Kind::Packets | Kind::Products | Kind::Segments | Kind::Percent | Kind::Frames => base,
            Kind::Length | Kind::Speed | Kind::Power | Kind::Level => base,
        }
    }
}

/// A whole quantity in the largest of the decimal units that leaves it whole.
fn print(kind: Kind, value: u64, words: &[&str]) -> String {
    let fitting = UNITS.iter().filter(|unit| unit.kind == kind && words.contains(&unit.word));
    for unit in fitting {
        let factor = unit.factor as u64;
        if value.is_multiple_of(factor) && (value > 0 || unit.word == words[0]) {
            return format!("{} {}", value / factor, unit.word);
        }
    }
    format!("{value} {}", kind.usual_unit())
}

/// Print a rate: `8 Mbps`.
pub(crate) fn rate_text(bps: u64) -> String {
    print(Kind::Rate, bps, &["Gbps", "Mbps", "kbps", "bps"])
}

/// Print a time: `50 ms`.
pub(crate) fn time_text(span: Span) -> String {
    print(Kind::Time, span.0, &["s", "ms", "us", "ns"])
}

/// Print a size: `75 kB`.
pub(crate) fn size_text(bytes: u64) -> String {
    // nothing is zero of the least unit
    if bytes == 0 { "0 B".to_owned() } else { print(Kind::Size, bytes, &["GB", "MB", "kB", "B"]) }
}

/// A share in percent as it is written.
pub(crate) fn percent_text(percent: f64) -> String {
    // An underflow to minus zero is a zero.
    format!("{} %", percent + 0.0)
}

/// A number as it is written, without a row of zeros.
fn number_text(value: f64) -> String {
    let plain = value == 0.0 || (1e-3..1e15).contains(&value.abs());
    // minus zero is a zero
    if plain { format!("{}", value + 0.0) } else { format!("{value:e}") }
}

/// Print a length: `250 m`.
pub(crate) fn length_text(metres: f64) -> String {
    format!("{} m", number_text(metres))
}

/// Print a speed: `3e8 m/s`.
pub(crate) fn speed_text(metres_per_second: f64) -> String {
    format!("{} m/s", number_text(metres_per_second))
}

/// Print a frequency: `2.437 GHz`.
pub(crate) fn frequency_text(hertz: f64) -> String {
    format!("{} GHz", number_text(hertz / 1e9))
}

/// Print a level: `4 dB`.
pub(crate) fn level_text(decibels: f64) -> String {
    format!("{} dB", number_text(decibels))
}

/// Print a power, in dBm if a round number of them is exactly that: `16 dBm`, `3.652e-10 W`.
pub(crate) fn power_text(watts: f64) -> String {
    let dbm = (wlan::dbm(watts) * 100.0).round() / 100.0;
    if wlan::watts(dbm) == watts { format!("{} dBm", number_text(dbm)) } else { format!("{} W", number_text(watts)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(text: &str) -> f64 {
        let (value, unit) = parse(text).unwrap();
        unit.to_base(value)
    }

    #[test]
    fn numbers_with_units() {
        assert_eq!(base("8 Mbps"), 8e6);
        assert_eq!(base("0.1ms"), 100_000.0);
        assert_eq!(base("1_000 B"), 1000.0);
        assert_eq!(base("1e3 segments"), 1000.0);
        assert_eq!(base("4 KiB"), 4096.0);
        assert_eq!(base(" 0.5 % "), 0.5);
        assert_eq!(base("-1 s"), -1e9);
    }

    #[test]
    fn what_is_not_a_quantity() {
        assert_eq!(parse("8").unwrap_err(), Unreadable::NoUnit(8.0));
        assert_eq!(parse("8 mbps").unwrap_err(), Unreadable::UnknownUnit(8.0, "mbps".into()));
        for text in ["", "Mbps", "inf ms", "nan s", "1e999 ms", "-", "1.2.3 ms", "--1 s", "é"] {
            assert_eq!(parse(text).unwrap_err(), Unreadable::NoNumber, "{text}");
        }
    }

    #[test]
    fn microseconds_as_they_are_written() {
        assert_eq!((base("5 us"), base("5 \u{b5}s"), base("5 \u{3bc}s")), (5e3, 5e3, 5e3));
        assert_eq!(time_text(Span(5_000)), "5 us");
    }

    #[test]
    fn bits_and_bytes_are_asked_for() {
        assert_eq!(either(10.0, "Mb", Kind::Rate).unwrap(), "for bits per second write \"10 Mbps\"");
        assert_eq!(either(10.0, "Kbit/s", Kind::Rate).unwrap(), "for bits per second write \"10 kbps\"");
        let both = "bits or bytes? 8 MBps are \"64 Mbps\" if bytes are meant, \"8 Mbps\" if bits are";
        assert_eq!(either(8.0, "MBps", Kind::Rate).unwrap(), both);
        let size = "bits or bytes? 10 Mbit are \"1.25 MB\"; for bytes write \"10 MB\"";
        assert_eq!(either(10.0, "Mb", Kind::Size).unwrap(), size);
        assert_eq!(either(10.0, "bytes", Kind::Size).unwrap(), "write \"10 B\"");
        assert_eq!(either(5.0, "m", Kind::Time).unwrap(), "minutes? write \"5 min\"");
        assert_eq!(either(2.0, "days", Kind::Time).unwrap(), "write \"48 h\"");
        assert_eq!(either(3.0, "Percent", Kind::Percent).unwrap(), "write \"3 %\"");
        for (word, kind) in [("mbps", Kind::Rate), ("Mb", Kind::Time), ("", Kind::Rate), ("é", Kind::Size)] {
            assert_eq!(either(1.0, word, kind), None, "{word}");
        }
    }

    #[test]
    fn quantities_print_in_the_largest_whole_unit() {
        assert_eq!(rate_text(8_000_000), "8 Mbps");
        assert_eq!(rate_text(1_500_000), "1500 kbps");
        assert_eq!(time_text(Span::from_millis(50)), "50 ms");
        assert_eq!(time_text(Span(200_000_000_001)), "200000000001 ns");
        assert_eq!(time_text(Span::ZERO), "0 s");
        assert_eq!(size_text(1460), "1460 B");
        assert_eq!(size_text(75_000), "75 kB");
    }

    #[test]
    fn every_example_is_of_its_kind() {
        let plain = [Kind::Rate, Kind::Time, Kind::Size, Kind::Packets, Kind::Products, Kind::Segments, Kind::Percent];
        let radio = [Kind::Length, Kind::Speed, Kind::Power, Kind::Level, Kind::Frequency, Kind::Frames];
        for kind in plain.into_iter().chain(radio) {
            assert_eq!(parse(kind.example()).unwrap().1.kind, kind);
            assert!(kind.units().any(|word| word == kind.usual_unit()));
        }
    }

    #[test]
    fn quantities_of_radio_read_back_as_they_print() {
        assert_eq!(power_text(wlan::watts(16.0)), "16 dBm");
        assert_eq!(power_text(3.652e-10), "3.652e-10 W");
        assert_eq!(power_text(0.281_838_15), "0.28183815 W");
        for watts in [wlan::watts(16.0), wlan::watts(-93.57), 3.652e-10, 0.281_838_15, 1e-17] {
            assert_eq!(base(&power_text(watts)), watts);
        }
        for hertz in [2.437e9, 5.18e9, 914e6, 1.0] {
            assert_eq!(base(&frequency_text(hertz)), hertz);
        }
        assert_eq!((frequency_text(2.437e9).as_str(), base("0.25 km")), ("2.437 GHz", 250.0));
        assert_eq!((length_text(-0.0).as_str(), speed_text(299_792_458.0).as_str()), ("0 m", "299792458 m/s"));
    }
}
