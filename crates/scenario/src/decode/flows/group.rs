//! A group of flows, read and checked.

use net::{Class, NodeId};

use super::connections::Tcp;
use super::rate_controlled::Tfrc;
use crate::decode::drawn::{Arrivals, Drawn};
use crate::decode::multipath::Multipath;

/// Flows that differ only in their ends.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) name: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) count: usize,
    /// Ends of the pairs; each has `count` connections.
    pub(super) ends: Vec<(NodeId, NodeId)>,
    pub(crate) start: Drawn,
    pub(crate) stop: Option<Drawn>,
    pub(crate) arrivals: Option<Arrivals>,
    /// Of its packets, where a radio medium tells classes apart.
    pub(crate) class: Class,
    pub(crate) transport: Transport,
}

/// What carries the data of a group.
#[derive(Clone, Debug)]
pub(crate) enum Transport {
    Tcp(Box<Tcp>),
    Udp(datagram::Config),
    Tfrc(Tfrc),
}

impl Group {
    /// How many connections the group has; where they arrive at random, more than ever come.
    pub(crate) fn size(&self) -> usize {
        self.arrivals.map_or(self.ends.len() * self.count, |arrivals| arrivals.bound)
    }

    /// The several paths of its connections, if they have them.
    pub(crate) fn multipath(&self) -> Option<&Multipath> {
        match &self.transport {
            Transport::Tcp(tcp) => tcp.multipath.as_ref(),
            Transport::Udp(_) | Transport::Tfrc(_) => None,
        }
    }

    /// How many flows of the network the group makes.
    pub(crate) fn flows(&self) -> usize {
        self.size() * self.multipath().map_or(1, Multipath::paths)
    }

    /// Routes of the paths of the connection of this number.
    pub(crate) fn routes(&self, connection: usize) -> Option<&[Vec<usize>]> {
        self.multipath().map(|multipath| multipath.routes(connection / self.count))
    }

    /// Whether data flow in both directions.
    pub(crate) fn two_way(&self) -> bool {
        matches!(&self.transport, Transport::Tcp(tcp) if tcp.two_way)
    }
}
