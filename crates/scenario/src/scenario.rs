//! A description with its sweep, and each point of it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use units::{Span, Time};

use crate::capture::{Capture, Wanted};
use crate::decode::general;
use crate::decode::plan::Plan;
use crate::error::{self, Error, Place, Problem, code};
use crate::files::Files;
use crate::limits;
use crate::node::Node;
use crate::overrides::set;
use crate::results::RunResult;
use crate::run::{self, RunError, RunOptions};
use crate::sweep::{self, Axis};
use crate::version;

/// A seed from a number that a user gave.
pub fn seed(number: i64) -> Result<u64, Error> {
    let negative =
        || Problem::new(code::OUT_OF_RANGE, Place::Nowhere, format!("a seed of {number}: it must not be negative"));
    u64::try_from(number).map_err(|_| Error { file: None, ..negative().locate("", &[]) })
}

/// A checked description of one run or a sweep.
#[derive(Clone, Debug)]
pub struct Scenario(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// The description without its sweep.
    root: Node,
    axes: Vec<Axis>,
    name: String,
    seeds: Vec<u64>,
    duration_s: f64,
    file: String,
    files: Arc<Files>,
    sets: Vec<(String, String)>,
}

/// A description as text.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// TOML or JSON.
    pub text: &'a str,
    /// Named in errors.
    pub file: &'a str,
    /// Where files are that the description names; `None`: where `file` is.
    pub folder: Option<&'a Path>,
    /// Overrides, a dotted key and a value each.
    pub sets: &'a [(String, String)],
    /// Reading stops soon after this becomes true.
    pub cancel: Option<&'a AtomicBool>,
}

impl Source<'_> {
    /// Read it as TOML.
    pub fn toml(&self) -> Result<Scenario, RunError> {
        self.read(Node::from_toml)
    }

    /// Read it as JSON; null stands for a key that is not given.
    pub fn json(&self) -> Result<Scenario, RunError> {
        self.read(Node::from_json)
    }

    fn read(&self, parse: fn(&str) -> Result<Node, Problem>) -> Result<Scenario, RunError> {
        let folder = self.folder.unwrap_or_else(|| folder_of(self.file));
        let scenario = || {
            if self.text.len() > limits::TEXT {
                return Err(Problem::new(code::TOO_LONG, Place::Nowhere, "longer than 16 MiB"));
            }
            let mut root = parse(self.text)?;
            let axes = sweep::axes(&mut root, self.sets)?;
            Scenario::checked(root, axes, Arc::new(Files::in_folder(folder)), self.file, self.sets, self.cancel)
        };
        match scenario() {
            _ if self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) => Err(RunError::Cancelled),
            read => read.map_err(|problem: Problem| problem.locate(self.file, self.sets).into()),
        }
    }
}

/// The error of what nobody can cancel.
fn input(error: RunError) -> Error {
    match error {
        RunError::Input(error) => error,
        RunError::Cancelled => unreachable!("nobody could cancel it"),
    }
}

/// One point of a sweep: a description with nothing left to choose but the seed.
#[derive(Clone, Debug)]
pub struct Point {
    scenario: Scenario,
    index: usize,
    /// Hash of what all its runs have alike, once it was asked for.
    described: OnceLock<blake3::Hasher>,
}

impl Scenario {
    /// Read TOML. `file` is named in errors, and files that the description names are looked for in its folder; `sets`
    /// are overrides, a dotted key and a value each.
    pub fn from_toml(text: &str, file: &str, sets: &[(String, String)]) -> Result<Scenario, Error> {
        Source { text, file, folder: None, sets, cancel: None }.toml().map_err(input)
    }

    /// Read JSON of the same form; null stands for a key that is not given.
    pub fn from_json(text: &str, file: &str, sets: &[(String, String)]) -> Result<Scenario, Error> {
        Source { text, file, folder: None, sets, cancel: None }.json().map_err(input)
    }

    /// [`Scenario::from_toml`], with another folder for the files that the description names.
    pub fn from_toml_in(folder: &Path, text: &str, file: &str, sets: &[(String, String)]) -> Result<Scenario, Error> {
        Source { text, file, folder: Some(folder), sets, cancel: None }.toml().map_err(input)
    }

