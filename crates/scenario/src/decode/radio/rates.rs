//! Rates of 802.11 as they are written: "54 Mbps", or "MCS 7" where a rate alone would not say which.

use wlan::{Params, Phy, Rate};

use crate::error::{Problem, code};
use crate::read::Item;

const DSSS: [u32; 4] = [1000, 2000, 5500, 11_000];
const OFDM: [u32; 8] = [6000, 9000, 12_000, 18_000, 24_000, 36_000, 48_000, 54_000];
const SCHEME: &str = "MCS ";

/// One of these rates.
pub(super) fn one_of(item: &Item<'_>, rates: &[Rate]) -> Result<Rate, Problem> {
    let scheme = item.text().ok().and_then(|text| text.trim().strip_prefix(SCHEME)?.trim().parse::<u8>().ok());
    let is_it: Box<dyn Fn(&Rate) -> bool> = match scheme {
        Some(index) => Box::new(move |rate| matches!(rate.phy, Phy::Ht(mcs) if mcs.index() == index)),
        None => {
            let bps = item.rate()?;
            Box::new(move |rate| u64::from(rate.kbps) * 1000 == bps)
        }
    };
    rates.iter().copied().find(|rate| is_it(rate)).ok_or_else(|| {
        let names: Vec<String> = rates.iter().map(|rate| format!("\"{}\"", text(*rate))).collect();
        item.problem(code::NO_SUCH_RATE, format!("is {}, which the set does not have", item.node.value.show()))
            .hint(format!("there is {}", names.join(", ")))
    })
}

/// A list of rates out of those that the PHYs of `like` have; without symbols, any.
pub(super) fn list(item: &Item<'_>, like: &[Rate]) -> Result<Vec<Rate>, Problem> {
    let items = item.list()?;
    if items.is_empty() {
        return Err(item.problem(code::OUT_OF_RANGE, "is an empty list").hint("write at least one rate"));
    }
    let known = all_like(like);
    let one = |item: &Item<'_>| {
        if like.iter().any(|rate| rate.phy == Phy::Plain) {
            let bps = item.rate()?;
            let kbps = u32::try_from(bps / 1000).ok().filter(|kbps| *kbps >= 250);
            return kbps.map(Rate::plain).ok_or_else(|| {
                item.problem(code::OUT_OF_RANGE, format!("is {}, allowed is 250 kbps and more", item.node.value.show()))
            });
        }
        one_of(item, &known)
    };
    let mut rates: Vec<Rate> = Vec::new();
    for item in &items {
        let rate = one(item)?;
        if rates.contains(&rate) {
            let what = format!("has {} twice", item.node.value.show());
            return Err(item.problem(code::DUPLICATE_VALUE, what).hint("write each rate once"));
        }
        rates.push(rate);
    }
    Ok(rates)
}

/// Every rate of the PHYs of these.
fn all_like(like: &[Rate]) -> Vec<Rate> {
    let has = |wanted: Phy| like.iter().any(|rate| rate.phy == wanted);
    let mut all: Vec<Rate> = like.iter().copied().filter(|rate| matches!(rate.phy, Phy::Ht(_))).collect();
    if has(Phy::Dsss) {
        all.extend(DSSS.map(Rate::dsss));
    }
    if has(Phy::Ofdm) {
        all.extend(OFDM.map(Rate::ofdm));
    }
    all
}

/// A rate as it is written.
pub(super) fn text(rate: Rate) -> String {
    match rate.phy {
        Phy::Ht(mcs) => format!("{SCHEME}{}", mcs.index()),
        Phy::Dsss | Phy::Ofdm | Phy::Plain => format!("{} Mbps", f64::from(rate.kbps) / 1000.0),
    }
}

/// The rates that a station with this one may use if its rate is not fixed.
pub(super) fn choice(params: &Params, rate: Rate) -> Vec<Rate> {
    let alike = |other: &&Rate| std::mem::discriminant(&other.phy) == std::mem::discriminant(&rate.phy);
    params.rates.iter().filter(alike).copied().collect()
}

/// The fastest of them.
pub(super) fn fastest_like(params: &Params, rate: Rate) -> Rate {
    choice(params, rate).into_iter().max_by_key(|rate| rate.kbps).unwrap_or(rate)
}
