//! A queue in a ring that grows by doubling and never shrinks: nothing is allocated once it is large enough.

/// First in, first out.
#[derive(Clone, Debug)]
pub(crate) struct Ring<T> {
    slots: Box<[T]>,
    head: u32,
    len: u32,
}

impl<T: Copy + Default> Ring<T> {
    pub(crate) fn new() -> Ring<T> {
        Ring { slots: Box::default(), head: 0, len: 0 }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        if self.len as usize == self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let at = (self.head as usize + self.len as usize) & mask;
        self.slots[at] = item;
        self.len += 1;
    }

    #[inline]
    pub(crate) fn front(&self) -> Option<&T> {
        if self.len == 0 { None } else { self.slots.get(self.head as usize) }
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<T> {
        let item = *self.front()?;
        self.head = ((self.head as usize + 1) & (self.slots.len() - 1)) as u32;
        self.len -= 1;
        Some(item)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        let mask = self.slots.len().wrapping_sub(1);
        (0..self.len as usize).map(move |i| &self.slots[(self.head as usize + i) & mask])
    }

    #[cold]
    fn grow(&mut self) {
        let mut slots = Vec::with_capacity((self.slots.len() * 2).max(4));
        slots.extend(self.iter().copied());
        slots.resize(slots.capacity().next_power_of_two(), T::default());
        (self.slots, self.head) = (slots.into(), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_survives_growth_and_wrapping() {
        let mut ring = Ring::new();
        let (mut next_in, mut next_out) = (0u32, 0u32);
        for round in 1..60u32 {
            for _ in 0..round {
                ring.push(next_in);
                next_in += 1;
            }
            assert!(ring.iter().copied().eq(next_out..next_in));
            for _ in 0..round - round / 4 {
                assert_eq!(ring.pop(), Some(next_out));
                next_out += 1;
            }
        }
        assert_eq!(ring.len(), (next_in - next_out) as usize);
    }
}
