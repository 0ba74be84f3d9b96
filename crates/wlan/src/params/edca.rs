//! EDCA: what a class waits, draws from, and may keep the medium for.

use units::Span;

use super::Params;
use crate::{Class, Phy};

/// One class of EDCA. The key of a number is `edca.` and the class, for example `edca.voice.aifsn`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contention {
    /// Slots after SIFS before a backoff (`aifsn`): AIFS = SIFS + AIFSN slots.
    pub aifsn: u32,
    /// Contention window at first.
    pub cw_min: u32,
    /// Contention window at most.
    pub cw_max: u32,
    /// How long a station may go on with one exchange after the other (`txop`); zero: one exchange.
    pub txop: Span,
}

/// The four classes of a station, by [`Class`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edca {
    /// In the order of [`Class::ALL`].
    pub classes: [Contention; 4],
}

impl Edca {
    /// The table of the standard for a set with these windows. TXOP limits are those of 802.11-2012.
    pub const fn standard(cw_min: u32, cw_max: u32, phy: Phy) -> Edca {
        let half = cw_min.div_ceil(2) - 1;
        let quarter = cw_min.div_ceil(4) - 1;
        let (voice, video) = match phy {
            Phy::Dsss => (Span(3_264_000), Span(6_016_000)),
            _ => (Span(1_504_000), Span(3_008_000)),
        };
        Edca {
            classes: [
                Contention { aifsn: 2, cw_min: quarter, cw_max: half, txop: voice },
                Contention { aifsn: 2, cw_min: half, cw_max: cw_min, txop: video },
                Contention { aifsn: 3, cw_min, cw_max, txop: Span::ZERO },
                Contention { aifsn: 7, cw_min, cw_max, txop: Span::ZERO },
            ],
        }
    }

    /// What access points usually take for themselves while their stations have this: they wait one slot less for voice
    /// and video, and their window of best effort stays below 64.
    pub const fn usual_access_point(mut self) -> Edca {
        self.classes[0].aifsn = 1;
        self.classes[1].aifsn = 1;
        if self.classes[2].cw_max > 63 && self.classes[2].cw_min <= 63 {
            self.classes[2].cw_max = 63;
        }
        self
    }

    /// The numbers of a class.
    pub const fn of(&self, class: Class) -> &Contention {
        &self.classes[class as usize]
    }
}

impl Params {
    /// AIFS of a station's class.
    pub fn aifs(&self, contention: &Contention) -> Span {
        self.sifs + self.slot * u64::from(contention.aifsn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_standard() {
        // windows of OFDM and of DSSS: voice, video, best effort, background
        for (params, windows) in [
            (Params::dot11n(), [(3, 7), (7, 15), (15, 1023), (15, 1023)]),
            (Params::dot11b(), [(7, 15), (15, 31), (31, 1023), (31, 1023)]),
        ] {
            let classes = params.edca_station.classes;
            assert_eq!(classes.map(|class| (class.cw_min, class.cw_max)), windows);
            assert_eq!(classes.map(|class| class.aifsn), [2, 2, 3, 7]);
        }
        let params = Params::dot11n();
        // 16 + 2 x 9, 16 + 3 x 9, 16 + 7 x 9
        assert_eq!(Class::ALL.map(|class| params.aifs(params.edca_station.of(class)).0 / 1000), [34, 34, 43, 79]);
        let usual = params.edca_station.usual_access_point();
        assert_eq!(usual.classes.map(|class| (class.aifsn, class.cw_max)), [(1, 7), (1, 15), (3, 63), (7, 1023)]);
    }
}
