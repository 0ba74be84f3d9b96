//! Recovery cores that need state of their own. Tahoe, Reno and NewReno live in the sender's frame.

pub(crate) mod sack;
pub(crate) mod vegas;
