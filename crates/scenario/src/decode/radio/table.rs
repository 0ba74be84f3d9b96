//! The table of a radio: a parameter set, its numbers and rules one by one, and what each station has of its own.

use net::{Counting, QueueLimit, QueueSpec};
use serde_json::{Map, Value as Json, json};
use tcp::Profile;
use units::Span;
use wlan::params::Capture;
use wlan::{ArfStart, Error, Guard, Params, Phy, Rate, RateControl, Reception, Travel, Width};

use super::errors::Errors;
use super::rates;
use super::rows::{FAR, ROWS};
use crate::decode::depth::Depth;
use crate::decode::link::{self, COUNTINGS};
use crate::decode::queue;
use crate::error::{Place, Problem, choose, code, listed, show};
use crate::node::{Node, Table, Value};
use crate::read::{Fields, Item, matches_glob};
use crate::units::{size_text, time_text};

/// What a table says, complete.
#[derive(Clone, Debug)]
pub(crate) struct Radio {
    set: &'static str,
    /// Of a set that has a choice.
    channel: Option<(Width, Guard)>,
    pub(super) params: Params,
    /// Where it first asks for what goes by distances, and so needs positions; and the key.
    pub(super) by_distance: Option<(Place, &'static str)>,
    /// Names of the stations, in order; the lists below go with it.
    pub(crate) names: Vec<String>,
    pub(super) rates: Vec<Option<Rate>>,
    pub(super) controls: Vec<RateControl>,
    arf_start: ArfStart,
    /// Pairs that hear each other, in place of what distance makes of it.
    pub(crate) hears: Option<Vec<(usize, usize)>>,
    errors: Errors,
    pub(super) queue: QueueSpec,
    pub(super) ap_queue: QueueSpec,
    /// Limits of both, where they depend on the path.
    pub(super) depths: (Option<Depth>, Option<Depth>),
    pub(super) per_station: bool,
    pub(super) link_layer: Span,
    pub(super) arp: bool,
    pub(super) routing_bytes: u32,
}

/// Bytes of a packet that must get through where stations exchange any.
const PACKET: u32 = 1500;

/// Keys that are no number of the set, before and behind those that are.
const FIRST: &[(&str, &str)] = &[
    ("set", "parameter set of 802.11: `dot11b`, `dot11g` (default), ...; default in the profile ns2: `ns2-default`"),
    ("channel_width", "of dot11n: \"20 MHz\" (default) or \"40 MHz\""),
    ("guard_interval", "of dot11n: \"long\" (default) or \"short\""),
];
const LAST: &[(&str, &str)] = &[
    (
        "rates",
        "data rates of single stations, a table by name: { \"station/0\" = \"1 Mbps\" }; `*` stands for any text",
    ),
    ("rate_control", "\"fixed\" (default), \"arf\", \"minstrel\", or a table by name of the station"),
    ("arf_start", "where ARF begins: at the \"low\" (default) or the \"high\" end of the rates"),
    ("hears", "instead of positions: pairs of stations that hear each other, [[\"a\", \"b\"], [\"b\", \"c\"]]"),
    ("loss", "random errors of frames: \"1 %\", or a table with rate, model, burst, at, frames"),
    ("queue", "queue of each station, as that of a link; default \"50 packets\""),
    ("queue_counting", "what its limit counts, as of a link"),
    ("ap_queue", "queue of each access point; default as `queue`"),
    ("ap_queues", "\"one\" (default): an access point has one queue; \"per-station\": one for each, served in turn"),
    ("link_layer", "time from IP to the queue and from the MAC to IP; default none, in the profile ns2 \"25 us\""),
    ("arp", "the first packets to a neighbour wait for an exchange of requests and replies, as in ns-2; default false"),
    ("routing_bytes", "bytes that routing adds to packets of flows that begin at a station; default \"0 B\""),
];

/// Every key and what it means.
pub(crate) fn meanings() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = ROWS.iter().map(|row| (row.key, row.meaning));
    FIRST.iter().copied().chain(rows).chain(LAST.iter().copied())
}

const WIDTHS: &[(&str, Width)] = &[("20 MHz", Width::Mhz20), ("40 MHz", Width::Mhz40)];
const GUARDS: &[(&str, Guard)] = &[("long", Guard::Long), ("short", Guard::Short)];
const STARTS: &[(&str, ArfStart)] = &[("low", ArfStart::Low), ("high", ArfStart::High)];
const QUEUES: &[(&str, bool)] = &[("one", false), ("per-station", true)];
const FIXED: &str = "fixed";

