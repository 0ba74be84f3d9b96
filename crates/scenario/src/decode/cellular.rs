//! Topology `cellular`: a server, a router, base stations on a channel each, and mobiles that go from one to the other.

use net::{BaseStation, CellularSpec, FramePart, FrameSpec, HandoverRules, LinkSpec, MobileSpec, Modulation, Share};
use serde_json::{Map, Value as Json, json};
use tcp::Profile;
use units::Span;

use super::depth::Paths;
use super::handovers::QUEUES;
use super::link::{self, ForRun, Link};
use super::ways;
use crate::error::{Problem, code};
use crate::files::Files;
use crate::node::{Node, Value};
use crate::read::{Fields, HOUR, INSTANT, Item};
use crate::units::{frequency_text, length_text, level_text, time_text};

/// Base stations and mobiles.
#[derive(Clone, Debug)]
pub(crate) struct Cellular {
    preset: &'static Preset,
    backbone: Box<Link>,
    router: Box<Link>,
    radio: Box<Link>,
    modulation: Option<&'static str>,
    spec: CellularSpec,
}

/// Keys and what they mean.
pub(crate) static KEYS: &[(&str, &str)] = &[
    ("preset", "\"wimax\" (default), \"rana\" (as that paper has it), or \"lte-like\": all other values"),
    ("stations", "where base stations are: a list of \"200 m\", [\"200 m\", \"50 m\"] or { at, delay }"),
    ("radius", "how far each reaches, default \"500 m\""),
    ("path_exponent", "with which power falls with distance, 3.5; lte-like 3.76"),
    ("snr_edge", "signal to noise at the radius, \"6 dB\"; lte-like \"0 dB\""),
    ("mobile", "the way of one mobile: { from, to, speed }, or as one of `mobiles`"),
    (
        "mobiles",
        "instead: a list of { fixed = [\"0 m\", \"0 m\"] }, { line = { from, velocity } }, \
         { waypoints = [[\"0 s\", \"0 m\", \"0 m\"], ...] } or { trace = \"FILE\", node = \"NAME\" }",
    ),
    (
        "handover",
        "table with measure_every, ho_threshold, hysteresis, time_to_trigger, warn, break, queue_at_old, forward_delay",
    ),
    (
        "modulation",
        "\"by-snr\", or one for all places: \"bpsk12\", \"qpsk12\", \"qpsk34\", \"16qam12\", \"16qam34\", \"64qam23\", \"64qam34\"",
    ),
    ("frame", "table with length, share (\"bytes\", \"time\"); wimax: symbol, down, up (symbols)"),
    ("bandwidth", "lte-like: of each direction, \"10 MHz\""),
    ("radio", "queue, loss and the like of the links air/0, ... to the mobiles, as of a link without rate and delay"),
    ("router", "link from node router to the base stations"),
    ("backbone", "link from node server to router"),
];

/// All values that a description may leave out.
#[derive(Debug)]
struct Preset {
    name: &'static str,
    lte: bool,
    path_exponent: f64,
    snr_edge: f64,
    rules: HandoverRules,
    forward_delay: Span,
    modulation: Option<&'static str>,
    queue: &'static str,
    router: &'static str,
}

const fn ms(ms: u64) -> Span {
    Span::from_millis(ms)
}

const WIMAX_RULES: HandoverRules = HandoverRules {
    measure_every: ms(100),
    threshold_db: None,
    hysteresis_db: 3.0,
    time_to_trigger: ms(160),
    warn: ms(50),
    gap: ms(50),
    kept: None,
};

