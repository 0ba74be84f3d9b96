//! SACK blocks of packets in flight. Few packets have any, so they stand here and not in the packet.

use tcp::SackBlocks;

/// No SACK blocks.
pub(crate) const NO_SACK: u32 = u32::MAX;

/// SACK blocks by number; the number freed last is used first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sacks {
    blocks: Vec<SackBlocks>,
    free: Vec<u32>,
}

impl Sacks {
    /// The number of a packet's blocks, which sets out; [`NO_SACK`] if it has none.
    #[inline]
    pub(crate) fn keep(&mut self, blocks: &SackBlocks) -> u32 {
        if blocks.is_empty() { NO_SACK } else { self.put(blocks) }
    }

    /// The number of a packet that is told apart from all others on their way, whether it has blocks or not.
    #[inline]
    pub(crate) fn put(&mut self, blocks: &SackBlocks) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.blocks[number as usize] = *blocks;
                number
            }
            None => {
                self.blocks.push(*blocks);
                self.blocks.len() as u32 - 1
            }
        }
    }

    /// A packet has arrived, or was lost: its blocks, whose number is free now.
    #[inline]
    pub(crate) fn take(&mut self, number: u32) -> SackBlocks {
        if number == NO_SACK { SackBlocks::NONE } else { *self.release(number) }
    }

    /// Ask for the blocks of a packet, if it has some, to be brought into the cache.
    #[inline]
    pub(crate) fn prefetch(&self, number: u32) {
        if let Some(blocks) = self.blocks.get(number as usize) {
            crate::prefetch::prefetch(blocks);
        }
    }

    /// The blocks of a packet that has a number.
    pub(crate) fn get(&self, number: u32) -> &SackBlocks {
        &self.blocks[number as usize]
    }

    /// The blocks of a packet that has some, whose number is free now: where they are, until others are kept.
    #[inline]
    pub(crate) fn release(&mut self, number: u32) -> &SackBlocks {
        self.free.push(number);
        &self.blocks[number as usize]
    }
}
