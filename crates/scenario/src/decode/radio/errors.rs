//! Random errors of frames on a medium.

use serde_json::{Value as Json, json};
use units::Span;
use wlan::{LossAt, LossFrames, LossModel};

use crate::error::{Problem, code};
use crate::node::Value;
use crate::read::{HOUR, Item};
use crate::units::{Kind, parse, percent_text, time_text};

/// Errors as they were written.
#[derive(Clone, Debug)]
pub(super) struct Errors {
    percent: f64,
    model: Model,
    at: LossAt,
    frames: LossFrames,
}

#[derive(Clone, Copy, Debug)]
enum Model {
    Independent,
    Gilbert { frames: f64 },
    InTime { burst: Span },
    Ns2TwoState { frames: f64 },
}

/// Keys of the table and what they mean.
pub(crate) static MEANINGS: &[(&str, &str)] = &[
    ("rate", "share of frames that are bad at each receiver, such as \"1 %\""),
    (
        "model",
        "\"independent\" (default), \"gilbert\": in runs (default if `burst` is given), \"ns2-two-state\": as ns-2's",
    ),
    ("burst", "mean length of a bad run: \"10 frames\", or with \"gilbert\" a time, \"5 ms\""),
    ("at", "\"mac\" (default): the MAC notices and repeats; \"above\": packets are lost behind it"),
    ("frames", "\"all\" (default): RTS, CTS, data, ACK; or \"data\""),
];

const INDEPENDENT: &str = "independent";
const GILBERT: &str = "gilbert";
const NS2_TWO_STATE: &str = "ns2-two-state";
const PLACES: &[(&str, LossAt)] = &[("mac", LossAt::Mac), ("above", LossAt::Above)];
const FRAMES: &[(&str, LossFrames)] = &[("all", LossFrames::All), ("data", LossFrames::Data)];
/// Longest run, frames.
const RUN: f64 = 1e9;
const BURST: &str = "\"10 frames\"";

impl Errors {
    /// None.
    pub(super) const NONE: Errors =
        Errors { percent: 0.0, model: Model::Independent, at: LossAt::Mac, frames: LossFrames::All };

    /// Read a share, or a table.
    pub(super) fn read(item: &Item<'_>) -> Result<Errors, Problem> {
        if !matches!(item.node.value, Value::Table(_)) {
            return Ok(Errors { percent: item.percent()?, ..Errors::NONE });
        }
        let keys: Vec<&str> = MEANINGS.iter().map(|(key, _)| *key).collect();
        let table = item.table(&keys)?;
        let percent = table.need("rate", "\"1 %\"")?.percent()?;
        let burst = table.get("burst");
        let words = [INDEPENDENT, GILBERT, NS2_TWO_STATE].map(|word| (word, word));
        let model = match table.get("model") {
            Some(item) => item.word(&words)?,
            None if burst.is_some() => GILBERT,
            None => INDEPENDENT,
        };
        let model = match model {
            INDEPENDENT => match burst {
                Some(burst) => {
                    return Err(burst
                        .problem(code::CONFLICT, "has no use with independent errors")
                        .hint("take it away, or write `model = \"gilbert\"`"));
                }
                None => Model::Independent,
            },
            NS2_TWO_STATE => Model::Ns2TwoState { frames: table.need("burst", BURST)?.frames(1e-6..=RUN)? },
            _ => {
                let burst = table.need("burst", BURST)?;
                let in_time =
                    burst.text().is_ok_and(|text| matches!(parse(text), Ok((_, unit)) if unit.kind == Kind::Time));
                if in_time {
                    Model::InTime { burst: burst.span(Span(1000)..=HOUR)? }
                } else {
                    Model::Gilbert { frames: burst.frames(1.0..=RUN)? }
                }
            }
        };
        let at = table.get("at").map_or(Ok(LossAt::Mac), |item| item.word(PLACES))?;
        let frames = table.get("frames").map_or(Ok(LossFrames::All), |item| item.word(FRAMES))?;
        let errors = Errors { percent, model, at, frames };
        errors.check(&table.need("rate", "")?)?;
        Ok(errors)
    }

    /// A problem with a share that the model cannot have.
    fn check(&self, item: &Item<'_>) -> Result<(), Problem> {
        let most = match self.model {
            Model::Independent => return Ok(()),
            // a run of bad frames is followed by one good frame at least
            Model::Gilbert { frames } => 100.0 * frames / (frames + 1.0),
            Model::InTime { .. } | Model::Ns2TwoState { .. } => 100.0,
        };
        let whole = self.percent >= 100.0;
        if self.percent <= most && !whole {
            return Ok(());
        }
        let what = match self.model {
            Model::Gilbert { frames } => {
                format!(
                    "is {}: with runs of {frames} frames at most {} can be bad",
                    percent_text(self.percent),
                    percent_text(most)
                )
            }
            _ => format!("is {}: nothing good would be left", percent_text(self.percent)),
        };
        Err(item.problem(code::OUT_OF_RANGE, what).hint("lower `rate`, or make `burst` longer"))
    }

    /// The errors as the medium wants them.
    pub(super) fn spec(&self) -> Option<wlan::Loss> {
        let rate = self.percent / 100.0;
        let model = match self.model {
            Model::Independent => LossModel::Independent { rate },
            Model::Gilbert { frames } => LossModel::Gilbert { rate, burst: frames },
            Model::InTime { burst } => LossModel::GilbertInTime { rate, burst },
            Model::Ns2TwoState { frames } => LossModel::Ns2TwoState { rate, burst: frames },
        };
        (rate > 0.0).then_some(wlan::Loss { model, frames: self.frames, at: self.at })
    }

    /// The table, complete.
    pub(super) fn effective(&self) -> Json {
        let (model, burst) = match self.model {
            Model::Independent => (INDEPENDENT, Json::Null),
            Model::Gilbert { frames } => (GILBERT, json!(format!("{frames} frames"))),
            Model::InTime { burst } => (GILBERT, json!(time_text(burst))),
            Model::Ns2TwoState { frames } => (NS2_TWO_STATE, json!(format!("{frames} frames"))),
        };
        let at = PLACES.iter().find(|(_, at)| *at == self.at).map(|(word, _)| *word);
        let frames = FRAMES.iter().find(|(_, frames)| *frames == self.frames).map(|(word, _)| *word);
        let mut table = json!({ "rate": percent_text(self.percent), "model": model, "at": at, "frames": frames });
        if burst != Json::Null {
            table["burst"] = burst;
        }
        table
    }
}
