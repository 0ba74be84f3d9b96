//! The description written out: every default filled, one form for everything, the same text for equal runs.

use serde_json::{Value as Json, json};

use crate::decode::{PROFILES, Plan};
use crate::units::time_text;

/// A share in percent as it is written.
pub(crate) fn percent_text(percent: f64) -> String {
    // An underflow to minus zero is a zero.
    format!("{} %", percent + 0.0)
}

impl Plan {
    /// The description of this run but for its seed and what is recorded, as a scenario that reads back to itself.
    pub(crate) fn effective(&self) -> Json {
        let profile = PROFILES.iter().find(|(_, profile)| *profile == self.general.profile).map(|(word, _)| *word);
        json!({
            "scenario": {
                "duration": time_text(self.general.duration),
                "warmup": time_text(self.general.warmup),
                "profile": profile,
            },
            "topology": self.topology.effective(),
            "flows": self.flows.iter().map(|group| group.effective()).collect::<Vec<_>>(),
        })
    }
}
