//! Random loss of a link: which model, with which numbers.

use std::sync::Arc;

use net::{GilbertElliott, LossAt, LossModel, LossSpec, NoSuchChannel};
use serde_json::{Map, Value as Json, json};
use units::Span;

use crate::error::{Problem, code};
use crate::files::Files;
use crate::node::Value;
use crate::read::{Fields, HOUR, Item, rising};
use crate::units::{Kind, parse, percent_text, time_text};

/// A loss as it was written.
#[derive(Clone, Debug)]
pub(crate) struct Loss {
    model: Model,
    at: LossAt,
}

#[derive(Clone, Debug)]
enum Model {
    Uniform {
        percent: f64,
    },
    /// By mean and burst.
    Mean {
        percent: f64,
        burst: Burst,
        per: Clock,
        good_loss: f64,
        bad_loss: f64,
    },
    /// By the transitions, netem's four numbers, percent.
    Transitions {
        p: f64,
        r: f64,
        good_loss: f64,
        bad_loss: f64,
    },
    Bits {
        error_rate: f64,
    },
    Bytes {
        error_rate: f64,
    },
    TwoState {
        good: Span,
        bad: Span,
        good_loss: f64,
        bad_loss: f64,
    },
    Burst {
        percent: f64,
        hold: Span,
    },
    Replay {
        lost: Arc<[u64]>,
        length: Option<u64>,
    },
}

/// Mean stay in the bad state.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Burst {
    /// As long as independent packets make it.
    Independent,
    Packets(f64),
    Time(Span),
}

/// What moves a channel on.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Clock {
    Time,
    Packet,
}

const CLOCKS: &[(&str, Clock)] = &[("time", Clock::Time), ("packet", Clock::Packet)];

/// Bytes of the packets that a burst in packets counts in time.
const PACKET: u32 = 1500;
/// Shortest mean time of a state: shorter ones than a packet takes have no meaning, and cost time to pass.
const SHORTEST: Span = Span(1000);
/// Longest mean burst, packets.
const BURST: u32 = 1_000_000_000;
const INDEPENDENT: &str = "independent";

const UNIFORM: &str = "uniform";
const GILBERT_ELLIOTT: &str = "gilbert-elliott";

pub(crate) const PLACES: &[(&str, LossAt)] = &[("wire", LossAt::Wire), ("queue", LossAt::Queue)];

/// A model of loss: its name, what it is, its keys and what they mean.
pub(crate) struct Ready {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) keys: &'static [(&'static str, &'static str)],
    read: fn(&Fields<'_>, &Files) -> Result<Model, Problem>,
}

const GOOD_LOSS: (&str, &str) = ("good_loss", "loss in the good state, default \"0 %\"");
const BAD_LOSS: (&str, &str) = ("bad_loss", "loss in the bad state, default \"100 %\"");

