//! Algorithms that live on marks by routers.

use super::{PLAIN, choice, number};
use crate::registry::{Recovery, Row};
use crate::{Algorithm, dctcp};

pub(super) const DCTCP: Row = Row {
    name: "dctcp",
    summary: "Cut in proportion to the share of marked bytes",
    source: "RFC 8257",
    caution: Some("for closed networks whose routers mark at a short queue; without marks it is Reno's window"),
    recovery: Recovery::Sack,
    uses_marks: true,
    parameters: &[
        number("dctcp_g", [0.0625, 0.000_1, 1.0], "-", "weight of a new window in alpha", "RFC 8257, section 4.2"),
        number("dctcp_alpha", [1.0, 0.0, 1.0], "-", "alpha at the start", "RFC 8257, section 3.3"),
        choice(
            "dctcp_cut",
            &["window_end", "first_mark"],
            "cut when an observation window with marks ends, or at its first mark",
            "RFC 8257, section 3.3; `first_mark` Linux",
        ),
    ],
    choices: dctcp::CHOICES,
    build: |config| Algorithm::Dctcp(dctcp::Dctcp::new(config)),
    ..PLAIN
};
