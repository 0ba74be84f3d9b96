//! Packets whose bytes are worked out by hand, and read back.

use cc::registry::Recovery;
use etherparse::{Ipv4Header, TcpHeader, TcpOptionElement, UdpHeader};
use net::{
    CaptureSpec, Captured, Counting, DirectionSpec, FlowSpec, LinkSpec, LossCause, LostPacket, Network, Passed,
    QueueLimit, QueueSpec, SendJitter, SentPacket, TapPoint, TcpSpec, Transport,
};
use tcp::{Config, EcnEcho, Flags, Profile, SackBlocks, Segment};
use units::{Span, Time};

use crate::end::End;
use crate::packet::bytes;
use crate::{Keep, pieces};

fn network(change: impl Fn(&mut TcpSpec)) -> Network {
    let queue = QueueSpec::drop_tail(QueueLimit::Packets(10), Counting::Waiting);
    let direction = DirectionSpec::plain(10_000_000, Span::from_millis(5), queue);
    let rules = Config { window: 100, ..Config::profile(Profile::Rfc) };
    let mut spec = TcpSpec {
        algorithm: cc::Config::named("newreno").unwrap(),
        rules,
        size: Some(3 * 1448 + 100),
        two_way: false,
        reverse_start: Time::ZERO,
        handovers: vec![],
    };
    change(&mut spec);
    Network {
        nodes: vec!["a".into(), "b".into()],
        links: vec![LinkSpec {
            name: "wire".into(),
            a: 0,
            b: 1,
            forward: direction.clone(),
            reverse: direction,
            medium: None,
        }],
        media: vec![],
        cellular: vec![],
        flows: vec![FlowSpec {
            name: "f".into(),
            from: 0,
            to: 1,
            route: None,
            start: Time::ZERO,
            stop: None,
            transport: Transport::Tcp(spec),
            class: net::Class::BestEffort,
        }],
        multipath: vec![],
        send_jitter: SendJitter::Off,
    }
}

fn segment(flags: Flags) -> Segment {
    let ts_val = Time(1_234_567_890);
    Segment { seq: 0, ack: 0, window: 100, size: 52, flags, ts_val, ts_ecr: Time::ZERO, sack: SackBlocks::NONE }
}

fn sent(end: u32, segment: Segment, payload: u32) -> SentPacket {
    SentPacket { end, segment, payload, snd_max: 0, snd_una: 0, unmarked: 0, lost: None }
}

const PASSED: Passed = Passed { at: Time(5_000_000_001), packet: 0, point: 0, marked: false };

fn both(one: Flags, other: Flags) -> Flags {
    Flags(one.0 | other.0)
}

/// The headers of a packet, whose checksums are right.
fn read(network: &Network, packet: &SentPacket, passed: &Passed) -> (Ipv4Header, TcpHeader) {
    let whole = bytes(&End::of(network), packet, passed, Keep::All);
    assert_eq!(whole.kept.len() as u32, whole.length);
    let (ip, rest) = Ipv4Header::from_slice(&whole.kept).unwrap();
    let (tcp, payload) = TcpHeader::from_slice(rest).unwrap();
    assert_eq!(ip.header_checksum, ip.calc_header_checksum());
    assert_eq!(tcp.checksum, tcp.calc_checksum_ipv4(&ip, payload).unwrap());
    assert_eq!(payload.len() as u32, packet.payload);
    let headers = bytes(&End::of(network), packet, passed, Keep::Headers);
    assert_eq!(headers.kept[..], whole.kept[..headers.kept.len()]);
    assert_eq!((headers.length, headers.kept.len()), (whole.length, 20 + tcp.header_len()));
    (ip, tcp)
}

fn options(tcp: &TcpHeader) -> Vec<TcpOptionElement> {
    tcp.options_iterator().map(Result::unwrap).filter(|option| *option != TcpOptionElement::Noop).collect()
}

