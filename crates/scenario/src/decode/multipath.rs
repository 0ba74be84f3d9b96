//! Key `multipath` of a group of connections: several paths for each.

use net::{LinkSpec, NodeId, disjoint_routes, leads};
use serde_json::{Value as Json, json};

use crate::error::{Problem, choose, code, show};
use crate::node::Value;
use crate::read::Item;

/// Most paths of a connection.
const PATHS: u64 = 64;
/// Most segments that the receiver keeps out of order.
const BUFFER: u32 = 100_000_000;

/// Several paths for each connection of a group.
#[derive(Clone, Debug)]
pub(crate) struct Multipath {
    /// Numbers of links, for each pair of ends of the group and each of its paths.
    routes: Vec<Vec<Vec<usize>>>,
    /// The same as it was written: a number of paths, or names of links.
    written: Json,
    pub(crate) buffer: u32,
    pub(crate) coupled: bool,
}

/// Keys and what they mean.
pub(crate) static MEANINGS: &[(&str, &str)] = &[
    ("paths", "a number of paths without a common link, the shortest first, or a list of lists of links in order"),
    ("buffer", "segments that the receiver keeps out of order for all paths together, default \"10000 segments\""),
    ("coupled", "the windows of the paths depend on each other; default true for algorithms that can (mveno)"),
];

/// Read `multipath = 2`, or a table; `ends` are the group's pairs.
pub(crate) fn read(
    item: &Item<'_>,
    ends: &[(NodeId, NodeId)],
    nodes: usize,
    links: &[LinkSpec],
    algorithm: &cc::Config,
) -> Result<Multipath, Problem> {
    let keys: Vec<&str> = MEANINGS.iter().map(|(key, _)| *key).collect();
    let table = match item.node.value {
        Value::Table(_) => Some(item.table(&keys)?),
        _ => None,
    };
    let paths = match &table {
        Some(table) => table.need("paths", "2")?,
        None => Item { node: item.node, path: item.path.clone() },
    };
    let (routes, written) = match paths.node.value {
        Value::List(_) => listed(&paths, ends, links)?,
        _ => counted(&paths, ends, nodes, links)?,
    };
    let own = table.as_ref();
    let buffer = own.and_then(|table| table.get("buffer")).map_or(Ok(10_000), |item| item.segments(1..=BUFFER))?;
    let can = algorithm.row().couples;
    let coupled = match own.and_then(|table| table.get("coupled")) {
        None => can,
        Some(item) => {
            let on = item.flag()?;
            if on && !can {
                let what = format!("has no use: the windows of `{}` do not depend on each other", algorithm.row().name);
                return Err(item.problem(code::CONFLICT, what).hint("`mveno` is a coupled algorithm"));
            }
            on
        }
    };
    Ok(Multipath { routes, written, buffer, coupled })
}

type Routes = Vec<Vec<Vec<usize>>>;

/// So many paths for each pair.
fn counted(
    item: &Item<'_>,
    ends: &[(NodeId, NodeId)],
    nodes: usize,
    links: &[LinkSpec],
) -> Result<(Routes, Json), Problem> {
    let wanted = item.whole(1..=PATHS)? as usize;
    let mut routes = Vec::new();
    for &(from, to) in ends {
        let found = disjoint_routes(nodes, links, from, to, wanted);
        if found.len() < wanted {
            let what = format!("asks for {wanted} paths without a common link, {} were found", found.len());
            return Err(item
                .problem(code::NO_ROUTE, what)
                .hint("add links, or write the paths out: `paths = [[\"wifi\"], [\"lte\", \"core\"]]`"));
        }
        routes.push(found);
    }
    Ok((routes, json!(wanted)))
}

/// Paths written out as names of links.
fn listed(item: &Item<'_>, ends: &[(NodeId, NodeId)], links: &[LinkSpec]) -> Result<(Routes, Json), Problem> {
    let &[(from, to)] = ends else {
        return Err(item
            .problem(code::CONFLICT, format!("names links, but the group has {} pairs of ends", ends.len()))
            .hint("write a group for each pair, or a number of paths"));
    };
    let paths = item.list()?;
    if paths.is_empty() || paths.len() as u64 > PATHS {
        return Err(item.problem(code::OUT_OF_RANGE, format!("has {} paths, allowed are 1 to {PATHS}", paths.len())));
    }
    let (mut routes, mut written) = (Vec::new(), Vec::new());
    for path in &paths {
        let (mut route, mut names) = (Vec::new(), Vec::new());
        for name in path.list()? {
            let text = name.text()?;
            let number = links.iter().position(|link| link.name == text).ok_or_else(|| {
                name.problem(code::UNKNOWN_LINK, format!("is \"{}\", which is no link", show(text)))
                    .hint(choose(text, links.iter().take(50).map(|link| link.name.as_str())))
            })?;
            route.push(number);
            names.push(json!(text));
        }
        if !leads(links, &route, from, to) {
            return Err(path
                .problem(code::NO_ROUTE, "does not lead from one end of the flow to the other")
                .hint("name the links in the order in which packets take them"));
        }
        routes.push(route);
        written.push(Json::from(names));
    }
    Ok((vec![routes], Json::from(written)))
}

impl Multipath {
    /// How many paths each connection has.
    pub(crate) fn paths(&self) -> usize {
        self.routes[0].len()
    }

    /// The routes of the paths of the pair of this number.
    pub(crate) fn routes(&self, pair: usize) -> &[Vec<usize>] {
        &self.routes[pair]
    }

    /// The key, complete.
    pub(crate) fn effective(&self) -> Json {
        json!({ "paths": self.written, "buffer": format!("{} segments", self.buffer), "coupled": self.coupled })
    }
}
