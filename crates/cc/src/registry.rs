//! The table of algorithms: names, parameters, sources. Help, documents and checks are made from it.

use crate::{Algorithm, tfrc};

mod rows;

pub use rows::{ALGORITHMS, PLAIN};

/// Most parameters that one algorithm may have.
pub const MAX_PARAMETERS: usize = 17;

/// How the engine repairs losses; an algorithm names its default, a flow may choose another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Fast retransmit and slow start from one segment; go-back-N.
    Tahoe,
    /// Fast recovery that ends at the first new ACK.
    Reno,
    /// Fast recovery that lasts until everything sent before it is acknowledged (RFC 6582).
    NewReno,
    /// Selective acknowledgements: RFC 6675, or ns-2's Sack1 in the `ns2` profile.
    Sack,
    /// Vegas' fine-grained timeouts checked on duplicate and first ACKs.
    Vegas,
    /// Losses found by time, and probes for those at the tail: RACK-TLP (RFC 8985).
    RackTlp,
}

/// One algorithm of the registry.
#[derive(Debug)]
pub struct Row {
    /// Name, as in scenario files.
    pub name: &'static str,
    /// Other names that are understood.
    pub aliases: &'static [&'static str],
    /// One line: what it is.
    pub summary: &'static str,
    /// Where the rule comes from.
    pub source: &'static str,
    /// What the source leaves open, and which reading is taken. The algorithm's file says it; help and documents show
    /// it.
    pub choices: &'static str,
    /// What a reader of results must know, if anything.
    pub caution: Option<&'static str>,
    /// Recovery core unless the flow names another.
    pub recovery: Recovery,
    /// Every loss is announced, also a second one in a window that was cut already: the engine's guard against repeated
    /// fast retransmits is off and the algorithm decides itself.
    pub hears_every_loss: bool,
    /// Tells random losses from congestion, so that how it judged each loss can be counted.
    pub judges_losses: bool,
    /// Needs the receiver's clock in every ACK.
    pub needs_receiver_time: bool,
    /// Wants packets to be marked by routers (ECN-capable transport) with the mark echoed per packet.
    pub uses_marks: bool,
    /// L4S (RFC 9331): its packets are ECT(1), and it needs marks that are counted (AccECN, RFC 9768).
    pub scalable: bool,
    /// Wants delivery rate samples ([`crate::Ack::delivery`]).
    pub samples_delivery: bool,
    /// It sizes the window at the end of a recovery, and must hear the ACK that ends one before the next begins.
    pub sizes_at_exit: bool,
    /// Wants its segments spaced at the rate it gives ([`crate::CongestionControl::pacing_rate`]).
    pub paces: bool,
    /// Its windows on the paths of one connection depend on each other ([`crate::Signal::Subflows`]).
    pub couples: bool,
    /// Parameters, at most [`MAX_PARAMETERS`].
    pub parameters: &'static [Parameter],
    /// Makes the algorithm's state from parameter values; not asked for where `rate` is given.
    pub build: fn(&Config) -> Algorithm,
    /// The sender is given a rate instead of a window, and is no TCP: makes the rules of its transport.
    pub rate: Option<fn(&Config) -> tfrc::Settings>,
    /// What [`crate::foreign::Foreign::build`] calls, for an algorithm from outside this crate.
    pub maker: Option<&'static crate::foreign::Maker>,
}

/// One parameter of an algorithm.
#[derive(Debug)]
pub struct Parameter {
    /// Name, as in scenario files.
    pub name: &'static str,
    /// Default and legal values.
    pub kind: Kind,
    /// Unit, "-" if none.
    pub unit: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// Where the default comes from.
    pub source: &'static str,
}

/// Default and legal values of a parameter.
#[derive(Debug)]
pub enum Kind {
    /// A number within a range, ends included.
    Number {
        /// Value unless the scenario says otherwise.
        default: f64,
        /// Least legal value.
        min: f64,
        /// Greatest legal value.
        max: f64,
    },
    /// One word of a list; the first is the default.
    Choice(&'static [&'static str]),
    /// On or off.
    Flag(bool),
}

/// A parameter's value: a number, the place of a word in its list, or 0 and 1 for a flag.
type Value = f64;

/// An algorithm with values for all its parameters; makes as many senders as wanted.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    row: &'static Row,
    values: [Value; MAX_PARAMETERS],
}