static PRESETS: &[Preset] = &[
    Preset {
        name: "wimax",
        lte: false,
        path_exponent: 3.5,
        snr_edge: 6.0,
        rules: WIMAX_RULES,
        forward_delay: ms(10),
        modulation: Some(BY_SNR),
        queue: "50 packets",
        router: "rate = \"100 Mbps\"\ndelay = \"1 ms\"",
    },
    Preset {
        name: "rana",
        lte: false,
        path_exponent: 3.5,
        snr_edge: 6.0,
        rules: HandoverRules {
            hysteresis_db: 0.0,
            time_to_trigger: Span::ZERO,
            warn: ms(100),
            gap: ms(500),
            ..WIMAX_RULES
        },
        forward_delay: ms(10),
        modulation: Some("16qam12"),
        queue: "50 packets",
        router: "rate = \"100 Mbps\"\ndelay = \"15 ms\"",
    },
    // the wired delay makes the round trip to the gateway 10 ms: half a frame of waiting and one of sending each way
    Preset {
        name: "lte-like",
        lte: true,
        path_exponent: 3.76,
        snr_edge: 0.0,
        rules: HandoverRules { measure_every: ms(40), warn: Span::ZERO, kept: Some(ms(5)), ..WIMAX_RULES },
        forward_delay: ms(5),
        modulation: None,
        queue: "300 packets",
        router: "rate = \"1 Gbps\"\ndelay = \"3.5 ms\"",
    },
];

const BY_SNR: &str = "by-snr";
/// Modulations of mobile WiMAX: name, signal to noise that they need, bytes of a symbol.
const MODES: &[(&str, f64, u32)] = &[
    ("bpsk12", 3.0, 12),
    ("qpsk12", 6.0, 24),
    ("qpsk34", 8.5, 36),
    ("16qam12", 11.5, 48),
    ("16qam34", 15.0, 72),
    ("64qam23", 19.0, 96),
    ("64qam34", 21.0, 108),
];
const SHARES: &[(&str, Share)] = &[("bytes", Share::Bytes), ("time", Share::Units)];
/// Symbols before the part of a frame to the mobiles, and before that from them.
const OVERHEAD: u32 = 5;
/// Symbols in which stations turn from sending to listening.
const TURN: u32 = 5;
/// Most mobiles and stations.
const MOST: usize = 1000;
/// Greatest distance, metres.
const FAR: f64 = 1e7;
const LINK: &str = "{ rate = \"100 Mbps\", delay = \"10 ms\" }";

/// The modulation of mobile WiMAX with so many bytes of a symbol.
pub(crate) fn mode_name(symbol_bytes: u32) -> Option<&'static str> {
    MODES.iter().find(|mode| mode.2 == symbol_bytes).map(|mode| mode.0)
}

/// Read the table.
pub(crate) fn read(fields: &Fields<'_>, profile: Profile, files: &Files) -> Result<Cellular, Problem> {
    let presets: Vec<_> = PRESETS.iter().map(|preset| (preset.name, preset)).collect();
    let preset = fields.get("preset").map_or(Ok(&PRESETS[0]), |item| item.word(&presets))?;
    let (modulation, in_force) = modulation(fields, preset)?;
    let number = |key: &str, default: f64, range: std::ops::RangeInclusive<f64>| match fields.get(key) {
        None => Ok(default),
        Some(item) => match item.number()? {
            found if range.contains(&found) => Ok(found),
            found => {
                let what = format!("is {found}, allowed is {} to {}", range.start(), range.end());
                let hint = format!("leave `{key}` out, which makes it {default}");
                Err(item.problem(code::OUT_OF_RANGE, what).hint(hint))
            }
        },
    };
    let mut spec = CellularSpec {
        stations: stations(fields)?,
        mobiles: vec![],
        radius: fields.get("radius").map_or(Ok(500.0), |item| item.metres(1.0..=FAR))?,
        path_exponent: number("path_exponent", preset.path_exponent, 1.0..=10.0)?,
        snr_edge: fields.get("snr_edge").map_or(Ok(preset.snr_edge), |item| item.decibels(-100.0..=100.0))?,
        rules: rules(fields.get("handover").as_ref(), preset)?,
        frames: frames(fields.get("frame").as_ref(), preset)?,
        modulation: in_force,
    };
    let ways = ways::read(fields, files, MOST)?;
    spec.mobiles = ways.into_iter().enumerate().map(|(at, way)| MobileSpec { link: 2 + at, way }).collect();
    let link = |item: &Item<'_>| link::read(item, link::KEYS, profile, files).map(Box::new);
    let backbone = link(&fields.need("backbone", LINK)?)?;
    let router = match fields.get("router") {
        Some(item) => link(&item)?,
        None => link(&Item { node: &Node::from_toml(preset.router)?, path: "topology.router".to_owned() })?,
    };
    let radio = radio(fields, &spec, preset, profile, files)?;
    Ok(Cellular { preset, backbone, router, radio, modulation, spec })
}

