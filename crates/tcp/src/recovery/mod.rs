//! Recovery cores that need state of their own. Tahoe, Reno and NewReno have none: see `sender::recover`.

pub(crate) mod full_sack;
pub(crate) mod prr;
pub(crate) mod sack;
pub(crate) mod vegas;