/// What can be wrong with a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BadParameter {
    /// The algorithm has no parameter of that name.
    Unknown,
    /// A number, word or flag was wanted and something else given.
    WrongKind(&'static str),
    /// Outside the range.
    OutOfRange {
        /// Least legal value.
        min: f64,
        /// Greatest legal value.
        max: f64,
    },
    /// Not one of these words.
    NotListed(&'static [&'static str]),
}

/// The row of that name or alias.
pub fn find(name: &str) -> Option<&'static Row> {
    ALGORITHMS.iter().find(|row| row.name == name || row.aliases.contains(&name))
}

/// The algorithms of TCP: those that are given a window.
pub fn windowed() -> impl Iterator<Item = &'static Row> + Clone {
    ALGORITHMS.iter().filter(|row| row.rate.is_none())
}

impl Config {
    /// The algorithm of that name or alias with every default.
    pub fn named(name: &str) -> Option<Config> {
        find(name).map(Config::new)
    }

    /// The algorithm of a row with every default.
    pub fn new(row: &'static Row) -> Config {
        let mut values = [0.0; MAX_PARAMETERS];
        for (value, parameter) in values.iter_mut().zip(row.parameters) {
            *value = match parameter.kind {
                Kind::Number { default, .. } => default,
                Kind::Choice(_) => 0.0,
                Kind::Flag(on) => f64::from(u8::from(on)),
            };
        }
        Config { row, values }
    }

