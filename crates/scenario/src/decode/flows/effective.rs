//! The complete description of a group, and what stands in the results.

use serde_json::{Map, Value as Json, json};

use super::connections::SIZE;
use super::group::{Group, Transport};
use crate::decode::drawn::{Arrivals, Measure};
use crate::decode::multipath::Multipath;
use crate::decode::radio::edca::CLASSES;
use crate::decode::{algorithm, tcp as rules, traffic};
use crate::names::{TCP, TFRC, UDP};

impl Group {
    /// The group, complete.
    pub(crate) fn effective(&self) -> Json {
        let mut map = Map::new();
        let mut put = |key: &str, value: Json| map.insert(key.to_owned(), value);
        put("name", json!(self.name));
        put("from", json!(self.from));
        put("to", json!(self.to));
        put("count", json!(self.count));
        put("transport", json!(self.transport.word()));
        put("class", json!(CLASSES.iter().find(|(_, class)| *class == self.class).map(|(word, _)| *word)));
        put("start", json!(self.start.text(Measure::Time)));
        put("stop", json!(self.stop.map(|stop| stop.text(Measure::Time))));
        match &self.transport {
            Transport::Tcp(tcp) => {
                put("algorithm", algorithm::effective(&tcp.algorithm));
                put("segment", json!(format!("{} B", tcp.rules.mss)));
                put("size", json!(tcp.size.map(|size| size.text(SIZE))));
                put("arrivals", json!(self.arrivals.map(Arrivals::text)));
                put("direction", json!(if tcp.two_way { "both" } else { "forward" }));
                put("reverse_start", json!(tcp.reverse_start.map(|start| start.text(Measure::Time))));
                put("multipath", tcp.multipath.as_ref().map_or(Json::Null, Multipath::effective));
                put("tcp", rules::effective(&tcp.rules));
            }
            Transport::Udp(config) => {
                put("traffic", traffic::effective(config));
            }
            Transport::Tfrc(tfrc) => {
                put("algorithm", algorithm::effective(&tfrc.algorithm));
                put("segment", json!(format!("{} B", tfrc.config.payload)));
                put("header", json!(format!("{} B", tfrc.config.header)));
            }
        }
        Json::Object(map)
    }
}

impl Transport {
    /// Its word in a scenario and in the results.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Transport::Tcp(_) => TCP,
            Transport::Udp(_) => UDP,
            Transport::Tfrc(_) => TFRC,
        }
    }

    /// What stands under `algorithm` in the results: the congestion control, or the kind of traffic.
    pub(crate) fn algorithm(&self) -> &'static str {
        match self {
            Transport::Tcp(tcp) => tcp.algorithm.row().name,
            Transport::Udp(config) => traffic::word(&config.traffic),
            Transport::Tfrc(tfrc) => tfrc.algorithm.row().name,
        }
    }
}
