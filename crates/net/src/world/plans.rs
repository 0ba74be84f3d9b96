//! What the scenario does to endpoints, and when.

use units::Time;

use super::World;
use crate::endpoint::Endpoint;
use crate::event::Event;
use crate::handover::{self, Notice};
use crate::multipath::Connection;

/// Something that the scenario does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Plan {
    /// The active end opens its connection.
    Open(u32),
    /// The passive end may send from now on.
    Offer(u32),
    /// The endpoint's application stops.
    Stop(u32),
    /// The endpoint hears of a handover.
    Handover(u32, Notice),
    /// The warm-up is over.
    Warm,
    /// The airtime of stations is traced.
    Airtime,
}

impl Plan {
    /// The endpoint that it is about.
    fn endpoint(self) -> Option<u32> {
        match self {
            Plan::Open(number) | Plan::Offer(number) | Plan::Stop(number) | Plan::Handover(number, _) => Some(number),
            Plan::Warm | Plan::Airtime => None,
        }
    }
}

impl World {
    pub(super) fn schedule(&mut self, at: Time, plan: Plan) {
        self.queue.push(at, Event::Plan(self.plans.len() as u32).encode());
        self.plans.push(plan);
    }

    /// The time of a plan has come.
    #[inline(never)]
    pub(super) fn on_plan(&mut self, now: Time, place: u32) {
        self.queue.pop();
        let plan = self.plans[place as usize];
        // timers of this instant come first
        match plan.endpoint() {
            Some(number) => [number, number ^ 1].into_iter().for_each(|end| self.catch_up_with(now, end)),
            None if matches!(plan, Plan::Airtime) => {} // no endpoint is looked at
            None => self.catch_up_all(now),
        }
        match plan {
            Plan::Open(number) => {
                self.endpoints[number as usize].open(now);
                self.drive(now, number);
            }
            Plan::Offer(number) if self.transfers[number as usize].stop < now => {} // stopped before it could start
            Plan::Offer(number) => {
                let size = self.transfers[number as usize].size;
                self.attachments[number as usize].has_end = size.is_some();
                self.offer(number, size);
                if let Endpoint::Tcp(end) = &mut self.endpoints[number as usize] {
                    end.open_for_data();
                }
                self.drive(now, number);
            }
            Plan::Handover(number, Notice::Foresee(start)) => {
                let at = handover::closing(now, start, &self.endpoints[number as usize ^ 1]);
                self.schedule(at, Plan::Handover(number, Notice::Close));
            }
            Plan::Handover(number, notice) => {
                self.endpoints[number as usize].hear(now, notice);
                self.drive(now, number);
            }
            Plan::Stop(number) => {
                // what is cut short will never be complete
                let cut = self.endpoints[number as usize].stop(now);
                let attachment = &mut self.attachments[number as usize];
                attachment.has_end &= !cut;
                if let Some(connection) = self.connections.get_mut(attachment.connection as usize) {
                    connection.stop();
                }
            }
            Plan::Airtime => self.trace_airtime(now, place),
            Plan::Warm => {
                let ends = self.endpoints.iter().enumerate();
                self.warm = ends.map(|(at, end)| end.arrived(now, &self.endpoints[at ^ 1])).collect();
                self.connections.iter_mut().for_each(Connection::warm);
                self.settle_media(now);
                self.channels.iter_mut().for_each(|channel| channel.warm(now));
                (0..self.two_way.len()).for_each(|flow| self.set_horizon(flow));
            }
        }
        if let Some(number) = plan.endpoint() {
            self.set_horizon(number as usize / 2);
        }
    }
}
