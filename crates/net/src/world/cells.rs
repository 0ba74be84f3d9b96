//! Frames of base stations and their mobiles.

use units::Time;

use super::World;
use crate::cells::Cells;
use crate::event::Event;
use crate::link::Fate;
use crate::results::{TracePoint, Variable};
use crate::spec::Network;

impl World {
    /// Have the links of mobiles share their frames. A cell has its events behind those of the media.
    pub(super) fn add_cells(&mut self, network: &Network) {
        for (number, spec) in network.cellular.iter().enumerate() {
            for mobile in &spec.mobiles {
                for id in [2 * mobile.link, 2 * mobile.link + 1] {
                    self.links[id].join_cell(number as u32);
                    if let Some(at) = self.links[id].first_break() {
                        self.queue.push(at, Event::ServiceEnds(id as u32).encode());
                    }
                }
                if self.options.traces.serving || self.options.traces.snr {
                    let course = spec.course(&mobile.way, self.end);
                    self.trace_course(mobile.link, &course);
                }
            }
            self.cells.push(Cells::new(spec));
        }
    }

    /// What of a mobile's course is wanted: it is known before the run.
    fn trace_course(&mut self, subject: usize, course: &crate::cellular::Course) {
        let point = |at, variable, value| TracePoint { at, subject, reverse: false, variable, value };
        if self.options.traces.serving {
            let number = |station: Option<usize>| station.map_or(-1.0, |station| station as f64);
            let serving = course.serving.iter().filter(|(at, _)| *at <= self.end);
            serving.for_each(|&(at, station)| self.traces.note(point(at, Variable::Serving, number(station))));
        }
        if self.options.traces.snr {
            course.snr.iter().for_each(|&(at, snr_db)| self.traces.note(point(at, Variable::Snr, snr_db)));
        }
    }

    /// Have an event when the next frame begins, for something has come to wait for it.
    #[inline(never)]
    pub(super) fn await_frame(&mut self, now: Time, number: u32) {
        let cells = &mut self.cells[number as usize];
        if cells.armed == Time::NEVER {
            cells.armed = cells.next_frame(now);
            let event = Event::Medium(self.channels.len() as u32 + number);
            self.queue.push(cells.armed, event.encode());
        }
    }

    /// A frame of a cell begins.
    #[inline(never)]
    pub(super) fn on_frame(&mut self, now: Time, number: u32) {
        self.queue.pop();
        let mut grants = std::mem::take(&mut self.grants);
        let cells = &mut self.cells[number as usize];
        cells.armed = Time::NEVER;
        cells.grant(now, self.end, &self.links, &mut grants);
        for (id, grant) in grants.drain(..) {
            let mut sent = std::mem::take(&mut self.sent);
            self.links[id as usize].send_in_frame(&grant, &mut self.pool, &mut self.dropped, &mut sent);
            self.settle_sent(now, id, sent);
        }
        self.grants = grants;
        if self.cells[number as usize].is_wanted(&self.links) {
            self.await_frame(now, number);
        }
    }

    /// A link that shares frames breaks.
    pub(super) fn on_frame_break(&mut self, now: Time, id: u32) {
        self.queue.pop();
        let mut sent = std::mem::take(&mut self.sent);
        let next = self.links[id as usize].break_frames(now, &mut self.pool, &mut self.dropped, &mut sent);
        if let Some(at) = next {
            self.queue.push(at, Event::ServiceEnds(id).encode());
        }
        self.settle_sent(now, id, sent);
    }

    /// What became of packets that a link has sent, and of those that its queue dropped.
    fn settle_sent(&mut self, now: Time, id: u32, mut sent: Vec<(crate::packet::Packet, Fate)>) {
        self.lose_dropped(now, id);
        for (mut packet, fate) in sent.drain(..) {
            self.settle(now, id, &mut packet, fate);
        }
        self.sent = sent;
    }
}
