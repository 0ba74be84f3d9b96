//! Groups of TCP connections: algorithm, engine's rules, size, paths.

use cc::registry::Recovery;
use net::NodeId;
use tcp::{Agent, EcnEcho, Profile};

use super::ends::Places;
use super::protocol::segment;
use super::protocol::{Protocol, algorithm_for};
use super::times::when;
use crate::decode::drawn::{self, Drawn, Measure};
use crate::decode::general::General;
use crate::decode::multipath::{self, Multipath};
use crate::decode::tcp as rules;
use crate::error::{Problem, code};
use crate::read::{Fields, Item};

/// Connections.
#[derive(Clone, Debug)]
pub(crate) struct Tcp {
    pub(crate) algorithm: cc::Config,
    pub(crate) rules: tcp::Config,
    pub(crate) size: Option<Drawn>,
    pub(crate) two_way: bool,
    pub(crate) reverse_start: Option<Drawn>,
    pub(crate) multipath: Option<Multipath>,
}

/// How many bytes a flow may be told to send.
pub(crate) const SIZE: Measure = Measure::Size(1_000_000_000_000_000);

pub(super) fn connections(
    table: &Fields<'_>,
    shared: Option<&Item<'_>>,
    ends: &[(NodeId, NodeId)],
    count: usize,
    places: &Places,
    general: &General,
) -> Result<Tcp, Problem> {
    let flows = ends.len() * count;
    let algorithm = algorithm_for(table, Protocol::Tcp)?;
    let two_way = table.get("direction").map_or(Ok(false), |item| item.word(&[("forward", false), ("both", true)]))?;
    let rules = engine(table, shared, &algorithm, general.profile, two_way)?;
    let size = table.get("size").map(|item| drawn::read(&item, SIZE, false)).transpose()?;
    if let (Some(item), Some(size)) = (table.get("size"), size.and_then(|size| size.most(1)))
        && size.div_ceil(u64::from(rules.mss)) >= u64::from(u32::MAX)
    {
        return Err(item.problem(code::OUT_OF_RANGE, format!("is more than 2^32 segments of {} B", rules.mss)));
    }
    let reverse_start = table.get("reverse_start").map(|item| when(&item, flows, general)).transpose()?;
    if let (Some(item), false) = (table.get("reverse_start"), two_way) {
        return Err(item
            .problem(code::CONFLICT, "has no use without data in the reverse direction")
            .hint("write `direction = \"both\"`"));
    }
    let multipath = table.get("multipath");
    if let (Some(item), true) = (&multipath, two_way) {
        return Err(item
            .problem(code::CONFLICT, "has no use with data in both directions")
            .hint("write a group for each direction"));
    }
    let multipath = multipath
        .map(|item| multipath::read(&item, ends, places.nodes.len(), &places.links, &algorithm))
        .transpose()?;
    Ok(Tcp { algorithm, rules, size, two_way, reverse_start, multipath })
}

/// The engine's rules: the profile, what the algorithm wants, the scenario's `[tcp]`, the flow's own.
fn engine(
    table: &Fields<'_>,
    shared: Option<&Item<'_>>,
    algorithm: &cc::Config,
    profile: Profile,
    two_way: bool,
) -> Result<tcp::Config, Problem> {
    let row = algorithm.row();
    let own = table.get("tcp");
    // ns-2 has no FullTcp with the rules of Vegas
    let asked = shared.into_iter().chain(&own).filter_map(rules::asks_for_vegas).next_back();
    let vegas = row.recovery == Recovery::Vegas || asked == Some(true);
    let full = two_way && profile == Profile::Ns2 && !vegas;
    let mut agent = if full { Agent::Full } else { Agent::OneWay };
    for item in shared.into_iter().chain(&own) {
        agent = rules::agent(item)?.unwrap_or(agent);
    }
    let mut config = tcp::Config::profile(profile).with_agent(agent);
    config = config.with_marks_for(row);
    // the receiver's clock travels in the timestamp option, which costs header bytes
    config.timestamps |= row.needs_receiver_time;
    if let Some(item) = table.get("segment") {
        config.mss = segment(&item)?;
    }
    for item in shared.into_iter().chain(&own) {
        rules::read(item, &mut config)?;
    }
    if config.ect1 && config.ecn_echo != EcnEcho::Accurate {
        if !row.scalable {
            return Err(table
                .problem(code::CONFLICT, "has `tcp.ect = \"ect1\"` without marks that are counted")
                .hint("write `ecn_echo = \"accecn\"` beside it: L4S senders need that (RFC 9331)"));
        }
        config.ect1 = false;
    }
    config.recovery = config.recovery.or(Some(row.recovery));
    if config.ns2_recovery && config.recovery == Some(Recovery::RackTlp) {
        let what = "has `tcp.ns2_recovery` with the recovery core `rack-tlp`, which ns-2 does not have";
        return Err(table.problem(code::CONFLICT, what).hint(
            "write `recovery = \"algorithm\"` for ns-2's agent of each algorithm, or another core, or leave `ns2_recovery` out",
        ));
    }
    if config.is_full() && config.recovery == Some(Recovery::Vegas) {
        let what = "has ns-2's FullTcp with the recovery core `vegas`, which FullTcp does not have";
        return Err(table.problem(code::CONFLICT, what).hint(
            "write `agent = \"one-way\"` under `tcp` for ns-2's Vegas, or `recovery` \"tahoe\", \"reno\", \"newreno\" or \"sack\"",
        ));
    }
    if config.prr && !config.can_prr(row) {
        if shared.into_iter().chain(&own).any(rules::names_prr) {
            let what = format!("has `tcp.prr`, which has no meaning for `{}` with these rules", row.name);
            return Err(table.problem(code::CONFLICT, what).hint(
                "it needs `recovery` \"newreno\", \"sack\" or \"rack-tlp\" without `ns2_recovery`, and an algorithm that has a recovery and does not pace itself",
            ));
        }
        config.prr = false; // the profile says so, for those that leave the window in recovery to the engine
    }
    Ok(config)
}
