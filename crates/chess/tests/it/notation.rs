//! Every legal move survives both notations.

use proptest::prelude::*;
use shakmaty::{Position, san::SanPlus};
use tabiya_chess::{PackedSan, from_uci, parse_san, resolve, to_san, to_uci, write_san};

use crate::walks::walk;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn every_legal_move_survives_san_and_uci(seed: u64) {
        walk(seed, 60, |pos, _| {
            for m in pos.legal_moves() {
                let san = to_san(pos, m);
                assert_eq!(san, SanPlus::from_move(pos.clone(), m).to_string());

                let mut after = pos.clone();
                after.play_unchecked(m);
                let mut written = String::new();
                write_san(pos, m, &after, &mut written);
                assert_eq!(written, san);

                let packed = PackedSan::of(pos, m);
                assert_eq!(packed.to_move(pos), Some(m), "{san}");
                let checked = packed.with_check(&after);
                assert_eq!(checked.is_check(), after.is_check(), "{san}");
                let last = if after.is_checkmate() { checked.with_mate() } else { checked };
                let packed = packed.marked(&after);
                assert_eq!(last, packed, "{san}");
                assert_eq!((packed.to_string(), packed.to_move(pos)), (san.clone(), Some(m)));

                let (parsed, suffix, consumed) = parse_san(san.as_bytes()).expect(&san);
                assert_eq!(consumed, san.len());
                assert_eq!(SanPlus { san: parsed, suffix }.to_string(), san);
                assert_eq!(resolve(pos, parsed), Ok(m), "{san}");

                let uci = to_uci(pos, m);
                assert_eq!(uci, m.to_uci(pos.castles().mode()).to_string());
                assert_eq!(from_uci(pos, &uci), Ok(m), "{uci}");

                // UCI is also read as if it were SAN.
                let (parsed, _, consumed) = parse_san(uci.as_bytes()).expect(&uci);
                assert_eq!(consumed, uci.len());
                assert_eq!(resolve(pos, parsed), Ok(m), "{uci}");
            }
        });
    }
}
