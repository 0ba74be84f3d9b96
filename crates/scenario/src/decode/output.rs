//! Section `[output]`: what is recorded beside the summary tables.

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
    pub(crate) queue: bool,
    /// Time between samples; `None`: on change.
    pub(crate) step: Option<Span>,
    pub(crate) events: bool,
    /// Queueing delays of every flow.
    pub(crate) delays: bool,
}

/// Read the section.
pub(crate) fn read(item: Option<&Item<'_>>) -> Result<Output, Problem> {
    let mut output = Output::default();
    let Some(item) = item else { return Ok(output) };
    let table = item.table(&["traces", "trace_step", "events", "delays"])?;
    for item in table.get("traces").map_or(Ok(Vec::new()), |item| item.list())? {
        *item.word::<fn(&mut Output) -> &mut bool>(&[
            ("cwnd", |o| &mut o.cwnd),
            ("ssthresh", |o| &mut o.ssthresh),
            ("flight", |o| &mut o.flight),
            ("srtt", |o| &mut o.srtt),
            ("rate", |o| &mut o.rate),
            ("loss-event-rate", |o| &mut o.loss_event_rate),
            ("queue", |o| &mut o.queue),
        ])?(&mut output) = true;
    }
    output.step = table.get("trace_step").map(|item| item.span(Span(1000)..=HOUR)).transpose()?;
    output.events = table.get("events").map_or(Ok(false), |item| item.flag())?;
    output.delays = table.get("delays").map_or(Ok(false), |item| item.flag())?;
    Ok(output)
}

impl Output {
    /// How many variables of each flow are traced.
    pub(crate) fn flow_variables(&self) -> u64 {
        let on = [self.cwnd, self.ssthresh, self.flight, self.srtt, self.rate, self.loss_event_rate];
        on.into_iter().map(u64::from).sum()
    }

    /// The section, complete and in one order, however it was written.
    pub(crate) fn effective(&self) -> Json {
        let traces = [
            ("cwnd", self.cwnd),
            ("ssthresh", self.ssthresh),
            ("flight", self.flight),
            ("srtt", self.srtt),
            ("rate", self.rate),
            ("loss-event-rate", self.loss_event_rate),
            ("queue", self.queue),
        ];
        let traces: Vec<&str> = traces.iter().filter(|(_, on)| *on).map(|(word, _)| *word).collect();
        json!({ "traces": traces, "trace_step": self.step.map(time_text), "events": self.events, "delays": self.delays })
    }
}
