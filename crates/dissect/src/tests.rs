use super::*;
use etherparse::{PacketBuilder, TcpOptionElement};

const SACK: TcpOptionElement = TcpOptionElement::SelectiveAcknowledgement((10, 20), [Some((30, 40)), None, None]);

/// Head of a pcap file: microseconds, this byte order.
fn head(link: u32, big: bool) -> Vec<u8> {
    let fields: [u32; 6] = [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65535, link];
    if big {
        let swapped = [fields[0], 0x0002_0004, 0, 0, 65535, link];
        swapped.iter().flat_map(|field| field.to_be_bytes()).collect()
    } else {
        fields.iter().flat_map(|field| field.to_le_bytes()).collect()
    }
}

fn record(frame: &[u8], captured: usize) -> Vec<u8> {
    let fields: [u32; 4] = [1_700_000_000, 250_000, captured as u32, frame.len() as u32];
    let mut record: Vec<u8> = fields.iter().flat_map(|field| field.to_le_bytes()).collect();
    record.extend(&frame[..captured]);
    record
}

/// A segment of 1000 bytes with timestamps and two SACK blocks: an IPv4 packet of 20 + 20 + 32 + 1000 B.
fn packet() -> Vec<u8> {
    let options = [TcpOptionElement::Noop, TcpOptionElement::Noop, TcpOptionElement::Timestamp(7, 6), SACK];
    let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp(40000, 5201, 4_294_967_290, 512);
    let builder = builder.ack(77).options(&options).expect("they fit");
    let mut bytes = Vec::new();
    builder.write(&mut bytes, &[0; 1000]).expect("memory takes it");
    bytes
}

fn one(file: &[u8]) -> Segments {
    let capture = read(file).expect("it is a capture");
    assert_eq!(capture.packets, 1);
    capture.segments
}

#[test]
fn a_segment_has_what_its_headers_say() {
    let segments = one(&[head(101, false), record(&packet(), 1072)].concat());
    assert_eq!(segments.time_ns, [1_700_000_000_250_000_000]);
    assert_eq!(segments.seq, [4_294_967_290]);
    assert_eq!(segments.ack, [77]);
    assert_eq!(segments.payload, [1000]);
    assert_eq!(segments.packet, [1072]);
    assert_eq!(segments.flags, [i64::from(flags::ACK)]);
    assert_eq!((segments.timestamp, segments.echo), (vec![7], vec![6]));
    assert_eq!(segments.sack, [vec![0, 0], vec![10, 30], vec![20, 40]]);
}

#[test]
fn what_was_not_captured_counts_as_sent() {
    // 20 + 20 bytes: the fixed headers; the options are missing, the sizes are in the headers
    let segments = one(&[head(101, false), record(&packet(), 40)].concat());
    assert_eq!((segments.payload[0], segments.timestamp[0], segments.sack[0].len()), (1000, -1, 0));
    let capture = read(&[head(101, false), record(&packet(), 39)].concat()).expect("it is a capture");
    assert_eq!((capture.short, capture.truncated), (1, 1));
}

#[test]
fn a_length_of_zero_is_left_to_the_card() {
    let mut bytes = packet();
    bytes[2..4].fill(0);
    let segments = one(&[head(101, false), record(&bytes, 100)].concat());
    assert_eq!((segments.packet[0], segments.payload[0]), (1072, 1000));
}

#[test]
fn both_directions_are_one_connection() {
    let mut back = Vec::new();
    let builder = PacketBuilder::ipv4([10, 0, 0, 2], [10, 0, 0, 1], 64).tcp(5201, 40000, 1, 512).ack(9);
    builder.write(&mut back, &[]).expect("memory takes it");
    let file = [head(101, false), record(&packet(), 1072), record(&back, 40)].concat();
    let capture = read(&file).expect("it is a capture");
    assert_eq!(capture.connections.len(), 1);
    assert_eq!(capture.segments.direction, [0, 1]);
    assert_eq!(capture.connections[0].first, ([10, 0, 0, 1].into(), 40000));
}

