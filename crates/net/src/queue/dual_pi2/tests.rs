use super::*;

/// A queue, its pool, and a clock in milliseconds.
struct Bench {
    queue: DualPi2,
    pool: Pool,
    dropped: Vec<Dropped>,
}

const ECT1: Flags = Flags(Flags::ECT.0 | Flags::ECT1.0);
const CLASSIC: Flags = Flags(0);

fn at(ms: f64) -> Time {
    Time((ms * 1e6) as u64)
}

fn near(is: f64, wanted: f64) {
    assert!((is - wanted).abs() < 1e-12, "{is} is not {wanted}");
}

impl Bench {
    fn new(change: impl Fn(&mut DualPi2Spec)) -> Bench {
        let mut spec = DualPi2Spec::default();
        change(&mut spec);
        Bench { queue: DualPi2::new(&spec, Stream::new(1, "l/queue")), pool: Pool::new(), dropped: vec![] }
    }

    /// With this base probability, which stays.
    fn at_base(base: f64, change: impl Fn(&mut DualPi2Spec)) -> Bench {
        let mut bench = Bench::new(|spec| {
            (spec.alpha, spec.beta) = (0.0, 0.0);
            change(spec);
        });
        bench.queue.base = base;
        bench
    }

    fn push(&mut self, ms: f64, flags: Flags) {
        let place = self.pool.keep(Packet { at: at(ms), size: 1000, flags, ..Packet::default() });
        self.queue.push(place, &mut self.pool);
    }

    /// Whether the packet served is L4S, and marked.
    fn pop(&mut self, ms: f64) -> Option<(bool, bool)> {
        let (packet, marked) = self.queue.pop(at(ms), &mut self.pool, &mut self.dropped)?;
        Some((packet.flags.has(Flags::ECT1), marked))
    }

    /// Of `many` packets that come and go alone, those that are marked, and those that are dropped.
    fn alone(&mut self, many: u32, flags: Flags) -> (usize, usize) {
        let before = self.dropped.len();
        let mut marks = 0;
        for n in 0..many {
            self.push(f64::from(n), flags);
            marks += usize::from(self.pop(f64::from(n)).is_some_and(|(_, marked)| marked));
        }
        (marks, self.dropped.len() - before)
    }
}

#[test]
fn the_base_probability_follows_delay_and_trend() {
    let mut bench = Bench::new(|_| {});
    bench.push(0.0, CLASSIC);
    bench.push(0.0, CLASSIC);
    // updates at 15, 30 and 45 ms, when the head has waited as long
    bench.queue.update(at(15.0), &bench.pool);
    near(bench.queue.base, 3.0 * 0.015);
    bench.queue.update(at(45.0), &bench.pool);
    // + 0.15 * 0.015 + 3 * 0.015, then + 0.15 * 0.030 + 3 * 0.015
    near(bench.queue.base, 0.045 + 0.047_25 + 0.0495);
    // both leave: at 60 ms - 0.15 * 0.015 - 3 * 0.045
    bench.pop(46.0);
    bench.pop(46.0);
    bench.queue.update(at(60.0), &bench.pool);
    near(bench.queue.base, 0.141_75 - 0.137_25);
    // 0.0045 - 2 * 0.00225: nothing is left, and idle updates are skipped
    bench.queue.update(at(1e7), &bench.pool);
    assert_eq!(bench.queue.base, 0.0);
    assert!(bench.queue.next_update > at(1e7) && bench.queue.next_update <= at(1e7 + 15.0));
    assert_eq!(bench.queue.next_update.0 % 15_000_000, 0);
}

