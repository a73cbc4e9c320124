//! How often each move is to be answered with.

/// Weights are whole millionths.
const WHOLE: u64 = 1_000_000;

/// Splits the whole in proportion to games, equally where there are none. The parts add up to it exactly: what rounding
/// leaves over goes to those who lost most by it.
pub(super) fn shares(games: &[u64]) -> Vec<u64> {
    let total: u128 = games.iter().map(|games| u128::from(*games)).sum();
    let (counts, total): (Vec<u128>, u128) = match total {
        0 => (vec![1; games.len()], games.len() as u128),
        total => (games.iter().map(|games| u128::from(*games)).collect(), total),
    };
    let whole = u128::from(WHOLE);
    let mut shares: Vec<u64> = counts
        .iter()
        .map(|count| (count * whole / total.max(1)) as u64)
        .collect();
    let left = WHOLE.saturating_sub(shares.iter().sum()) as usize;
    let mut losers: Vec<usize> = (0..shares.len()).collect();
    // The sort is stable: of equal ones the first.
    losers.sort_by_key(|index| std::cmp::Reverse(counts[*index] * whole % total.max(1)));
    for index in losers.into_iter().take(left) {
        shares[index] += 1;
    }
    shares
}

/// A share as a decimal: `1`, `0.25`, `0`.
pub(super) fn write_share(share: u64, out: &mut Vec<u8>) {
    if share >= WHOLE {
        return out.push(b'1');
    }
    out.push(b'0');
    if share > 0 {
        let digits = format!(".{share:06}");
        out.extend_from_slice(digits.trim_end_matches('0').as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(games: &[u64]) -> String {
        let mut out = Vec::new();
        for share in shares(games) {
            write_share(share, &mut out);
            out.push(b' ');
        }
        String::from_utf8(out).expect("digits")
    }

    #[test]
    fn shares_follow_the_games_and_make_a_whole() {
        assert_eq!(written(&[7]), "1 ");
        assert_eq!(written(&[3, 1, 0]), "0.75 0.25 0 ");
        assert_eq!(written(&[1, 1, 1]), "0.333334 0.333333 0.333333 ");
        assert_eq!(written(&[]), "");
        for games in [
            &[5, 3, 3, 1][..],
            &[1_000_000_000, 1, 1],
            &[u64::MAX, u64::MAX, 7],
            &[2; 37],
        ] {
            assert_eq!(shares(games).iter().sum::<u64>(), WHOLE, "{games:?}");
        }
    }

    #[test]
    fn without_games_all_are_equal() {
        assert_eq!(written(&[0, 0]), "0.5 0.5 ");
        assert_eq!(written(&[0, 0, 0, 0]), "0.25 0.25 0.25 0.25 ");
    }
}
