//! Tapes of what the senders' algorithms are told: recorders that stand before them.

use tape::Reel;

use super::World;
use crate::endpoint::Endpoint;
use crate::results::FlowTape;
use crate::spec::{Network, Transport};

impl World {
    /// Put a recorder before the algorithm of each end that sends data.
    pub(super) fn record_tapes(&mut self, network: &Network) {
        for (at, end) in self.endpoints.iter_mut().enumerate() {
            let (Endpoint::Tcp(end), Transport::Tcp(spec)) = (end, &network.flows[at / 2].transport) else { continue };
            if at % 2 == 0 || self.two_way[at / 2] {
                let reel = Reel::new();
                end.sender.wrap_algorithm(|algorithm| reel.record(&spec.algorithm, algorithm));
                self.reels.push((at, reel));
            }
        }
    }

    /// The tapes of the connections that opened, in the order of the flows.
    pub(super) fn tapes(&self) -> Vec<FlowTape> {
        let tapes =
            self.reels.iter().map(|(at, reel)| FlowTape { flow: at / 2, reverse: at % 2 == 1, text: reel.text() });
        tapes.filter(|tape| !tape.text.is_empty()).collect()
    }
}