    /// What was read, if all of its points can be run. `sets` are those that places in `root` and `axes` refer to.
    fn checked(
        root: Node,
        axes: Vec<Axis>,
        files: Arc<Files>,
        file: &str,
        sets: &[(String, String)],
        cancel: Option<&AtomicBool>,
    ) -> Result<Scenario, Problem> {
        let (name, seeds) = general::label(&root)?;
        let duration_s = check(&root, &axes, &files, cancel)?;
        let (file, sets) = (file.to_owned(), sets.to_vec());
        Ok(Scenario(Arc::new(Inner { root, axes, name, seeds, duration_s, file, files, sets })))
    }

    /// Name, for people; it changes no run.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Seeds of the runs of each point.
    pub fn seeds(&self) -> &[u64] {
        &self.0.seeds
    }

    /// Length of the first point's run, seconds.
    pub fn duration_s(&self) -> f64 {
        self.0.duration_s
    }

    /// The description as it was written with the overrides laid over it, without defaults, as JSON.
    pub fn document(&self) -> String {
        let mut document = self.0.root.value.to_json();
        if let (false, Some(root)) = (self.0.axes.is_empty(), document.as_object_mut()) {
            let sweep = self.0.axes.iter().map(Axis::entry).collect();
            root.insert("sweep".to_owned(), serde_json::Value::Object(sweep));
        }
        document.to_string()
    }

    /// The points: the product of the axes, the last axis fastest; one point if there is no sweep. Keys that go
    /// together are one axis.
    pub fn points(&self) -> Vec<Point> {
        (0..sweep::size(&self.0.axes)).map(|index| Point::new(self.clone(), index)).collect()
    }
}

/// The folder of a file that is named in errors; empty for `<dict>` and the like.
fn folder_of(file: &str) -> &Path {
    Path::new(file).parent().unwrap_or(Path::new(""))
}

/// Check the points and return the first one's duration in seconds. A large sweep is checked one axis at a time, and
/// each of its points again when it is used.
/// What is left to check when it is cancelled is not checked.
fn check(root: &Node, axes: &[Axis], files: &Files, cancel: Option<&AtomicBool>) -> Result<f64, Problem> {
    /// Nodes and flows that may be gone through before a sweep counts as large.
    const WORK: usize = 10_000_000;
    let first = sweep::plan(root, axes, files, 0)?;
    let goes_on = || !cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed));
    let one = |index: usize| if goes_on() { sweep::plan(root, axes, files, index).map(drop) } else { Ok(()) };
    let size = sweep::size(axes);
    let each = 100 + first.topology.size() + first.flows.iter().map(|group| group.size()).sum::<usize>();
    if size.saturating_mul(each) <= WORK {
        (1..size).try_for_each(one)?;
    } else {
        let mut stride = 1;
        for axis in axes.iter().rev() {
            (1..axis.steps.len()).try_for_each(|at| one(at * stride))?;
            stride *= axis.steps.len();
        }
    }
    Ok(first.general.duration.secs())
}

/// Memory of a delivery opportunity, as a number here and in Python and as a line of text.
const OPPORTUNITY_BYTES: f64 = 150.0;

impl Point {
    /// The swept keys with this point's values as they were written.
    pub fn axes(&self) -> Vec<(String, serde_json::Value)> {
        let axes = &self.scenario.0.axes;
        sweep::choice(axes, self.index).map(|(key, node)| (key.clone(), sweep::label(&node.value))).collect()
    }

    /// The description of this point as it was written, overrides and swept values laid over it, without defaults, as
    /// JSON.
    pub fn document(&self) -> Result<String, Error> {
        let inner = &self.scenario.0;
        let root = sweep::chosen(&inner.root, &inner.axes, self.index);
        root.map(|root| root.value.to_json().to_string()).map_err(|problem| problem.locate(&inner.file, &inner.sets))
    }

