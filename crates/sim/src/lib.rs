//! Clock, event queue, random streams.