/// Every model.
pub(crate) static READY: &[Ready] = &[
    Ready {
        name: UNIFORM,
        summary: "Each packet is lost by itself; the default",
        keys: &[("rate", "share of packets, such as \"1 %\"")],
        read: uniform,
    },
    Ready {
        name: GILBERT_ELLIOTT,
        summary: "Two states, good and bad, by mean loss and mean burst; the model if `burst` is given and no other",
        keys: &[
            ("rate", "mean loss, such as \"1 %\""),
            (
                "burst",
                "mean stay in the bad state: a time, \"50 ms\"; \"5 packets\" of 1500 B at the link's rate; \
                 or \"independent\" (default): no memory",
            ),
            (
                "per",
                "what moves the channel on: \"time\" (default), whether packets come or not, or \"packet\": a step for \
                 each; bursts are then in packets",
            ),
            GOOD_LOSS,
            BAD_LOSS,
            (
                "p",
                "instead of rate and burst, netem's per packet: probability to go from good to bad, such as \"0.2 %\"",
            ),
            ("r", "probability to go from bad to good, default 100 % less p"),
            ("1-h", "beside p: loss in the bad state, default \"100 %\""),
            ("1-k", "beside p: loss in the good state, default \"0 %\""),
        ],
        read: gilbert_elliott,
    },
    Ready {
        name: "bit",
        summary: "Each bit on the wire is wrong by itself, and a packet with a wrong bit is lost",
        keys: &[("error_rate", "bit error rate, a number such as 1e-6")],
        read: |table, _| Ok(Model::Bits { error_rate: share(table)? }),
    },
    Ready {
        name: "byte",
        summary: "Each byte on the wire is wrong by itself, and a packet with a wrong byte is lost",
        keys: &[("error_rate", "byte error rate, a number such as 1e-5")],
        read: |table, _| Ok(Model::Bytes { error_rate: share(table)? }),
    },
    Ready {
        name: "two-state",
        summary: "The same in time, written by the mean lengths of good and bad periods",
        keys: &[
            ("good", "mean length of a good period, such as \"2 s\""),
            ("bad", "mean length of a bad period, such as \"100 ms\""),
            GOOD_LOSS,
            BAD_LOSS,
        ],
        read: two_state,
    },
    Ready {
        name: "burst",
        summary: "A packet begins a burst at random, and whatever follows within a time is lost with it",
        keys: &[
            ("rate", "share of the packets outside bursts that begin one, such as \"1 %\""),
            ("hold", "how long a burst lasts, such as \"50 ms\""),
        ],
        read: burst,
    },
    Ready {
        name: "replay",
        summary: "Losses as recorded, packet by packet: those that arrive (at = \"queue\") or are transmitted (\"wire\")",
        keys: &[
            ("pattern", "1 for each packet that is lost, 0 for the others: a list, or the name of a file"),
            ("lost", "instead of pattern: numbers of the lost packets, from 0: a list, or the name of a file"),
            ("repeat", "true: begin again at the end; false (default): lose nothing after it"),
            ("length", "packets until `lost` begins again"),
        ],
        read: replay,
    },
];

impl Loss {
    /// No loss.
    pub(crate) const NONE: Loss = Loss { model: Model::Uniform { percent: 0.0 }, at: LossAt::Wire };

    /// Read a loss: a share, or a table of a model, its keys, `at`, and the keys in `also`.
    pub(crate) fn read(item: &Item<'_>, also: &[&str], files: &Files) -> Result<Loss, Problem> {
        if !matches!(item.node.value, Value::Table(_)) {
            return Ok(Loss { model: Model::Uniform { percent: item.percent()? }, at: LossAt::Wire });
        }
        let models: Vec<_> = READY.iter().map(|ready| (ready.name, ready)).collect();
        let open = item.open_table()?;
        // whoever names a burst means the model that has one
        let unnamed = if open.get("burst").is_some() { GILBERT_ELLIOTT } else { UNIFORM };
        let model = match open.get("model") {
            Some(item) => item.word(&models)?,
            None => models.iter().find(|(name, _)| *name == unnamed).expect("it is one of them").1,
        };
        let own = model.keys.iter().map(|(key, _)| *key);
        let keys: Vec<&str> = ["model", "at"].into_iter().chain(also.iter().copied()).chain(own).collect();
        let table = item.table(&keys)?;
        let at = table.get("at").map_or(Ok(LossAt::Wire), |item| item.word(PLACES))?;
        Ok(Loss { model: (model.read)(&table, files)?, at })
    }

    /// The loss as a link of this rate at the start wants it.
    pub(crate) fn spec(&self, rate_bps: u64) -> LossSpec {
        let share = |percent: f64| percent / 100.0;
        let model = match self.model {
            Model::Uniform { percent } => LossModel::Uniform { probability: share(percent) },
            Model::Mean { burst, per, good_loss, bad_loss, .. } => match (self.periods(rate_bps), per, burst) {
                (Some((good, bad)), ..) => {
                    LossModel::TwoState { good, bad, good_loss: share(good_loss), bad_loss: share(bad_loss) }
                }
                (None, Clock::Packet, Burst::Packets(_)) => LossModel::GilbertElliott(self.chain()),
                // without a memory a channel is no more than its mean
                _ => LossModel::Uniform { probability: self.chain().mean_loss() },
            },
            Model::Transitions { p, r, good_loss, bad_loss } => LossModel::GilbertElliott(GilbertElliott {
                p: share(p),
                r: share(r),
                good_loss: share(good_loss),
                bad_loss: share(bad_loss),
            }),
            Model::Bits { error_rate } => LossModel::Bits { probability: error_rate },
            Model::Bytes { error_rate } => LossModel::Bytes { probability: error_rate },
            Model::TwoState { good, bad, good_loss, bad_loss } => {
                LossModel::TwoState { good, bad, good_loss: share(good_loss), bad_loss: share(bad_loss) }
            }
            Model::Burst { percent, hold } => LossModel::Burst { probability: share(percent), hold },
            Model::Replay { ref lost, length } => LossModel::Replay { lost: Arc::clone(lost), period: length },
        };
        LossSpec { model, at: self.at }
    }