fn stations(fields: &Fields<'_>) -> Result<Vec<BaseStation>, Problem> {
    let item = fields.need("stations", "[\"200 m\", \"1000 m\"]")?;
    let items = item.list()?;
    if items.is_empty() || items.len() > MOST {
        let what = format!("has {} base stations, allowed are 1 to {MOST}", items.len());
        return Err(item.problem(code::OUT_OF_RANGE, what).hint("write `stations = [\"200 m\", \"1000 m\"]`"));
    }
    items
        .iter()
        .map(|item| match &item.node.value {
            Value::Table(_) => {
                let table = item.table(&["at", "delay"])?;
                let delay = table.get("delay").map_or(Ok(Span::ZERO), |item| item.span(Span::ZERO..=HOUR))?;
                Ok(BaseStation { place: ways::place(&table.need("at", "\"200 m\"")?)?, delay })
            }
            _ => Ok(BaseStation { place: ways::place(item)?, delay: Span::ZERO }),
        })
        .collect()
}

/// The name of the modulation, and what it means.
fn modulation(fields: &Fields<'_>, preset: &Preset) -> Result<(Option<&'static str>, Modulation), Problem> {
    let (word, band) = (fields.get("modulation"), fields.get("bandwidth"));
    if preset.lte {
        if let Some(item) = word {
            let what = "has no use with `lte-like`, whose capacity follows the signal to noise";
            return Err(item.problem(code::CONFLICT, what).hint("take it away"));
        }
        let bandwidth = band.map_or(Ok(10e6), |item| item.hertz())?;
        return Ok((None, Modulation::Shannon { bandwidth, least_db: -10.0, down: (0.6, 4.4), up: (0.4, 2.0) }));
    }
    if let Some(item) = band {
        let what = "has no use with `wimax`, whose symbols are given";
        return Err(item.problem(code::CONFLICT, what).hint("change `frame`, or write `preset = \"lte-like\"`"));
    }
    let words: Vec<_> = MODES.iter().map(|mode| mode.0).chain([BY_SNR]).map(|name| (name, name)).collect();
    let name = word.map_or(Ok(preset.modulation.unwrap_or(BY_SNR)), |item| item.word(&words))?;
    let meant = match MODES.iter().find(|mode| mode.0 == name) {
        Some((_, _, bytes)) => Modulation::Fixed(*bytes),
        None => Modulation::BySnr(MODES.iter().map(|(_, least, bytes)| (*least, *bytes)).collect()),
    };
    Ok((Some(name), meant))
}

const RULES: &[&str] = &[
    "measure_every",
    "ho_threshold",
    "hysteresis",
    "time_to_trigger",
    "warn",
    "break",
    "queue_at_old",
    "forward_delay",
];

fn rules(item: Option<&Item<'_>>, preset: &Preset) -> Result<HandoverRules, Problem> {
    let mut rules = preset.rules;
    let Some(item) = item else { return Ok(rules) };
    let table = item.table(RULES)?;
    let time = |key: &str, default: Span, least: Span| {
        table.get(key).map_or(Ok(default), |item| item.span(least..=Span::from_millis(60_000)))
    };
    rules.measure_every = time("measure_every", rules.measure_every, ms(1))?;
    rules.time_to_trigger = time("time_to_trigger", rules.time_to_trigger, Span::ZERO)?;
    rules.warn = time("warn", rules.warn, Span::ZERO)?;
    rules.gap = time("break", rules.gap, Span::ZERO)?;
    if let Some(item) = table.get("hysteresis") {
        rules.hysteresis_db = item.decibels(0.0..=100.0)?;
    }
    rules.threshold_db = match table.get("ho_threshold") {
        Some(item) if item.is("off") => None,
        Some(item) => Some(item.decibels(-100.0..=200.0)?),
        None => rules.threshold_db,
    };
    let forwarded = table.get("queue_at_old").map_or(Ok(rules.kept.is_some()), |item| item.word(QUEUES))?;
    let extra = match table.get("forward_delay") {
        Some(item) if !forwarded => {
            let what = "is given, but packets at the old station are lost";
            return Err(item.problem(code::CONFLICT, what).hint("write `queue_at_old = \"forwarded\"`"));
        }
        Some(item) => item.span(Span::ZERO..=HOUR)?,
        None => preset.forward_delay,
    };
    rules.kept = forwarded.then_some(extra);
    Ok(rules)
}

