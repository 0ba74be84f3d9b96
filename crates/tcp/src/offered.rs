//! The window that Linux's receivers offer: it starts small, and grows by two segments with each that arrives, as far
//! as the buffer has room.

use crate::Config;

/// Bytes of the window at the start.
const FIRST: u64 = 65_535;

/// Such a window, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfferedWindow {
    bytes: u64,
    most: u64,
    step: u64,
}

impl OfferedWindow {
    /// One that grows to the window of `config`.
    pub(crate) fn new(config: &Config) -> OfferedWindow {
        let mss = u64::from(config.mss);
        let most = u64::from(config.window) * mss;
        OfferedWindow { bytes: FIRST.min(most), most, step: 2 * mss }
    }

    /// The same with nothing left to grow.
    pub(crate) fn full(self) -> OfferedWindow {
        OfferedWindow { bytes: self.most, ..self }
    }

    #[inline]
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    #[inline]
    pub(crate) fn grows(&self) -> bool {
        self.bytes < self.most
    }

    /// A new segment arrived, with so many held before it for want of others. They take up room in the buffer, each
    /// 13/12 of its bytes where half of the buffer is window (770 to 788 bytes for 1448 agree with the kernel's
    /// traces). Whether the window grew.
    pub(crate) fn on_new(&mut self, held: u32) -> bool {
        let taken = u64::from(held) * self.step * 13 / 48;
        let room = self.most.saturating_sub(taken).saturating_sub(self.bytes);
        self.bytes += room.min(self.step);
        room > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    /// How many segments a window of 723 segments of 1448 bytes grows with, if all from the `from`th on are held.
    fn growths(from: u32) -> u32 {
        let mut window = OfferedWindow::new(&Config { window: 723, ..Config::profile(Profile::Linux) });
        (0..1000).take_while(|&n: &u32| window.on_new(n.max(from) - from)).count() as u32
    }

    #[test]
    fn it_grows_by_two_segments_with_each() {
        // (723 * 1448 - 65 535) / 2896 = 338.9
        assert_eq!(growths(1000), 339);
    }

    #[test]
    fn what_is_held_leaves_less_room() {
        // 65 535 + 2896 k reaches 1 046 904 - 784.3 (k - 200) at 309.3
        assert_eq!(growths(200), 310);
    }
}