#[test]
fn a_handshake_says_what_the_ends_have() {
    let network = network(|_| {});
    let (ip, syn) = read(&network, &sent(0, segment(Flags::SYN), 0), &PASSED);
    assert_eq!((ip.source, ip.destination), ([10, 0, 0, 1], [10, 0, 0, 2]));
    assert!(syn.syn && !syn.ack && !syn.ece && !syn.cwr);
    // 1448 and 12 bytes of timestamps; 100 * 1448 = 144 800 takes a scale of 2; a SYN's window is not scaled
    let said = [
        TcpOptionElement::MaximumSegmentSize(1460),
        TcpOptionElement::SelectiveAcknowledgementPermitted,
        TcpOptionElement::Timestamp(1_234_567, 0),
        TcpOptionElement::WindowScale(2),
    ];
    assert_eq!((options(&syn), syn.window_size, syn.acknowledgment_number), (said.to_vec(), 65_535, 0));
    let (_, answer) = read(&network, &sent(1, segment(both(Flags::SYN, Flags::ACK)), 0), &PASSED);
    assert_eq!(answer.acknowledgment_number, syn.sequence_number.wrapping_add(1));
    let (_, data) = read(&network, &sent(0, segment(both(Flags::DATA, Flags::ACK)), 1448), &PASSED);
    assert_eq!(data.sequence_number, syn.sequence_number.wrapping_add(1));
    assert_eq!(data.acknowledgment_number, answer.sequence_number.wrapping_add(1));
    assert_eq!(data.window_size, 36_200); // 144 800 / 4
}

#[test]
fn options_are_those_of_the_rules() {
    let plain = network(|spec| {
        spec.rules = Config { window: 44, recovery: Some(Recovery::NewReno), ..Config::classic() };
    });
    // 44 * 1460 = 64 240 needs no scale
    let (_, syn) = read(&plain, &sent(0, segment(Flags::SYN), 0), &PASSED);
    assert_eq!(options(&syn), [TcpOptionElement::MaximumSegmentSize(1460), TcpOptionElement::WindowScale(0)]);
    let data = Segment { window: 44, ..segment(Flags::DATA) };
    let (_, data) = read(&plain, &sent(0, data, 1460), &PASSED);
    assert_eq!((options(&data).len(), data.window_size), (0, 64_240));
    let ticks = network(|spec| spec.rules.rtt_tick = Span::from_millis(10));
    let (_, data) = read(&ticks, &sent(0, segment(Flags::DATA), 1448), &PASSED);
    assert_eq!(options(&data), [TcpOptionElement::Timestamp(123, 0)]);
}

#[test]
fn numbers_count_bytes_from_the_first_on_and_go_round() {
    let endless = network(|spec| spec.size = None);
    let first = read(&endless, &sent(0, segment(Flags::SYN), 0), &PASSED).1.sequence_number;
    let of = |number: u32| {
        let data = Segment { seq: number, ..segment(Flags::DATA) };
        read(&endless, &sent(0, data, 1448), &PASSED).1.sequence_number
    };
    assert_eq!(of(7), first.wrapping_add(1 + 7 * 1448));
    // 3 000 000 * 1448 = 4 344 000 000, and 2^32 = 4 294 967 296
    assert_eq!(of(3_000_000), first.wrapping_add(1 + 4_344_000_000u64.wrapping_sub(4_294_967_296) as u32));
    let round = ((1u64 << 32) - u64::from(first)).div_ceil(1448) as u32;
    assert!(of(round) < 1448 && of(round - 2) > u32::MAX - 2 * 1448);
}

#[test]
fn acknowledgements_and_blocks_count_the_bytes_of_the_other_end() {
    let network = network(|_| {});
    let first = read(&network, &sent(0, segment(Flags::SYN), 0), &PASSED).1.sequence_number.wrapping_add(1);
    let mut ack = Segment { ack: 1, ts_ecr: Time(1_000_000), ..segment(Flags::ACK) };
    ack.sack.push(2, 3);
    ack.sack.push(3, 4);
    let (_, tcp) = read(&network, &sent(1, ack, 0), &PASSED);
    // the last segment has 100 bytes
    let at = |bytes: u32| first.wrapping_add(bytes);
    let blocks =
        TcpOptionElement::SelectiveAcknowledgement((at(2896), at(4344)), [Some((at(4344), at(4444))), None, None]);
    assert_eq!(tcp.acknowledgment_number, at(1448));
    assert_eq!(options(&tcp), [TcpOptionElement::Timestamp(1_234_567, 1_000), blocks]);
    let probe = SentPacket { snd_una: 2, ..sent(0, segment(both(Flags::PROBE, Flags::ACK)), 0) };
    assert_eq!(read(&network, &probe, &PASSED).1.sequence_number, at(2895));
    let pure = SentPacket { snd_max: 3, ..sent(0, segment(Flags::ACK), 0) };
    assert_eq!(read(&network, &pure, &PASSED).1.sequence_number, at(4344));
}

