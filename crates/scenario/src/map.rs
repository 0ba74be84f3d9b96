//! Where stations, base stations and mobiles of a point are, when, and how far each is heard.

use net::CellularSpec;
use serde_json::{Value as Json, json};
use units::Time;
use wlan::{Position, Way};

use crate::decode::plan::Plan;
use crate::decode::radio::Medium;

impl Plan {
    /// One object for each radio medium whose stations have places, and for the cells of mobiles: its `name`, how far
    /// frames are decoded and sensed (`receive_range`, `sense_range`) or base stations reach (`radius`), in metres or
    /// null, and its `nodes`: each with `name`, `role` and `way`, corners of time in seconds and place in metres.
    pub(crate) fn map(&self) -> Json {
        let end = Time::ZERO + self.general.duration;
        let media = self.topology.media().into_iter().filter_map(|one| medium(one, end));
        let cells = self.topology.cellular();
        media.chain(cells.iter().map(|spec| cellular(spec, &self.topology.nodes(), end))).collect()
    }
}

fn medium(medium: &Medium, end: Time) -> Option<Json> {
    let node = |(station, place): (usize, &Position)| {
        let role = if medium.access_points.contains(&station) { "access-point" } else { "station" };
        let way = medium.moves.iter().find(|one| one.0 == station);
        let corners = way.map_or_else(|| vec![(Time::ZERO, *place)], |(_, way)| corners(way, end));
        node(&medium.radio.names[station], role, &corners)
    };
    let nodes: Vec<Json> = medium.places()?.iter().enumerate().map(node).collect();
    Some(json!({
        "name": medium.name, "receive_range": medium.receive_range(), "sense_range": medium.sense_range(),
        "radius": null, "nodes": nodes,
    }))
}

fn cellular(spec: &CellularSpec, names: &[String], end: Time) -> Json {
    let stations = spec.stations.iter().enumerate();
    let stations =
        stations.map(|(number, one)| node(&format!("base/{number}"), "base-station", &[(Time::ZERO, one.place)]));
    // server, router and base come before the mobiles
    let mobiles = spec.mobiles.iter().zip(names.iter().skip(3));
    let mobiles = mobiles.map(|(mobile, name)| node(name, "mobile", &corners(&mobile.way, end)));
    let nodes: Vec<Json> = stations.chain(mobiles).collect();
    json!({ "name": "air", "receive_range": null, "sense_range": null, "radius": spec.radius, "nodes": nodes })
}

fn node(name: &str, role: &str, corners: &[(Time, Position)]) -> Json {
    let way: Vec<Json> = corners.iter().map(|(at, place)| json!([at.secs(), place.x, place.y])).collect();
    json!({ "name": name, "role": role, "way": way })
}

/// Where it starts, where it turns, and where it is at the end.
fn corners(way: &Way, end: Time) -> Vec<(Time, Position)> {
    let mut corners = vec![(Time::ZERO, way.at(Time::ZERO))];
    if let Way::Waypoints(points) = way {
        corners.extend(points.iter().filter(|(at, _)| *at > Time::ZERO && *at < end));
    }
    if corners.last().is_some_and(|(_, place)| *place != way.at(end)) {
        corners.push((end, way.at(end)));
    }
    corners
}