fn frames(item: Option<&Item<'_>>, preset: &Preset) -> Result<FrameSpec, Problem> {
    let keys: &[&str] = if preset.lte { &["length", "share"] } else { &["length", "share", "symbol", "down", "up"] };
    let table = item.map(|item| item.table(keys)).transpose()?;
    let get = |key: &str| table.as_ref().and_then(|table| table.get(key));
    let time = |key: &str, default: Span, least: Span| {
        get(key).map_or(Ok(default), |item| item.span(least..=Span::from_millis(1000)))
    };
    let length = time("length", if preset.lte { ms(1) } else { ms(5) }, Span(100_000))?;
    let share =
        get("share").map_or(Ok(if preset.lte { Share::Units } else { Share::Bytes }), |item| item.word(SHARES))?;
    if preset.lte {
        // what a frame carries is there when it ends; 10 MHz have 50 resource blocks
        let part = FramePart { start: length, unit: Span::ZERO, units: 50 };
        let repeats = Some((0.1, ms(8)));
        return Ok(FrameSpec { length, down: part, up: part, share, piece_bytes: 0, asked_before: false, repeats });
    }
    let symbol = time("symbol", Span(40_000), INSTANT)?;
    let count = |key: &str, default: u32| get(key).map_or(Ok(default), |item| item.whole(1..=10_000).map(|n| n as u32));
    let (down, up) = (count("down", 65)?, count("up", 45)?);
    let before_up = OVERHEAD + down + TURN + OVERHEAD;
    let all = u64::from(before_up + up) * symbol.0;
    if let (Some(item), true) = (item, all > length.0) {
        let what =
            format!("has {} symbols with overhead, {}, in {}", before_up + up, time_text(Span(all)), time_text(length));
        return Err(item
            .problem(code::OUT_OF_RANGE, what)
            .hint("write fewer symbols in `down` or `up`, or a longer frame"));
    }
    let part = |before: u32, units: u32| FramePart { start: Span(symbol.0 * u64::from(before)), unit: symbol, units };
    Ok(FrameSpec {
        length,
        down: part(OVERHEAD, down),
        up: part(before_up, up),
        share,
        piece_bytes: 10,
        asked_before: true,
        repeats: None,
    })
}

/// Keys of a link that one of a mobile has, too.
const RADIO: &[&str] = &["queue", "queue_counting", "policer", "loss", "drops", "warning", "reverse"];

/// The links to the mobiles, but for what the cells make of them.
fn radio(
    fields: &Fields<'_>,
    spec: &CellularSpec,
    preset: &Preset,
    profile: Profile,
    files: &Files,
) -> Result<Box<Link>, Problem> {
    let rate = spec.best_rate_bps(false);
    let text = format!("rate = \"{rate} bps\"\ndelay = \"0 s\"\nqueue = \"{}\"", preset.queue);
    let mut node = Node::from_toml(&text)?;
    let mut path = "topology.radio".to_owned();
    if let Some(item) = fields.get("radio") {
        let own = item.table(RADIO)?;
        if let Some(reverse) = own.get("reverse") {
            reverse.table(&RADIO[..RADIO.len() - 1])?;
        }
        if let Value::Table(base) = &node.value {
            node = Node::new(item.node.place, Value::Table(own.own().over(base)));
        }
        path = item.path;
    }
    link::read(&Item { node: &node, path }, link::KEYS, profile, files).map(Box::new)
}

impl Cellular {
    /// Names of the nodes.
    pub(crate) fn nodes(&self) -> Vec<String> {
        let fixed = ["server", "router", "base"].map(String::from).into_iter();
        fixed.chain((0..self.spec.mobiles.len()).map(|number| format!("mobile/{number}"))).collect()
    }

