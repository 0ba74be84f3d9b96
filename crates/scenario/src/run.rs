//! A plan becomes a network and a run.

use std::sync::atomic::AtomicBool;

use net::{BadNetwork, FlowSpec, MultipathSpec, Network, TcpSpec, World};
use sim::Stream;
use units::{Span, Time};

use crate::decode::drawn::Drawn;
use crate::decode::flows::{Member, Tcp, Transport};
use crate::decode::link::ForRun;
use crate::decode::plan::Plan;
use crate::demand::Limits;
use crate::error::{Error, Place, Problem, code};
use crate::results::{self, RunResult};

/// How a run is watched.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions<'a> {
    /// The run stops soon after this becomes true.
    pub cancel: Option<&'a AtomicBool>,
    /// What it may need; more by [estimate](crate::Point::estimate), and it is refused.
    pub limits: Limits,
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq)]
pub enum RunError {
    /// It was cancelled.
    Cancelled,
    /// The description is wrong.
    Input(Error),
}

impl From<Error> for RunError {
    fn from(error: Error) -> RunError {
        RunError::Input(error)
    }
}

/// A connection that starts then, number `number` of its group; its random quantities are drawn.
fn connection(tcp: &Tcp, start: Time, seed: u64, flow: &str, number: usize) -> TcpSpec {
    let mut rules = tcp.rules;
    if rules.clock_offset.is_none() && rules.draws_clock(tcp.algorithm.row()) {
        let share = Stream::new(seed, &format!("{flow}/clock")).uniform();
        rules.clock_offset = Some(Span((share * rules.rtt_tick.0 as f64) as u64));
    }
    let reverse_start = |when: Drawn| Time(when.draw(seed, flow, "reverse_start", number));
    TcpSpec {
        algorithm: tcp.algorithm,
        rules,
        size: if tcp.multipath.is_some() { None } else { size(tcp, seed, flow, number) },
        two_way: tcp.two_way,
        reverse_start: tcp.reverse_start.map_or(start, reverse_start),
        handovers: vec![],
    }
}

/// Bytes to send: at least one, and no more than segments can be numbered.
fn size(tcp: &Tcp, seed: u64, flow: &str, number: usize) -> Option<u64> {
    let most = u64::from(tcp.rules.mss) * u64::from(u32::MAX - 2);
    tcp.size.map(|size| size.draw(seed, flow, "size", number).clamp(1, most))
}

impl Plan {
    /// The network of the run with this seed.
    pub(crate) fn network(&self, seed: u64) -> Network {
        self.build(seed).0
    }

    /// The network, and the number of each flow's group.
    pub(crate) fn build(&self, seed: u64) -> (Network, Vec<usize>) {
        self.built(seed, ForRun { trace_queue: self.output.queue_tracing(), seed: Some(seed) })
    }

    /// A network of no run, whose links have their mean delays.
    pub(crate) fn typical(&self) -> (Network, Vec<usize>) {
        self.built(0, ForRun::NONE)
    }

