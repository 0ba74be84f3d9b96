//! What a run leaves behind.

use tcp::{ReceiverStats, SenderStats, WindowEvent};
use units::{Span, Time};

use crate::capture::Captured;
use crate::cause::{LossCause, LossCounts};
use crate::delays::Delays;
use crate::judgement::Judgements;
use crate::link::LinkStats;
use crate::multipath::MultipathResult;
use crate::radio::StationResult;

/// Everything measured in one run.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// One per direction of data: all flows forward and, for two-way flows, reverse, in the order of the flows.
    pub flows: Vec<FlowResult>,
    /// One per connection over several paths; its subflows stand among the flows.
    pub multipath: Vec<MultipathResult>,
    /// Two per link, forward and reverse, in the order of the links.
    pub links: Vec<LinkResult>,
    /// One per station on a medium, in the order of the media.
    pub stations: Vec<StationResult>,
    /// Traced values in the order of time within each variable.
    pub traces: Vec<TracePoint>,
    /// Window changes in the order of time within each flow.
    pub events: Vec<FlowEvent>,
    /// Lost packets in the order of time.
    pub losses: Vec<Loss>,
    /// Tapes of what the senders' algorithms were told, if they were recorded.
    pub tapes: Vec<FlowTape>,
    /// Since when something that was to be recorded is missing, because there was more than is kept.
    pub recorded_until: Option<Time>,
    /// Packets at points of the network, if they were recorded.
    pub captured: Captured,
    /// Events that the loop handled.
    pub loop_events: u64,
    /// Packets that crossed a link.
    pub packet_hops: u64,
}

/// One direction of data of one flow.
#[derive(Clone, Debug, Default)]
pub struct FlowResult {
    /// Number of the flow in the network.
    pub flow: usize,
    /// Data from the passive to the active end.
    pub reverse: bool,
    /// When data could first be sent.
    pub start: Time,
    /// Payload bytes delivered by the end of the run; in order, for TCP.
    pub delivered_bytes: u64,
    /// Of these, those that arrived after the warm-up, each byte when it first arrived. What had arrived before does
    /// not count, though it may have waited for a hole to be filled.
    pub measured_bytes: u64,
    /// Payload bytes that arrived, in order or not, copies included.
    pub arrived_bytes: u64,
    /// Of these, after the warm-up.
    pub measured_arrived_bytes: u64,
    /// Payload bytes sent, retransmissions included.
    pub sent_bytes: u64,
    /// Integral of cwnd up to the end of the warm-up, segment-seconds.
    pub cwnd_integral_before: f64,
    /// Data segments acknowledged cumulatively.
    pub acknowledged: u32,
    /// Sender's counters.
    pub sender: SenderStats,
    /// Receiver's counters.
    pub receiver: ReceiverStats,
    /// Data segments lost, by true cause.
    pub lost: LossCounts,
    /// Data segments still on their way.
    pub in_flight: u64,
    /// Pure ACKs, the answer to the SYN included, sent by the receiving end.
    pub acks_sent: u64,
    /// Of these, received.
    pub acks_received: u64,
    /// Of these, lost.
    pub acks_lost: LossCounts,
    /// Of these, still on their way.
    pub acks_in_flight: u64,
    /// How the sender judged its losses, and what they were.
    pub judgements: Judgements,
    /// Queueing delays of its data segments that arrived, if they were recorded: one-way delay beyond that of a full
    /// segment over empty links.
    pub delays: Option<Delays>,
    /// Least delay sample, if any.
    pub rtt_min: Span,
    /// When the last byte, and all before it, was at the receiver's application, for a transfer of given size.
    pub completed: Option<Time>,
    /// When the sender knew it: the last byte was acknowledged.
    pub known: Option<Time>,
    /// When its receiver last got anything of it; zero if it never did.
    pub last_arrival: Time,
    /// Sum over its data and their hops through the air of the time from the station's queue to the next station.
    pub air_delay: Span,
    /// How many these hops are.
    pub air_hops: u64,
    /// Loss events that the receiver of a rate-controlled flow found.
    pub loss_events: u64,
    /// Datagrams: longest one-way delay; `None` for TCP.
    pub delay_max: Option<Span>,
    /// Datagrams: mean difference between the one-way delays of neighbouring arrivals, seconds; `None` if there are not
    /// two, and for TCP.
    pub jitter_s: Option<f64>,
}