    /// The links: backbone, router, one for each mobile.
    pub(crate) fn links(&self, run: ForRun) -> Vec<LinkSpec> {
        let wires = [(&self.backbone, "backbone", 0), (&self.router, "router", 1)];
        let mut links: Vec<LinkSpec> =
            wires.map(|(link, name, from)| link.spec(name.to_owned(), from, from + 1, run)).into();
        for number in 0..self.spec.mobiles.len() {
            let mut air = self.radio.spec(format!("air/{number}"), 2, 3 + number, run);
            air.reverse.rate_bps = self.spec.best_rate_bps(true);
            links.push(air);
        }
        links
    }

    /// Whether a limit of a queue depends on the path.
    pub(crate) fn is_relative(&self) -> bool {
        [&self.backbone, &self.router, &self.radio].iter().any(|link| link.is_relative())
    }

    /// Size the queues whose limits depend on the path.
    pub(crate) fn settle(&mut self, paths: &Paths<'_>) -> Result<(), Problem> {
        self.backbone.settle(paths, &paths.named("backbone"))?;
        self.router.settle(paths, &paths.named("router"))?;
        self.radio.settle(paths, &paths.named("air"))
    }

    /// The base stations and their mobiles.
    pub(crate) fn spec(&self) -> CellularSpec {
        self.spec.clone()
    }

    /// The table, complete.
    pub(crate) fn effective(&self) -> Map<String, Json> {
        let spec = &self.spec;
        let station = |one: &BaseStation| json!({ "at": ways::place_text(one.place), "delay": time_text(one.delay) });
        let mut map = Map::new();
        map.insert("kind".into(), "cellular".into());
        map.insert("preset".into(), self.preset.name.into());
        map.insert("stations".into(), spec.stations.iter().map(station).collect());
        map.insert("radius".into(), length_text(spec.radius).into());
        map.insert("path_exponent".into(), spec.path_exponent.into());
        map.insert("snr_edge".into(), level_text(spec.snr_edge).into());
        map.insert("mobiles".into(), spec.mobiles.iter().map(|mobile| ways::effective(&mobile.way)).collect());
        map.insert("handover".into(), self.effective_rules());
        map.extend(self.modulation.map(|name| ("modulation".to_owned(), name.into())));
        if let Modulation::Shannon { bandwidth, .. } = spec.modulation {
            map.insert("bandwidth".into(), frequency_text(bandwidth).into());
        }
        map.insert("frame".into(), self.effective_frame());
        let mut radio = self.radio.effective();
        radio.retain(|key, _| RADIO.contains(&key.as_str()));
        if let Some(Json::Object(reverse)) = radio.get_mut("reverse") {
            reverse.retain(|key, _| RADIO.contains(&key.as_str()));
        }
        map.insert("radio".into(), Json::Object(radio));
        map.insert("router".into(), Json::Object(self.router.effective()));
        map.insert("backbone".into(), Json::Object(self.backbone.effective()));
        map
    }

    fn effective_rules(&self) -> Json {
        let rules = &self.spec.rules;
        let mut map = Map::from_iter([
            ("measure_every".into(), time_text(rules.measure_every).into()),
            ("ho_threshold".into(), rules.threshold_db.map_or("off".to_owned(), level_text).into()),
            ("hysteresis".into(), level_text(rules.hysteresis_db).into()),
            ("time_to_trigger".into(), time_text(rules.time_to_trigger).into()),
            ("warn".into(), time_text(rules.warn).into()),
            ("break".into(), time_text(rules.gap).into()),
            ("queue_at_old".into(), if rules.kept.is_some() { "forwarded" } else { "lost" }.into()),
        ]);
        map.extend(rules.kept.map(|extra| ("forward_delay".to_owned(), time_text(extra).into())));
        Json::Object(map)
    }

    fn effective_frame(&self) -> Json {
        let frames = &self.spec.frames;
        let share = SHARES.iter().find(|(_, share)| *share == frames.share).map(|(word, _)| *word);
        let mut map =
            Map::from_iter([("length".into(), time_text(frames.length).into()), ("share".into(), share.into())]);
        if !self.preset.lte {
            map.insert("symbol".into(), time_text(frames.down.unit).into());
            map.insert("down".into(), frames.down.units.into());
            map.insert("up".into(), frames.up.units.into());
        }
        Json::Object(map)
    }
}
