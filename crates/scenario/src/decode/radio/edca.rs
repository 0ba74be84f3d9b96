//! Classes of EDCA and the limits of aggregation, as keys of a radio.

use serde_json::{Map, Value as Json, json};
use units::Span;
use wlan::params::{Contention, Edca};
use wlan::{Class, Params};

use crate::error::{Problem, code};
use crate::node::Value;
use crate::read::Item;
use crate::units::time_text;

/// Words for the classes.
pub(crate) const CLASSES: &[(&str, Class)] = &[
    ("voice", Class::Voice),
    ("video", Class::Video),
    ("best-effort", Class::BestEffort),
    ("background", Class::Background),
];
const KEYS: &[&str] = &["aifsn", "cw_min", "cw_max", "txop"];
const SAME: &str = "same";
const USUAL: &str = "usual";

/// Read `edca`: a flag, or a table by class, which switches it on. Access points do as stations do.
pub(super) fn read(params: &mut Params, item: &Item<'_>) -> Result<(), Problem> {
    params.edca = true;
    match item.node.value {
        Value::Table(_) => params.edca_station = classes(item, params.edca_station)?,
        _ => params.edca = item.flag()?,
    }
    params.edca_access_point = params.edca_station;
    Ok(())
}

/// Read `ap_edca`: "same", "usual", or a table by class.
pub(super) fn read_access_point(params: &mut Params, item: &Item<'_>) -> Result<(), Problem> {
    if !params.edca {
        return Err(item.problem(code::CONFLICT, "has no use without `edca`").hint("write `edca = true`"));
    }
    params.edca_access_point = match item.node.value {
        Value::Table(_) => classes(item, params.edca_access_point)?,
        _ if item.word(&[(SAME, false), (USUAL, true)])? => params.edca_station.usual_access_point(),
        _ => params.edca_station,
    };
    Ok(())
}

fn classes(item: &Item<'_>, mut edca: Edca) -> Result<Edca, Problem> {
    let names: Vec<&str> = CLASSES.iter().map(|(name, _)| *name).collect();
    let table = item.table(&names)?;
    for (name, class) in CLASSES {
        let Some(item) = table.get(name) else { continue };
        let table = item.table(KEYS)?;
        let numbers = &mut edca.classes[*class as usize];
        for (key, field) in [("aifsn", 0), ("cw_min", 1), ("cw_max", 2)] {
            let Some(item) = table.get(key) else { continue };
            let (field, most) =
                [(&mut numbers.aifsn, 100), (&mut numbers.cw_min, 32_767), (&mut numbers.cw_max, 32_767)]
                    .into_iter()
                    .nth(field)
                    .expect("there are three");
            *field = item.whole(1..=most)? as u32;
            if key != "aifsn" && !(*field + 1).is_power_of_two() {
                let what = format!("is {field}, wanted is a power of two, less one");
                return Err(item.problem(code::OUT_OF_RANGE, what).hint("for example 15"));
            }
        }
        if let Some(item) = table.get("txop") {
            numbers.txop = item.span(Span::ZERO..=Span(1_000_000_000))?;
        }
        if numbers.cw_min > numbers.cw_max {
            let what = format!("has a `cw_min` of {} above its `cw_max` of {}", numbers.cw_min, numbers.cw_max);
            return Err(item.problem(code::OUT_OF_RANGE, what).hint("the window grows from `cw_min` to `cw_max`"));
        }
    }
    Ok(edca)
}

/// All numbers of all classes, or null without EDCA.
pub(super) fn text(params: &Params, edca: &Edca) -> Json {
    let class = |&(name, class): &(&str, Class)| {
        let Contention { aifsn, cw_min, cw_max, txop } = *edca.of(class);
        (name.to_owned(), json!({ "aifsn": aifsn, "cw_min": cw_min, "cw_max": cw_max, "txop": time_text(txop) }))
    };
    if params.edca { Json::Object(CLASSES.iter().map(class).collect::<Map<_, _>>()) } else { Json::Null }
}