#[test]
fn other_packets_and_links_are_counted() {
    let mut datagram = Vec::new();
    let builder = PacketBuilder::ipv4([10, 0, 0, 2], [10, 0, 0, 1], 64).udp(1, 2);
    builder.write(&mut datagram, &[1, 2, 3]).expect("memory takes it");
    let capture = read(&[head(101, false), record(&datagram, datagram.len())].concat()).expect("it is a capture");
    assert_eq!((capture.others, capture.connections.len()), (1, 0));
    let capture = read(&[head(127, false), record(&datagram, datagram.len())].concat()).expect("it is a capture");
    assert_eq!(capture.unknown_links, [(127, 1)].into());
    let mut fragment = packet();
    fragment[6..8].copy_from_slice(&[0, 100]);
    let capture = read(&[head(101, false), record(&fragment, 1072)].concat()).expect("it is a capture");
    assert_eq!(capture.fragments, 1);
}

/// What stands before an IPv4 packet on each kind of link.
#[test]
fn kinds_of_links_are_read() {
    let nflog = |order: fn(u16) -> [u8; 2]| {
        let fields = [(8, 1, vec![8, 0, 0, 0]), (5, 10, vec![0; 4]), (4 + 1072, 9, vec![])];
        let fields =
            fields.into_iter().flat_map(|(length, kind, body)| [&order(length)[..], &order(kind), &body].concat());
        [vec![2, 0, 0, 0], fields.collect()].concat()
    };
    let pppoe: [u8; 8] = [0x11, 0, 0, 1, 4, 50, 0, 0x21];
    let llc: [u8; 8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0];
    for (link, head) in [
        (9, vec![0, 0x21]),
        (9, vec![0x21]),
        (9, vec![0xff, 3, 0, 0x21]),
        (50, vec![0xff, 3, 0, 0x21]),
        (50, vec![0xff, 3, 0x21]),
        (51, pppoe.to_vec()),
        (166, vec![0, 3, 0, 0x21]),
        (166, vec![1, 0xff, 3, 0, 0x21]),
        (204, vec![1, 0xff, 3, 0, 0x21]),
        (204, vec![0, 0, 0x21]),
        (104, vec![0x0f, 0, 8, 0]),
        (107, vec![0x18, 0x41, 3, 0xcc]),
        (107, [&[0x18, 0x41, 3, 0, 0x80, 0, 0, 0, 8, 0][..]].concat()),
        (10, [&[0x50; 13][..], &llc].concat()),
        (100, llc.to_vec()),
        (239, nflog(u16::to_le_bytes)),
        (239, nflog(u16::to_be_bytes)),
    ] {
        let frame = [&head[..], &packet()].concat();
        let segments = one(&[self::head(link, false), record(&frame, frame.len())].concat());
        assert_eq!((segments.payload, segments.packet), (vec![1000], vec![1072]), "{link} {head:?}");
        for end in 0..head.len() {
            let capture = read(&[self::head(link, false), record(&frame[..end], end)].concat());
            assert_eq!(capture.expect("it is a capture").connections.len(), 0);
        }
    }
}

#[test]
fn files_that_end_early_or_are_none() {
    let whole = [head(101, false), record(&packet(), 1072), record(&packet(), 1072)].concat();
    for end in 24 + 1089..whole.len() {
        let capture = read(&whole[..end]).expect("it is a capture");
        assert_eq!((capture.packets, capture.cut), (1, true), "{end}");
    }
    for end in 0..24 {
        assert_eq!(read(&whole[..end]).err(), Some(NotACapture), "{end}");
    }
    assert!(read(&head(101, true)).is_ok());
    assert!(read(b"no capture, but a letter of some length").is_err());
}

/// Whatever bytes are wrong, nothing panics: every byte of a small file in turn, with four values.
#[test]
fn wrong_bytes_are_read_or_refused() {
    let whole = [head(1, false), record(&[&[0; 12][..], &[8, 0], &packet()].concat(), 120)].concat();
    for place in 0..whole.len() {
        for value in [0, 1, 0x7f, 0xff] {
            let mut file = whole.clone();
            file[place] = value;
            let _ = read(&file);
        }
    }
}
