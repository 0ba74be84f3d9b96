//! Groups of rate-controlled flows.

use tcp::Profile;

use super::protocol::segment;
use super::protocol::{Protocol, algorithm_for};
use crate::error::Problem;
use crate::read::Fields;

/// Rate-controlled flows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tfrc {
    pub(super) algorithm: cc::Config,
    pub(crate) config: datagram::TfrcConfig,
}

/// Header bytes of a packet of a rate-controlled flow: IPv4 and UDP headers, and number, timestamp and RTT.
const TFRC_HEADER: u32 = 40;

pub(super) fn rate_controlled(table: &Fields<'_>, profile: Profile) -> Result<Tfrc, Problem> {
    let algorithm = algorithm_for(table, Protocol::Tfrc)?;
    let header = match profile {
        Profile::Rfc | Profile::Linux => TFRC_HEADER,
        Profile::Ns2 => 0,
    };
    let config = datagram::TfrcConfig {
        rules: algorithm.rate().expect("checked by `algorithm_for`"),
        payload: table.get("segment").map_or(Ok(tcp::Config::profile(profile).mss), |item| segment(&item))?,
        header: table.get("header").map_or(Ok(header), |item| item.bytes(0..=1000).map(|bytes| bytes as u32))?,
    };
    Ok(Tfrc { algorithm, config })
}
