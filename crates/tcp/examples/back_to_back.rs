//! Two TCP endpoints back to back, and a wire between them that loses one segment.
//!
//!     cargo run -p windlass-tcp --example back_to_back
//!
//! An endpoint has no socket and no clock. Whoever drives it tells it the time, hands it what arrives, takes what it
//! sends, and comes back at its next deadline.

use std::collections::VecDeque;

use tcp::{Config, Endpoint, Flags, Profile, Role, Segment};
use units::{Span, Time};

const DELAY: Span = Span::from_millis(50);
const LOST: u32 = 7;

fn main() {
    print!("{}", transfer());
}

/// One direction of the wire: what is on its way, and when it arrives.
type Wire = VecDeque<(Time, Segment)>;

/// Twenty segments from a client to a server; the first copy of one of them is lost.
fn transfer() -> String {
    let config = Config { mss: 1000, ..Config::profile(Profile::Rfc) };
    let algorithm = cc::Config::named("newreno").expect("the registry has it");
    let mut client = Endpoint::new(&config, &algorithm, Role::Active { peer_sends: false });
    let mut server = Endpoint::new(&config, &algorithm, Role::Passive);
    let (mut to_server, mut to_client) = (Wire::new(), Wire::new());
    let mut told = String::new();

    client.offer(Some(20_000));
    client.open();
    let mut now = Time::ZERO;
    loop {
        // Everything that must leave now, at once.
        send(now, "client", &mut client, &mut to_server, &mut told);
        send(now, "server", &mut server, &mut to_client, &mut told);
        // What happens next: an arrival, or a deadline. No timer runs: the time is `Time::NEVER`.
        let arrival = |wire: &Wire| wire.front().map_or(Time::NEVER, |&(at, _)| at);
        let arrivals = arrival(&to_server).min(arrival(&to_client));
        let deadlines = client.next_deadline().min(server.next_deadline());
        if client.sender.is_done() && arrivals == Time::NEVER {
            break;
        }
        now = arrivals.min(deadlines);
        if arrival(&to_server) == now {
            let (_, segment) = to_server.pop_front().expect("it arrives now");
            server.handle_segment(now, &segment);
        } else if arrival(&to_client) == now {
            let (_, segment) = to_client.pop_front().expect("it arrives now");
            client.handle_segment(now, &segment);
        } else {
            client.handle_timeout(now);
            server.handle_timeout(now);
        }
    }
    let stats = client.sender.stats();
    assert_eq!((server.receiver.rcv_nxt(), stats.retransmitted_segments, stats.timeouts), (20, 1, 0));
    told + &format!("{:.3}  done, cwnd {:.2} segments\n", now.secs(), client.sender.cwnd())
}

/// Puts on the wire what an endpoint sends, and tells of it.
fn send(now: Time, who: &str, from: &mut Endpoint, wire: &mut Wire, told: &mut String) {
    while let Some(segment) = from.poll_transmit(now) {
        let flags = segment.flags;
        let again = flags.has(Flags::RETRANSMITTED);
        let lost = flags.has(Flags::DATA) && segment.seq == LOST && !again;
        let what = match flags {
            _ if flags.has(Flags::SYN) && flags.has(Flags::ACK) => "SYN, ACK".into(),
            _ if flags.has(Flags::SYN) => "SYN".into(),
            _ if flags.has(Flags::DATA) => format!("data {}{}", segment.seq, if again { " again" } else { "" }),
            _ => format!("ACK {}", segment.ack),
        };
        *told += &format!("{:.3}  {who} > {what}{}\n", now.secs(), if lost { " (lost)" } else { "" });
        if !lost {
            wire.push_back((now + DELAY, segment));
        }
    }
}

/// Segments 8 and 9 overtook 7, as the ACKs of 0.200 report. They may only have come in another order: after a quarter
/// of the RTT (RFC 8985 section 6.2) 7 is lost and leaves again. All others had arrived, so one ACK answers for the
/// rest. The window is half of the 13 segments that were outstanding.
#[test]
fn one_loss_is_repaired_at_once() {
    let told = transfer();
    assert!(told.starts_with("0.000  client > SYN\n0.050  server > SYN, ACK\n0.100  client > data 0\n"));
    assert_eq!(told.matches("server > ACK 7\n").count(), 12);
    assert!(told.contains("0.225  client > data 7 again\n0.250"), "{told}");
    let end = "0.275  server > ACK 20\n0.325  done, cwnd 6.50 segments\n";
    assert!(told.ends_with(end), "{told}");
}