    /// The chain per packet of a channel that is written by its mean.
    fn chain(&self) -> GilbertElliott {
        let Model::Mean { percent, burst, good_loss, bad_loss, .. } = self.model else {
            unreachable!("asked only of a channel with a mean")
        };
        let packets = if let Burst::Packets(packets) = burst { Some(packets) } else { None };
        GilbertElliott::with_mean(percent / 100.0, packets, good_loss / 100.0, bad_loss / 100.0)
            .expect("checked when it was read")
    }

    /// Mean good and bad periods on a link of this rate, of a channel that is written by its mean and goes with time;
    /// `None` if it has no memory, or never changes.
    fn periods(&self, rate_bps: u64) -> Option<(Span, Span)> {
        let Model::Mean { burst, per: Clock::Time, .. } = self.model else { return None };
        let (good, bad) = match burst {
            Burst::Independent => return None,
            Burst::Packets(_) => self.chain().in_time(f64::from(PACKET) * 8.0 / rate_bps as f64)?,
            Burst::Time(bad) => {
                let share = self.chain().bad_share();
                if share == 0.0 || share == 1.0 {
                    return None;
                }
                (bad.secs() * (1.0 - share) / share, bad.secs())
            }
        };
        Some((Span::from_secs(good), Span::from_secs(bad)))
    }

    /// A problem if the channel goes from state to state faster than can be followed, on a link of this rate.
    pub(crate) fn check(&self, item: &Item<'_>, rate_bps: u64) -> Result<(), Problem> {
        match self.periods(rate_bps).map(|(good, bad)| good.min(bad)) {
            Some(shortest) if shortest < SHORTEST => {
                let what = format!("has states of {} on this link, too short to follow", time_text(shortest));
                let hint = format!(
                    "a state lasts {} at least: lengthen `burst`, or write `per = \"packet\"`",
                    time_text(SHORTEST)
                );
                Err(item.problem(code::OUT_OF_RANGE, what).hint(hint))
            }
            _ => Ok(()),
        }
    }

    /// The table, complete.
    pub(crate) fn effective(&self) -> Json {
        let (name, rest) = match &self.model {
            Model::Uniform { percent } => (UNIFORM, json!({ "rate": percent_text(*percent) })),
            Model::Mean { percent, burst, per, good_loss, bad_loss } => {
                let burst = match burst {
                    Burst::Independent => INDEPENDENT.to_owned(),
                    Burst::Packets(packets) => format!("{packets} packets"),
                    Burst::Time(span) => time_text(*span),
                };
                let (good, bad) = (percent_text(*good_loss), percent_text(*bad_loss));
                let (rate, per) =
                    (percent_text(*percent), CLOCKS.iter().find(|(_, clock)| clock == per).map(|(w, _)| *w));
                let all = json!({ "rate": rate, "burst": burst, "per": per, "good_loss": good, "bad_loss": bad });
                (GILBERT_ELLIOTT, all)
            }
            Model::Transitions { p, r, good_loss, bad_loss } => {
                let [p, r, good, bad] = [p, r, good_loss, bad_loss].map(|percent| percent_text(*percent));
                (GILBERT_ELLIOTT, json!({ "p": p, "r": r, "1-h": bad, "1-k": good }))
            }
            Model::Bits { error_rate } => ("bit", json!({ "error_rate": error_rate })),
            Model::Bytes { error_rate } => ("byte", json!({ "error_rate": error_rate })),
            Model::TwoState { good, bad, good_loss, bad_loss } => {
                let [good, bad] = [good, bad].map(|span| time_text(*span));
                let [good_loss, bad_loss] = [good_loss, bad_loss].map(|percent| percent_text(*percent));
                let all = json!({ "good": good, "bad": bad, "good_loss": good_loss, "bad_loss": bad_loss });
                ("two-state", all)
            }
            Model::Burst { percent, hold } => {
                ("burst", json!({ "rate": percent_text(*percent), "hold": time_text(*hold) }))
            }
            Model::Replay { lost, length } => {
                ("replay", json!({ "lost": **lost, "repeat": length.is_some(), "length": length }))
            }
        };
        let mut map = Map::new();
        map.insert("model".into(), name.into());
        if let Json::Object(rest) = rest {
            map.extend(rest);
        }
        map.insert("at".into(), PLACES.iter().find(|(_, at)| *at == self.at).map(|(word, _)| *word).into());
        Json::Object(map)
    }
}