    /// The connections in order as JSON, but those that arrive at random: `group`, `flow`, the nodes `from` and `to`,
    /// `start` and `reverse_start` (null: none) as they would be written for that flow alone.
    pub fn flows(&self) -> Result<String, Error> {
        let plan = self.plan()?;
        let nodes = plan.topology.nodes();
        let all = plan.flows.iter().flat_map(|group| group.listed(&nodes));
        Ok(all.collect::<serde_json::Value>().to_string())
    }

    /// This point with other values: `sets` are overrides, a dotted key and a value each.
    pub fn with(&self, sets: &[(String, String)]) -> Result<Point, Error> {
        let inner = &self.scenario.0;
        let all = [&inner.sets, sets].concat();
        let scenario = || {
            let mut root = sweep::chosen(&inner.root, &inner.axes, self.index)?;
            for (at, (key, text)) in sets.iter().enumerate() {
                let node = Node::from_set(text, Place::Set(inner.sets.len() + at));
                let key = key.trim();
                if key == "sweep" || key.starts_with("sweep.") {
                    return Err(Problem::new(code::NOT_SWEEPABLE, node.place, "a point has no sweep")
                        .hint("sweep the scenario that it is a point of"));
                }
                set(&mut root, key, &node)?;
            }
            Scenario::checked(root, vec![], inner.files.clone(), &inner.file, &all, None)
        };
        let scenario = scenario().map_err(|problem: Problem| problem.locate(&inner.file, &all))?;
        Ok(Point::new(scenario, 0))
    }

    fn new(scenario: Scenario, index: usize) -> Point {
        Point { scenario, index, described: OnceLock::new() }
    }

    fn plan(&self) -> Result<Plan, Error> {
        let inner = &self.scenario.0;
        sweep::plan(&inner.root, &inner.axes, &inner.files, self.index)
            .map_err(|problem| problem.locate(&inner.file, &inner.sets))
    }

    /// The description with every default filled, as JSON: the same text for equal runs. It has neither name, seeds,
    /// sweep nor output. It reads back with [`Scenario::from_json`] to the same text.
    pub fn effective(&self) -> Result<String, Error> {
        Ok(self.plan()?.effective().to_string())
    }

    /// Number of the last change of results that concerns this point's runs.
    pub fn results(&self) -> Result<u32, Error> {
        let description = self.plan()?.effective();
        Ok(version::results(&description, &description.to_string()))
    }

    /// What this point's runs have alike, as a hash: the description, what is recorded, and [`Point::results`].
    pub fn setting(&self) -> Result<String, Error> {
        Ok(self.described()?.finalize().to_hex().to_string())
    }

    /// Key of the run with this seed: a hash of [`Point::setting`], the seed, and which columns tables have.
    pub fn key(&self, seed: u64) -> Result<String, Error> {
        let mut hash = self.described()?.clone();
        add(&mut hash, &seed.to_string());
        add(&mut hash, &version::columns().to_string());
        Ok(hash.finalize().to_hex().to_string())
    }

    fn described(&self) -> Result<&blake3::Hasher, Error> {
        if let Some(described) = self.described.get() {
            return Ok(described);
        }
        let plan = self.plan()?;
        let description = plan.effective();
        let text = description.to_string();
        let mut hash = blake3::Hasher::new();
        add(&mut hash, &text);
        add(&mut hash, &plan.output.effective().to_string());
        add(&mut hash, &version::results(&description, &text).to_string());
        Ok(self.described.get_or_init(|| hash))
    }