    /// The algorithm's row.
    pub fn row(&self) -> &'static Row {
        self.row
    }

    /// Its code is outside this crate.
    pub fn is_outside(&self) -> bool {
        self.row.maker.is_some()
    }

    /// The rules of a rate-controlled transport; `None` for the algorithms of TCP.
    pub fn rate(&self) -> Option<tfrc::Settings> {
        self.row.rate.map(|make| make(self))
    }

    /// A sender's state, before `on_init`. Panics for a rate-controlled transport: a bug of the caller.
    pub fn build(&self) -> Algorithm {
        assert!(self.row.rate.is_none(), "`{}` has no window", self.row.name);
        (self.row.build)(self)
    }

    fn index(&self, name: &str) -> Option<usize> {
        self.row.parameters.iter().position(|p| p.name == name)
    }

    /// Set a number.
    pub fn set_number(&mut self, name: &str, value: f64) -> Result<(), BadParameter> {
        let at = self.index(name).ok_or(BadParameter::Unknown)?;
        match self.row.parameters[at].kind {
            Kind::Number { min, max, .. } if value >= min && value <= max => {
                self.values[at] = value;
                Ok(())
            }
            Kind::Number { min, max, .. } => Err(BadParameter::OutOfRange { min, max }),
            Kind::Choice(words) => Err(BadParameter::NotListed(words)),
            Kind::Flag(_) => Err(BadParameter::WrongKind("true or false")),
        }
    }

    /// Set a word of a list.
    pub fn set_choice(&mut self, name: &str, word: &str) -> Result<(), BadParameter> {
        let at = self.index(name).ok_or(BadParameter::Unknown)?;
        match self.row.parameters[at].kind {
            Kind::Choice(words) => {
                let place = words.iter().position(|w| *w == word).ok_or(BadParameter::NotListed(words))?;
                self.values[at] = place as f64;
                Ok(())
            }
            Kind::Number { .. } => Err(BadParameter::WrongKind("a number")),
            Kind::Flag(_) => Err(BadParameter::WrongKind("true or false")),
        }
    }

    /// Set a flag.
    pub fn set_flag(&mut self, name: &str, on: bool) -> Result<(), BadParameter> {
        let at = self.index(name).ok_or(BadParameter::Unknown)?;
        match self.row.parameters[at].kind {
            Kind::Flag(_) => {
                self.values[at] = f64::from(u8::from(on));
                Ok(())
            }
            Kind::Number { .. } => Err(BadParameter::WrongKind("a number")),
            Kind::Choice(words) => Err(BadParameter::NotListed(words)),
        }
    }

    /// Value of a number. Panics if the row has no such number: a bug of the row.
    pub fn number(&self, name: &str) -> f64 {
        let at = self.index(name).expect("the row lists every parameter its algorithm reads");
        self.values[at]
    }

    /// Word chosen. Panics if the row has no such choice: a bug of the row.
    pub fn choice(&self, name: &str) -> &'static str {
        let at = self.index(name).expect("the row lists every parameter its algorithm reads");
        match self.row.parameters[at].kind {
            Kind::Choice(words) => words[self.values[at] as usize],
            _ => panic!("parameter `{name}` is not a choice"),
        }
    }

    /// Whether a flag is on. Panics if the row has no such flag: a bug of the row.
    pub fn flag(&self, name: &str) -> bool {
        self.number(name) != 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_aliases_are_unique() {
        let mut seen = std::vec::Vec::new();
        for row in ALGORITHMS {
            for name in core::iter::once(&row.name).chain(row.aliases) {
                assert!(!seen.contains(name), "`{name}` stands twice");
                seen.push(name);
            }
        }
    }

    #[test]
    fn the_names_of_the_papers_ledgers_are_understood() {
        for (ledger, name) in [
            ("cerlplus", "cerl-plus"),
            ("cerlplusinverted", "cerl-plus-inverted"),
            ("cerlplus2", "cerl-plus2"),
            ("newjerseyplus", "newjersey-plus"),
            ("nj+", "newjersey-plus"),
            ("new-jersey", "newjersey"),
            ("westwoodplus", "westwood-plus"),
            ("cubic2008", "cubic-2008"),
        ] {
            assert_eq!(find(ledger).unwrap().name, name);
        }
        for name in ["tahoe", "reno", "newreno", "sack", "vegas", "veno", "mveno", "westwood", "cubic", "yeah", "cerl"]
        {
            assert_eq!(find(name).unwrap().name, name);
        }
    }

    #[test]
    fn every_row_builds_with_its_defaults_and_defaults_are_legal() {
        for row in ALGORITHMS {
            assert!(row.parameters.len() <= MAX_PARAMETERS);
            assert!(row.choices.ends_with('.'), "{} does not say what its source leaves open", row.name);
            let config = Config::new(row);
            match config.rate() {
                Some(rules) => assert!(rules.b >= 1.0),
                None => drop(config.build()),
            }
            for p in row.parameters {
                if let Kind::Number { default, min, max } = p.kind {
                    assert!(default >= min && default <= max, "{}.{}", row.name, p.name);
                }
            }
        }
    }

    #[test]
    fn what_the_sources_leave_open_is_decided_by_these_defaults() {
        for (row, name, word) in [
            ("cerl", "cerl_cmp", "ge"),
            ("cerl", "cerl_lmax", "keep"),
            ("cerl-plus", "cerlp_avg", "all"),
            ("cerl-plus-inverted", "cerlp_avg", "all"),
            ("cerl-plus2", "cerlp_A", "avg_over_t"),
            ("ewr", "ewr_growth", "reno"),
            ("adaptive", "adapt_rtt", "srtt"),
            ("adaptive", "adapt_rto_ss", "native"),
            ("adaptive", "adapt_E", "loss"),
            ("cubic", "hystart", "off"),
            ("cubic-linux", "hystart", "linux"),
            ("veno", "veno_rtt", "mean_round"),
            ("hybla", "hybla_rtt", "min"),
            ("dctcp", "dctcp_cut", "window_end"),
            ("tfrc", "tfrc_rto", "4r"),
        ] {
            assert_eq!(Config::named(row).unwrap().choice(name), word, "{row}.{name}");
        }
        for (row, name, on) in [
            ("cubic", "cubic_fast_convergence", true),
            ("newreno", "abe", false),
            ("cubic", "abe", false),
            ("cubic-2008", "cubic_fast_convergence", true),
            ("bic", "bic_fast_convergence", true),
            ("cubic-linux", "cubic_fast_convergence", true),
            ("cubic-linux", "cubic_friendly", true),
            ("bbr", "bbr_extra_acked", false),
            ("bbr-linux", "bbr_extra_acked", true),
            ("htcp", "htcp_rtt_scaling", false),
            ("ledbat", "ledbat_slow_start", false),
            ("etfcc", "etfcc_floor", false),
        ] {
            assert_eq!(Config::named(row).unwrap().flag(name), on, "{row}.{name}");
        }
        for (row, name, value) in [
            ("cerl", "cerl_A", 0.55),
            ("cerl-plus", "cerlp_window", 0.0),
            ("bic", "bic_low_window", 14.0),
            ("bic", "bic_smax", 16.0),
            ("bic", "bic_smin", 0.01),
            ("bic", "bic_keep", 0.8),
            ("bic", "bic_b", 4.0),
            ("bic", "bic_smooth_part", 20.0),
            ("cubic", "cubic_c", 0.4),
            ("cubic", "cubic_beta", 0.7),
            ("cubic-2008", "cubic_c", 0.4),
            ("cubic-2008", "cubic2008_beta", 0.2),
            ("reno", "abe_beta", 0.8),
            ("cubic", "abe_beta", 0.85),
            ("bbr", "bbr_margin", 0.0),
            ("bbr-linux", "bbr_margin", 0.01),
            ("vegas-linux", "vegas_alpha", 2.0),
            ("vegas-linux", "vegas_beta", 4.0),
            ("bbr", "bbr_high_gain", 2.885),
            ("bbr", "bbr_bw_rounds", 10.0),
            ("bbr", "bbr_rtt_window", 10.0),
            ("bbr", "bbr_probe_rtt", 0.2),
            ("bbr", "bbr_min_cwnd", 4.0),
            ("bbr", "bbr_full_growth", 1.25),
            ("bbr", "bbr_full_rounds", 3.0),
            ("bbr3", "bbr3_startup_gain", 2.77),
            ("bbr3", "bbr3_drain_gain", 0.5),
            ("bbr3", "bbr3_up_gain", 1.25),
            ("bbr3", "bbr3_down_gain", 0.9),
            ("bbr3", "bbr3_cwnd_gain", 2.0),
            ("bbr3", "bbr3_up_cwnd_gain", 2.25),
            ("bbr3", "bbr3_probe_rtt_gain", 0.5),
            ("bbr3", "bbr3_margin", 0.01),
            ("bbr3", "bbr3_loss_thresh", 0.02),
            ("bbr3", "bbr3_beta", 0.7),
            ("bbr3", "bbr3_headroom", 0.15),
            ("bbr3", "bbr3_min_cwnd", 4.0),
            ("bbr3", "bbr3_full_losses", 6.0),
            ("bbr3", "bbr3_rtt_window", 10.0),
            ("bbr3", "bbr3_probe_rtt_interval", 5.0),
            ("bbr3", "bbr3_probe_rtt", 0.2),
            ("ledbat", "ledbat_target", 0.1),
            ("ledbat", "ledbat_gain", 1.0),
            ("ledbat", "ledbat_base_history", 10.0),
            ("ledbat", "ledbat_filter", 4.0),
            ("ledbat", "ledbat_min_window", 2.0),
            ("highspeed", "hs_low_window", 38.0),
            ("highspeed", "hs_high_window", 83_000.0),
            ("highspeed", "hs_high_p", 1e-7),
            ("highspeed", "hs_high_decrease", 0.1),
            ("htcp", "htcp_delta_l", 1.0),
            ("htcp", "htcp_linear", 10.0),
            ("htcp", "htcp_square", 0.25),
            ("htcp", "htcp_beta_min", 0.5),
            ("htcp", "htcp_beta_max", 0.8),
            ("htcp", "htcp_rate_change", 0.2),
            ("illinois", "illinois_alpha_min", 0.3),
            ("illinois", "illinois_alpha_max", 10.0),
            ("illinois", "illinois_beta_min", 0.125),
            ("illinois", "illinois_beta_max", 0.5),
            ("illinois", "illinois_win_thresh", 15.0),
            ("illinois", "illinois_theta", 5.0),
            ("illinois", "illinois_eta1", 0.01),
            ("scalable", "scalable_a", 0.01),
            ("scalable", "scalable_b", 0.125),
            ("scalable", "scalable_low_window", 16.0),
            ("hybla", "hybla_rtt0", 0.025),
            ("dctcp", "dctcp_g", 0.0625),
            ("dctcp", "dctcp_alpha", 1.0),
        ] {
            assert_eq!(Config::named(row).unwrap().number(name), value, "{row}.{name}");
        }
    }

    #[test]
    fn rows_of_linux_are_its_form_of_the_algorithm() {
        let mut vegas = Config::named("vegas").unwrap();
        for (name, value) in [("vegas_alpha", 2.0), ("vegas_beta", 4.0), ("vegas_gamma", 1.0)] {
            vegas.set_number(name, value).unwrap();
        }
        vegas.set_choice("vegas_impl", "linux").unwrap();
        vegas.set_choice("vegas_diff", "over_base").unwrap();
        assert_eq!(Config::named("vegas-linux").unwrap().build(), vegas.build());
    }

    #[test]
    fn a_number_outside_its_range_is_refused() {
        let mut config = Config::named("westwood-plus").unwrap();
        assert_eq!(config.set_number("wp_gain", 1.5), Err(BadParameter::OutOfRange { min: 0.0, max: 1.0 }));
        assert_eq!(config.set_number("nonsense", 1.0), Err(BadParameter::Unknown));
    }
}