fn uniform(table: &Fields<'_>, _: &Files) -> Result<Model, Problem> {
    Ok(Model::Uniform { percent: table.need("rate", "\"1 %\"")?.percent()? })
}

fn gilbert_elliott(table: &Fields<'_>, _: &Files) -> Result<Model, Problem> {
    let (by_mean, by_steps) = (["rate", "burst", "per", "good_loss", "bad_loss"], ["p", "r", "1-h", "1-k"]);
    let Some(p) = table.get("p") else {
        if let Some(item) = by_steps.iter().find_map(|key| table.get(key)) {
            return Err(item.problem(code::CONFLICT, "goes with `p`, which is not given"));
        }
        return mean(table);
    };
    if let Some(item) = by_mean.iter().find_map(|key| table.get(key)) {
        let what = "stands beside `p`: a channel is written by `rate` and `burst` or by `p`, `r`, `1-h` and `1-k`";
        return Err(item.problem(code::CONFLICT, what));
    }
    let p = p.percent()?;
    let percent = |key: &str, default: f64| table.get(key).map_or(Ok(default), |item| item.percent());
    let (r, good_loss, bad_loss) = (percent("r", 100.0 - p)?, percent("1-k", 0.0)?, percent("1-h", 100.0)?);
    if let Some(item) = table.get("r")
        && r == 0.0
        && p > 0.0
        && p < 100.0
    {
        let hint = "raise `r`: a bad state lasts 1/`r` packets on average";
        return Err(item.problem(code::OUT_OF_RANGE, "is 0 %: the channel would never leave the bad state").hint(hint));
    }
    Ok(Model::Transitions { p, r, good_loss, bad_loss })
}

fn mean(table: &Fields<'_>) -> Result<Model, Problem> {
    let item = table.need("rate", "\"1 %\"")?;
    let percent = item.percent()?;
    let per = table.get("per").map_or(Ok(Clock::Time), |item| item.word(CLOCKS))?;
    let burst = table.get("burst").map_or(Ok(Burst::Independent), |item| burst_length(&item, per))?;
    let (good_loss, bad_loss) = state_losses(table)?;
    let packets = if let Burst::Packets(packets) = burst { Some(packets) } else { None };
    let too_much = |most: f64, bursts: String, hint: &str| {
        let what = format!("is {}, {bursts} {:.6} %", percent_text(percent), most * 100.0);
        Err(item.problem(code::OUT_OF_RANGE, what).hint(hint))
    };
    // a channel in time that correlates successive packets: packets (1 - share) > 1
    let in_time = packets.filter(|_| per == Clock::Time).map(|b| good_loss + (1.0 - 1.0 / b) * (bad_loss - good_loss));
    if let (Some(most), Some(packets)) = (in_time, packets)
        && percent > good_loss
        && percent >= most
    {
        let hint = "lengthen `burst`: independent losses come in longer bursts; or write `burst = \"independent\"`";
        return too_much(most / 100.0, format!("bursts of {packets} packets allow less than"), hint);
    }
    match (GilbertElliott::with_mean(percent / 100.0, packets, good_loss / 100.0, bad_loss / 100.0), packets) {
        (Ok(_), _) => Ok(Model::Mean { percent, burst, per, good_loss, bad_loss }),
        (Err(NoSuchChannel::Rate { .. }), _) if percent < good_loss => {
            let what =
                format!("is {}, but the good state alone loses {}", percent_text(percent), percent_text(good_loss));
            Err(item.problem(code::OUT_OF_RANGE, what).hint("raise `rate` or lower `good_loss`"))
        }
        (Err(NoSuchChannel::Rate { most }), _) => {
            let bursts = packets
                .map_or("`bad_loss` allows at most".to_owned(), |b| format!("bursts of {b} packets allow at most"));
            let hint =
                "lower `rate` or lengthen `burst`: no more than burst/(1 + burst) of the packets find the bad state";
            too_much(most, bursts, hint)
        }
        (Err(NoSuchChannel::Burst), _) => unreachable!("bursts of less than a packet are refused above"),
    }
}

