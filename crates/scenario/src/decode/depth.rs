//! Limits of queues in time or in bandwidth-delay products: how many packets they are on the path that is described.

use net::{Crossing, Network};
use units::Span;

use crate::error::{Place, Problem, code, show};
use crate::read::{HOUR, INSTANT, Item};
use crate::units::{Kind, parse, rate_text, time_text};

/// Bytes of a packet where no flow says how large packets are.
const PACKET: u32 = 1500;
/// Most packets.
pub(crate) const MOST: u32 = 1_000_000_000;
/// Share of a packet that is no more than a rounded last digit.
const DIGIT: f64 = 1e-9;

/// A limit as it was written.
#[derive(Clone, Debug)]
pub(crate) struct Depth {
    measure: Measure,
    text: String,
    path: String,
    place: Place,
}

#[derive(Clone, Copy, Debug)]
enum Measure {
    /// What the link carries in that time.
    Time(Span),
    /// So many times what it carries in the base round trip of the flows that cross it.
    Products(f64),
}

impl Depth {
    /// The limit, if it is a time or a number of bandwidth-delay products.
    pub(crate) fn read(item: &Item<'_>) -> Result<Option<Depth>, Problem> {
        let Ok(text) = item.text() else { return Ok(None) };
        let measure = match parse(text).map(|(_, unit)| unit.kind) {
            Ok(Kind::Time) => Measure::Time(item.span(INSTANT..=HOUR)?),
            Ok(Kind::Products) => Measure::Products(item.products()?),
            _ => return Ok(None),
        };
        Ok(Some(Depth { measure, text: show(text), path: item.path.clone(), place: item.node.place }))
    }

    /// How many packets it is on these directions of links.
    pub(crate) fn packets(&self, paths: &Paths<'_>, directions: &[(usize, bool)]) -> Result<u32, Problem> {
        let crossed = |link: usize| paths.crossings[link];
        let flows = directions.iter().filter_map(|(link, _)| crossed(*link)).reduce(Crossing::and);
        let packet = flows.map_or(PACKET, |flows| flows.packet);
        let used = directions.iter().filter(|(link, _)| flows.is_none() || crossed(*link).is_some());
        let rates = used.map(|&(link, reverse)| paths.network.rate_at_start(link, reverse, packet));
        let (slow, fast) = rates.fold((f64::INFINITY, 0.0_f64), |(slow, fast), rate| (slow.min(rate), fast.max(rate)));
        let (count, (short, long)) = match (self.measure, flows) {
            (Measure::Time(span), _) => (1.0, (span, span)),
            (Measure::Products(count), Some(flows)) => (count, flows.round_trips),
            (Measure::Products(_), None) => {
                return Err(self.problem("but no flow crosses that link, so there is no round trip"));
            }
        };
        let held = |bps: f64, time: Span| count * bps * time.secs() / 8.0 / f64::from(packet);
        let whole = |packets: f64| (packets * (1.0 - DIGIT)).ceil().max(1.0);
        let (least, most) = (held(slow, short), held(fast, long));
        let range = |least: String, most: String| if least == most { least } else { format!("{least} to {most}") };
        if whole(least) != whole(most) {
            let trips = range(time_text(short), time_text(long));
            let rates = range(rate_text(slow.round() as u64), rate_text(fast.round() as u64));
            let what = match self.measure {
                Measure::Time(_) => format!("but the links that have this queue carry {rates}"),
                Measure::Products(_) => format!(
                    "but there is not one product: the flows that cross it have base round trips of {trips}, at {rates}"
                ),
            };
            return Err(self.problem(&what));
        }
        if matches!(self.measure, Measure::Products(_)) && least < count {
            return Err(self.problem(&format!(
                "but a bandwidth-delay product is less than a packet of {packet} B here: the base round trip is {}",
                time_text(short)
            )));
        }
        if whole(most) > f64::from(MOST) {
            return Err(self.problem(&format!("more than {MOST} packets of {packet} B here")));
        }
        Ok(whole(most) as u32)
    }

    /// A problem with it: "`path` is ...".
    pub(crate) fn problem(&self, what: &str) -> Problem {
        Problem::new(code::OUT_OF_RANGE, self.place, format!("`{}` is \"{}\", {what}", show(&self.path), self.text))
            .hint("write the limit in packets, as in \"50 packets\"")
    }
}

/// A network whose queues are yet to be sized, and who crosses each of its links.
pub(crate) struct Paths<'a> {
    network: &'a Network,
    crossings: Vec<Option<Crossing>>,
}

impl Paths<'_> {
    pub(crate) fn of(network: &Network) -> Paths<'_> {
        Paths { network, crossings: network.crossings() }
    }

    /// The links with that name or, of several alike, a name that begins so: `left/0`, `left/1`, ...
    pub(crate) fn named(&self, stem: &str) -> Vec<usize> {
        let alike = |name: &str| name.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.links(|link| alike(&link.name))
    }

    /// The links of which that is true.
    pub(crate) fn links(&self, which: impl Fn(&net::LinkSpec) -> bool) -> Vec<usize> {
        (0..self.network.links.len()).filter(|at| which(&self.network.links[*at])).collect()
    }

    /// Directions of the links of a medium from nodes of which that is true.
    pub(crate) fn leaving(&self, medium: usize, which: impl Fn(net::NodeId) -> bool) -> Vec<(usize, bool)> {
        let links = self.network.links.iter().enumerate().filter(|(_, link)| link.medium == Some(medium));
        let ends = links.flat_map(|(at, link)| [(at, false, link.a), (at, true, link.b)]);
        ends.filter(|(_, _, from)| which(*from)).map(|(at, reverse, _)| (at, reverse)).collect()
    }
}