#[test]
fn marks_stand_where_they_belong() {
    let network = network(|spec| spec.rules.ecn = true);
    let ecn = |flags: Flags, marked: bool| {
        let (ip, tcp) = read(&network, &sent(0, segment(flags), 0), &Passed { marked, ..PASSED });
        (ip.ecn.value(), tcp.ece, tcp.cwr, tcp.ns)
    };
    assert_eq!(ecn(both(Flags::DATA, Flags::ECT), false), (0b10, false, false, false));
    assert_eq!(ecn(Flags(Flags::DATA.0 | Flags::ECT.0 | Flags::ECT1.0), false), (0b01, false, false, false));
    assert_eq!(ecn(both(Flags::DATA, Flags::ECT), true), (0b11, false, false, false));
    assert_eq!(ecn(both(Flags::ACK, Flags::ECE), false), (0b00, true, false, false));
    assert_eq!(ecn(both(Flags::DATA, Flags::CWR), false), (0b00, false, true, false));
    // RFC 3168 section 6.1.1
    assert_eq!(ecn(Flags::SYN, false), (0b00, true, true, false));
    assert_eq!(ecn(both(Flags::SYN, Flags::ACK), false), (0b00, true, false, false));
}

#[test]
fn accurate_ecn_counts_bytes_in_its_option() {
    let network = network(|spec| (spec.rules.ecn, spec.rules.ecn_echo) = (true, EcnEcho::Accurate));
    let flags = Flags(Flags::ACK.0 | Flags::AE.0 | Flags::COUNTS_MARKS.0);
    // 3 marked segments beside 10 others: 4344 bytes, and 14 480 and the first one
    let mut ack = SentPacket { unmarked: 10, ..sent(1, Segment { seq: 5 + 3, ..segment(flags) }, 0) };
    let (_, tcp) = read(&network, &ack, &PASSED);
    assert!(tcp.ns && !tcp.cwr && !tcp.ece);
    assert_eq!(tcp.options.as_slice()[12..], [172, 8, 0, 0x38, 0x91, 0, 0x10, 0xf8]);
    // with three blocks and timestamps there is no room for it
    (1..4).for_each(|block| ack.segment.sack.push(2 * block, 2 * block + 1));
    assert_eq!(read(&network, &ack, &PASSED).1.options.len(), 40);
}

#[test]
fn datagrams_are_as_long_as_on_the_wire() {
    let mut network = network(|_| {});
    network.flows[0].transport = Transport::Udp(datagram());
    let packet = sent(0, Segment { size: 528, ..segment(Flags::DATA) }, 500);
    let whole = bytes(&End::of(&network), &packet, &PASSED, Keep::All);
    let (ip, rest) = Ipv4Header::from_slice(&whole.kept).unwrap();
    let (udp, payload) = UdpHeader::from_slice(rest).unwrap();
    assert_eq!((whole.length, payload.len(), udp.destination_port), (528, 500, 5001));
    assert_eq!(udp.checksum, udp.calc_checksum_ipv4(&ip, payload).unwrap());
}

fn datagram() -> ::datagram::Config {
    ::datagram::Config {
        payload: 500,
        header: 28,
        rate_bps: 1_000_000,
        traffic: ::datagram::Traffic::Cbr { jittered: false },
    }
}

#[test]
fn blocks_have_their_lengths_at_both_ends() {
    let network = network(|_| {});
    let spec = CaptureSpec { points: vec![TapPoint::Senders], flows: vec![true], limit: 10 };
    let lost = LostPacket { at: Time(6_000_000_002), link: 0, reverse: true, cause: LossCause::Queue };
    let packet = SentPacket { lost: Some(lost), ..sent(0, segment(Flags::DATA), 1448) };
    let captured = Captured { packets: vec![packet], passed: vec![PASSED; 3], stopped: None };
    let file: Vec<u8> = pieces(&network, &spec, &captured, Keep::Headers, "a test").flatten().collect();
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    let (mut at, mut kinds) = (0, vec![]);
    while at < file.len() {
        let length = word(at + 4) as usize;
        assert_eq!((length % 4, word(at + length - 4) as usize), (0, length));
        kinds.push(word(at));
        if word(at) == 6 {
            assert_eq!(u64::from(word(at + 12)) << 32 | u64::from(word(at + 16)), 5_000_000_001);
            let text = String::from_utf8_lossy(&file[at..at + length]);
            assert!(text.contains("dropped at 6.000000002 s on link wire, reverse: queue (lost in full queues)"));
        }
        at += length;
    }
    assert_eq!(kinds, [0x0a0d_0d0a, 1, 6, 6, 6]);
}