#[test]
fn the_classic_probability_is_the_square_of_the_base_and_the_coupled_one_a_multiple() {
    for base in [0.05, 0.1, 0.3, 0.45] {
        // 100 000 packets, evenly spaced: exact but for the last
        let (marks, _) = Bench::at_base(base, |_| {}).alone(100_000, ECT1);
        assert!((marks as f64 - 2.0 * base * 1e5).abs() <= 1.001, "{marks}");
        let (_, drops) = Bench::at_base(base, |_| {}).alone(100_000, CLASSIC);
        assert!((drops as f64 - base * base * 1e5).abs() <= 1.001, "{drops}");
        // ECT(0) is marked instead
        assert_eq!(Bench::at_base(base, |_| {}).alone(100_000, Flags::ECT), (drops, 0));
        // (p_CL / k)^2 = p_C
        let coupled = marks as f64 / 1e5;
        assert!(((coupled / 2.0) * (coupled / 2.0) - drops as f64 / 1e5).abs() < 2e-5);
        // and at random within four standard deviations
        let (_, random) = Bench::at_base(base, |spec| spec.random = true).alone(100_000, CLASSIC);
        let mean = base * base * 1e5;
        assert!((random as f64 - mean).abs() < 4.0 * mean.sqrt(), "{random}");
    }
}

#[test]
fn overload_drops_from_both() {
    // p' = 0.55: p_CL is above 1, p_C 0.3025
    assert_eq!(Bench::at_base(0.55, |_| {}).alone(1000, ECT1), (698, 302));
    assert_eq!(Bench::at_base(0.55, |_| {}).alone(1000, Flags::ECT), (0, 302));
}

#[test]
fn the_ramp_marks_what_has_waited() {
    let probability = |us: u64, many: u32| Bench::new(|_| {}).queue.ramp(Span(1000 * us), many);
    assert_eq!([799, 800, 1000, 1200, 5000].map(|us| probability(us, 2)), [0.0, 0.0, 0.5, 1.0, 1.0]);
    assert_eq!(probability(5000, 1), 0.0); // alone in its queue
    let step = Bench::new(|spec| (spec.ramp_from, spec.ramp_range) = (Span::from_millis(1), Span::ZERO));
    assert_eq!((step.queue.ramp(Span(999_999), 2), step.queue.ramp(Span(1_000_000), 2)), (0.0, 1.0));
}

#[test]
fn marked_packets_and_ect1_go_to_l() {
    let mut bench = Bench::new(|_| {});
    for flags in [CLASSIC, Flags::ECT, ECT1, Flags(Flags::ECT.0 | Flags::CE.0)] {
        bench.push(0.0, flags);
    }
    assert_eq!(bench.queue.lanes().map(|lane| lane.backlog.packets), [2, 2]);
    assert_eq!(bench.queue.backlog(), Backlog { packets: 4, bytes: 4000 });
    (0..4).for_each(|_| assert!(bench.pop(0.5).is_some()));
    let [l, c] = bench.queue.stats();
    assert_eq!((l.packets, c.packets, l.waited, c.longest), (2, 2, Span::from_millis(1), Span(500_000)));
    assert_eq!(bench.pop(1.0), None);
}

#[test]
fn round_robin_gives_c_its_share_while_both_wait() {
    let mut bench = Bench::at_base(0.0, |_| {});
    for _ in 0..1000 {
        bench.push(0.0, ECT1);
        bench.push(0.0, CLASSIC);
    }
    let of_c = |bench: &mut Bench, many: usize| (0..many).filter(|_| bench.pop(0.0) == Some((false, false))).count();
    // a sixteenth of 800
    assert_eq!(of_c(&mut bench, 800), 50);
    let mut bench = Bench::at_base(0.0, |spec| spec.classic_share = 0.5);
    for _ in 0..100 {
        bench.push(0.0, ECT1);
        bench.push(0.0, CLASSIC);
    }
    assert_eq!(of_c(&mut bench, 100), 50);
}

#[test]
fn with_a_time_shift_c_is_first_once_it_has_waited_so_much_longer() {
    let mut bench = Bench::at_base(0.0, |spec| spec.scheduler = DualScheduler::TimeShifted);
    bench.push(0.0, CLASSIC);
    bench.push(50.0, ECT1);
    bench.push(51.0, ECT1);
    assert_eq!([60.0; 3].map(|ms| bench.pop(ms).map(|(l, _)| l)), [Some(true), Some(false), Some(true)]);
}