impl FlowResult {
    /// The result of a connection over several paths: the sums over its subflows, and what it delivered itself.
    pub fn joined<'a>(subflows: impl Iterator<Item = &'a FlowResult>, joint: &MultipathResult) -> FlowResult {
        let mut sum = FlowResult {
            start: joint.start,
            delivered_bytes: joint.delivered_bytes,
            measured_bytes: joint.measured_bytes,
            completed: joint.completed,
            known: joint.known,
            ..FlowResult::default()
        };
        for (number, part) in subflows.enumerate() {
            if number == 0 {
                sum.flow = part.flow;
            }
            sum.sent_bytes += part.sent_bytes;
            sum.cwnd_integral_before += part.cwnd_integral_before;
            sum.arrived_bytes += part.arrived_bytes;
            sum.last_arrival = sum.last_arrival.max(part.last_arrival);
            sum.measured_arrived_bytes += part.measured_arrived_bytes;
            sum.acknowledged += part.acknowledged;
            sum.sender.add(&part.sender);
            sum.receiver.add(&part.receiver);
            sum.lost = sum.lost.plus(&part.lost);
            sum.in_flight += part.in_flight;
            sum.acks_sent += part.acks_sent;
            sum.acks_received += part.acks_received;
            sum.acks_lost = sum.acks_lost.plus(&part.acks_lost);
            sum.acks_in_flight += part.acks_in_flight;
            sum.air_delay += part.air_delay;
            sum.air_hops += part.air_hops;
            sum.judgements = sum.judgements.plus(&part.judgements);
            if part.rtt_min > Span::ZERO && (sum.rtt_min == Span::ZERO || part.rtt_min < sum.rtt_min) {
                sum.rtt_min = part.rtt_min;
            }
        }
        sum
    }
}

/// One direction of one link.
#[derive(Clone, Debug)]
pub struct LinkResult {
    /// Number of the link in the network.
    pub link: usize,
    /// From `b` to `a`.
    pub reverse: bool,
    /// Counters.
    pub stats: LinkStats,
}

/// A traced quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// Congestion window, segments, without the inflation of fast recovery.
    Cwnd,
    /// Slow start threshold, segments.
    Ssthresh,
    /// Flight size, segments.
    Flight,
    /// Smoothed RTT, seconds; of a rate-controlled flow its averaged RTT.
    Srtt,
    /// Payload that may be sent, bits per second: the allowed rate of a rate-controlled flow, a window per smoothed RTT
    /// of a connection.
    Rate,
    /// Loss event rate in the last report of a rate-controlled flow's receiver.
    LossEventRate,
    /// The window in force, segments: with what a fast recovery inflates it by, or a reduction in proportion leaves.
    Window,
    /// Number of a data segment or datagram that is sent, the first 0; a number that came before is a retransmission.
    Sent,
    /// Payload bytes that have arrived, in order or not, each counted once.
    Delivered,
    /// Time from the departure of a data segment or datagram to its arrival, seconds, for each that arrives.
    Delay,
    /// Waiting packets.
    Queue,
    /// Share of the time since the last value in which a station's frames were on air.
    Airtime,
    /// Number of the base station that serves a mobile, -1 if none does.
    Serving,
    /// Signal to noise of the base station that serves a mobile, dB.
    Snr,
}

/// One value of a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TracePoint {
    /// When.
    pub at: Time,
    /// Number of the flow, or of the link for those from [`Variable::Queue`] on; behind the links stand the
    /// [stations](Results::stations).
    pub subject: usize,
    /// Reverse direction of it.
    pub reverse: bool,
    /// What.
    pub variable: Variable,
    /// Its value from then on.
    pub value: f64,
}

/// A window change of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowEvent {
    /// Number of the flow.
    pub flow: usize,
    /// Data from the passive to the active end.
    pub reverse: bool,
    /// What happened.
    pub event: WindowEvent,
    /// Where a segment was taken for lost: what truly became of it when it was last lost; `None`: it was not, or not
    /// since the last event that took it for lost.
    pub true_cause: Option<LossCause>,
}

/// What a sender's algorithm was told and answered, as text (crate `tape`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowTape {
    /// Number of the flow.
    pub flow: usize,
    /// Data from the passive to the active end.
    pub reverse: bool,
    /// The tape.
    pub text: String,
}

/// A lost packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// When.
    pub at: Time,
    /// Number of the link.
    pub link: usize,
    /// Direction of the link.
    pub link_reverse: bool,
    /// Number of the flow.
    pub flow: usize,
    /// Direction of the flow: from the passive to the active end.
    pub flow_reverse: bool,
    /// Number of the data segment; `None`: an ACK or SYN.
    pub segment: Option<u32>,
    /// Why.
    pub cause: LossCause,
}
