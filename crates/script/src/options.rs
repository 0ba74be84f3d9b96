//! The first lines of a script: which algorithm, which rules of the engine.

use cc::registry::{Kind, Recovery};
use tcp::rules::{PROFILES, Rule, Takes, Value};
use tcp::{Config, InitialWindow, Profile, Role};
use units::Span;

use crate::values::{at_least_one, choice, none_of, number, on_off, real, seconds, whole_segments};

/// Everything a script chooses before its first step.
///
/// Names: `cc`, `profile rfc|ns2|linux|classic`, `mss`, every rule of [`tcp::rules`], and the parameters of the
/// algorithm, both by their own names; `classic` are the rules of the RFCs before RACK-TLP
/// ([`tcp::Config::classic`]). Beside them, in bytes: `cwnd` (initial window), `ssthresh` (initial) and `rwnd`.
/// `sack on|off` chooses the recovery core, `handshake` the round trip of the handshake before the script (`off`: the
/// script does it; default 0.1), `role active|passive` the end that is played, and `peer_sends on|off` whether the
/// other one has data. Flags are `on` or `off`, times seconds, other amounts of rules plain numbers.
#[derive(Clone, Debug)]
pub struct Options {
    /// The algorithm with its parameters.
    pub algorithm: cc::Config,
    /// The engine's rules.
    pub config: Config,
    /// Which end is played.
    pub role: Role,
    /// Round trip of the handshake that is done before time zero; `None`: the script does it.
    pub handshake: Option<Span>,
}

impl Options {
    /// Put together pairs of a name and a value, in whatever order. An error names the pair by its index.
    pub(crate) fn from_pairs(pairs: &[(String, String)]) -> Result<Options, (usize, String)> {
        let mut options = Options {
            algorithm: cc::Config::named("newreno").expect("it is in the registry"),
            config: Config { mss: 1000, ..Config::profile(Profile::Rfc) },
            role: Role::Active { peer_sends: false },
            handshake: Some(Span::from_millis(100)),
        };
        // the profile sets every rule and the MSS is the unit of the others, so these come first
        for first in [true, false] {
            for (index, (name, value)) in pairs.iter().enumerate() {
                if matches!(name.as_str(), "profile" | "mss" | "cc") == first {
                    options.set(name, value).map_err(|message| (index, message))?;
                }
            }
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let mss = self.config.mss;
        let segments = || whole_segments(value, mss);
        let c = &mut self.config;
        match name {
            "cc" => {
                self.algorithm = cc::Config::named(value).ok_or_else(|| format!("no algorithm `{value}`"))?;
            }
            "profile" => {
                let rules =
                    if value == "classic" { Config::classic() } else { Config::profile(choice(value, &PROFILES)?) };
                *c = Config { mss, ..rules };
            }
            "mss" => c.mss = at_least_one(value)?,
            "cwnd" => c.initial_window = InitialWindow::Segments(segments()?),
            "ssthresh" => c.initial_ssthresh = Some(segments()?),
            "rwnd" => c.window = segments()?,
            "sack" => {
                let own = self.algorithm.row().recovery;
                c.recovery = match (on_off(value)?, own) {
                    (true, _) => Some(Recovery::Sack),
                    (false, Recovery::Sack) => Some(Recovery::NewReno),
                    (false, _) => None,
                };
            }
            "handshake" => self.handshake = if value == "off" { None } else { Some(seconds(value)?) },
            "role" => {
                let role =
                    choice(value, &[("active", Role::Active { peer_sends: false }), ("passive", Role::Passive)])?;
                if role == Role::Passive {
                    self.handshake = None;
                }
                self.role = role;
            }
            "peer_sends" => self.role = Role::Active { peer_sends: on_off(value)? },
            _ => match Rule::named(name) {
                Some(rule) => rule.set(c, rule_value(rule, value)?),
                None => return self.set_parameter(name, value),
            },
        }
        Ok(())
    }

    /// A parameter of the algorithm.
    fn set_parameter(&mut self, name: &str, value: &str) -> Result<(), String> {
        let mut parameters = self.algorithm.row().parameters.iter();
        let Some(parameter) = parameters.find(|p| p.name == name) else { return Err(format!("no option `{name}`")) };
        let set = match parameter.kind {
            Kind::Flag(_) => self.algorithm.set_flag(name, on_off(value)?),
            Kind::Choice(_) => self.algorithm.set_choice(name, value),
            Kind::Number { .. } => self.algorithm.set_number(name, real(value)?),
        };
        set.map_err(|_| format!("`{name}` of `{}` cannot be `{value}`", self.algorithm.row().name))
    }
}

/// What a rule is set to.
fn rule_value(rule: &Rule, text: &str) -> Result<Value, String> {
    if let Some(word) = rule.words.iter().find(|word| **word == text) {
        return Ok(Value::Word(word));
    }
    let value = match rule.takes {
        Takes::Words => return Err(none_of(text, rule.words)),
        Takes::Flag => Value::Flag(on_off(text)?),
        Takes::Whole(..) => Value::Whole(number(text).map_err(|wrong| or_words(wrong, rule.words))?),
        Takes::Number(..) => Value::Number(real(text)?),
        Takes::Span(..) => Value::Span(seconds(text)?),
    };
    if rule.allows(value) { Ok(value) } else { Err(format!("`{text}` is out of range: {}", bounds(rule.takes))) }
}

/// What is wrong with a number where words would do, too.
fn or_words(wrong: String, words: &[&str]) -> String {
    if words.is_empty() { wrong } else { format!("{wrong}, and none of {}", words.join(", ")) }
}

/// The ends of a range, in the notation of a script.
fn bounds(takes: Takes) -> String {
    match takes {
        Takes::Whole(_, least, most) => format!("{least} to {most}"),
        Takes::Number(least, most) => format!("{least} to {most}"),
        Takes::Span(least, most) => format!("{} to {} seconds", least.secs(), most.secs()),
        Takes::Words | Takes::Flag => String::new(),
    }
}
