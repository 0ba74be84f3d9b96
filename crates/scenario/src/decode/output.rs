//! Section `[output]`: what is recorded beside the summary tables.

use net::{QueueTracing, Variable};
use serde_json::{Value as Json, json};
use units::Span;

use crate::error::Problem;
use crate::read::{HOUR, Item};
use crate::units::time_text;

/// What is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Output {
    pub(crate) cwnd: bool,
    pub(crate) ssthresh: bool,
    pub(crate) flight: bool,
    pub(crate) srtt: bool,
    pub(crate) rate: bool,
    pub(crate) loss_event_rate: bool,
    pub(crate) window: bool,
    pub(crate) sent: bool,
    pub(crate) delivered: bool,
    pub(crate) delay: bool,
    pub(crate) queue: bool,
    pub(crate) airtime: bool,
    pub(crate) serving: bool,
    pub(crate) snr: bool,
    /// What each algorithm is told, and answers; no series.
    pub(crate) tape: bool,
    /// Time between samples; `None`: on change.
    pub(crate) step: Option<Span>,
    pub(crate) events: bool,
    /// Queueing delays of every flow.
    pub(crate) delays: bool,
}

/// A series that can be recorded.
pub(crate) struct Series {
    pub(crate) variable: Variable,
    /// As in `traces` of a scenario.
    pub(crate) key: &'static str,
    /// As in the column `variable` of the table of traces, with its unit.
    pub(crate) column: &'static str,
    pub(crate) meaning: &'static str,
    flag: fn(&mut Output) -> &mut bool,
}

/// Every series, in the order of the enum and of the table of traces.
pub(crate) static SERIES: [Series; 14] = [
    Series {
        variable: Variable::Cwnd,
        key: "cwnd",
        column: "cwnd_segments",
        meaning: "congestion window of a connection, without the inflation of fast recovery",
        flag: |o| &mut o.cwnd,
    },
    Series {
        variable: Variable::Ssthresh,
        key: "ssthresh",
        column: "ssthresh_segments",
        meaning: "slow start threshold of a connection",
        flag: |o| &mut o.ssthresh,
    },
    Series {
        variable: Variable::Flight,
        key: "flight",
        column: "flight_segments",
        meaning: "segments of a connection that are sent and not acknowledged",
        flag: |o| &mut o.flight,
    },
    Series {
        variable: Variable::Srtt,
        key: "srtt",
        column: "srtt_s",
        meaning: "smoothed RTT of a connection, averaged RTT of a rate-controlled flow",
        flag: |o| &mut o.srtt,
    },
    Series {
        variable: Variable::Rate,
        key: "rate",
        column: "rate_bps",
        meaning: "payload that a flow may send: the allowed rate of a rate-controlled flow, cwnd / srtt of a connection",
        flag: |o| &mut o.rate,
    },
    Series {
        variable: Variable::LossEventRate,
        key: "loss-event-rate",
        column: "loss_event_rate",
        meaning: "loss event rate in the last report to a rate-controlled sender",
        flag: |o| &mut o.loss_event_rate,
    },
    Series {
        variable: Variable::Window,
        key: "window",
        column: "window_segments",
        meaning: "window in force of a connection: cwnd, and during a recovery what inflates it, or what a reduction in \
                  proportion leaves",
        flag: |o| &mut o.window,
    },
    Series {
        variable: Variable::Sent,
        key: "sent",
        column: "sent_segment",
        meaning: "number of each data segment or datagram when it is sent, the first 0; one that came before is a \
                  retransmission; every one, whatever `trace_step`",
        flag: |o| &mut o.sent,
    },
    Series {
        variable: Variable::Delivered,
        key: "delivered",
        column: "delivered_bytes",
        meaning: "payload of a flow that has arrived since the start of the run, in order or not, each byte counted once",
        flag: |o| &mut o.delivered,
    },
    Series {
        variable: Variable::Delay,
        key: "delay",
        column: "delay_s",
        meaning: "one-way delay of each data segment or datagram when it arrives; every one, whatever `trace_step`",
        flag: |o| &mut o.delay,
    },
    Series {
        variable: Variable::Queue,
        key: "queue",
        column: "queue_packets",
        meaning: "packets that wait in a direction of a link",
        flag: |o| &mut o.queue,
    },
    Series {
        variable: Variable::Airtime,
        key: "airtime",
        column: "airtime_share",
        meaning: "share of the time since the last value in which a station's frames were on air; a value each \
                  `trace_step`, or each second",
        flag: |o| &mut o.airtime,
    },
    Series {
        variable: Variable::Serving,
        key: "serving",
        column: "serving_station",
        meaning: "number of the base station that serves a mobile, -1 if none does",
        flag: |o| &mut o.serving,
    },
    Series {
        variable: Variable::Snr,
        key: "snr",
        column: "snr_db",
        meaning: "signal to noise of the base station that serves a mobile, as measured",
        flag: |o| &mut o.snr,
    },
];