    /// Times, in milliseconds, at which the link of this name can deliver 1504 bytes more, until the end of the run:
    /// what a mahimahi trace holds.
    /// Refused if the list would need more than so many bytes.
    pub fn opportunities(&self, link: &str, reverse: bool, memory_bytes: Option<f64>) -> Result<Vec<u32>, Error> {
        let plan = self.plan()?;
        let end = Time::ZERO + plan.general.duration;
        let network = plan.network(0);
        let links = &network.settled(0, end).links;
        let Some(found) = links.iter().find(|known| known.name == link) else {
            let what = format!("no link `{}`", error::show(link));
            let hint = error::choose(link, links.iter().map(|link| link.name.as_str()));
            return Err(Problem::new(code::UNKNOWN_LINK, Place::Nowhere, what)
                .hint(hint)
                .locate(&self.scenario.0.file, &[]));
        };
        let direction = if reverse { &found.reverse } else { &found.forward };
        let (count, most) = (direction.opportunity_count(end), memory_bytes.map(|bytes| bytes / OPPORTUNITY_BYTES));
        if let Some(most) = most.filter(|most| count > *most) {
            let name = error::show(link);
            let what =
                format!("link `{name}` has {count:.2e} delivery opportunities, and memory for {most:.2e} is allowed");
            let size = (count * OPPORTUNITY_BYTES / 1e9).ceil();
            let hint = format!("make the run shorter, or allow it: `--max-memory {size}GB`");
            let problem = Problem::new(code::TOO_LARGE, Place::Nowhere, what).hint(hint);
            return Err(problem.locate(&self.scenario.0.file, &[]));
        }
        let changing = direction.changing.as_deref().cloned().unwrap_or_default();
        Ok(changing.opportunities(direction.rate_bps, end))
    }

    /// What the links can carry of the data of these groups (none named: of all), as JSON; null if there is no such
    /// group.
    pub fn capacity(&self, groups: &[String]) -> Result<String, Error> {
        Ok(self.plan()?.capacity(groups).to_string())
    }

    /// How the path of the data of these groups changes in the run with this seed, as JSON. What comes in pieces counts
    /// by its mean over bins of so many seconds.
    pub fn course(&self, groups: &[String], seed: u64, bin_s: f64) -> Result<String, Error> {
        Ok(self.plan()?.course(groups, seed, bin(bin_s)).to_string())
    }

    /// Between which values the path of the data of these groups can be, as JSON; null if there is no bound.
    pub fn range(&self, groups: &[String], bin_s: f64) -> Result<String, Error> {
        Ok(self.plan()?.range(groups, bin(bin_s)).to_string())
    }

    /// What one run needs at most, as JSON.
    pub fn estimate(&self) -> Result<String, Error> {
        Ok(self.plan()?.estimate().to_string())
    }

    /// How long one frame of each kind takes on each radio medium, part by part, as JSON.
    pub fn exchanges(&self) -> Result<String, Error> {
        Ok(self.plan()?.exchanges().to_string())
    }

    /// What frames of base stations hold, and who serves each mobile when, as JSON.
    pub fn cells(&self) -> Result<String, Error> {
        Ok(self.plan()?.cells().to_string())
    }

    /// Stations and mobiles that are out of reach at some time, as JSON.
    pub fn absences(&self) -> Result<String, Error> {
        Ok(self.plan()?.absences().to_string())
    }

    /// Where stations, base stations and mobiles are, when, and how far each is heard, as JSON.
    pub fn map(&self) -> Result<String, Error> {
        Ok(self.plan()?.map().to_string())
    }

    /// The network of the run with this seed, random starts drawn.
    pub fn network(&self, seed: u64) -> Result<net::Network, Error> {
        Ok(self.plan()?.network(seed))
    }

    /// Run it, and keep what passes points of the network.
    pub fn capture(&self, seed: u64, wanted: &Wanted, options: &RunOptions<'_>) -> Result<Capture, RunError> {
        let inner = &self.scenario.0;
        Capture::make(&self.plan()?, seed, &inner.name, &inner.file, wanted, options)
    }

    /// Run it.
    pub fn run(&self, seed: u64, options: &RunOptions<'_>) -> Result<RunResult, RunError> {
        run::run(&self.plan()?, seed, &self.scenario.0.file, options)
    }
}

/// A part of what is hashed, with its length, so that no other parts make the same text.
fn add(hash: &mut blake3::Hasher, part: &str) {
    hash.update(&(part.len() as u64).to_le_bytes());
    hash.update(part.as_bytes());
}

/// A bin of so many seconds, a millisecond at least.
fn bin(seconds: f64) -> Span {
    Span::from_secs(seconds).max(Span::from_millis(1))
}
