//! Which positions of a game are drawn: random to look at, and the same on every machine.

use tabiya_chess::Fnv1a;

/// Draws from a game's eligible positions. The key is (seed, game id): neither the number of workers nor what was read
/// before has a part in it.
#[derive(Debug, Clone)]
pub(super) struct Draw(u64);

impl Draw {
    pub(super) fn new(seed: u64, game_id: &str) -> Draw {
        let mut hash = Fnv1a::new();
        hash.update(&seed.to_le_bytes());
        hash.update(game_id.as_bytes());
        Draw(hash.value())
    }

    /// SplitMix64: FNV-1a alone leaves the high bits of short texts too much alike.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `limit`, which is not 0.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// Any order as likely as any other.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for place in (1..items.len()).rev() {
            let other = self.below(place + 1);
            items.swap(place, other);
        }
    }

    /// Keeps `wanted` of the items, each as likely as any other, in their order.
    pub(super) fn keep<T: Copy + Ord>(&mut self, items: &mut Vec<T>, wanted: usize) {
        if items.len() <= wanted {
            return;
        }
        for place in 0..wanted {
            let other = place + self.below(items.len() - place);
            items.swap(place, other);
        }
        items.truncate(wanted);
        items.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(seed: u64, game: &str, of: usize, wanted: usize) -> Vec<usize> {
        let mut items: Vec<usize> = (0..of).collect();
        Draw::new(seed, game).keep(&mut items, wanted);
        items
    }

    #[test]
    fn the_draw_is_published() {
        // These must not change: data sets are made again from seeds.
        assert_eq!(drawn(0, "abcdefgh", 40, 1), PUBLISHED[0]);
        assert_eq!(drawn(7, "abcdefgh", 40, 1), PUBLISHED[1]);
        assert_eq!(drawn(0, "abcdefgh", 40, 3), PUBLISHED[2]);
    }

    const PUBLISHED: [&[usize]; 3] = [&[35], &[35], &[23, 34, 35]];

    #[test]
    fn every_position_is_as_likely_as_any_other() {
        let mut seen = [0_u32; 10];
        for game in 0..20_000 {
            for place in drawn(1, &format!("game{game}"), 10, 2) {
                seen[place] += 1;
            }
        }
        assert!(seen.iter().all(|times| (3_800..4_200).contains(times)), "{seen:?}");
    }

    #[test]
    fn no_position_is_drawn_twice_and_none_is_made_up() {
        for wanted in 0..8 {
            let places = drawn(3, "x", 5, wanted);
            assert_eq!(places.len(), wanted.min(5));
            assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}
