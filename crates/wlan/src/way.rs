//! Where something that moves is, as a function of time.

use std::sync::Arc;

use units::Time;

use crate::Position;

/// The way of a station or a mobile. Nothing happens while it moves: whoever needs its position asks.
#[derive(Clone, Debug, PartialEq)]
pub enum Way {
    /// It stays where it is.
    Fixed(Position),
    /// It goes straight on for ever.
    Line {
        /// Where it is at the start.
        from: Position,
        /// Metres per second to the east and to the north.
        velocity: Position,
    },
    /// Places at times, in order of time and at least one: straight from each to the next, standing before the first
    /// and after the last. Two at the same time are a jump.
    Waypoints(Arc<[(Time, Position)]>),
}

impl Way {
    /// Where it is at `t`.
    pub fn at(&self, t: Time) -> Position {
        match self {
            Way::Fixed(place) => *place,
            Way::Line { from, velocity } => {
                let seconds = t.since(Time::ZERO).secs();
                Position { x: from.x + velocity.x * seconds, y: from.y + velocity.y * seconds }
            }
            Way::Waypoints(points) => {
                let next = points.partition_point(|point| point.0 <= t);
                match (next.checked_sub(1).map(|last| points[last]), points.get(next)) {
                    (Some((since, a)), Some(&(until, b))) => {
                        let share = t.since(since).secs() / until.since(since).secs();
                        Position { x: a.x + share * (b.x - a.x), y: a.y + share * (b.y - a.y) }
                    }
                    (Some((_, place)), None) | (None, Some(&(_, place))) => place,
                    (None, None) => Position::default(),
                }
            }
        }
    }

    /// Metres that it goes between two times, jumps included.
    pub fn walked(&self, since: Time, until: Time) -> f64 {
        let Way::Waypoints(points) = self else { return self.at(since).distance(self.at(until)) };
        let corners = points.iter().filter(|point| since < point.0 && point.0 <= until).map(|point| point.1);
        let mut last = self.at(since);
        let mut metres = 0.0;
        for place in corners.chain([self.at(until)]) {
            metres += last.distance(place);
            last = place;
        }
        metres
    }

    /// Metres per second to the east and to the north at `t`.
    pub fn velocity(&self, t: Time) -> Position {
        match self {
            Way::Fixed(_) => Position::default(),
            Way::Line { velocity, .. } => *velocity,
            Way::Waypoints(points) => {
                let next = points.partition_point(|point| point.0 <= t);
                match (next.checked_sub(1).map(|last| points[last]), points.get(next)) {
                    (Some((since, a)), Some(&(until, b))) => {
                        let seconds = until.since(since).secs();
                        Position { x: (b.x - a.x) / seconds, y: (b.y - a.y) / seconds }
                    }
                    _ => Position::default(),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(seconds: f64) -> Time {
        Time::from_secs(seconds)
    }

    fn place(x: f64, y: f64) -> Position {
        Position { x, y }
    }

    #[test]
    fn a_line_goes_on_and_waypoints_are_joined_straight() {
        let line = Way::Line { from: place(10.0, 0.0), velocity: place(2.0, -1.0) };
        assert_eq!(line.at(s(30.0)), place(70.0, -30.0));
        let points = [(s(10.0), place(0.0, 0.0)), (s(20.0), place(100.0, 50.0)), (s(20.0), place(0.0, 0.0))];
        let way = Way::Waypoints(points.to_vec().into());
        assert_eq!(way.at(s(3.0)), place(0.0, 0.0));
        assert_eq!(way.at(s(12.0)), place(20.0, 10.0));
        assert_eq!(way.at(s(20.0)), place(0.0, 0.0)); // it has jumped
        assert_eq!(way.at(s(99.0)), place(0.0, 0.0));
        assert_eq!(Way::Fixed(place(1.0, 2.0)).at(s(5.0)), place(1.0, 2.0));
    }

    #[test]
    fn a_way_has_a_length_and_a_speed() {
        let line = Way::Line { from: place(10.0, 0.0), velocity: place(3.0, -4.0) };
        assert_eq!((line.walked(s(1.0), s(3.0)), line.velocity(s(9.0))), (10.0, place(3.0, -4.0)));
        // there and back, and a jump
        let points = [
            (s(10.0), place(0.0, 0.0)),
            (s(20.0), place(30.0, 40.0)),
            (s(30.0), place(0.0, 0.0)),
            (s(30.0), place(7.0, 0.0)),
        ];
        let way = Way::Waypoints(points.to_vec().into());
        assert_eq!((way.walked(s(0.0), s(15.0)), way.walked(s(15.0), s(25.0))), (25.0, 50.0));
        assert_eq!((way.walked(s(25.0), s(99.0)), way.walked(s(40.0), s(99.0))), (32.0, 0.0));
        assert_eq!((way.velocity(s(12.0)), way.velocity(s(20.0))), (place(3.0, 4.0), place(-3.0, -4.0)));
        assert_eq!((way.velocity(s(3.0)), way.velocity(s(30.0))), (place(0.0, 0.0), place(0.0, 0.0)));
    }
}