impl Radio {
    /// Read a table, or what is meant by none; `also`: its keys that are not of a radio. The stations are called by
    /// `names`. Frames travel as `travel` says where neither the set nor a key says more.
    pub(crate) fn read(
        item: Option<&Item<'_>>,
        also: &[&str],
        names: Vec<String>,
        profile: Profile,
        travel: Travel,
    ) -> Result<Radio, Problem> {
        let nothing = Node::new(Default::default(), Value::Table(Table::default()));
        let nothing = Item { node: &nothing, path: "topology.radio".to_owned() };
        let item = item.unwrap_or(&nothing);
        check_wire_keys(item, also)?;
        let keys: Vec<&str> = meanings().map(|(key, _)| key).chain(also.iter().copied()).collect();
        let table = item.table(&keys)?;
        let (set, channel, params) = numbers(&table, profile, travel)?;
        let counting = match (table.get("queue_counting"), profile) {
            (Some(item), _) => item.word(COUNTINGS)?,
            (None, Profile::Rfc | Profile::Linux) => Counting::Waiting,
            (None, Profile::Ns2) => Counting::Ns2,
        };
        let queue = |key: &str| table.get(key).map(|item| queue::read(&item, profile, counting)).transpose();
        let own = queue("queue")?.unwrap_or((QueueSpec::drop_tail(QueueLimit::Packets(50), counting), None));
        let of_access_points = queue("ap_queue")?.unwrap_or_else(|| own.clone());
        let arf_start = table.get("arf_start").map_or(Ok(ArfStart::Low), |item| item.word(STARTS))?;
        let link_layer = match (table.get("link_layer"), profile) {
            (Some(item), _) => item.span(Span::ZERO..=Span(1_000_000_000))?,
            (None, Profile::Rfc | Profile::Linux) => Span::ZERO,
            (None, Profile::Ns2) => Span(25_000),
        };
        let rates = table.get("rates").map_or(Ok(vec![None; names.len()]), |item| {
            for_each(&item, &names, |item| rates::one_of(item, &params.rates))
        })?;
        let asked = [
            ("capture", params.rules.capture == Capture::Sinr),
            ("reception", params.radio.reception == Reception::Snr),
            ("shadowing", params.radio.shadowing_db > 0.0),
            ("fading", params.radio.rayleigh_block.is_some()),
        ];
        let by_distance = asked.into_iter().filter(|(_, asked)| *asked);
        let by_distance = by_distance.filter_map(|(key, _)| Some((table.get(key)?.node.place, key))).next();
        Ok(Radio {
            set,
            channel,
            by_distance,
            rates,
            controls: controls(&table, &names, arf_start)?,
            arf_start,
            hears: table.get("hears").map(|item| hears(&item, &names)).transpose()?,
            errors: table.get("loss").map_or(Ok(Errors::NONE), |item| Errors::read(&item))?,
            queue: own.0,
            ap_queue: of_access_points.0,
            depths: (own.1, of_access_points.1),
            per_station: table.get("ap_queues").map_or(Ok(false), |item| item.word(QUEUES))?,
            link_layer,
            arp: table.get("arp").map_or(Ok(false), |item| item.flag())?,
            routing_bytes: table.get("routing_bytes").map_or(Ok(0), |item| item.bytes(0..=1000))? as u32,
            params,
            names,
        })
    }

    /// The medium of this name on which the stations are so laid out.
    pub(super) fn spec(&self, name: &str, layout: wlan::Layout) -> wlan::MediumSpec {
        wlan::MediumSpec {
            rates: self.rates.clone(),
            rate_controls: self.controls.clone(),
            loss: self.errors.spec(),
            ..wlan::MediumSpec::new(name, self.params.clone(), layout)
        }
    }

    /// Whether a limit of a queue depends on the path.
    pub(crate) fn is_relative(&self) -> bool {
        self.depths.0.is_some() || self.depths.1.is_some()
    }

    /// Data rate of a station: the highest that it may use.
    pub(super) fn rate_of(&self, station: usize) -> Rate {
        let rate = self.rates[station].unwrap_or(self.params.rate);
        match self.controls[station] {
            RateControl::Fixed => rate,
            RateControl::Arf(_) | RateControl::Minstrel => rates::fastest_like(&self.params, rate),
        }
    }