/// What stands for tapes in `traces`.
pub(crate) const TAPE: &str = "tape";

/// What is to be known of a traced variable.
pub(crate) fn series(variable: Variable) -> &'static Series {
    &SERIES[variable as usize]
}

/// Read the section.
pub(crate) fn read(item: Option<&Item<'_>>) -> Result<Output, Problem> {
    let mut output = Output::default();
    let Some(item) = item else { return Ok(output) };
    let table = item.table(&["traces", "trace_step", "events", "delays"])?;
    let mut words: Vec<_> = SERIES.iter().map(|series| (series.key, series.flag)).collect();
    words.push((TAPE, |o| &mut o.tape));
    for item in table.get("traces").map_or(Ok(Vec::new()), |item| item.list())? {
        *item.word(&words)?(&mut output) = true;
    }
    output.step = table.get("trace_step").map(|item| item.span(Span(1000)..=HOUR)).transpose()?;
    output.events = table.get("events").map_or(Ok(false), |item| item.flag())?;
    output.delays = table.get("delays").map_or(Ok(false), |item| item.flag())?;
    Ok(output)
}

impl Series {
    /// A value for each packet and none that lasts: it stays as it is whatever the step.
    pub(crate) fn of_packets(&self) -> bool {
        matches!(self.variable, Variable::Sent | Variable::Delay)
    }

    /// It is a link's, not a flow's.
    pub(crate) fn of_link(&self) -> bool {
        matches!(self.variable, Variable::Queue | Variable::Airtime | Variable::Serving | Variable::Snr)
    }
}

impl Output {
    /// Whether a series is recorded.
    fn has(mut self, series: &Series) -> bool {
        *(series.flag)(&mut self)
    }

    /// How the lengths of queues are recorded, if they are.
    pub(crate) fn queue_tracing(&self) -> Option<QueueTracing> {
        self.queue.then_some(QueueTracing { step: self.step, ..QueueTracing::ALL })
    }

    /// How often the airtime of stations is looked at, if it is.
    pub(crate) fn airtime_step(&self) -> Option<Span> {
        self.airtime.then(|| self.step.unwrap_or(Span::from_millis(1000)))
    }

    /// How many variables of each flow are traced.
    pub(crate) fn flow_variables(&self) -> u64 {
        SERIES.iter().filter(|series| !series.of_link() && self.has(series)).count() as u64
    }

    /// The section, complete and in one order, however it was written.
    pub(crate) fn effective(&self) -> Json {
        let series = SERIES.iter().filter(|series| self.has(series)).map(|series| series.key);
        let traces: Vec<&str> = series.chain(self.tape.then_some(TAPE)).collect();
        json!({ "traces": traces, "trace_step": self.step.map(time_text), "events": self.events, "delays": self.delays })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_series_stands_in_its_place_and_has_a_switch_of_its_own() {
        for (at, row) in SERIES.iter().enumerate() {
            assert_eq!((row.variable as usize, series(row.variable).key), (at, row.key));
            let mut output = Output::default();
            *(row.flag)(&mut output) = true;
            let on: Vec<_> = SERIES.iter().filter(|series| output.has(series)).map(|series| series.key).collect();
            assert_eq!(on, [row.key]);
        }
    }
}