fn burst_length(item: &Item<'_>, per: Clock) -> Result<Burst, Problem> {
    let Value::Text(text) = &item.node.value else { return item.span(SHORTEST..=HOUR).map(Burst::Time) };
    match parse(text) {
        _ if item.is(INDEPENDENT) => Ok(Burst::Independent),
        Ok((_, unit)) if unit.kind == Kind::Packets => item.packets(1..=BURST).map(Burst::Packets),
        _ if per == Clock::Packet => item.packets(1..=BURST).map(Burst::Packets),
        _ => item.span(SHORTEST..=HOUR).map(Burst::Time),
    }
}

/// Loss in the good and in the bad state, percent; the bad one is not better.
fn state_losses(table: &Fields<'_>) -> Result<(f64, f64), Problem> {
    let good = table.get("good_loss").map_or(Ok(0.0), |item| item.percent())?;
    let bad = table.get("bad_loss").map_or(Ok(100.0), |item| item.percent())?;
    if good <= bad {
        return Ok((good, bad));
    }
    let what = format!("is {}, more than `bad_loss`, {}", percent_text(good), percent_text(bad));
    Err(table.need("good_loss", "\"0 %\"")?.problem(code::OUT_OF_RANGE, what).hint("swap the two states"))
}

fn share(table: &Fields<'_>) -> Result<f64, Problem> {
    let item = table.need("error_rate", "1e-6")?;
    let share = item.number()?;
    if (0.0..=1.0).contains(&share) {
        Ok(share + 0.0)
    } else {
        Err(item.problem(code::OUT_OF_RANGE, format!("is {share}, allowed is 0 to 1")))
    }
}

fn two_state(table: &Fields<'_>, _: &Files) -> Result<Model, Problem> {
    let good = table.need("good", "\"2 s\"")?.span(SHORTEST..=HOUR)?;
    let bad = table.need("bad", "\"100 ms\"")?.span(SHORTEST..=HOUR)?;
    let (good_loss, bad_loss) = state_losses(table)?;
    Ok(Model::TwoState { good, bad, good_loss, bad_loss })
}

fn burst(table: &Fields<'_>, _: &Files) -> Result<Model, Problem> {
    let percent = table.need("rate", "\"1 %\"")?.percent()?;
    Ok(Model::Burst { percent, hold: table.need("hold", "\"50 ms\"")?.span(Span::ZERO..=HOUR)? })
}

fn replay(table: &Fields<'_>, files: &Files) -> Result<Model, Problem> {
    let repeat = table.get("repeat").map_or(Ok(false), |item| item.flag())?;
    let length = table.get("length");
    if let Some(item) = table.get("pattern") {
        for other in ["lost", "length"] {
            if let Some(other) = table.get(other) {
                return Err(other.problem(code::CONFLICT, "has no use beside `pattern`"));
            }
        }
        let bits = match item.node.value {
            Value::Text(_) => files.bits(&item)?,
            _ => item.list()?.iter().map(|item| item.whole(0..=1).map(|n| n == 1)).collect::<Result<_, _>>()?,
        };
        if bits.is_empty() {
            return Err(item.problem(code::OUT_OF_RANGE, "has no packets"));
        }
        let length = repeat.then_some(bits.len() as u64);
        let lost = bits.iter().zip(0..).filter(|(lost, _)| **lost).map(|(_, number)| number).collect();
        return Ok(Model::Replay { lost, length });
    }
    let item = table.need("lost", "[3, 8]` or `pattern = \"losses.txt\"")?;
    let lost = match item.node.value {
        Value::Text(_) => rising(files.numbers(&item)?.into_iter().map(|(number, _)| number).collect()),
        _ => item.numbers()?,
    };
    let length = match (repeat, length) {
        (true, None) => return table.need("length", "1000").map(|_| unreachable!("it is not there")),
        (false, Some(item)) => return Err(item.problem(code::CONFLICT, "has no use without `repeat = true`")),
        (true, Some(item)) => {
            let least = lost.last().map_or(1, |last| last + 1);
            Some(item.whole(least..=i64::MAX as u64).map_err(|p| p.hint("`length` is above every number in `lost`"))?)
        }
        (false, None) => None,
    };
    Ok(Model::Replay { lost: lost.into(), length })
}