    /// Of each station the least power at which its packets get through, at one of the rates that it may use.
    pub(super) fn least_powers(&self) -> Vec<f64> {
        let mut known: Vec<((Rate, bool), f64)> = Vec::new();
        let of = |station: usize| {
            let rate = self.rates[station].unwrap_or(self.params.rate);
            let kind = (rate, self.controls[station] == RateControl::Fixed);
            if let Some((_, power)) = known.iter().find(|(other, _)| *other == kind) {
                return *power;
            }
            let rates = if kind.1 { vec![rate] } else { rates::choice(&self.params, rate) };
            let power = least_power(&self.params, &rates);
            known.push((kind, power));
            power
        };
        (0..self.names.len()).map(of).collect()
    }

    /// The table, complete.
    pub(crate) fn effective(&self) -> Map<String, Json> {
        let mut map = Map::new();
        map.insert("set".into(), self.set.into());
        if let Some((width, guard)) = self.channel {
            map.insert("channel_width".into(), word(WIDTHS, &width));
            map.insert("guard_interval".into(), word(GUARDS, &guard));
        }
        let rows = ROWS.iter().map(|row| (row.key.to_owned(), (row.write)(&self.params)));
        map.extend(rows.filter(|(_, value)| *value != Json::Null));
        let named = |text: &dyn Fn(usize) -> Option<String>| -> Map<String, Json> {
            let one = |(at, name): (usize, &String)| text(at).map(|text| (name.clone(), json!(text)));
            self.names.iter().enumerate().filter_map(one).collect()
        };
        map.insert("rates".into(), Json::Object(named(&|at| self.rates[at].map(rates::text))));
        let control = |at: usize| control_text(self.controls[at]).to_owned();
        let alike = self.controls.iter().all(|other| *other == self.controls[0]);
        map.insert(
            "rate_control".into(),
            if alike { json!(control(0)) } else { Json::Object(named(&|at| Some(control(at)))) },
        );
        map.insert("arf_start".into(), word(STARTS, &self.arf_start));
        if let Some(pairs) = &self.hears {
            let pair = |&(a, b): &(usize, usize)| json!([self.names[a], self.names[b]]);
            map.insert("hears".into(), pairs.iter().map(pair).collect());
        }
        map.insert("loss".into(), self.errors.effective());
        map.insert("queue".into(), queue::effective(&self.queue));
        map.insert("queue_counting".into(), word(COUNTINGS, &self.queue.counting));
        map.insert("ap_queue".into(), queue::effective(&self.ap_queue));
        map.insert("ap_queues".into(), word(QUEUES, &self.per_station));
        map.insert("link_layer".into(), time_text(self.link_layer).into());
        map.insert("arp".into(), self.arp.into());
        map.insert("routing_bytes".into(), size_text(u64::from(self.routing_bytes)).into());
        map
    }
}

