//! Tapes of what the senders' algorithms are told: recorders that stand before them.

use tape::Reel;

use super::World;
use crate::endpoint::Endpoint;
use crate::results::{FlowTape, Results};
use crate::spec::{Network, Transport};

/// All tapes together are as long as so many bytes for each value that is kept.
const TAPE_BYTES: usize = 100;

impl World {
    /// Put a recorder before the algorithm of each end that sends data.
    pub(super) fn record_tapes(&mut self, network: &Network) {
        let most = self.options.most_records.saturating_mul(TAPE_BYTES) / self.endpoints.len().max(1);
        for (at, end) in self.endpoints.iter_mut().enumerate() {
            let (Endpoint::Tcp(end), Transport::Tcp(spec)) = (end, &network.flows[at / 2].transport) else { continue };
            if at % 2 == 0 || self.two_way[at / 2] {
                let reel = Reel::of(most);
                end.sender.wrap_algorithm(|algorithm| reel.record(&spec.algorithm, algorithm));
                self.reels.push((at, reel));
            }
        }
    }

    /// The tapes of the connections that opened, in the order of the flows.
    pub(super) fn take_tapes(&mut self, results: &mut Results) {
        for (at, reel) in std::mem::take(&mut self.reels) {
            let (text, cut) = reel.take();
            results.missing_from(cut);
            if !text.is_empty() {
                results.tapes.push(FlowTape { flow: at / 2, reverse: at % 2 == 1, text });
            }
        }
    }
}
