//! What carries the data of a group, and which keys and algorithms belong to it.

use crate::decode::algorithm;
use crate::error::{Problem, code};
use crate::names::{TCP, TFRC, UDP};
use crate::node::{Node, Table, Value};
use crate::read::{Fields, Item};

/// Keys of every group.
pub(super) const COMMON: &[&str] = &["name", "from", "to", "count", "transport", "class", "start", "stop"];

/// Keys of a group of connections.
pub(super) const TCP_KEYS: &[&str] =
    &["algorithm", "segment", "size", "arrivals", "direction", "reverse_start", "multipath", "tcp"];

/// Keys of a group of UDP flows.
pub(super) const UDP_KEYS: &[&str] = &["traffic"];

/// Keys of a group of rate-controlled flows.
pub(super) const TFRC_KEYS: &[&str] = &["algorithm", "segment", "header"];

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Protocol {
    Tcp,
    Udp,
    Tfrc,
}

pub(super) const PROTOCOLS: &[(&str, Protocol)] = &[(TCP, Protocol::Tcp), (UDP, Protocol::Udp), (TFRC, Protocol::Tfrc)];

impl Protocol {
    fn word(self) -> &'static str {
        PROTOCOLS.iter().find(|(_, known)| *known == self).expect("every protocol has a word").0
    }

    fn keys(self) -> &'static [&'static str] {
        match self {
            Protocol::Tcp => TCP_KEYS,
            Protocol::Udp => UDP_KEYS,
            Protocol::Tfrc => TFRC_KEYS,
        }
    }

    /// Of a group, not read yet: the transport it names, or the one that its algorithm needs. `None` if no such word is
    /// known.
    pub(super) fn of(group: &Table) -> Option<Protocol> {
        let text = |node: Option<&Node>| match node.map(|node| &node.value) {
            Some(Value::Text(text)) => Some(text.clone()),
            _ => None,
        };
        if let Some(word) = text(group.get("transport")) {
            return PROTOCOLS.iter().find(|(known, _)| *known == word).map(|(_, protocol)| *protocol);
        }
        let name = match group.get("algorithm").map(|node| &node.value) {
            Some(Value::Table(table)) => text(table.get("name")),
            _ => text(group.get("algorithm")),
        };
        let row = name.and_then(|name| cc::registry::find(&name));
        Some(if row.is_some_and(|row| row.rate.is_some()) { Protocol::Tfrc } else { Protocol::Tcp })
    }
}

/// Whether a group, not read yet, has a use for the key.
pub(crate) fn takes(group: &Value, key: &str) -> bool {
    let Value::Table(table) = group else { return true };
    // an algorithm may bring another transport with it
    if key == "algorithm" && table.get("transport").is_none() {
        return true;
    }
    let keys = [TCP_KEYS, UDP_KEYS, TFRC_KEYS].concat();
    !keys.contains(&key) || Protocol::of(table).is_none_or(|protocol| protocol.keys().contains(&key))
}

/// A problem if a key is of use to another transport only.
pub(super) fn check_keys(table: &Fields<'_>, protocol: Protocol) -> Result<(), Problem> {
    let foreign = |key: &str| !COMMON.contains(&key) && !protocol.keys().contains(&key);
    let Some((key, item)) = table.entries().find(|(key, _)| foreign(key)) else { return Ok(()) };
    let own = protocol.word();
    let (other, _) =
        PROTOCOLS.iter().find(|(_, known)| known.keys().contains(&key)).expect("every key is of some protocol");
    Err(item
        .problem(code::CONFLICT, format!("has no use with `transport = \"{own}\"`"))
        .hint(format!("take it away, or write `transport = \"{other}\"`")))
}

/// The algorithm of a group, which must be one for its transport.
pub(super) fn algorithm_for(table: &Fields<'_>, protocol: Protocol) -> Result<cc::Config, Problem> {
    let (example, rated) = match protocol {
        Protocol::Tfrc => ("\"tfrc\"", true),
        _ => ("\"newreno\"", false),
    };
    let item = table.need("algorithm", example)?;
    let algorithm = algorithm::read(&item)?;
    if algorithm.rate().is_some() == rated {
        return Ok(algorithm);
    }
    let what = format!("is `{}`, which is not for `transport = \"{}\"`", algorithm.row().name, protocol.word());
    Err(item.problem(code::CONFLICT, what).hint("take `transport` away: the algorithm says which it needs"))
}

/// Payload of a full segment or packet.
pub(super) fn segment(item: &Item<'_>) -> Result<u32, Problem> {
    item.bytes(1..=64_000).map(|bytes| bytes as u32)
}