fn word<T: PartialEq>(words: &[(&'static str, T)], value: &T) -> Json {
    words.iter().find(|(_, other)| other == value).map_or(Json::Null, |(word, _)| json!(word))
}

/// A problem with a key that only a wire has.
fn check_wire_keys(item: &Item<'_>, also: &[&str]) -> Result<(), Problem> {
    let own = |key: &str| also.contains(&key) || meanings().any(|(known, _)| known == key);
    let table = item.open_table()?;
    let Some((key, found)) = table.entries().find(|(key, _)| link::KEYS.contains(key) && !own(key)) else {
        return Ok(());
    };
    let hint = match key {
        "delay" => "frames travel as fast as light: `travel`, and positions, say how long",
        "changes" | "outages" | "trace" | "jitter" => {
            "what the air carries follows from rates, distances and the other stations"
        }
        _ => "`loss` and the queue of each station are what air and wire have in common",
    };
    Err(found.problem(code::UNKNOWN_KEY, "is a key of wires, and this is a radio").hint(hint))
}

type Numbers = (&'static str, Option<(Width, Guard)>, Params);

/// The set with what the table says otherwise.
fn numbers(table: &Fields<'_>, profile: Profile, travel: Travel) -> Result<Numbers, Problem> {
    let sets: Vec<_> = Params::NAMES.iter().map(|name| (*name, *name)).collect();
    let set = match (table.get("set"), profile) {
        (Some(item), _) => item.word(&sets)?,
        (None, Profile::Rfc | Profile::Linux) => "dot11g",
        (None, Profile::Ns2) => "ns2-default",
    };
    let mut params = Params::named(set).expect("it is one of them");
    if params.radio.travel == Travel::None {
        params.radio.travel = travel;
    }
    let mut channel = None;
    if matches!(params.rate.phy, Phy::Ht(_)) {
        let width = table.get("channel_width").map_or(Ok(Width::Mhz20), |item| item.word(WIDTHS))?;
        let guard = table.get("guard_interval").map_or(Ok(Guard::Long), |item| item.word(GUARDS))?;
        params = params.with_channel(width, guard);
        channel = Some((width, guard));
    }
    for key in ["channel_width", "guard_interval"] {
        if let (None, Some(item)) = (channel, table.get(key)) {
            let what = format!("has no use with `{set}`, which has neither");
            return Err(item.problem(code::CONFLICT, what).hint("take a set of 802.11n, such as `dot11n`"));
        }
    }
    for (range, power) in [("receive_range", "rx_threshold"), ("sense_range", "cs_threshold")] {
        if let (Some(item), Some(_)) = (table.get(range), table.get(power)) {
            return Err(item
                .problem(code::CONFLICT, format!("says the same as `{power}`"))
                .hint("write one of the two"));
        }
    }
    for row in ROWS {
        if let Some(item) = table.get(row.key) {
            (row.read)(&mut params, &item)?;
        }
    }
    if let (Some(item), None) = (table.get("protection_rate"), params.protection.rate()) {
        return Err(item
            .problem(code::CONFLICT, "has no use without `protection`")
            .hint("write `protection = \"cts-to-self\"`"));
    }
    if let (Some(item), false) =
        (table.get("path_exponent"), matches!(params.radio.propagation, wlan::Propagation::LogDistance { .. }))
    {
        let hint = "write `propagation = \"log-distance\"`";
        return Err(item.problem(code::CONFLICT, "has no use with this propagation").hint(hint));
    }
    let senses_by_set = table.get("cs_threshold").or(table.get("sense_range")).is_none();
    if senses_by_set && params.radio.reception == wlan::Reception::Threshold {
        // what is decoded is sensed
        params.radio.cs_threshold = params.radio.cs_threshold.min(params.radio.rx_threshold);
    }
    check_order(table, &params)?;
    params.check().map_err(|error| refused(table, &error))?;
    Ok((set, channel, params))
}

/// A problem if numbers contradict each other.
fn check_order(table: &Fields<'_>, params: &Params) -> Result<(), Problem> {
    let first = |keys: &[&str]| keys.iter().find_map(|key| table.get(key));
    if params.difs <= params.sifs
        && let Some(item) = first(&["difs", "sifs"])
    {
        let (difs, sifs) = (time_text(params.difs), time_text(params.sifs));
        let what = format!("makes DIFS {difs} and SIFS {sifs}: data would go before the ACK of other data");
        return Err(item.problem(code::OUT_OF_RANGE, what).hint("write a `difs` longer than `sifs`"));
    }
    let radio = &params.radio;
    if radio.reception == wlan::Reception::Threshold
        && radio.cs_threshold > radio.rx_threshold
        && let Some(item) = first(&["sense_range", "cs_threshold", "receive_range", "rx_threshold"])
    {
        let range = |enough: f64| farthest(radio, |power| power >= enough);
        let (sensed, decoded) = (range(radio.cs_threshold), range(radio.rx_threshold));
        let what = format!("makes frames sensed up to {sensed:.1} m and decoded up to {decoded:.1} m");
        let hint = "what is decoded is sensed: write a `sense_range` of `receive_range` at least, or leave it out";
        return Err(item.problem(code::OUT_OF_RANGE, what).hint(hint));
    }
    Ok(())
}

/// Least power at which packets get through at one of these rates.
pub(super) fn least_power(params: &Params, rates: &[Rate]) -> f64 {
    rates.iter().map(|rate| params.least_power(*rate, PACKET)).fold(f64::INFINITY, f64::min)
}

/// How many metres away a frame still arrives with enough power, the luck of the place aside.
pub(super) fn farthest(radio: &wlan::Radio, enough: impl Fn(f64) -> bool) -> f64 {
    // halving finds the range to a millionth
    let (mut near, mut far) = (0.0, FAR);
    while far - near > 1e-6 * far {
        let middle = (near + far) / 2.0;
        *(if enough(radio.power_at(middle)) { &mut near } else { &mut far }) = middle;
    }
    near
}

/// What the medium refuses, at the key that is to blame.
fn refused(table: &Fields<'_>, error: &Error) -> Problem {
    let key = match error {
        Error::Zero { key } | Error::NoRates { key } | Error::Window { key, .. } => key,
        Error::Rate { key, .. } | Error::Range { key, .. } => key,
        Error::WindowOrder { .. } => "cw_max",
        Error::NoErrorTable { .. } => "reception",
        Error::NeedsSnr { key } => key,
        _ => "set",
    };
    let key = match key {
        "rates" => "data_rates",
        "shadowing_db" => "shadowing",
        "rayleigh_block" => "fading",
        key => key,
    };
    let code = if let Error::Rate { .. } = error { code::NO_SUCH_RATE } else { code::OUT_OF_RANGE };
    let other = if key == "cw_max" { "cw_min" } else { key };
    let place = table.get(key).or(table.get(other)).map_or(table.place(), |item| item.node.place);
    let problem = Problem::new(code, place, format!("`{}`: {error}", show(table.path())));
    problem.hint(error.hint().unwrap_or_else(|| format!("leave `{key}` out for what the set has")))
}

/// A value for each station that a table of patterns names.
fn for_each<T: Copy>(
    item: &Item<'_>,
    names: &[String],
    read: impl Fn(&Item<'_>) -> Result<T, Problem>,
) -> Result<Vec<Option<T>>, Problem> {
    let mut all = vec![None; names.len()];
    for (pattern, item) in item.open_table()?.entries() {
        let value = read(&item)?;
        let mut found = false;
        for (at, _) in names.iter().enumerate().filter(|(_, name)| matches_glob(pattern, name)) {
            (all[at], found) = (Some(value), true);
        }
        if !found {
            return Err(item
                .problem(code::UNKNOWN_NODE, "names no station of this radio")
                .hint(choice(pattern, names)));
        }
    }
    Ok(all)
}

fn choice(name: &str, names: &[String]) -> String {
    let few = names.iter().take(12).map(String::as_str);
    if names.len() <= 12 { choose(name, few) } else { format!("there is {} and more", listed(few)) }
}

fn control_text(control: RateControl) -> &'static str {
    match control {
        RateControl::Fixed => FIXED,
        RateControl::Arf(_) => "arf",
        RateControl::Minstrel => "minstrel",
    }
}

/// How each station chooses its rates.
fn controls(table: &Fields<'_>, names: &[String], start: ArfStart) -> Result<Vec<RateControl>, Problem> {
    let all = [RateControl::Fixed, RateControl::Arf(start), RateControl::Minstrel];
    let words = all.map(|control| (control_text(control), control));
    let Some(item) = table.get("rate_control") else { return Ok(vec![RateControl::Fixed; names.len()]) };
    if !matches!(item.node.value, Value::Table(_)) {
        return Ok(vec![item.word(&words)?; names.len()]);
    }
    let some = for_each(&item, names, |item| item.word(&words))?;
    Ok(some.into_iter().map(Option::unwrap_or_default).collect())
}

/// Pairs of stations, by name.
fn hears(item: &Item<'_>, names: &[String]) -> Result<Vec<(usize, usize)>, Problem> {
    let numbers: std::collections::BTreeMap<&str, usize> =
        names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let one = |item: &Item<'_>| {
        let name = item.text()?;
        numbers.get(name).copied().ok_or_else(|| {
            item.problem(code::UNKNOWN_NODE, format!("names \"{}\", which is no station of this radio", show(name)))
                .hint(choice(name, names))
        })
    };
    let mut pairs = Vec::new();
    for pair in &item.list()? {
        let ends = pair.list()?;
        let [a, b] = &ends[..] else {
            let what = format!("has {} names in one place, wanted is a pair", ends.len());
            return Err(pair.problem(code::WRONG_TYPE, what).hint("write [[\"a\", \"b\"], [\"b\", \"c\"]]"));
        };
        let (a, b) = (one(a)?, one(b)?);
        if a == b {
            return Err(pair.problem(code::SAME_NODE, "pairs a station with itself").hint("take the pair away"));
        }
        pairs.push((a, b));
    }
    Ok(pairs)
}
