//! The first lines of a script: which algorithm, which rules of the engine.

use cc::registry::{Kind, Recovery};
use tcp::{Config, Count, DelackMode, InitialWindow, Pacing, Profile, RecoverRule, Role};
use units::Span;

use crate::parse::{amount, seconds};

/// Everything a script chooses before its first step.
///
/// Names: `cc`, `profile rfc|ns2`, `mss`, `cwnd` (initial window) or `iw rfc5681|rfc6928`, `ssthresh` (initial;
/// default: the receiver's window), `rwnd`, `sack on|off`, `prr on|off`, `dup_threshold`, `limited_transmit`
/// (segments), `recover_rule careful|less-careful|off`, `delayed_ack` (segments per ACK), `delayed_ack_timer`,
/// `delayed_ack_mode per-segment|heartbeat`, `timestamps on|off`, `ecn on|off|per-packet`, `rto_init`, `rto_min`,
/// `rto_max`, `slow_start_restart on|off`, `cwnd_limited on|off`, `ss_count bytes|acks`, `ca_count bytes|acks`,
/// `ss_limit` and `ss_limit_rto` (segments, or `off`), `max_burst` (segments), `pacing off|algorithm|window`,
/// `pacing_burst` (segments), `handshake` (its round trip; `off`: the script does it; default 0.1), `role
/// active|passive`, `peer_sends on|off`, and the parameters of the algorithm by their own names. Amounts are bytes
/// unless said, times seconds.
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
                let profile = choice(value, &[("rfc", Profile::Rfc), ("ns2", Profile::Ns2)])?;
                *c = Config { mss, ..Config::profile(profile) };
            }
            "mss" => c.mss = at_least_one(value)?,
            "cwnd" => c.initial_window = InitialWindow::Segments(segments()?),
            "iw" => {
                c.initial_window =
                    choice(value, &[("rfc5681", InitialWindow::Rfc5681), ("rfc6928", InitialWindow::Rfc6928)])?;
            }
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
            "prr" => c.prr = on_off(value)?,
            "dup_threshold" => c.dup_threshold = at_least_one(value)?,
            "limited_transmit" => c.limited_transmit = number(value)?,
            "recover_rule" => {
                let rules = [
                    ("careful", RecoverRule::Careful),
                    ("less-careful", RecoverRule::LessCareful),
                    ("off", RecoverRule::Off),
                ];
                c.recover_rule = choice(value, &rules)?;
            }
            "delayed_ack" => c.delayed_ack = at_least_one(value)?,
            "delayed_ack_timer" => c.delayed_ack_timer = seconds(value)?,
            "delayed_ack_mode" => {
                let modes = [("per-segment", DelackMode::PerSegment), ("heartbeat", DelackMode::Heartbeat)];
                c.delayed_ack_mode = choice(value, &modes)?;
            }
            "timestamps" => c.timestamps = on_off(value)?,
            "ecn" => {
                (c.ecn, c.ecn_per_packet) =
                    choice(value, &[("off", (false, false)), ("on", (true, false)), ("per-packet", (true, true))])?;
            }
            "rto_init" => c.rto_init = seconds(value)?,
            "rto_min" => c.rto_min = seconds(value)?,
            "rto_max" => c.rto_max = seconds(value)?,
            "slow_start_restart" => c.slow_start_restart = on_off(value)?,
            "cwnd_limited" => c.cwnd_limited = on_off(value)?,
            "ss_count" => c.ss_count = choice(value, &COUNTS)?,
            "ca_count" => c.ca_count = choice(value, &COUNTS)?,
            "ss_limit" => c.ss_limit = limit(value)?,
            "ss_limit_rto" => c.ss_limit_rto = limit(value)?,
            "max_burst" => c.max_burst = number(value)?,
            "pacing" => {
                let rules = [("off", Pacing::Off), ("algorithm", Pacing::Algorithm), ("window", Pacing::Window)];
                c.pacing = choice(value, &rules)?;
            }
            "freeze" => c.freeze = on_off(value)?,
            "freeze_kick" => c.freeze_kick = on_off(value)?,
            "freeze_copies" => c.freeze_copies = at_least_one(value)?,
            "pacing_burst" => c.pacing_burst = at_least_one(value)?,
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
            _ => return self.set_parameter(name, value),
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
            Kind::Number { .. } => {
                self.algorithm.set_number(name, value.parse().map_err(|_| format!("`{value}` is no number"))?)
            }
        };
        set.map_err(|_| format!("`{name}` of `{}` cannot be `{value}`", self.algorithm.row().name))
    }
}

/// An amount in bytes that is a whole number of segments.
pub(crate) fn whole_segments(text: &str, mss: u32) -> Result<u32, String> {
    let bytes = amount(text)?;
    if bytes % u64::from(mss) != 0 {
        return Err(format!("`{text}` is no multiple of the MSS of {mss}"));
    }
    u32::try_from(bytes / u64::from(mss)).map_err(|_| format!("`{text}` is too much"))
}

fn number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("`{text}` is no whole number"))
}

fn at_least_one(text: &str) -> Result<u32, String> {
    number(text).and_then(|n| if n == 0 { Err("must be at least 1".to_string()) } else { Ok(n) })
}

const COUNTS: [(&str, Count); 2] = [("bytes", Count::Bytes), ("acks", Count::Acks)];

fn limit(text: &str) -> Result<u32, String> {
    if text == "off" { Ok(u32::MAX) } else { at_least_one(text) }
}

fn on_off(text: &str) -> Result<bool, String> {
    choice(text, &[("on", true), ("off", false)])
}

fn choice<T: Copy>(text: &str, among: &[(&str, T)]) -> Result<T, String> {
    among.iter().find(|(word, _)| *word == text).map(|&(_, value)| value).ok_or_else(|| {
        let words: Vec<&str> = among.iter().map(|&(word, _)| word).collect();
        format!("`{text}` is none of {}", words.join(", "))
    })
}