    fn built(&self, seed: u64, run: ForRun) -> (Network, Vec<usize>) {
        let mut groups = Vec::new();
        let mut flows: Vec<FlowSpec> = Vec::new();
        let mut multipath = Vec::new();
        for (at, group) in self.flows.iter().enumerate() {
            groups.resize(flows.len(), at.saturating_sub(1));
            let members = group.members(seed, self.general.duration);
            for (number, Member { name, from, to, start, stop }) in members.into_iter().enumerate() {
                let flow = |name: String, route: Option<Vec<usize>>| {
                    let transport = match &group.transport {
                        Transport::Udp(config) => net::Transport::Udp(*config),
                        Transport::Tfrc(tfrc) => net::Transport::Tfrc(tfrc.config),
                        Transport::Tcp(tcp) => net::Transport::Tcp(connection(tcp, start, seed, &name, number)),
                    };
                    FlowSpec { from, to, route, start, stop, transport, name, class: group.class }
                };
                let (Some(routes), Transport::Tcp(tcp)) = (group.routes(number), &group.transport) else {
                    flows.push(flow(name, None));
                    continue;
                };
                let first = flows.len();
                let subflows = routes.iter().enumerate();
                flows.extend(subflows.map(|(path, route)| flow(format!("{name}.{path}"), Some(route.clone()))));
                let several = tcp.multipath.as_ref().expect("it has routes");
                multipath.push(MultipathSpec {
                    size: size(tcp, seed, &name, number),
                    name,
                    subflows: (first..flows.len()).collect(),
                    buffer: several.buffer,
                    coupled: several.coupled,
                });
            }
        }
        groups.resize(flows.len(), self.flows.len() - 1);
        let (nodes, links) = (self.topology.nodes(), self.topology.links(run));
        let media = self.topology.media().iter().map(|medium| medium.spec(run.trace_queue)).collect();
        let cellular = self.topology.cellular();
        let send_jitter = self.topology.send_jitter;
        (Network { nodes, links, media, cellular, flows, multipath, send_jitter }, groups)
    }
}

impl Plan {
    /// How long its run is, and what is recorded.
    pub(crate) fn recorded(&self) -> net::RunOptions {
        net::RunOptions {
            warmup: self.general.warmup,
            traces: net::Traces {
                cwnd: self.output.cwnd,
                ssthresh: self.output.ssthresh,
                flight: self.output.flight,
                srtt: self.output.srtt,
                rate: self.output.rate,
                loss_event_rate: self.output.loss_event_rate,
                window: self.output.window,
                sent: self.output.sent,
                delivered: self.output.delivered,
                delay: self.output.delay,
                serving: self.output.serving,
                snr: self.output.snr,
            },
            trace_step: self.output.step,
            airtime: self.output.airtime_step(),
            events: self.output.events,
            delays: self.output.delays,
            tapes: self.output.tape,
            ..net::RunOptions::new(self.general.duration)
        }
    }
}

/// Run a plan; `file` is named in errors.
pub(crate) fn run(plan: &Plan, seed: u64, file: &str, options: &RunOptions<'_>) -> Result<RunResult, RunError> {
    let (network, groups) = plan.build(seed);
    let found = world(plan, &network, seed, file, options)?.run(options.cancel).map_err(|_| RunError::Cancelled)?;
    Ok(results::tables(plan, &network, &groups, found))
}

/// The network of a plan, ready to run.
pub(crate) fn world(
    plan: &Plan,
    network: &Network,
    seed: u64,
    file: &str,
    options: &RunOptions<'_>,
) -> Result<World, RunError> {
    let wanted = plan.recorded();
    let estimate = network.estimate(&wanted);
    options.limits.check(&estimate).map_err(|problem| RunError::Input(problem.locate(file, &[])))?;
    World::new_unless(options.cancel, network, seed, &wanted).map_err(|bad| {
        // All are found when the scenario is read; this is the net below it.
        let problem = match bad {
            BadNetwork::Cancelled => return RunError::Cancelled,
            BadNetwork::NoRoute { flow } => {
                Problem::new(code::NO_ROUTE, Place::Nowhere, format!("no route for flow `{flow}`"))
            }
            BadNetwork::Medium { name, error } => {
                let problem = Problem::new(code::OUT_OF_RANGE, Place::Nowhere, format!("medium `{name}`: {error}"));
                match error.hint() {
                    Some(hint) => problem.hint(hint),
                    None => problem,
                }
            }
            BadNetwork::NoStation { link } => {
                let what = format!("the ends of link `{link}` are not both stations of its medium");
                Problem::new(code::NO_ROUTE, Place::Nowhere, what)
            }
            BadNetwork::TooLarge => {
                Problem::new(code::TOO_MANY_FLOWS, Place::Nowhere, "more links and flows than can be simulated")
            }
        };
        RunError::Input(problem.locate(file, &[]))
    })
}
